"""Statements of `landbridge check`. They read everything and write nothing.

Each check is one statement that selects wrong rows: (org_id, key, sentence), limited to some of
them, and the number of all of them. Parameters: $1 an organisation, or null for all; $2 the
maximum number of rows to return.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Row, Tx

_BEGIN = (
    "set transaction isolation level repeatable read, read only",
    # Sorting and hashing millions of rows takes long; the read-only snapshot blocks nobody.
    "set local statement_timeout = '4h'",
    "set local work_mem = '64MB'",
    # With the organisation as a constant, the planner uses the index that begins with it.
    "set local plan_cache_mode = force_custom_plan",
    # The planner takes a table that was never analyzed for a handful of rows and chooses nested
    # loops: 21 s for 6,000 payments that hash joins read in 0.1 s.
    "set local enable_nestloop = off",
)

COUNTS = """
select
    (select count(*) from entries where org_id = $1 or $1::uuid is null) as entries,
    (select count(*) from accounts where org_id = $1 or $1::uuid is null) as accounts,
    (select count(*) from transfers where org_id = $1 or $1::uuid is null) as transfers,
    (select count(*) from changes where org_id = $1 or $1::uuid is null) as changes,
    (select count(*) from house_accounts where org_id = $1 or $1::uuid is null) as house_accounts
"""

JOURNALS = """
select org_id, format('%s/%s', transfer_id, seq) as key, count(*) over () as wrong,
    format('the journal of change %s sums to %s of %s', seq, units, asset) as sentence
from (
    select org_id, transfer_id, seq, asset, sum(available + held) as units
    from entries
    where org_id = $1 or $1::uuid is null
    group by org_id, transfer_id, seq, asset
) as journals
where units <> 0
limit $2
"""

ENTRIES = """
select e.org_id, format('%s/%s/%s', e.transfer_id, e.seq, e.line) as key,
    count(*) over () as wrong,
    case
        when c.object_id is null then format('the entry belongs to no change %s', e.seq)
        when e.account_id is null and coalesce(e.role <> all ($3::text[]), true)
            then format('%s is no house account', coalesce(e.role, 'the entry'))
        when e.role is not null and e.account_id is not null
            then format('the entry moves both %s and account %s', e.role, e.account_id)
        when e.account_id is not null and a.id is null
            then format('the entry moves account %s, which does not exist', e.account_id)
        when e.occurred_at <> c.occurred_at
            then format('the entry is of %s, its change of %s', e.occurred_at, c.occurred_at)
        else format('the entry moves %s on account %s of %s', e.asset, a.id, a.asset)
    end as sentence
from entries e
left join changes c on c.org_id = e.org_id and c.object_id = e.transfer_id and c.seq = e.seq
left join accounts a on a.org_id = e.org_id and a.id = e.account_id
where (e.org_id = $1 or $1::uuid is null)
    and (
        c.object_id is null
        or (e.account_id is null and coalesce(e.role <> all ($3::text[]), true))
        or (e.account_id is not null and (a.id is null or a.asset <> e.asset))
        or num_nonnulls(e.account_id, e.role) <> 1
        or e.occurred_at <> c.occurred_at
    )
limit $2
"""

ACCOUNTS = """
select a.org_id, a.id::text as key, count(*) over () as wrong,
    format(
        'the account has %s available and %s held of %s, its entries sum to %s and %s',
        a.available, a.held, a.asset, coalesce(s.available, 0), coalesce(s.held, 0)
    ) as sentence
from accounts a
left join (
    select org_id, account_id, sum(available) as available, sum(held) as held
    from entries
    where account_id is not null and (org_id = $1 or $1::uuid is null)
    group by org_id, account_id
) as s on s.org_id = a.org_id and s.account_id = a.id
where (a.org_id = $1 or $1::uuid is null)
    and (a.available <> coalesce(s.available, 0) or a.held <> coalesce(s.held, 0))
limit $2
"""

BELOW_ZERO = """
select org_id, id::text as key, count(*) over () as wrong,
    format('the account has %s available and %s held of %s', available, held, asset) as sentence
from accounts
where (org_id = $1 or $1::uuid is null) and (available < 0 or held < 0)
limit $2
"""

ROLL_UPS = """
with rolled as (
    select org_id, role, asset, rolled_up_units
    from house_accounts
    where org_id = $1 or $1::uuid is null
), summed as (
    select e.org_id, e.role, e.asset, sum(e.available) as units
    from house_rollups r
    join change_batches b on b.org_id = r.org_id and b.place < r.rolled_up_to
    join changes c on c.org_id = b.org_id and c.batch = b.number
    join entries e on e.org_id = c.org_id and e.transfer_id = c.object_id and e.seq = c.seq
    where (r.org_id = $1 or $1::uuid is null) and e.role is not null
    group by e.org_id, e.role, e.asset
)
select org_id, role || ' ' || asset as key, count(*) over () as wrong,
    format(
        'the roll-up has %s, its entries sum to %s', coalesce(rolled_up_units, 0),
        coalesce(units, 0)
    ) as sentence
