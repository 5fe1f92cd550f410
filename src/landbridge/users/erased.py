"""Whether a user was erased, for transactions that give something to the user."""

from uuid import UUID

from landbridge.db.pool import Tx
from landbridge.users import store


async def is_erased(tx: Tx, org_id: UUID, user_id: UUID) -> bool:
    """Whether the user's personal data was erased; there is no such user then either.

    The user's row is locked until the transaction ends: an erasure waits, and then finds what this
    transaction has begun.
    """
    found = await store.lock(tx, org_id, user_id)
    return found is None or found.card.erased_at is not None
