"""PostgreSQL server of a test run, and the template of its databases.

The server need not survive a power failure, so it writes without fsync. Tests of durability start
their own servers.
"""

import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import Self
from urllib.parse import quote, urlsplit, urlunsplit

from landbridge.platform.core.ids import new_id
from landbridge.platform.db.embedded import datadir, runner
from landbridge.platform.db.migrate import migrate
from landbridge.platform.db.pool import Database

# In memory, a database of a test is copied in a tenth of a second; on a slow disk in one or two.
_MEMORY = Path("/dev/shm")  # noqa: S108  the directory itself is made by mkdtemp
_MEMORY_MIN_BYTES = 6 * 1024**3

# Race tests open about fifty, several test processes race at once, and a lack of connections causes
# 503.
CONNECTIONS_MAX = 300
_PORT = 5432
_START_TIMEOUT_S = 120
_SETTINGS = {
    "listen_addresses": "",
    "port": str(_PORT),
    "unix_socket_directories": "..",
    "max_connections": str(CONNECTIONS_MAX),
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "1GB",
    # It would visit all databases in turn. No table becomes large enough to need it.
    "autovacuum": "off",
}


class RunServer:
    """Embedded PostgreSQL in a temporary directory, until `stop`."""

    def __init__(self, folder: Path, process: runner.Process) -> None:
        self._folder = folder
        self._process = process

    @classmethod
    def start(cls) -> Self:
        """Create the server's directory and wait until the server accepts connections."""
        folder = Path(tempfile.mkdtemp(prefix="landbridge-tests-", dir=_parent()))
        programs = runner.choose(
            runner.wheel_directory(), copy_record=folder / "binaries", must_be_nobody=False
        )
        home = folder / "postgres"
        datadir.give_to_server_user(home, programs)
        data = home / "data"
        datadir.create_directory(data, by=programs)
        args = ["-D", programs.data_argument(data)]
        for name, value in _SETTINGS.items():
            args += ["-c", f"{name}={value}"]
        with (folder / "log").open("ab") as log:
            process = programs.spawn("postgres", args, cwd=data, output=log)
        server = cls(folder, process)
        server._await_ready(data / "postmaster.pid")
        return server

    @property
    def dsn(self) -> str:
        """DSN of the server's own database `postgres`."""
        host = quote(str(self._folder / "postgres"), safe="")
        return f"postgresql://{datadir.ROLE}@/postgres?host={host}&port={_PORT}"

    def stop(self) -> None:
        """Stop the server without saving its data, and remove its directory."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()
        runner.forget_copy(self._folder / "binaries")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _await_ready(self, record: Path) -> None:
        deadline = time.monotonic() + _START_TIMEOUT_S
        # The last line of the file is the server's state.
        while not (record.exists() and record.read_text().rstrip().endswith("ready")):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError((self._folder / "log").read_text())
            time.sleep(0.02)


def _parent() -> Path | None:
    """Return where temporary directories are fast; None for the usual place.

    Containers often have 64 MB of shared memory.
    """
    try:
        return _MEMORY if shutil.disk_usage(_MEMORY).free >= _MEMORY_MIN_BYTES else None
    except OSError:
        return None


def on_server(dsn: str, name: str) -> str:
    """Return the DSN of the database `name` on the same server."""
    parts = urlsplit(dsn)
    return urlunsplit(parts._replace(path=f"/{name}"))


async def make_template(server_dsn: str) -> str:
    """Create a migrated database, which test databases are copied from; return its name."""
    name = f"landbridge_template_{new_id().hex}"
    await _execute(server_dsn, f"create database {name}")
    database = await Database.connect(on_server(server_dsn, name), name="tests", size_max=2)
    await migrate(database)
    await database.close()
    return name


async def drop_template(server_dsn: str, name: str) -> None:
    """Remove the template from a server that outlives the run."""
    await _execute(server_dsn, f"drop database if exists {name} with (force)")


async def _execute(server_dsn: str, statement: str) -> None:
    server = await Database.connect(server_dsn, name="tests", size_max=1)
    await server.rows(statement)
    await server.close()
