"""Transfers that wait for data about a wallet: new data make them due for another check at once.

This only saves time: a transfer that it misses is checked again within minutes.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from landbridge.customers.deposit_screening import model as deposit_screenings
from landbridge.customers.deposit_screening.model import SCREENED_ASSETS
from landbridge.customers.payment_screening import model as payment_screenings
from landbridge.ledger.model import Transfer
from landbridge.ledger.record_queues import RecordQueues
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.money import Money
from landbridge.platform.core.pagination import queue_window
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, moment
from landbridge.providers.kyt.port import ScreeningDirection
from landbridge.providers.screening.model import comparable_address

# Most waiting transfers of an organisation that are searched, the longest waiting first.
_LOOKED_THROUGH_MAX = 500

# By record kind of a screening: its direction, the statuses in which it waits, and the member of
# its details with the counterparty wallet.
_WAITING: dict[str, tuple[ScreeningDirection, Collection[StrEnum], str]] = {
    deposit_screenings.KIND: (
        ScreeningDirection.DEPOSIT,
        {deposit_screenings.ScreeningStatus.HELD},
        "source_address",
    ),
    payment_screenings.KIND: (
        ScreeningDirection.PAYMENT,
        {payment_screenings.PaymentScreeningStatus.IN_SCREENING},
        "destination_address",
    ),
}


@dataclass(frozen=True, slots=True)
class WaitingTransfer:
    """Screening that waits for data; `address` is None if the chain names no sender."""

    screening: Transfer
    direction: ScreeningDirection
    address: str | None

    @property
    def transfer_id(self) -> UUID:
        """Return the id of the payment or deposit."""
        details = self.screening.details
        return UUID(details.get("transfer_id") or details["deposit_id"])

    @property
    def missing(self) -> Sequence[str]:
        """Return the names of the data that are missing."""
        return self.screening.facts["missing"]


def as_waiting(screening: Transfer) -> WaitingTransfer:
    """Return a screening as a transfer that waits, or has waited."""
    direction, _, member = _WAITING[screening.kind]
    return WaitingTransfer(screening, direction, _outside(screening, member))


@dataclass(frozen=True, slots=True)
class WaitingTransfers:
    """Transfers of all organisations that wait for data."""

    queues: RecordQueues
    clock: Clock

    async def list(self, org_id: UUID) -> list[WaitingTransfer]:
        """Return the transfers that wait for data, the longest waiting first in each direction."""
        return [
            as_waiting(record)
            for kind, (_, statuses, _member) in _WAITING.items()
            for record in await self.queues.oldest(
                org_id, kind, statuses, queue_window(_LOOKED_THROUGH_MAX)
            )
            if record.facts.get("missing")
        ]

    async def check_again(self, caller: Caller, user_id: UUID, address: str) -> None:
        """Make waiting transfers with this wallet due, if they are of the user or of no user."""
        window = queue_window(_LOOKED_THROUGH_MAX)
        for kind, (_, statuses, member) in _WAITING.items():
            found = await self.queues.oldest(caller.org_id, kind, statuses, window)
            for record in found:
                is_own = record.user_id in {user_id, caller.org_id}
                if is_own and _waits_for(record, member, address):
                    at = self.clock.stamp(caller.clock_offset)
                    await self.queues.ledger.postpone(record, at)


def _waits_for(record: Transfer, member: str, address: str) -> bool:
    outside = _outside(record, member)
    return (
        bool(record.facts.get("missing"))
        and outside is not None
        and comparable_address(outside) == address
    )


def _outside(record: Transfer, member: str) -> str | None:
    """Return the counterparty wallet; None for a deposit if the chain does not name its sender."""
    address: str | None = record.details.get(member)
    return address


class WaitingTransferReply(WireStruct, frozen=True):
    """Payment or deposit that waits for data about the counterparty wallet.

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
    """Return a waiting transfer as a response."""
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
