"""Embedded PostgreSQL: started, supervised and stopped by Landbridge.

Guarantees:
- One owner at a time: the holder of the lock on `postgres.lock` in the data directory. The kernel
  releases it when the owner dies.
- A killed owner leaves the server running; the next owner finds and adopts it, so that no directory
  is ever served twice.
- Recovery may take any time; a server that exits while starting is an error at once.
- Clients connect by a unix socket only, in a directory that excludes other users.
- A directory is created completely or not at all: it gets its name when it is complete.
- All calls block; only the standard library is imported.

    DIR/postgres.lock       "<pid> <purpose>" of the owner
    DIR/postgres.log        the server's log, rotated to postgres.log.1
    DIR/postgres/data       the database; its major version is in PG_VERSION
    DIR/postgres/socket     the socket, unless its path would be too long: then
    DIR/postgres.socket     names a private directory in the system's temporary directory
    DIR/postgres.binaries   names a private copy of the programs, for `nobody`
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Self
from urllib.parse import quote

from landbridge.platform.db.embedded import datadir, postmaster, runner
from landbridge.platform.db.embedded.datadir import (
    ROLE,
    DataDirInUse,
    OwnerLock,
    PrintLine,
    Purpose,
)
from landbridge.platform.db.embedded.runner import EmbeddedUnavailable

DATABASE = "landbridge"
PORT = 5432  # only a part of the socket's name

# sockaddr_un holds 104 bytes on macOS and 108 on Linux, with the closing zero.
SOCKET_PATH_BYTES_MAX = 103
PRINT_EVERY_S = 3.0
# Signals to stop the server, with the seconds to wait after each. A fast shutdown writes the
# buffers (128 MB) to disk, which takes seconds on a slow disk.
STOP_WAITS_S = ((signal.SIGINT, 60.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 10.0))
CLIENT_TIMEOUT_S = 60
# Seconds for which a command waits for a server that another process is starting.
BORROW_WAIT_S = 60.0

# Passed at each start, because the guarantees above depend on them.
FIXED_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "port": str(PORT),
    "fsync": "on",
    "full_page_writes": "on",
    "logging_collector": "off",
    "log_destination": "stderr",
    "update_process_title": "on",  # the process title identifies the directory
}


class EmbeddedPostgres:
    """PostgreSQL server on one data directory, owned by this process until `stop` or `leave`."""

    def __init__(
        self,
        home: Path,
        lock: OwnerLock,
        *,
        print_line: PrintLine,
        wheel: Path,
        must_be_nobody: bool,
    ) -> None:
        self._home = home
        self._lock = lock
        self._print_line = print_line
        self._wheel = wheel
        self._must_be_nobody = must_be_nobody
        self._runner: runner.Runner | None = None
        self._child: runner.Process | None = None
        self._pid = 0
        self.was_running = False

    @classmethod
    def start(
        cls,
        data_dir: Path,
        *,
        print_line: PrintLine,
        purpose: Purpose = "serve",
        wheel: Path | None = None,
        must_be_nobody: bool = False,
    ) -> Self:
        """Own `data_dir`, create it if it does not exist, and start its server.

        Returns when the server accepts connections. `wheel` and `must_be_nobody` are for tests.
        """
        home = data_dir.resolve()
        programs = wheel or runner.wheel_directory()
        lock = OwnerLock.take(home, purpose=purpose, print_line=print_line)
        server = cls(
            home, lock, print_line=print_line, wheel=programs, must_be_nobody=must_be_nobody
        )
        try:
            server._bring_up()
        except BaseException:
            # An adopted server keeps running, even after Ctrl-C during its recovery.
            if server.was_running:
                server.release()
            else:
                server.stop()
            raise
        return server

    @property
    def dsn(self) -> str:
        """Return the connection string for asyncpg and libpq."""
        return _dsn(self._socket())

    @property
    def pid(self) -> int:
        """Return the process id of the server."""
        return self._pid

    def is_running(self) -> bool:
        """Return whether the server runs. Call it regularly: it also rotates the log."""
        datadir.bound_log(self._log)
        if self._child is not None:
            return self._child.poll() is None
        return self._pid > 0 and postmaster.is_alive(self._pid, self._data)

    def ensure_running(self) -> None:
        """Start the server again if it has died; PostgreSQL recovers committed data by itself."""
        if not self._lock.is_held:
            raise EmbeddedUnavailable(f"This process does not own {self._home} any more.")
        if not self.is_running():
            self._print_line("PostgreSQL died and is started again.")
            self._bring_up()

    def stop(self) -> None:
        """Shut the server down, by force if it does not end in time, and release the directory."""
        if not self._lock.is_held:
            return
        self._shut_down()
        # Without a pid, the directory was refused: its processes may belong to another server.
        if self._pid > 0:
            postmaster.clear(self._data)
            self._remove_socket()
        runner.forget_copy(self._home / "postgres.binaries")
        self.release()

    def release(self) -> None:
        """Release the directory without stopping the server."""
        self._pid = 0
        self._lock.release()

    def _shut_down(self) -> None:
        for signum, wait_s in STOP_WAITS_S:
            if not self.is_running():
                break
            postmaster.send(self._pid, signum)
            postmaster.wait_until(lambda: not self.is_running(), timeout_s=wait_s)

    @property
    def _data(self) -> Path:
        return self._home / "postgres" / "data"

    @property
    def _log(self) -> Path:
        return self._home / "postgres.log"

    def _bring_up(self) -> None:
        datadir.check(self._home / "postgres")
        self._child = None
        while True:
            found = postmaster.find(self._data)
            self.was_running = found is not None
            if found is None:
                self._launch()
            else:
                self._print_line(
                    f"PostgreSQL is running already (pid {found.pid}): taking it over."
                )
                self._pid = found.pid
            if self._is_ready_at_last():
                break
        self._make_database()

    def _launch(self) -> None:
        if self._runner is None:
            self._runner = runner.choose(
                self._wheel,
                copy_record=self._home / "postgres.binaries",
                must_be_nobody=self._must_be_nobody,
            )
        if self._data.exists():
            postmaster.clear(self._data)
            self._remove_socket()
        datadir.give_to_server_user(self._home / "postgres", self._runner)
        if not self._data.exists():
            self._print_line("PostgreSQL makes its data directory, which takes some seconds ...")
            datadir.create_directory(self._data, by=self._runner)
        settings = {
            **FIXED_SETTINGS,
            "unix_socket_directories": self._make_socket(),
            "cluster_name": postmaster.cluster_name(self._data),
        }
        args = ["-D", self._runner.data_argument(self._data)]
        for name, value in settings.items():
            args += ["-c", f"{name}={value}"]
        with datadir.open_log(self._log) as log:
            self._child = self._runner.spawn("postgres", args, cwd=self._data, output=log)
        self._pid = self._child.pid

    def _is_ready_at_last(self) -> bool:
        """Wait until the server is ready; return False if an adopted server ended instead."""
        began = time.monotonic()
        notices = 1
        while True:
            is_running = self.is_running()
            found = postmaster.find(self._data)
            if found is not None and found.pid == self._pid and found.is_ready:
                return True
            if not is_running:
                break
            waited = time.monotonic() - began
            if waited > notices * PRINT_EVERY_S:
                notices += 1
                self._print_line(f"PostgreSQL is recovering, {waited:.0f} s ...")
            time.sleep(postmaster.POLL_S)
        if self._child is None:
            return False
        raise EmbeddedUnavailable(
            f"PostgreSQL ended while starting (exit code {self._child.returncode}). "
            f"The end of {self._log}:\n{datadir.end_of_log(self._log)}"
        )

    def _make_database(self) -> None:
        """Create the database if it is missing, which also proves that the server responds.

        Sessions of its role log errors without details.
        """
        find = f"SELECT 1 FROM pg_database WHERE datname = '{DATABASE}'"  # noqa: S608  a constant
        if not self._query(find):
            self._query(f"CREATE DATABASE {DATABASE}")
        # Error details quote the values of rows. Errors during the start still have theirs.
        self._query(f"ALTER ROLE {ROLE} SET log_error_verbosity = 'terse'")

    def _query(self, sql: str) -> str:
        psql = str(runner.client_directory(self._wheel) / "psql")
        conninfo = f"host='{self._socket()}' port={PORT} user={ROLE} dbname=postgres"
        try:
            result = subprocess.run(
                [psql, "-X", "-w", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql, conninfo],
                env=runner.clean_environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=CLIENT_TIMEOUT_S,
            )
        except subprocess.TimeoutExpired as error:
            raise EmbeddedUnavailable(
                f"PostgreSQL did not answer within {CLIENT_TIMEOUT_S} s."
            ) from error
        if result.returncode != 0:
            raise EmbeddedUnavailable(f"PostgreSQL does not answer: {result.stderr.strip()}")
        return result.stdout.strip()

    def _socket(self) -> Path:
        path = _socket_directory(self._home)
        if path is None:
            raise EmbeddedUnavailable(f"The socket of PostgreSQL on {self._home} is gone.")
        return path

    def _make_socket(self) -> str:
        """Create the socket's directory; return its path for a server started in `data`."""
        assert self._runner is not None
        usual = self._home / "postgres" / "socket"
        length = len(os.fsencode(usual / f".s.PGSQL.{PORT}"))
        if length <= SOCKET_PATH_BYTES_MAX and not set(runner.UNFIT_FOR_SOCKET) & set(str(usual)):
            datadir.give_to_server_user(usual, self._runner)
            return "../socket"
        record = self._home / "postgres.socket"
        return str(runner.make_private(record, uid=self._runner.uid, gid=self._runner.gid))

    def _remove_socket(self) -> None:
        """Remove the socket lock of a killed server, which PostgreSQL would trust."""
        shutil.rmtree(self._home / "postgres" / "socket", ignore_errors=True)
        owner = self._data.stat().st_uid
        runner.forget_private(self._home / "postgres.socket", uid=owner)


