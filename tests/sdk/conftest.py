"""Fixtures of the tests of client libraries."""

from collections.abc import Iterator

import pytest

from tests.app.processes.server_process import Served, served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("sdk") / "data") as running:
        yield running
