"""Processes forked by the fork server are like those that a command line has started."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not fork")


class Supervisor:
    """The program `supervisor`, which has a fork server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # A file that the program was started with.
        file = os.open(folder / "inherited", os.O_RDONLY | os.O_CREAT)
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.app.supervisor"],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                pass_fds=[file],
            )
        finally:
            os.close(file)

    def do(self, *command: str) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def fork(self, name: str, code: str = "0") -> Any:
        """Fork a process that ends with this code, or `forever` not; return its pid or an error."""
        return self.do("fork", str(self.folder / name), code)

    def report(self, name: str) -> dict[str, Any]:
        """Return what the process of this name found about itself."""
        path, deadline = self.folder / name, time.monotonic() + PATIENCE_S
        while not path.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return json.loads(path.read_text())

    def exit_code(self, name: str) -> int:
        return self.do("wait", str(self.folder / name))

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def supervisor(tmp_path: Path) -> Generator[Supervisor]:
    running = Supervisor(tmp_path)
    yield running
    running.close()


def test_forked_process_inherits_nothing_of_the_supervisor(supervisor: Supervisor) -> None:
    pid = supervisor.fork("one", "7")
    assert supervisor.exit_code("one") == 7
    found = supervisor.report("one")
    args = [str(supervisor.folder / "one"), "7", "--fd"]
    assert found["args"][:3] == args
    assert found["argv"] == found["args"]
    assert found["environ"] == {"A": "1"}
    assert found["parent"] == supervisor.process.pid
    assert found["leads_group"]
    assert found["threads"] == 1
    assert found["handlers"] == [repr(signal.SIG_DFL)] * 2
    words = [sys.executable, "-m", "landbridge", *found["args"]]
    assert found["title"] == " ".join(words)
    # The socket that it was given, and neither the supervisor's file nor its own beginning's.
    assert found["files"].keys() == {found["args"][3]}
    assert found["files"][found["args"][3]].startswith("socket:")
    assert found["prepared"]["pid"] not in {pid, supervisor.process.pid}


def test_forked_processes_share_what_was_prepared_and_no_randomness(supervisor: Supervisor) -> None:
    for name in ("one", "two"):
        supervisor.fork(name)
        assert supervisor.exit_code(name) == 0
    one, two = map(supervisor.report, ("one", "two"))
    assert one["prepared"] == two["prepared"]
    assert one["random"] != two["random"]


def test_killed_process_is_reported_to_the_supervisor(supervisor: Supervisor) -> None:
    os.kill(supervisor.fork("one", "forever"), signal.SIGKILL)
    assert supervisor.exit_code("one") == -signal.SIGKILL


def test_killed_fork_server_is_an_error_and_its_processes_run_on(supervisor: Supervisor) -> None:
    pid = supervisor.fork("one", "forever")
    os.kill(supervisor.report("one")["prepared"]["pid"], signal.SIGKILL)
    for name in ("two", "three"):
        assert supervisor.fork(name) == "The fork server has ended."
    os.kill(pid, signal.SIGTERM)
    assert supervisor.exit_code("one") == -signal.SIGTERM


@pytest.mark.parametrize("by", ["command", "kill"])
def test_fork_server_ends_with_its_supervisor(supervisor: Supervisor, by: str) -> None:
    pid = supervisor.fork("one", "forever")
    server = supervisor.report("one")["prepared"]["pid"]
    if by == "command":
        supervisor.do("end")
    else:
        supervisor.process.kill()
        supervisor.process.wait()
    deadline = time.monotonic() + PATIENCE_S
    while _is_running(server):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert _is_running(pid)
    os.kill(pid, signal.SIGKILL)


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
