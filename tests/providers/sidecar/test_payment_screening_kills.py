"""Payouts that are screened, in production: workers killed between ask, store and send."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.payouts import accept, check_books, make_offramp, shown
from tests.platform.http.listeners import listening
from tests.providers.sidecar.kit import answering
from tests.providers.sidecar.payout_world import ScriptedSidecar, write_file
from tests.providers.sidecar.production import production_settings, sandbox_chains
from tests.providers.sidecar.screening_sidecar import screenings_route
from tests.providers.sidecar.test_payouts import (
    PATIENCE_S,
    make_production,
    running_worker,
    until_status,
)
from tests.providers.sidecar.test_screening_kills import HeldWriter, StallingScreener
from tests.tenants import SETTINGS, Tenant, held, served
from tests.waiting import holding, waiting

pytestmark = pytest.mark.long

# The lock that the first worker waits for when it is killed, whether it is in a call, and how
# often the sidecar is asked in all: an answer that is stored is not asked for again.
_SCREENINGS, _RECORDS, _ORDERS = "provider_screenings", "transfers", "provider_orders"
_KILLS = {
    "before the claim": (_SCREENINGS, False, 1),
    "during the call": (None, True, 2),
    "before the answer is stored": (_SCREENINGS, True, 2),
    "before the release": (_RECORDS, True, 1),
    "before the payout": (_ORDERS, True, 1),
}


@dataclass
class ScreeningBank(StallingScreener):
    """Sidecar that screens payouts and pays them."""

    bank: ScriptedSidecar = field(default_factory=lambda: ScriptedSidecar(state="settled"))

    def answer(self, path: str, message: dict[str, Any]) -> tuple[int, Any]:
        """Answer a call."""
        if path.startswith("/v1/screenings"):
            return super().answer(path, message)
        return self.bank.answer(path, message)


@pytest.mark.parametrize("moment", _KILLS)
async def test_a_killed_worker_leaves_a_payout_that_is_sent_once(
    own_dsn: str, own_database: Database, tmp_path: Path, moment: str
) -> None:
    table, is_in_call, asked = _KILLS[moment]
    sidecar = ScreeningBank()
    script = answering(sidecar.answer)

    async def stall(self: Any, reader: Any, writer: Any) -> None:
        await script(self, reader, HeldWriter(sidecar, writer))  # type: ignore[arg-type]

    if not is_in_call:
        sidecar.may_answer.set()
    async with listening(stall) as found:
        path = write_file(tmp_path, found.port)
        with path.open("a") as file:
            file.write(screenings_route("acme", more='directions = ["payment"]'))
        clock = Clock(await take_node(own_database))
        sandbox = wire(SETTINGS, own_database, clock)
        chains = sandbox_chains(own_database)
        production = wire(production_settings(str(path)), own_database, clock, chains=chains)
        async with served(sandbox) as client:
            _, org, ada, account = await make_production(sandbox, production, client)
        async with served(production) as client:
            org = Tenant(production, client, org.caller, org.key)
            offramp = await accept(org, await make_offramp(org, ada, account, 100))
            lock = "select" if table is None else f"lock table {table} in share mode"
            async with (
                holding(own_database, "select" if is_in_call else lock),
                running_worker(own_dsn, path) as worker,
            ):
                if is_in_call:
                    await asyncio.wait_for(sidecar.is_asked.wait(), PATIENCE_S)
                    async with holding(own_database, lock):
                        if table is not None:
                            sidecar.may_answer.set()
                            await waiting(own_database, 1)
                        worker.kill()  # SIGKILL
                        await worker.wait()
                else:
                    # Locks of earlier steps are over by then.
                    await until_status(org, offramp, "FIAT_INITIATED")
                    await waiting(own_database, 1)
                    worker.kill()
                    await worker.wait()
            sidecar.may_answer.set()
            assert (await shown(org, offramp))["status"] == "FIAT_INITIATED"
            assert sidecar.bank.orders == {}
            await check_books(org)
            async with running_worker(own_dsn, path):
                await until_status(org, offramp, "COMPLETED")
            assert (len(sidecar.screened), len(sidecar.bank.orders)) == (asked, 1)
            assert len({each["key"] for each in sidecar.screened}) == 1
            assert await held(org, ada) == "900"
            await check_books(org)
        assert production.providers is not None
        await production.providers.close()
