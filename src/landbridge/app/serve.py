"""`landbridge serve`: database, API, worker and signer as one tree of processes.

Guarantees:
- A process that dies is restarted; PostgreSQL recovers by itself first.
- Processes started here are stopped with us, API and worker first, so that no accepted request is
  lost.
- If this process is killed, API and worker end by themselves, and the next start finds the database
  that still runs.
- When API or worker detect that a newer version has migrated the database, all processes stop in
  order.
"""

import asyncio
import contextlib
import os
import signal
import stat
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import FrameType

import structlog

from landbridge.app.bootstrap import FirstStartResult, prepare
from landbridge.app.fork_server import ForkedProcess, ForkFailed, ForkServer, with_socket
from landbridge.app.metrics_spool import VARIABLE, remove_old_spools
from landbridge.app.process_lifecycle import OUTDATED, set_up_logs
from landbridge.app.processes import listen
from landbridge.app.settings import PREFIX, Settings
from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.db.embedded.server import EmbeddedPostgres
from landbridge.platform.db.migrate import SchemaNewer

_log = structlog.stdlib.get_logger()

# The API is on this machine, so no proxy of the environment applies.
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))

# Built by `make site`. By its path: the module that serves it imports what only the API needs.
_SITE = files("landbridge.platform.http") / "documentation_site.zip"
_CHECK_EVERY_S = 0.5
# A busy machine may take minutes; then a person wants to know that it is still starting.
_SLOW_START_S, _READY_TIMEOUT_S = 30.0, 300.0
# Longer than the API's own grace period, so that the API can use all of it.
_STOP_TIMEOUT_S = 30.0
_RESTART_DELAY_MAX_S = 30.0
_CALM_S = 60.0

# Both have what a supervisor needs.
SupervisedProcess = subprocess.Popen[bytes] | ForkedProcess


class StartFailed(LandbridgeError):
    """The service could not be started."""


@dataclass(slots=True)
class ChildProcess:
    """A supervised process, restarted with growing delays when it dies."""

    name: str
    start: Callable[[], SupervisedProcess]
    process: SupervisedProcess
    started_at_s: float
    delay_s: float = 0.5
    due_at_s: float | None = None

    def restart_if_dead(self) -> None:
        """Restart the process if it is dead and its delay has passed.

        Raises `SchemaNewer` if it ended because of a newer schema: a restart would end the same
        way.
        """
        now_s = time.monotonic()
        if self.process.poll() is None:
            if now_s - self.started_at_s > _CALM_S:
                self.delay_s = 0.5
            return
        self.check_schema()
        if self.due_at_s is None:
            _log.error("process.died", process=self.name, exit=self.process.returncode)
            self.due_at_s = now_s + self.delay_s
            self.delay_s = min(self.delay_s * 2, _RESTART_DELAY_MAX_S)
        elif now_s >= self.due_at_s:
            self.process, self.started_at_s, self.due_at_s = self.start(), now_s, None

    def check_schema(self) -> None:
        """Raise `SchemaNewer` if the process ended because of a newer schema."""
        if self.process.poll() == SchemaNewer.exit_code:
            raise _newer_schema()


def _newer_schema() -> SchemaNewer:
    return SchemaNewer(
        "A newer version has migrated the database. This one has finished what was under way and "
        "ended. Start the newer version."
    )


class StopRequested(KeyboardInterrupt):
    """SIGTERM or SIGINT arrived during the start. asyncio only lets such exceptions pass."""


