"""Embedded server: start, operating-system user, other servers, and stop."""

import asyncio
import multiprocessing
import os
import shutil
import threading
from collections.abc import Generator
from pathlib import Path

import asyncpg
import pytest

from landbridge.platform.db.embedded import datadir, postmaster, runner
from landbridge.platform.db.embedded.runner import EmbeddedUnavailable
from landbridge.platform.db.embedded.server import EmbeddedPostgres, borrow, find_running
from tests.platform.db.embedded_servers import (
    PATIENCE_S,
    answers,
    command_lines,
    copy_made,
    count,
    kill,
    link,
    may_open_namespaces,
    mode,
    owning,
    process,
    query,
    serving,
    short_directory,
    write,
)

pytestmark = pytest.mark.long

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs PostgreSQL as another user")

NEW = pytest.mark.parametrize("home", ["new"], indirect=True)

# The user daemon exists on every Unix; the other is not in /etc/passwd, as in many containers.
NAMED_UID = 1
NAMELESS_UID = 23456


@NEW
def test_first_start_creates_a_durable_private_database_with_fixed_collation(
    home: Path,
) -> None:
    with serving(home) as server:
        created = (
            "SELECT pg_encoding_to_char(encoding), datlocale, current_user "
            "FROM pg_database WHERE datname = current_database()"
        )
        assert query(server, created) == "UTF8|C.UTF-8|postgres"
        for name, value in {
            "fsync": "on",
            "full_page_writes": "on",
            "data_checksums": "on",
            "listen_addresses": "",
            "max_connections": "100",
            "shared_buffers": "128MB",
            "max_wal_size": "1GB",
            "TimeZone": "UTC",
        }.items():
            assert query(server, f"SHOW {name}") == value
        assert mode(home) == 0o700
        assert mode(home / "postgres" / "socket") == 0o700


def test_asyncpg_accepts_the_dsn(home: Path) -> None:
    async def connect(dsn: str) -> object:
        connection = await asyncpg.connect(dsn)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  untyped
        try:
            return await connection.fetchval("SELECT current_database()")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  untyped
        finally:
            await connection.close()  # pyright: ignore[reportUnknownMemberType]  untyped

    odd = home / "it's odd, isn't it? 100% @ü"
    for folder in (home, odd):
        with serving(folder) as server:
            assert asyncio.run(connect(server.dsn)) == "landbridge"
            assert find_running(folder) == server.dsn


def test_stop_leaves_no_process_and_no_socket_and_can_be_repeated(home: Path) -> None:
    with serving(home) as server:
        pid, ours = server.pid, postmaster.cluster_name(home / "postgres" / "data")
        assert any(ours in words for _, words in command_lines())
        server.stop()
        assert not [words for _, words in command_lines() if ours in words]
        assert not postmaster.is_alive(pid, home / "postgres" / "data")
        assert not [path for path in home.rglob("*") if ".s.PGSQL" in path.name]
        assert not server.is_running()
        assert find_running(home) is None
        server.stop()
        with pytest.raises(EmbeddedUnavailable, match="does not own"):
            server.ensure_running()


def test_ctrl_c_in_a_terminal_does_not_reach_the_server(home: Path) -> None:
    with serving(home) as server:
        assert os.getsid(server.pid) != os.getsid(0)
        assert os.getpgid(server.pid) != os.getpgid(0)


# As root, and as other users.


@as_root
@pytest.mark.parametrize("must_be_nobody", [False, True])
@NEW
def test_root_runs_it_as_another_user_and_changes_no_parent_directory(
    home: Path, *, must_be_nobody: bool
) -> None:
    above = home / "user"
    above.mkdir(mode=0o700)
    with serving(above / "data", must_be_nobody=must_be_nobody) as server:
        write(server)
        namespace = Path(f"/proc/{server.pid}/ns/user").readlink()
        owner = Path(f"/proc/{server.pid}").stat().st_uid
        if must_be_nobody:
            assert owner == runner.NOBODY
        elif owner == 0:
            assert namespace != Path("/proc/self/ns/user").readlink()
        else:
            pytest.skip("this system allows no user namespaces, so both cases are the same")
        assert (mode(above), above.stat().st_uid) == (0o700, 0)


