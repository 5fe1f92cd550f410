"""Servers on loopback: a primary and its synchronous standby, and one that archives its log."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from landbridge.platform.db.embedded import datadir, runner
from landbridge.platform.db.embedded.runner import Process, Runner
from tests.app.processes.server_process import free_port

PATIENCE_S = 60
_STANDBY = "standby1"
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "100",
    "shared_buffers": "64MB",
    # The test kills processes, not the machine.
    "fsync": "off",
    "wal_receiver_status_interval": "1s",
    "hot_standby_feedback": "on",
}


@dataclass
class PostgresServer:
    """PostgreSQL server of its own data directory."""

    data: Path
    port: int
    by: Runner
    process: Process | None = None

    def start(self, settings: Mapping[str, str] | None = None) -> None:
        """Start it, and wait until it answers."""
        args = ["-D", self.by.data_argument(self.data), "-p", str(self.port)]
        for name, value in {**_SETTINGS, **(settings or {})}.items():
            args += ["-c", f"{name}={value}"]
        with self.log.open("ab") as log:
            self.process = self.by.spawn("postgres", args, cwd=self.data, output=log)
        deadline = time.monotonic() + PATIENCE_S
        while self._psql("select 1").returncode != 0:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(self.log.read_text())
            time.sleep(0.05)

    @property
    def log(self) -> Path:
        return self.data.with_name(f"{self.data.name}.log")

    @property
    def dsn(self) -> str:
        return f"postgresql://{datadir.ROLE}@127.0.0.1:{self.port}/postgres"

    def query(self, sql: str) -> str:
        """Return what psql prints for a statement."""
        completed = self._psql(sql)
        assert completed.returncode == 0, completed.stderr
        return completed.stdout.strip()

    def kill(self) -> None:
        """Kill the server and all its processes, like a power failure."""
        pids = self._pids()
        # The parent first: it would start again what has lost a child.
        self._signal(pids, signal.SIGKILL)
        assert self.process is not None
        self.process.wait()

    def freeze(self) -> None:
        """Let the server answer nothing and close nothing, like a machine without a network."""
        self._signal(self._pids(), signal.SIGSTOP)

    def thaw(self) -> None:
        """Let a frozen server go on."""
        self._signal(self._pids(), signal.SIGCONT)

    def _pids(self) -> list[int]:
        """Return the server's process and its children."""
        assert self.process is not None
        listed = subprocess.run(
            ["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True
        ).stdout
        pairs = [tuple(map(int, line.split())) for line in listed.splitlines()]
        children = [pid for pid, parent in pairs if parent == self.process.pid]
        return [self.process.pid, *children]

    def _signal(self, pids: list[int], number: signal.Signals) -> None:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def stop(self) -> None:
        """Stop the server at once, if it runs."""
        if self.process is not None and self.process.poll() is None:
            self.kill()

    def promote(self) -> None:
        """Make this standby a primary."""
        assert self.query("select pg_promote()") == "t"

    def _psql(self, sql: str) -> "subprocess.CompletedProcess[str]":
        program = runner.client_directory(runner.wheel_directory()) / "psql"
        args = [str(program), "-X", "-w", "-q", "-A", "-t", self.dsn, "-c", sql]
        return subprocess.run(args, capture_output=True, text=True, check=False)


@dataclass
class ServerPair:
    """Primary, and a standby that has each commit before it is acknowledged."""

    primary: PostgresServer
    standby: PostgresServer

    @property
    def dsn(self) -> str:
        """Address of both, which leads to the one that takes writes."""
        ports = f"127.0.0.1:{self.primary.port},127.0.0.1:{self.standby.port}"
        return f"postgresql://{datadir.ROLE}@{ports}/postgres?target_session_attrs=read-write"

    @property
    def conninfo(self) -> str:
        """Where the standby finds its primary."""
        return conninfo_of(self.primary)


@contextmanager
def replicated() -> Generator[ServerPair]:
    """Start a primary and its standby; replication is synchronous."""
    folder = Path(tempfile.mkdtemp(prefix="landbridge-pair-"))
    by = runner.choose(
        runner.wheel_directory(), copy_record=folder / "binaries", must_be_nobody=False
    )
    datadir.give_to_server_user(folder / "home", by)
    primary = PostgresServer(folder / "home" / "primary", free_port(), by)
    standby = PostgresServer(folder / "home" / "standby", free_port(), by)
    try:
        _make_primary(primary)
        primary.start()
        copy_data(primary, standby.data)
        hand_file(standby, "standby.signal")
        standby.start({"primary_conninfo": conninfo_of(primary)})
        primary.query(f"alter system set synchronous_standby_names = '{_STANDBY}'")
        primary.query("select pg_reload_conf()")
        _await_synchronous(primary)
        yield ServerPair(primary, standby)
    finally:
        primary.stop()
        standby.stop()
        runner.forget_copy(folder / "binaries")
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class ArchivedServer:
    """A server that archives its log to a folder, with a base backup there."""

    primary: PostgresServer
    folder: Path
    recovered: PostgresServer | None = None

    def back_up(self) -> None:
        """Make the base backup, while the server works."""
        copy_data(self.primary, self._base)

    def close_log(self) -> None:
        """Wait until all that was committed is in the archive."""
        last = self.primary.query("select pg_walfile_name(pg_switch_wal())")
        archived = "select coalesce(last_archived_wal, '') from pg_stat_archiver"
        deadline = time.monotonic() + PATIENCE_S
        while self.primary.query(archived) < last:
            assert time.monotonic() < deadline, self.primary.log.read_text()
            time.sleep(0.1)

    def recover(self, until: str) -> PostgresServer:
        """Start a server from the base backup and the archive, with all commits up to a time."""
        recovered = PostgresServer(self._base, free_port(), self.primary.by)
        self.recovered = recovered
        hand_file(recovered, "recovery.signal")
        recovered.start(
            {
                "restore_command": f"cp {self.folder / 'archive'}/%f %p",
                "recovery_target_time": until,
                "recovery_target_action": "promote",
            }
        )
        deadline = time.monotonic() + PATIENCE_S
        while recovered.query("select pg_is_in_recovery()") != "f":
            assert time.monotonic() < deadline, recovered.log.read_text()
            time.sleep(0.1)
        return recovered

    def stop(self) -> None:
        """Stop all servers at once."""
        self.primary.stop()
        if self.recovered is not None:
            self.recovered.stop()

    @property
    def _base(self) -> Path:
        return self.folder / "base"


@contextmanager
def archived() -> Generator[ArchivedServer]:
    """Start a server that archives its log; what is recovered is stopped with it."""
    folder = Path(tempfile.mkdtemp(prefix="landbridge-archive-"))
    by = runner.choose(
        runner.wheel_directory(), copy_record=folder / "binaries", must_be_nobody=False
    )
    home = folder / "home"
    datadir.give_to_server_user(home, by)
    datadir.give_to_server_user(home / "archive", by)
    primary = PostgresServer(home / "primary", free_port(), by)
    found = ArchivedServer(primary, home)
    try:
        _make_primary(primary)
        command = f"cp %p {home / 'archive'}/%f"
        primary.start({"archive_mode": "on", "archive_command": command})
        yield found
    finally:
        found.stop()
        runner.forget_copy(folder / "binaries")
        shutil.rmtree(folder, ignore_errors=True)


def conninfo_of(primary: PostgresServer) -> str:
    server = f"host=127.0.0.1 port={primary.port} user={datadir.ROLE}"
    return f"{server} application_name={_STANDBY}"


def _make_primary(server: PostgresServer) -> None:
    datadir.create_directory(server.data, by=server.by)
    access = f"host all {datadir.ROLE} 127.0.0.1/32 trust\n"
    replication = f"host replication {datadir.ROLE} 127.0.0.1/32 trust\n"
    (server.data / "pg_hba.conf").write_text(access + replication)


def copy_data(primary: PostgresServer, to: Path) -> None:
    """Copy the data directory of the running primary."""
    program = runner.client_directory(runner.wheel_directory()) / "pg_basebackup"
    args = [str(program), "-d", conninfo_of(primary), "-D", str(to), "-c", "fast", "-X"]
    subprocess.run([*args, "stream"], check=True, capture_output=True)
    for directory, _, files in os.walk(to):
        for path in (Path(directory), *(Path(directory, name) for name in files)):
            os.chown(path, primary.by.uid, primary.by.gid)


def hand_file(server: PostgresServer, name: str) -> None:
    """Make an empty file in the data directory, for the user of the server."""
    (server.data / name).touch()
    os.chown(server.data / name, server.by.uid, server.by.gid)


def _await_synchronous(primary: PostgresServer) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while primary.query("select sync_state from pg_stat_replication") != "sync":
        assert time.monotonic() < deadline, primary.log.read_text()
        time.sleep(0.05)
