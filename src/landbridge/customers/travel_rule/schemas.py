"""Transfers that wait for data, as the API and events show them."""

from collections.abc import Sequence
from uuid import UUID

from landbridge.customers.deposit_screening.audit import SCREENED_ASSETS
from landbridge.customers.travel_rule.waiting import WaitingTransfer
from landbridge.platform.core.money import Money
from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, moment
from landbridge.providers.kyt.port import ScreeningDirection


class WaitingTransferReply(WireStruct, frozen=True):
    """Payment or deposit that waits for data about the wallet outside.

    `direction` is `payment` or `deposit`; `transferId` is the id of the payment or of the deposit.
    `userId` is null for a deposit that is no user's yet, and `walletAddress` if the chain names no
    sender. `missing` names what the jurisdiction requires.
    """

    screening_id: UUID
    direction: ScreeningDirection
    transfer_id: UUID
    user_id: UUID | None
    wallet_address: str | None
    amount: DecimalText
    currency: str
    chain: str
    missing: list[str]
    created_at: Moment


def waiting_reply(waiting: WaitingTransfer, missing: Sequence[str]) -> WaitingTransferReply:
    """Render a transfer that waits for these data."""
    record = waiting.screening
    money = Money(record.source_units, SCREENED_ASSETS[record.source_asset])
    return WaitingTransferReply(
        screening_id=record.id,
        direction=waiting.direction,
        transfer_id=waiting.transfer_id,
        user_id=None if record.user_id == record.org_id else record.user_id,
        wallet_address=waiting.address,
        amount=str(money),
        currency=money.asset.currency,
        chain=record.details.get("chain") or money.asset.chain,
        missing=list(missing),
        created_at=moment(record.created_at),
    )
