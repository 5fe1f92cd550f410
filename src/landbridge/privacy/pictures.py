"""Pictures: how an object with personal data looked after a change, kept with the change.

Guarantees: a picture opens only for the change that it was taken at, and only as long as its
owner's data key lives.
"""

from collections.abc import Collection, Mapping
from typing import Any, TypeVar
from uuid import UUID

from landbridge.changes.model import Change, Picture
from landbridge.db.pool import Tx
from landbridge.privacy.model import DataKey
from landbridge.privacy.service import Vault
from landbridge.web.reply import encode

T = TypeVar("T")


def take(key: DataKey, owner_id: UUID, *, object_id: UUID, seq: int, shown: Any) -> Picture:
    """The picture of an object after its change number `seq`; `key` is the owner's data key.

    `shown` is any value of ours that msgspec can write, and `develop` reads as the same type. It is
    written as answers are, so that `msgspec.Raw` gets the very bytes of an answer back.
    """
    return Picture(owner_id, key.seal_bytes(encode(shown), context=_context(object_id, seq)))


async def develop(
    tx: Tx,
    vault: Vault,
    changes: Collection[Change],
    type: type[T],  # noqa: A002  as msgspec has it
) -> Mapping[tuple[UUID, int], T]:
    """The pictures of these changes, of one organisation, by (object, number).

    Left out: changes without one, and those whose owner was erased.
    """
    owners = {each.picture.owner_id for each in changes if each.picture is not None}
    if not owners:
        return {}
    org_id = next(iter(changes)).org_id
    keys = await vault.find_many(tx, org_id, owners)
    return {
        (each.object_id, each.seq): keys[each.picture.owner_id].open(
            each.picture.sealed, context=_context(each.object_id, each.seq), type=type
        )
        for each in changes
        if each.picture is not None and each.picture.owner_id in keys
    }


def _context(object_id: UUID, seq: int) -> str:
    return f"changes.picture:{object_id}:{seq}"