@dataclass(slots=True)
class Signals:
    """Handlers of SIGTERM and SIGINT: the first signal cancels a start, later ones are recorded.

    Also records the signal of a process that has detected a newer schema.
    """

    is_starting: bool = True
    has_signal: bool = False
    is_outdated: bool = False

    def catch(self) -> None:
        """Install the handlers."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._record_signal)
        signal.signal(OUTDATED, self._note_newer_schema)

    def check_schema(self) -> None:
        """Raise `SchemaNewer` if a process has detected a newer schema."""
        if self.is_outdated:
            raise _newer_schema()

    def _note_newer_schema(self, _number: int, _frame: FrameType | None) -> None:
        self.is_outdated = True

    def _record_signal(self, _number: int, _frame: FrameType | None) -> None:
        is_first, self.has_signal = not self.has_signal, True
        if is_first and self.is_starting:
            raise StopRequested


def serve(
    settings: Settings,
    print_line: Callable[[str], None],
    spool: Path,
    fork_server: ForkServer | None,
) -> None:
    """Run until SIGTERM or SIGINT. Raises a `LandbridgeError` with a sentence if it can't start.

    Metrics are counted in `spool`. Without a fork server, each process imports everything itself.
    """
    set_up_logs(settings)
    signals = Signals()
    starter = Starter(settings, spool, fork_server)
    try:
        signals.catch()
        _serve(settings, signals, starter, print_line)
    except StopRequested:
        print_line("Stopped before everything was up.")
    finally:
        starter.close()


def _serve(
    settings: Settings, signals: Signals, starter: "Starter", print_line: Callable[[str], None]
) -> None:
    check_private(settings.folder)
    # The socket first: a start that fails because its port is taken must have no effect.
    with listen(settings) as sock, _database(settings, print_line) as (dsn, server):
        print_line("Preparing the database ...")
        prepared = asyncio.run(prepare(settings, dsn))
        if prepared.applied_migrations:
            print_line("Migrated the database.")
        # Printed immediately: whatever happens next, the secrets are never shown again.
        _show_key(prepared, print_line)
        _show_admin(settings, prepared, print_line)
        remove_old_spools()
        signals.is_starting = False
        print_line("Starting the API and the worker ...")
        children = _start_children(settings, starter, dsn, sock.fileno())
        try:
            _await_ready(settings, children, signals, print_line)
            if not signals.has_signal:
                _print_addresses(settings, prepared, print_line)
            while not signals.has_signal:
                time.sleep(_CHECK_EVERY_S)
                signals.check_schema()
                if server is not None:
                    server.ensure_running()
                for child in children:
                    child.restart_if_dead()
        finally:
            print_line("Stopping ...")
            # Closed first: no process would answer a connection that only this one holds open.
            sock.close()
            _stop(children)


@contextmanager
def _database(
    settings: Settings, print_line: Callable[[str], None]
) -> Generator[tuple[str, EmbeddedPostgres | None]]:
    if settings.database_url is not None:
        yield settings.database_url, None
        return
    print_line(f"Starting PostgreSQL in {settings.folder} ...")
    server = EmbeddedPostgres.start(settings.folder, print_line=print_line)
    try:
        yield server.dsn, server
    finally:
        server.stop()


class Starter:
    """Starts the processes: forks them if possible, or runs their command lines."""

    def __init__(self, settings: Settings, spool: Path, fork_server: ForkServer | None) -> None:
        self._settings = settings
        self._spool = spool
        self._fork_server = fork_server

    def close(self) -> None:
        """End the fork server."""
        if self._fork_server is not None:
            self._fork_server.stop()

    def fork(
        self, dsn: str, *command: str, socket: int | None = None
    ) -> Callable[[], SupervisedProcess]:
        """Return what forks a process, with `--fd` for the socket."""

        def start() -> SupervisedProcess:
            if self._fork_server is not None:
                try:
                    return self._fork_server.fork(_args(*command), self._environ(dsn), socket)
                except ForkFailed as error:
                    # Processes need more memory then, and are otherwise the same.
                    _log.warning("process.not_forked", reason=str(error))
                    self._fork_server = None
            return spawn()

        spawn = self.spawn(dsn, *command, socket=socket)
        return start

    def spawn(
        self, dsn: str, *command: str, socket: int | None = None
    ) -> Callable[[], SupervisedProcess]:
        """Return what starts a process by its command line, with `--fd` for the socket."""
        argv = [sys.executable, "-m", "landbridge", *with_socket(_args(*command), socket)]
        given = [] if socket is None else [socket]
        # In its own process group: Ctrl-C reaches only this process, which stops the others in
        # order.
        return lambda: subprocess.Popen(  # noqa: S603  our own program
            argv, env=self._environ(dsn), pass_fds=given, process_group=0
        )

    def _environ(self, dsn: str) -> dict[str, str]:
        settings = self._settings
        given = {
            f"{PREFIX}DATABASE_URL": dsn,
            f"{PREFIX}DATA_DIR": settings.data_dir,
            f"{PREFIX}HOST": settings.host,
            f"{PREFIX}PORT": str(settings.port),
            f"{PREFIX}PUBLIC_URL": settings.public_url or own_url(settings),
            VARIABLE: str(self._spool),
        }
        # A value and the file of a value exclude each other.
        inherited = {
            name: value
            for name, value in os.environ.items()
            if name.removesuffix("_FILE") not in given
        }
        return {**inherited, **given}


def _args(*command: str) -> list[str]:
    return [*command, "--parent", str(os.getpid())]


def _start_children(
    settings: Settings, starter: Starter, dsn: str, socket: int
) -> list[ChildProcess]:
    starts = {
        f"api {index}": starter.fork(dsn, "api", socket=socket)
        for index in range(settings.api_processes)
    }
    starts["worker"] = starter.fork(dsn, "worker")
    if settings.has_own_signer:
        # It shares no memory with processes that clients talk to.
        starts["signer"] = starter.spawn(dsn, "signer")
    return [
        ChildProcess(name, start, start(), started_at_s=time.monotonic())
        for name, start in starts.items()
    ]


def _await_ready(
    settings: Settings,
    children: list[ChildProcess],
    signals: Signals,
    print_line: Callable[[str], None],
) -> None:
    now_s = time.monotonic()
    slow_s, deadline_s = now_s + _SLOW_START_S, now_s + _READY_TIMEOUT_S
    while not signals.has_signal:
        with (
            contextlib.suppress(OSError),
            _direct.open(f"{own_url(settings)}/healthz", timeout=2) as response,
        ):
            if response.status == 200:  # noqa: PLR2004  OK
                return
        signals.check_schema()
        for child in children:
            child.check_schema()
        if any(child.process.poll() is not None for child in children):
            raise StartFailed("A process ended while starting; see the lines above.")
        now_s = time.monotonic()
        if now_s > slow_s:
            print_line(
                f"Still starting; waiting for {_READY_TIMEOUT_S / 60:.0f} minutes at most ..."
            )
            slow_s = deadline_s
        if now_s > deadline_s:
            raise StartFailed(f"The API did not answer within {_READY_TIMEOUT_S:.0f} s.")
        time.sleep(0.05)


def own_url(settings: Settings) -> str:
    """Return the URL for clients on this machine."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104  compared, not bound
    return f"http://[{host}]:{settings.port}" if ":" in host else f"http://{host}:{settings.port}"


