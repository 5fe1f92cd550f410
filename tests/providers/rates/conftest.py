from collections.abc import AsyncIterator

import pytest

from landbridge.platform.db.pool import Database, Tx
from tests.providers.rates.http_server import Answering, answering_server


@pytest.fixture
async def answering() -> AsyncIterator[Answering]:
    """Run a local server with responses set by the test."""
    async with answering_server() as server:
        yield server


@pytest.fixture
async def rates_database(database: Database) -> AsyncIterator[Database]:
    """Return the database without rates: they belong to no organisation, so tests share them."""
    await database.transact(_forget)
    yield database
    await database.transact(_forget)


async def _forget(tx: Tx) -> None:
    for statement in (
        "delete from reference_rates",
        "delete from market_rates",
        "delete from rate_fetches",
    ):
        await tx.execute(statement)
