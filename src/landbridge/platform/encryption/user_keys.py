"""Data key of a user who must not be erased."""

from uuid import UUID

from landbridge.platform.core.errors import UserFrozen
from landbridge.platform.db.pool import Tx
from landbridge.platform.encryption.service import DataKey, Vault


def erased(user_id: UUID) -> UserFrozen:
    """Return the error for an operation that needs the personal data of an erased user."""
    return UserFrozen(f"the personal data of user {user_id} was erased")


async def key_of(vault: Vault, tx: Tx, org_id: UUID, user_id: UUID) -> DataKey:
    """Return the data key of a user; raises `UserFrozen` for an erased user, who has none.

    Call it after writing a row that references the user: a concurrent erasure has either completed
    before, or waits for this transaction. A record without a user belongs to its organisation: pass
    the organisation's id to get its key.
    """
    if user_id == org_id:
        return await vault.make(tx, org_id, org_id)
    key = await vault.find(tx, org_id, user_id)
    if key is None:
        raise erased(user_id)
    return key
