"""Screening in production by real processes: workers killed between claim, call and record."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pytest

from landbridge.ledger.house_accounts import house_balances
from landbridge.ledger.model import HouseRole
from landbridge.platform.db.pool import Database
from tests.onramps import check_books
from tests.payments.virtual_accounts.virtual_account_setup import make_account
from tests.platform.http.listeners import listening
from tests.providers.sidecar.deposit_world import deposits_file
from tests.providers.sidecar.kit import answering
from tests.providers.sidecar.screening_sidecar import ScriptedScreener, screenings_route
from tests.providers.sidecar.test_deposit_kills import (
    PATIENCE_S,
    production,
    statuses_of,
    until_held,
)
from tests.providers.sidecar.test_payouts import running_worker
from tests.tenants import Tenant
from tests.waiting import holding, waiting

# Two real workers for each case: the short form of the long tests plays two of them.
pytestmark = pytest.mark.long

# The lock that the first worker waits for when it is killed, whether it is in a call, and how
# often the sidecar is asked in all: an answer that is stored is not asked for again.
_SCREENINGS, _PAYMENTS = "provider_screenings", "incoming_payments"
_ANSWERED = "select key from provider_screenings where answered_at is not null"
_KILLS = {
    "before the claim": (_SCREENINGS, False, 1),
    "during the call": (None, True, 2),
    "before the record": (_SCREENINGS, True, 2),
    "before the release": (_PAYMENTS, True, 1),
}


@dataclass
class StallingScreener(ScriptedScreener):
    """Sidecar that does not answer about a deposit until it may."""

    is_asked: asyncio.Event = field(default_factory=asyncio.Event)
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)

    def answer(self, path: str, message: dict[str, Any]) -> tuple[int, Any]:
        """Answer a call."""
        if path == "/v1/screenings":
            self.is_asked.set()
        return super().answer(path, message)


class Stalling(Protocol):
    """Sidecar that does not answer until it may."""

    is_asked: asyncio.Event
    may_answer: asyncio.Event


@dataclass
class HeldWriter:
    """Connection whose answers wait while a sidecar is asked."""

    sidecar: Stalling
    writer: asyncio.StreamWriter
    held: list[bytes] = field(default_factory=list[bytes])

    def write(self, sent: bytes) -> None:
        self.held.append(sent)

    async def drain(self) -> None:
        if self.sidecar.is_asked.is_set():
            await self.sidecar.may_answer.wait()
        while self.held:
            self.writer.write(self.held.pop(0))
        await self.writer.drain()


@pytest.mark.parametrize(
    "moment",
    [
        pytest.param("before the claim", marks=pytest.mark.wide),
        "during the call",
        pytest.param("before the record", marks=pytest.mark.wide),
        "before the release",
    ],
)
async def test_a_killed_worker_leaves_a_deposit_that_is_released_once(
    own_dsn: str, own_database: Database, tmp_path: Path, moment: str
) -> None:
    table, is_in_call, asked = _KILLS[moment]
    sidecar = StallingScreener()
    script = answering(sidecar.answer)

    async def stall(self: Any, reader: Any, writer: Any) -> None:
        await script(self, reader, HeldWriter(sidecar, writer))  # type: ignore[arg-type]

    if not is_in_call:
        sidecar.may_answer.set()
    async with listening(stall) as found:
        path = deposits_file(tmp_path, found.port, more=screenings_route("acme"))
        async with production(own_database, path) as (org, _, receiver):
            await make_account(org, receiver)
            sidecar.add([*sidecar.accounts.values()][-1], "10")
            lock = "select" if table is None else f"lock table {table} in share mode"
            first_lock = "select" if is_in_call else lock
            async with (
                holding(own_database, first_lock),
                running_worker(own_dsn, path) as worker,
            ):
                if is_in_call:
                    await asyncio.wait_for(sidecar.is_asked.wait(), PATIENCE_S)
                    async with holding(own_database, lock):
                        if table is not None:
                            sidecar.may_answer.set()
                            if table == _PAYMENTS:
                                # Other steps of the worker wait for this lock, too.
                                await _until_answered(own_database)
                            await waiting(own_database, 1)
                        await _kill(worker)
                else:
                    await waiting(own_database, 1)
                    await _kill(worker)
            sidecar.may_answer.set()
            assert await statuses_of(own_database, org) == ["SCREENING"]
            assert await _suspended(own_database, org) == 1000
            await check_books(org)
            async with running_worker(own_dsn, path):
                await until_held(org, receiver, "10")
            assert len(sidecar.screened) == asked
            assert await _suspended(own_database, org) == 0
            await check_books(org)


async def _until_answered(database: Database) -> None:
    """Wait until the answer about the deposit is stored."""
    for _ in range(int(PATIENCE_S / 0.05)):
        if await database.rows(_ANSWERED):
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the answer was not stored")


async def _kill(worker: asyncio.subprocess.Process) -> None:
    worker.kill()  # SIGKILL
    await worker.wait()


async def _suspended(database: Database, org: Tenant) -> int:
    balances = await house_balances(database, org.org_id)
    return balances.get((HouseRole.SUSPENSE, "usd:BANK"), 0)
