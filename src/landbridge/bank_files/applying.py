"""What follows from a line of a bank's: a payment is settled or fails, a deposit becomes a receipt.

Guarantees:
- a line is applied once: the payment moves in the transaction in which the line is matched, and a
  deposit makes one receipt, by the line's own name;
- lines of one payment, or of one file as a whole, are judged one after the other, whichever workers
  apply them: of two that book it, or give it back, the second waits for a person;
- a payment moves by itself only as its own states allow, and only for its whole amount; all else,
  such as a return after it was settled, waits for a person and moves nothing;
- what came back is looked at before what went, so that a payment which is debited and returned in
  one statement has failed;
- a payment is settled by a debit more than the bank has taken back. A reversal alone does not say
  what became of the payment: the bank may book it anew, so it waits for a person.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

import structlog

from landbridge.bank_files import file_store, line_store
from landbridge.bank_files.accounts import OwnAccounts
from landbridge.bank_files.crediting import deposit_of
from landbridge.bank_files.grounds import as_copy, misfit, why_back
from landbridge.bank_files.line_model import LineKind, LineStatus, LineWords
from landbridge.bank_files.line_store import SealedLine
from landbridge.bank_files.lines import line_context, tell_of
from landbridge.bank_files.model import BankPayment, Format, Status
from landbridge.bank_files.payments import ACTOR, BankPayments
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken
from landbridge.core.money import Money
from landbridge.db.pool import Database, Tx
from landbridge.privacy.service import Vault
from landbridge.receipts.service import Receipts

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 100
# Digits of an ACH trace number.
_TRACE_LENGTH = 15
# Among so many of the last files a debit as a whole is looked for.
_FILES_MAX = 50


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What a line is of; with a `reason` it waits for a person.

    `key` is of the payment that it names, or of the file that was booked as a whole; `moved` are
    the payments that ended by it.
    """

    reason: str | None = None
    key: UUID | None = None
    moved: tuple[BankPayment, ...] = ()


