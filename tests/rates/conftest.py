from collections.abc import AsyncIterator

import pytest

from landbridge.db.pool import Database, Tx

from .server import Answering, answering_server


@pytest.fixture
async def answering() -> AsyncIterator[Answering]:
    """A server on this machine that answers what a test tells it to."""
    async with answering_server() as server:
        yield server


@pytest.fixture
async def rates_database(database: Database) -> AsyncIterator[Database]:
    """The database, with no rates in it: they are no organisation's, so tests share them."""
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
