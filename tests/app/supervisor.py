"""Program with a fork server: each line of input is a command, each line of output its result.

Commands are JSON: `fork` and `wait` of processes that report what they are, and `end` of the fork
server. The processes write their reports to files.
"""

import json
import os
import random
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from landbridge.app.fork_server import ForkedProcess, ForkFailed, ForkServer, open_files


def run(args: Sequence[str], prepared: dict[str, int]) -> NoReturn:
    """Report what a forked process is, then wait for its input to end if `args` say so."""
    path, code, *_ = args
    found = {
        "args": list(args),
        "argv": sys.argv[1:],
        "prepared": prepared,
        "environ": dict(os.environ),
        "parent": os.getppid(),
        "leads_group": os.getpgid(0) == os.getpid(),
        "title": Path("/proc/self/cmdline").read_text().rstrip("\0"),
        "files": {each: str(Path(f"/proc/self/fd/{each}").readlink()) for each in open_files()},
        "threads": threading.active_count(),
        "handlers": [repr(signal.getsignal(each)) for each in (signal.SIGTERM, signal.SIGUSR1)],
        "random": random.random(),  # noqa: S311  the generator itself is tested
    }
    draft = Path(path).with_suffix(".draft")
    draft.write_text(json.dumps(found))
    draft.rename(path)
    if code == "forever":
        signal.pause()
    sys.exit(int(code))


def main() -> None:
    inherited = open_files()
    server = ForkServer.start(lambda: {"pid": os.getpid()}, run, inherited=inherited)
    assert server is not None
    # What a supervisor has later, and no process may inherit.
    for each in (signal.SIGTERM, signal.SIGUSR1):
        signal.signal(each, _ignore)
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    listening = socket.create_server(("127.0.0.1", 0))
    kept = Path(sys.argv[0]).open()  # noqa: SIM115  open until the end
    processes: dict[str, ForkedProcess] = {}
    for line in sys.stdin:
        verb, *args = json.loads(line)
        result: Any = None
        match verb:
            case "fork":
                try:
                    process = server.fork(args, {"A": "1"}, listening.fileno())
                    processes[args[0]] = process
                    result = process.pid
                except ForkFailed as error:
                    result = str(error)
            case "wait":
                result = processes[args[0]].wait()
            case "end":
                server.stop()
            case _:
                raise ValueError(verb)
        sys.stdout.write(json.dumps(result) + "\n")
        sys.stdout.flush()
    kept.close()


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Do what the default does not."""


if __name__ == "__main__":
    main()
