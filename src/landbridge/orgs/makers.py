"""Keys and the members who made them. In transactions of others."""

from collections.abc import Collection, Mapping
from uuid import UUID

from landbridge.changes.service import tell_next
from landbridge.core.clock import Clock
from landbridge.db.pool import Tx
from landbridge.orgs import store
from landbridge.web.caller import Caller


async def makers(tx: Tx, org_id: UUID, ids: Collection[UUID]) -> Mapping[UUID, UUID]:
    """Of those of these ids that are of keys which members made, who made them."""
    return await store.makers(tx, org_id, ids)


async def revoke_deciding_keys(
    tx: Tx, by: Caller, maker_id: UUID, *, kept: Collection[UUID], clock: Clock
) -> None:
    """Revoke the keys that a member made and that may review or approve, but for those kept.

    For a member who is an admin no longer: keys that decide are an admin's.
    """
    for key_id in await store.revoke_deciding(tx, by.org_id, maker_id, clock.now(), kept):
        await tell_next(
            tx,
            org_id=by.org_id,
            object_id=key_id,
            kind="API_KEY",
            what="revoke",
            actor=by.actor,
            at=clock.stamp(by.clock_offset),
        )
