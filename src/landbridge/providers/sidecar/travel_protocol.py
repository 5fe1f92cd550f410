"""Messages about the travel rule, and the client that sends them; see `protocol.py`."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import Meta

from landbridge.platform.formats.texts import shorten
from landbridge.providers.sidecar.credits import replace_half_characters
from landbridge.providers.sidecar.identity_protocol import IdentityClient
from landbridge.providers.sidecar.protocol import BankText, ProviderReference, SidecarMessage
from landbridge.providers.sidecar.requested_outcomes import RequestedTravel
from landbridge.providers.sidecar.transport import counted_call

TRAVEL_INQUIRIES_PATH = "/v1/travel-rule/inquiries"
TRAVEL_RESOLUTIONS_PATH = "/v1/travel-rule/resolutions"
TRAVEL_CONFIRMATIONS_PATH = "/v1/travel-rule/confirmations"
TRAVEL_INBOX_PATH = "/v1/travel-rule/inbox"

# Messages and bytes of one inbox answer; an inquiry has the data of a few people.
INBOX_MAX = 20
INBOX_BYTES_MAX = 1024 * 1024

# Host of a counterparty, in the form of settings; see `customers/travel_exchanges/api.py`.
_VaspId = Annotated[str, Meta(pattern=r"^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::[0-9]{1,5})?\Z")]
_Token = Annotated[str, Meta(pattern=r"^[0-9A-Z]{9}\Z")]
_Amount = Annotated[str, Meta(pattern=r"^[0-9]{1,38}(\.[0-9]{1,18})?\Z")]
_Address = Annotated[str, Meta(pattern=r"^[!-~]{1,100}\Z")]
_Hash = Annotated[str, Meta(pattern=r"^[!-~]{1,200}\Z")]


class TravelState(StrEnum):
    """State of our inquiry at the provider."""

    PENDING = "pending"  # the provider has it; the other VASP has not answered
    APPROVED = "approved"
    REJECTED = "rejected"  # by the other VASP
    REFUSED = "refused"  # the provider does not take it: it is sent again, and shown
    UNKNOWN_COUNTERPARTY = "unknown_counterparty"  # the provider does not know this VASP


class TravelInquiryRequest(SidecarMessage, frozen=True):
    """Question whether coins may be sent. `key` is ours, and the same for every attempt.

    Repeated, it returns the state as it is now. `counterparty` is the host of the other VASP;
    `travelAddress` is there if it was stated. `ivms101` has personal data. `testOutcome` is sent by
    `landbridge adapters test` only.
    """

    key: UUID
    org_id: UUID
    counterparty: str
    wallet_address: str
    token: str
    amount: str
    ivms101: dict[str, Any]
    travel_address: str | None = None
    test_outcome: RequestedTravel | None = None


class TravelInquiryAnswer(SidecarMessage, frozen=True):
    """State of an inquiry. `walletAddress` is what was approved, if it is another one.

    `comment` is the reason of a rejection.
    """

    key: UUID
    state: TravelState
    wallet_address: _Address | None = None
    comment: BankText | None = None


class ReceivedTravelAnswer(SidecarMessage, frozen=True):
    """`TravelInquiryAnswer` with any comment, so that no text of a VASP makes it invalid."""

    key: UUID
    state: TravelState
    wallet_address: _Address | None = None
    comment: Any = None


class TravelResolutionRequest(SidecarMessage, frozen=True):
    """Our answer to an inquiry of another VASP, by the inquiry's `id`; sent again until accepted.

    An approval has `walletAddress`.
    """

    id: ProviderReference
    is_approved: bool
    wallet_address: str | None = None
    comment: str | None = None


class TravelConfirmationRequest(SidecarMessage, frozen=True):
    """What became of the transfer of an inquiry: its transaction; without one nothing was sent."""

    key: UUID
    transaction_hash: str | None = None


class TravelAcceptance(SidecarMessage, frozen=True):
    """The provider has a resolution (`id` of the inquiry) or a confirmation (our `key`)."""

    id: ProviderReference


class TravelInboxQuery(SidecarMessage, frozen=True):
    """Question about messages of other VASPs. What is named was received, and is not needed again.

    `inquiries` and `confirmations` are ids of inquiries.
    """

    limit: Annotated[int, Meta(ge=1, le=INBOX_MAX)]
    inquiries: Annotated[tuple[ProviderReference, ...], Meta(max_length=INBOX_MAX)] = ()
    confirmations: Annotated[tuple[ProviderReference, ...], Meta(max_length=INBOX_MAX)] = ()


class TravelMessageId(SidecarMessage, frozen=True):
    """The id of a message of another VASP: that of the inquiry."""

    id: ProviderReference


class TravelInboundInquiry(TravelMessageId, frozen=True):
    """Inquiry of another VASP about a wallet of ours. `id` names it at the provider, for ever.

    The provider vouches for `counterparty`, which is a host. `ivms101` has personal data.
    """

    org_id: UUID
    counterparty: _VaspId
    token: _Token
    amount: _Amount
    ivms101: dict[str, Any]
    wallet_address: _Address | None = None


class TravelInboundConfirmation(TravelMessageId, frozen=True):
    """What became of the transfer of another VASP: its transaction; without one it is canceled."""

    org_id: UUID
    counterparty: _VaspId
    transaction_hash: _Hash | None = None


class TravelInboxAnswer(SidecarMessage, frozen=True):
    """Messages that we have not named as received, the oldest first, at most `limit` of each."""

    inquiries: Annotated[tuple[TravelInboundInquiry, ...], Meta(max_length=INBOX_MAX)] = ()
    confirmations: Annotated[tuple[TravelInboundConfirmation, ...], Meta(max_length=INBOX_MAX)] = ()


class RawTravelInbox(SidecarMessage, frozen=True):
    """`TravelInboxAnswer` with undecoded messages, so that an invalid one hides no other."""

    inquiries: Annotated[tuple[msgspec.Raw, ...], Meta(max_length=INBOX_MAX)] = ()
    confirmations: Annotated[tuple[msgspec.Raw, ...], Meta(max_length=INBOX_MAX)] = ()


_COMMENT_LENGTH_MAX = 500


class TravelClient(IdentityClient):
    """Client of one sidecar's travel rule calls.

    Every call raises `Unavailable`, `AnswerUnusable` and `Unclear`, after which it may be repeated.
    """

    @counted_call
    async def send_inquiry(self, request: TravelInquiryRequest) -> TravelInquiryAnswer:
        """Send an inquiry once per key, and return its state."""
        status, body = await self._call(TRAVEL_INQUIRIES_PATH, request)
        self._check_travel(status, f"the key {request.key} with another inquiry")
        answer = self._decoded(replace_half_characters(body), ReceivedTravelAnswer)
        self._check_key(answer.key, request.key)
        written: object = answer.comment
        comment = (
            shorten(written, length_max=_COMMENT_LENGTH_MAX) if isinstance(written, str) else ""
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
        """Report the transaction of a transfer, None if nothing was sent; once per key."""
        request = TravelConfirmationRequest(key=key, transaction_hash=transaction_hash)
        status, body = await self._call(TRAVEL_CONFIRMATIONS_PATH, request)
        self._check_travel(status, f"another confirmation of {key}")
        self._check_accepted(body, str(key))

    @counted_call
    async def read_inbox(
        self, limit: int, *, inquiries: Sequence[str] = (), confirmations: Sequence[str] = ()
    ) -> RawTravelInbox:
        """Return messages from other VASPs, and acknowledge the ones with these ids."""
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
