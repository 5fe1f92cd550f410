"""Fixtures of the tests of deposits on real chains."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from tests.customers.chain_deposits.chain_world import FollowedChain, chain_world


@pytest.fixture
async def world(own_database: Database, tmp_path: Path) -> AsyncGenerator[FollowedChain]:
    async with chain_world(own_database, tmp_path) as world:
        yield world
