"""Change events of users, with a snapshot of the user after each change."""

from collections.abc import Mapping
from typing import Any

from landbridge.customers.users.model import USER_KIND, UserCard
from landbridge.customers.users.schemas import user_reply
from landbridge.customers.wallets.service import Wallets
from landbridge.platform.changes.service import append_change
from landbridge.platform.db.pool import Tx
from landbridge.platform.encryption.service import DataKey
from landbridge.platform.encryption.snapshots import seal_snapshot


async def add_change(
    tx: Tx,
    wallets: Wallets,
    user: UserCard,
    actor: str,
    key: DataKey | None,
    *,
    facts: Mapping[str, Any] | None = None,
) -> None:
    """Record a change of a user; `key` is the user's data key, None once that is erased."""
    snapshot = None
    if key is not None:
        reply = user_reply(user, await wallets.of_user(tx, user.org_id, user.id))
        snapshot = seal_snapshot(key, user.id, object_id=user.id, seq=user.version, payload=reply)
    await append_change(
        tx,
        org_id=user.org_id,
        object_id=user.id,
        seq=user.version,
        kind=USER_KIND,
        change_type="create" if user.version == 1 else "update",
        actor=actor,
        at=user.updated_at,
        facts=facts,
        snapshot=snapshot,
    )
