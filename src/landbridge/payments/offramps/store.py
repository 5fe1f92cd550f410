"""SQL statements on offramp_texts."""

from uuid import UUID

from landbridge.platform.db.pool import Tx

_ADD = """
insert into offramp_texts (org_id, transfer_id, user_id, sealed_texts, file_ids)
values ($1, $2, $3, $4, $5)
"""

_FIND = "select sealed_texts from offramp_texts where org_id = $1 and transfer_id = $2"

_OF_USER = "select file_ids from offramp_texts where org_id = $1 and user_id = $2"

_FORGET = "delete from offramp_texts where org_id = $1 and user_id = $2"


async def add(
    tx: Tx,
    org_id: UUID,
    transfer_id: UUID,
    *,
    user_id: UUID,
    sealed_texts: bytes,
    file_ids: list[str],
) -> None:
    """Store the texts of an offramp that has none yet."""
    await tx.execute(_ADD, org_id, transfer_id, user_id, sealed_texts, file_ids)


async def find(tx: Tx, org_id: UUID, transfer_id: UUID) -> bytes | None:
    """Find the sealed texts of an offramp."""
    return await tx.fetchval(_FIND, org_id, transfer_id)


async def files_of_user(tx: Tx, org_id: UUID, user_id: UUID) -> list[str]:
    """List the ids of all files that a user's offramps name."""
    rows = await tx.fetch(_OF_USER, org_id, user_id)
    return [file_id for row in rows for file_id in row["file_ids"]]


async def forget(tx: Tx, org_id: UUID, user_id: UUID) -> None:
    """Delete the texts of a user's offramps."""
    await tx.execute(_FORGET, org_id, user_id)
