"""Data directory of the embedded PostgreSQL: its owner, its creation, its log.

Guarantees:
- One owner at a time, by a lock that the kernel releases when the owner dies.
- The database directory gets its name when it is complete, so an interrupted start leaves nothing
  that could be mistaken for a database.
- The log and its predecessor stay within `LOG_BYTES_MAX` each, as long as `bound_log` is called.
"""

import fcntl
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Literal, Self

from landbridge.platform.core.errors import Busy
from landbridge.platform.db.embedded.runner import MAJOR, NOBODY, EmbeddedUnavailable, Runner

PrintLine = Callable[[str], None]
Purpose = Literal["serve", "command"]

ROLE = "postgres"

LOG_BYTES_MAX = 10 * 1024 * 1024
_LOG_TAIL_LINES = 15

# Seconds for which a command may block `serve` or another command.
COMMAND_WAIT_S = 60.0
# initdb takes half a second on a good disk.
_INIT_TIMEOUT_S = 300

# Written to postgresql.conf when the directory is created; the operator may change them there.
INITIAL_SETTINGS = {
    "max_connections": "100",
    "shared_buffers": "128MB",
    "max_wal_size": "1GB",
    # PostgreSQL renews a plan when its tables are analyzed. On a new database that must happen
    # soon: plans made for empty tables are slow for a hundred thousand rows
    # (docs/internals/speed.md).
    "autovacuum_naptime": "5s",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",  # avoids a useless line every five minutes
}


class DataDirInUse(Busy):
    """The data directory is in use by another process."""

    def __init__(self, home: Path, *, owner: str, purpose: str) -> None:
        self.purpose = purpose
        super().__init__(f"{home} is in use by {owner}. Stop it first, or use another directory.")


class OwnerLock:
    """Right to start and stop the server on a data directory."""

    def __init__(self, file: int) -> None:
        self._file = file
        self.is_held = True

    @classmethod
    def take(cls, home: Path, *, purpose: Purpose, print_line: PrintLine) -> Self:
        """Take the lock.

        Waits if a command holds it; raises `DataDirInUse` while `serve` holds it.
        """
        deadline = time.monotonic() + COMMAND_WAIT_S
        has_printed = False
        while True:
            try:
                return cls._try(home, purpose)
            except DataDirInUse as held:
                if held.purpose == "serve" or time.monotonic() > deadline:
                    raise
                if not has_printed:
                    print_line(f"Waiting for another command. {held}")
                    has_printed = True
                time.sleep(0.1)

    @classmethod
    def _try(cls, home: Path, purpose: Purpose) -> Self:
        path = home / "postgres.lock"
        try:
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise EmbeddedUnavailable(
                f"{home} cannot be used as a data directory ({error.strerror}). "
                "Run this as the user it belongs to, or use another directory."
            ) from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            pid, _, owner_purpose = os.pread(file, 100, 0).decode().strip().partition(" ")
            os.close(file)
            # The owner may not have written its pid yet.
            owner = f"Landbridge with pid {pid}" if pid else "another Landbridge"
            raise DataDirInUse(home, owner=owner, purpose=owner_purpose) from error
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()} {purpose}\n".encode(), 0)
        return cls(file)

    def release(self) -> None:
        """Release the lock; a second call does nothing.

        The file stays, or two processes could lock two files with the same name.
        """
        if self.is_held:
            self.is_held = False
            os.ftruncate(self._file, 0)
            os.close(self._file)


def has_database(home: Path) -> bool:
    """Return whether a database exists in this data directory, complete or not."""
    return home.joinpath("postgres").exists()


