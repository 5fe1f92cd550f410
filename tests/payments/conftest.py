from collections.abc import AsyncIterator

import pytest

from landbridge.db.pool import Database
from tests.payments.remitting import KINDS, Play, playing


@pytest.fixture(params=KINDS)
async def play(request: pytest.FixtureRequest, database: Database) -> AsyncIterator[Play]:
    """A transfer's, then a batch's."""
    async with playing(str(request.param), database) as play:
        yield play
