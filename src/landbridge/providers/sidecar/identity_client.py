"""Client of one sidecar that verifies users.

Guarantees:
- an answer counts only if it is about the same key; any other is an unknown outcome;
- personal data and files are in requests only: no error and no log has any of it.
"""

from http import HTTPStatus
from uuid import UUID

import msgspec

from landbridge.platform.core.errors import Rejected
from landbridge.providers.identity.port import Applicant, ApplicantDocument, HostedVerification
from landbridge.providers.sidecar.identity_protocol import (
    APPLICATION_DOCUMENTS_PATH,
    APPLICATION_QUERY_PATH,
    APPLICATION_REFUSALS,
    APPLICATIONS_PATH,
    DOCUMENT_BYTES_MAX,
    SUBMISSIONS_PATH,
    VERIFICATION_LINKS_PATH,
    ApplicationAnswer,
    ApplicationDocumentRequest,
    ApplicationKey,
    ApplicationOwner,
    ApplicationRefusal,
    ApplicationRequest,
    VerificationLinkAnswer,
)
from landbridge.providers.sidecar.protocol import RequestedVerification
from landbridge.providers.sidecar.transport import SidecarTransport, counted_call


class IdentityClient(SidecarTransport):
    """One sidecar, as a provider of verifications.

    All calls raise `Unavailable`, `AnswerUnusable` and `Unclear`: they may be repeated. Those that
    change an application raise `Rejected` if the provider refuses them for good.
    """

    @counted_call
    async def create_application(
        self,
        applicant: Applicant,
        key: UUID,
        *,
        test_outcome: RequestedVerification | None = None,
    ) -> ApplicationAnswer:
        """Create an application, once per key, and return its state."""
        request = ApplicationRequest(
            key=key,
            org_id=applicant.org_id,
            is_business=applicant.is_business,
            rail=applicant.rail,
            facts=dict(applicant.facts),
            last_name=applicant.last_name,
            business_name=applicant.business_name,
            owners=tuple(
                ApplicationOwner(id=each.id, last_name=each.last_name, facts=dict(each.facts))
                for each in applicant.owners
            ),
            share_token=applicant.share_token,
            test_outcome=test_outcome,
        )
        return await self._change(APPLICATIONS_PATH, request, key)

    @counted_call
    async def attach_document(self, key: UUID, document: ApplicantDocument) -> ApplicationAnswer:
        """Add a document to an application; a known one changes nothing."""
        file = None if document.read is None else await document.read()
        if file is not None and len(file) > DOCUMENT_BYTES_MAX:
            raise Rejected("a file is larger than providers take")
        request = ApplicationDocumentRequest(
            key=key,
            document_id=document.id,
            owner_id=document.owner_id,
            type=document.type,
            sub_type=document.sub_type,
            issued_country=document.issued_country,
            number=document.number,
            url=document.url,
            file=file,
        )
        return await self._change(APPLICATION_DOCUMENTS_PATH, request, key)

    @counted_call
    async def submit_application(self, key: UUID) -> ApplicationAnswer:
        """Start the verification; a submitted application stays so."""
        return await self._change(SUBMISSIONS_PATH, ApplicationKey(key=key), key)

    @counted_call
    async def find_application(self, key: UUID) -> ApplicationAnswer | None:
        """Return the state of an application; None if the key is unknown."""
        status, body = await self._call(APPLICATION_QUERY_PATH, ApplicationKey(key=key))
        if status == HTTPStatus.NOT_FOUND:
            self._check_unknown(status, body)
            return None
        return self._application(status, body, key)

    @counted_call
    async def open_link(self, key: UUID) -> HostedVerification | None:
        """Return the provider's own page for the person; None if it has none."""
        status, body = await self._call(VERIFICATION_LINKS_PATH, ApplicationKey(key=key))
        if status == HTTPStatus.NOT_FOUND:
            return None
        self._check_answered(status, unavailable="gives no link now")
        answer = self._decoded(body, VerificationLinkAnswer)
        self._check_key(answer.key, key)
        return HostedVerification(url=answer.url, expires_in_s=answer.expires_in_seconds)

    async def _change(self, path: str, message: msgspec.Struct, key: UUID) -> ApplicationAnswer:
        status, body = await self._call(path, message)
        if status == HTTPStatus.UNPROCESSABLE_ENTITY:
            refusal = self._decoded(body, ApplicationRefusal)
            self._check_key(refusal.key, key)
            raise Rejected(APPLICATION_REFUSALS[refusal.code])
        self._check_conflict(status, f"the key {key} with something else")
        return self._application(status, body, key)

    def _application(self, status: int, body: bytes, key: UUID) -> ApplicationAnswer:
        self._check_answered(status)
        answer = self._decoded(body, ApplicationAnswer)
        self._check_key(answer.key, key)
        return answer
