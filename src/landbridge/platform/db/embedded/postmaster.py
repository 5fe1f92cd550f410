"""Server process of a data directory, found by its command line instead of its pid file.

Guarantees:
- A process counts only if its command line carries the mark of this very directory. A zombie has no
  command line and a recycled pid has another, so neither is taken for a server; a copy of a
  directory has its own mark.
- No process without the mark is signalled.
- PostgreSQL's own check for shared memory in use stays in force.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PID_FILE = "postmaster.pid"

# Larger than any pid of Linux (at most 2^22) or macOS (at most 99999).
NO_SUCH_PID = 4_194_305

# Seconds to wait for orphaned backends: without their postmaster they exit, except during a query.
LEFTOVER_WAIT_S = 2.0

POLL_S = 0.02

_PROC = Path("/proc")
_PS_TIMEOUT_S = 10


@dataclass(frozen=True, slots=True)
class Postmaster:
    """Running server process."""

    pid: int
    is_ready: bool


def cluster_name(data: Path) -> str:
    """Return the `cluster_name` of the server on `data`, which all its processes show in `ps`."""
    stat = data.stat()
    return f"landbridge-{stat.st_dev:08x}-{stat.st_ino:016x}"


def find(data: Path) -> Postmaster | None:
    """Return the running server on `data`, or None, whatever its pid file contains."""
    lines = _pid_file_lines(data)
    pid = _read_pid(lines)
    # The eighth line is the state, padded with blanks by PostgreSQL.
    status_line = 7
    status = lines[status_line].strip() if len(lines) > status_line else ""
    if pid is None or not is_alive(pid, data):
        return None
    return Postmaster(pid, is_ready=status == "ready")


def is_alive(pid: int, data: Path) -> bool:
    """Return whether `pid` is the server process of `data`."""
    command_line = _command_line(pid)
    return cluster_name(data) in command_line and not command_line.startswith("postgres: ")


def wait_until(is_true: Callable[[], bool], *, timeout_s: float) -> bool:
    """Poll a condition; return whether it became true in time."""
    deadline = time.monotonic() + timeout_s
    while not is_true():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True


def clear(data: Path) -> None:
    """Clear leftovers of a dead server on `data`, so that a new one can start.

    A backend may outlive its postmaster until its query ends, and PostgreSQL refuses to start until
    then. Killing it loses nothing: crash recovery follows anyway.
    """
    if not wait_until(lambda: not _leftovers(data), timeout_s=LEFTOVER_WAIT_S):
        for pid in _leftovers(data):
            send(pid, signal.SIGKILL)
        wait_until(lambda: not _leftovers(data), timeout_s=LEFTOVER_WAIT_S)
    pid = _read_pid(_pid_file_lines(data))
    # A server that was started by hand has no mark. PostgreSQL will refuse to start a second one.
    if pid is None or not _works_in(pid, data):
        _disown(data / PID_FILE)


def send(pid: int, signum: signal.Signals) -> None:
    """Send a signal to a process; nothing happens if it has ended already."""
    with suppress(ProcessLookupError):
        os.kill(pid, signum)


def _disown(pid_file: Path) -> None:
    """Replace the pid in the pid file by one that can't exist.

    PostgreSQL takes any process with the pid of its file for a server: a zombie, or one that reuses
    the pid. Removing the file would also remove the key of the shared memory, with which PostgreSQL
    detects running backends.
    """
    # Do not follow a symbolic link: if we are root, the directory may belong to another user.
    try:
        file = os.open(pid_file, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    with os.fdopen(file, "r+") as text:
        following_lines = text.read().splitlines()[1:]
        text.seek(0)
        text.truncate()
        if following_lines:
            text.write("\n".join([str(NO_SUCH_PID), *following_lines, ""]))
    # PostgreSQL fails on an empty file, which may be left by a crash of the machine.
    if not following_lines:
        pid_file.unlink(missing_ok=True)


def _pid_file_lines(data: Path) -> list[str]:
    try:
        return (data / PID_FILE).read_text().splitlines()
    except OSError:
        return []


def _read_pid(lines: list[str]) -> int | None:
    """Return the pid in the lines of a pid file; None without one.

    A single-user session writes its pid as a negative number.
    """
    try:
        return abs(int(lines[0]))
    except (ValueError, IndexError):
        return None


def _works_in(pid: int, data: Path) -> bool:
    """Return whether the process works in `data`; False if permissions do not allow to see it."""
    try:
        return _PROC.joinpath(str(pid), "cwd").samefile(data)
    except OSError:
        return False


def _leftovers(data: Path) -> list[int]:
    """Return the pids of all processes of the server on `data`."""
    name = cluster_name(data)
    return [
        pid
        for pid, command_line in _command_lines()
        if name in command_line
        and (
            command_line.startswith("postgres: ")
            or command_line.split(" ", 1)[0].endswith("/postgres")
        )
    ]


def _command_line(pid: int) -> str:
    """Return the command line of `pid`; empty for a zombie, and if there is no such process."""
    if not _PROC.joinpath("self").exists():
        return dict(ps("-p", str(pid))).get(pid, "")
    try:
        command_line = _PROC.joinpath(str(pid), "cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return ""
    return command_line.replace(b"\0", b" ").decode(errors="replace")


def _command_lines() -> Iterator[tuple[int, str]]:
    if not _PROC.joinpath("self").exists():
        yield from ps("-a", "-x")
        return
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            yield int(entry.name), _command_line(int(entry.name))


def ps(*selection: str) -> list[tuple[int, str]]:
    """Return pid and command line of processes, for systems without /proc such as macOS."""
    found = subprocess.run(
        ["ps", "-ww", "-o", "pid=,command=", *selection],  # noqa: S607  its place differs
        capture_output=True,
        text=True,
        check=False,
        timeout=_PS_TIMEOUT_S,
    )
    pairs = (line.split(None, 1) for line in found.stdout.splitlines())
    return [(int(pair[0]), pair[1]) for pair in pairs if len(pair) == 2]  # noqa: PLR2004  a pair
