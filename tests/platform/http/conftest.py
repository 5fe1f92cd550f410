"""What tests share that listen on the port for webhooks."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.platform.http.listeners import PORT


@pytest.fixture
def alone() -> Iterator[None]:
    """Reserve the webhook port for this test process.

    Where several processes listen on every address, the system may hand a connection to any of
    them.
    """
    path = Path(tempfile.gettempdir()) / f"landbridge-tests-{os.getuid()}-{PORT}.lock"
    with path.open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
