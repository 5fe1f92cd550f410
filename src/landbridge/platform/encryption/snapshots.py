"""Snapshots: an object with personal data as it was after a change, stored with the change.

Guarantees: a snapshot opens only for its change, and only while its owner's data key exists.
"""

from collections.abc import Collection, Mapping
from typing import Any, TypeVar
from uuid import UUID

from landbridge.platform.changes.model import Change, PayloadSnapshot
from landbridge.platform.db.pool import Tx
from landbridge.platform.encryption.model import DataKey
from landbridge.platform.encryption.service import Vault
from landbridge.platform.http.responses import encode

T = TypeVar("T")


def seal_snapshot(
    key: DataKey, owner_id: UUID, *, object_id: UUID, seq: int, payload: Any
) -> PayloadSnapshot:
    """Seal a snapshot of an object after its change number `seq`; `key` is the owner's data key.

    `payload` is any value that msgspec encodes, and `open_snapshots` decodes as the same type. It
    is encoded in the same way as replies, so that `msgspec.Raw` returns the exact bytes of a reply.
    """
    return PayloadSnapshot(
        owner_id, key.seal_bytes(encode(payload), context=_context(object_id, seq))
    )


async def open_snapshots(
    tx: Tx,
    vault: Vault,
    changes: Collection[Change],
    type: type[T],  # noqa: A002  as msgspec has it
) -> Mapping[tuple[UUID, int], T]:
    """Open the snapshots of these changes of one organisation, by object and number.

    Changes without a snapshot are left out, as are those of an erased owner.
    """
    owners = {each.snapshot.owner_id for each in changes if each.snapshot is not None}
    if not owners:
        return {}
    org_id = next(iter(changes)).org_id
    keys = await vault.find_many(tx, org_id, owners)
    return {
        (each.object_id, each.seq): keys[each.snapshot.owner_id].open(
            each.snapshot.sealed, context=_context(each.object_id, each.seq), type=type
        )
        for each in changes
        if each.snapshot is not None and each.snapshot.owner_id in keys
    }


def _context(object_id: UUID, seq: int) -> str:
    return f"changes.snapshot:{object_id}:{seq}"
