"""Metadata of objects, in the caller's transaction."""

from collections.abc import Collection, Mapping
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.metadata import store
from landbridge.platform.metadata.model import merged


async def attach(
    tx: Tx, org_id: UUID, object_id: UUID, user_id: UUID, entries: Mapping[str, str]
) -> None:
    """Store checked metadata of an object of this user that is created in this transaction."""
    await store.put(tx, org_id, object_id, user_id, entries)


async def of(tx: Tx, org_id: UUID, object_ids: Collection[UUID]) -> Mapping[UUID, dict[str, str]]:
    """Return the metadata of these objects, of those that have any."""
    return await store.find(tx, org_id, object_ids)


async def search(tx: Tx, org_id: UUID, text: str, *, limit: int) -> Mapping[UUID, UUID]:
    """Return objects with this text as a value, or with this `key:value`, each with its user."""
    key, colon, value = text.partition(":")
    return await store.match(tx, org_id, text, (key, value) if colon else None, limit)


async def change(
    tx: Tx, org_id: UUID, object_id: UUID, user_id: UUID, changes: Mapping[str, str | None]
) -> Mapping[str, str]:
    """Set and remove keys of an object that the caller has locked; return all that it has then.

    Raises `FieldInvalid` for a key or a value beyond the bounds, or for too many keys.
    """
    found = (await store.find(tx, org_id, [object_id])).get(object_id, {})
    after = merged(found, changes)
    await write(tx, org_id, object_id, user_id, changes)
    return after


async def write(
    tx: Tx, org_id: UUID, object_id: UUID, user_id: UUID, changes: Mapping[str, str | None]
) -> None:
    """Write changes that `merged` has checked, of an object that the caller has locked."""
    removed = [key for key, value in changes.items() if value is None]
    await store.remove(tx, org_id, object_id, removed)
    entries = {key: value for key, value in changes.items() if value is not None}
    await store.put(tx, org_id, object_id, user_id, entries)


async def leave(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
    """Delete what is attached to an erased user, and to the user's payments and accounts."""
    del at  # nothing of it stays
    await store.forget(tx, org_id, user_id)
