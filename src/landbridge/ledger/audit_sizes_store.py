"""Statements that find the organisations with rows, and how large each is."""

from collections.abc import Mapping
from operator import itemgetter
from uuid import UUID

from landbridge.platform.db.one_organisation import is_distributed
from landbridge.platform.db.pool import Tx

# Organisations that have rows in any of these tables, found by steps from one to the next in their
# indexes, beginning with the nil id, which none has; and their changes, counted to $1.
SIZES = """
with recursive found (org_id) as (
    select '00000000-0000-0000-0000-000000000000'::uuid
    union all
    select least(
        (select x.org_id from changes x where x.org_id > f.org_id order by x.org_id limit 1),
        (select x.org_id from entries x where x.org_id > f.org_id order by x.org_id limit 1),
        (select x.org_id from transfers x where x.org_id > f.org_id order by x.org_id limit 1),
        (select x.org_id from accounts x where x.org_id > f.org_id order by x.org_id limit 1),
        (select x.org_id from house_accounts x where x.org_id > f.org_id order by x.org_id limit 1),
        (select x.org_id from house_rollups x where x.org_id > f.org_id order by x.org_id limit 1),
        (select x.org_id from report_builds x where x.org_id > f.org_id order by x.org_id limit 1)
    )
    from found f
    where f.org_id is not null
)
select f.org_id, (
        select count(*)
        from (select from changes c where c.org_id = f.org_id limit $1) as bounded
    ) as changes
from found f
where f.org_id > '00000000-0000-0000-0000-000000000000'
order by changes desc, f.org_id
"""

# On a distributed database; the sizes of all at once would need all nodes.
IDS = "select id from orgs order by id"
SIZE = """
select count(*) from (select from changes c where c.org_id = $1 limit $2) as bounded
"""


async def sizes(tx: Tx, most: int) -> Mapping[UUID, int]:
    """Return all organisations with rows, the largest first, with their changes up to `most`."""
    if is_distributed(tx):
        org_ids = [row["id"] for row in await tx.fetch(IDS)]
        found = {each: await tx.fetchval(SIZE, each, most) for each in org_ids}
        return dict(sorted(found.items(), key=itemgetter(1), reverse=True))
    return {row["org_id"]: row["changes"] for row in await tx.fetch(SIZES, most)}
