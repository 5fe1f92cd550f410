"""Telling of users: each change with the picture of the user right after it."""

from collections.abc import Mapping
from typing import Any

from landbridge.changes.service import tell
from landbridge.db.pool import Tx
from landbridge.privacy.pictures import take
from landbridge.privacy.service import DataKey
from landbridge.users.model import USER_KIND, UserCard
from landbridge.users.shapes import user_reply
from landbridge.wallets.service import Wallets


async def tell_user(
    tx: Tx,
    wallets: Wallets,
    user: UserCard,
    actor: str,
    key: DataKey | None,
    *,
    facts: Mapping[str, Any] | None = None,
) -> None:
    """Tell what a user has become; `key` is the user's, None once erased: then nothing is shown."""
    picture = None
    if key is not None:
        shown = user_reply(user, await wallets.of_user(tx, user.org_id, user.id))
        picture = take(key, user.id, object_id=user.id, seq=user.version, shown=shown)
    await tell(
        tx,
        org_id=user.org_id,
        object_id=user.id,
        seq=user.version,
        kind=USER_KIND,
        what="create" if user.version == 1 else "update",
        actor=actor,
        at=user.updated_at,
        facts=facts,
        picture=picture,
    )
