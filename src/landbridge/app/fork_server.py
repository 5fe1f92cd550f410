"""Fork server: forks API and worker from a process that has imported everything.

They share the memory of what was imported before, and start without importing it again.

Guarantees:
- The fork server is forked first of all: before there is a database, a lock, a listening socket, a
  signal handler, a thread or an event loop. Nothing of that kind is inherited from it.
- It never has a second thread when it forks; otherwise it ends.
- A forked process has the environment, the title and the parent of one that was started by a
  command line: the supervisor waits for it, and it ends when the supervisor is gone.
- If anything fails here, processes are started by their command lines, as on systems other than
  Linux. They then only need more memory.
"""

import ctypes
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import reduction
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import NoReturn, Self, TypeVar, cast

import msgspec

from landbridge.platform.core.errors import LandbridgeError

T = TypeVar("T")

_PR_SET_CHILD_SUBREAPER = 36
_FILES, _THREADS = Path("/proc/self/fd"), Path("/proc/self/task")
_STANDARD_FILES = 3
# The fork server answers in milliseconds, once it has prepared: some seconds on a busy machine.
_ANSWER_TIMEOUT_S = 60.0
_POLL_S, _REPARENTED_S = 0.02, 0.001
# What a fork server or a new process answers if it failed.
_FAILED = 0


class ForkFailed(LandbridgeError):
    """The process could not be forked; the message says why."""


class ForkRequest(msgspec.Struct, frozen=True):
    """Process that the supervisor wants to have."""

    args: list[str]
    environ: dict[str, str]
    # The number of the socket is appended to the arguments.
    has_socket: bool


class ForkedProcess:
    """Child of this process, with the methods of `subprocess.Popen` that a supervisor uses."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code; None while the process runs."""
        if self.returncode is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                # Whatever started us has the system ignore the codes of children.
                self.returncode = 0
            else:
                if pid:
                    self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; raises `subprocess.TimeoutExpired`."""
        deadline_s = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if timeout is not None and deadline_s is not None and time.monotonic() >= deadline_s:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(_POLL_S)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End the process at once."""
        self.send_signal(signal.SIGKILL)


class ForkServer:
    """The fork server as its supervisor sees it."""

    def __init__(self, process: ForkedProcess, connection: Connection) -> None:
        self._process = process
        self._connection = connection

    @classmethod
    def start(
        cls,
        prepare: Callable[[], T],
        run: Callable[[Sequence[str], T], NoReturn],
        *,
        inherited: Sequence[int],
    ) -> Self | None:
        """Fork the fork server; None if this process can't fork.

        The fork server closes the `inherited` files and prepares what its processes share. In each
        process that it forks later, `run` gets the arguments and what was prepared, and ends the
        process.
        """
        if not _can_fork():
            return None
        # Collections would write to all pages that are shared otherwise.
        gc.collect()
        gc.freeze()
        _flush()
        ours, theirs = cast("tuple[Connection, Connection]", Pipe())
        supervisor = os.getpid()
        pid = os.fork()
        if pid == 0:
            ours.close()
            run(*_forked(theirs, supervisor, prepare, inherited))
        theirs.close()
        return cls(ForkedProcess(pid), ours)

    def fork(
        self, args: Sequence[str], environ: Mapping[str, str], socket: int | None = None
    ) -> ForkedProcess:
        """Fork a process. Raises `ForkFailed`; then no later call succeeds either."""
        request = ForkRequest(list(args), dict(environ), has_socket=socket is not None)
        try:
            with _adopting_orphans():
                self._connection.send(request)
                if socket is not None:
                    reduction.send_handle(self._connection, socket, self._process.pid)
                has_answer = self._connection.poll(_ANSWER_TIMEOUT_S)
                pid = self._connection.recv() if has_answer else _FAILED
        except (OSError, EOFError) as error:
            self.stop()
            raise ForkFailed("The fork server has ended.") from error
        if pid == _FAILED:
            self.stop()
            raise ForkFailed("The fork server could not fork.")
        return ForkedProcess(pid)

    def stop(self) -> None:
        """End the fork server; the processes that it forked run on. Again is harmless."""
        self._connection.close()
        self._process.kill()
        self._process.wait()


def with_socket(args: Sequence[str], socket: int | None) -> list[str]:
    """Return the arguments of a process that has this socket, if any."""
    return [*args, *([] if socket is None else ["--fd", str(socket)])]


def open_files() -> list[int]:
    """Return the open files beside the three standard ones; empty if the system shows none."""
    found: list[int] = []
    with suppress(OSError):
        for each in list(_FILES.iterdir()):
            number = int(each.name)
            # The listing itself was one of them.
            with suppress(OSError):
                os.fstat(number)
                found.append(number)
    return [number for number in found if number >= _STANDARD_FILES]


