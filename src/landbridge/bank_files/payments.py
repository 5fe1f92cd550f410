"""Verbs on payments that go to the bank in files.

Guarantees:
- a payment ends once, and what has ended never moves by itself: a statement that is read twice, or
  read late, changes nothing. Only a person lets one fail that was settled, when it came back;
- that it was queued, and how it ended, is told in `changes`, in the transaction in which it
  happens, without a word of who is paid; of what is put into a file, the file's own change tells;
- whom it pays is gone from the row once it is at an end.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.bank_files import payment_store as store
from landbridge.bank_files.model import KIND, BankPayment, Status
from landbridge.changes.service import tell
from landbridge.core.errors import Broken
from landbridge.core.ids import as_uuid, derived_id
from landbridge.db.pool import Tx
from landbridge.ledger.service import Ledger

# Who moves payments on: what the bank's files say, and the calendar.
ACTOR = "bank"
_HEX_LENGTH = 32
_UNENDED = (Status.QUEUED, Status.WRITTEN)


class BankPayments:
    """Payments in files, of all organisations. Verbs with `tx` run in the caller's transaction."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def find(self, tx: Tx, org_id: UUID, key: UUID) -> BankPayment | None:
        """The payment of this key, if it was ever taken."""
        return await store.find(tx, org_id, key)

    async def lock(self, tx: Tx, org_id: UUID, key: UUID) -> BankPayment:
        """The payment of this key, which nobody else moves until this transaction ends."""
        found = await store.lock(tx, org_id, key)
        if found is None:
            raise Broken(f"payment {key} is not there")
        return found

    async def by_end_to_end(
        self, tx: Tx, org_id: UUID, currency: str, text: str
    ) -> BankPayment | None:
        """The payment that a statement in `currency` names by its EndToEndId or InstrId."""
        key = _key(text)
        found = None if key is None else await store.find(tx, org_id, key)
        is_ours = found is not None and found.money.asset.currency == currency
        return found if is_ours else None

    async def by_trace(
        self, tx: Tx, org_id: UUID, currency: str, trace_number: str
    ) -> BankPayment | None:
        """The ACH payment or prenote of this trace number: the last one, where numbers came round.

        A number has seven running digits, so an account uses it again after ten million payments.
        """
        found = await store.find_trace(tx, org_id, trace_number)
        return next((each for each in found if each.money.asset.currency == currency), None)

    async def by_message(self, tx: Tx, org_id: UUID, message_id: str) -> Sequence[BankPayment]:
        """All payments of the file that a bank's answer names by its MsgId, in the file's order."""
        file_id = _key(message_id)
        return [] if file_id is None else await store.of_file(tx, org_id, file_id)

    async def settle_in(
        self, tx: Tx, payment: BankPayment, *, at: datetime, actor: str = ACTOR
    ) -> bool:
        """The payee has it; False if it is not in a file, or at an end already."""
        before = [Status.WRITTEN]  # only what is in a file can have been paid
        return await self._end(
            tx, payment, Status.SETTLED, reason=None, at=at, actor=actor, before=before
        )

    async def fail_in(
        self, tx: Tx, payment: BankPayment, *, reason: str, at: datetime, actor: str = ACTOR
    ) -> Sequence[BankPayment]:
        """The bank refused or returned it: all that fails by that; nothing if it is at an end.

        `reason` is a sentence of ours, without personal data. With a prenote, what waits for it
        fails as well: nothing of that is in a file.
        """
        return await self._fail(tx, payment, _UNENDED, reason=reason, at=at, actor=actor)

    async def return_in(
        self, tx: Tx, payment: BankPayment, *, reason: str, at: datetime, actor: str
    ) -> Sequence[BankPayment]:
        """Let a payment fail that was settled, and came back; nothing if it is not settled.

        All else is as in `fail_in`.
        """
        return await self._fail(tx, payment, [Status.SETTLED], reason=reason, at=at, actor=actor)

    async def withhold_in(
        self, tx: Tx, payment: BankPayment, *, reason: str, at: datetime, actor: str
    ) -> bool:
        """Let a payment fail that is in no file yet; False if it is at the bank, or was."""
        if payment.status is Status.FAILED:
            return True
        told = (tx, payment, Status.FAILED)
        return await self._end(*told, reason=reason, at=at, actor=actor, before=[Status.QUEUED])

    async def _fail(
        self,
        tx: Tx,
        payment: BankPayment,
        before: Collection[Status],
        *,
        reason: str,
        at: datetime,
        actor: str,
    ) -> Sequence[BankPayment]:
        """Let a payment fail that has one of the statuses `before`, with what fails by that."""
        if not await self._end(
            tx, payment, Status.FAILED, reason=reason, at=at, actor=actor, before=before
        ):
            return ()
        waiting: Sequence[BankPayment] = ()
        if payment.is_prenote:
            waiting = await store.waiting_for(
                tx, payment.org_id, payment.account_id, payment.payee_digest
            )
        for each in waiting:
            await self._end(
                tx, each, Status.FAILED, reason=reason, at=at, actor=actor, before=_UNENDED
            )
        return (payment, *waiting)

    async def wake(self, payment: BankPayment, at: datetime) -> None:
        """Have the record of a payment that ended looked at now; after the transaction.

        Only so that it need not wait until the payment was expected: left out, or lost in a crash,
        the record finds out for itself.
        """
        record = await self._ledger.find(payment.org_id, payment.record_id)
        if record is not None and record.due_at is not None and record.due_at > at:
            await self._ledger.postpone(record, at)

    async def _end(
        self,
        tx: Tx,
        payment: BankPayment,
        status: Status,
        *,
        reason: str | None,
        at: datetime,
        actor: str,
        before: Collection[Status],
    ) -> bool:
        version = await store.end(tx, payment, status=status, reason=reason, at=at, before=before)
        if version is None:
            return False
        await tell_of(tx, payment, status=status, version=version, at=at, actor=actor)
        return True


async def tell_of(
    tx: Tx, payment: BankPayment, *, status: Status, version: int, at: datetime, actor: str
) -> None:
    """Tell of a payment, as an object of its own: its key may be the id of a receipt."""
    await tell(
        tx,
        org_id=payment.org_id,
        object_id=told_id(payment.key),
        seq=version,
        kind=KIND,
        what=status.lower(),
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


def told_id(key: UUID) -> UUID:
    """The object as which the change log has the payment of a key."""
    return derived_id(key, "bank payment")


def _key(text: str) -> UUID | None:
    """The key that a bank names; some give it back in capital letters."""
    told = text.strip().lower()
    if len(told) != _HEX_LENGTH:
        return None
    return as_uuid(f"{told[:8]}-{told[8:12]}-{told[12:16]}-{told[16:20]}-{told[20:]}")
