"""What runs on a data directory: asked of the system, never believed of a file.

Guarantees:
- a process counts only if its command line carries the mark of this very directory. A zombie has
  no command line and a recycled pid has another, so neither is taken for a server; a copy of a
  directory has a mark of its own;
- no process is signalled that does not carry the mark;
- PostgreSQL's own check for shared memory still in use is left in force.
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

# Above the largest pid that Linux (2^22) or macOS (99999) hands out.
NO_SUCH_PID = 4_194_305

# Orphaned backends notice that their postmaster died and leave at once, unless a query keeps them.
LEFTOVER_PATIENCE_S = 2.0

POLL_S = 0.02

_PROC = Path("/proc")
_PS_TIMEOUT_S = 10


@dataclass(frozen=True, slots=True)
class Postmaster:
    """A server process that is alive."""

    pid: int
    is_ready: bool


def mark(data: Path) -> str:
    """The `cluster_name` of the server on `data`, which every process of it shows in `ps`."""
    made = data.stat()
    return f"landbridge-{made.st_dev:08x}-{made.st_ino:016x}"


def find(data: Path) -> Postmaster | None:
    """The living server on `data`, or None, whatever its pid file says."""
    lines = _pid_file_lines(data)
    pid = _named(lines)
    # The eighth line is the state, which PostgreSQL pads with blanks.
    status_line = 7
    status = lines[status_line].strip() if len(lines) > status_line else ""
    if pid is None or not is_alive(pid, data):
        return None
    return Postmaster(pid, is_ready=status == "ready")


def is_alive(pid: int, data: Path) -> bool:
    """Whether `pid` is the server on `data`."""
    words = _command_line(pid)
    return mark(data) in words and not words.startswith("postgres: ")


def wait_until(is_true: Callable[[], bool], *, timeout_s: float) -> bool:
    """Look again and again; answers whether it came true in time."""
    deadline = time.monotonic() + timeout_s
    while not is_true():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True


def clear(data: Path) -> None:
    """Make way for a new server on `data`, where no living one was found.

    Backends may outlive their postmaster for as long as their query takes, and PostgreSQL rightly
    refuses to start beside them. Killing them loses nothing: recovery from the log follows anyway.
    """
    if not wait_until(lambda: not _leftovers(data), timeout_s=LEFTOVER_PATIENCE_S):
        for pid in _leftovers(data):
            send(pid, signal.SIGKILL)
        wait_until(lambda: not _leftovers(data), timeout_s=LEFTOVER_PATIENCE_S)
    pid = _named(_pid_file_lines(data))
    # A server that somebody started by hand has no mark. PostgreSQL will refuse to start beside it.
    if pid is None or not _stands_in(pid, data):
        _disown(data / PID_FILE)


def send(pid: int, signum: signal.Signals) -> None:
    """Signal a process, which may be gone by now."""
    with suppress(ProcessLookupError):
        os.kill(pid, signum)


def _disown(pid_file: Path) -> None:
    """Have the pid file name a process that cannot exist.

    PostgreSQL takes any process with the pid of its file for a server: a zombie, or one that was
    given the number later. Removing the file would also remove the key of the shared memory, by
    which PostgreSQL tells that backends are still at work.
    """
    # Not through a symbolic link: as root, the file may lie in a directory of another user.
    try:
        file = os.open(pid_file, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    with os.fdopen(file, "r+") as text:
        rest = text.read().splitlines()[1:]
        text.seek(0)
        text.truncate()
        if rest:
            text.write("\n".join([str(NO_SUCH_PID), *rest, ""]))
    # PostgreSQL gives up on an empty file, which is what a crash of the machine may leave.
    if not rest:
        pid_file.unlink(missing_ok=True)


def _pid_file_lines(data: Path) -> list[str]:
    try:
        return (data / PID_FILE).read_text().splitlines()
    except OSError:
        return []


def _named(lines: list[str]) -> int | None:
    """The pid in a pid file; PostgreSQL writes that of a single-user session as negative."""
    try:
        return abs(int(lines[0]))
    except (ValueError, IndexError):
        return None


def _stands_in(pid: int, data: Path) -> bool:
    """Whether `data` is where the process works, as far as we may know."""
    try:
        return _PROC.joinpath(str(pid), "cwd").samefile(data)
    except OSError:
        return False


def _leftovers(data: Path) -> list[int]:
    """The processes of the server on `data`."""
    ours = mark(data)
    return [
        pid
        for pid, words in _command_lines()
        if ours in words
        and (words.startswith("postgres: ") or words.split(" ", 1)[0].endswith("/postgres"))
    ]


def _command_line(pid: int) -> str:
    """How `pid` was called; empty for a zombie and for no process at all."""
    if not _PROC.joinpath("self").exists():
        return dict(ps("-p", str(pid))).get(pid, "")
    try:
        words = _PROC.joinpath(str(pid), "cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return ""
    return words.replace(b"\0", b" ").decode(errors="replace")


def _command_lines() -> Iterator[tuple[int, str]]:
    if not _PROC.joinpath("self").exists():
        yield from ps("-a", "-x")
        return
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            yield int(entry.name), _command_line(int(entry.name))


def ps(*which: str) -> list[tuple[int, str]]:
    """The same without /proc, as on macOS: pid and command line."""
    found = subprocess.run(
        ["ps", "-ww", "-o", "pid=,command=", *which],  # noqa: S607  its place differs
        capture_output=True,
        text=True,
        check=False,
        timeout=_PS_TIMEOUT_S,
    )
    pairs = (line.split(None, 1) for line in found.stdout.splitlines())
    return [(int(pair[0]), pair[1]) for pair in pairs if len(pair) == 2]  # noqa: PLR2004  a pair