from rolled
full join summed using (org_id, role, asset)
where coalesce(rolled_up_units, 0) <> coalesce(units, 0)
limit $2
"""

# Wallets and house accounts together sum to zero in every asset.
TOTALS = """
select org_id, asset as key, count(*) over () as wrong,
    format('wallets and house accounts together hold %s, not zero', sum(units)) as sentence
from (
    select org_id, asset, available + held as units
    from accounts
    where org_id = $1 or $1::uuid is null
    union all
    select org_id, asset, available
    from entries
    where role is not null and (org_id = $1 or $1::uuid is null)
) as parts
group by org_id, asset
having sum(units) <> 0
limit $2
"""

# Compares each record with its changes.
RECORDS = """
select t.org_id, t.id::text as key, count(*) over () as wrong,
    case
        when t.kind <> all ($3::text[]) then format('no flow knows the kind %s', t.kind)
        when h.changes is null then 'the record has no changes'
        when h.seq_min <> 1 or h.seq_max <> h.changes
            then format('its %s changes are numbered %s to %s', h.changes, h.seq_min, h.seq_max)
        when h.seq_max <> t.version
            then format('the record is at version %s, its last change is %s', t.version, h.seq_max)
        when h.kind_min <> t.kind or h.kind_max <> t.kind
            then format('the record is a %s, its changes are of %s', t.kind, h.kind_min)
        when l.status_after is distinct from t.status
            then format('the record is %s, its last change set %s', t.status, l.status_after)
        when f.occurred_at <> t.created_at
            then format('the record was created at %s, its first change is of %s',
                t.created_at, f.occurred_at)
        when l.occurred_at <> t.updated_at
            then format('the record was updated at %s, its last change is of %s',
                t.updated_at, l.occurred_at)
        else 'its last change is not marked as settled, so no cursor finds it'
    end as sentence
from transfers t
left join (
    select org_id, object_id, count(*) as changes, min(seq) as seq_min, max(seq) as seq_max,
        min(kind) as kind_min, max(kind) as kind_max
    from changes
    where org_id = $1 or $1::uuid is null
    group by org_id, object_id
) as h on h.org_id = t.org_id and h.object_id = t.id
left join changes f on f.org_id = t.org_id and f.object_id = t.id and f.seq = 1
left join changes l on l.org_id = t.org_id and l.object_id = t.id and l.seq = t.version
where (t.org_id = $1 or $1::uuid is null)
    and (
        t.kind <> all ($3::text[])
        or h.changes is null or h.seq_min <> 1 or h.seq_max <> h.changes or h.seq_max <> t.version
        or h.kind_min <> t.kind or h.kind_max <> t.kind or l.status_after is distinct from t.status
        or f.occurred_at <> t.created_at or l.occurred_at <> t.updated_at or not l.is_settled
    )
limit $2
"""

# Compares a record's facts with the facts of its changes: the last change of each fact must match
# (`jsonb_object_agg` keeps the last value of a key). A record may have more facts, about delays,
# which are part of no change.
FACTS = """
select t.org_id, t.id::text as key, count(*) over () as wrong,
    format('its changes have another %s than the record', (
        select string_agg(f.key, ', ' order by f.key)
        from jsonb_each(h.facts) f
        where t.facts -> f.key is distinct from f.value
    )) as sentence
from (
    select c.org_id, c.object_id, jsonb_object_agg(f.key, f.value order by c.seq) as facts
    from changes c
    cross join lateral jsonb_each(c.facts) f
    where (c.org_id = $1 or $1::uuid is null) and c.kind = any ($3::text[])
        and c.facts is not null
    group by c.org_id, c.object_id
) as h
join transfers t on t.org_id = h.org_id and t.id = h.object_id
where t.facts || h.facts <> t.facts
limit $2
"""

# Finds changes without a record, and changes if their previous status is not that of the change
# before.
HISTORIES = """
select c.org_id, format('%s/%s', c.object_id, c.seq) as key, count(*) over () as wrong,
    case
        when t.id is null then format('the change is of a %s that does not exist', c.kind)
        else format('the change starts at %s, the one before it ended at %s',
            c.status_before, p.status_after)
    end as sentence
from changes c
left join transfers t on t.org_id = c.org_id and t.id = c.object_id
left join changes p on p.org_id = c.org_id and p.object_id = c.object_id and p.seq = c.seq - 1
where (c.org_id = $1 or $1::uuid is null) and c.kind = any ($3::text[])
    and (t.id is null or p.status_after is distinct from c.status_before)
limit $2
"""

# Distinct transitions are few, so they are grouped first and compared with the allowed ones once.
TRANSITIONS = """
with allowed as (
    select *
    from unnest($3::text[], $4::text[], $5::text[]) as m (kind, status_before, status_after)
), used as (
    select kind, coalesce(status_before, '') as status_before,
        coalesce(status_after, '') as status_after, seq = 1 as is_first
    from changes
    where org_id = $1 or $1::uuid is null
    group by 1, 2, 3, 4
), forbidden as (
    select t.kind, t.status_before, t.status_after, t.is_first
    from used t
    where t.kind in (select kind from allowed)
        and (
            t.is_first <> (t.status_before = '')
            or not exists (
                select
                from allowed a
                where a.kind = t.kind and a.status_before = t.status_before
                    and a.status_after = t.status_after
            )
        )
)
select c.org_id, format('%s/%s', c.object_id, c.seq) as key, count(*) over () as wrong,
    format('a %s may not go from %s to %s', c.kind, coalesce(c.status_before, 'nothing'),
        coalesce(c.status_after, 'nothing')) as sentence
