"""Every statement on sign_in_tries, which belong to no organisation."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from landbridge.db.pool import Tx

# In one statement, so that many at once are many, not one. Nothing where it is not free yet. What
# was tried before counts half after each half-life; the half try in the comparison is for the
# little that fades between tries in a row. What is free has been so for a while: of two at once the
# one that looked at the clock first may come second. Run again after a commit that was not
# acknowledged, it finds its own try by the moment, and counts no other.
_TAKE = """
insert into sign_in_tries as t (subject_hash, tries, last_at, free_at)
values ($1, 1, $2, $2::timestamptz - $5::interval)
on conflict (subject_hash) do update
set (tries, last_at, free_at) = (
    select left_over.tries + left_over.more, greatest(t.last_at, $2::timestamptz), case
        when left_over.more = 0 or left_over.tries + 1 < $4::float - 0.5 then t.free_at
        else $2::timestamptz + least(
            $5::interval, $6::interval * power(2, least(left_over.tries + 1 - $4::float, 20))
        )
    end
    from (
        select t.tries * power(0.5, greatest(
            extract(epoch from $2::timestamptz - t.last_at)::float
                / extract(epoch from $3::interval)::float, 0
        )) as tries, (t.last_at <> $2::timestamptz)::int as more
    ) left_over
)
where t.free_at <= $2::timestamptz or t.last_at = $2::timestamptz
returning tries
"""

_FREE_AT = "select free_at from sign_in_tries where subject_hash = $1"

_FORGET = "delete from sign_in_tries where subject_hash = $1"

# Run again after a commit that was not acknowledged, it finds its own moment and does nothing.
_GIVE_BACK = """
update sign_in_tries
set tries = greatest(tries - 1, 0), free_at = $2::timestamptz - interval '1 minute'
where subject_hash = $1 and free_at <> $2::timestamptz - interval '1 minute'
"""

_SWEEP = "delete from sign_in_tries where last_at < $1"


@dataclass(frozen=True, slots=True)
class Slowing:
    """How tries slow down: so many are `free`, then each takes a pause, twice the one before."""

    free: int
    half_life: timedelta
    pause: timedelta
    pause_max: timedelta


async def take(tx: Tx, subject_hash: bytes, *, at: datetime, slowing: Slowing) -> bool:
    """Count a try; False if it comes too soon, and is not to be made.

    `at` is a moment that no other try has.
    """
    taken = await tx.fetchval(
        _TAKE,
        *(subject_hash, at, slowing.half_life),
        *(slowing.free, slowing.pause_max, slowing.pause),
    )
    return taken is not None


async def free_at(tx: Tx, subject_hash: bytes) -> datetime | None:
    """When the next try is taken."""
    return await tx.fetchval(_FREE_AT, subject_hash)


async def forget(tx: Tx, subject_hash: bytes) -> None:
    """Begin anew."""
    await tx.execute(_FORGET, subject_hash)


async def give_back(tx: Tx, subject_hash: bytes, at: datetime) -> None:
    """Subtract one try; `at` is a moment that no other call has."""
    await tx.execute(_GIVE_BACK, subject_hash, at)


async def sweep(tx: Tx, before: datetime) -> None:
    """Forget what was tried last before that."""
    await tx.execute(_SWEEP, before)
