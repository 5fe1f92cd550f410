"""Every statement on who asks outside, and when."""

from datetime import datetime, timedelta
from typing import Literal

from landbridge.db.pool import Row, Tx
from landbridge.db.proofs import prove

Name = Literal["reference", "market"]

# What is due far ahead of any turn was written by a clock that has been set back since.
_CLAIM = """
insert into rate_fetches (name, next_at, tried_at)
values ($1, $3, $2)
on conflict (name) do update set next_at = excluded.next_at, tried_at = excluded.tried_at
where rate_fetches.next_at <= excluded.tried_at or rate_fetches.next_at > $4
returning true
"""

_PROOF = "select 1 from rate_fetches where name = $1 and tried_at = $2"

_DONE = "update rate_fetches set done_at = $2, failure = null where name = $1"

_FAILED = "update rate_fetches set failure = $2 where name = $1"

# What two turns that are claimed at once may differ by.
_AHEAD = timedelta(minutes=1)

_FIND = "select next_at, tried_at, done_at, failure from rate_fetches where name = $1"


async def claim(tx: Tx, name: Name, *, at: datetime, next_at: datetime) -> bool:
    """Whether it is this caller's turn to ask; nobody else's before `next_at`.

    Both are the database's time, so that no process' clock keeps the others from asking.
    """
    if await tx.fetchval(_CLAIM, name, at, next_at, next_at + _AHEAD) is None:
        return False
    prove(_PROOF, name, at)
    return True


async def done(tx: Tx, name: Name, at: datetime) -> None:
    """Note that something came of it."""
    await tx.execute(_DONE, name, at)


async def failed(tx: Tx, name: Name, failure: str) -> None:
    """Note why nothing came of it."""
    await tx.execute(_FAILED, name, failure)


async def find(tx: Tx, name: Name) -> Row | None:
    """How the last try went."""
    return await tx.fetchrow(_FIND, name)
