"""Audit statements on terminal records and on corrections; see audit_store.py.

Parameters: $1 an organisation, or null for all; $2 the maximum number of rows to return.
"""

from collections.abc import Mapping
from typing import Any

from landbridge.platform.core.transitions import Transitions

# Finds terminal records that still hold money or have some in transit. Journals of a record's
# corrections, and of their corrections in turn, count with the record's own. $3 and $4 are the
# terminal kinds and statuses. Cycles of corrections end the recursion, because union removes
# duplicate rows.
ENDED = """
with recursive correction as (
    select org_id, id, request ->> 'transfer' as corrected
    from transfers
    where kind = 'LEDGER.CORRECTION' and (org_id = $1 or $1::uuid is null)
), corrected as (
    select org_id, id, corrected
    from correction
    union
    select d.org_id, d.id, c.corrected
    from corrected d
    join correction c on c.org_id = d.org_id and c.id::text = d.corrected
), ended as (
    select t.org_id, t.id, t.kind, t.status
    from transfers t
    where (t.org_id = $1 or $1::uuid is null)
        and (t.kind, t.status) in (select * from unnest($3::text[], $4::text[]))
        and t.kind <> 'LEDGER.CORRECTION'
), member as (
    select org_id, id as root_id, id
    from ended
    union all
    select e.org_id, e.id, d.id
    from corrected d
    join ended e on e.org_id = d.org_id and e.id::text = d.corrected
), waiting as (
    select org_id, transfer_id, account_id, asset, held as units
    from entries
    where held <> 0 and (org_id = $1 or $1::uuid is null)
    union all
    select org_id, transfer_id, null, asset, available
    from entries
    where role = 'in_transit' and (org_id = $1 or $1::uuid is null)
), stuck as (
    select m.org_id, m.root_id, w.account_id, w.asset, sum(w.units) as units
    from member m
    join waiting w on w.org_id = m.org_id and w.transfer_id = m.id
    group by m.org_id, m.root_id, w.account_id, w.asset
    having sum(w.units) <> 0
)
select s.org_id, s.root_id::text as key, count(*) over () as wrong,
    case
        when s.account_id is null
            then format('the %s is %s, and has %s of %s in transit', e.kind, e.status, s.units,
                s.asset)
        else format('the %s is %s, and holds %s of %s on account %s', e.kind, e.status, s.units,
            s.asset, s.account_id)
    end as sentence
from stuck s
join ended e on e.org_id = s.org_id and e.id = s.root_id
limit $2
"""

# Compares each correction with the journals it references. `seqs` are the numbers of changes; older
# corrections have one, as `seq`. A corrected record stays at its version, unless the correction was
# corrected since; older corrections have no version.
CORRECTIONS = """
with correction as (
    select t.org_id, t.id, t.request ->> 'transfer' as corrected, s.seq
    from transfers t
    cross join lateral jsonb_array_elements_text(
        case
            when jsonb_typeof(t.request -> 'seqs') = 'array' then t.request -> 'seqs'
            else jsonb_build_array(t.request -> 'seq')
        end
    ) as s (seq)
    where t.kind = 'LEDGER.CORRECTION' and (t.org_id = $1 or $1::uuid is null)
), line as (
    select t.org_id, t.id, e.account_id, e.role, e.asset, e.available, e.held
    from transfers t
    join entries e on e.org_id = t.org_id and e.transfer_id = t.id
    where t.kind = 'LEDGER.CORRECTION' and (t.org_id = $1 or $1::uuid is null)
    union all
    select c.org_id, c.id, e.account_id, e.role, e.asset, e.available, e.held
    from correction c
    join entries e on e.org_id = c.org_id and e.transfer_id::text = c.corrected
        and e.seq::text = c.seq
), differing as (
    select org_id, id, coalesce(account_id::text, role) as account, asset,
        sum(available) as available, sum(held) as held
    from line
    group by org_id, id, account_id, role, asset
    having sum(available) <> 0 or sum(held) <> 0
), named as (
    select c.org_id, c.corrected, c.seq, min(c.id::text) as id, count(*) as corrections
    from correction c
    group by c.org_id, c.corrected, c.seq
)
select org_id, key, count(*) over () as wrong, sentence
from (
    select org_id, id::text as key,
        format('the correction and what it corrects together move %s (held %s) of %s %s',
            available, held, account, asset) as sentence
    from differing
    union all
    select org_id, id, format('change %s of %s has %s corrections', seq, corrected, corrections)
    from named
    where corrections > 1
    union all
    select c.org_id, c.id::text,
        format('change %s of %s, which it corrects, has no journal', c.seq, c.corrected)
    from correction c
    left join entries e on e.org_id = c.org_id and e.transfer_id::text = c.corrected
        and e.seq::text = c.seq
    where e.org_id is null
    union all
    select c.org_id, c.id::text,
        format('the %s was corrected at version %s, and is now at %s', t.kind,
            c.details ->> 'version', t.version)
    from transfers c
    join transfers t on t.org_id = c.org_id and t.id::text = c.request ->> 'transfer'
    left join transfers d on d.org_id = c.org_id and d.kind = 'LEDGER.CORRECTION'
        and d.request ->> 'transfer' = c.id::text
    where c.kind = 'LEDGER.CORRECTION' and (c.org_id = $1 or $1::uuid is null)
        and d.id is null and t.version::text <> c.details ->> 'version'
) as wrongs
limit $2
"""

# Finds completed payments of which a destination is not released by its screening. A payment that
# people have resolved is theirs to answer for: they may have confirmed it, or redirected a refund.
SCREENED = """
select s.org_id, s.id::text as key, count(*) over () as wrong,
    format('the %s %s is completed, and its screening is %s', p.kind, p.id, s.status) as sentence
from transfers s
join transfers p on p.org_id = s.org_id and p.id::text = s.details ->> 'transfer_id'
where s.kind = 'PAYMENT.SCREENING' and (s.org_id = $1 or $1::uuid is null)
    and s.status in ('IN_SCREENING', 'HELD', 'REJECTED') and p.status = 'COMPLETED'
    and not exists (
        select from transfers r
        where r.org_id = s.org_id and r.kind = 'RESOLUTION' and r.status = 'COMPLETED'
            and r.details ->> 'transfer_id' = s.details ->> 'transfer_id'
    )
limit $2
"""


def terminal_statuses(
    transitions_by_kind: Mapping[str, Transitions[Any]],
) -> tuple[list[str], list[str]]:
    """Return every terminal (kind, status), as columns."""
    pairs = [
        (kind, str(status))
        for kind, transitions in transitions_by_kind.items()
        for status in transitions.table
        if transitions.is_terminal(status)
    ]
    return [kind for kind, _ in pairs], [status for _, status in pairs]
