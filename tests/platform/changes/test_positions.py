"""A moment is found in the log without a full scan."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from landbridge.platform.changes import store
from landbridge.platform.changes.model import UNPLACED
from landbridge.platform.db.pool import Database, Tx
from tests.change_log import place_by_number
from tests.make import make_org
from tests.query_plans import rows_read

COUNT = 20_000
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
SPREAD = timedelta(minutes=1)
# A few rows from each of two scans of the time index, and the batch of each.
ROWS_MAX = 40
# One change per ten seconds, each of its own object.
LOG = """
insert into changes (org_id, object_id, seq, kind, change_type, actor, occurred_at, is_settled,
    batch)
select $1, gen_random_uuid(), 1, 'KIND', 'what', 'cli',
    $2::timestamptz + n * interval '10 seconds', true, n
from generate_series(1, $3::integer) n
"""


@pytest.mark.parametrize("statement", ["_FIRST_SINCE", "_LAST_BEFORE"])
async def test_moment_is_found_by_the_time_index(own_database: Database, statement: str) -> None:
    org_id = await make_org(own_database)
    sql: str = getattr(store, statement)
    more = [UNPLACED] if statement == "_LAST_BEFORE" else []
    middle = BEGAN + COUNT // 2 * timedelta(seconds=10)

    async def fill(tx: Tx) -> None:
        await tx.execute(LOG, org_id, BEGAN, COUNT)
        await place_by_number(tx, org_id)
        await tx.execute("analyze changes, change_batches")

    async def explain(tx: Tx) -> str:
        analyzed = f"explain (analyze, format json) {sql}"
        return str(await tx.fetchval(analyzed, org_id, middle, SPREAD, *more))

    await own_database.transact(fill)
    (plan,) = msgspec.json.decode(await own_database.transact(explain))
    assert rows_read(plan["Plan"]) <= ROWS_MAX


async def test_positions_of_a_moment(own_database: Database) -> None:
    org_id = await make_org(own_database)
    middle = BEGAN + COUNT // 2 * timedelta(seconds=10)

    async def places(tx: Tx) -> tuple[int | None, int | None]:
        await tx.execute(LOG, org_id, BEGAN, COUNT)
        await place_by_number(tx, org_id)
        return (
            await store.first_since(tx, org_id, middle, SPREAD),
            await store.last_before(tx, org_id, middle, SPREAD),
        )

    first, last = await own_database.transact(places)
    assert first == COUNT // 2
    assert last == COUNT // 2 - 1
