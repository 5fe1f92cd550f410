"""Roll-up of house accounts on a long log: it looks for its own changes, and reads no others."""

from typing import Any

import msgspec
import pytest

from landbridge.ledger import house_account_store
from landbridge.platform.db.pool import Database, Tx
from tests.change_log import place_by_number
from tests.make import make_org
from tests.query_plans import rows_read

# So much is left that PostgreSQL expects to find some of it wherever it begins to read.
_CHANGES, _ROLLED_UP_TO, _STEP = 30_000, 150, 10
# In the order of batches, as one organisation writes them.
_LONG_LOG = """
insert into changes (org_id, object_id, seq, kind, change_type, actor, occurred_at, is_settled,
    batch)
select $1, gen_random_uuid(), 1, 'KIND', 'what', 'cli', now(), true,
    3 + n / 100
from generate_series(1, $2::int) n
"""
_ROLLUP = "insert into house_rollups (org_id, rolled_up_to) values ($1, $2)"


@pytest.mark.parametrize("name", ["_BEHIND", "_BOUNDS"])
async def test_what_is_rolled_up_is_not_read_again(own_database: Database, name: str) -> None:
    org_id = await make_org(own_database)
    rolled_up_to = _ROLLED_UP_TO

    async def fill(tx: Tx) -> None:
        await tx.execute(_LONG_LOG, org_id, _CHANGES)
        await place_by_number(tx, org_id)
        await tx.execute(_ROLLUP, org_id, rolled_up_to)
        await tx.execute("analyze changes, change_batches, house_rollups")

    async def explain(tx: Tx) -> str:
        statement = vars(house_account_store)[name]
        arguments: dict[str, list[Any]] = {
            "_BEHIND": [[org_id]],
            "_BOUNDS": [org_id, rolled_up_to, _STEP],
        }
        analyzed = f"explain (analyze, format json) {statement}"
        return str(await tx.fetchval(analyzed, *arguments[name]))

    await own_database.transact(fill)
    (plan,) = msgspec.json.decode(await own_database.transact(explain))
    assert 0 < rows_read(plan["Plan"]) < 100
