"""Verbs of those who look at what a bank tells and nothing could be made of.

Guarantees:
- a line is resolved once: what a person has made of it, and who that was, is kept;
- by SETTLE and FAIL the payment that it names ends, by DEPOSIT it becomes a receipt, by RETURN and
  REVERSAL a record is reopened or reversed (returning.py), in the transaction in which it is
  resolved; all else moves nothing;
- of any number who resolve at once one does; the same said again is answered as the first time;
- what the bank wrote, and the comment, are sealed, and gone 90 days after it was resolved.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

import msgspec

from landbridge.bank_files import line_store as store
from landbridge.bank_files.accounts import OwnAccounts
from landbridge.bank_files.crediting import deposit_of
from landbridge.bank_files.line_model import (
    COMMENT_LENGTH_MAX,
    KIND,
    WORDS_KEPT,
    Line,
    LineKind,
    LineStatus,
    LineWords,
    Resolution,
)
from landbridge.bank_files.line_store import SealedLine
from landbridge.bank_files.model import BankPayment, Status
from landbridge.bank_files.payments import BankPayments
from landbridge.bank_files.returning import Followed, Returning, Reversed, check_reversed
from landbridge.changes.service import tell_next
from landbridge.core.clock import Clock
from landbridge.core.errors import Busy, ResourceConflict, ResourceNotFound
from landbridge.core.pages import Window
from landbridge.db.pool import Database, Tx
from landbridge.formats.texts import check_prose
from landbridge.privacy.service import DataKey, Vault
from landbridge.receipts.service import Receipts
from landbridge.web.caller import Caller, check_reviewer
from landbridge.web.lookers import check_looker

SWEEP_MAX = 1000
# Why a payment failed that a person ends.
_NOT_PAID = "the bank did not pay it, or gave it back"
_NOTHING = Reversed()


@dataclass(frozen=True, slots=True)
class LineReviews:
    """Lines that wait for a person, of all organisations."""

    database: Database
    vault: Vault
    accounts: OwnAccounts
    payments: BankPayments
    receipts: Receipts
    returning: Returning
    clock: Clock

    async def queue(
        self, caller: Caller, statuses: Collection[LineStatus], window: Window
    ) -> Sequence[Line]:
        """Those of these statuses, the oldest first; raises `RoleNotAllowed`."""
        check_looker(caller)

        async def read(tx: Tx) -> list[Line]:
            key = await self.vault.find(tx, caller.org_id, caller.org_id)
            found = await store.queue(tx, caller.org_id, statuses, window)
            return [_opened(each, key) for each in found]

        return await self.database.transact(read)

    async def get(self, caller: Caller, line_id: UUID) -> Line:
        """A line, whatever became of it; raises `RoleNotAllowed` and `ResourceNotFound`."""
        check_looker(caller)

        async def read(tx: Tx) -> Line:
            found = await store.get(tx, caller.org_id, line_id)
            if found is None:
                raise _unknown(line_id)
            return _opened(found, await self.vault.find(tx, caller.org_id, caller.org_id))

        return await self.database.transact(read)

    async def resolve(
        self,
        caller: Caller,
        line_id: UUID,
        resolution: Resolution,
        *,
        comment: str,
        of: Reversed = _NOTHING,
    ) -> Line:
        """Say what a line was, and do what follows; the same again, as the first time.

        `of` is what was taken back by a REVERSAL. Raises `RoleNotAllowed`, `ResourceNotFound`,
        `FieldInvalid`, `TransactionNotFound` for a record that is not there, and `ResourceConflict`
        for a line that waits for nobody, was resolved otherwise, or can't be resolved so.
        """
        check_reviewer(caller)
        checked = check_prose("comment", comment, length_max=COMMENT_LENGTH_MAX)
        check_reversed(of, is_reversal=resolution is Resolution.REVERSAL)
        at = self.clock.stamp(caller.clock_offset)

        async def work(tx: Tx) -> tuple[Line, Sequence[BankPayment]]:
            found = await self._locked(tx, caller.org_id, line_id, resolution, of)
            key = await self.vault.make(tx, caller.org_id, caller.org_id)
            line = _opened(found, key)
            if line.resolution is resolution and _is_of(line, of):
                return line, ()
            if line.status is not LineStatus.UNMATCHED:
                raise ResourceConflict(f"line {line_id} is {line.status}: it waits for nobody")
            told = line.words or LineWords()
            followed = await self._carry_out(
                tx, found, told, resolution, of=of, actor=caller.actor, at=at
            )
            words = msgspec.structs.replace(told, comment=checked)
            await store.resolve(
                tx,
                found,
                resolution=resolution,
                resolved_by=caller.actor,
                sealed_words=key.seal(words, context=line_context(line_id)),
                receipt_id=followed.receipt_id,
                transfer_id=followed.transfer_id,
                at=at,
            )
            resolved = replace(
                found,
                status=LineStatus.RESOLVED,
                resolution=resolution,
                resolved_by=caller.actor,
                receipt_id=followed.receipt_id,
                transfer_id=followed.transfer_id,
                version=found.version + 1,
                updated_at=at,
            )
            await tell_of(tx, resolved, what="resolve", actor=caller.actor)
            return replace(_opened(resolved, None), words=words), followed.ended

        line, ended = await self.database.transact(work)
        for payment in ended:
            await self.payments.wake(payment, at)
        return line

    async def _locked(
        self, tx: Tx, org_id: UUID, line_id: UUID, resolution: Resolution, of: Reversed
    ) -> SealedLine:
        """The line, locked; before it the record that its resolution reopens or reverses."""
        before = await store.get(tx, org_id, line_id)
        if before is not None and before.status is LineStatus.UNMATCHED:
            if resolution is Resolution.RETURN:
                await self.returning.lock_returned(tx, before)
            elif resolution is Resolution.REVERSAL:
                await self.returning.lock_reversed(tx, org_id, of)
        found = await store.lock(tx, org_id, line_id)
        if found is None:
            raise _unknown(line_id)
        return found

    async def _carry_out(
        self,
        tx: Tx,
        line: SealedLine,
        words: LineWords,
        resolution: Resolution,
        *,
        of: Reversed,
        actor: str,
        at: datetime,
    ) -> Followed:
        """What follows: the payments that end by it, the receipt or the record that it is of."""
        match resolution:
            case Resolution.NO_ACTION | Resolution.HANDLED | Resolution.DUPLICATE:
                return Followed()
            case Resolution.SETTLE:
                payment = await self._named(tx, line)
                if not await self.payments.settle_in(tx, payment, at=at, actor=actor):
                    raise _moved(payment)
                return Followed(ended=(payment,))
            case Resolution.FAIL:
                payment = await self._named(tx, line)
                failed = await self.payments.fail_in(
                    tx, payment, reason=_NOT_PAID, at=at, actor=actor
                )
                if not failed:
                    raise _moved(payment)
                return Followed(ended=failed)
            case Resolution.RETURN:
                return await self.returning.came_back(tx, line, words, actor=actor, at=at)
            case Resolution.REVERSAL:
                return await self.returning.reversed(tx, line, of, actor=actor, at=at)
            case Resolution.DEPOSIT:
                if line.kind is not LineKind.CREDIT:
                    raise ResourceConflict(
                        f"line {line.id} is a {line.kind}: only a CREDIT becomes a deposit"
                    )
                accounts = await self.accounts.of_in(tx, [line.org_id])
                own = next(each for each in accounts if each.id == line.account_id)
                told = deposit_of(own.told, line, words, at)
                made = await self.receipts.receive_in(tx, told, actor=actor)
                return Followed(receipt_id=made)

    async def _named(self, tx: Tx, line: SealedLine) -> BankPayment:
        """The payment that a line names, which waits for the bank; raises `ResourceConflict`."""
        key = line.payment_key
        payment = None if key is None else await self.payments.find(tx, line.org_id, key)
        if payment is None:
            raise ResourceConflict(f"line {line.id} names no payment")
        if payment.status is not Status.WRITTEN:
            raise ResourceConflict(
                f"payment {payment.key} is {payment.status}: it does not wait for the bank"
            )
        return payment

    async def sweep(self, clocks: Mapping[UUID, datetime], *, limit: int = SWEEP_MAX) -> bool:
        """Blank the words of what was resolved long ago; whether there may be more."""
        until = {org_id: now - WORDS_KEPT for org_id, now in clocks.items()}
        swept = await self.database.single(lambda tx: store.sweep(tx, until, limit=limit))
        return swept == limit


def line_context(line_id: UUID) -> str:
    """The place of a line's sealed words."""
    return f"bank_lines.words:{line_id}"