def _print_addresses(
    settings: Settings, prepared: FirstStartResult, print_line: Callable[[str], None]
) -> None:
    url = own_url(settings)
    print_line(f"Landbridge ({settings.mode}) serves on {url}   explore: {url}/docs")
    print_line(f"Dashboard: {settings.public_url or url}/dashboard")
    if _SITE.is_file():
        print_line(f"Documentation: {url}/docs/site")
    if prepared.new_key is not None:
        print_line(f"Try: curl {url}/v2/balances -H 'Authorization: Bearer YOUR_API_KEY'")
    print_line("Stop with Ctrl-C.")
    if not prepared.is_preset_ours:
        print_line(
            f"{PREFIX}API_KEY is a key of another organisation and stays theirs; "
            "the first organisation has its own (`landbridge keys list`)."
        )


def _show_key(prepared: FirstStartResult, print_line: Callable[[str], None]) -> None:
    if prepared.new_key is not None:
        print_line("Your API key, shown only once (more with `landbridge keys create`):")
        print_line("")
        print_line(f"    {prepared.new_key}")
        print_line("")


def _show_admin(
    settings: Settings, prepared: FirstStartResult, print_line: Callable[[str], None]
) -> None:
    admin = prepared.new_admin
    if admin is not None and admin.password is not None:
        url = f"{settings.public_url or own_url(settings)}/dashboard"
        print_line(f"Sign in at {url} as {admin.email}; the password, shown only once:")
        print_line("")
        print_line(f"    {admin.password}")
        print_line("")


def check_private(folder: Path) -> None:
    """Raise `StartFailed` if other users of this machine may write to the data directory."""
    try:
        mode = folder.stat().st_mode
    except OSError:
        return  # does not exist yet: it will be created private
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise StartFailed(
            f"Others may write in {folder} (mode {stat.S_IMODE(mode):o}), where keys and the "
            f"database are kept. Run: chmod go-w {folder}"
        )


def _stop(children: list[ChildProcess]) -> None:
    for child in children:
        if child.process.poll() is None:
            child.process.send_signal(signal.SIGTERM)
    deadline_s = time.monotonic() + _STOP_TIMEOUT_S
    for child in children:
        try:
            child.process.wait(max(0.0, deadline_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            _log.error("process.killed", process=child.name)
            child.process.kill()
            child.process.wait()
