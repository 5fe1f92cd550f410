"""SQL statements on rules, counters and usage per payment."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from landbridge.payments.limits.model import CounterUsage, UsageCounter, UsageIncrement
from landbridge.platform.db.pool import Row, Tx

_RULES = "select document, version, set_at from limit_rules where org_id = $1"

_RULES_FOR_SHARE = f"{_RULES} for share"

_RULES_FOR_UPDATE = f"{_RULES} for update"

# Returns no row if the rules are unchanged, or if the version in force is not $4.
_SET_RULES = """
insert into limit_rules (org_id, document, version, set_at, is_counted)
values ($1, $2, 1, $3, false)
on conflict (org_id) do update
set document = excluded.document, version = limit_rules.version + 1, set_at = excluded.set_at,
    is_counted = false
where limit_rules.document <> excluded.document
    and ($4::integer is null or limit_rules.version = $4)
returning version
"""

_UNCOUNTED = """
select org_id, version, set_at
from limit_rules
where org_id = any($1::uuid[]) and not is_counted
"""

_SET_COUNTED = "update limit_rules set is_counted = true where org_id = $1 and version = $2"

_ADD_USES = """
insert into limit_usage (org_id, record_id, counter_id, subject_id, period, usd, occurred_at,
    next_check_at)
select $1, record_id, counter_id, subject_id, period, usd, occurred_at, occurred_at
from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::date[], $6::numeric[], $7::timestamptz[])
    as i (record_id, counter_id, subject_id, period, usd, occurred_at)
order by record_id
on conflict (org_id, record_id, counter_id, subject_id, period) do nothing
returning record_id, counter_id, subject_id, period
"""

# Adds and returns the new values in one statement, in key order, so that the rows stay locked for
# other transactions until this one ends.
_ADD = """
insert into limit_counters
    (org_id, counter_id, subject_id, period, usd, payment_count, updated_at)
select $1, counter_id, subject_id, period, usd, payment_count, $2
from unnest($3::uuid[], $4::uuid[], $5::date[], $6::numeric[], $7::int[])
    as i (counter_id, subject_id, period, usd, payment_count)
order by counter_id, subject_id, period
on conflict (org_id, counter_id, subject_id, period) do update
set usd = limit_counters.usd + excluded.usd,
    payment_count = limit_counters.payment_count + excluded.payment_count,
    updated_at = greatest(limit_counters.updated_at, excluded.updated_at)
returning counter_id, subject_id, period, usd, payment_count
"""

_USED = """
select c.counter_id, c.subject_id, c.period, c.usd, c.payment_count
from unnest($2::uuid[], $3::uuid[], $4::date[]) as i (counter_id, subject_id, period)
join limit_counters c on c.org_id = $1 and c.counter_id = i.counter_id
    and c.subject_id = i.subject_id and c.period = i.period
"""

# Payments that are due for a check; `is_good` is null if the payment is open. Of each organisation
# at most 100 rows are read, the longest waiting first. This bound is a literal, and each record is
# looked up separately, so that the planner never reads all rows.
_DUE_CHECKS = """
select o.org_id, u.record_id, u.next_check_at, (
    select e.is_good
    from transfers t
    join unnest($3::text[], $4::text[], $5::bool[]) as e (kind, status, is_good)
        on e.kind = t.kind and e.status = t.status
    where t.org_id = o.org_id and t.id = u.record_id
) as is_good
from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, now)
cross join lateral (
    select l.record_id, l.next_check_at
    from limit_usage l
    where l.org_id = o.org_id and l.next_check_at <= o.now and not l.is_final
    order by l.next_check_at
    limit 100
) u
"""

# The bound in `_DUE_CHECKS`.
CHECK_BATCH_SIZE = 100

# Schedules the next check after a tenth of the payment's age, within bounds. The sub-select locks
# in one order, because several workers may check the same rows. The ids are joined, here and below,
# because `any` of an array would be compared with every open row.
_RESCHEDULE_CHECKS = """
update limit_usage u
set next_check_at = (
    ($3::timestamptz at time zone 'UTC')
    + least(greatest(($3::timestamptz - u.occurred_at) / 10, $4::interval), $5::interval)
) at time zone 'UTC'
from (
    select l.org_id, l.record_id, l.counter_id, l.subject_id, l.period
    from unnest($2::uuid[]) as i (record_id)
    join limit_usage l on l.org_id = $1 and l.record_id = i.record_id and not l.is_final
    order by l.record_id, l.counter_id, l.subject_id, l.period
    for update of l
) l
where u.org_id = l.org_id and u.record_id = l.record_id and u.counter_id = l.counter_id
    and u.subject_id = l.subject_id and u.period = l.period
