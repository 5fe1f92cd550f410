"""Returns of settled payments, and recalls of deposits.

A reviewer decides both, on a statement line. The records belong to other packages, which pass in
handlers that reopen or reverse them. Locks are taken in one order: the record, the line, the
incoming payment, the payment.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from landbridge.ledger.locking import lock_record
from landbridge.payments.bank_files.line_refusals import return_refusal
from landbridge.payments.bank_files.model import BankPayment, BankPaymentStatus
from landbridge.payments.bank_files.payments import BankPayments
from landbridge.payments.bank_files.reason_codes import return_reason
from landbridge.payments.bank_files.statement_line_model import (
    StatementLineKind,
    StatementLineTexts,
)
from landbridge.payments.bank_files.statement_line_store import SealedStatementLine
from landbridge.payments.bank_files.stop_payments import StopPayments
from landbridge.payments.incoming_payments.returns import IncomingPaymentReturns
from landbridge.platform.core.errors import Busy, FieldInvalid, ResourceConflict
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Tx


class PayoutReturnHandler(Protocol):
    """Reopens records of payouts that came back."""

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
        """Reopen a completed payout; raises `Refused` if it can't be reopened."""
        ...


class DepositReturnHandler(Protocol):
    """Returns deposits once more if a return to their sender came back."""

    async def return_again_in(
        self, tx: Tx, org_id: UUID, record_id: UUID, /, *, received: Money, actor: str, at: datetime
    ) -> Any:
        """Return the deposit again; raises `Refused` if it can't be returned."""
        ...


class DepositReversalHandler(Protocol):
    """Reverses records that a recalled deposit paid for."""

    async def reverse_in(
        self, tx: Tx, org_id: UUID, record_id: UUID, /, *, money: Money, actor: str, at: datetime
    ) -> Any:
        """Reverse the record that the deposit paid for; raises `Refused` if it can't be."""
        ...


