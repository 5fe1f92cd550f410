"""One history for all of these tests: they only read it, and fold it at some time."""

import httpx2
import pytest

from landbridge.wiring import House

from .history import History, make_history


@pytest.fixture(scope="package")
async def history(house: House, client: httpx2.AsyncClient) -> History:
    return await make_history(house, client)
