"""Adapter of the port `OtherVasps` for VASPs that are reached through a connected provider.

Guarantees:
- No text of the provider is in an error.
- Only an explicit approval or rejection of the other VASP counts. If the provider refuses, does not
  know the counterparty, or does not answer, nothing is decided: the message is sent again.
"""

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Final, TypeVar
from uuid import UUID

from landbridge.platform.core.errors import FieldInvalid, Unavailable, Unclear
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.travel_protocol import (
    TravelInquiryRequest,
    TravelResolutionRequest,
    TravelState,
)
from landbridge.providers.trp.port import (
    InquiryAnswer,
    InquiryResolution,
    TransferConfirmation,
    TransferInquiry,
    VaspUnreachable,
)
from landbridge.providers.trp.travel_addresses import encode_travel_address

T = TypeVar("T")

_PROBLEMS: Final = {
    TravelState.REFUSED: "the provider refuses the inquiry",
    TravelState.UNKNOWN_COUNTERPARTY: "the provider does not know the counterparty",
}
_COMMENT_LENGTH_MAX: Final = 500


@dataclass(frozen=True, slots=True)
class ProviderVasps:
    """Sends travel rule messages through one provider; see the port.

    `url` is the stated travel address, or empty. `key` is the id of our exchange for messages that
    we send, and the provider's id for inquiries that we answer.
    """

    client: SidecarClient

    def check_url(self, field: str, url: str) -> str:
        """Raise `FieldInvalid`: URLs are not used with a provider."""
        del url
        raise FieldInvalid(f"{field} is not used with a provider", field=field)

    async def inquire(self, url: str, key: str, inquiry: TransferInquiry) -> InquiryResolution:
        """Send an inquiry, or read its state if it was sent before; see the port."""
        wallet = inquiry.wallet_address
        request = TravelInquiryRequest(
            key=UUID(key),
            org_id=inquiry.org_id,
            counterparty=inquiry.host,
            travel_address=encode_travel_address(url) if url else None,
            wallet_address=wallet,
            token=inquiry.token,
            amount=format(inquiry.amount, "f"),
            ivms101=dict(inquiry.ivms101),
        )
        answer = await self._answered(self.client.send_inquiry(request))
        match answer.state:
            case TravelState.PENDING:
                return InquiryResolution(answer=InquiryAnswer.PENDING)
            case TravelState.APPROVED:
                return InquiryResolution(
                    answer=InquiryAnswer.APPROVED, address=answer.wallet_address or wallet
                )
            case TravelState.REJECTED:
                return InquiryResolution(answer=InquiryAnswer.REJECTED, comment=answer.comment)
            case TravelState.REFUSED | TravelState.UNKNOWN_COUNTERPARTY:
                raise VaspUnreachable(_PROBLEMS[answer.state])

    async def resolve(self, url: str, key: str, resolution: InquiryResolution) -> None:
        """Answer an inquiry; see the port."""
        del url
        is_approved = resolution.answer is InquiryAnswer.APPROVED
        comment = (resolution.comment or "")[:_COMMENT_LENGTH_MAX]
        request = TravelResolutionRequest(
            id=key,
            is_approved=is_approved,
            wallet_address=resolution.address if is_approved else None,
            comment=None if is_approved else comment or None,
        )
        await self._answered(self.client.resolve_inquiry(request))

    async def confirm(self, url: str, key: str, confirmation: TransferConfirmation) -> None:
        """Report the result of a transfer; see the port."""
        del url
        await self._answered(self.client.confirm_transfer(UUID(key), confirmation.transaction_hash))

    async def _answered(self, call: Awaitable[T]) -> T:
        try:
            return await call
        except (Unavailable, Unclear) as error:
            # The error's text is ours: it names the provider, and what is wrong with its answer.
            raise VaspUnreachable(str(error)) from None