def check(root: Path) -> None:
    """Refuse a directory of another user or of another PostgreSQL version."""
    try:
        owner = root.stat().st_uid
    except FileNotFoundError:
        return
    # If we are root, the server runs as root or as nobody, depending on what the system allows.
    allowed = {0, NOBODY} if os.geteuid() == 0 else {os.geteuid()}
    if owner not in allowed:
        raise EmbeddedUnavailable(
            f"{root} belongs to the user with id {owner}. Run Landbridge as that user."
        )
    data = root / "data"
    if data.exists():
        try:
            major = data.joinpath("PG_VERSION").read_text().strip()
        except FileNotFoundError as error:
            raise EmbeddedUnavailable(f"{data} is no PostgreSQL data directory.") from error
        if major != str(MAJOR):
            raise EmbeddedUnavailable(
                f"{data} was made by PostgreSQL {major}, and this Landbridge comes with {MAJOR}. "
                f"Dump it with PostgreSQL {major} and restore it into a new directory, "
                "or set LANDBRIDGE_DATABASE_URL to a server of your own."
            )


def give_to_server_user(path: Path, to: Runner) -> None:
    """Create `path` as a private directory if it is new, and give it to the server's user."""
    path.mkdir(mode=0o700, exist_ok=True)
    if path.stat().st_uid != to.uid:
        for directory, subdirectories, files in os.walk(path):
            for name in (*subdirectories, *files):
                os.chown(Path(directory, name), to.uid, to.gid, follow_symlinks=False)
        # The owner is changed last, so that an interrupted change is repeated.
        os.chown(path, to.uid, to.gid)


def create_directory(data: Path, *, by: Runner) -> None:
    """Create a database directory under a temporary name, then rename it."""
    for unfinished in data.parent.glob("data.new-*"):
        # An orphaned initdb may still be writing there; then the next start removes the rest.
        shutil.rmtree(unfinished, ignore_errors=True)
    new = Path(tempfile.mkdtemp(prefix="data.new-", dir=data.parent))
    os.chown(new, by.uid, by.gid)
    args = [
        *("-D", by.data_argument(new), "-U", ROLE, "--no-instructions"),
        # There is no password: the permissions of the socket's directory decide who may connect.
        *("--auth-local=trust", "--auth-host=reject"),
        # The builtin provider sorts the same on every system, whatever its C library.
        *("-E", "UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
    ]
    for name, value in INITIAL_SETTINGS.items():
        args += ["-c", f"{name}={value}"]
    _run("initdb", args, cwd=new, by=by, failed=f"PostgreSQL could not make {data}")
    new.rename(data)
    directory = os.open(data.parent, os.O_RDONLY | os.O_CLOEXEC)
    os.fsync(directory)
    os.close(directory)


def _run(program: str, args: Sequence[str], *, cwd: Path, by: Runner, failed: str) -> None:
    """Run a program of PostgreSQL to its end; the message of an error begins with `failed`."""
    with tempfile.TemporaryFile() as output:
        process = by.spawn(program, args, cwd=cwd, output=output)
        try:
            code = process.wait(_INIT_TIMEOUT_S)
        finally:
            # The wait was interrupted or timed out. The program leads a session of its own.
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        output.seek(0)
        if code != 0:
            raise EmbeddedUnavailable(
                f"{failed} (exit code {code}):\n" + output.read().decode(errors="replace").strip()
            )


def open_log(log: Path) -> BinaryIO:
    """Open a new log for the server; the previous one, which may explain a crash, is kept."""
    with suppress(FileNotFoundError):
        log.replace(_earlier(log))
    # Append mode, so that the server goes on at the new end after `bound_log` has truncated it.
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    return os.fdopen(os.open(log, flags, 0o600), "ab", buffering=0)


def bound_log(log: Path) -> None:
    """Rotate the log if it is too long; a line written at that moment may be lost."""
    with suppress(FileNotFoundError):
        if log.stat().st_size > LOG_BYTES_MAX:
            shutil.copyfile(log, _earlier(log))
            os.truncate(log, 0)


def end_of_log(log: Path) -> str:
    """Return the last lines of a log."""
    lines = log.read_text(errors="replace").splitlines()
    return "\n".join(lines[-_LOG_TAIL_LINES:])


def _earlier(log: Path) -> Path:
    return log.with_name(f"{log.name}.1")
