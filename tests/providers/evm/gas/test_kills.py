"""Workers that are killed while they book gas: every order is booked once."""

import asyncio
import random
from uuid import UUID

import pytest

from landbridge.ledger.model import HouseRole
from landbridge.providers.evm.gas.model import gas_cost_id
from landbridge.providers.evm.outbox.model import OutboxState
from tests.long import few_of
from tests.payouts import check_books
from tests.providers.evm.gas.booking_process import AFTER_COMMIT, BEFORE_COMMIT, book
from tests.providers.evm.gas.orders import add_order, native_units, new_order
from tests.providers.evm.gas.test_booking import gas_costs, gas_records, pay, payer
from tests.races.racing_processes import start_process
from tests.tenants import Tenant

__all__ = ["payer"]

pytestmark = pytest.mark.long


async def test_a_worker_killed_around_the_commit_books_each_order_once(
    payer: Tenant, own_dsn: str
) -> None:
    database = payer.container.database
    order = new_order(payer.org_id, await pay(payer))
    await add_order(database, order, OutboxState.FINAL, 9)
    for place, count in ((BEFORE_COMMIT, 0), (AFTER_COMMIT, 1)):
        worker = start_process(book, own_dsn, place)
        await asyncio.to_thread(worker.wait_until_started)
        worker.kill()
        assert len(await gas_records(database)) == count
    await gas_costs(payer.container).book({})
    assert await gas_records(database) == [(gas_cost_id(order.key), "pol:POLYGON", 9)]
    await check_books(payer)


@pytest.mark.parametrize("rounds", few_of([4, 20]))
async def test_racing_and_killed_workers_book_each_order_once(
    payer: Tenant, own_dsn: str, rounds: int
) -> None:
    database, record_id = payer.container.database, await pay(payer)
    dice = random.Random(0)  # noqa: S311  a repeatable sequence
    expected: dict[UUID, int] = {}
    for _ in range(rounds):
        workers = [start_process(book, own_dsn, None) for _ in range(2)]
        for worker in workers:
            await asyncio.to_thread(worker.wait_until_started)
        for _ in range(20):
            order = new_order(payer.org_id, record_id)
            expected[gas_cost_id(order.key)] = wei = dice.randrange(1, 10**18)
            await add_order(database, order, OutboxState.FINAL, wei)
        await asyncio.sleep(dice.uniform(0, 0.05))
        for worker in workers:
            worker.kill()
    # The server may still end the transactions of killed workers; their orders stay locked.
    async with asyncio.timeout(60):
        while len(await gas_records(database)) < len(expected):
            await gas_costs(payer.container).book({})
    assert {id_: wei for id_, _, wei in await gas_records(database)} == expected
    gas = await native_units(database, payer.org_id)
    assert gas[HouseRole.GAS, "pol:POLYGON"] == -sum(expected.values())
    await check_books(payer)
