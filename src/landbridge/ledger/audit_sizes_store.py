"""Statements that find the organisations with rows, and how large each is."""

from collections.abc import Mapping
from operator import itemgetter
from uuid import UUID

from landbridge.platform.db.one_organisation import is_distributed
from landbridge.platform.db.pool import Tx

# Organisations with rows in any of these tables, and the number of their changes, up to $1. Each is
# found by a step through an index from the previous one, beginning with the nil id, which no
# organisation has.
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

# For a distributed database, where one statement for all organisations would need every node.
IDS = "select id from orgs order by id"
SIZE = """
select count(*) from (select from changes c where c.org_id = $1 limit $2) as bounded
"""


async def sizes(tx: Tx, most: int) -> Mapping[UUID, int]:
    """Return all organisations with rows, largest first; changes are counted up to `most`."""
    if is_distributed(tx):
        org_ids = [row["id"] for row in await tx.fetch(IDS)]
        found = {each: await tx.fetchval(SIZE, each, most) for each in org_ids}
        return dict(sorted(found.items(), key=itemgetter(1), reverse=True))
    return {row["org_id"]: row["changes"] for row in await tx.fetch(SIZES, most)}