def _can_fork() -> bool:
    """Linux only: macOS' own libraries do not survive a fork."""
    return sys.platform == "linux" and _has_one_thread()


def _has_one_thread() -> bool:
    try:
        return len(list(_THREADS.iterdir())) == 1
    except OSError:
        return False


@contextmanager
def _adopting_orphans() -> Generator[None]:
    """Become the parent of processes below this one that lose theirs meanwhile.

    The fork server forks a process that forks another one and ends; so the latter is our child.
    """
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    try:
        yield
    finally:
        _prctl(_PR_SET_CHILD_SUBREAPER, 0)


def _prctl(option: int, argument: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, argument, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _flush() -> None:
    """Empty the buffers; both processes would write what they hold."""
    for each in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            each.flush()


def _forked(
    connection: Connection, supervisor: int, prepare: Callable[[], T], inherited: Sequence[int]
) -> tuple[list[str], T]:
    """Be the fork server; returns only in the processes that it forks, with their arguments."""
    try:
        # In its own process group: Ctrl-C reaches only the supervisor.
        os.setpgid(0, 0)
        for each in inherited:
            with suppress(OSError):
                os.close(each)
        _take_environment(os.environ.copy(), ["fork-server", "--parent", str(supervisor)])
        prepared = prepare()
        gc.collect()
        gc.freeze()
        return _await_request(connection, supervisor), prepared
    except BaseException as error:  # noqa: BLE001  what called us must not go on in this process
        sys.excepthook(type(error), error, error.__traceback__)
        with suppress(OSError):
            connection.send(_FAILED)
        os._exit(1)


def _await_request(connection: Connection, supervisor: int) -> list[str]:
    while True:
        try:
            request: ForkRequest = connection.recv()
            socket = reduction.recv_handle(connection) if request.has_socket else None
        except (EOFError, OSError):
            # The supervisor has ended. What it does at its end must not be done twice.
            os._exit(0)
        if not _has_one_thread():
            os._exit(1)
        between = os.fork()
        if between == 0:
            _leave_child(connection, supervisor)
            return _become(request, socket, connection)
        with suppress(ChildProcessError):
            os.waitpid(between, 0)
        if socket is not None:
            os.close(socket)


def _leave_child(connection: Connection, supervisor: int) -> None:
    """Fork once more and end; returns in the child, which is the supervisor's child then."""
    between = os.getpid()
    if os.fork():
        os._exit(0)
    while os.getppid() == between:
        time.sleep(_REPARENTED_S)
    if os.getppid() != supervisor:
        connection.send(_FAILED)
        os._exit(1)


def _become(request: ForkRequest, socket: int | None, connection: Connection) -> list[str]:
    """Be like a process that the request's command line has started."""
    os.setpgid(0, 0)
    args = with_socket(request.args, socket)
    _take_environment(request.environ, args)
    sys.argv = [sys.argv[0], *args]
    connection.send(os.getpid())
    connection.close()
    return args


def _take_environment(environ: Mapping[str, str], args: Sequence[str]) -> None:
    os.environ.clear()
    os.environ.update(environ)
    time.tzset()
    with suppress(OSError):
        set_title(" ".join([sys.executable, "-m", "landbridge", *args]))


_SELF = Path("/proc/self")
# Fields of /proc/self/stat behind the name of the program: start of the arguments, their end, and
# the end of the environment, which follows them.
_ARGUMENTS, _ARGUMENTS_END, _ENVIRONMENT_END = 45, 46, 48


def set_title(title: str) -> None:
    """Show this title: the command line in `ps`. Call it only after `os.environ` was written anew.

    Linux shows the memory where the arguments of the program stood. A forked process has those of
    its parent, so it writes others over them.

    A long title reaches into the memory where the environment stood; the C library has copies of
    variables that were written. Raises `OSError` where the system forbids it.
    """
    fields = _SELF.joinpath("stat").read_text(encoding="utf-8", errors="replace")
    numbers = fields.rpartition(")")[2].split()
    start, end, limit = (
        int(numbers[each]) for each in (_ARGUMENTS, _ARGUMENTS_END, _ENVIRONMENT_END)
    )
    written = title.encode()[: limit - start - 1]
    # The kernel shows more than the original length only if the last byte of that is not zero.
    written = written.ljust(end - start, b"\0") + b"\0"
    file = os.open(_SELF / "mem", os.O_RDWR | os.O_CLOEXEC)
    try:
        os.pwrite(file, written[: limit - start], start)
    finally:
        os.close(file)
