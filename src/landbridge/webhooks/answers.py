"""What receivers have answered, kept sealed: one that echoes what it was sent tells of a person.

Guarantees:
- an answer is stored under the data key of whoever the event is about, and nowhere else: erased
  with them, it can't be opened any more;
- where nobody's key is there, no answer is kept.

Rows without an answer cost nothing; for the others there are two reads, however many they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from msgspec import structs

from landbridge.db.pool import Database, Tx
from landbridge.privacy.service import DataKey, Vault
from landbridge.webhooks import answer_store
from landbridge.webhooks.model import Attempt, Delivery


async def seal(
    tx: Tx, vault: Vault, org_id: UUID, rows: Sequence[Delivery]
) -> tuple[Delivery, ...]:
    """The same deliveries, as they are to be stored: with answers sealed.

    A row that was opened is sealed anew with all its answers; one without an answer stays.
    """
    answered = [each for each in rows if any(_texts(each))]
    if not answered:
        return tuple(rows)
    owners = await _owners(tx, org_id, answered)
    keys = await vault.find_many(tx, org_id, set(owners.values()))
    return tuple(_sealed(each, owners, keys) for each in rows)


async def opened(
    database: Database, vault: Vault, org_id: UUID, rows: Sequence[Delivery]
) -> tuple[Delivery, ...]:
    """The same deliveries with their answers; without those whose owner was erased."""
    owners = {each.owner_id for each in rows if each.owner_id and each.sealed_answers}
    if not owners:
        return tuple(rows)
    keys = await database.single(lambda tx: vault.find_many(tx, org_id, owners))
    return tuple(_opened(each, keys) for each in rows)


async def _owners(tx: Tx, org_id: UUID, rows: Sequence[Delivery]) -> Mapping[UUID, UUID]:
    """Whose answers these are, by delivery."""
    known = {each.id: each.owner_id for each in rows if each.owner_id is not None}
    asked = {each.key.object_id for each in rows if each.id not in known}
    if not asked:
        return known
    owners = await answer_store.owners(tx, org_id, asked)
    return {each.id: known.get(each.id) or owners[each.key.object_id] for each in rows}


def _sealed(row: Delivery, owners: Mapping[UUID, UUID], keys: Mapping[UUID, DataKey]) -> Delivery:
    owner_id = owners.get(row.id)
    if owner_id is None:
        return row
    key = keys.get(owner_id)
    if key is None:
        return replace(row, owner_id=None, sealed_answers=None)
    sealed = key.seal(_texts(row), context=_context(row.id))
    return replace(row, owner_id=owner_id, sealed_answers=sealed)


def _opened(row: Delivery, keys: Mapping[UUID, DataKey]) -> Delivery:
    key = None if row.owner_id is None else keys.get(row.owner_id)
    if key is None or row.sealed_answers is None:
        return row
    texts = key.open(row.sealed_answers, context=_context(row.id), type=list[str | None])
    # Lists show the last attempt only.
    last = texts[len(texts) - len(row.attempts) :]
    attempts = tuple(
        _answered(attempt, text) for attempt, text in zip(row.attempts, last, strict=True)
    )
    return replace(row, attempts=attempts)


def _answered(attempt: Attempt, text: str | None) -> Attempt:
    return attempt if text is None else structs.replace(attempt, answer=text)


def _texts(row: Delivery) -> list[str | None]:
    """What was answered to each attempt that is kept; nothing for an empty answer."""
    return [each.answer or None for each in row.attempts]


def _context(delivery_id: UUID) -> str:
    return f"webhook_deliveries.answers:{delivery_id}"
