"""A bank with statements that a test writes."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from tests.reporting.reconciliation.bank_days import PlantingBank, planting_bank


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> AsyncIterator[PlantingBank]:
    async with planting_bank(database, tmp_path) as bank:
        yield bank
