"""Deposits in production, by real processes: the template of a sidecar, and killed workers."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock, ReadingClock
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Rate
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.rates.port import Price
from landbridge.providers.sidecar.protocol import CreditRail, ProviderCredit, RequestedCredit
from tests.onramps import check_books, make_onramp, make_payer, onramp_of, retrieve
from tests.payments.virtual_accounts.virtual_account_setup import make_account, make_receiver
from tests.platform.http.listeners import listening
from tests.providers.sidecar.deposit_world import ScriptedBank, deposits_file
from tests.providers.sidecar.kit import answering, client_of, python_template, sidecar_process
from tests.providers.sidecar.production import production_settings, sandbox_chains
from tests.providers.sidecar.test_payouts import make_production, running_worker
from tests.tenants import SETTINGS, Tenant, held, served
from tests.waiting import holding, waiting

pytestmark = pytest.mark.long

PATIENCE_S = 60


@asynccontextmanager
async def production(database: Database, path: Path) -> AsyncGenerator[tuple[Tenant, str, str]]:
    """Yield an organisation in production, with a payer and a receiver of virtual accounts."""
    clock = Clock(await take_node(database))
    sandbox = wire(SETTINGS, database, clock)
    container = wire(
        production_settings(str(path)), database, clock, chains=sandbox_chains(database)
    )
    async with served(sandbox) as client:
        org, _, _, _ = await make_production(sandbox, container, client)
        payer, receiver = await make_payer(org), await make_receiver(org)
        await container.prices.set_price(
            org.org_id,
            source_currency="usd",
            destination_currency="usdc",
            price=Price(Rate(Decimal(1)), Decimal(0), None),
            at=clock.now(),
        )
    async with served(container) as client:
        yield Tenant(container, client, org.caller, org.key), payer, receiver
    assert container.providers is not None
    await container.providers.close()


async def until_held(org: Tenant, user: str, amount: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while await held(org, user) != amount:  # noqa: ASYNC110  another process
            await asyncio.sleep(0.2)


async def statuses_of(database: Database, org: Tenant) -> list[str]:
    rows = await database.rows(
        "select status from incoming_payments where org_id = $1 order by units", org.org_id
    )
    return [row["status"] for row in rows]


def credit(number: str, amount: str, reference: str | None = None) -> RequestedCredit:
    return RequestedCredit(
        credit=ProviderCredit(
            id=f"C-{new_id()}",
            account_number=number,
            amount=amount,
            currency="usd",
            rail=CreditRail.WIRE,
            received_at=ReadingClock().now(),
            reference=reference,
        )
    )


async def test_money_comes_through_the_template_in_production(
    own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    async with (
        sidecar_process(python_template(tmp_path / "orders.db")) as port,
        client_of(port) as bank,
    ):
        path = deposits_file(tmp_path, port)
        async with production(own_database, path) as (org, payer, receiver):
            told = (await make_account(org, receiver))["depositInstructions"]
            onramp = await make_onramp(org, payer, 100)
            details = (await onramp_of(org, onramp["id"])).details
            shared = details.account_number or ""
            await bank.make_test_credit(credit(told["ach"]["accountNumber"], "100.25"))
            await bank.make_test_credit(credit(shared, "100", details.reference))
            await bank.make_test_credit(credit(shared, "12.34", "of nobody"))
            async with running_worker(own_dsn, path):
                await until_held(org, receiver, "100.25")
                async with asyncio.timeout(PATIENCE_S):
                    while (await retrieve(org, onramp))["status"] != "COMPLETED":  # noqa: ASYNC110
                        await asyncio.sleep(0.2)
                    while "RETURNED" not in await statuses_of(own_database, org):  # noqa: ASYNC110
                        await asyncio.sleep(0.2)
            assert await statuses_of(own_database, org) == ["RETURNED", "MATCHED", "MATCHED"]
            (row,) = await own_database.rows(
                "select state, rail, units from provider_orders where org_id = $1", org.org_id
            )
            assert (row["state"], row["rail"], row["units"]) == ("SETTLED", "wire", 1234)
            await check_books(org)


@pytest.mark.parametrize("is_stored", [False, True], ids=["during the poll", "before the commit"])
async def test_a_worker_killed_between_poll_and_commit_credits_once(
    own_dsn: str, own_database: Database, tmp_path: Path, *, is_stored: bool
) -> None:
    bank, is_polled = ScriptedBank(), asyncio.Event()
    script = answering(bank.answer)

    async def stall(self: Any, reader: Any, writer: Any) -> None:
        # The first poll is that of the worker which is killed.
        if bank.log and not is_polled.is_set() and not is_stored:
            await self.read(reader)
            is_polled.set()
            await asyncio.sleep(PATIENCE_S)
        else:
            await script(self, reader, writer)

    async with listening(stall) as found:
        path = deposits_file(tmp_path, found.port)
        async with production(own_database, path) as (org, _, receiver):
            await make_account(org, receiver)
            number = [*bank.accounts.values()][-1]
            for _ in range(3):
                bank.add(number, "10")
            # The worker's transaction has moved the cursor when it waits for this lock.
            lock = "lock table incoming_payments in share mode"
            async with (
                holding(own_database, lock if is_stored else "select"),
                running_worker(own_dsn, path) as worker,
            ):
                if is_stored:
                    await waiting(own_database, 1)
                else:
                    await asyncio.wait_for(is_polled.wait(), PATIENCE_S)
                worker.kill()  # SIGKILL
                await worker.wait()
            assert await statuses_of(own_database, org) == []
            async with running_worker(own_dsn, path):
                await until_held(org, receiver, "30")
            # The sidecar loses its place: everything comes again, in another order.
            bank.log.reverse()
            await own_database.rows(
                "update provider_cursors set cursor = null, poll_at = $1", org.container.clock.now()
            )
            asked = len(bank.queries)
            async with running_worker(own_dsn, path), asyncio.timeout(PATIENCE_S):
                while len(bank.queries) < asked + 2:  # noqa: ASYNC110  another process
                    await asyncio.sleep(0.2)
            assert await statuses_of(own_database, org) == ["MATCHED"] * 3
            assert await held(org, receiver) == "30"
            await check_books(org)
