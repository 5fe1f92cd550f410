"""Runs the yardstick as a server, with its own database and funded users."""

import asyncio
import hashlib
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

from bench import databases, machine
from bench.load import Account
from bench.server import API_PROCESSES, free_port
from bench.yardstick import DSN_VARIABLE, tables

_START_PATIENCE_S = 60.0
_KEY = "yardstick"


@dataclass(slots=True)
class Rival:
    """Running yardstick server."""

    port: int
    accounts: list[Account]
    process: "subprocess.Popen[bytes]"

    def pids(self) -> list[int]:
        """Its processes."""
        return machine.tree(self.process.pid)


@contextmanager
def serving(server_dsn: str, *, users: int, log: Path) -> Generator[Rival]:
    """Two uvicorn processes, stopped at the end."""
    dsn = _dsn(asyncio.run(databases.make(server_dsn, "bench_yardstick")))
    accounts = asyncio.run(_fill(dsn, users))
    databases.read(urlunsplit(urlsplit(dsn)._replace(scheme="postgresql")), "analyze")
    port = free_port()
    with log.open("ab") as file:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "uvicorn", "bench.yardstick.app:app"),
                *("--workers", str(API_PROCESSES), "--port", str(port)),
                *("--loop", "uvloop", "--http", "httptools"),
                *("--no-access-log", "--log-level", "warning"),
            ],
            env={**os.environ, DSN_VARIABLE: dsn},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
        )
    try:
        _await_ready(port, process)
        yield Rival(port, accounts, process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def _dsn(dsn: str) -> str:
    return urlunsplit(urlsplit(dsn)._replace(scheme="postgresql+asyncpg"))


async def _fill(dsn: str, users: int) -> list[Account]:
    engine = create_async_engine(dsn)
    async with engine.begin() as connection:
        await connection.run_sync(tables.Base.metadata.create_all)
    org_id = uuid4()
    made = [Account(_KEY, uuid4()) for _ in range(users)]
    async with AsyncSession(engine) as session:
        hashed = hashlib.sha256(_KEY.encode()).digest()
        session.add(tables.ApiKey(secret_hash=hashed, org_id=org_id))
        for sold, bought in (("usdc", "usdt"), ("usdt", "usdc")):
            session.add(
                tables.Price(
                    org_id=org_id,
                    sold=sold,
                    bought=bought,
                    rate=Decimal(1),
                    fee_fraction=Decimal("0.001"),
                )
            )
        wallets = [
            tables.Wallet(
                id=uuid4(),
                org_id=org_id,
                user_id=each.user_id,
                chain="POLYGON",
                address=f"0x{number:040x}",
            )
            for number, each in enumerate(made)
        ]
        session.add_all(wallets)
        await session.flush()
        session.add_all(
            tables.Account(wallet_id=wallet.id, currency=currency, available=Decimal(10**15))
            for wallet in wallets
            for currency in ("usdc", "usdt")
        )
        await session.commit()
    await engine.dispose()
    return made


def _await_ready(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline_s = time.monotonic() + _START_PATIENCE_S
    while time.monotonic() < deadline_s:
        assert process.poll() is None, "the yardstick ended; see its log"
        with suppress(urllib.error.URLError, ConnectionError):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/docs", timeout=2).close()
            return
        time.sleep(0.1)
    raise TimeoutError("the yardstick did not start")
