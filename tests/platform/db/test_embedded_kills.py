"""Embedded server under kills and misleading state of many kinds."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Generator
from pathlib import Path

import pytest

from landbridge.platform.db.embedded import postmaster, runner
from landbridge.platform.db.embedded.datadir import DataDirInUse
from landbridge.platform.db.embedded.runner import EmbeddedUnavailable
from landbridge.platform.db.embedded.server import EmbeddedPostgres, find_running
from tests.platform.db.embedded_servers import (
    OWNER,
    PATIENCE_S,
    answers,
    busy,
    command_lines,
    copy_made,
    count,
    hold_next_server,
    kill,
    owning,
    pid_files,
    process,
    serving,
    short_directory,
    write,
)

pytestmark = pytest.mark.long

NEW = pytest.mark.parametrize("home", ["new"], indirect=True)


def test_killed_server_restarts_with_all_commits(home: Path) -> None:
    with serving(home) as server:
        write(server)
        before = server.pid
        kill(server)
        server.ensure_running()
        assert server.pid != before
        assert count(server) == 1
        server.ensure_running()


def test_server_restarts_despite_a_busy_orphaned_backend(home: Path) -> None:
    with serving(home) as server, busy(server):
        write(server)
        kill(server)
        server.ensure_running()
        assert count(server) == 1


def test_killed_backend_does_not_end_the_server(home: Path) -> None:
    with serving(home) as server, busy(server) as backend:
        write(server)
        before = server.pid
        os.kill(backend, signal.SIGKILL)
        assert postmaster.wait_until(
            lambda: backend not in dict(command_lines()), timeout_s=PATIENCE_S
        )
        assert postmaster.wait_until(lambda: find_running(home) is not None, timeout_s=PATIENCE_S)
        server.ensure_running()
        assert server.pid == before
        assert postmaster.wait_until(lambda: answers(server), timeout_s=PATIENCE_S)
        assert count(server) == 1


def test_server_of_a_killed_owner_is_adopted_and_stopped_by_the_next(home: Path) -> None:
    with owning(home) as (owner, pid):
        owner.kill()
        owner.wait()
        assert find_running(home) is not None
        with serving(home) as server:
            assert server.was_running
            assert server.pid == pid
            assert server.is_running()
            assert count(server) == 0
        assert not postmaster.is_alive(pid, home / "postgres" / "data")


def test_adopted_server_restarts_after_a_kill(home: Path) -> None:
    with owning(home) as (owner, pid):
        owner.kill()
        owner.wait()
        with serving(home) as server:
            write(server)
            kill(server)
            server.ensure_running()
            assert server.pid != pid
            assert count(server) == 1


def test_second_owner_is_refused_with_the_name_of_the_first(home: Path) -> None:
    with owning(home) as (owner, pid):
        with pytest.raises(DataDirInUse, match=f"pid {owner.pid}"):
            EmbeddedPostgres.start(home, print_line=print)
        assert postmaster.is_alive(pid, home / "postgres" / "data")


@pytest.mark.parametrize("kind", ["recycled", "zombie"])
def test_pid_file_of_another_process_is_ignored(home: Path, kind: str) -> None:
    with serving(home) as server, process(kind) as other:
        write(server)
        contents = {path: path.read_text() for path in pid_files(home)}
        assert len(contents) == 2
        kill(server)
        for path, text in contents.items():
            path.write_text(text.replace(str(server.pid), str(other), 1))
        assert find_running(home) is None
        server.ensure_running()
        assert server.pid != other
        assert count(server) == 1
        os.kill(other, 0)


@NEW
def test_copy_of_a_running_directory_is_not_considered_running(home: Path) -> None:
    with serving(home / "one") as server:
        subprocess.run(["cp", "-a", home / "one", home / "two"], check=True)
        assert find_running(home / "two") is None
        with serving(home / "two") as copy:
            assert copy.pid != server.pid
            assert not copy.was_running


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="only /proc tells where a server works")
def test_manually_started_server_is_left_alone(home: Path) -> None:
    with serving(home):
        pass
    data = home / "postgres" / "data"
    way = runner.choose(runner.wheel_directory(), copy_record=home / "copy", must_be_nobody=False)
    args = ["-D", way.data_argument(data), "-k", ".", "-c", "listen_addresses="]
    with (
        (home / "by-hand.log").open("wb") as log,
        way.spawn("postgres", args, cwd=data, output=log) as by_hand,
    ):
        try:
            pid_file = data / postmaster.PID_FILE
            assert postmaster.wait_until(
                lambda: pid_file.exists() and "ready" in pid_file.read_text(), timeout_s=PATIENCE_S
            )
            before = pid_file.read_text()
            with pytest.raises(EmbeddedUnavailable, match=rf"postmaster.*PID {by_hand.pid}"):
                EmbeddedPostgres.start(home, print_line=print)
            assert pid_file.read_text() == before
            assert by_hand.poll() is None
        finally:
            by_hand.send_signal(signal.SIGINT)
    with serving(home) as server:
        assert answers(server)


@NEW
def test_interrupted_first_start_does_not_block_the_next(home: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", OWNER, home], stdout=subprocess.PIPE) as owner:
        assert postmaster.wait_until(
            lambda: any(home.glob("postgres/data.new-*/global")), timeout_s=PATIENCE_S
        )
        owner.kill()
    assert not (home / "postgres" / "data").exists()
    with serving(home) as server:
        write(server)
        assert count(server) == 1
        # The directory that an orphaned initdb still writes to may remain.
    with serving(home) as server:
        assert count(server) == 1
    assert len(list(home.glob("postgres/data.new-*"))) <= 1


@pytest.mark.long
@pytest.mark.long
def test_long_recovery_is_waited_for_and_reported(home: Path) -> None:
    messages: list[str] = []
    with serving(home) as server:
        write(server)
        kill(server)
    # A stopped server stands for a slow one.
    holder = threading.Thread(target=hold_next_server, args=(home, 4.0))
    holder.start()
    with serving(home, print_line=messages.append) as server:
        holder.join()
        assert count(server) == 1
    assert [text for text in messages if text.startswith("PostgreSQL is recovering, 3 s")]


@pytest.fixture
def home(request: pytest.FixtureRequest) -> Generator[Path]:
    """Return a directory in which a server was started before, or a new one (`NEW`)."""
    with short_directory() as path:
        if getattr(request, "param", None) is None:
            copy_made(path)
        yield path