def find_running(data_dir: Path) -> str | None:
    """Return the DSN of the running server on `data_dir`, if it accepts connections."""
    home = data_dir.resolve()
    found = postmaster.find(home / "postgres" / "data")
    socket = _socket_directory(home)
    return _dsn(socket) if found is not None and found.is_ready and socket is not None else None


@contextmanager
def borrow(data_dir: Path, *, print_line: PrintLine) -> Generator[str]:
    """Yield a DSN for one command: of the running server, or of one started for the command."""
    dsn, server = _find_or_start(data_dir, print_line=print_line)
    try:
        yield dsn
    finally:
        if server is None:
            pass
        elif server.was_running:
            # The owner was killed, but its API and worker may still use the server.
            server.release()
        else:
            server.stop()


def _find_or_start(data_dir: Path, *, print_line: PrintLine) -> tuple[str, EmbeddedPostgres | None]:
    deadline = time.monotonic() + BORROW_WAIT_S
    while True:
        try:
            server = EmbeddedPostgres.start(data_dir, print_line=print_line, purpose="command")
        except DataDirInUse:
            dsn = find_running(data_dir)
            if dsn is not None:
                return dsn, None
            # Another process is starting, stopping or recovering the server.
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return server.dsn, server


def _dsn(socket: Path) -> str:
    # The port is explicit because clients would otherwise take it from PGPORT.
    return f"postgresql://{ROLE}@/{DATABASE}?host={quote(str(socket), safe='/')}&port={PORT}"


def _socket_directory(home: Path) -> Path | None:
    """Return the directory of the socket; None if another user could have created it."""
    try:
        owner = home.joinpath("postgres").stat().st_uid
    except OSError:
        return None
    record = home / "postgres.socket"
    if record.exists():
        return runner.recorded_private(record, uid=owner)
    usual = home / "postgres" / "socket"
    return usual if runner.is_private(usual, uid=owner) else None
