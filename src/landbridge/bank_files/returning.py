"""What follows when a payment comes back after it was settled, or the bank takes a deposit back.

A person decides both, on a line of a statement. The records are of flows, which hand in how they
are reopened or reversed. Locks are taken in one order: the record, the line, the receipt, the
payment.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from landbridge.bank_files.grounds import why_back
from landbridge.bank_files.line_model import LineKind, LineWords
from landbridge.bank_files.line_store import SealedLine
from landbridge.bank_files.model import BankPayment, Status
from landbridge.bank_files.payments import BankPayments
from landbridge.bank_files.withholding import Withholding
from landbridge.core.errors import Busy, FieldInvalid, ResourceConflict
from landbridge.core.money import Money
from landbridge.db.pool import Tx
from landbridge.ledger.locking import lock_record
from landbridge.receipts.returns import ReceiptReturns


class PayoutReturns(Protocol):
    """Records of payouts."""

    async def payout_returned_in(
        self,
        tx: Tx,
        org_id: UUID,
        record_id: UUID,
        /,
        *,
        received: Money,
        reason: str,
        actor: str,
        at: datetime,
    ) -> Any:
        """Reopen a completed payout; raises `Refused` with what stands in the way."""
        ...


class DepositReturns(Protocol):
    """Records of deposits that were returned to their sender."""

    async def return_came_back_in(
        self, tx: Tx, org_id: UUID, record_id: UUID, /, *, received: Money, actor: str, at: datetime
    ) -> Any:
        """Have the deposit returned again; raises `Refused` with what stands in the way."""
        ...


class DepositReversals(Protocol):
    """Records that deposits have paid."""

    async def reverse_in(
        self, tx: Tx, org_id: UUID, record_id: UUID, /, *, money: Money, actor: str, at: datetime
    ) -> Any:
        """Reverse what the deposit has paid; raises `Refused` with what stands in the way."""
        ...


@dataclass(frozen=True, slots=True)
class Reversed:
    """What a person says that the bank took back: what a deposit has paid, or one of nobody's."""

    transfer_id: UUID | None = None
    deposit_id: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """What followed from a line: payments that ended, and what the line is of."""

    ended: Sequence[BankPayment] = ()
    receipt_id: UUID | None = None
    transfer_id: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Returning:
    """Reopens and reverses what lines are of, in the transaction in which they are resolved."""

    payments: BankPayments
    withholding: Withholding
    receipts: ReceiptReturns
    payout_returns: PayoutReturns
    deposit_returns: DepositReturns
    deposit_reversals: DepositReversals

    async def lock_returned(self, tx: Tx, line: SealedLine) -> None:
        """Lock the record whose payment a line names, before the line itself is locked."""
        key = line.payment_key
        payment = None if key is None else await self.payments.find(tx, line.org_id, key)
        if payment is not None:
            record_id = await self._record_of(tx, payment)
            if record_id is not None:
                await lock_record(tx, line.org_id, record_id)

    async def lock_reversed(self, tx: Tx, org_id: UUID, of: Reversed) -> None:
        """Lock the record that a person names, before the line is locked."""
        if of.transfer_id is not None:
            await lock_record(tx, org_id, of.transfer_id)

    async def came_back(
        self, tx: Tx, line: SealedLine, words: LineWords, *, actor: str, at: datetime
    ) -> Followed:
        """Let the payment that a line names fail, and reopen its record.

        Raises `ResourceConflict` with what stands in the way.
        """
        payment, received = await self._settled(tx, line)
        reason = why_back(line.kind, words.codes)
        receipt_id, transfer_id = payment.returns, await self._record_of(tx, payment)
        if payment.is_prenote:
            receipt_id = transfer_id = None  # it moved no money
        elif receipt_id is None:
            await self.payout_returns.payout_returned_in(
                *(tx, line.org_id, payment.record_id),
                received=received,
                reason=reason,
                actor=actor,
                at=at,
            )
        elif transfer_id is not None:
            await self.deposit_returns.return_came_back_in(
                *(tx, line.org_id, transfer_id), received=received, actor=actor, at=at
            )
        else:
            await self.receipts.return_came_back_in(
                *(tx, line.org_id, receipt_id), received=received, actor=actor, at=at
            )
        ended = await self.payments.return_in(tx, payment, reason=reason, at=at, actor=actor)
        if not ended:
            raise Busy(f"payment {payment.key} is being moved by somebody else")
        return Followed(ended=ended, receipt_id=receipt_id, transfer_id=transfer_id)

    async def reversed(
        self, tx: Tx, line: SealedLine, of: Reversed, *, actor: str, at: datetime
    ) -> Followed:
        """Reverse what a deposit has paid, or end a deposit of nobody's.

        Raises `ResourceConflict` with what stands in the way.
        """
        money = line.money
        if line.kind is not LineKind.DEBIT or money is None:
            raise ResourceConflict(
                f"line {line.id} is a {line.kind}: only by a DEBIT the bank takes a deposit back"
            )
        if line.payment_key is not None:
            raise ResourceConflict(
                f"line {line.id} names a payment of ours, {line.payment_key}: it takes no deposit "
                "back"
            )
        if of.transfer_id is not None:
            await self.deposit_reversals.reverse_in(
                *(tx, line.org_id, of.transfer_id), money=money, actor=actor, at=at
            )
        elif of.deposit_id is not None:
            await self._reverse_deposit(
                *(tx, line.org_id, of.deposit_id), money=money, actor=actor, at=at
            )
        return Followed(receipt_id=of.deposit_id, transfer_id=of.transfer_id)

    async def _reverse_deposit(
        self, tx: Tx, org_id: UUID, receipt_id: UUID, *, money: Money, actor: str, at: datetime
    ) -> None:
        order = await self.receipts.order_of(tx, org_id, receipt_id, money=money)
        if order.is_due and not await self.withholding.withhold_in(
            *(tx, org_id, order.key), receipt_id=receipt_id, money=money, actor=actor, at=at
        ):
            raise ResourceConflict(
                f"deposit {receipt_id} is on its way back to its sender: settle it with the bank, "
                "and resolve the line as HANDLED"
            )
        await self.receipts.reverse_in(tx, org_id, receipt_id, actor=actor, at=at)

    async def _record_of(self, tx: Tx, payment: BankPayment) -> UUID | None:
        """The record that a payment is of; None for one that returns a deposit of nobody's."""
        if payment.returns is None:
            return payment.record_id
        return await self.receipts.record_of(tx, payment.org_id, payment.returns)

    async def _settled(self, tx: Tx, line: SealedLine) -> tuple[BankPayment, Money]:
        """The payment that a line names, which was settled, and what came back of it."""
        if line.kind not in {LineKind.CREDIT, LineKind.RETURN} or line.money is None:
            raise ResourceConflict(
                f"line {line.id} is a {line.kind}: money comes back by a CREDIT, or an ACH RETURN"
            )
        key = line.payment_key
        payment = None if key is None else await self.payments.find(tx, line.org_id, key)
        if payment is None:
            raise ResourceConflict(f"line {line.id} names no payment")
        match payment.status:
            case Status.SETTLED:
                return payment, line.money
            case Status.FAILED:
                hint = "it came back before: resolve the line as DUPLICATE if it is told twice"
            case Status.WRITTEN:
                hint = "it was not settled yet: resolve the line as FAIL"
            case Status.QUEUED:
                hint = "it is in no file yet"
        raise ResourceConflict(f"payment {payment.key} is {payment.status}: {hint}")


def check_reversed(of: Reversed, *, is_reversal: bool) -> None:
    """Raise `FieldInvalid` unless a reversal, and nothing else, says what was taken back."""
    count = sum(each is not None for each in (of.transfer_id, of.deposit_id))
    if is_reversal and count != 1:
        raise FieldInvalid(
            "a REVERSAL takes transferId (the onramp) or depositId (one that paid nothing)",
            field="transferId",
        )
    if not is_reversal and count:
        raise FieldInvalid("only a REVERSAL takes transferId or depositId", field="transferId")
