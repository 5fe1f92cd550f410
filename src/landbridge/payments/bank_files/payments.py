"""Bank payments: queues, finds and ends payments that go to the bank in files.

Guarantees:
- A payment ends once. A statement that is read twice, or late, changes nothing afterwards. Only a
  reviewer can fail a settled payment, after it was returned.
- Queueing and the final status are recorded in `changes`, in the same transaction, without payee
  data. The file's own change records that payments were put into it.
- The payee is deleted from the row once the payment is final.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.ledger.service import Ledger
from landbridge.payments.bank_files import payment_store as store
from landbridge.payments.bank_files.model import KIND, BankPayment, BankPaymentStatus
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.ids import as_uuid, derived_id
from landbridge.platform.db.pool import Tx

# Actor of changes that follow from the bank's files, or from the end of a return window.
ACTOR = "bank"
_HEX_LENGTH = 32
_UNENDED = (BankPaymentStatus.QUEUED, BankPaymentStatus.WRITTEN)


class BankPayments:
    """Payments in files, of all organisations. Methods with `tx` join the caller's transaction."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def find(self, tx: Tx, org_id: UUID, key: UUID) -> BankPayment | None:
        """Return the payment with this key; None if there is none."""
        return await store.find(tx, org_id, key)

    async def lock(self, tx: Tx, org_id: UUID, key: UUID) -> BankPayment:
        """Return the payment with this key, locked until this transaction ends."""
        found = await store.lock(tx, org_id, key)
        if found is None:
            raise InvariantBroken(f"payment {key} is not there")
        return found

    async def find_by_end_to_end(
        self, tx: Tx, org_id: UUID, currency: str, text: str
    ) -> BankPayment | None:
        """Return the payment that a statement in `currency` names by its EndToEndId or InstrId."""
        key = _key(text)
        found = None if key is None else await store.find(tx, org_id, key)
        is_ours = found is not None and found.money.asset.currency == currency
        return found if is_ours else None

    async def find_by_trace(
        self, tx: Tx, org_id: UUID, currency: str, trace_number: str
    ) -> BankPayment | None:
        """Return the latest ACH payment or prenote with this trace number.

        The sequence has seven digits, so an account reuses a number after ten million payments.
        """
        found = await store.find_trace(tx, org_id, trace_number)
        return next((each for each in found if each.money.asset.currency == currency), None)

    async def list_by_message(self, tx: Tx, org_id: UUID, message_id: str) -> Sequence[BankPayment]:
        """Return all payments of the file that a response names by its MsgId, in file order."""
        file_id = _key(message_id)
        return [] if file_id is None else await store.list_by_file(tx, org_id, file_id)

    async def settle_in(
        self, tx: Tx, payment: BankPayment, *, at: datetime, actor: str = ACTOR
    ) -> bool:
        """Settle a payment: the payee has it. Return False if it is not in a file, or is final."""
        before = [BankPaymentStatus.WRITTEN]  # only a payment in a file can have been paid
        return await self._end(
            tx, payment, BankPaymentStatus.SETTLED, reason=None, at=at, actor=actor, before=before
        )

    async def fail_in(
        self, tx: Tx, payment: BankPayment, *, reason: str, at: datetime, actor: str = ACTOR
    ) -> Sequence[BankPayment]:
        """Fail a payment that the bank rejected or returned; return all failed payments.

        Return none if the payment is final already. `reason` is a sentence of ours, without
        personal data. If a prenote fails, the payments that wait for it fail as well.
        """
        return await self._fail(tx, payment, _UNENDED, reason=reason, at=at, actor=actor)

    async def return_in(
        self, tx: Tx, payment: BankPayment, *, reason: str, at: datetime, actor: str
    ) -> Sequence[BankPayment]:
        """Fail a settled payment that was returned; return all failed payments.

        Return none if the payment is not settled. Otherwise as `fail_in`.
        """
        return await self._fail(
            tx, payment, [BankPaymentStatus.SETTLED], reason=reason, at=at, actor=actor
        )

    async def withhold_in(
        self, tx: Tx, payment: BankPayment, *, reason: str, at: datetime, actor: str
    ) -> bool:
        """Fail a payment that is in no file yet; return False if it is in one, or final."""
        if payment.status is BankPaymentStatus.FAILED:
            return True
        change = (tx, payment, BankPaymentStatus.FAILED)
        return await self._end(
            *change, reason=reason, at=at, actor=actor, before=[BankPaymentStatus.QUEUED]
        )

    async def _fail(
        self,
        tx: Tx,
        payment: BankPayment,
        before: Collection[BankPaymentStatus],
        *,
        reason: str,
        at: datetime,
        actor: str,
    ) -> Sequence[BankPayment]:
        """Fail a payment that has one of the statuses `before`; return all failed payments.

        If it is a prenote, the payments that wait for it fail as well.
        """
        if not await self._end(
            tx, payment, BankPaymentStatus.FAILED, reason=reason, at=at, actor=actor, before=before
        ):
            return ()
        waiting: Sequence[BankPayment] = ()
        if payment.is_prenote:
            waiting = await store.list_waiting(
                tx, payment.org_id, payment.account_id, payment.payee_digest
            )
        for each in waiting:
            await self._end(
                tx,
                each,
                BankPaymentStatus.FAILED,
                reason=reason,
                at=at,
                actor=actor,
                before=_UNENDED,
            )
        return (payment, *waiting)

    async def schedule_check(self, payment: BankPayment, at: datetime) -> None:
        """Schedule an immediate check of the payment's record; called after the transaction.

        This only shortens the wait. If the call is missed, for example by a crash, the record's own
        scheduled check finds the result.
        """
        record = await self._ledger.find(payment.org_id, payment.record_id)
        if record is not None and record.due_at is not None and record.due_at > at:
            await self._ledger.postpone(record, at)

    async def _end(
        self,
        tx: Tx,
        payment: BankPayment,
        status: BankPaymentStatus,
        *,
        reason: str | None,
        at: datetime,
        actor: str,
        before: Collection[BankPaymentStatus],
    ) -> bool:
        version = await store.end(tx, payment, status=status, reason=reason, at=at, before=before)
        if version is None:
            return False
        await record_change(tx, payment, status=status, version=version, at=at, actor=actor)
        return True


async def record_change(
    tx: Tx,
    payment: BankPayment,
    *,
    status: BankPaymentStatus,
    version: int,
    at: datetime,
    actor: str,
) -> None:
    """Record a change of a payment under an object id of its own.

    A payment's key may be the id of an incoming payment, which has changes itself.
    """
    await append_change(
        tx,
        org_id=payment.org_id,
        object_id=change_object_id(payment.key),
        seq=version,
        kind=KIND,
        change_type=status.lower(),
        actor=actor,
        at=at,
        facts={
            "status": status,
            "paymentKey": str(payment.key),
            "recordId": str(payment.record_id),
            "paymentRail": payment.rail,
            "amount": str(payment.money),
            "currency": payment.money.asset.currency,
        },
    )


def change_object_id(key: UUID) -> UUID:
    """Return the object id of a payment in the change log."""
    return derived_id(key, "bank payment")


def _key(text: str) -> UUID | None:
    """Parse a payment's key as a bank returns it, in either case; None if it is not a key."""
    digits = text.strip().lower()
    if len(digits) != _HEX_LENGTH:
        return None
    return as_uuid(f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}")
