"""What holds the log of changes up is seen."""

import asyncio
import json
from collections.abc import Callable

from landbridge.changes.horizon import PATIENCE_S, Horizon
from landbridge.db.pool import Database, Tx

from .test_order import under_way

_OLDEST = "select pg_snapshot_xmin(pg_current_snapshot())::text"


async def _commit(tx: Tx) -> None:
    await tx.fetchval("select pg_current_xact_id()")


async def test_a_forgotten_transaction_is_seen_and_told_of(
    database: Database, logged: Callable[[], str]
) -> None:
    horizon = Horizon(database)
    async with under_way(database) as tx:
        ours = await tx.fetchval("select pg_current_xact_id()::text")
        # Others may have begun earlier, in any database, and are waited for: by this transaction
        # itself, which the server would end if it were idle for so long.
        async with asyncio.timeout(60):
            while await tx.fetchval(_OLDEST) != ours:  # noqa: ASYNC110  the server rings no bell
                await asyncio.sleep(0.01)
        # While nothing was committed after it, nothing is held up.
        await database.transact(_commit)
        await horizon.look(0.0)
        told = [await horizon.look(each) for each in (1.0, PATIENCE_S, PATIENCE_S + 1, 80, 92)]
    assert told == [1.0, PATIENCE_S, PATIENCE_S + 1, 80, 92]
    lines = [json.loads(each) for each in logged().splitlines()]
    assert [each["delay_s"] for each in lines if each["event"] == "events.held_up"] == [31, 92]
    assert await horizon.look(93.0) == 0