@as_root
def test_root_may_switch_between_both_users(home: Path) -> None:
    for number, must_be_nobody in enumerate([False, True, False], start=1):
        with serving(home, must_be_nobody=must_be_nobody) as server:
            write(server)
            assert count(server) == number


@as_root
@NEW
def test_unreachable_programs_are_copied_for_the_other_user(home: Path) -> None:
    installed = runner.wheel_directory()
    site = home / "venv"
    site.mkdir(mode=0o700)
    for name in (installed.name, f"{installed.name}.libs"):
        shutil.copytree(installed.parent / name, site / name, copy_function=link, symlinks=True)
    wheel = site / installed.name
    with serving(home / "data", wheel=wheel, must_be_nobody=True) as server:
        write(server)
        copy = Path((home / "data" / "postgres.binaries").read_text())
        assert Path(f"/proc/{server.pid}/exe").resolve().is_relative_to(copy)
        assert copy.stat().st_uid == 0
        assert mode(copy) == 0o755
        server.stop()
        assert not copy.exists()
    assert mode(site) == 0o700
    assert mode(home) == 0o700


@as_root
@pytest.mark.parametrize("uid", [NAMED_UID, NAMELESS_UID])
@NEW
def test_ordinary_user_runs_it_and_the_directory_stays_theirs(home: Path, uid: int) -> None:
    if uid == NAMELESS_UID and not may_open_namespaces(uid):
        pytest.skip("initdb refuses a user without a name, and this one may open no namespace")
    os.chown(home, uid, uid)
    # A fork instead of a new interpreter, which an ordinary user may be unable to read.
    child = multiprocessing.get_context("fork").Process(target=play_ordinary_user, args=(home, uid))
    child.start()
    child.join(60)
    assert child.exitcode == 0
    assert (home / "postgres" / "data").stat().st_uid == uid
    with pytest.raises(EmbeddedUnavailable, match=f"belongs to the user with id {uid}"):
        EmbeddedPostgres.start(home, print_line=print)
    assert (home / "postgres" / "data").stat().st_uid == uid


def play_ordinary_user(home: Path, uid: int) -> None:
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)
    with serving(home) as server:
        assert Path(f"/proc/{server.pid}").stat().st_uid == uid
        write(server)
        kill(server)
        server.ensure_running()
        assert count(server) == 1


# Refusals.


@NEW
def test_failed_server_start_reports_the_cause_and_unlocks_the_directory(home: Path) -> None:
    with serving(home):
        pass
    settings = home / "postgres" / "data" / "postgresql.conf"
    good = settings.read_text()
    settings.write_text(f"{good}\nno_such_setting = 1\n")
    for _ in range(2):
        with pytest.raises(EmbeddedUnavailable, match="no_such_setting"):
            EmbeddedPostgres.start(home, print_line=print)
    settings.write_text(good)
    with serving(home) as server:
        assert answers(server)


@NEW
def test_directory_of_another_major_version_is_refused(home: Path) -> None:
    with serving(home):
        pass
    (home / "postgres" / "data" / "PG_VERSION").write_text("17\n")
    with pytest.raises(EmbeddedUnavailable, match=r"made by PostgreSQL 17.* comes with 18"):
        EmbeddedPostgres.start(home, print_line=print)


# The socket.


@NEW
def test_deep_directory_gets_a_short_private_socket(home: Path) -> None:
    deep = home / ("d" * 90)
    with serving(deep) as server:
        write(server)
        short = Path((deep / "postgres.socket").read_text())
        assert mode(short) == 0o700
        assert find_running(deep) == server.dsn
        kill(server)
        server.ensure_running()
        assert not short.exists()
        short = Path((deep / "postgres.socket").read_text())
        assert count(server) == 1
        short.chmod(0o750)
        assert find_running(deep) is None
        short.chmod(0o700)
        # A user who can write to the temporary folder might create a directory of the same name.
        moved = short.with_name(f"{short.name}-moved")
        short.rename(moved)
        short.symlink_to(moved)
        assert find_running(deep) is None
        short.unlink()
        moved.rename(short)
        assert find_running(deep) == server.dsn
    assert not short.exists()


