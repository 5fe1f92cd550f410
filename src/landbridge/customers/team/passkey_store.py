"""All SQL statements on passkeys and their challenges."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import write_row

_ADD = """
insert into passkeys
    (org_id, id, member_id, credential_id, public_key, sign_count, name, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (credential_id) do nothing
returning id
"""

# Has no condition on org_id: a sign-in with a passkey contains only its id.
_FIND = """
select org_id, id, member_id, public_key, sign_count
from passkeys
where credential_id = $1
"""

_OF = """
select id, name, credential_id, created_at, last_used_at
from passkeys
where org_id = $1 and member_id = $2
order by created_at, id
"""

# The counter must grow, except that authenticators without a counter always send 0.
_USE = """
update passkeys set sign_count = $4, last_used_at = $5
where org_id = $1 and id = $2 and member_id = $3 and (sign_count < $4 or $4 = 0 and sign_count = 0)
returning id
"""

_RENAME = """
update passkeys set name = $4 where org_id = $1 and id = $2 and member_id = $3
returning id
"""

_REMOVE = """
delete from passkeys where org_id = $1 and id = $2 and member_id = $3
returning id
"""

_DROP = "delete from passkeys where org_id = $1 and member_id = $2"

_ADD_CHALLENGE = """
insert into passkey_challenges (challenge_hash, browser_hash, expires_at) values ($1, $2, $3)
on conflict do nothing
"""

# A used challenge is stored with an expiry one day before its use. Run again after an
# unacknowledged commit, the statement finds its own use by that timestamp.
_TAKE_CHALLENGE = """
update passkey_challenges
set expires_at = $3::timestamptz - interval '1 day'
where challenge_hash = $1 and browser_hash = $2
    and (expires_at > $3 or expires_at = $3::timestamptz - interval '1 day')
returning challenge_hash
"""

_SWEEP = "delete from passkey_challenges where expires_at < $1"


@dataclass(frozen=True, slots=True)
class Passkey:
    """Passkey as shown to its owner."""

    id: UUID
    name: str
    credential_id: bytes
    created_at: datetime
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class PasskeyCredential:
    """Owner of a passkey, and the key that verifies its signatures."""

    org_id: UUID
    id: UUID
    member_id: UUID
    public_key: bytes
    sign_count: int


async def add(
    tx: Tx,
    found: PasskeyCredential,
    *,
    credential_id: bytes,
    name: str,
    at: datetime,
) -> bool:
    """Store a passkey; False if it is stored already."""
    inserted_id = await write_row(
        tx, _ADD, found, credential_id=credential_id, name=name, created_at=at
    )
    return inserted_id is not None


async def find(tx: Tx, credential_id: bytes) -> PasskeyCredential | None:
    """Return the passkey with this id, of any member."""
    row = await tx.fetchrow(_FIND, credential_id)
    if row is None:
        return None
    columns = (row["org_id"], row["id"], row["member_id"], row["public_key"], row["sign_count"])
    return PasskeyCredential(*columns)


async def of(tx: Tx, org_id: UUID, member_id: UUID) -> Sequence[Passkey]:
    """Return a member's passkeys, oldest first."""
    return [
        Passkey(
            row["id"], row["name"], row["credential_id"], row["created_at"], row["last_used_at"]
        )
        for row in await tx.fetch(_OF, org_id, member_id)
    ]


async def use(tx: Tx, found: PasskeyCredential, sign_count: int, at: datetime) -> bool:
    """Record a use; False if the passkey is removed, or a lower counter indicates a copy."""
    used = await tx.fetchval(_USE, found.org_id, found.id, found.member_id, sign_count, at)
    return used is not None


async def rename(tx: Tx, org_id: UUID, passkey_id: UUID, member_id: UUID, name: str) -> bool:
    """Rename a passkey; False if this member does not have it."""
    return await tx.fetchval(_RENAME, org_id, passkey_id, member_id, name) is not None


async def remove(tx: Tx, org_id: UUID, passkey_id: UUID, member_id: UUID) -> bool:
    """Delete a passkey; False if this member does not have it."""
    return await tx.fetchval(_REMOVE, org_id, passkey_id, member_id) is not None


async def drop(tx: Tx, org_id: UUID, member_id: UUID) -> None:
    """Delete all passkeys of a member."""
    await tx.execute(_DROP, org_id, member_id)


async def add_challenge(
    tx: Tx, challenge_hash: bytes, browser_hash: bytes, expires_at: datetime
) -> None:
    """Store a challenge for an authenticator."""
    await tx.execute(_ADD_CHALLENGE, challenge_hash, browser_hash, expires_at)


async def take_challenge(tx: Tx, challenge_hash: bytes, browser_hash: bytes, at: datetime) -> bool:
    """Consume a challenge; False if it is another browser's, already used or expired.

    `at` must differ from that of every other use.
    """
    return await tx.fetchval(_TAKE_CHALLENGE, challenge_hash, browser_hash, at) is not None


async def sweep(tx: Tx, before: datetime) -> None:
    """Delete expired challenges."""
    await tx.execute(_SWEEP, before)
