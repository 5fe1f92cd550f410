"""Messages about the verification of users, and the client that sends them; see `protocol.py`.

They hold personal data.

Guarantees:
- an answer counts only if it is about the same key; any other is an unknown outcome;
- personal data and files are in requests only: no error and no log has any of it.
"""

from enum import StrEnum
from http import HTTPStatus
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import Meta, field

from landbridge.platform.core.errors import Rejected
from landbridge.platform.core.fields import copy_fields
from landbridge.providers.identity.port import (
    REASON_LENGTH_MAX,
    REASONS_MAX,
    RESULTS_MAX,
    TEXT_LENGTH_MAX,
    Applicant,
    ApplicantDocument,
    ApplicationSection,
    HostedVerification,
)
from landbridge.providers.sidecar.protocol import (
    EXPECTED_IN_S_MAX,
    ProviderReference,
    RequestedVerification,
    SidecarMessage,
)
from landbridge.providers.sidecar.transport import SidecarTransport, counted_call

APPLICATIONS_PATH = "/v1/applications"
APPLICATION_DOCUMENTS_PATH = "/v1/applications/documents"
SUBMISSIONS_PATH = "/v1/applications/submit"
APPLICATION_QUERY_PATH = "/v1/applications/query"
VERIFICATION_LINKS_PATH = "/v1/applications/link"

# Bytes of a file before encoding; our own limit for uploads is not larger.
DOCUMENT_BYTES_MAX = 10 * 1024 * 1024
# Bytes of a request with a file: base64 adds a third, the other members a little.
DOCUMENT_REQUEST_BYTES_MAX = 14 * 1024 * 1024
_LINK_LENGTH_MAX = 2_000

_Reason = Annotated[str, Meta(min_length=1, max_length=REASON_LENGTH_MAX)]
_Reasons = Annotated[tuple[_Reason, ...], Meta(max_length=REASONS_MAX)]
_Text = Annotated[str, Meta(max_length=TEXT_LENGTH_MAX)]


class ApplicationState(StrEnum):
    """State of an application at the provider."""

    CREATED = "created"  # not submitted yet
    PENDING = "pending"  # submitted, and not decided
    APPROVED = "approved"  # final: verified
    RETRY = "retry"  # declined, and can be corrected with another application
    DECLINED = "declined"  # final: declined
    INFORMATION = "information"  # the person must say more: `comment` says what
    REVIEW = "review"  # the provider does not decide: our reviewers must


class PartState(StrEnum):
    """What a review says about one part of an application."""

    APPROVED = "approved"
    RETRY = "retry"
    DECLINED = "declined"


class ApplicationRefusalCode(StrEnum):
    """Why a call about an application was refused for good. Each has a sentence of ours."""

    UNSUPPORTED = "unsupported"
    DATA_INVALID = "data_invalid"
    DOCUMENT_INVALID = "document_invalid"
    SHARE_TOKEN_INVALID = "share_token_invalid"  # noqa: S105  a code, no secret
    OTHER = "other"


APPLICATION_REFUSALS = {
    ApplicationRefusalCode.UNSUPPORTED: "the provider does not verify such applicants",
    ApplicationRefusalCode.DATA_INVALID: "the provider does not accept the applicant's data",
    ApplicationRefusalCode.DOCUMENT_INVALID: "the provider does not accept a document",
    ApplicationRefusalCode.SHARE_TOKEN_INVALID: "the provider does not accept the share token",
    ApplicationRefusalCode.OTHER: "the provider refused the application",
}


class ApplicationOwner(SidecarMessage, frozen=True):
    """Owner of a business. `facts` are KYC data as submitted."""

    id: UUID
    facts: dict[str, Any]
    last_name: str | None = None


class ApplicationRequest(SidecarMessage, frozen=True):
    """Application of a person or business. `key` is ours, and the same for every attempt.

    `facts` are KYC data under the names of the API; `lastName` and `businessName` are those of the
    account. `shareToken` lets the provider take over what another of its clients has verified.
    `testOutcome` is sent by `landbridge adapters test` only.
    """

    key: UUID
    org_id: UUID
    is_business: bool
    rail: str
    facts: dict[str, Any]
    last_name: str | None = None
    business_name: str | None = None
    owners: tuple[ApplicationOwner, ...] = ()
    share_token: str | None = None
    test_outcome: RequestedVerification | None = None


