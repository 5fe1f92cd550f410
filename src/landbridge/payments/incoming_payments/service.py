"""Incoming payment service: records credits once, and stores their match or return.

Guarantees:
- A credit creates one incoming payment, however often the bank reports it.
- An incoming payment is matched with one record or returned, never both. The match is written in
  the transaction that advances the record.
- Personal data is sealed: under the organisation's data key while unmatched, and under the user's
  key from the match on, so it is erased with the user. Texts of a returned unmatched payment are
  erased after 90 days.

The ledger has no entries for unmatched money: it is not ours, and the whole amount is returned.
Money that is being screened is in suspense (screening.py). If unmatched money is held instead of
returned, it waits as UNMATCHED, without a due time, until a person decides (reviews.py).
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.customers.deposit_screening.service import DepositScreenings
from landbridge.payments.incoming_payments import store
from landbridge.payments.incoming_payments.model import (
    TEXT_RETENTION,
    IncomingPayment,
    IncomingPaymentStatus,
    ReportedCredit,
)
from landbridge.payments.incoming_payments.records import record_change
from landbridge.payments.incoming_payments.screening import suspended_credit
from landbridge.payments.incoming_payments.sealed_texts import (
    context_of,
    new_payment,
    opened,
    texts_of,
)
from landbridge.payments.incoming_payments.store import SealedIncomingPayment
from landbridge.platform.core.errors import Busy, InvariantBroken, ResourceNotFound
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.providers.sidecar.open_problems import is_credit_reversed

# Actor of changes made by the bank.
_BANK = "bank"
SWEEP_MAX = 1000
# Smallest units below which a payment is small: one unit of a currency with cents.
SMALL_UNITS = 100
# Small payments of an organisation that are returned without a decision within 24 hours.
SMALL_RETURNS_PER_DAY = 100
_DAY = timedelta(days=1)


class IncomingPayments:
    """Manages incoming payments of all organisations."""

    def __init__(
        self, database: Database, vault: Vault, screenings: DepositScreenings | None = None
    ) -> None:
        self._database = database
        self._screenings = screenings
        self._vault = vault

    async def receive(self, credit: ReportedCredit) -> IncomingPayment:
        """Create or get the incoming payment of a credit.

        Raises `InvariantBroken` if the bank reported it with another amount or account before.
        """
        payment_id = await self._database.transact(lambda tx: self.receive_in(tx, credit))
        return await self.get(credit.org_id, payment_id)

    async def receive_in(self, tx: Tx, credit: ReportedCredit, *, actor: str = _BANK) -> UUID:
        """Create or get the id of a credit's incoming payment, in the caller's transaction.

        Raises the errors of `receive`.
        """
        key = await self._vault.make(tx, credit.org_id, credit.org_id)
        screenings = self._screenings
        currency = credit.money.asset.currency
        is_screened = screenings is not None and screenings.screens(credit.org_id, currency)
        created = new_payment(credit, key, is_screened=is_screened)
        if await store.add(tx, created):
            await record_change(tx, created, change_type="receive", actor=actor)
            if screenings is not None and is_screened:
                await screenings.suspend_in(tx, suspended_credit(created))
            return created.id
        known = await store.find_reference(tx, credit.org_id, credit.bank_reference)
        if known is None:
            raise InvariantBroken("a known credit has no incoming payment")
        if (known.money, known.account_number) != (credit.money, credit.account_number):
            raise InvariantBroken(
                f"the bank reported {known.id} with another amount or account before"
            )
        return known.id

    async def get(self, org_id: UUID, payment_id: UUID) -> IncomingPayment:
        """Get an incoming payment of this organisation; raises `ResourceNotFound`."""
        found = (await self.of(org_id, [payment_id])).get(payment_id)
        if found is None:
            raise ResourceNotFound(f"there is no incoming payment {payment_id}")
        return found

    async def find(self, org_id: UUID, bank_reference: str) -> IncomingPayment | None:
        """Return the incoming payment with this reference of the bank; None if there is none."""

        async def read(tx: Tx) -> list[IncomingPayment]:
            found = await store.find_reference(tx, org_id, bank_reference)
            return await self._opened(tx, [] if found is None else [found])

        return next(iter(await self._database.read(read)), None)

    async def of(self, org_id: UUID, ids: Collection[UUID]) -> Mapping[UUID, IncomingPayment]:
        """Return the incoming payments with these ids, by id; unknown ids are omitted."""
        if not ids:
            return {}

        async def read(tx: Tx) -> list[IncomingPayment]:
            return await self._opened(tx, await store.of(tx, org_id, ids))

        return {each.id: each for each in await self._database.read(read)}

    async def match(
        self, tx: Tx, payment: IncomingPayment, transfer_id: UUID, *, user_id: UUID, at: datetime
    ) -> None:
        """Match an incoming payment in the transaction that advances the paid record; idempotent.

        `user_id` owns the money from here on: the texts are sealed under that user's key. Raises
        `Busy`, so that the record is not advanced, if the payment is matched elsewhere or being
        returned, or if the user is being erased.
        """
        key = await self._vault.find(tx, payment.org_id, user_id)
        if key is None:
            raise _erased()
        texts = key.seal(texts_of(payment), context=context_of(payment.id))
        matched = await store.match(
            tx,
            payment.org_id,
            payment.id,
            transfer_id=transfer_id,
            user_id=user_id,
            sealed_texts=texts,
            at=at,
            decided_by=payment.decided_by,
        )
        if matched is not None:
            # This locks the user's row: an erasure waits, and then erases what is written here.
            if await self._vault.find(tx, payment.org_id, user_id) is None:
                raise _erased()
            await record_change(tx, matched, change_type="match", actor=payment.decided_by or _BANK)
            return
        (known,) = await store.of(tx, payment.org_id, [payment.id])
        if known.transfer_id != transfer_id:
            raise Busy("this deposit is matched or returned already")

    async def begin_return(self, payment: IncomingPayment, at: datetime) -> IncomingPayment | None:
        """Claim a new payment for its return; None after a concurrent change."""
        return await self._move(
            payment, IncomingPaymentStatus.RETURNING, change_type="return", at=at, due_at=at
        )

    async def may_return(self, payment: IncomingPayment) -> bool:
        """Return whether an unmatched payment is returned without a person's decision.

        Small payments are limited by `SMALL_RETURNS_PER_DAY`, because anybody can send cents, and a
        bank charges for each return.
        """
        if payment.money.units >= SMALL_UNITS:
            return True
        since = payment.received_at - _DAY
        returned = await self._database.single(
            lambda tx: store.small_returns(tx, payment.org_id, since, limit=SMALL_RETURNS_PER_DAY)
        )
        return returned < SMALL_RETURNS_PER_DAY

    async def hold(self, payment: IncomingPayment, at: datetime) -> IncomingPayment | None:
        """Hold a new payment for a person's decision; None after a concurrent change."""
        return await self._move(
            payment, IncomingPaymentStatus.UNMATCHED, change_type="hold", at=at, due_at=None
        )

    async def send_back(self, payment: IncomingPayment, at: datetime) -> bool:
        """Claim an unmatched payment for its return; False if it is no longer unmatched.

        Stores the deciding person and the reason.
        """
        return await self._decide(
            payment, IncomingPaymentStatus.RETURNING, change_type="return", at=at, due_at=at
        )

    async def settle_outside(self, payment: IncomingPayment, at: datetime) -> bool:
        """Record that the sender got the money back by other means, with person and reason.

        Return False after a concurrent change. A refusal of the return by the bank is one too,
        because the next return may be on its way.
        """
        return await self._decide(
            payment,
            IncomingPaymentStatus.RETURNED,
            change_type="settle_outside",
            at=at,
            due_at=None,
        )

    async def _decide(
        self,
        payment: IncomingPayment,
        status: IncomingPaymentStatus,
        *,
        change_type: str,
        at: datetime,
        due_at: datetime | None,
    ) -> bool:
        person = payment.decided_by
        if person is None:
            raise InvariantBroken("a decision on a deposit needs a person")
        moved = await self._move(
            payment, status, change_type=change_type, at=at, due_at=due_at, decided_by=person
        )
        return moved is not None

    async def queue(self, org_id: UUID, window: QueueWindow) -> Sequence[IncomingPayment]:
        """List unmatched payments, the longest waiting first."""

        async def read(tx: Tx) -> list[IncomingPayment]:
            return await self._opened(tx, await store.queue(tx, org_id, window))

        return await self._database.read(read)

    async def end_return(self, payment: IncomingPayment, at: datetime) -> IncomingPayment | None:
        """Record the completed return; None after a concurrent change."""
        return await self._move(
            payment, IncomingPaymentStatus.RETURNED, change_type="returned", at=at, due_at=None
        )

    async def record_refusal(self, payment: IncomingPayment, until: datetime) -> None:
        """Record that the bank refused the return for good; the next attempt has another key."""
        await self._database.single(
            lambda tx: store.record_refusal(
                tx,
                payment.org_id,
                payment.id,
                version=payment.version,
                attempts=payment.return_attempts,
                due_at=until,
            )
        )

    async def has_new(self, org_id: UUID, account_number: str, *, before: datetime) -> bool:
        """Return whether a payment that arrived on this account `before` a time is unprocessed."""
        return await self._database.single(
            lambda tx: store.has_new(tx, org_id, account_number, before)
        )

    async def is_reversed(self, org_id: UUID, payment_id: UUID) -> bool:
        """Return whether a provider has reported that the bank took this payment back.

        Return False once a person has closed that report.
        """
        return await self._database.single(lambda tx: is_credit_reversed(tx, org_id, payment_id))

    async def sweep(self, clocks: Mapping[UUID, datetime], *, limit: int = SWEEP_MAX) -> bool:
        """Blank texts of returned payments after their retention; return whether more remain."""
        until = {org_id: now - TEXT_RETENTION for org_id, now in clocks.items()}
        swept = await self._database.single(lambda tx: store.sweep(tx, until, limit=limit))
        return swept == limit

    async def postpone(self, payment: IncomingPayment, until: datetime) -> None:
        """Postpone a payment until the next query of its bank."""
        await self._database.single(
            lambda tx: store.postpone(
                tx, payment.org_id, payment.id, version=payment.version, due_at=until
            )
        )

    async def due(
        self, clocks: Mapping[UUID, datetime], *, skip: Collection[UUID], limit: int
    ) -> list[IncomingPayment]:
        """List due payments, the longest due of each organisation first, without `skip`."""

        async def read(tx: Tx) -> list[IncomingPayment]:
            return await self._opened(tx, await store.due(tx, clocks, skip=skip, limit=limit))

        return await self._database.read(read)

    async def _move(
        self,
        payment: IncomingPayment,
        status: IncomingPaymentStatus,
        *,
        change_type: str,
        at: datetime,
        due_at: datetime | None,
        decided_by: str | None = None,
    ) -> IncomingPayment | None:
        """Change the status of a payment; None if it was changed since it was read.

        With `decided_by`, its texts are sealed again, because they include the person's comment.
        """

        async def work(tx: Tx) -> IncomingPayment | None:
            texts: bytes | None = None
            if decided_by is not None:
                key = await self._vault.make(tx, payment.org_id, payment.org_id)
                texts = key.seal(texts_of(payment), context=context_of(payment.id))
            now = await store.move(
                tx,
                payment.org_id,
                payment.id,
                version=payment.version,
                status=status,
                at=at,
                due_at=due_at,
                decided_by=decided_by,
                sealed_texts=texts,
                # A refusal of the return does not change the version, so the attempts are compared.
                attempts=None if decided_by is None else payment.return_attempts,
            )
            if now is not None:
                await record_change(tx, now, change_type=change_type, actor=decided_by or "worker")
            else:
                (now,) = await store.of(tx, payment.org_id, [payment.id])
                if (now.status, now.updated_at) != (status, at):
                    # Stamps are unique: an earlier attempt of this call did not change it either.
                    return None
            (moved,) = await self._opened(tx, [now])
            return moved

        return await self._database.transact(work)

    async def _opened(
        self, tx: Tx, rows: Collection[SealedIncomingPayment]
    ) -> list[IncomingPayment]:
        keys: dict[tuple[UUID, UUID], DataKey] = {}
        for org_id in {each.org_id for each in rows}:
            owners = {each.owner_id for each in rows if each.org_id == org_id}
            found = await self._vault.find_many(tx, org_id, owners)
            keys |= {(org_id, owner_id): key for owner_id, key in found.items()}
        return [opened(each, keys.get((each.org_id, each.owner_id))) for each in rows]


async def forget(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
    """Blank the personal data of an erased user's incoming payments."""
    del at
    await store.forget(tx, org_id, user_id)


def _erased() -> Busy:
    return Busy("the owner of this payment was erased concurrently")