async def tell_of(tx: Tx, line: SealedLine, *, what: str, actor: str) -> None:
    """Tell of a line that a person has to do with; its row is locked, or new."""
    await tell_next(
        tx,
        org_id=line.org_id,
        object_id=line.id,
        kind=KIND,
        what=what,
        actor=actor,
        at=line.updated_at,
        facts={
            "status": line.status,
            "kind": line.kind,
            "amount": None if line.money is None else str(line.money),
            "currency": line.currency,
            "reason": line.reason,
            "resolution": line.resolution,
        },
    )


def _opened(row: SealedLine, key: DataKey | None) -> Line:
    words: LineWords | None = None
    if key is not None and row.sealed_words is not None:
        words = key.open(row.sealed_words, context=line_context(row.id), type=LineWords)
    return Line(
        org_id=row.org_id,
        id=row.id,
        account_id=row.account_id,
        file_id=row.file_id,
        kind=row.kind,
        currency=row.currency,
        money=row.money,
        booked_on=row.booked_on,
        is_back=row.rank == 0,
        status=row.status,
        reason=row.reason,
        payment_key=row.payment_key,
        receipt_id=row.receipt_id,
        transfer_id=row.transfer_id,
        words=words,
        resolution=row.resolution,
        resolved_by=row.resolved_by,
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _is_of(line: Line, of: Reversed) -> bool:
    """Whether a resolved line was resolved as of this; only a REVERSAL says what it is of."""
    if line.resolution is not Resolution.REVERSAL:
        return True
    return (line.transfer_id, line.receipt_id) == (of.transfer_id, of.deposit_id)


def _moved(payment: BankPayment) -> Busy:
    return Busy(f"payment {payment.key} is being moved by somebody else")


def _unknown(line_id: UUID) -> ResourceNotFound:
    return ResourceNotFound(f"there is no bank line {line_id}")
