"""The embedded server, killed and misled in every way that we could think of."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Generator
from pathlib import Path

import pytest

from landbridge.db.embedded import postmaster, runner
from landbridge.db.embedded.datadir import DataDirInUse
from landbridge.db.embedded.runner import EmbeddedUnavailable
from landbridge.db.embedded.server import EmbeddedPostgres, find_running
from tests.db.embedded_play import (
    OWNER,
    PATIENCE_S,
    answers,
    busy,
    command_lines,
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


def test_killed_server_comes_back_with_what_was_committed(home: Path) -> None:
    with serving(home) as server:
        write(server)
        before = server.pid
        kill(server)
        server.ensure_running()
        assert server.pid != before
        assert count(server) == 1
        server.ensure_running()


def test_server_comes_back_though_an_orphaned_backend_is_busy(home: Path) -> None:
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


def test_adopted_server_comes_back_after_a_kill(home: Path) -> None:
    with owning(home) as (owner, pid):
        owner.kill()
        owner.wait()
        with serving(home) as server:
            write(server)
            kill(server)
            server.ensure_running()
            assert server.pid != pid
            assert count(server) == 1


def test_second_owner_is_refused_and_told_who_is_first(home: Path) -> None:
    with owning(home) as (owner, pid):
        with pytest.raises(DataDirInUse, match=f"pid {owner.pid}"):
            EmbeddedPostgres.start(home, say=print)
        assert postmaster.is_alive(pid, home / "postgres" / "data")


@pytest.mark.parametrize("kind", ["recycled", "zombie"])
def test_pid_file_that_names_another_process_fools_nobody(home: Path, kind: str) -> None:
    with serving(home) as server, process(kind) as other:
        write(server)
        kept = {path: path.read_text() for path in pid_files(home)}
        assert len(kept) == 2
        kill(server)
        for path, text in kept.items():
            path.write_text(text.replace(str(server.pid), str(other), 1))
        assert find_running(home) is None
        server.ensure_running()
        assert server.pid != other
        assert count(server) == 1
        os.kill(other, 0)


def test_copy_of_a_running_directory_is_not_taken_for_running(home: Path) -> None:
    with serving(home / "one") as server:
        subprocess.run(["cp", "-a", home / "one", home / "two"], check=True)
        assert find_running(home / "two") is None
        with serving(home / "two") as copy:
            assert copy.pid != server.pid
            assert not copy.was_running


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="only /proc tells where a server works")
def test_server_that_somebody_started_by_hand_is_left_alone(home: Path) -> None:
    with serving(home):
        pass
    data = home / "postgres" / "data"
    way = runner.choose(runner.wheel_directory(), copy_record=home / "copy", must_be_nobody=False)
    args = ["-D", way.data_argument(data), "-k", ".", "-c", "listen_addresses="]
    with (
        (home / "by-hand.log").open("wb") as log,
        way.spawn("postgres", args, cwd=data, out=log) as by_hand,
    ):
        try:
            pid_file = data / postmaster.PID_FILE
            assert postmaster.wait_until(
                lambda: pid_file.exists() and "ready" in pid_file.read_text(), timeout_s=PATIENCE_S
            )
            before = pid_file.read_text()
            with pytest.raises(EmbeddedUnavailable, match=rf"postmaster.*PID {by_hand.pid}"):
                EmbeddedPostgres.start(home, say=print)
            assert pid_file.read_text() == before
            assert by_hand.poll() is None
        finally:
            by_hand.send_signal(signal.SIGINT)
    with serving(home) as server:
        assert answers(server)


def test_interrupted_first_start_leaves_nothing_in_the_way(home: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", OWNER, home], stdout=subprocess.PIPE) as owner:
        assert postmaster.wait_until(
            lambda: any(home.glob("postgres/data.new-*/global")), timeout_s=PATIENCE_S
        )
        owner.kill()
    assert not (home / "postgres" / "data").exists()
    with serving(home) as server:
        write(server)
        assert count(server) == 1
        # The one that an orphaned initdb goes on writing to may still be there.
    with serving(home) as server:
        assert count(server) == 1
    assert len(list(home.glob("postgres/data.new-*"))) <= 1


@pytest.mark.slow
def test_long_recovery_is_waited_for_and_reported(home: Path) -> None:
    said: list[str] = []
    with serving(home) as server:
        write(server)
        kill(server)
    # A server that is held is as good as a slow one.
    holder = threading.Thread(target=hold_next_server, args=(home, 4.0))
    holder.start()
    with serving(home, say=said.append) as server:
        holder.join()
        assert count(server) == 1
    assert [text for text in said if text.startswith("PostgreSQL is recovering, 3 s")]


@pytest.fixture
def home() -> Generator[Path]:
    with short_directory() as path:
        yield path
