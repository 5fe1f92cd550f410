"""Fixtures of the tests of EVM chains."""

from collections.abc import AsyncGenerator

import pytest

from tests.providers.evm.node_server import FakeNode, fake_node


@pytest.fixture
async def node() -> AsyncGenerator[FakeNode]:
    async with fake_node() as node:
        yield node


@pytest.fixture
async def second() -> AsyncGenerator[FakeNode]:
    async with fake_node() as node:
        yield node
