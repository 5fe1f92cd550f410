"""One shared history: the tests only read it and fold it at some time."""

import httpx2
import pytest

from landbridge.app.container import Container
from tests.reporting.metrics.builtin.history import History, make_history


@pytest.fixture(scope="package")
async def history(container: Container, client: httpx2.AsyncClient) -> History:
    return await make_history(container, client)
