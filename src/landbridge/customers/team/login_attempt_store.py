"""All SQL statements on login_attempts, which belong to no organisation."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from landbridge.platform.db.pool import Tx

# Counts an attempt in one statement, so that each concurrent attempt counts. It returns no row if
# the next attempt is not permitted yet. Earlier attempts count half after each half-life; the half
# attempt in the comparison allows for the decay between consecutive attempts. The decay ends after
# 64 half-lives: PostgreSQL refuses a power too small for a float, and old rows stay while no worker
# runs. The later timestamp is kept: of two concurrent attempts the one with the earlier timestamp
# may arrive second. Run again after an unacknowledged commit, the statement finds its own attempt
# by the timestamp, and counts no other. A stored time later than any delay comes from a clock that
# was set back since: it is ignored, otherwise nobody could sign in until then.
_TAKE = """
insert into login_attempts as t (subject_hash, attempts, last_attempt_at, locked_until)
values ($1, 1, $2, $2::timestamptz - $5::interval)
on conflict (subject_hash) do update
set (attempts, last_attempt_at, locked_until) = (
    select left_over.attempts + left_over.more, case
        when t.last_attempt_at > $2::timestamptz + $5::interval then $2::timestamptz
        else greatest(t.last_attempt_at, $2::timestamptz)
    end, case
        when left_over.more = 0 or left_over.attempts + 1 < $4::float - 0.5 then t.locked_until
        else $2::timestamptz + least(
            $5::interval, $6::interval * power(2, least(left_over.attempts + 1 - $4::float, 20))
        )
    end
    from (
        select t.attempts * power(0.5, least(greatest(
            extract(epoch from $2::timestamptz - t.last_attempt_at)::float
                / extract(epoch from $3::interval)::float, 0
        ), 64)) as attempts, (t.last_attempt_at <> $2::timestamptz)::int as more
    ) left_over
)
where t.locked_until <= $2::timestamptz or t.last_attempt_at = $2::timestamptz
    or t.last_attempt_at > $2::timestamptz + $5::interval
returning attempts
"""

_FREE_AT = "select locked_until from login_attempts where subject_hash = $1"

_FORGET = "delete from login_attempts where subject_hash = $1"

# Run again after an unacknowledged commit, this finds its own timestamp and has no effect.
_GIVE_BACK = """
update login_attempts
set attempts = greatest(attempts - 1, 0), locked_until = $2::timestamptz - interval '1 minute'
where subject_hash = $1 and locked_until <> $2::timestamptz - interval '1 minute'
"""

_SWEEP = "delete from login_attempts where last_attempt_at < $1"


@dataclass(frozen=True, slots=True)
class AttemptBackoff:
    """Backoff: `free` attempts without delay, then each delay is twice the previous one."""

    free: int
    half_life: timedelta
    pause: timedelta
    pause_max: timedelta


async def take(tx: Tx, subject_hash: bytes, *, at: datetime, slowing: AttemptBackoff) -> bool:
    """Count an attempt; False if it is too early and must be rejected.

    `at` must differ from that of every other attempt.
    """
    row = await tx.fetchval(
        _TAKE,
        subject_hash,
        at,
        slowing.half_life,
        slowing.free,
        slowing.pause_max,
        slowing.pause,
    )
    return row is not None


async def free_at(tx: Tx, subject_hash: bytes) -> datetime | None:
    """Return the time at which the next attempt is permitted."""
    return await tx.fetchval(_FREE_AT, subject_hash)


async def forget(tx: Tx, subject_hash: bytes) -> None:
    """Delete the count of attempts."""
    await tx.execute(_FORGET, subject_hash)


async def give_back(tx: Tx, subject_hash: bytes, at: datetime) -> None:
    """Subtract one attempt; `at` must differ from that of every other call."""
    await tx.execute(_GIVE_BACK, subject_hash, at)


async def sweep(tx: Tx, before: datetime) -> None:
    """Delete subjects with a last attempt before the cutoff."""
    await tx.execute(_SWEEP, before)