@as_root
def test_short_socket_of_another_user_is_not_trusted(home: Path) -> None:
    deep = home / ("d" * 90)
    with serving(deep):
        short = Path((deep / "postgres.socket").read_text())
        os.chown(short, NAMED_UID, NAMED_UID)
        assert find_running(deep) is None
        os.chown(short, (deep / "postgres").stat().st_uid, 0)
        assert find_running(deep) is not None


# Concurrent commands.


def test_command_uses_the_running_server(home: Path) -> None:
    with serving(home) as server:
        with borrow(home, print_line=print) as dsn:
            assert dsn == server.dsn
        assert server.is_running()


@NEW
def test_command_starts_a_server_while_it_runs(home: Path) -> None:
    with borrow(home, print_line=print) as dsn:
        assert find_running(home) == dsn
    assert find_running(home) is None


def test_command_keeps_the_server_of_a_killed_owner_running(home: Path) -> None:
    with owning(home) as (owner, pid):
        owner.kill()
        owner.wait()
        with borrow(home, print_line=print) as dsn:
            assert find_running(home) == dsn
        assert postmaster.is_alive(pid, home / "postgres" / "data")


@NEW
def test_serve_waits_for_a_command_to_end(home: Path) -> None:
    messages: list[str] = []
    has_begun = threading.Event()

    def command() -> None:
        with borrow(home, print_line=print):
            has_begun.set()
            postmaster.wait_until(lambda: bool(messages), timeout_s=PATIENCE_S)

    beside = threading.Thread(target=command)
    beside.start()
    assert has_begun.wait(PATIENCE_S)
    with serving(home, print_line=messages.append) as server:
        assert not server.was_running
    beside.join()
    assert messages[0].startswith("Waiting for another command.")


# Other cases.


def test_log_is_kept_once_and_bounded(home: Path) -> None:
    log = home / "postgres.log"
    with serving(home) as server:
        os.truncate(log, datadir.LOG_BYTES_MAX + 1)
        assert server.is_running()
        assert log.stat().st_size == 0
        assert (home / "postgres.log.1").stat().st_size == datadir.LOG_BYTES_MAX + 1
        with pytest.raises(AssertionError):
            query(server, "SELECT no_such_column")
        assert "no_such_column" in log.read_text()
    with serving(home):
        assert "no_such_column" in (home / "postgres.log.1").read_text()
        assert "no_such_column" not in log.read_text()


def test_log_has_no_values_of_rows(home: Path) -> None:
    twice = "SELECT repeat('se', 3) || 'cret' AS name FROM generate_series(1, 2)"
    with serving(home) as server:
        with pytest.raises(AssertionError, match="sesesecret"):
            query(server, f"CREATE TABLE twice AS {twice}; CREATE UNIQUE INDEX ON twice (name)")
        log = (home / "postgres.log").read_text()
    assert "could not create unique index" in log
    assert "sesesecret" not in log


def test_ps_gives_the_same_result_without_proc(home: Path) -> None:
    with serving(home) as server, process("zombie") as zombie:
        ours = postmaster.cluster_name(home / "postgres" / "data")
        (found,) = postmaster.ps("-p", str(server.pid))
        assert found[0] == server.pid
        assert ours in found[1]
        assert not found[1].startswith("postgres: ")
        assert not [words for _, words in postmaster.ps("-p", str(zombie)) if ours in words]
        others = [words for _, words in postmaster.ps("-a", "-x") if ours in words]
        assert len([words for words in others if words.startswith("postgres: ")]) > 2


@pytest.fixture
def home(request: pytest.FixtureRequest) -> Generator[Path]:
    """Return a directory in which a server was started before, or a new one (`NEW`)."""
    with short_directory() as path:
        if getattr(request, "param", None) is None:
            copy_made(path)
        yield path