"""

# The time of the check is compared, because a payment that was reopened since then has another one.
_MAKE_FINAL = """
update limit_usage u
set is_final = true
from unnest($2::uuid[], $3::timestamptz[]) as i (record_id, next_check_at)
where u.org_id = $1 and u.record_id = i.record_id and u.next_check_at = i.next_check_at
    and not u.is_final
"""

# The sub-select locks in the order of `_RESCHEDULE_CHECKS`.
_REOPEN = """
update limit_usage u
set is_final = false, next_check_at = $3
from (
    select l.org_id, l.record_id, l.counter_id, l.subject_id, l.period
    from limit_usage l
    where l.org_id = $1 and l.record_id = $2
    order by l.counter_id, l.subject_id, l.period
    for update of l
) l
where u.org_id = l.org_id and u.record_id = l.record_id and u.counter_id = l.counter_id
    and u.subject_id = l.subject_id and u.period = l.period
"""

_TAKE_USES = """
delete from limit_usage
where org_id = $1 and record_id = $2 and not is_final
returning counter_id, subject_id, period, usd
"""

# The sub-select locks in key order, like `_ADD`.
_GIVE_BACK = """
update limit_counters c
set usd = c.usd - i.usd, payment_count = c.payment_count - 1
from (
    select l.org_id, l.counter_id, l.subject_id, l.period, u.usd
    from unnest($2::uuid[], $3::uuid[], $4::date[], $5::numeric[])
        as u (counter_id, subject_id, period, usd)
    join limit_counters l on l.org_id = $1 and l.counter_id = u.counter_id
        and l.subject_id = u.subject_id and l.period = u.period
    order by l.counter_id, l.subject_id, l.period
    for update of l
) i
where c.org_id = i.org_id and c.counter_id = i.counter_id and c.subject_id = i.subject_id
    and c.period = i.period
