"""All SQL statements on one-time codes and recovery codes."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Tx

_PUT = """
insert into totp_secrets (org_id, member_id, sealed_secret, created_at, last_step)
values ($1, $2, $3, $4, 0)
on conflict (org_id, member_id) do update
set sealed_secret = excluded.sealed_secret, created_at = excluded.created_at, last_step = 0
where totp_secrets.confirmed_at is null
returning member_id
"""

_FIND = """
select sealed_secret, confirmed_at, last_step
from totp_secrets
where org_id = $1 and member_id = $2
for update
"""

_HAS = """
select exists (
    select from totp_secrets where org_id = $1 and member_id = $2 and confirmed_at is not null
)
"""

_TAKE = """
update totp_secrets set last_step = $3, confirmed_at = coalesce(confirmed_at, $4)
where org_id = $1 and member_id = $2 and last_step < $3
returning member_id
"""

_DROP_TOTP = "delete from totp_secrets where org_id = $1 and member_id = $2"

_ADD_CODES = """
insert into recovery_codes (org_id, member_id, code_hash)
select $1, $2, hash from unnest($3::bytea[]) as i (hash)
"""

_COUNT_CODES = """
select count(code_hash) from recovery_codes where org_id = $1 and member_id = $2
"""

_TAKE_CODE = """
delete from recovery_codes where org_id = $1 and member_id = $2 and code_hash = $3
returning member_id
"""

_DROP_CODES = "delete from recovery_codes where org_id = $1 and member_id = $2"


@dataclass(frozen=True, slots=True)
class SealedTotp:
    """Encrypted secret, and the time step of the last accepted code."""

    secret: bytes
    confirmed_at: datetime | None
    last_step: int


async def put(tx: Tx, org_id: UUID, member_id: UUID, sealed: bytes, at: datetime) -> bool:
    """Store an unconfirmed secret; False if the member already has a confirmed one."""
    return await tx.fetchval(_PUT, org_id, member_id, sealed, at) is not None


async def find(tx: Tx, org_id: UUID, member_id: UUID) -> SealedTotp | None:
    """Return the secret, locked until the transaction ends."""
    row = await tx.fetchrow(_FIND, org_id, member_id)
    if row is None:
        return None
    return SealedTotp(row["sealed_secret"], row["confirmed_at"], row["last_step"])


async def has(tx: Tx, org_id: UUID, member_id: UUID) -> bool:
    """Return whether a member needs a code to sign in."""
    return await tx.fetchval(_HAS, org_id, member_id)


async def take(tx: Tx, org_id: UUID, member_id: UUID, step: int, at: datetime) -> bool:
    """Consume a time step's code, and confirm the secret; False if this or a later one was."""
    return await tx.fetchval(_TAKE, org_id, member_id, step, at) is not None


async def put_codes(tx: Tx, org_id: UUID, member_id: UUID, hashes: Collection[bytes]) -> None:
    """Replace the stored recovery codes."""
    await tx.execute(_DROP_CODES, org_id, member_id)
    await tx.execute(_ADD_CODES, org_id, member_id, list(hashes))


async def codes_left(tx: Tx, org_id: UUID, member_id: UUID) -> int:
    """Return the number of unused recovery codes."""
    return await tx.fetchval(_COUNT_CODES, org_id, member_id)


async def take_code(tx: Tx, org_id: UUID, member_id: UUID, code_hash: bytes) -> bool:
    """Consume a recovery code; False if it does not exist."""
    return await tx.fetchval(_TAKE_CODE, org_id, member_id, code_hash) is not None


async def drop(tx: Tx, org_id: UUID, member_id: UUID) -> None:
    """Delete a member's secret and recovery codes."""
    await tx.execute(_DROP_TOTP, org_id, member_id)
    await tx.execute(_DROP_CODES, org_id, member_id)
