"""Nodes as processes."""

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from chains.nodes import Node, NodeOptions

from landbridge.providers.chains.tokens import Chain

INTERRUPTIONS = 5_000


class Interrupted(Exception):
    """Raised by the handler of a signal."""


@pytest.fixture
def interrupted() -> Iterator[None]:
    def interrupt(_number: int, _frame: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_a_node_that_was_checked_while_a_signal_came_can_be_stopped(
    interrupted: None, tmp_path: Path
) -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        node = Node(NodeOptions(Chain.POLYGON, 1), process, tmp_path / "log")
        for count in range(INTERRUPTIONS):
            with pytest.raises(Interrupted):
                _check_until_interrupted(node, after_s=1e-6 * (1 + count % 50))
        process.terminate()
        try:
            assert process.wait(5) == -signal.SIGTERM
        except subprocess.TimeoutExpired:
            # Else leaving the block would wait for ever.
            process.returncode = 0
            raise


def _check_until_interrupted(node: Node, *, after_s: float) -> None:
    signal.setitimer(signal.ITIMER_REAL, after_s)
    while True:
        node.check()
