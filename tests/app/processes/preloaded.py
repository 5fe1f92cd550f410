"""`python -m landbridge` from a preloaded process: a command costs a fork instead of a second.

The server is a program of its own, which `Preloaded` starts and which ends with its standard input.
Each input line is a command as JSON. It forks twice: the command runs in the grandchild, in a state
like that after `python -m landbridge`, and the child reports its exit code.
"""

import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

ROOT = Path(__file__).parents[3]


class Preloaded:
    """Server for commands; it starts with the first one."""

    def __init__(self) -> None:
        self._server: subprocess.Popen[str] | None = None
        self._lock = Lock()

    def run(
        self, args: Sequence[str], *, environ: Mapping[str, str], cwd: Path | None, fed: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run `landbridge` to its end, as `subprocess.run` with captured text does."""
        with tempfile.TemporaryDirectory(prefix="landbridge-command-") as name:
            folder = Path(name)
            code = folder / "code"
            os.mkfifo(code)
            folder.joinpath("in").write_text(fed)
            order = {"args": list(args), "environ": dict(environ), "folder": name}
            order["cwd"] = str(cwd or Path.cwd())
            with self._lock:
                self._send(json.dumps(order))
            ended = int(code.read_text())
            out, error = (folder.joinpath(each).read_text() for each in ("out", "error"))
        return subprocess.CompletedProcess(list(args), ended, out, error)

    def _send(self, order: str) -> None:
        if self._server is None:
            self._server = subprocess.Popen(
                [sys.executable, "-m", "tests.app.processes.preloaded"],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                text=True,
            )
        assert self._server.stdin is not None
        self._server.stdin.write(order + "\n")
        self._server.stdin.flush()


def _await_command() -> None:
    """Serve until the end of the input; returns in the process of each command."""
    for line in iter(sys.stdin.buffer.readline, b""):
        order = json.loads(line)
        if os.fork() == 0:
            folder = Path(order["folder"])
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            report = os.open(folder / "code", os.O_WRONLY)
            command = os.fork()
            if command == 0:
                os.close(report)
                _become(order, folder)
                return
            _, status = os.waitpid(command, 0)
            os.write(report, str(os.waitstatus_to_exitcode(status)).encode())
            os._exit(0)
    os._exit(0)


def _become(order: Mapping[str, Any], folder: Path) -> None:
    """Take the environment, directory, arguments and files of the command."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for number, path, how in (
        (0, folder / "in", os.O_RDONLY),
        (1, folder / "out", flags),
        (2, folder / "error", flags),
    ):
        file = os.open(path, how, 0o600)
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(order["environ"])
    time.tzset()
    os.chdir(order["cwd"])
    sys.argv = ["landbridge", *order["args"]]


if __name__ == "__main__":
    from landbridge.app.cli import COMMANDS, main

    # Modules that commands import when they run.
    for each in COMMANDS.values():
        import_module(each.module)

    # What is not looked at when a command ends needs no copy of its page: a fourth of the time.
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _await_command()
    main()
