"""Statement that marks organisations with nothing to compare as compared.

An organisation without addresses and without an account at a bank can have nothing outside, and if
its log has not grown since the last run either, a run would find what the last one found. The first
run after the end of each day takes place nevertheless: its cut belongs to the close of the day.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Tx

# Rows that another worker is comparing are left to it.
_MARK = """
with compared as (
    select s.org_id, s.source, o.now
    from (
        select g.org_id, g.now, coalesce(b.zone, 'UTC') as zone
        from unnest($1::uuid[], $2::timestamptz[]) as g (org_id, now)
        left join report_builds b on b.org_id = g.org_id and b.is_current
    ) o
    join recon_cursors c on c.org_id = o.org_id
    join recon_sources s on s.org_id = o.org_id
    where s.source = any($3::text[])
        and not exists (select from wallet_seeds w where w.org_id = o.org_id)
        and not exists (select from wallets w where w.org_id = o.org_id)
        and not exists (select from funding_accounts f where f.org_id = o.org_id)
        and not exists (
            select from change_batches b
            where b.org_id = o.org_id and (b.place >= c.read_place or b.place is null)
        )
        and not exists (
            select from recon_differences d where d.org_id = o.org_id and d.status <> 'RESOLVED'
        )
        and cardinality($3::text[]) = (
            select count(*)
            from recon_sources u
            where u.org_id = o.org_id and u.source = any($3::text[])
                and u.failure is null and u.last_good_at is not null
                and (
                    u.opened_at >= date_trunc('day', o.now, o.zone)
                    or exists (
                        select from recon_cutoffs k
                        where k.org_id = u.org_id and k.source = u.source
                            and k.day = (o.now at time zone o.zone)::date - 1
                    )
                )
        )
    order by s.org_id, s.source
    for update of s skip locked
)
update recon_sources s
set last_run_at = c.now, last_good_at = c.now
from compared c
where s.org_id = c.org_id and s.source = c.source
returning s.org_id
"""


async def mark_empty(
    tx: Tx, clocks: Mapping[UUID, datetime], sources: Collection[str]
) -> set[UUID]:
    """Mark those of these organisations that have nothing to compare as compared; return them."""
    rows = await tx.fetch(_MARK, list(clocks), list(clocks.values()), list(sources))
    return {row["org_id"] for row in rows}
