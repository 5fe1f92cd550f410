"""Statements on rate_fetches: which worker fetches rates, and when."""

from datetime import datetime, timedelta
from typing import Literal

from landbridge.platform.db.commit_proofs import register_commit_proof
from landbridge.platform.db.pool import Row, Tx

Name = Literal["reference", "market"]

# A due time further ahead than any claim comes from a clock that has since been set back.
_CLAIM = """
insert into rate_fetches (name, next_fetch_at, attempted_at)
values ($1, $3, $2)
on conflict (name) do update set next_fetch_at = excluded.next_fetch_at,
attempted_at = excluded.attempted_at
where rate_fetches.next_fetch_at <= excluded.attempted_at or rate_fetches.next_fetch_at > $4
returning true
"""

_PROOF = "select 1 from rate_fetches where name = $1 and attempted_at = $2"

_DONE = "update rate_fetches set succeeded_at = $2, failure = null where name = $1"

_FAILED = "update rate_fetches set failure = $2 where name = $1"

# Tolerated difference between two claims at the same time.
_AHEAD = timedelta(minutes=1)

_FIND = (
    "select next_fetch_at, attempted_at, succeeded_at, failure from rate_fetches where name = $1"
)


async def claim(tx: Tx, name: Name, *, at: datetime, next_at: datetime) -> bool:
    """Claim a fetch; return False if another worker has claimed it until its `next_at`.

    Both times are the database's, so that a process with a wrong clock does not block the others.
    """
    if await tx.fetchval(_CLAIM, name, at, next_at, next_at + _AHEAD) is None:
        return False
    register_commit_proof(_PROOF, name, at)
    return True


async def done(tx: Tx, name: Name, at: datetime) -> None:
    """Record that a fetch has succeeded."""
    await tx.execute(_DONE, name, at)


async def failed(tx: Tx, name: Name, failure: str) -> None:
    """Record the reason for which a fetch has failed."""
    await tx.execute(_FAILED, name, failure)


async def find(tx: Tx, name: Name) -> Row | None:
    """Return the result of the last fetch; None if there was none."""
    return await tx.fetchrow(_FIND, name)
