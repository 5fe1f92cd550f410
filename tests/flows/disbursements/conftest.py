from collections.abc import AsyncIterator

import pytest

from landbridge.db.pool import Database
from tests.flows.offramps.playing import Play, playing


@pytest.fixture
async def play(database: Database) -> AsyncIterator[Play]:
    async with playing(database) as play:
        yield play