"""

_SWEEP_USES = """
delete from limit_usage
where org_id = $1 and (record_id, counter_id, subject_id, period) in (
    select record_id, counter_id, subject_id, period
    from limit_usage
    where org_id = $1 and occurred_at < $2 and is_final
    limit $3
)
"""

_SWEEP_COUNTERS = """
delete from limit_counters
where org_id = $1 and (counter_id, subject_id, period) in (
    select counter_id, subject_id, period
    from limit_counters
    where org_id = $1 and updated_at < $2
    limit $3
)
"""


@dataclass(frozen=True, slots=True)
class StoredRules:
    """Row of `limit_rules`; `document` is JSON."""

    document: str
    version: int
    set_at: datetime


async def rules(tx: Tx, org_id: UUID) -> StoredRules | None:
    """Return the rules of an organisation; None if none were ever set."""
    return _stored(await tx.fetchrow(_RULES, org_id))


async def lock_rules_shared(tx: Tx, org_id: UUID) -> StoredRules | None:
    """Return the rules, locked against changes until this transaction ends."""
    return _stored(await tx.fetchrow(_RULES_FOR_SHARE, org_id))


async def lock_rules(tx: Tx, org_id: UUID) -> StoredRules | None:
    """Return the rules, locked for a change in this transaction."""
    return _stored(await tx.fetchrow(_RULES_FOR_UPDATE, org_id))


async def set_rules(
    tx: Tx, org_id: UUID, document: str, at: datetime, *, instead_of: int | None
) -> int | None:
    """Store rules and return their version.

    Return None if the rules are unchanged, or if version `instead_of` is no longer in force.
    """
    return await tx.fetchval(_SET_RULES, org_id, document, at, instead_of)


async def uncounted(tx: Tx, org_ids: Collection[UUID]) -> list[tuple[UUID, int, datetime]]:
    """List rules with payments that are not counted yet: organisation, version, time of setting."""
    rows = await tx.fetch(_UNCOUNTED, list(org_ids))
    return [(row["org_id"], row["version"], row["set_at"]) for row in rows]


async def set_counted(tx: Tx, org_id: UUID, version: int) -> None:
    """Record that all payments are counted under this version, unless there is a newer one."""
    await tx.execute(_SET_COUNTED, org_id, version)


async def add_usage(
    tx: Tx, org_id: UUID, uses: Sequence[UsageIncrement]
) -> frozenset[tuple[UUID, UsageCounter]]:
    """Store usage of payments; return the new (record, counter) pairs."""
    rows = await tx.fetch(
        _ADD_USES,
        org_id,
        [each.record_id for each in uses],
        *_keys([each.counter for each in uses]),
        [each.usd for each in uses],
        [each.at for each in uses],
    )
    return frozenset((row["record_id"], _counter(row)) for row in rows)


async def add(
    tx: Tx, org_id: UUID, sums: Mapping[UsageCounter, CounterUsage], at: datetime
) -> dict[UsageCounter, CounterUsage]:
    """Add to counters; return their new values."""
    rows = await tx.fetch(
        _ADD,
        org_id,
        at,
        *_keys(sums),
        [each.usd for each in sums.values()],
        [each.payment_count for each in sums.values()],
    )
    return {_counter(row): _used(row) for row in rows}


async def used(
    tx: Tx, org_id: UUID, counters: Collection[UsageCounter]
) -> dict[UsageCounter, CounterUsage]:
    """Return the values of these counters; one without a row is omitted."""
    return {_counter(row): _used(row) for row in await tx.fetch(_USED, org_id, *_keys(counters))}


async def list_due_checks(
    tx: Tx, nows: Mapping[UUID, datetime], ends: Sequence[tuple[str, str, bool]]
) -> list[tuple[UUID, UUID, datetime, bool | None]]:
    """List due checks: (organisation, record, `next_check_at`, whether it succeeded).

    Success is None for an open payment. A payment is listed once per usage row, of which at most
    `CHECK_BATCH_SIZE` are read per organisation. `ends` has every final status: its kind, its
    status, and whether it is a success.
    """
    kinds, statuses = [kind for kind, _, _ in ends], [status for _, status, _ in ends]
    good = [is_good for _, _, is_good in ends]
    rows = await tx.fetch(_DUE_CHECKS, list(nows), list(nows.values()), kinds, statuses, good)
    return [(row["org_id"], row["record_id"], row["next_check_at"], row["is_good"]) for row in rows]


async def reschedule_checks(
    tx: Tx,
    org_id: UUID,
    record_ids: Collection[UUID],
    *,
    now: datetime,
    soonest: timedelta,
    latest: timedelta,
) -> None:
    """Schedule the next check of these payments after a tenth of their age, within bounds."""
    await tx.execute(_RESCHEDULE_CHECKS, org_id, list(record_ids), now, soonest, latest)


async def make_final(tx: Tx, org_id: UUID, checked: Collection[tuple[UUID, datetime]]) -> None:
    """Make the usage of these payments final; each is (record, `next_check_at`) as checked."""
    await tx.execute(_MAKE_FINAL, org_id, [each for each, _ in checked], [at for _, at in checked])


async def reopen(tx: Tx, org_id: UUID, record_id: UUID, at: datetime) -> None:
    """Reopen the final usage of a payment for checks."""
    await tx.execute(_REOPEN, org_id, record_id, at)


async def delete_usage(tx: Tx, org_id: UUID, record_id: UUID) -> dict[UsageCounter, Decimal]:
    """Delete and return the usage of a payment; empty if it was deleted concurrently."""
    return {_counter(row): row["usd"] for row in await tx.fetch(_TAKE_USES, org_id, record_id)}


async def subtract(
    tx: Tx, org_id: UUID, counter_increments: Mapping[UsageCounter, Decimal]
) -> None:
    """Subtract one payment, with its amount, from each of these counters."""
    await tx.execute(
        _GIVE_BACK, org_id, *_keys(counter_increments), list(counter_increments.values())
    )


async def sweep(tx: Tx, org_id: UUID, before: datetime, limit: int) -> int:
    """Delete old usage and counters, at most `limit` rows of each; return how many in all."""
    tags = [
        await tx.execute(_SWEEP_USES, org_id, before, limit),
        await tx.execute(_SWEEP_COUNTERS, org_id, before, limit),
    ]
    return sum(int(tag.rpartition(" ")[2]) for tag in tags)


def _stored(row: Row | None) -> StoredRules | None:
    return None if row is None else StoredRules(row["document"], row["version"], row["set_at"])


def _keys(counters: Collection[UsageCounter]) -> tuple[list[object], ...]:
    return (
        [each.counter_id for each in counters],
        [each.subject_id for each in counters],
        [each.period for each in counters],
    )


def _counter(row: Row) -> UsageCounter:
    return UsageCounter(row["counter_id"], row["subject_id"], row["period"])


def _used(row: Row) -> CounterUsage:
    return CounterUsage(row["usd"], row["payment_count"])
