"""Every statement on rules, on what was used of them, and on what each payment uses."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from landbridge.db.pool import Row, Tx
from landbridge.limits.model import Counter, Use, Used

_RULES = "select document, version, set_at from limit_rules where org_id = $1"

# Answers nothing if these are the rules already, or if others were set than those of version $4.
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
insert into limit_uses (org_id, record_id, counter_id, subject_id, period, usd, at, look_at)
select $1, record_id, counter_id, subject_id, period, usd, at, at
from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::date[], $6::numeric[], $7::timestamptz[])
    as i (record_id, counter_id, subject_id, period, usd, at)
order by record_id
on conflict (org_id, record_id, counter_id, subject_id, period) do nothing
returning record_id, counter_id, subject_id, period
"""

# One statement takes and answers what stands there then, in the order of the keys: nobody else
# reads or adds until this transaction ends.
_ADD = """
insert into limit_counters
    (org_id, counter_id, subject_id, period, usd, payment_count, touched_at)
select $1, counter_id, subject_id, period, usd, payment_count, $2
from unnest($3::uuid[], $4::uuid[], $5::date[], $6::numeric[], $7::int[])
    as i (counter_id, subject_id, period, usd, payment_count)
order by counter_id, subject_id, period
on conflict (org_id, counter_id, subject_id, period) do update
set usd = limit_counters.usd + excluded.usd,
    payment_count = limit_counters.payment_count + excluded.payment_count,
    touched_at = greatest(limit_counters.touched_at, excluded.touched_at)
returning counter_id, subject_id, period, usd, payment_count
"""

_USED = """
select c.counter_id, c.subject_id, c.period, c.usd, c.payment_count
from unnest($2::uuid[], $3::uuid[], $4::date[]) as i (counter_id, subject_id, period)
join limit_counters c on c.org_id = $1 and c.counter_id = i.counter_id
    and c.subject_id = i.subject_id and c.period = i.period
"""

# Whether records that are to be looked at have come to an end, and whether well: a bounded number
# of uses of each organisation, those first that wait longest. The bound is written out, and the
# record is looked up for each, so that no plan reads them all.
_LOOK = """
select o.org_id, u.record_id, u.look_at, (
    select e.is_good
    from transfers t
    join unnest($3::text[], $4::text[], $5::bool[]) as e (kind, status, is_good)
        on e.kind = t.kind and e.status = t.status
    where t.org_id = o.org_id and t.id = u.record_id
) as is_good
from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, now)
cross join lateral (
    select l.record_id, l.look_at
    from limit_uses l
    where l.org_id = o.org_id and l.look_at <= o.now and not l.is_final
    order by l.look_at
    limit 100
) u
"""

# As above.
LOOK_SIZE = 100

# A tenth of its age later, within bounds. The sub-select locks in one order, since several workers
# may look at the same. Records are joined, here and below: as an array they are looked for among
# all that are open.
_LOOK_AGAIN = """
update limit_uses u
set look_at = $3::timestamptz
    + least(greatest(($3::timestamptz - u.at) / 10, $4::interval), $5::interval)
from (
    select l.org_id, l.record_id, l.counter_id, l.subject_id, l.period
    from unnest($2::uuid[]) as i (record_id)
    join limit_uses l on l.org_id = $1 and l.record_id = i.record_id and not l.is_final
    order by l.record_id, l.counter_id, l.subject_id, l.period
    for update of l
) l
where u.org_id = l.org_id and u.record_id = l.record_id and u.counter_id = l.counter_id
    and u.subject_id = l.subject_id and u.period = l.period
"""

# Only as they were looked at: a payment that was reopened since has another `look_at`.
_MAKE_FINAL = """
update limit_uses u
set is_final = true
from unnest($2::uuid[], $3::timestamptz[]) as i (record_id, look_at)
where u.org_id = $1 and u.record_id = i.record_id and u.look_at = i.look_at and not u.is_final
"""

# The sub-select locks in one order, as `_LOOK_AGAIN` does.
_REOPEN = """
update limit_uses u
set is_final = false, look_at = $3
from (
    select l.org_id, l.record_id, l.counter_id, l.subject_id, l.period
    from limit_uses l
    where l.org_id = $1 and l.record_id = $2
    order by l.counter_id, l.subject_id, l.period
    for update of l
) l
where u.org_id = l.org_id and u.record_id = l.record_id and u.counter_id = l.counter_id
    and u.subject_id = l.subject_id and u.period = l.period
"""

_TAKE_USES = """
delete from limit_uses
where org_id = $1 and record_id = $2 and not is_final
returning counter_id, subject_id, period, usd
"""

