"""API and worker of `landbridge serve` share memory, and no files."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.app.processes.server_process import PATIENCE_S, Served, served

pytestmark = [
    pytest.mark.long,
    pytest.mark.xdist_group("processes"),
    pytest.mark.skipif(sys.platform != "linux", reason="other systems do not fork"),
]

_LISTENS = "0A"


def test_forked_processes_share_memory_and_no_files(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        pids = {name: server.child(name) for name in ("api", "worker", "fork-server")}
        listening = _listening_socket(server.port)
        for name, pid in pids.items():
            # Most of an own interpreter would be private.
            assert _private_kb(pid) < _resident_kb(pid) / 2, name
            if name != "fork-server":
                _await_counted(pid)
            files = _files(pid)
            assert (listening in files) == (name == "api")
            assert not any(each.endswith("postgres.lock") for each in files)
            if name != "fork-server":
                # Of the metrics, only its own.
                counted = {each for each in files if "landbridge-metrics-" in each}
                assert counted
                assert all(each.endswith(f"_{pid}.db") for each in counted), counted


def test_processes_restart_without_the_fork_server(tmp_path: Path) -> None:
    with served(tmp_path, log_format="json") as server:
        os.kill(server.child("fork-server"), signal.SIGKILL)
        for name in ("api", "worker"):
            killed = server.child(name)
            os.kill(killed, signal.SIGKILL)
            _await_another(server, name, killed)
        server.await_well()
        # Later restarts do not try again.
        assert server.output.read_text().count('"event":"process.not_forked"') == 1
        assert not any(" fork-server " in each for each in server.children().values())


def _await_counted(pid: int) -> None:
    """Wait for the first metric of a process: it replaces all files that it has from the fork."""
    deadline = time.monotonic() + PATIENCE_S
    while not any(each.endswith(f"_{pid}.db") for each in _files(pid)):
        assert time.monotonic() < deadline, _files(pid)
        time.sleep(0.1)


def _await_another(server: Served, name: str, pid: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not any(f" {name} " in args and each != pid for each, args in server.children().items()):
        assert time.monotonic() < deadline, server.output.read_text()
        time.sleep(0.1)


def _listening_socket(port: int) -> str:
    """Return the listening socket of a port, as it is shown among the files of a process."""
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        (
            _,
            local,
            _,
            state,
            *_,
        ) = fields = line.split()
        if state == _LISTENS and int(local.rpartition(":")[2], 16) == port:
            return f"socket:[{fields[9]}]"
    raise AssertionError("nobody listens")


def _files(pid: int) -> set[str]:
    return {str(each.readlink()) for each in Path(f"/proc/{pid}/fd").iterdir()}


def _private_kb(pid: int) -> int:
    return sum(_memory_kb(pid, name) for name in ("Private_Clean", "Private_Dirty"))


def _resident_kb(pid: int) -> int:
    return _memory_kb(pid, "Rss")


def _memory_kb(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    raise AssertionError(name)
