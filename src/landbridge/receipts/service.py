"""Verbs on fiat that arrived.

Guarantees:
- a credit makes one receipt, however often the bank tells of it;
- a receipt is matched with one record or given back, never both: whoever matches it does so in the
  transaction in which the record is moved, and both or neither happen;
- what is personal is sealed: under the organisation's data key while the money is nobody's, and
  under the user's from the match on, so that it goes when the user is erased. Of what went back as
  nobody's it goes after 90 days.

What is nobody's is never in the books: it is not ours, and goes back whole. Where it is held
instead it waits as UNMATCHED, without a due time, until a person decides (reviewing.py).
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.changes.service import tell
from landbridge.core.errors import Broken, Busy, ResourceNotFound
from landbridge.core.ids import new_id
from landbridge.core.pages import Window
from landbridge.db.pool import Database, Tx
from landbridge.privacy.service import DataKey, Vault
from landbridge.rails.port import Payment
from landbridge.receipts import store
from landbridge.receipts.model import (
    KIND,
    WORDS_KEPT,
    Receipt,
    Sender,
    Status,
    Told,
    Words,
)
from landbridge.receipts.store import SealedReceipt

# Who tells of receipts.
_BANK = "bank"
SWEEP_MAX = 1000


class Receipts:
    """Fiat that arrived, of all organisations."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault

    async def receive(self, told: Told) -> Receipt:
        """The receipt of a credit, made now or when the bank told of it before.

        Raises `Broken` if the bank told of it with another amount or account before.
        """
        receipt_id = await self._database.transact(lambda tx: self.receive_in(tx, told))
        return await self.get(told.org_id, receipt_id)

    async def receive_in(self, tx: Tx, told: Told, *, actor: str = _BANK) -> UUID:
        """The id of the receipt of a credit, made in the caller's transaction or before.

        Raises as `receive` does.
        """
        key = await self._vault.make(tx, told.org_id, told.org_id)
        made = _new(new_id(), told, key)
        if await store.add(tx, made):
            await tell_of(tx, made, what="receive", actor=actor)
            return made.id
        known = await store.find_reference(tx, told.org_id, told.bank_reference)
        if known is None:
            raise Broken("a known credit has no receipt")
        if (known.money, known.account_number) != (told.money, told.account_number):
            raise Broken(f"the bank told of {known.id} with another amount or account before")
        return known.id

    async def get(self, org_id: UUID, receipt_id: UUID) -> Receipt:
        """The receipt; raises `ResourceNotFound`, also for another organisation's."""
        found = (await self.of(org_id, [receipt_id])).get(receipt_id)
        if found is None:
            raise ResourceNotFound(f"there is no receipt {receipt_id}")
        return found

    async def find(self, org_id: UUID, bank_reference: str) -> Receipt | None:
        """The receipt that the bank calls so, if it is here."""

        async def read(tx: Tx) -> list[Receipt]:
            found = await store.find_reference(tx, org_id, bank_reference)
            return await self._opened(tx, [] if found is None else [found])

        return next(iter(await self._database.transact(read)), None)

    async def of(self, org_id: UUID, ids: Collection[UUID]) -> Mapping[UUID, Receipt]:
        """These receipts, by their ids; of those that there are."""
        if not ids:
            return {}

        async def read(tx: Tx) -> list[Receipt]:
            return await self._opened(tx, await store.of(tx, org_id, ids))

        return {each.id: each for each in await self._database.transact(read)}

    async def match(
        self, tx: Tx, receipt: Receipt, transfer_id: UUID, *, user_id: UUID, at: datetime
    ) -> None:
        """Give a receipt to what it pays, in the transaction that moves that; done again, nothing.

        `user_id` is whose money it is from here on: the words are sealed under that user's key.
        Raises `Busy` if it belongs to something else or is given back, or the user is erased just
        now: the move must not happen.
        """
        key = await self._vault.find(tx, receipt.org_id, user_id)
        if key is None:
            raise _erased()
        words = key.seal(_words(receipt), context=_context(receipt.id))
        version = await store.match(
            tx,
            receipt.org_id,
            receipt.id,
            transfer_id=transfer_id,
            user_id=user_id,
            sealed_words=words,
            at=at,
            decided_by=receipt.decided_by,
        )
        (now,) = await store.of(tx, receipt.org_id, [receipt.id])
        if version is not None:
            # The row holds its user from here on: an erasure waits, and finds what this moves.
            if await self._vault.find(tx, receipt.org_id, user_id) is None:
                raise _erased()
            await tell_of(tx, now, what="match", actor=receipt.decided_by or _BANK)
        elif now.transfer_id != transfer_id:
            raise Busy("this deposit is matched or given back already")

    async def begin_return(self, receipt: Receipt, at: datetime) -> Receipt | None:
        """Claim a new receipt for its way back; None if somebody else has moved it."""
        return await self._move(receipt, Status.RETURNING, what="return", at=at, due_at=at)

    async def hold(self, receipt: Receipt, at: datetime) -> Receipt | None:
        """Let a new receipt wait for a person; None if somebody else has moved it."""
        return await self._move(receipt, Status.UNMATCHED, what="hold", at=at, due_at=None)

    async def send_back(self, receipt: Receipt, at: datetime) -> bool:
        """Claim what waits for a person for its way back; False if it does not wait any more.

        Who decided this, and why, are the receipt's.
        """
        return await self._decide(receipt, at, store.send_back, Status.RETURNING, what="return")

    async def settle_outside(self, receipt: Receipt, at: datetime) -> bool:
        """Note that the sender has a deposit back by other means; False if it moved meanwhile.

        Who decided this, and why, are the receipt's.
        """
        return await self._decide(
            receipt, at, store.settle_outside, Status.RETURNED, what="settle_outside"
        )

    async def _decide(
        self,
        receipt: Receipt,
        at: datetime,
        write: store.WriteDecision,
        status: Status,
        *,
        what: str,
    ) -> bool:
        actor = receipt.decided_by
        if actor is None:
            raise Broken("a person decides on a deposit")

        async def work(tx: Tx) -> bool:
            key = await self._vault.make(tx, receipt.org_id, receipt.org_id)
            is_ours = await write(
                tx,
                receipt.org_id,
                receipt.id,
                version=receipt.version,
                sealed_words=key.seal(_words(receipt), context=_context(receipt.id)),
                at=at,
                decided_by=actor,
            )
            (now,) = await store.of(tx, receipt.org_id, [receipt.id])
            if is_ours:
                await tell_of(tx, now, what=what, actor=actor)
            # An attempt of ours before this one may have done it: stamps are unique.
            return is_ours or (now.status, now.updated_at) == (status, at)

        return await self._database.transact(work)

    async def queue(self, org_id: UUID, window: Window) -> Sequence[Receipt]:
        """What waits for a person, the longest waiting first."""

        async def read(tx: Tx) -> list[Receipt]:
            return await self._opened(tx, await store.queue(tx, org_id, window))

        return await self._database.transact(read)

    async def end_return(self, receipt: Receipt, at: datetime) -> Receipt | None:
        """The sender has it again; None if somebody else has noted that."""
        return await self._move(receipt, Status.RETURNED, what="returned", at=at, due_at=None)

    async def refused(self, receipt: Receipt, until: datetime) -> None:
        """The bank has refused for good to give it back: the next try has a key of its own."""
        await self._database.single(
            lambda tx: store.refused(
                tx,
                receipt.org_id,
                receipt.id,
                version=receipt.version,
                tries=receipt.return_tries,
                due_at=until,
            )
        )

    async def is_any_new(self, org_id: UUID, account_number: str, *, before: datetime) -> bool:
        """Whether nobody has looked yet at one that arrived on this account before then."""
        return await self._database.single(
            lambda tx: store.is_any_new(tx, org_id, account_number, before)
        )

    async def sweep(self, clocks: Mapping[UUID, datetime], *, limit: int = SWEEP_MAX) -> bool:
        """Blank who sent what went back long ago (`WORDS_KEPT`); whether there may be more."""
        until = {org_id: now - WORDS_KEPT for org_id, now in clocks.items()}
        swept = await self._database.single(lambda tx: store.sweep(tx, until, limit=limit))
        return swept == limit

    async def postpone(self, receipt: Receipt, until: datetime) -> None:
        """Look at a receipt again when its bank is expected to know more."""
        await self._database.single(
            lambda tx: store.postpone(
                tx, receipt.org_id, receipt.id, version=receipt.version, due_at=until
            )
        )

    async def due(
        self, clocks: Mapping[UUID, datetime], *, skip: Collection[UUID], limit: int
    ) -> list[Receipt]:
        """What the worker has to look at, the longest due first, but for those to `skip`."""

        async def read(tx: Tx) -> list[Receipt]:
            return await self._opened(tx, await store.due(tx, clocks, skip=skip, limit=limit))

        return await self._database.transact(read)

    async def _move(
        self, receipt: Receipt, status: Status, *, what: str, at: datetime, due_at: datetime | None
    ) -> Receipt | None:
        async def work(tx: Tx) -> Receipt | None:
            is_ours = await store.move(
                tx,
                receipt.org_id,
                receipt.id,
                version=receipt.version,
                status=status,
                at=at,
                due_at=due_at,
            )
            (now,) = await store.of(tx, receipt.org_id, [receipt.id])
            if is_ours:
                await tell_of(tx, now, what=what, actor="worker")
            elif (now.status, now.updated_at) != (status, at):
                # Not even an attempt of ours before this one has moved it: stamps are unique.
                return None
            (moved,) = await self._opened(tx, [now])
            return moved

        return await self._database.transact(work)

    async def _opened(self, tx: Tx, rows: Collection[SealedReceipt]) -> list[Receipt]:
        keys: dict[tuple[UUID, UUID], DataKey] = {}
        for org_id in {each.org_id for each in rows}:
            owners = {each.owner_id for each in rows if each.org_id == org_id}
            found = await self._vault.find_many(tx, org_id, owners)
            keys |= {(org_id, owner_id): key for owner_id, key in found.items()}
        return [_opened(each, keys.get((each.org_id, each.owner_id))) for each in rows]


