"""A coordinator and two workers of Citus on loopback, for tests.

`CITUS_BIN` names the directory of the programs of a PostgreSQL that has Citus; without it, the
newest one of Debian is tried. `python -m tests.cluster.nodes PORT` starts the nodes, prints the
coordinator's URL, and stops them at the end of its input. With a command behind the port it runs
that one meanwhile, and ends with its exit code.
"""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import asyncpg

from landbridge.platform.db.embedded.runner import clean_environment

_VARIABLE = "CITUS_BIN"
# PostgreSQL does not run as root. This user comes with Debian's package.
_USER = "postgres"
_START_TIMEOUT_S = 60.0
SETTINGS = {
    "shared_preload_libraries": "citus",
    "listen_addresses": "127.0.0.1",
    "max_connections": "300",
    # The coordinator and each worker prepare transactions that write on two nodes.
    "max_prepared_transactions": "300",
    "wal_level": "logical",
    "autovacuum": "off",
    "citus.enable_statistics_collection": "off",
    "citus.max_cached_conns_per_worker": "4",
}
# A worker is killed, so its commits are written; but no machine loses its power.
FAST = {"fsync": "off", "full_page_writes": "off"}
# Kept until the end: servers outlive the test that has started them.
_processes: list["subprocess.Popen[bytes]"] = []


class NoCitus(Exception):
    """No PostgreSQL with Citus was found."""


def citus_programs() -> Path:
    """Return the directory of the programs of a PostgreSQL with Citus; raises `NoCitus`."""
    named = os.environ.get(_VARIABLE)
    found = [Path(named)] if named else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    for programs in reversed(found):
        if (programs.parent / "lib" / "citus.so").exists():
            return programs
    raise NoCitus(f"No PostgreSQL with Citus was found; {_VARIABLE} names the directory of one.")


