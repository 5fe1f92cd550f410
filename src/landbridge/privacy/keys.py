"""The data key of a user who has to have one."""

from uuid import UUID

from landbridge.core.errors import UserFrozen
from landbridge.db.pool import Tx
from landbridge.privacy.service import DataKey, Vault


def erased(user_id: UUID) -> UserFrozen:
    """The refusal of what needs the personal data of a user who has none left."""
    return UserFrozen(f"the personal data of user {user_id} was erased")


async def key_of(vault: Vault, tx: Tx, org_id: UUID, user_id: UUID) -> DataKey:
    """The data key of a user; raises `UserFrozen` for one who was erased, and so has none.

    After a row that holds its user is written, it says whether that row may stay: who was being
    erased was so before, or waits for us.
    """
    key = await vault.find(tx, org_id, user_id)
    if key is None:
        raise erased(user_id)
    return key
