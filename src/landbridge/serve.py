"""`landbridge serve`: database, API and worker as one tree of processes.

Guarantees: what dies is started again (PostgreSQL recovers by itself first); what we started is
stopped with us, API and worker first, so that no accepted request is lost; if we are killed, API
and worker leave by themselves, and the next start finds the database that was left running. When
API or worker see that a newer version has migrated the database, all processes stop in order.
"""

import asyncio
import contextlib
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import structlog

from landbridge.bootstrap import Prepared, prepare
from landbridge.core.errors import LandbridgeError
from landbridge.db.embedded.server import EmbeddedPostgres
from landbridge.db.migrate import SchemaNewer
from landbridge.processes import OUTDATED, listen, set_up_logs
from landbridge.settings import PREFIX, Settings

_log = structlog.stdlib.get_logger()

# Our own API is on this machine, whatever proxy the environment names.
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))

_LOOK_EVERY_S = 0.5
_READY_PATIENCE_S = 60.0
# Longer than the API's own grace, so that it can use all of it.
_STOP_PATIENCE_S = 30.0
_RESTART_DELAY_MAX_S = 30.0
_CALM_S = 60.0
# Metrics of the processes of `serve`, by its pid.
_SPOOL = "landbridge-metrics-"


class StartFailed(LandbridgeError):
    """The service could not be started."""


@dataclass(slots=True)
class Child:
    """A process of ours, started again when it dies, at growing intervals."""

    name: str
    start: Callable[[], "subprocess.Popen[bytes]"]
    process: "subprocess.Popen[bytes]"
    started_at_s: float
    delay_s: float = 0.5
    due_at_s: float | None = None

    def look(self) -> None:
        """Start it again if it is dead and its delay is over.

        Raises `SchemaNewer` if it ended for that: it would only end again.
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


class Stopped(KeyboardInterrupt):
    """SIGTERM or SIGINT came during the start. asyncio lets no exception of another kind pass."""


@dataclass(slots=True)
class Signals:
    """SIGTERM and SIGINT: the first breaks the start off, later ones are noted only.

    And the one of a process that has seen a newer schema.
    """

    is_starting: bool = True
    has_come: bool = False
    is_outdated: bool = False

    def catch(self) -> None:
        """From now on."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._come)
        signal.signal(OUTDATED, self._note_newer_schema)

    def check_schema(self) -> None:
        """Raise `SchemaNewer` if a process has seen a newer schema."""
        if self.is_outdated:
            raise _newer_schema()

    def _note_newer_schema(self, _number: int, _frame: FrameType | None) -> None:
        self.is_outdated = True

    def _come(self, _number: int, _frame: FrameType | None) -> None:
        is_first, self.has_come = not self.has_come, True
        if is_first and self.is_starting:
            raise Stopped


def serve(settings: Settings, say: Callable[[str], None]) -> None:
    """Run until SIGTERM or SIGINT. Raises a `LandbridgeError` with a sentence if it can't begin."""
    set_up_logs(settings)
    signals = Signals()
    try:
        signals.catch()
        _serve(settings, signals, say)
    except Stopped:
        say("Stopped before everything was up.")


def _serve(settings: Settings, signals: Signals, say: Callable[[str], None]) -> None:
    check_private(settings.folder)
    # The socket first: a start that fails because its port is taken must not have done anything.
    with listen(settings) as sock, _database(settings, say) as (dsn, server):
        prepared = asyncio.run(prepare(settings, dsn))
        # At once: whatever happens next, it is never shown again.
        _show_key(prepared, say)
        _show_admin(settings, prepared, say)
        _remove_spools()
        with tempfile.TemporaryDirectory(prefix=f"{_SPOOL}{os.getpid()}-") as spool:
            signals.is_starting = False
            children = _start_children(settings, dsn, sock.fileno(), spool)
            try:
                _await_ready(settings, children, signals)
                if not signals.has_come:
                    _welcome(settings, prepared, say)
                while not signals.has_come:
                    time.sleep(_LOOK_EVERY_S)
                    signals.check_schema()
                    if server is not None:
                        server.ensure_running()
                    for child in children:
                        child.look()
            finally:
                say("Stopping ...")
                # First of all: nobody would answer a connection that we alone hold open.
                sock.close()
                _stop(children)


@contextmanager
def _database(
    settings: Settings, say: Callable[[str], None]
) -> Generator[tuple[str, EmbeddedPostgres | None]]:
    if settings.database_url is not None:
        yield settings.database_url, None
        return
    say(f"Starting PostgreSQL in {settings.folder} ...")
    server = EmbeddedPostgres.start(settings.folder, say=say)
    try:
        yield server.dsn, server
    finally:
        server.stop()