@dataclass(frozen=True, slots=True)
class Applying:
    """Applies lines of all organisations."""

    database: Database
    vault: Vault
    accounts: OwnAccounts
    payments: BankPayments
    receipts: Receipts
    clock: Clock

    async def run(self, offsets: Mapping[UUID, timedelta]) -> int:
        """Apply all that is new; how many lines that were. One that fails does not stop others."""
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
    ) -> Sequence[SealedLine]:
        return await self.database.single(
            lambda tx: line_store.new(tx, list(offsets), skip=skip, limit=BATCH_SIZE)
        )

    async def _apply(self, line: SealedLine, offset: timedelta) -> None:
        words = await self._words(line)
        at = self.clock.stamp(offset)
        if line.kind is LineKind.CREDIT and not await self._is_ours(line, words):
            receipt_id = await self._receive(line, words, at)
            await self.database.transact(
                lambda tx: _move(tx, line, _Verdict(), at, receipt_id=receipt_id)
            )
            return

        async def work(tx: Tx) -> _Verdict | None:
            found = await line_store.lock(tx, line.org_id, line.id)
            if found is None or found.status is not LineStatus.NEW:
                return None  # another worker was faster
            verdict = await self._judge(tx, line, words, at)
            await _move(tx, line, verdict, at)
            return verdict

        verdict = await self.database.transact(work)
        for payment in () if verdict is None else verdict.moved:
            await self.payments.wake(payment, at)

    async def _words(self, line: SealedLine) -> LineWords:
        async def read(tx: Tx) -> LineWords:
            key = await self.vault.find(tx, line.org_id, line.org_id)
            if key is None or line.sealed_words is None:
                raise Broken(f"line {line.id} has lost its words")
            return key.open(line.sealed_words, context=line_context(line.id), type=LineWords)

        return await self.database.transact(read)

    async def _is_ours(self, line: SealedLine, words: LineWords) -> bool:
        """Whether a credit is a payment of ours that came back, rather than a deposit."""
        if line.rank == 0:
            return True
        found = await self.database.single(lambda tx: self._payment(tx, line, words))
        return found is not None

    async def _receive(self, line: SealedLine, words: LineWords, at: datetime) -> UUID:
        """The receipt of a deposit, made now or by an attempt before."""
        own = await self.accounts.find(line.org_id, line.currency)
        if own is None:
            raise Broken(f"account {line.account_id} is not there any more")
        receipt = await self.receipts.receive(deposit_of(own.told, line, words, at))
        return receipt.id

    async def _payment(self, tx: Tx, line: SealedLine, words: LineWords) -> BankPayment | None:
        """The payment that a line names, by whichever of its names a bank gives back."""
        currencies = [line.currency]
        if line.kind is LineKind.STATUS:
            # It tells of a file, and accounts may share a place.
            others = await self.accounts.of_in(tx, [line.org_id])
            currencies += [each.currency for each in others if each.currency != line.currency]
        names = [each for each in (words.end_to_end_id, words.instruction_id) if each]
        if line.kind is LineKind.RETURN:
            names = []  # the id of an ACH entry is a part of our own: `misfit` compares it
        traces = [each for each in names if each.isdigit() and len(each) == _TRACE_LENGTH]
        for currency in currencies:
            for name in names:
                found = await self.payments.by_end_to_end(tx, line.org_id, currency, name)
                if found is not None:
                    return found
        for trace in (words.trace_number, *traces):
            if trace is not None:
                found = await self.payments.by_trace(tx, line.org_id, line.currency, trace)
                if found is not None:
                    return found
        return None

    async def _judge(self, tx: Tx, line: SealedLine, words: LineWords, at: datetime) -> _Verdict:
        if line.kind is LineKind.STATUS and words.message_id is not None:
            return await self._of_file(tx, line, words, at)
        payment = await self._payment(tx, line, words)
        if payment is None:
            return await self._of_nothing(tx, line, words, at)
        if reason := misfit(line, words, payment):
            return _Verdict(reason, payment.key)
        if line.kind is LineKind.STATUS and line.rank:
            # Only a refusal ends a payment: what is accepted is settled by a statement.
            return _Verdict(as_copy(words), payment.key)
        # Held before other lines of it are counted: another worker may be applying one.
        payment = await self.payments.lock(tx, line.org_id, payment.key)
        if line.kind is LineKind.DEBIT:
            return await self._debited(tx, line, payment, at)
        return await self._back(tx, line, payment, why_back(line.kind, words.codes), at)

    async def _debited(
        self, tx: Tx, line: SealedLine, payment: BankPayment, at: datetime
    ) -> _Verdict:
        """The bank has taken the money of a payment, which is held."""
        key = payment.key
        booked = await line_store.booked(
            tx, line.org_id, key, payment.money, file_id=payment.file_id
        )
        reason: str | None = None
        match payment.status:
            case _ if booked.net > 0:
                reason = "the bank booked the payment before"
            case _ if booked.net < 0:
                pass  # what came back was told first
            case Status.QUEUED:
                reason = "the bank booked a payment that is in no file yet"
            case Status.FAILED:
                reason = "the bank booked a payment that it had refused"
            case Status.WRITTEN if payment.format is not Format.NACHA:
                if not await self.payments.settle_in(tx, payment, at=at):
                    raise _unwritten(payment)
                return _Verdict(None, key, (payment,))
            case Status.SETTLED | Status.WRITTEN:
                pass  # ACH is settled when it can't come back any more
        return _Verdict(reason, key)

    async def _back(
        self, tx: Tx, line: SealedLine, payment: BankPayment, reason: str, at: datetime
    ) -> _Verdict:
        """The bank has refused a payment, which is held, or given it back."""
        key = payment.key
        match payment.status:
            case Status.QUEUED:
                return _Verdict("the bank gave back a payment that is in no file yet", key)
            case Status.SETTLED:
                return _Verdict("the payment came back after it was settled", key)
            case Status.FAILED:
                return _Verdict(await self._why_not_again(tx, line, payment), key)
            case Status.WRITTEN:
                failed = await self.payments.fail_in(tx, payment, reason=reason, at=at)
                if not failed:
                    raise _unwritten(payment)
                return _Verdict(None, key, (*failed,))

    async def _why_not_again(self, tx: Tx, line: SealedLine, payment: BankPayment) -> str | None:
        """Why a person looks at what came back of a payment that has failed; None if it fits."""
        if line.kind is LineKind.STATUS:
            return None
        booked = await line_store.booked(
            tx, line.org_id, payment.key, payment.money, file_id=payment.file_id
        )
        # What a file of returns has told, the statement shows too; that is money, once.
        if booked.returns if line.kind is LineKind.RETURN else booked.credits:
            return "the payment came back before"
        if line.kind is LineKind.CREDIT and not (booked.debits or booked.returns):
            return "the bank gave back a payment that it had not booked"
        return None

    async def _of_file(self, tx: Tx, line: SealedLine, words: LineWords, at: datetime) -> _Verdict:
        """What the bank says of a whole file of ours; a refusal is one of all that is in it."""
        payments = await self.payments.by_message(tx, line.org_id, words.message_id or "")
        if not payments:
            return _Verdict("no file of ours has the name that the bank tells")
        if line.rank:
            return _Verdict(as_copy(words))
        reason = why_back(line.kind, words.codes)
        failed = [
            each
            for payment in payments
            for each in await self.payments.fail_in(tx, payment, reason=reason, at=at)
        ]
        # Read anew: another worker may have settled one that failing it waited for.
        payments = await self.payments.by_message(tx, line.org_id, words.message_id or "")
        if any(each.status is Status.SETTLED for each in payments):
            return _Verdict("the bank refused a file of which it has booked some", None, (*failed,))
        return _Verdict(None, None, (*failed,))

    async def _of_nothing(
        self, tx: Tx, line: SealedLine, words: LineWords, at: datetime
    ) -> _Verdict:
        """A line that names no payment: a file's debit as a whole, or for a person."""
        match line.kind:
            case LineKind.DEBIT if line.rank:
                return await self._debited_as_a_whole(tx, line, words, at)
            case LineKind.DEBIT:
                return _Verdict("the bank took back what had come")
            case LineKind.CREDIT:
                payments = await self.payments.by_message(tx, line.org_id, words.message_id or "")
                if payments:
                    return _Verdict("the bank took back its booking of a file", payments[0].file_id)
                return _Verdict("a payment came back that is none of ours")
            case LineKind.RETURN:
                return _Verdict("no ACH payment of ours has this trace number")
            case _:
                return _Verdict("no payment of ours has the name that the bank tells")

    async def _debited_as_a_whole(
        self, tx: Tx, line: SealedLine, words: LineWords, at: datetime
    ) -> _Verdict:
        """A file that the bank took in one sum: it names it, or it is one of ACH of this sum."""
        if line.money is None:
            raise Broken(f"line {line.id} is a debit of nothing")
        payments = await self.payments.by_message(tx, line.org_id, words.message_id or "")
        if payments:
            return await self._debited_together(tx, line, line.money, payments, at)
        files = await file_store.listed(tx, line.org_id, line.account_id, _FILES_MAX)
        for file in reversed(files):
            is_sent = file.format is Format.NACHA and file.delivered_at is not None
            if is_sent and file.units == line.money.units:
                await file_store.lock(tx, line.org_id, file.id)
                booked = await line_store.booked(tx, line.org_id, file.id, line.money)
                if not booked.debits:
                    return _Verdict(None, file.id)
        return _Verdict("no payment of ours has this reference")

    async def _debited_together(
        self,
        tx: Tx,
        line: SealedLine,
        money: Money,
        payments: Sequence[BankPayment],
        at: datetime,
    ) -> _Verdict:
        """The bank has taken the money of all payments of a file that it has not refused."""
        file_id = payments[0].file_id
        if file_id is None:
            raise Broken(f"payment {payments[0].key} is in no file")
        await file_store.lock(tx, line.org_id, file_id)
        booked = await line_store.booked(tx, line.org_id, file_id, money)
        if booked.net > 0:
            return _Verdict("the bank booked the file before", file_id)
        if booked.net < 0:
            return _Verdict(None, file_id)  # what came back was told first
        waiting = [each for each in payments if each.status is Status.WRITTEN]
        ended = {each.status for each in payments} - {Status.WRITTEN}
        is_sum = _sum(waiting) == money.units and payments[0].money.asset == money.asset
        if Status.SETTLED in ended or not is_sum:
            reason = "the amount is not that of the file it names"
            if ended:
                reason = "the bank booked a file of which some payments are at an end"
            return _Verdict(reason, file_id)
        for each in waiting:
            if not await self.payments.settle_in(tx, each, at=at):
                raise Broken(f"payment {each.key} has moved meanwhile: the line is looked at again")
        return _Verdict(None, file_id, (*waiting,))


async def _move(
    tx: Tx, line: SealedLine, verdict: _Verdict, at: datetime, *, receipt_id: UUID | None = None
) -> None:
    """Note what a line is of; nothing if another worker was faster."""
    status = LineStatus.MATCHED if verdict.reason is None else LineStatus.UNMATCHED
    version = await line_store.move(
        tx,
        line,
        status=status,
        reason=verdict.reason,
        payment_key=verdict.key,
        receipt_id=receipt_id,
        at=at,
    )
    if version is not None and status is LineStatus.UNMATCHED:
        moved = replace(line, status=status, reason=verdict.reason, updated_at=at)
        await tell_of(tx, moved, what="hold", actor=ACTOR)


def _unwritten(payment: BankPayment) -> Broken:
    return Broken(f"payment {payment.key} is in a file that nobody has written yet")


def _sum(payments: Sequence[BankPayment]) -> int:
    return sum(each.money.units for each in payments)
