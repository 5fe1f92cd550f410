"""Transactions that hold up the change log are detected."""

import asyncio
import json
from collections.abc import Callable

from landbridge.platform.changes.horizon import DELAY_MAX_S, Horizon
from landbridge.platform.db.pool import Database, Tx
from tests.platform.changes.test_order import under_way

_OLDEST = "select pg_snapshot_xmin(pg_current_snapshot())::text"


async def _commit(tx: Tx) -> None:
    await tx.fetchval("select pg_current_xact_id()")


async def test_forgotten_transaction_is_found_and_logged(
    database: Database, logged: Callable[[], str]
) -> None:
    horizon = Horizon(database)
    async with under_way(database) as tx:
        ours = await tx.fetchval("select pg_current_xact_id()::text")
        # Other transactions may have begun earlier, in any database. This transaction waits for
        # them, because the server would end an idle one after this long.
        async with asyncio.timeout(60):
            while await tx.fetchval(_OLDEST) != ours:  # noqa: ASYNC110  the server rings no bell
                await asyncio.sleep(0.01)
        # While nothing was committed after it, nothing is held up.
        await database.transact(_commit)
        await horizon.measure(0.0)
        findings = [
            await horizon.measure(each) for each in (1.0, DELAY_MAX_S, DELAY_MAX_S + 1, 80, 92)
        ]
    assert findings == [1.0, DELAY_MAX_S, DELAY_MAX_S + 1, 80, 92]
    lines = [json.loads(each) for each in logged().splitlines()]
    assert [each["delay_s"] for each in lines if each["event"] == "events.held_up"] == [31, 92]
    assert await horizon.measure(93.0) == 0
