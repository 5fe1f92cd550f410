"""PgBouncer in transaction mode, before a database of the tests."""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from landbridge.platform.db.embedded import runner
from landbridge.platform.db.pool import Database
from landbridge.platform.db.session_settings import PoolerSettingsMissing
from tests.app.processes.server_process import free_port

PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
# Fewer than the clients, so that statements of one client run in several sessions.
SESSIONS = 3
_PATIENCE_S = 20


@dataclass(frozen=True)
class PoolerProcess:
    """A running PgBouncer; `url` is its address."""

    url: str
    _process: "subprocess.Popen[bytes]"
    _config: Path

    def lead_to(self, dsn: str) -> None:
        """Send all clients to another server, as an operator does after a failover."""
        _write(self._config, dsn, port=urlsplit(self.url).port or 0)
        self._process.send_signal(signal.SIGHUP)


@contextmanager
def pooled(dsn: str) -> Generator[PoolerProcess]:
    """Run PgBouncer before the database of `dsn`, as the user of the embedded server."""
    assert PGBOUNCER is not None
    parts, port = urlsplit(dsn), free_port()
    with tempfile.TemporaryDirectory(prefix="landbridge-pooler-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        config = folder / "pgbouncer.ini"
        _write(config, dsn, port=port)
        by = runner.choose(
            runner.wheel_directory(), copy_record=folder / "binaries", must_be_nobody=False
        )
        process = subprocess.Popen(
            [*by.prefix, PGBOUNCER, "-q", str(config)],
            user=by.uid if os.geteuid() != by.uid else None,
            stderr=subprocess.DEVNULL,
        )
        try:
            _await_listening(port)
            address = f"{parts.username or 'postgres'}@127.0.0.1:{port}{parts.path}"
            yield PoolerProcess(f"postgresql://{address}", process, config)
        finally:
            process.kill()
            process.wait()


def _write(config: Path, dsn: str, *, port: int) -> None:
    parts = urlsplit(dsn)
    query = parse_qs(parts.query)
    host = query["host"][0] if "host" in query else parts.hostname
    server = f"host={host} port={query['port'][0] if 'port' in query else parts.port or 5432}"
    login = f"user={parts.username or 'postgres'} password={parts.password or 'x'}"
    config.write_text(
        f"[databases]\n{parts.path.lstrip('/')} = {server} {login}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = any\npool_mode = transaction\ndefault_pool_size = {SESSIONS}\n"
        # After a server was lost; by default it is 15 seconds.
        "server_login_retry = 1\n"
    )


def _await_listening(port: int) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        else:
            return


async def give_settings(dsn: str, error: PoolerSettingsMissing) -> None:
    """Run the commands that the message names."""
    direct = await Database.connect(dsn, name="operator", size_max=1)
    for command in re.findall(r"alter role .*;", str(error)):
        await direct.rows(command)
    await direct.close()