class ApplicationDocumentRequest(SidecarMessage, frozen=True):
    """Document of an application: `file` has its bytes in base64, or `url` an address of it.

    `documentId` is ours: a known one changes nothing.
    """

    key: UUID
    document_id: UUID
    type: str
    sub_type: str
    issued_country: str
    owner_id: UUID | None = None
    number: str | None = None
    url: str | None = None
    file: bytes | None = None


class ApplicationKey(SidecarMessage, frozen=True):
    """Submission of an application, a question about it, or a request of a link."""

    key: UUID


class ReviewedPart(SidecarMessage, frozen=True):
    """What a review says about a part. `comment` may be shown to the person."""

    state: PartState
    reject_reasons: _Reasons = ()
    comment: _Text | None = None


_ReviewedParts = Annotated[dict[UUID, ReviewedPart], Meta(max_length=RESULTS_MAX)]


class ApplicationAnswer(SidecarMessage, frozen=True):
    """State of an application, and what its review says.

    `comment` may be shown to the person, `note` never: it is for reviewers. `fields` are names of
    KYC data to submit again. Documents and owners are named by our ids; parts that are not listed
    follow the whole. `expectedInSeconds` is when a pending one is queried again.
    """

    key: UUID
    state: ApplicationState
    provider_reference: ProviderReference
    expected_in_seconds: Annotated[int, Meta(ge=1, le=EXPECTED_IN_S_MAX)] | None = None
    reject_reasons: _Reasons = ()
    comment: _Text | None = None
    note: _Text | None = None
    fields: Annotated[tuple[_Reason, ...], Meta(max_length=RESULTS_MAX)] = ()
    sections: dict[ApplicationSection, ReviewedPart] = field(
        default_factory=dict[ApplicationSection, ReviewedPart]
    )
    documents: _ReviewedParts = field(default_factory=dict[UUID, ReviewedPart])
    owners: _ReviewedParts = field(default_factory=dict[UUID, ReviewedPart])


class ApplicationRefusal(SidecarMessage, frozen=True):
    """Refusal of a call about an application, for good: the same call is refused for ever."""

    key: UUID
    code: ApplicationRefusalCode


class VerificationLinkAnswer(SidecarMessage, frozen=True):
    """Address of the provider's own page for the person, and for how long it can be opened.

    Anyone who has it can act as the person.
    """

    key: UUID
    url: Annotated[str, Meta(pattern=r"^https://[!-~]+\Z", max_length=_LINK_LENGTH_MAX)]
    expires_in_seconds: Annotated[int, Meta(ge=1)] | None = None


class IdentityClient(SidecarTransport):
    """Client of one sidecar's verification calls.

    All calls raise `Unavailable`, `AnswerUnusable` and `Unclear`, after which they may be repeated.
    Calls that change an application raise `Rejected` if the provider refuses them for good.
    """

    @counted_call
    async def create_application(
        self,
        applicant: Applicant,
        key: UUID,
        *,
        test_outcome: RequestedVerification | None = None,
    ) -> ApplicationAnswer:
        """Create an application once per key, and return its state."""
        request = copy_fields(
            applicant,
            ApplicationRequest,
            key=key,
            facts=dict(applicant.facts),
            owners=tuple(
                ApplicationOwner(id=each.id, last_name=each.last_name, facts=dict(each.facts))
                for each in applicant.owners
            ),
            test_outcome=test_outcome,
        )
        return await self._change(APPLICATIONS_PATH, request, key)

    @counted_call
    async def attach_document(self, key: UUID, document: ApplicantDocument) -> ApplicationAnswer:
        """Add a document to an application; a repeated document changes nothing."""
        file = None if document.read is None else await document.read()
        if file is not None and len(file) > DOCUMENT_BYTES_MAX:
            raise Rejected("a file is larger than providers take")
        request = copy_fields(
            document, ApplicationDocumentRequest, key=key, document_id=document.id, file=file
        )
        return await self._change(APPLICATION_DOCUMENTS_PATH, request, key)

    @counted_call
    async def submit_application(self, key: UUID) -> ApplicationAnswer:
        """Start the verification; does nothing for an application that is submitted already."""
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
        """Return a link to the provider's page for the person; None if the provider has no page."""
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
