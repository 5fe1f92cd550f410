"""Reconciliation: matches the bank's lines to payments and deposits, and applies them.

Guarantees:
- A line is applied once. The payment moves in the transaction that matches the line, and a deposit
  creates one incoming payment, keyed by the line.
- Lines of one payment, or of one whole file, are processed one after the other, even by several
  workers. Of two lines that book or return it, the second goes to manual review.
- A payment moves automatically only as its status allows, and only for its full amount. Anything
  else, such as a return after settlement, goes to manual review and moves nothing.
- Returns are processed before debits, so that a payment which is debited and returned in one
  statement has failed.
- A payment settles when its debits outnumber the bank's reversals. A reversal alone does not fail
  the payment: the bank may book it again, so the reversal goes to manual review.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

import structlog

from landbridge.payments.bank_files import file_store, statement_line_store
from landbridge.payments.bank_files.deposit_credits import build_deposit
from landbridge.payments.bank_files.funding_accounts import FundingAccounts
from landbridge.payments.bank_files.model import BankFileFormat, BankPayment, BankPaymentStatus
from landbridge.payments.bank_files.payments import ACTOR, BankPayments
from landbridge.payments.bank_files.reason_codes import (
    duplicate_reason,
    mismatch_reason,
    return_reason,
)
from landbridge.payments.bank_files.statement_line_model import (
    StatementLineKind,
    StatementLineStatus,
    StatementLineTexts,
)
from landbridge.payments.bank_files.statement_line_store import SealedStatementLine
from landbridge.payments.bank_files.statement_lines import line_context, record_change
from landbridge.payments.incoming_payments.service import IncomingPayments
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 100
# Digits of an ACH trace number.
_TRACE_LENGTH = 15
# Number of recent files with which a bulk debit (one debit for a whole file) is compared.
_FILES_MAX = 50


@dataclass(frozen=True, slots=True)
class _LineMatch:
    """Result of matching a line; with a `reason`, the line goes to manual review.

    `key` is the key of the matched payment, or the id of the file that was booked in one sum;
    `moved` are the payments that became final.
    """

    reason: str | None = None
    key: UUID | None = None
    moved: tuple[BankPayment, ...] = ()


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Applies lines of all organisations."""

    database: Database
    vault: Vault
    accounts: FundingAccounts
    payments: BankPayments
    incoming_payments: IncomingPayments
    clock: Clock

    async def run(self, offsets: Mapping[UUID, timedelta]) -> int:
        """Apply all new lines; return their number. A failing line does not stop others."""
        failed: list[UUID] = []
        count = 0
        while lines := await self._new(offsets, skip=failed):
            for line in lines:
                try:
                    await self._apply(line, offsets[line.org_id])
                    count += 1
                except Exception as error:  # noqa: BLE001  one line must not stop the others
                    _log.error("bank_lines.failed", id=str(line.id), exc_info=error)
                    failed.append(line.id)
        return count

    async def _new(
        self, offsets: Mapping[UUID, timedelta], *, skip: Collection[UUID]
    ) -> Sequence[SealedStatementLine]:
        return await self.database.single(
            lambda tx: statement_line_store.list_new(tx, list(offsets), skip=skip, limit=BATCH_SIZE)
        )

    async def _apply(self, line: SealedStatementLine, offset: timedelta) -> None:
        texts = await self._line_texts(line)
        at = self.clock.stamp(offset)
        if line.kind is StatementLineKind.CREDIT and not await self._is_ours(line, texts):
            incoming_payment_id = await self._receive(line, texts, at)
            await self.database.transact(
                lambda tx: _move(
                    tx, line, _LineMatch(), at, incoming_payment_id=incoming_payment_id
                )
            )
            return

        async def work(tx: Tx) -> _LineMatch | None:
            found = await statement_line_store.lock(tx, line.org_id, line.id)
            if found is None or found.status is not StatementLineStatus.NEW:
                return None  # another worker was faster
            verdict = await self._match_payment(tx, line, texts, at)
            await _move(tx, line, verdict, at)
            return verdict

        verdict = await self.database.transact(work)
        for payment in () if verdict is None else verdict.moved:
            await self.payments.schedule_check(payment, at)

    async def _line_texts(self, line: SealedStatementLine) -> StatementLineTexts:
        async def read(tx: Tx) -> StatementLineTexts:
            key = await self.vault.find(tx, line.org_id, line.org_id)
            if key is None or line.sealed_texts is None:
                raise InvariantBroken(f"line {line.id} has lost its words")
            return key.open(
                line.sealed_texts, context=line_context(line.id), type=StatementLineTexts
            )

        return await self.database.read(read)

    async def _is_ours(self, line: SealedStatementLine, texts: StatementLineTexts) -> bool:
        """Return whether a credit is a returned payment of ours, not a deposit."""
        if line.rank == 0:
            return True
        found = await self.database.single(lambda tx: self._payment(tx, line, texts))
        return found is not None

    async def _receive(
        self, line: SealedStatementLine, texts: StatementLineTexts, at: datetime
    ) -> UUID:
        """Return the id of a deposit's incoming payment, created now or by an earlier attempt."""
        own = await self.accounts.find(line.org_id, line.currency)
        if own is None:
            raise InvariantBroken(f"account {line.account_id} is not there any more")
        incoming_payment = await self.incoming_payments.receive(
            build_deposit(own.settings, line, texts, at)
        )
        return incoming_payment.id

    async def _payment(
        self, tx: Tx, line: SealedStatementLine, texts: StatementLineTexts
    ) -> BankPayment | None:
        """Return the payment that a line names, by any reference that the bank returned."""
        currencies = [line.currency]
        if line.kind is StatementLineKind.STATUS:
            # The line may report on a file of another account that shares the transport.
            shared = await self.accounts.list_sharing_in(tx, line.org_id, line.account_id)
            currencies = [each.currency for each in shared]
        names = [each for each in (texts.end_to_end_id, texts.instruction_id) if each]
        if line.kind is StatementLineKind.RETURN:
            names = []  # an ACH entry's id is only a part of our key: `mismatch_reason` compares it
        traces = [each for each in names if each.isdigit() and len(each) == _TRACE_LENGTH]
        for currency in currencies:
            for name in names:
                found = await self.payments.find_by_end_to_end(tx, line.org_id, currency, name)
                if found is not None:
                    return found
        for trace in (texts.trace_number, *traces):
            if trace is not None:
                found = await self.payments.find_by_trace(tx, line.org_id, line.currency, trace)
                if found is not None:
                    return found
        return None

    async def _match_payment(
        self, tx: Tx, line: SealedStatementLine, texts: StatementLineTexts, at: datetime
    ) -> _LineMatch:
        if line.kind is StatementLineKind.STATUS and texts.message_id is not None:
            return await self._apply_file_status(tx, line, texts, at)
        payment = await self._payment(tx, line, texts)
        if payment is None:
            return await self._match_unreferenced(tx, line, texts, at)
        if reason := mismatch_reason(line, texts, payment):
            return _LineMatch(reason, payment.key)
        if line.kind is StatementLineKind.STATUS and line.rank:
            # Only a rejection is final: accepted payments are settled by a statement.
            return _LineMatch(duplicate_reason(texts), payment.key)
        # Locked before its other lines are counted: another worker may be applying one.
        payment = await self.payments.lock(tx, line.org_id, payment.key)
        if line.kind is StatementLineKind.DEBIT:
            return await self._apply_debit(tx, line, payment, at)
        return await self._apply_return(
            tx, line, payment, return_reason(line.kind, texts.codes), at
        )

    async def _apply_debit(
        self, tx: Tx, line: SealedStatementLine, payment: BankPayment, at: datetime
    ) -> _LineMatch:
        """Apply the debit of a locked payment."""
        key = payment.key
        booked = await statement_line_store.count_booked(
            tx, line.org_id, key, payment.money, file_id=payment.file_id
        )
        reason: str | None = None
        match payment.status:
            case _ if booked.net > 0:
                reason = "the bank already booked the payment"
            case _ if booked.net < 0:
                pass  # its return was reported first
            case BankPaymentStatus.QUEUED:
                reason = "the bank booked a payment that is in no file yet"
            case BankPaymentStatus.FAILED:
                reason = "the bank booked a payment that it had refused"
            case BankPaymentStatus.WRITTEN if payment.format is not BankFileFormat.NACHA:
                if not await self.payments.settle_in(tx, payment, at=at):
                    raise _unwritten(payment)
                return _LineMatch(None, key, (payment,))
            case BankPaymentStatus.SETTLED | BankPaymentStatus.WRITTEN:
                pass  # ACH settles when its return window is over
        return _LineMatch(reason, key)

    async def _apply_return(
        self, tx: Tx, line: SealedStatementLine, payment: BankPayment, reason: str, at: datetime
    ) -> _LineMatch:
        """Apply the rejection or return of a locked payment."""
        key = payment.key
        match payment.status:
            case BankPaymentStatus.QUEUED:
                return _LineMatch("the bank returned a payment that is in no file yet", key)
            case BankPaymentStatus.SETTLED:
                return _LineMatch("the payment was returned after settlement", key)
            case BankPaymentStatus.FAILED:
                return _LineMatch(await self._second_return_reason(tx, line, payment), key)
            case BankPaymentStatus.WRITTEN:
                failed = await self.payments.fail_in(tx, payment, reason=reason, at=at)
                if not failed:
                    raise _unwritten(payment)
                return _LineMatch(None, key, (*failed,))

    async def _second_return_reason(
        self, tx: Tx, line: SealedStatementLine, payment: BankPayment
    ) -> str | None:
        """Return the review reason of a return that contradicts the booked lines; else None."""
        if line.kind is StatementLineKind.STATUS:
            return None
        booked = await statement_line_store.count_booked(
            tx, line.org_id, payment.key, payment.money, file_id=payment.file_id
        )
        # A return file and the statement both report a return; the money moves once.
        if booked.returns if line.kind is StatementLineKind.RETURN else booked.credits:
            return "the payment was already returned"
        if line.kind is StatementLineKind.CREDIT and not (booked.debits or booked.returns):
            return "the bank returned a payment that it had not booked"
        return None

    async def _apply_file_status(
        self, tx: Tx, line: SealedStatementLine, texts: StatementLineTexts, at: datetime
    ) -> _LineMatch:
        """Apply the status of a whole file; a rejection applies to all of its payments."""
        payments = await self.payments.list_by_message(tx, line.org_id, texts.message_id or "")
        shared = await self.accounts.list_sharing_in(tx, line.org_id, line.account_id)
        if not payments or payments[0].account_id not in {each.id for each in shared}:
            return _LineMatch("no file of ours has the reported reference")
        if line.rank:
            return _LineMatch(duplicate_reason(texts))
        reason = return_reason(line.kind, texts.codes)
        failed = [
            each
            for payment in payments
            for each in await self.payments.fail_in(tx, payment, reason=reason, at=at)
        ]
        # Read again: another worker may have settled a dependent payment.
        payments = await self.payments.list_by_message(tx, line.org_id, texts.message_id or "")
        if any(each.status is BankPaymentStatus.SETTLED for each in payments):
            return _LineMatch(
                "the bank rejected a file after booking some of its payments", None, (*failed,)
            )
        return _LineMatch(None, None, (*failed,))

    async def _match_unreferenced(
        self, tx: Tx, line: SealedStatementLine, texts: StatementLineTexts, at: datetime
    ) -> _LineMatch:
        """Match a line that names no payment: a bulk debit, or else manual review."""
        match line.kind:
            case StatementLineKind.DEBIT if line.rank:
                return await self._match_bulk_debit(tx, line, texts, at)
            case StatementLineKind.DEBIT:
                return _LineMatch("the bank reversed an incoming payment")
            case StatementLineKind.CREDIT:
                payments = await self.payments.list_by_message(
                    tx, line.org_id, texts.message_id or ""
                )
                if payments:
                    return _LineMatch(
                        "the bank took back its booking of a file", payments[0].file_id
                    )
                return _LineMatch("a returned payment is not one of ours")
            case StatementLineKind.RETURN:
                return _LineMatch("no ACH payment of ours has this trace number")
            case _:
                return _LineMatch("no payment of ours has the reported reference")

    async def _match_bulk_debit(
        self, tx: Tx, line: SealedStatementLine, texts: StatementLineTexts, at: datetime
    ) -> _LineMatch:
        """Match a bulk debit with its file: the one it names, or an ACH file with this total."""
        if line.money is None:
            raise InvariantBroken(f"line {line.id} is a debit of nothing")
        payments = await self.payments.list_by_message(tx, line.org_id, texts.message_id or "")
        if payments:
            return await self._apply_bulk_debit(tx, line, line.money, payments, at)
        files = await file_store.list_latest(tx, line.org_id, line.account_id, _FILES_MAX)
        for file in reversed(files):
            is_sent = file.format is BankFileFormat.NACHA and file.delivered_at is not None
            if is_sent and file.units == line.money.units:
                await file_store.lock(tx, line.org_id, file.id)
                booked = await statement_line_store.count_booked(
                    tx, line.org_id, file.id, line.money
                )
                if not booked.debits:
                    return _LineMatch(None, file.id)
        return _LineMatch("no payment of ours has this reference")

    async def _apply_bulk_debit(
        self,
        tx: Tx,
        line: SealedStatementLine,
        money: Money,
        payments: Sequence[BankPayment],
        at: datetime,
    ) -> _LineMatch:
        """Apply a bulk debit to all payments of a file that were not rejected."""
        file_id = payments[0].file_id
        if file_id is None:
            raise InvariantBroken(f"payment {payments[0].key} is in no file")
        await file_store.lock(tx, line.org_id, file_id)
        booked = await statement_line_store.count_booked(tx, line.org_id, file_id, money)
        if booked.net > 0:
            return _LineMatch("the bank already booked the file", file_id)
        if booked.net < 0:
            return _LineMatch(None, file_id)  # its return was reported first
        waiting = [each for each in payments if each.status is BankPaymentStatus.WRITTEN]
        ended = {each.status for each in payments} - {BankPaymentStatus.WRITTEN}
        waiting_units = sum(each.money.units for each in waiting)
        is_sum = waiting_units == money.units and payments[0].money.asset == money.asset
        if BankPaymentStatus.SETTLED in ended or not is_sum:
            reason = "the amount does not match the referenced file"
            if ended:
                reason = "the bank booked a file with payments that already ended"
            return _LineMatch(reason, file_id)
        for each in waiting:
            if not await self.payments.settle_in(tx, each, at=at):
                raise InvariantBroken(
                    f"payment {each.key} has moved meanwhile: the line is looked at again"
                )
        return _LineMatch(None, file_id, (*waiting,))


async def _move(
    tx: Tx,
    line: SealedStatementLine,
    verdict: _LineMatch,
    at: datetime,
    *,
    incoming_payment_id: UUID | None = None,
) -> None:
    """Record the match of a line; do nothing if another worker was faster."""
    status = (
        StatementLineStatus.MATCHED if verdict.reason is None else StatementLineStatus.UNMATCHED
    )
    version = await statement_line_store.move(
        tx,
        line,
        status=status,
        reason=verdict.reason,
        payment_key=verdict.key,
        incoming_payment_id=incoming_payment_id,
        at=at,
    )
    if version is not None and status is StatementLineStatus.UNMATCHED:
        moved = replace(line, status=status, reason=verdict.reason, updated_at=at)
        await record_change(tx, moved, change_type="hold", actor=ACTOR)


def _unwritten(payment: BankPayment) -> InvariantBroken:
    return InvariantBroken(f"payment {payment.key} is in a file that is not written yet")
