"""Checks of a sidecar that verifies users."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from landbridge.platform.core.errors import Rejected, Unavailable, Unclear, Upstream
from landbridge.platform.core.ids import new_id
from landbridge.providers.identity.port import Applicant, ApplicantDocument, ApplicantOwner
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.identity_protocol import (
    APPLICATION_DOCUMENTS_PATH,
    APPLICATION_QUERY_PATH,
    APPLICATIONS_PATH,
    SUBMISSIONS_PATH,
    VERIFICATION_LINKS_PATH,
    ApplicationAnswer,
    ApplicationState,
)
from landbridge.providers.sidecar.protocol import RequestedVerification
from landbridge.providers.sidecar.suite.model import (
    CheckFailed,
    ContractResult,
    call_and_disconnect,
    check_conflict,
    explain_skip,
    run_check,
)
from landbridge.providers.sidecar.suite.protocol_checks import ProtocolChecks

_REPEATS = 5
# Maximum waits of the adapter until a result must have appeared.
_WAITS_MAX = 60
_DROPPED_AFTER_S = (0.0, 0.002, 0.02)
_INVALID = (b"", b"{", b"null", b"[]", b'{"key": 1}', b"\xff")
_PDF = b"%PDF-1.4\n%%EOF\n"

_V = RequestedVerification
_RESULTS = {
    _V.APPROVE: ApplicationState.APPROVED,
    _V.RETRY: ApplicationState.RETRY,
    _V.DECLINE: ApplicationState.DECLINED,
    _V.INFORMATION: ApplicationState.INFORMATION,
    _V.REVIEW: ApplicationState.REVIEW,
}
_OPEN = frozenset({ApplicationState.CREATED, ApplicationState.PENDING})


@dataclass(frozen=True, slots=True)
class IdentityChecks:
    """Checks of one sidecar; `hasty` is a client that waits only for a second."""

    protocol: ProtocolChecks
    client: SidecarClient
    hasty: SidecarClient
    outcomes: Collection[RequestedVerification]

    async def run(self) -> Sequence[ContractResult]:
        """Run the checks in order; none if the sidecar verifies nobody."""
        if not self.outcomes:
            return []
        checks: Mapping[str, Callable[[], Awaitable[str | None]]] = {
            **{
                f"a person is verified, and the result never changes: {outcome}": partial(
                    self._result, outcome, state
                )
                for outcome, state in _RESULTS.items()
            },
            "a business is verified with its owners": self._business,
            "nothing is decided before the submission": self._unsubmitted,
            "one key is one application, however often it is created": self._repeated,
            "calls that are broken off create one application": self._broken_off,
            "a creation without an answer is kept": self._silence,
            "a refusal of an application is final": self._refusal,
            "one key with another applicant is refused": self._conflict,
            "an unknown application is unknown": self._unknown,
            "a link is about its application, or there is none": self._link,
            "invalid requests about applications are refused": self._invalid,
        }
        return [await run_check(name, check) for name, check in checks.items()]

    async def _result(self, outcome: RequestedVerification, state: ApplicationState) -> str | None:
        if outcome not in self.outcomes:
            return explain_skip(outcome)
        key = await self._submitted(_person(), outcome)
        found = await self._until_decided(key)
        if found.state is not state:
            raise CheckFailed(f"an application that was to be {state} is {found.state}")
        if state is ApplicationState.INFORMATION and not found.comment:
            raise CheckFailed("information is requested, and no comment says which")
        again = [
            *await asyncio.gather(*(self._known(key) for _ in range(_REPEATS))),
            await self.client.submit_application(key),
            await self._known(key),
        ]
        if any(each != found for each in again):
            raise CheckFailed("a result was answered with something else later")
        return None

    async def _business(self) -> str | None:
        if _V.APPROVE not in self.outcomes:
            return explain_skip(_V.APPROVE)
        owner = ApplicantOwner(id=new_id(), last_name="Holder", facts={"lastName": "Holder"})
        business = replace(
            _person(),
            is_business=True,
            last_name=None,
            business_name="Example Ltd",
            facts={"businessName": "Example Ltd"},
            owners=(owner,),
        )
        key = await self._created(business, _V.APPROVE)
        await self.client.attach_document(key, replace(_document(), owner_id=owner.id))
        await self.client.submit_application(key)
        found = await self._until_decided(key)
        if found.state is not ApplicationState.APPROVED:
            raise CheckFailed(f"a business that was to be approved is {found.state}")
        return None

    async def _unsubmitted(self) -> str | None:
        if _V.APPROVE not in self.outcomes:
            return explain_skip(_V.APPROVE)
        key = await self._created(_person(), _V.APPROVE)
        for _ in range(_REPEATS):
            found = await self._known(key)
            if found.state is not ApplicationState.CREATED:
                raise CheckFailed(f"an application that was not submitted is {found.state}")
            await self.protocol.adapter.pass_time()
        return None

    async def _repeated(self) -> str | None:
        if _V.APPROVE not in self.outcomes:
            return explain_skip(_V.APPROVE)
        person, key, document = _person(), new_id(), _document()
        create = partial(self.client.create_application, person, key, test_outcome=_V.APPROVE)
        answers = [*await asyncio.gather(*(create() for _ in range(_REPEATS))), await create()]
        answers += [await self.client.attach_document(key, document) for _ in range(2)]
        answers += [await self.client.submit_application(key) for _ in range(2)]
        # A repeated creation that arrives late must not undo the submission.
        answers.append(late := await create())
        if late.state is ApplicationState.CREATED:
            raise CheckFailed("a late creation has undone the submission")
        answers.append(await self._until_decided(key))
        if len({each.provider_reference for each in answers}) > 1:
            raise CheckFailed("one key was answered with several applications")
        return None

    async def _broken_off(self) -> str | None:
        """Break off calls at several moments, as a crash of the caller would, and continue."""
        if _V.APPROVE not in self.outcomes:
            return explain_skip(_V.APPROVE)
        for pause_s in _DROPPED_AFTER_S:
            person, key = _person(), new_id()
            create = partial(self.client.create_application, person, key, test_outcome=_V.APPROVE)
            await _drop(create(), pause_s)
            before = await self.client.find_application(key)
            created = await create()
            if before is not None and before.provider_reference != created.provider_reference:
                raise CheckFailed("a call that was broken off has created another application")
            await _drop(self.client.submit_application(key), pause_s)
            await self.client.submit_application(key)
            found = await self._until_decided(key)
            if found.provider_reference != created.provider_reference:
                raise CheckFailed("a submission that was broken off has changed the application")
        return None

    async def _silence(self) -> str | None:
        if _V.SILENCE not in self.outcomes:
            return explain_skip(_V.SILENCE)
        person, key = _person(), new_id()
        await call_and_disconnect(
            self.hasty.create_application(person, key, test_outcome=_V.SILENCE)
        )
        await self.client.create_application(person, key, test_outcome=_V.SILENCE)
        await self.client.submit_application(key)
        found = await self._until_decided(key)
        if found.state is not ApplicationState.APPROVED:
            raise CheckFailed(f"after silence the application is {found.state}")
        return None

    async def _refusal(self) -> str | None:
        if _V.REFUSE not in self.outcomes:
            return explain_skip(_V.REFUSE)
        person, key = _person(), new_id()
        for _ in range(2):
            try:
                answer = await self.client.create_application(person, key, test_outcome=_V.REFUSE)
            except Rejected:
                continue
            raise CheckFailed(f"an application that was to be refused is {answer.state}")
        found = await self.client.find_application(key)
        if found is not None and found.state is not ApplicationState.CREATED:
            raise CheckFailed(f"an application that was refused is {found.state}")
        return None

    async def _conflict(self) -> None:
        person, key = _person(), new_id()
        await self.client.create_application(person, key)
        other = replace(person, facts={**person.facts, "lastName": "Other"}, last_name="Other")
        again = self.client.create_application(other, key)
        await check_conflict(again, "a key was accepted with another applicant")
        await self._known(key)

    async def _unknown(self) -> None:
        key = new_id()
        if await self.client.find_application(key) is not None:
            raise CheckFailed("a key that was never sent is known")
        with suppress(Unclear, Unavailable, Rejected):
            answer = await self.client.submit_application(key)
            raise CheckFailed(f"a key that was never sent is {answer.state} once it is submitted")
        if await self.client.find_application(key) is not None:
            raise CheckFailed("a submission without a creation is known")

    async def _link(self) -> str | None:
        key = new_id()
        await self.client.create_application(_person(), key)
        link = await self.client.open_link(key)
        return "the provider has no page of its own" if link is None else None

    async def _invalid(self) -> None:
        await self.protocol.check_refusals(
            _INVALID,
            APPLICATIONS_PATH,
            APPLICATION_DOCUMENTS_PATH,
            SUBMISSIONS_PATH,
            APPLICATION_QUERY_PATH,
            VERIFICATION_LINKS_PATH,
        )

    async def _created(self, applicant: Applicant, outcome: RequestedVerification) -> UUID:
        key = new_id()
        await self.client.create_application(applicant, key, test_outcome=outcome)
        return key

    async def _submitted(self, applicant: Applicant, outcome: RequestedVerification) -> UUID:
        key = await self._created(applicant, outcome)
        await self.client.attach_document(key, _document())
        await self.client.submit_application(key)
        return key

    async def _known(self, key: UUID) -> ApplicationAnswer:
        found = await self.client.find_application(key)
        if found is None:
            raise CheckFailed("an application that was created is unknown")
        return found

    async def _until_decided(self, key: UUID) -> ApplicationAnswer:
        for _ in range(_WAITS_MAX):
            found = await self._known(key)
            if found.state is ApplicationState.CREATED:
                raise CheckFailed("an application that was submitted is not submitted")
            if found.state not in _OPEN:
                return found
            await self.protocol.adapter.pass_time()
        raise CheckFailed("a result did not come")


def _person() -> Applicant:
    case_id = new_id()
    return Applicant(
        key=f"suite-{case_id}",
        org_id=new_id(),
        case_id=case_id,
        is_business=False,
        rail="USD",
        last_name="Person",
        business_name=None,
        facts={"firstName": "Test", "lastName": "Person", "dateOfBirth": "1990-01-01"},
        owners=(),
    )


def _document() -> ApplicantDocument:
    async def read() -> bytes:
        return _PDF

    return ApplicantDocument(
        id=new_id(),
        owner_id=None,
        type="PASSPORT",
        sub_type="SINGLE_SIDE",
        issued_country="USA",
        number="P0000000",
        url=None,
        read=read,
    )


async def _drop(call: Awaitable[ApplicationAnswer], pause_s: float) -> None:
    running = asyncio.ensure_future(call)
    await asyncio.sleep(pause_s)
    running.cancel()
    with suppress(asyncio.CancelledError, Upstream):
        await running