def _start_children(settings: Settings, dsn: str, fd: int, spool: str) -> list[Child]:
    environ = {
        **os.environ,
        f"{PREFIX}DATABASE_URL": dsn,
        f"{PREFIX}DATA_DIR": settings.data_dir,
        f"{PREFIX}HOST": settings.host,
        f"{PREFIX}PORT": str(settings.port),
        f"{PREFIX}PUBLIC_URL": settings.public_url or own_url(settings),
        "PROMETHEUS_MULTIPROC_DIR": spool,
    }

    def starter(*command: str, fds: Sequence[int] = ()) -> Callable[[], "subprocess.Popen[bytes]"]:
        argv = [sys.executable, "-m", "landbridge", *command, "--parent", str(os.getpid())]
        # In a group of its own: Ctrl-C reaches us alone, and we stop things in order.
        return lambda: subprocess.Popen(  # noqa: S603  our own program
            argv, env=environ, pass_fds=fds, process_group=0
        )

    wanted = {
        f"api {place}": starter("api", "--fd", str(fd), fds=[fd])
        for place in range(settings.api_processes)
    }
    wanted["worker"] = starter("worker")
    return [
        Child(name, start, start(), started_at_s=time.monotonic()) for name, start in wanted.items()
    ]


def _await_ready(settings: Settings, children: list[Child], signals: Signals) -> None:
    deadline_s = time.monotonic() + _READY_PATIENCE_S
    while not signals.has_come:
        with (
            contextlib.suppress(OSError),
            _direct.open(f"{own_url(settings)}/healthz", timeout=2) as answer,
        ):
            if answer.status == 200:  # noqa: PLR2004  the one that means well
                return
        signals.check_schema()
        for child in children:
            child.check_schema()
        if any(child.process.poll() is not None for child in children):
            raise StartFailed("A process ended while starting; see the lines above.")
        if time.monotonic() > deadline_s:
            raise StartFailed(f"The API did not answer within {_READY_PATIENCE_S:.0f} s.")
        time.sleep(0.05)


def own_url(settings: Settings) -> str:
    """Where a client on this machine finds us."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104  compared, not bound
    return f"http://[{host}]:{settings.port}" if ":" in host else f"http://{host}:{settings.port}"


def _welcome(settings: Settings, prepared: Prepared, say: Callable[[str], None]) -> None:
    url = own_url(settings)
    say(f"Landbridge ({settings.mode}) serves on {url}   explore: {url}/docs")
    say(f"Dashboard: {settings.public_url or url}/dashboard")
    if not prepared.is_preset_ours:
        say(
            f"{PREFIX}API_KEY is a key of another organisation and stays theirs; "
            "the first organisation has its own (`landbridge keys list`)."
        )


def _show_key(prepared: Prepared, say: Callable[[str], None]) -> None:
    if prepared.new_key is not None:
        say("Your API key, shown this once (more with `landbridge keys create`):")
        say("")
        say(f"    {prepared.new_key}")
        say("")


def _show_admin(settings: Settings, prepared: Prepared, say: Callable[[str], None]) -> None:
    admin = prepared.new_admin
    if admin is not None and admin.password is not None:
        where = f"{settings.public_url or own_url(settings)}/dashboard"
        say(f"Sign in at {where} as {admin.email}; the password, shown this once:")
        say("")
        say(f"    {admin.password}")
        say("")


def check_private(folder: Path) -> None:
    """Raise `StartFailed` if others on this machine may write where everything is kept."""
    try:
        mode = folder.stat().st_mode
    except OSError:
        return  # not there yet: it will be made private
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise StartFailed(
            f"Others may write in {folder} (mode {stat.S_IMODE(mode):o}), where keys and the "
            f"database are kept. Run: chmod go-w {folder}"
        )


def _remove_spools() -> None:
    """Remove what supervisors that were killed have left in the temporary folder."""
    for path in Path(tempfile.gettempdir()).glob(f"{_SPOOL}*-*"):
        pid = path.name.removeprefix(_SPOOL).partition("-")[0]
        with contextlib.suppress(OSError):
            if pid.isdigit() and path.lstat().st_uid == os.geteuid() and not _is_alive(int(pid)):
                shutil.rmtree(path)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _stop(children: list[Child]) -> None:
    for child in children:
        if child.process.poll() is None:
            child.process.send_signal(signal.SIGTERM)
    deadline_s = time.monotonic() + _STOP_PATIENCE_S
    for child in children:
        try:
            child.process.wait(max(0.0, deadline_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            _log.error("process.killed", process=child.name)
            child.process.kill()
            child.process.wait()
