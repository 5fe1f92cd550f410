"""Databases of the bench's own, on the server that `landbridge serve` has started."""

import asyncio
import re
import subprocess
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit, urlunsplit

from bench import scripts
from landbridge.platform.db.embedded.runner import (
    clean_environment,
    client_directory,
    wheel_directory,
)
from landbridge.platform.db.migrate import migrate
from landbridge.platform.db.pool import Database

# The same for all sides, so that no side wins by a setting.
SESSION = "-c jit=off -c plan_cache_mode=force_generic_plan -c enable_seqscan=off"

_ADD_ORG = "insert into orgs (id, name, created_at) values ($1, 'Bench', now())"

# Two accounts per user; scripts compute their ids as 2 n and 2 n + 1.
_ADD_ACCOUNTS = """
insert into accounts (org_id, id, wallet_id, asset, available)
select $1, lpad(to_hex(n), 32, '0')::uuid, lpad(to_hex(n / 2), 32, '0')::uuid,
    case n % 2 when 0 then 'usdc:POLYGON' else 'usdt:POLYGON' end, 1000000000000000
from generate_series(2, 2 * $2::int + 1) as n
"""


@dataclass(frozen=True, slots=True)
class Pgbench:
    """Database with our tables, and a script to run on it."""

    dsn: str
    script: str
    users: int

    def run(self, *, clients: int, seconds: float) -> float:
        """Operations per second: two for each swap."""
        place = parse_qs(urlsplit(self.dsn).query)
        given = {
            **scripts.VARIABLES,
            "users": str(self.users),
            "began_ms": str(time.time_ns() // 1_000_000),
        }
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            file.write(self.script)
            file.flush()
            completed = subprocess.run(
                [
                    str(client_directory(wheel_directory()) / "pgbench"),
                    *("-h", place["host"][0], "-p", place["port"][0], "-U", "postgres"),
                    *("-n", "-M", "prepared", "-c", str(clients), "-j", "2"),
                    *("-T", f"{seconds:.0f}", "-f", file.name),
                    *(f"-D{name}={value}" for name, value in given.items()),
                    urlsplit(self.dsn).path.removeprefix("/"),
                ],
                env=clean_environment({"PGOPTIONS": SESSION}),
                capture_output=True,
                text=True,
                check=False,
            )
        found = re.search(r"tps = ([\d.]+)", completed.stdout)
        failed = re.search(r"failed transactions: ([1-9]\d*)", completed.stdout)
        assert completed.returncode == 0, completed.stderr
        assert found is not None, completed.stdout
        assert failed is None, completed.stdout
        return 2 * float(found[1])


def make_pgbench(server_dsn: str, name: str, script: str, *, users: int) -> Pgbench:
    """Create a database of this name with accounts for the script."""
    dsn = asyncio.run(make(server_dsn, name))

    async def fill() -> None:
        database = await Database.connect(dsn, name="bench", size_max=1)
        await migrate(database)
        await database.rows(_ADD_ORG, scripts.ORG)
        await database.rows(_ADD_ACCOUNTS, scripts.ORG, users)
        await database.rows("analyze")
        await database.close()

    asyncio.run(fill())
    return Pgbench(dsn, script, users)


async def make(server_dsn: str, name: str) -> str:
    """Create an empty database; return its DSN."""
    database = await Database.connect(server_dsn, name="bench", size_max=1)
    await database.rows(f"create database {name}")
    await database.close()
    return urlunsplit(urlsplit(server_dsn)._replace(path=f"/{name}"))


def read(dsn: str, sql: str, *args: object) -> list[tuple[Any, ...]]:
    """Return the rows of a statement, without a timeout."""

    async def work() -> list[tuple[Any, ...]]:
        database = await Database.connect(dsn, name="bench", size_max=1, is_patient=True)
        try:
            return [tuple(cast("Iterable[Any]", row)) for row in await database.rows(sql, *args)]
        finally:
            await database.close()

    return asyncio.run(work())


def count(dsn: str, sql: str) -> int:
    """Return the single number that a statement selects."""
    return int(read(dsn, sql)[0][0])
