"""Deposits that a bank takes back.

Guarantees:
- a deposit is reversed once, for its whole amount;
- fiat of which the coins were delivered, or which was given back already, is owed by the user from
  then on: a receivable is opened; a deposit of which nothing was done yet ends its onramp;
- nothing is reversed while coins, or the deposit itself, are on their way: it is refused with what
  to wait for;
- the record is locked first and everything happens in the caller's transaction.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from landbridge.core.errors import Broken, Refused, ResourceConflict
from landbridge.core.money import Money
from landbridge.db.pool import Tx
from landbridge.flows.onramps import moves
from landbridge.flows.onramps.model import (
    KIND,
    MOVES,
    RETURN,
    RETURNING,
    Onramp,
    Status,
    as_onramp,
)
from landbridge.ledger.corrected import check_uncorrected
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.locking import lock_record
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.insistence import key_to_insist
from landbridge.rfis.service import Rfis


class ReceivableOpener(Protocol):
    """Opens what users owe."""

    async def open_in(
        self, tx: Tx, payment: Transfer, money: Money, *, reason: str, actor: str, at: datetime
    ) -> Transfer:
        """Open the receivable of a payment; raises `ResourceConflict` if it has one already."""
        ...


class ReturnOrders(Protocol):
    """Payments that return deposits, as far as the bank has not received them."""

    async def withhold_in(
        self,
        tx: Tx,
        org_id: UUID,
        key: UUID,
        *,
        receipt_id: UUID,
        money: Money,
        actor: str,
        at: datetime,
    ) -> bool:
        """Make sure that the payment of this key is never sent; False if it may have been."""
        ...


@dataclass(frozen=True, slots=True)
class DepositReversals:
    """Reverses deposits. Without `orders` no payment to a sender can be stopped."""

    ledger: Ledger
    rfis: Rfis
    receivables: ReceivableOpener
    orders: ReturnOrders | None

    async def reverse_in(
        self, tx: Tx, org_id: UUID, onramp_id: UUID, *, money: Money, actor: str, at: datetime
    ) -> Onramp:
        """Note that the bank took `money` back, which had paid an onramp.

        Answers the onramp as it is then. Raises `TransactionNotFound`, and `ResourceConflict` with
        what stands in the way.
        """
        record = await lock_record(tx, org_id, onramp_id)
        if record is None or record.kind != KIND:
            raise TransactionNotFound(f"there is no onramp {onramp_id}")
        onramp = as_onramp(record)
        if refusal := why_not_reversed(onramp, money):
            raise refusal
        await check_uncorrected(tx, record)
        if MOVES.is_terminal(onramp.status):
            reason = _OWED[onramp.status]
            await self.receivables.open_in(tx, record, money, reason=reason, actor=actor, at=at)
            return onramp
        if onramp.standing in RETURNING:
            await self._withhold(tx, onramp, actor=actor, at=at)
        move = moves.reversed_undelivered(onramp, actor=actor, at=at)
        moved = await self.ledger.advance_in(tx, move, MOVES)
        if not isinstance(moved, Transfer):
            raise Broken(f"reversing onramp {onramp_id}, which is locked, came out as {moved}")
        if onramp.status is Status.IN_REVIEW:
            await self.rfis.close_in(tx, org_id, onramp_id, actor=actor, at=at)
        return as_onramp(moved)

    async def _withhold(self, tx: Tx, onramp: Onramp, *, actor: str, at: datetime) -> None:
        """Stop the payment that returns the deposit; raises `ResourceConflict` if it was sent."""
        record, receipt_id = onramp.record, onramp.details.receipt_id
        if receipt_id is None:
            raise Broken(f"onramp {record.id} has no deposit that could go back")
        is_stopped = self.orders is not None and await self.orders.withhold_in(
            *(tx, record.org_id, key_to_insist(record, RETURN)),
            receipt_id=receipt_id,
            money=onramp.deposit,
            actor=actor,
            at=at,
        )
        if not is_stopped:
            raise ResourceConflict(
                f"the deposit of onramp {record.id} is on its way back to its sender: resolve this "
                "once it is FIAT_RETURNED, or once the bank has refused that payment"
            )


def why_not_reversed(onramp: Onramp, money: Money) -> Refused | None:
    """The refusal of a reversal, by the onramp itself; None if it may be reversed."""
    name, deposit = f"onramp {onramp.record.id}", onramp.deposit
    if onramp.received is None:
        return ResourceConflict(f"{name} is {onramp.status}: no deposit has paid it")
    if money != deposit:
        return ResourceConflict(
            f"{name} was paid by a deposit of {deposit} {deposit.asset.currency}, and the bank "
            f"took {money} {money.asset.currency} back"
        )
    match onramp.standing:
        case Status.FIAT_RETURNED if onramp.details.is_reversed:
            return ResourceConflict(f"the deposit of {name} was reversed before")
        case (
            Status.COMPLETED
            | Status.FIAT_RETURNED
            | Status.FIAT_PENDING
            | Status.FIAT_FAILED
            | Status.CRYPTO_FAILED
        ):
            return None
        case status:
            return ResourceConflict(
                f"{name} is {status}: its coins are on their way. Resolve this once it is "
                "COMPLETED, or once they were refused"
            )


_OWED = {
    Status.COMPLETED: "the bank took the deposit back after its coins were delivered",
    Status.FIAT_RETURNED: "the bank took the deposit back after it was returned to its sender",
}