@dataclass
class Node:
    """One server of the cluster."""

    programs: Path
    home: Path
    port: int
    settings: dict[str, str]
    process: "subprocess.Popen[bytes] | None" = field(default=None)

    def dsn(self, database: str = "postgres") -> str:
        """Return the DSN of a database of this server."""
        return f"postgresql://{_USER}@127.0.0.1:{self.port}/{database}"

    def create(self) -> None:
        """Make the server's data directory."""
        self.home.mkdir(mode=0o700)
        if os.geteuid() == 0:
            shutil.chown(self.home, _USER)
        args = ("-D", str(self.home / "data"), "-U", _USER, "-A", "trust", "-E", "UTF8")
        made = self._spawn("initdb", (*args, "--locale=C.UTF-8", "--no-sync"))
        if made.wait() != 0:
            raise AssertionError((self.home.parent / f"{self.home.name}.log").read_text())

    def start(self) -> None:
        """Start the server, and wait until it accepts connections."""
        record = self.home / "data" / "postmaster.pid"
        # What a killed server has left; its parent may not have waited for its process.
        record.unlink(missing_ok=True)
        (self.home / f".s.PGSQL.{self.port}.lock").unlink(missing_ok=True)
        options = self.settings | {
            "port": str(self.port),
            "unix_socket_directories": str(self.home),
        }
        args = ["-D", str(self.home / "data")]
        for name, value in options.items():
            args += ["-c", f"{name}={value}"]
        self.process = self._spawn("postgres", args)
        _processes.append(self.process)
        deadline = time.monotonic() + _START_TIMEOUT_S
        # The last line of the file is the server's state.
        while not (record.exists() and record.read_text().rstrip().endswith("ready")):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError((self.home.parent / f"{self.home.name}.log").read_text())
            time.sleep(0.02)

    def kill(self) -> None:
        """Kill the server and all its processes, as a crash of its machine does."""
        record = self.home / "data" / "postmaster.pid"
        if record.exists():
            pid = int(record.read_text().partition("\n")[0])
            children = Path(f"/proc/{pid}/task/{pid}/children")
            for each in (pid, *map(int, children.read_text().split() if children.exists() else ())):
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
            record.unlink()
        if self.process is not None:
            self.process.wait()
            self.process = None

    def _spawn(self, program: str, args: Sequence[str]) -> "subprocess.Popen[bytes]":
        drops = os.geteuid() == 0
        user = pwd.getpwnam(_USER) if drops else None
        with (self.home.parent / f"{self.home.name}.log").open("ab") as log:
            return subprocess.Popen(
                [str(self.programs / program), *args],
                cwd=self.home,
                env=clean_environment({"HOME": str(self.home)}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                user=None if user is None else user.pw_uid,
                group=None if user is None else user.pw_gid,
                extra_groups=() if drops else None,
            )


@dataclass(frozen=True)
class Cluster:
    """The nodes; the first one is the coordinator."""

    nodes: tuple[Node, Node, Node]

    @property
    def coordinator(self) -> Node:
        """Return the node that Landbridge connects to."""
        return self.nodes[0]

    @property
    def workers(self) -> tuple[Node, Node]:
        """Return the nodes that have the rows of organisations."""
        return self.nodes[1:]

    async def create_database(self, name: str) -> str:
        """Create an empty database on all nodes; return its DSN on the coordinator."""
        for node in self.nodes:
            await execute(node.dsn(), f"create database {name}")
            await execute(node.dsn(name), "create extension citus")
        dsn = self.coordinator.dsn(name)
        await execute(
            dsn,
            f"select citus_set_coordinator_host('127.0.0.1', {self.coordinator.port})",
            *(f"select citus_add_node('127.0.0.1', {each.port})" for each in self.workers),
        )
        return dsn

    async def copy_database(self, name: str, template: str) -> str:
        """Copy a database with all its nodes; return the copy's DSN on the coordinator."""
        for node in self.nodes:
            await execute(node.dsn(), f"create database {name} template {template}")
        return self.coordinator.dsn(name)

    async def drop_database(self, name: str) -> None:
        """Remove a database on all nodes."""
        for node in self.nodes:
            await execute(node.dsn(), f"drop database if exists {name} with (force)")


async def execute(dsn: str, *sql: str) -> None:
    """Run statements, each in a transaction of its own."""
    connection: Any = await cast("Any", asyncpg).connect(dsn)
    try:
        for each in sql:
            await connection.execute(each)
    finally:
        await connection.close()


def nodes_at(
    programs: Path, folder: Path, port: int, settings: dict[str, str]
) -> tuple[Node, Node, Node]:
    """Return the coordinator at this port, and the workers at the next two."""
    return (
        Node(programs, folder / "coordinator", port, settings),
        Node(programs, folder / "worker1", port + 1, settings),
        Node(programs, folder / "worker2", port + 2, settings),
    )


@contextmanager
def cluster(port: int, *, is_durable: bool = False) -> Generator[Cluster]:
    """Start three nodes on this port and the next two; remove them in the end."""
    programs = citus_programs()
    folder = Path(tempfile.mkdtemp(prefix="citus-"))
    folder.chmod(0o755)
    settings = SETTINGS if is_durable else SETTINGS | FAST
    nodes = nodes_at(programs, folder, port, settings)
    try:
        for node in nodes:
            node.create()
            node.start()
        yield Cluster(nodes)
    finally:
        for node in nodes:
            node.kill()
        shutil.rmtree(folder, ignore_errors=True)


def main(port: int, command: Sequence[str]) -> int:
    """Run a command, or wait for the end of the input, while the nodes run."""
    try:
        with cluster(port, is_durable=not command) as started:
            sys.stdout.write(f"{started.coordinator.dsn()}\n")
            sys.stdout.flush()
            if not command:
                sys.stdin.read()
                return 0
            environ = {
                "TEST_CLUSTER_PORT": str(port),
                "TEST_CLUSTER_DIRECTORY": str(started.coordinator.home.parent),
                "TEST_DATABASE_URL": started.coordinator.dsn(),
            }
            return subprocess.call(command, env=os.environ | environ)
    except NoCitus as error:
        sys.stdout.write(f"{error}\n")
        return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
