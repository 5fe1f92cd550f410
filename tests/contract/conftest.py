"""Fixtures of the tests of the contract."""

import httpx2
import pytest

from tests.contract.openapi_document import Document


@pytest.fixture
async def document(client: httpx2.AsyncClient) -> Document:
    """OpenAPI document as it is served."""
    return Document((await client.get("/openapi.json")).json())
