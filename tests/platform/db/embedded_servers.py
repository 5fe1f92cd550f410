"""Helpers for tests of the embedded server."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from landbridge.platform.db.embedded import postmaster, runner
from landbridge.platform.db.embedded.server import PORT, EmbeddedPostgres

# Fast operations can take very long on a busy machine.
PATIENCE_S = 60

# A process that owns a server until it is killed.
OWNER = """
import sys, time
from pathlib import Path
from landbridge.platform.db.embedded.server import PORT, EmbeddedPostgres
server = EmbeddedPostgres.start(Path(sys.argv[1]), print_line=lambda text: None)
print(server.pid, flush=True)
time.sleep(600)
"""


@contextmanager
def short_directory() -> Generator[Path]:
    """Yield a temporary directory; tmp_path is too long for a socket."""
    with tempfile.TemporaryDirectory(prefix="lb-", ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()


@cache
def _made() -> tuple[Path, "tempfile.TemporaryDirectory[str]"]:
    """Return the directory of a server that was started and stopped, once per test process."""
    folder = tempfile.TemporaryDirectory(prefix="lb-", ignore_cleanup_errors=True)
    home = Path(folder.name).resolve()
    EmbeddedPostgres.start(home, print_line=print).stop()
    return home / "postgres", folder


def copy_made(home: Path) -> None:
    """Create the database directory of `home` like a first start, in a tenth of the time."""
    shutil.copytree(_made()[0], home / "postgres", symlinks=True)


@contextmanager
def serving(
    home: Path,
    *,
    print_line: Callable[[str], None] = print,
    wheel: Path | None = None,
    must_be_nobody: bool = False,
) -> Generator[EmbeddedPostgres]:
    server = EmbeddedPostgres.start(
        home, print_line=print_line, wheel=wheel, must_be_nobody=must_be_nobody
    )
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def owning(home: Path) -> Generator[tuple["subprocess.Popen[str]", int]]:
    """Another process that owns a server, and the server's pid."""
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, home], stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        try:
            yield owner, pid
        finally:
            owner.kill()
            owner.wait()
            if postmaster.is_alive(pid, home / "postgres" / "data"):
                EmbeddedPostgres.start(home, print_line=print).stop()


@contextmanager
def process(kind: str) -> Generator[int]:
    """Yield the pid of a process that is no server: alive, or a zombie."""
    with subprocess.Popen(["sleep", "60"]) as other:
        if kind == "zombie":
            other.kill()
            os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
        try:
            yield other.pid
        finally:
            other.kill()


@contextmanager
def busy(server: EmbeddedPostgres) -> Generator[int]:
    """Yield the pid of a backend that never checks for interrupts."""
    endless = "DO $$ BEGIN LOOP END LOOP; END $$"
    with subprocess.Popen([*psql(server), endless], stderr=subprocess.DEVNULL) as client:
        working = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'DO %LOOP END LOOP%'"
        try:
            assert postmaster.wait_until(lambda: query(server, working) != "", timeout_s=PATIENCE_S)
            yield int(query(server, working))
        finally:
            client.kill()


def may_open_namespaces(uid: int) -> bool:
    tried = subprocess.run(["unshare", "--user", "true"], user=uid, group=uid, check=False)
    return tried.returncode == 0


def hold_next_server(home: Path, duration_s: float) -> None:
    """Stop the next server on `home` for a while before it is ready."""
    data = home / "postgres" / "data"
    ours = postmaster.cluster_name(data)

    def born() -> list[int]:
        found = [pid for pid, words in command_lines() if f"cluster_name={ours}" in words]
        return [pid for pid in found if postmaster.is_alive(pid, data)]

    while not born():
        time.sleep(0.001)
    pid = born()[0]
    os.kill(pid, signal.SIGSTOP)
    time.sleep(duration_s)
    os.kill(pid, signal.SIGCONT)


def kill(server: EmbeddedPostgres) -> None:
    """Kill the server as the out-of-memory killer does, and wait until it is dead."""
    os.kill(server.pid, signal.SIGKILL)
    assert postmaster.wait_until(lambda: not server.is_running(), timeout_s=PATIENCE_S)


def write(server: EmbeddedPostgres) -> None:
    """Commit one row more."""
    query(server, "CREATE TABLE IF NOT EXISTS kept (); INSERT INTO kept DEFAULT VALUES")


def count(server: EmbeddedPostgres) -> int:
    query(server, "CREATE TABLE IF NOT EXISTS kept ()")
    return int(query(server, "SELECT count(*) FROM kept"))


def answers(server: EmbeddedPostgres) -> bool:
    return subprocess.run([*psql(server), "SELECT 1"], capture_output=True).returncode == 0  # noqa: PLW1510  the answer


def query(server: EmbeddedPostgres, sql: str) -> str:
    completed = subprocess.run([*psql(server), sql], capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stderr
    return completed.stdout.strip()


def psql(server: EmbeddedPostgres) -> list[str]:
    program = runner.client_directory(runner.wheel_directory()) / "psql"
    return [str(program), "-X", "-w", "-q", "-A", "-t", server.dsn, "-c"]


def command_lines() -> list[tuple[int, str]]:
    return postmaster.ps("-a", "-x")


def pid_files(home: Path) -> list[Path]:
    root = home / "postgres"
    return [
        root / "data" / postmaster.PID_FILE,
        root / "socket" / f".s.PGSQL.{PORT}.lock",
    ]


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def link(source: str, target: str) -> None:
    """Create a hard link where the file system supports it, instead of a copy of many megabytes."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
