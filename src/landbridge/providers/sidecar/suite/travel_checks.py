"""Checks of a sidecar that carries travel rule messages."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar
from uuid import UUID

import msgspec

from landbridge.platform.core.ids import new_id
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.requested_outcomes import RequestedTravel
from landbridge.providers.sidecar.suite.model import (
    CheckFailed,
    ContractResult,
    call_and_disconnect,
    check_conflict,
    explain_skip,
    run_check,
)
from landbridge.providers.sidecar.suite.protocol_checks import ProtocolChecks
from landbridge.providers.sidecar.travel_protocol import (
    INBOX_MAX,
    TRAVEL_CONFIRMATIONS_PATH,
    TRAVEL_INBOX_PATH,
    TRAVEL_INQUIRIES_PATH,
    TRAVEL_RESOLUTIONS_PATH,
    TravelInboundConfirmation,
    TravelInboundInquiry,
    TravelInquiryAnswer,
    TravelInquiryRequest,
    TravelResolutionRequest,
    TravelState,
)

T = TypeVar("T", TravelInboundInquiry, TravelInboundConfirmation)

_REPEATS = 5
# Maximum waits of the adapter until an answer or a message must have appeared.
_WAITS_MAX = 60
# Waits of the adapter before a message counts as not sent.
_WAITS_MIN = 3
# Pages that an inbox with unread messages may have at most.
_PAGES_MAX = 50
_INVALID = (
    b"",
    b"{",
    b"null",
    b"[]",
    b"{}",
    b'{"key": 1}',
    b'{"id": 1, "isApproved": 1}',
    b'{"limit": 0}',
    b'{"limit": 21}',
    b"\xff",
)
# Final state of each outcome, and whether the inquiry is pending before.
_STATES = {
    RequestedTravel.APPROVE: (TravelState.APPROVED, True),
    RequestedTravel.REJECT: (TravelState.REJECTED, True),
    RequestedTravel.REFUSE: (TravelState.REFUSED, False),
    RequestedTravel.UNKNOWN: (TravelState.UNKNOWN_COUNTERPARTY, False),
}
_COIN = "4H95J0R2X"
_WALLET = "0xde709f2102306220921060314715629080e2fb77"
_HASH = f"0x{'5c' * 32}"
_OTHER_HASH = f"0x{'6d' * 32}"
_PERSON = {
    "naturalPerson": {
        "name": {
            "nameIdentifier": [
                {
                    "primaryIdentifier": "Payer",
                    "secondaryIdentifier": "Test",
                    "nameIdentifierType": "LEGL",
                }
            ]
        }
    }
}


@dataclass(frozen=True, slots=True)
class TravelChecks:
    """Checks of one sidecar; `hasty` is a client that waits only for a second.

    If other messages fill a page of its inbox, they are acknowledged as received.
    """

    protocol: ProtocolChecks
    client: SidecarClient
    hasty: SidecarClient
    outcomes: Collection[RequestedTravel]

    async def run(self) -> Sequence[ContractResult]:
        """Run the checks in order; none if the sidecar carries no travel rule messages."""
        if not self.outcomes:
            return []
        checks: Mapping[str, Callable[[], Awaitable[str | None]]] = {
            **{
                f"an inquiry is answered, and the answer never changes: {outcome}": partial(
                    self._answered, outcome
                )
                for outcome in _STATES
            },
            "one key is one inquiry, however often it is sent": self._single,
            "one key with another inquiry is refused": self._conflict,
            "an inquiry that is broken off is answered when it is repeated": self._silence,
            "a transfer is confirmed once, however often it is sent": self._confirmed,
            "inquiries of others are there until they are named as received": self._inquiries,
            "an inquiry of others is resolved once, however often it is sent": self._resolved,
            "a confirmation of others is there until it is named as received": self._confirmations,
            "invalid requests about the travel rule are refused": self._invalid,
        }
        return [await run_check(name, check) for name, check in checks.items()]

    async def _answered(self, outcome: RequestedTravel) -> str | None:
        if outcome not in self.outcomes:
            return explain_skip(outcome)
        expected, is_late = _STATES[outcome]
        request = _inquiry(outcome)
        answer = await self.client.send_inquiry(request)
        if is_late:
            if answer.state is not TravelState.PENDING:
                raise CheckFailed(f"an inquiry without an answer is {answer.state}")
            answer = await self._final(request)
        if answer.state is not expected:
            raise CheckFailed(f"the state is {answer.state}, not {expected}")
        if expected is TravelState.REJECTED and answer.comment is None:
            raise CheckFailed("a rejection has no comment")
        again = await asyncio.gather(*(self.client.send_inquiry(request) for _ in range(_REPEATS)))
        if other := [each for each in again if each != answer]:
            raise CheckFailed(f"{expected} became {other[0].state}, or has other details")
        return None

    async def _single(self) -> str | None:
        if RequestedTravel.INQUIRE not in self.outcomes:
            return explain_skip(RequestedTravel.INQUIRE)
        request = _inquiry(RequestedTravel.INQUIRE)
        await asyncio.gather(*(self.client.send_inquiry(request) for _ in range(_REPEATS)))
        await self._final(request)
        await self._inquiries_of(request.org_id, 1)
        for _ in range(_WAITS_MIN):
            await self.protocol.adapter.pass_time()
        await self.client.send_inquiry(request)
        found = await self._inquiries_of(request.org_id, 1)
        await self._receive(inquiries=[each.id for each in found])
        return None

    async def _conflict(self) -> str | None:
        outcome = next((each for each in _STATES if each in self.outcomes), None)
        if outcome is None:
            return "the sidecar does not list a test outcome with an answer"
        request = _inquiry(outcome)
        await self.client.send_inquiry(request)
        other = msgspec.structs.replace(request, amount="12.346")
        await check_conflict(
            self.client.send_inquiry(other), "a key with another amount was accepted"
        )
        answer = await self._final(request)
        if answer.state is not _STATES[outcome][0]:
            raise CheckFailed("a conflicting inquiry has changed the first one")
        return None

    async def _silence(self) -> str | None:
        if RequestedTravel.SILENCE not in self.outcomes:
            return explain_skip(RequestedTravel.SILENCE)
        request = _inquiry(RequestedTravel.SILENCE)
        await call_and_disconnect(self.hasty.send_inquiry(request))
        answer = await self._final(request)
        if answer.state is not TravelState.APPROVED:
            raise CheckFailed(f"the repeated call was answered with {answer.state}")
        return None

    async def _confirmed(self) -> str | None:
        if RequestedTravel.APPROVE not in self.outcomes:
            return explain_skip(RequestedTravel.APPROVE)
        for sent, other in ((_HASH, _OTHER_HASH), (None, _HASH)):
            request = _inquiry(RequestedTravel.APPROVE)
            await self.client.send_inquiry(request)
            await self._final(request)
            for _ in range(_REPEATS):
                await self.client.confirm_transfer(request.key, sent)
            await check_conflict(
                self.client.confirm_transfer(request.key, other),
                "another confirmation was accepted",
            )
            await self.client.confirm_transfer(request.key, sent)
        return None

    async def _inquiries(self) -> str | None:
        if RequestedTravel.INQUIRE not in self.outcomes:
            return explain_skip(RequestedTravel.INQUIRE)
        org_id = new_id()
        sent = [_inquiry(RequestedTravel.INQUIRE, org_id) for _ in range(2)]
        for request in sent:
            await self.client.send_inquiry(request)
        found = await self._inquiries_of(org_id, len(sent))
        for each in found:
            if (each.token, each.amount) != (sent[0].token, sent[0].amount):
                raise CheckFailed("an inquiry is not about the transfer of the test outcome")
        page = await self.client.read_inbox(1)
        if len(page.inquiries) != 1:
            raise CheckFailed("an inbox with two inquiries has none for a limit of one")
        if await self._inquiries_of(org_id, len(sent)) != found:
            raise CheckFailed("a repeated query has other inquiries, or another order")
        first, second = found
        for _ in range(2):
            await self._receive(inquiries=[first.id])
            if await self._inquiries_of(org_id, 1) != [second]:
                raise CheckFailed("an inquiry that was named is there, or another one is gone")
        await self._receive(inquiries=[second.id])
        await self._inquiries_of(org_id, 0)
        return None

    async def _resolved(self) -> str | None:
        if RequestedTravel.INQUIRE not in self.outcomes:
            return explain_skip(RequestedTravel.INQUIRE)
        for is_approved in (True, False):
            inquiry = await self._inquired()
            right = _resolution(inquiry, is_approved=is_approved)
            wrong = _resolution(inquiry, is_approved=not is_approved)
            for _ in range(_REPEATS):
                await self.client.resolve_inquiry(right)
            await check_conflict(
                self.client.resolve_inquiry(wrong), "another resolution was accepted"
            )
            await self.client.resolve_inquiry(right)
        return None

    async def _confirmations(self) -> str | None:
        if RequestedTravel.INQUIRE not in self.outcomes:
            return explain_skip(RequestedTravel.INQUIRE)
        inquiry = await self._inquired()
        await self.client.resolve_inquiry(_resolution(inquiry, is_approved=True))
        for _ in range(2):
            (found,) = await self._confirmations_of(inquiry.org_id, 1)
            if found.id != inquiry.id:
                raise CheckFailed("a confirmation has not the id of its inquiry")
        await self._receive(confirmations=[inquiry.id])
        await self._confirmations_of(inquiry.org_id, 0)
        return None

    async def _invalid(self) -> None:
        await self.protocol.check_refusals(
            _INVALID,
            TRAVEL_INQUIRIES_PATH,
            TRAVEL_RESOLUTIONS_PATH,
            TRAVEL_CONFIRMATIONS_PATH,
            TRAVEL_INBOX_PATH,
        )

    async def _inquired(self) -> TravelInboundInquiry:
        """Return an inquiry from another VASP, after it was acknowledged as received."""
        request = _inquiry(RequestedTravel.INQUIRE)
        await self.client.send_inquiry(request)
        (found,) = await self._inquiries_of(request.org_id, 1)
        await self._receive(inquiries=[found.id])
        return found

    async def _final(self, request: TravelInquiryRequest) -> TravelInquiryAnswer:
        for _ in range(_WAITS_MAX):
            answer = await self.client.send_inquiry(request)
            if answer.state is not TravelState.PENDING:
                return answer
            await self.protocol.adapter.pass_time()
        raise CheckFailed("an answer did not come")

    async def _inquiries_of(self, org_id: UUID, count: int) -> list[TravelInboundInquiry]:
        return await self._await_messages(TravelInboundInquiry, org_id, count)

    async def _confirmations_of(self, org_id: UUID, count: int) -> list[TravelInboundConfirmation]:
        return await self._await_messages(TravelInboundConfirmation, org_id, count)

    async def _await_messages(self, kind: type[T], org_id: UUID, count: int) -> list[T]:
        """Return an organisation's messages once there are `count`; raises if there are more."""
        found: list[T] = []
        for _ in range(_WAITS_MAX):
            found = await self._messages(kind, org_id)
            if len(found) >= count:
                break
            await self.protocol.adapter.pass_time()
        if len(found) != count:
            raise CheckFailed(f"the inbox has {len(found)} messages of one kind, not {count}")
        return found

    async def _messages(self, kind: type[T], org_id: UUID) -> list[T]:
        for _ in range(_PAGES_MAX):
            page = await self.client.read_inbox(INBOX_MAX)
            is_inquiry = kind is TravelInboundInquiry
            raw = page.inquiries if is_inquiry else page.confirmations
            found = [_decoded(each, kind) for each in raw]
            others = [each.id for each in found if each.org_id != org_id]
            if len(found) < INBOX_MAX or not others:
                return [each for each in found if each.org_id == org_id]
            if is_inquiry:
                await self._receive(inquiries=others)
            else:
                await self._receive(confirmations=others)
        raise CheckFailed("the inbox has messages without end, also if they are named as received")

    async def _receive(
        self, *, inquiries: Sequence[str] = (), confirmations: Sequence[str] = ()
    ) -> None:
        await self.client.read_inbox(1, inquiries=inquiries, confirmations=confirmations)


def _inquiry(outcome: RequestedTravel, org_id: UUID | None = None) -> TravelInquiryRequest:
    return TravelInquiryRequest(
        key=new_id(),
        org_id=org_id or new_id(),
        counterparty="vasp.example.com",
        wallet_address=_WALLET,
        token=_COIN,
        amount="12.345",
        ivms101={
            "originator": {"originatorPersons": [_PERSON]},
            "beneficiary": {"beneficiaryPersons": [_PERSON]},
        },
        test_outcome=outcome,
    )


def _resolution(inquiry: TravelInboundInquiry, *, is_approved: bool) -> TravelResolutionRequest:
    return TravelResolutionRequest(
        id=inquiry.id,
        is_approved=is_approved,
        wallet_address=(inquiry.wallet_address or _WALLET) if is_approved else None,
        comment=None if is_approved else "The wallet is not known.",
    )


def _decoded(raw: msgspec.Raw, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise CheckFailed("a message in the inbox is not valid") from error
