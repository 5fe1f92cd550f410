"""Deposit reversals: deposits that a bank takes back.

Guarantees:
- A deposit is reversed once, for its whole amount.
- If its coins were delivered, or the deposit was already returned, the user owes the fiat: a
  receivable is opened. If neither has happened yet, the onramp ends.
- A reversal is refused while the coins, or the return of the deposit, are in transit; the error
  names what to wait for.
- The record is locked first and everything happens in the caller's transaction.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.locking import lock_record
from landbridge.ledger.model import Transfer
from landbridge.ledger.reversed_journals import check_uncorrected
from landbridge.ledger.service import Ledger
from landbridge.payments.engine.retry_until_settled import retry_key
from landbridge.payments.incoming_payments.returns import ReturnOrders
from landbridge.payments.onramps import transitions
from landbridge.payments.onramps.model import (
    KIND,
    RETURN,
    RETURNING,
    TRANSITIONS,
    Onramp,
    OnrampStatus,
    as_onramp,
)
from landbridge.payments.rfis.service import Rfis
from landbridge.platform.core.errors import InvariantBroken, Refused, ResourceConflict
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Tx


class ReceivableOpener(Protocol):
    """Opens receivables of users."""

    async def create_in(
        self, tx: Tx, payment: Transfer, money: Money, *, reason: str, actor: str, at: datetime
    ) -> Transfer:
        """Open the receivable of a payment; raises `ResourceConflict` if it has one already."""
        ...

    async def is_recovered_in(self, tx: Tx, payment: Transfer) -> bool | None:
        """Return whether the receivable of a payment was paid; None if there is no receivable."""
        ...


@dataclass(frozen=True, slots=True)
class OnrampDepositReversals:
    """Reverses deposits. Without `orders`, a payment that returns a deposit can't be stopped."""

    ledger: Ledger
    rfis: Rfis
    receivables: ReceivableOpener
    orders: ReturnOrders | None

    async def reverse_in(
        self, tx: Tx, org_id: UUID, onramp_id: UUID, *, money: Money, actor: str, at: datetime
    ) -> Onramp:
        """Record that the bank reversed the deposit `money` of an onramp.

        Return the onramp afterwards. Raises `TransactionNotFound`, and `ResourceConflict` if the
        deposit can't be reversed.
        """
        record = await lock_record(tx, org_id, onramp_id)
        if record is None or record.kind != KIND:
            raise TransactionNotFound(f"there is no onramp {onramp_id}")
        onramp = as_onramp(record)
        if refusal := reversal_refusal(onramp, money):
            raise refusal
        await check_uncorrected(tx, record)
        if TRANSITIONS.is_terminal(onramp.status):
            reason = _OWED[onramp.status]
            await self.receivables.create_in(tx, record, money, reason=reason, actor=actor, at=at)
            return onramp
        if await self.receivables.is_recovered_in(tx, record) is not None:
            # The return of the deposit came back after the reversal.
            raise ResourceConflict(f"the deposit of onramp {onramp_id} was reversed before")
        if onramp.state in RETURNING:
            await self._withhold(tx, onramp, actor=actor, at=at)
        move = transitions.reversed_undelivered(onramp, actor=actor, at=at)
        moved = await self.ledger.advance_in(tx, move, TRANSITIONS)
        if not isinstance(moved, Transfer):
            raise InvariantBroken(
                f"reversing onramp {onramp_id}, which is locked, resulted in {moved}"
            )
        if onramp.status is OnrampStatus.IN_REVIEW:
            await self.rfis.close_in(tx, org_id, onramp_id, actor=actor, at=at)
        return as_onramp(moved)

    async def _withhold(self, tx: Tx, onramp: Onramp, *, actor: str, at: datetime) -> None:
        """Stop the return of the deposit; raises `ResourceConflict` if it may have been sent."""
        record, incoming_payment_id = onramp.record, onramp.details.incoming_payment_id
        if incoming_payment_id is None:
            raise InvariantBroken(f"onramp {record.id} has no deposit that could go back")
        is_stopped = self.orders is not None and await self.orders.withhold_in(
            tx,
            record.org_id,
            retry_key(record, RETURN),
            incoming_payment_id=incoming_payment_id,
            money=onramp.deposit,
            actor=actor,
            at=at,
        )
        if not is_stopped:
            raise ResourceConflict(
                f"the deposit of onramp {record.id} is being returned to its sender: resolve this "
                "once it is FIAT_RETURNED, or once the bank has refused that payment"
            )


def reversal_refusal(onramp: Onramp, money: Money) -> Refused | None:
    """Return why a reversal of `money` is refused; None if it is possible."""
    name, deposit = f"onramp {onramp.record.id}", onramp.deposit
    if onramp.received is None:
        return ResourceConflict(f"{name} is {onramp.status}: no deposit has paid it")
    if money != deposit:
        return ResourceConflict(
            f"{name} was paid by a deposit of {deposit} {deposit.asset.currency}, but the bank "
            f"reversed {money} {money.asset.currency}"
        )
    match onramp.state:
        case OnrampStatus.FIAT_RETURNED if onramp.details.is_reversed:
            return ResourceConflict(f"the deposit of {name} was reversed before")
        case (
            OnrampStatus.COMPLETED
            | OnrampStatus.FIAT_RETURNED
            | OnrampStatus.FIAT_PENDING
            | OnrampStatus.FIAT_FAILED
            | OnrampStatus.CRYPTO_FAILED
        ):
            return None
        case status:
            return ResourceConflict(
                f"{name} is {status}: its coins are in transit. Resolve this once it is "
                "COMPLETED, or once they were refused"
            )


_OWED = {
    OnrampStatus.COMPLETED: "the bank reversed the deposit after its coins were delivered",
    OnrampStatus.FIAT_RETURNED: "the bank reversed the deposit after it was returned to its sender",
}
