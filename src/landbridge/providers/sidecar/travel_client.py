"""Calls of a sidecar about the travel rule; see `client.py`."""

from collections.abc import Sequence
from uuid import UUID

from landbridge.platform.formats.texts import in_short
from landbridge.providers.sidecar.credits import replace_half_characters
from landbridge.providers.sidecar.identity_client import IdentityClient
from landbridge.providers.sidecar.transport import counted_call
from landbridge.providers.sidecar.travel_protocol import (
    INBOX_BYTES_MAX,
    TRAVEL_CONFIRMATIONS_PATH,
    TRAVEL_INBOX_PATH,
    TRAVEL_INQUIRIES_PATH,
    TRAVEL_RESOLUTIONS_PATH,
    RawTravelInbox,
    ReceivedTravelAnswer,
    TravelAcceptance,
    TravelConfirmationRequest,
    TravelInboxQuery,
    TravelInquiryAnswer,
    TravelInquiryRequest,
    TravelResolutionRequest,
)

_COMMENT_LENGTH_MAX = 500


class TravelClient(IdentityClient):
    """One sidecar, as a provider of travel rule messages.

    Every call raises `Unavailable`, `AnswerUnusable` and `Unclear`: it may be repeated.
    """

    @counted_call
    async def send_inquiry(self, request: TravelInquiryRequest) -> TravelInquiryAnswer:
        """Send an inquiry, once per key, and return its state."""
        status, body = await self._call(TRAVEL_INQUIRIES_PATH, request)
        self._check_travel(status, f"the key {request.key} with another inquiry")
        answer = self._decoded(replace_half_characters(body), ReceivedTravelAnswer)
        self._check_key(answer.key, request.key)
        written: object = answer.comment
        comment = (
            in_short(written, length_max=_COMMENT_LENGTH_MAX) if isinstance(written, str) else ""
        )
        return TravelInquiryAnswer(
            key=answer.key,
            state=answer.state,
            wallet_address=answer.wallet_address,
            comment=comment or None,
        )

    @counted_call
    async def resolve_inquiry(self, request: TravelResolutionRequest) -> None:
        """Answer an inquiry of another VASP, once."""
        status, body = await self._call(TRAVEL_RESOLUTIONS_PATH, request)
        self._check_travel(status, f"another answer to the inquiry {request.id}")
        self._check_accepted(body, request.id)

    @counted_call
    async def confirm_transfer(self, key: UUID, transaction_hash: str | None) -> None:
        """Report what became of a transfer, once."""
        request = TravelConfirmationRequest(key=key, transaction_hash=transaction_hash)
        status, body = await self._call(TRAVEL_CONFIRMATIONS_PATH, request)
        self._check_travel(status, f"another confirmation of {key}")
        self._check_accepted(body, str(key))

    @counted_call
    async def read_inbox(
        self, limit: int, *, inquiries: Sequence[str] = (), confirmations: Sequence[str] = ()
    ) -> RawTravelInbox:
        """Return messages of other VASPs; those with these ids are not needed again."""
        query = TravelInboxQuery(
            limit=limit, inquiries=tuple(inquiries), confirmations=tuple(confirmations)
        )
        status, body = await self._call(TRAVEL_INBOX_PATH, query, bytes_max=INBOX_BYTES_MAX)
        self._check_travel(status, "another inbox")
        answer = self._decoded(replace_half_characters(body), RawTravelInbox)
        if max(len(answer.inquiries), len(answer.confirmations)) > limit:
            raise self._unusable("more messages than the limit")
        return answer

    def _check_accepted(self, body: bytes, expected: str) -> None:
        if self._decoded(body, TravelAcceptance).id != expected:
            raise self._unusable("something about another inquiry")

    def _check_travel(self, status: int, conflict: str) -> None:
        self._check_conflict(status, conflict)
        self._check_answered(status, unavailable="can't take it now")