from forbidden f
join changes c on c.kind = f.kind and coalesce(c.status_before, '') = f.status_before
    and coalesce(c.status_after, '') = f.status_after and (c.seq = 1) = f.is_first
where c.org_id = $1 or $1::uuid is null
limit $2
"""

# Compares places and numbers of batches with the order of each object's changes. A batch without a
# place counts as later than every batch with one.
PLACES = """
select org_id, format('%s/%s', object_id, seq) as key, count(*) over () as wrong,
    case
        when number is null then format('the change is of batch %s, which does not exist', batch)
        when place is not null and batches > 1 then
            format('its place %s belongs to %s batches', place, batches)
        else format('it has place %s in batch %s, the change before it %s in %s',
            place, batch, place_before, batch_before)
    end as sentence
from (
    select c.org_id, c.object_id, c.seq, c.batch, b.number, b.place, b.batches,
        lag(c.batch) over history as batch_before, lag(b.place) over history as place_before,
        lag(b.number) over history as number_before
    from changes c
    left join (
        select org_id, number, place, count(*) over (partition by org_id, place) as batches
        from change_batches
        where org_id = $1 or $1::uuid is null
    ) as b on b.org_id = c.org_id and b.number = c.batch
    where c.org_id = $1 or $1::uuid is null
    window history as (partition by c.org_id, c.object_id order by c.seq)
) as places
where number is null or (place is not null and batches > 1) or batch < batch_before
    or place < place_before
    or (place is not null and number_before is not null and place_before is null)
limit $2
"""

# Checks that no place exceeds the last one given, and no batch number exceeds the sequence. Numbers
# from 2^48 on belong to nodes of a distributed database, each with a sequence of its own.
WATERMARKS = """
select w.org_id, w.key, count(*) over () as wrong, w.sentence
from (
    select b.org_id, 'change_batches' as key,
        case
            when b.number > (select last_value from change_batch_numbers)
                    and b.number < 281474976710656
                then format('numbers go to %s, and their sequence has not got that far', b.number)
            else format('places go to %s, and the log ends at %s', b.place, l.last_place)
        end as sentence
    from (
        select org_id, max(number) as number, max(place) as place
        from change_batches
        where org_id = $1 or $1::uuid is null
        group by org_id
    ) as b
    left join change_logs l on l.org_id = b.org_id
    where b.place > coalesce(l.last_place, 0)
        or (
            b.number > (select last_value from change_batch_numbers) and b.number < 281474976710656
        )
    union all
    select r.org_id, r.key,
        format('it is rolled up to %s, and the log ends at %s', r.rolled_up_to, l.last_place)
    from (
        select org_id, 'house_rollups' as key, rolled_up_to
        from house_rollups
        where org_id = $1 or $1::uuid is null
        union all
        select org_id, format('report_builds/%s', build), rolled_up_to
        from report_builds
        where org_id = $1 or $1::uuid is null
    ) as r
    left join change_logs l on l.org_id = r.org_id
    where r.rolled_up_to > coalesce(l.last_place, 0) + 1
) as w
limit $2
"""


@dataclass(frozen=True, slots=True)
class AuditResult:
    """Result of a check: the number of wrong rows, and the first of them."""

    wrong: int
    rows: Sequence[Row]


async def begin(tx: Tx) -> None:
    """Make the transaction one read-only snapshot; this must be its first statement."""
    for statement in _BEGIN:
        await tx.execute(statement)


async def counts(tx: Tx, org_id: UUID | None) -> Mapping[str, int]:
    """Return the number of rows by table."""
    (row,) = await tx.fetch(COUNTS, org_id)
    tables = ("entries", "accounts", "transfers", "changes", "house_accounts")
    return {table: int(row[table]) for table in tables}


async def find(tx: Tx, statement: str, org_id: UUID | None, limit: int, *args: Any) -> AuditResult:
    """Run one check; `limit` bounds the returned rows, not their count."""
    rows = await tx.fetch(statement, org_id, limit, *args)
    return AuditResult(int(rows[0]["wrong"]) if rows else 0, rows)


def edges(
    transitions_by_kind: Mapping[str, Transitions[Any]],
) -> tuple[list[str], list[str], list[str]]:
    """Return the allowed (kind, before, after) as columns; `before` is empty for start statuses."""
    rows = [
        (kind, before, after)
        for kind, transitions in transitions_by_kind.items()
        for before, after in (*(("", start) for start in transitions.start), *transitions.edges())
    ]
    return [kind for kind, _, _ in rows], [each for _, each, _ in rows], [each for *_, each in rows]