# The sub-select locks in the order of the keys, as `_ADD` does.
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
delete from limit_uses
where org_id = $1 and (record_id, counter_id, subject_id, period) in (
    select record_id, counter_id, subject_id, period
    from limit_uses
    where org_id = $1 and at < $2 and is_final
    limit $3
)
"""

_SWEEP_COUNTERS = """
delete from limit_counters
where org_id = $1 and (counter_id, subject_id, period) in (
    select counter_id, subject_id, period
    from limit_counters
    where org_id = $1 and touched_at < $2
    limit $3
)
"""


@dataclass(frozen=True, slots=True)
class Stored:
    """Rules as they are kept; `document` is JSON."""

    document: str
    version: int
    set_at: datetime


async def rules(tx: Tx, org_id: UUID) -> Stored | None:
    """The rules of an organisation, if it ever set any."""
    row = await tx.fetchrow(_RULES, org_id)
    return None if row is None else Stored(row["document"], row["version"], row["set_at"])


async def set_rules(
    tx: Tx, org_id: UUID, document: str, at: datetime, *, instead_of: int | None
) -> int | None:
    """The version that this wrote.

    None if these are the rules already, or if those of version `instead_of` hold no more.
    """
    return await tx.fetchval(_SET_RULES, org_id, document, at, instead_of)


async def uncounted(tx: Tx, org_ids: Collection[UUID]) -> list[tuple[UUID, int, datetime]]:
    """(organisation, version, when it was set) of rules whose payments are to be counted."""
    rows = await tx.fetch(_UNCOUNTED, list(org_ids))
    return [(row["org_id"], row["version"], row["set_at"]) for row in rows]


async def set_counted(tx: Tx, org_id: UUID, version: int) -> None:
    """All payments are counted under this version, unless there is a newer one."""
    await tx.execute(_SET_COUNTED, org_id, version)


async def add_uses(tx: Tx, org_id: UUID, uses: Sequence[Use]) -> frozenset[tuple[UUID, Counter]]:
    """Write what payments use; answers those (record, counter) that were not there before."""
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
    tx: Tx, org_id: UUID, sums: Mapping[Counter, Used], at: datetime
) -> dict[Counter, Used]:
    """Add to counters; answers what stands there then."""
    rows = await tx.fetch(
        _ADD,
        org_id,
        at,
        *_keys(sums),
        [each.usd for each in sums.values()],
        [each.payment_count for each in sums.values()],
    )
    return {_counter(row): _used(row) for row in rows}


async def used(tx: Tx, org_id: UUID, counters: Collection[Counter]) -> dict[Counter, Used]:
    """What stands in these; one without a row is left out."""
    rows = await tx.fetch(_USED, org_id, *_keys(counters))
    return {_counter(row): _used(row) for row in rows}


async def look(
    tx: Tx, nows: Mapping[UUID, datetime], ends: Sequence[tuple[str, str, bool]]
) -> list[tuple[UUID, UUID, datetime, bool | None]]:
    """(organisation, record, `look_at`, whether it ended well) of uses to be looked at by now.

    None for a payment that has not come to an end; a payment is told of once for each of its uses,
    at most `LOOK_SIZE` in an organisation. `ends` are kind and status of every end, and whether it
    is a good one.
    """
    kinds, statuses = [kind for kind, _, _ in ends], [status for _, status, _ in ends]
    good = [is_good for _, _, is_good in ends]
    rows = await tx.fetch(_LOOK, list(nows), list(nows.values()), kinds, statuses, good)
    return [(row["org_id"], row["record_id"], row["look_at"], row["is_good"]) for row in rows]


async def look_again(
    tx: Tx,
    org_id: UUID,
    record_ids: Collection[UUID],
    *,
    now: datetime,
    soonest: timedelta,
    latest: timedelta,
) -> None:
    """Look at these again when they are a tenth older, within bounds."""
    await tx.execute(_LOOK_AGAIN, org_id, list(record_ids), now, soonest, latest)


async def make_final(tx: Tx, org_id: UUID, looked_at: Collection[tuple[UUID, datetime]]) -> None:
    """What these payments use stays used; each is (record, `look_at`) as it was looked at."""
    await tx.execute(
        _MAKE_FINAL, org_id, [each for each, _ in looked_at], [at for _, at in looked_at]
    )


async def reopen(tx: Tx, org_id: UUID, record_id: UUID, at: datetime) -> None:
    """Look again at what a payment uses that was through."""
    await tx.execute(_REOPEN, org_id, record_id, at)


async def take_uses(tx: Tx, org_id: UUID, record_id: UUID) -> dict[Counter, Decimal]:
    """Remove what a payment uses, and answer it; empty if somebody else was first."""
    rows = await tx.fetch(_TAKE_USES, org_id, record_id)
    return {_counter(row): row["usd"] for row in rows}


async def give_back(tx: Tx, org_id: UUID, claims: Mapping[Counter, Decimal]) -> None:
    """Take one payment out of each counter."""
    await tx.execute(_GIVE_BACK, org_id, *_keys(claims), list(claims.values()))


async def sweep(tx: Tx, org_id: UUID, before: datetime, limit: int) -> int:
    """Remove uses and counters of before this; how many, at most `limit` of each."""
    tags = [
        await tx.execute(_SWEEP_USES, org_id, before, limit),
        await tx.execute(_SWEEP_COUNTERS, org_id, before, limit),
    ]
    return sum(int(tag.rpartition(" ")[2]) for tag in tags)


def _keys(counters: Collection[Counter]) -> tuple[list[object], ...]:
    return (
        [each.counter_id for each in counters],
        [each.subject_id for each in counters],
        [each.period for each in counters],
    )


def _counter(row: Row) -> Counter:
    return Counter(row["counter_id"], row["subject_id"], row["period"])


def _used(row: Row) -> Used:
    return Used(row["usd"], row["payment_count"])