def payment_back(receipt: Receipt, *, key: UUID, at: datetime) -> Payment:
    """The payment that gives a receipt back to its sender, whole and by the way it came.

    `key` must be the same each time that this is paid, and of this purpose alone.
    """
    sender = receipt.sender or Sender()
    payee = {
        "accountHolder": {"name": sender.name},
        "bankName": sender.bank_name,
        "routingNumber": sender.routing_number,
        "accountNumber": sender.account_number,
    }
    texts = {} if receipt.reference is None else {"paymentReference": receipt.reference}
    return Payment(
        org_id=receipt.org_id,
        key=key,
        record_id=receipt.id,
        money=receipt.money,
        rail=receipt.rail,
        is_same_day=False,
        payee=payee,
        texts=texts,
        at=at,
        returns=receipt.id,
    )


async def forget(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
    """Blank what is personal in a user's receipts; part of erasing the user."""
    del at
    await store.forget(tx, org_id, user_id)


def _new(receipt_id: UUID, told: Told, key: DataKey) -> SealedReceipt:
    words = Words(reference=told.reference, description=told.description, sender=told.sender)
    return SealedReceipt(
        org_id=told.org_id,
        id=receipt_id,
        bank_reference=told.bank_reference,
        account_number=told.account_number,
        money=told.money,
        rail=told.rail,
        status=Status.NEW,
        transfer_id=None,
        user_id=None,
        sealed_words=key.seal(words, context=_context(receipt_id)),
        version=1,
        received_at=told.at,
        arrived_at=told.arrived_at or told.at,
        clears_at=told.clears_at or told.at,
        updated_at=told.at,
        due_at=told.at,
        return_tries=0,
    )


def _words(receipt: Receipt) -> Words:
    return Words(
        reference=receipt.reference,
        description=receipt.description,
        sender=receipt.sender,
        comment=receipt.comment,
    )


def _opened(row: SealedReceipt, key: DataKey | None) -> Receipt:
    words = Words()
    if key is not None and row.sealed_words is not None:
        words = key.open(row.sealed_words, context=_context(row.id), type=Words)
    return Receipt(
        org_id=row.org_id,
        id=row.id,
        bank_reference=row.bank_reference,
        account_number=row.account_number,
        reference=words.reference,
        money=row.money,
        rail=row.rail,
        sender=words.sender,
        description=words.description,
        status=row.status,
        transfer_id=row.transfer_id,
        user_id=row.user_id,
        version=row.version,
        received_at=row.received_at,
        arrived_at=row.arrived_at,
        clears_at=row.clears_at,
        updated_at=row.updated_at,
        due_at=row.due_at,
        return_tries=row.return_tries,
        decided_by=row.decided_by,
        comment=words.comment,
    )


def _erased() -> Busy:
    return Busy("the user whose money this is was erased just now")


def _context(receipt_id: UUID) -> str:
    return f"receipts.words:{receipt_id}"


async def tell_of(tx: Tx, receipt: SealedReceipt, *, what: str, actor: str) -> None:
    """Write the change of a receipt, as it is now, to the log."""
    facts: dict[str, Any] = {
        "status": receipt.status,
        "transferId": None if receipt.transfer_id is None else str(receipt.transfer_id),
        "amount": str(receipt.money),
        "currency": receipt.money.asset.currency,
        "paymentRail": receipt.rail,
    }
    await tell(
        tx,
        org_id=receipt.org_id,
        object_id=receipt.id,
        seq=receipt.version,
        kind=KIND,
        what=what,
        actor=actor,
        at=receipt.updated_at,
        facts=facts,
    )
