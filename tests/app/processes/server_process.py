"""Real `landbridge serve` in a directory of its own, for tests that kill processes."""

import http.client
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.app.processes.preloaded import Preloaded

KEY = "lb_sandbox_for-tests-0123456789"
PATIENCE_S = 180.0
NOBODY, BROKEN = 0, -1


# Below the system's ephemeral ports: the system could assign one of those to another process before
# the chosen server is up, or during a restart. Each test process starts at another port.
_PORTS_FROM, _PORTS = 20_000, 10_000


def _places() -> Iterator[int]:
    # Not before the first is needed: a test process is forked after it has imported this.
    yield from itertools.count(os.getpid() * 101)


_tried = _places()


_preloaded = Preloaded()


def free_port() -> int:
    for index in itertools.islice(_tried, _PORTS):
        port = _PORTS_FROM + index % _PORTS
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")


def clean_environ(**settings: str) -> dict[str, str]:
    """Return the environment without Landbridge settings, except these."""
    inherited = {name: value for name, value in os.environ.items() if "LANDBRIDGE" not in name}
    return {
        **inherited,
        **{f"LANDBRIDGE_{name.upper()}": value for name, value in settings.items()},
    }


@dataclass
class Served:
    """Server process and its address."""

    folder: Path
    port: int = field(default_factory=free_port)
    settings: dict[str, str] = field(default_factory=dict[str, str])
    process: "subprocess.Popen[bytes] | None" = None
    last_error: Exception | None = None

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def start(self) -> "Served":
        """Start the server, and wait until it is healthy."""
        self.begin()
        self.await_well()
        return self

    def begin(self) -> None:
        """Start the server. Its output goes to a file: a full pipe would block it."""
        argv = [sys.executable, "-m", "landbridge", "serve", "--port", str(self.port)]
        with self.output.open("a") as output:
            self.process = subprocess.Popen(
                [*argv, "--data-dir", str(self.folder)],
                env=clean_environ(**self.settings),
                stdout=output,
                stderr=output,
            )

    def await_output(self, words: str) -> None:
        """Until it printed this."""
        deadline = time.monotonic() + PATIENCE_S
        while words not in self.output.read_text():
            assert time.monotonic() < deadline, self.output.read_text()
            time.sleep(0.02)

    @property
    def output(self) -> Path:
        """Return the server's output, stored next to its directory."""
        return self.folder.with_name(f"{self.folder.name}.{self.port}.log")

    def await_well(self) -> None:
        """Wait until the server answers; fail with its output if it ends instead."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if self.process is not None and self.process.poll() is not None:
                raise AssertionError(self.output.read_text())
            if self.call("GET", "/healthz")[0] == 200:
                return
            time.sleep(0.1)
        raise AssertionError("the server did not get well")

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Return status and JSON; `NOBODY` without a connection, `BROKEN` if it was lost."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
        with closing(connection):
            try:
                connection.connect()
            except OSError as error:
                self.last_error = error
                return NOBODY, None
            try:
                content = None if body is None else json.dumps(body).encode()
                connection.request(method, path, content, headers)
                answer = connection.getresponse()
                return answer.status, json.loads(answer.read() or b"null")
            except (OSError, http.client.HTTPException, ValueError) as error:
                self.last_error = error
                return BROKEN, None

    def children(self) -> dict[int, str]:
        """Pid and command of every process below the server's."""
        listed = subprocess.run(
            ["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
        ).stdout
        rows = [line.split(maxsplit=2) for line in listed.splitlines()]
        return {int(pid): args for pid, ppid, args in rows if int(ppid) == self.pid}

    def child(self, word: str) -> int:
        """Return the pid of the child whose command contains this word."""
        return next(pid for pid, args in self.children().items() if f" {word} " in f"{args} ")

    def postmaster(self) -> int:
        """Return the pid of the database, which the server started or adopted."""
        lines = (self.folder / "postgres" / "data" / "postmaster.pid").read_text().splitlines()
        return int(lines[0])

    def stop(self) -> str:
        """Stop the server by a signal; return its output."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=PATIENCE_S)
        return self.output.read_text()


@contextmanager
def served(folder: Path, **settings: str) -> Generator[Served]:
    server = Served(folder, settings={"api_key": KEY, **settings}).start()
    try:
        yield server
    finally:
        if server.process is not None and server.process.poll() is None:
            server.stop()


def landbridge(
    *args: str,
    folder: Path | None = None,
    cwd: Path | None = None,
    fed: str = "",
    **settings: str,
) -> "subprocess.CompletedProcess[str]":
    """Run the command with `fed` on its standard input."""
    where = [] if folder is None else ["--data-dir", str(folder)]
    return _preloaded.run([*args, *where], environ=clean_environ(**settings), cwd=cwd, fed=fed)


def make_user(server: Served, name: str = "Ada") -> str:
    """Create a user with accepted terms and wallets."""
    link = str(uuid4())
    server.call("POST", "/v2/tos-link", {"idempotencyKey": link})
    _, terms = server.call("GET", f"/v2/tos-link/{link}")
    token = {"sessionToken": terms["sessionToken"]}
    server.call("POST", f"/v2/tos-link/{link}/accept", token)
    body = {
        "type": "individual",
        "firstName": name,
        "lastName": "Example",
        "email": "someone@example.com",
        "dateOfBirth": "1990-01-01",
        "ipAddress": "203.0.113.7",
        "signedAgreementId": link,
    }
    status, user = server.call("POST", "/v2/users", body)
    assert status == 200, user
    return user["id"]


def fund(server: Served, user: str, amount: str = "1000") -> None:
    status, answer = server.call(
        "POST",
        f"/v2/sandbox/users/{user}/wallets/fund",
        {"chain": "POLYGON", "currency": "usdc", "amount": amount},
    )
    assert status == 200, answer


def swap_body(user: str, amount: str = "1") -> dict[str, Any]:
    return {
        "requestId": str(uuid4()),
        "source": {"userId": user, "chain": "POLYGON", "currency": "usdc", "amount": amount},
        "destination": {"userId": user, "chain": "POLYGON", "currency": "usdt"},
    }
