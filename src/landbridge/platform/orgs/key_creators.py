"""Members who created API keys, and callers who may still decide; in the caller's transaction."""

from collections.abc import Collection, Mapping
from uuid import UUID

from landbridge.platform.changes.service import append_next_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Tx
from landbridge.platform.http.caller import Caller
from landbridge.platform.orgs import store


async def key_creators(tx: Tx, org_id: UUID, ids: Collection[UUID]) -> Mapping[UUID, UUID]:
    """Return the member who created each of these keys, for keys that a member created."""
    return await store.key_creators(tx, org_id, ids)


async def former_deciders(
    tx: Tx, org_id: UUID, ids: Collection[UUID], clock: Clock
) -> frozenset[UUID]:
    """Return those of these members and keys that may no longer decide.

    These are members who were removed or are not admins, and keys that were revoked or have
    expired.
    """
    return await store.former_deciders(tx, org_id, ids, clock.now())


async def revoke_deciding_keys(
    tx: Tx, by: Caller, maker_id: UUID, *, except_ids: Collection[UUID], clock: Clock
) -> None:
    """Revoke the keys of a member that may review or approve, except `except_ids`.

    Used for a member who is no longer an admin: only admins' keys may decide.
    """
    for key_id in await store.revoke_deciding(tx, by.org_id, maker_id, clock.now(), except_ids):
        await append_next_change(
            tx,
            org_id=by.org_id,
            object_id=key_id,
            kind="API_KEY",
            change_type="revoke",
            actor=by.actor,
            at=clock.stamp(by.clock_offset),
        )