@dataclass(frozen=True, slots=True)
class ReversedPayment:
    """Recalled deposit: the record that it paid for, or the unmatched deposit itself."""

    transfer_id: UUID | None = None
    deposit_id: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnResult:
    """Result of resolving a line: payments that became final, and what the line is matched with."""

    ended: Sequence[BankPayment] = ()
    incoming_payment_id: UUID | None = None
    transfer_id: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BankReturns:
    """Reopens or reverses the record of a line, in the transaction that resolves the line."""

    payments: BankPayments
    withholding: StopPayments
    incoming_payments: IncomingPaymentReturns
    payout_returns: PayoutReturnHandler
    deposit_returns: DepositReturnHandler
    deposit_reversals: DepositReversalHandler

    async def lock_returned(self, tx: Tx, line: SealedStatementLine) -> None:
        """Lock the record of the payment that a line names, before the line itself."""
        key = line.payment_key
        payment = None if key is None else await self.payments.find(tx, line.org_id, key)
        if payment is not None:
            record_id = await self._record_of(tx, payment)
            if record_id is not None:
                await lock_record(tx, line.org_id, record_id)

    async def lock_reversed(self, tx: Tx, org_id: UUID, of: ReversedPayment) -> None:
        """Lock the record that the reviewer names as recalled, before the line itself."""
        if of.transfer_id is not None:
            await lock_record(tx, org_id, of.transfer_id)

    async def record_returned(
        self,
        tx: Tx,
        line: SealedStatementLine,
        texts: StatementLineTexts,
        *,
        actor: str,
        at: datetime,
    ) -> ReturnResult:
        """Fail the payment that a line names, and reopen its record.

        Raises `ResourceConflict` if that is not possible.
        """
        payment, received = await self._settled(tx, line)
        reason = return_reason(line.kind, texts.codes)
        incoming_payment_id, transfer_id = payment.returns, await self._record_of(tx, payment)
        if payment.is_prenote:
            incoming_payment_id = transfer_id = None  # it moved no money
        elif incoming_payment_id is None:
            await self.payout_returns.payout_returned_in(
                tx,
                line.org_id,
                payment.record_id,
                received=received,
                reason=reason,
                actor=actor,
                at=at,
            )
        elif transfer_id is not None:
            await self.deposit_returns.return_again_in(
                tx, line.org_id, transfer_id, received=received, actor=actor, at=at
            )
        else:
            await self.incoming_payments.return_again_in(
                tx, line.org_id, incoming_payment_id, received=received, actor=actor, at=at
            )
        ended = await self.payments.return_in(tx, payment, reason=reason, at=at, actor=actor)
        if not ended:
            raise Busy(f"payment {payment.key} is being changed by another process")
        return ReturnResult(
            ended=ended, incoming_payment_id=incoming_payment_id, transfer_id=transfer_id
        )

    async def reversed(
        self, tx: Tx, line: SealedStatementLine, of: ReversedPayment, *, actor: str, at: datetime
    ) -> ReturnResult:
        """Reverse the record that a deposit paid for, or end an unmatched deposit.

        Raises `ResourceConflict` if that is not possible.
        """
        money = line.money
        if line.kind is not StatementLineKind.DEBIT or money is None:
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
                tx, line.org_id, of.transfer_id, money=money, actor=actor, at=at
            )
        elif of.deposit_id is not None:
            await self._reverse_deposit(
                tx, line.org_id, of.deposit_id, money=money, actor=actor, at=at
            )
        return ReturnResult(incoming_payment_id=of.deposit_id, transfer_id=of.transfer_id)

    async def _reverse_deposit(
        self,
        tx: Tx,
        org_id: UUID,
        incoming_payment_id: UUID,
        *,
        money: Money,
        actor: str,
        at: datetime,
    ) -> None:
        order = await self.incoming_payments.find_return_order(
            tx, org_id, incoming_payment_id, money=money
        )
        if order.is_due and not await self.withholding.withhold_in(
            tx,
            org_id,
            order.key,
            incoming_payment_id=incoming_payment_id,
            money=money,
            actor=actor,
            at=at,
        ):
            raise ResourceConflict(
                f"deposit {incoming_payment_id} is being returned to its sender: "
                "settle it with the bank, and resolve the line as HANDLED"
            )
        await self.incoming_payments.reverse_in(tx, org_id, incoming_payment_id, actor=actor, at=at)

    async def _record_of(self, tx: Tx, payment: BankPayment) -> UUID | None:
        """Return the record id of a payment; None for the return of an unmatched deposit."""
        if payment.returns is None:
            return payment.record_id
        return await self.incoming_payments.record_of(tx, payment.org_id, payment.returns)

    async def _settled(self, tx: Tx, line: SealedStatementLine) -> tuple[BankPayment, Money]:
        """Return the settled payment that a line names, and the returned amount."""
        if (
            line.kind not in {StatementLineKind.CREDIT, StatementLineKind.RETURN}
            or line.money is None
        ):
            raise ResourceConflict(
                f"line {line.id} is a {line.kind}: money comes back by a CREDIT, or an ACH RETURN"
            )
        key = line.payment_key
        payment = None if key is None else await self.payments.find(tx, line.org_id, key)
        if payment is None:
            raise ResourceConflict(f"line {line.id} names no payment")
        match payment.status:
            case BankPaymentStatus.SETTLED if refusal := return_refusal(line, payment):
                raise refusal
            case BankPaymentStatus.SETTLED:
                return payment, line.money
            case BankPaymentStatus.FAILED:
                hint = (
                    "it was returned before: resolve the line as DUPLICATE if it is reported twice"
                )
            case BankPaymentStatus.WRITTEN:
                hint = "it was not settled yet: resolve the line as FAIL"
            case BankPaymentStatus.QUEUED:
                hint = "it is in no file yet"
        raise ResourceConflict(f"payment {payment.key} is {payment.status}: {hint}")


def check_reversed(of: ReversedPayment, *, is_reversal: bool) -> None:
    """Raise `FieldInvalid` unless a reversal names one recalled deposit, and nothing else does."""
    count = sum(each is not None for each in (of.transfer_id, of.deposit_id))
    if is_reversal and count != 1:
        raise FieldInvalid(
            "a REVERSAL takes transferId (the onramp) or depositId (one that paid nothing)",
            field="transferId",
        )
    if not is_reversal and count:
        raise FieldInvalid("only a REVERSAL takes transferId or depositId", field="transferId")
