"""Manual review of bank statement lines that matched no payment.

Guarantees:
- A line is resolved once; the resolution and its author are stored.
- SETTLE and FAIL end the payment that it names, DEPOSIT creates an incoming payment, RETURN and
  REVERSAL reopen or reverse a record (returns.py), all in the transaction that resolves the line.
  All other resolutions move nothing.
- FAIL and RETURN need a line that proves, up to the fee of a bank, that the payment came back
  (line_refusals.py): one person alone decides, and the user gets all coins. SETTLE needs a line of
  an outgoing amount, or without an amount.
- Of concurrent resolutions one wins; repeating the same resolution returns the first result.
- The bank's texts and the comment are encrypted, and deleted 90 days after the resolution.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

import msgspec

from landbridge.payments.bank_files import statement_line_store as store
from landbridge.payments.bank_files.deposit_credits import build_deposit
from landbridge.payments.bank_files.funding_accounts import FundingAccounts
from landbridge.payments.bank_files.line_refusals import (
    deposit_refusal,
    return_refusal,
    settle_refusal,
)
from landbridge.payments.bank_files.model import BankPayment, BankPaymentStatus
from landbridge.payments.bank_files.payments import BankPayments
from landbridge.payments.bank_files.returns import (
    BankReturns,
    ReturnResult,
    ReversedPayment,
    check_reversed,
)
from landbridge.payments.bank_files.statement_line_model import (
    COMMENT_LENGTH_MAX,
    KIND,
    TEXT_RETENTION,
    LineResolutionKind,
    StatementLine,
    StatementLineStatus,
    StatementLineTexts,
)
from landbridge.payments.bank_files.statement_line_store import SealedStatementLine
from landbridge.payments.incoming_payments.service import IncomingPayments
from landbridge.platform.changes.service import append_next_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy, Refused, ResourceConflict, ResourceNotFound
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.formats.texts import check_prose
from landbridge.platform.http.caller import Caller, check_payer, check_reviewer
from landbridge.platform.http.reviewer_access import check_reviewer_access

SWEEP_MAX = 1000
# Failure reason of a payment that a reviewer ends.
_NOT_PAID = "the bank did not pay it, or gave it back"
_NOTHING = ReversedPayment()


@dataclass(frozen=True, slots=True)
class StatementLineReviews:
    """Lists and resolves statement lines in manual review, of all organisations."""

    database: Database
    vault: Vault
    accounts: FundingAccounts
    payments: BankPayments
    incoming_payments: IncomingPayments
    returning: BankReturns
    clock: Clock

    async def queue(
        self, caller: Caller, statuses: Collection[StatementLineStatus], window: QueueWindow
    ) -> Sequence[StatementLine]:
        """Return the lines with these statuses, the oldest first; raises `RoleNotAllowed`."""
        check_reviewer_access(caller)

        async def read(tx: Tx) -> list[StatementLine]:
            key = await self.vault.find(tx, caller.org_id, caller.org_id)
            found = await store.queue(tx, caller.org_id, statuses, window)
            return [_decrypt(each, key) for each in found]

        return await self.database.read(read)

    async def get(self, caller: Caller, line_id: UUID) -> StatementLine:
        """Return a line in any status; raises `RoleNotAllowed` and `ResourceNotFound`."""
        check_reviewer_access(caller)

        async def read(tx: Tx) -> StatementLine:
            found = await store.get(tx, caller.org_id, line_id)
            if found is None:
                raise _unknown(line_id)
            return _decrypt(found, await self.vault.find(tx, caller.org_id, caller.org_id))

        return await self.database.read(read)

    async def resolve(
        self,
        caller: Caller,
        line_id: UUID,
        resolution: LineResolutionKind,
        *,
        comment: str,
        of: ReversedPayment = _NOTHING,
    ) -> StatementLine:
        """Resolve a line and apply the effects; repeating the call returns the first result.

        `of` names what a REVERSAL recalled. Raises `RoleNotAllowed`, `ProfileFrozen`,
        `FieldInvalid`, `ResourceNotFound`, `TransactionNotFound` and `ResourceConflict`.
        """
        check_reviewer(caller)
        check_payer(caller)
        checked = check_prose("comment", comment, length_max=COMMENT_LENGTH_MAX)
        check_reversed(of, is_reversal=resolution is LineResolutionKind.REVERSAL)
        at = self.clock.stamp(caller.clock_offset)

        async def work(tx: Tx) -> tuple[StatementLine, Sequence[BankPayment]]:
            found = await self._locked(tx, caller.org_id, line_id, resolution, of)
            key = await self.vault.make(tx, caller.org_id, caller.org_id)
            line = _decrypt(found, key)
            if line.resolution is resolution and _has_target(line, of):
                return line, ()
            if line.status is not StatementLineStatus.UNMATCHED:
                raise ResourceConflict(f"line {line_id} is {line.status}: it is not in review")
            current = line.texts or StatementLineTexts()
            followed = await self._apply_resolution(
                tx, found, current, resolution, of=of, actor=caller.actor, at=at
            )
            texts = msgspec.structs.replace(current, comment=checked)
            await store.resolve(
                tx,
                found,
                resolution=resolution,
                resolved_by=caller.actor,
                sealed_texts=key.seal(texts, context=line_context(line_id)),
                incoming_payment_id=followed.incoming_payment_id,
                transfer_id=followed.transfer_id,
                at=at,
            )
            resolved = replace(
                found,
                status=StatementLineStatus.RESOLVED,
                resolution=resolution,
                resolved_by=caller.actor,
                incoming_payment_id=followed.incoming_payment_id,
                transfer_id=followed.transfer_id,
                version=found.version + 1,
                updated_at=at,
            )
            await record_change(tx, resolved, change_type="resolve", actor=caller.actor)
            return replace(_decrypt(resolved, None), texts=texts), followed.ended

        line, ended = await self.database.transact(work)
        for payment in ended:
            await self.payments.schedule_check(payment, at)
        return line

    async def _locked(
        self,
        tx: Tx,
        org_id: UUID,
        line_id: UUID,
        resolution: LineResolutionKind,
        of: ReversedPayment,
    ) -> SealedStatementLine:
        """Lock the record that is reopened or reversed, then the line; return the line."""
        before = await store.get(tx, org_id, line_id)
        if before is not None and before.status is StatementLineStatus.UNMATCHED:
            if resolution is LineResolutionKind.RETURN:
                await self.returning.lock_returned(tx, before)
            elif resolution is LineResolutionKind.REVERSAL:
                await self.returning.lock_reversed(tx, org_id, of)
        found = await store.lock(tx, org_id, line_id)
        if found is None:
            raise _unknown(line_id)
        return found

    async def _apply_resolution(
        self,
        tx: Tx,
        line: SealedStatementLine,
        texts: StatementLineTexts,
        resolution: LineResolutionKind,
        *,
        of: ReversedPayment,
        actor: str,
        at: datetime,
    ) -> ReturnResult:
        """Apply a resolution: return final payments, and the matched incoming payment or record."""
        match resolution:
            case (
                LineResolutionKind.NO_ACTION
                | LineResolutionKind.HANDLED
                | LineResolutionKind.DUPLICATE
            ):
                return ReturnResult()
            case LineResolutionKind.SETTLE:
                payment = await self._lock_payment(tx, line, check=settle_refusal)
                if not await self.payments.settle_in(tx, payment, at=at, actor=actor):
                    raise _moved(payment)
                return ReturnResult(ended=(payment,))
            case LineResolutionKind.FAIL:
                payment = await self._lock_payment(tx, line, check=return_refusal)
                failed = await self.payments.fail_in(
                    tx, payment, reason=_NOT_PAID, at=at, actor=actor
                )
                if not failed:
                    raise _moved(payment)
                return ReturnResult(ended=failed)
            case LineResolutionKind.RETURN:
                return await self.returning.record_returned(tx, line, texts, actor=actor, at=at)
            case LineResolutionKind.REVERSAL:
                return await self.returning.reversed(tx, line, of, actor=actor, at=at)
            case LineResolutionKind.DEPOSIT:
                if refusal := deposit_refusal(line):
                    raise refusal
                accounts = await self.accounts.list_in(tx, [line.org_id])
                own = next(each for each in accounts if each.id == line.account_id)
                deposit = build_deposit(own.settings, line, texts, at)
                incoming_payment_id = await self.incoming_payments.receive_in(
                    tx, deposit, actor=actor
                )
                return ReturnResult(incoming_payment_id=incoming_payment_id)

    async def _lock_payment(
        self,
        tx: Tx,
        line: SealedStatementLine,
        *,
        check: Callable[[SealedStatementLine, BankPayment], Refused | None],
    ) -> BankPayment:
        """Return the payment that a line names, locked.

        Raises `ResourceConflict` if it is not at the bank, or if `check` refuses it.
        """
        key = line.payment_key
        payment = None if key is None else await self.payments.find(tx, line.org_id, key)
        if payment is None:
            raise ResourceConflict(f"line {line.id} names no payment")
        if payment.status is not BankPaymentStatus.WRITTEN:
            raise ResourceConflict(
                f"payment {payment.key} is {payment.status}: it does not wait for the bank"
            )
        if refusal := check(line, payment):
            raise refusal
        return payment

    async def sweep(self, clocks: Mapping[UUID, datetime], *, limit: int = SWEEP_MAX) -> bool:
        """Delete texts of lines after their retention; return whether more may remain."""
        until = {org_id: now - TEXT_RETENTION for org_id, now in clocks.items()}
        swept = await self.database.single(lambda tx: store.sweep(tx, until, limit=limit))
        return swept == limit


def line_context(line_id: UUID) -> str:
    """Encryption context of a line's texts."""
    return f"statement_lines.texts:{line_id}"


async def record_change(tx: Tx, line: SealedStatementLine, *, change_type: str, actor: str) -> None:
    """Record a change of a line in manual review; its row is locked, or new."""
    await append_next_change(
        tx,
        org_id=line.org_id,
        object_id=line.id,
        kind=KIND,
        change_type=change_type,
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


def _decrypt(row: SealedStatementLine, key: DataKey | None) -> StatementLine:
    texts: StatementLineTexts | None = None
    if key is not None and row.sealed_texts is not None:
        texts = key.open(row.sealed_texts, context=line_context(row.id), type=StatementLineTexts)
    return copy_fields(row, StatementLine, is_back=row.rank == 0, texts=texts)


def _has_target(line: StatementLine, of: ReversedPayment) -> bool:
    """Return whether a line was resolved with this recalled deposit; only a REVERSAL names one."""
    if line.resolution is not LineResolutionKind.REVERSAL:
        return True
    return (line.transfer_id, line.incoming_payment_id) == (of.transfer_id, of.deposit_id)


def _moved(payment: BankPayment) -> Busy:
    return Busy(f"payment {payment.key} is being changed by another process")


def _unknown(line_id: UUID) -> ResourceNotFound:
    return ResourceNotFound(f"there is no bank line {line_id}")
