"""Gas of final orders in the ledger: amounts, accounts, and what customers see of it."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.app.container import Container, wire
from landbridge.ledger.model import HouseRole
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.evm.gas.model import gas_cost_id
from landbridge.providers.evm.gas.service import GasCosts
from landbridge.providers.evm.outbox import order_store
from landbridge.providers.evm.outbox.model import OutboxState
from tests.change_log import placed
from tests.payouts import check_books
from tests.providers.evm.gas.orders import AT, add_attempts, add_order, native_units, new_order
from tests.reporting.metrics.record_history import fold
from tests.reporting.metrics.test_params import PREVIEW
from tests.tenants import (
    SETTINGS,
    TRANSFERS,
    Tenant,
    make_tenant,
    make_transfer,
    make_user,
    run_due,
    served,
)

# More than a bigint holds: 9.2 coins of 18 decimals.
MUCH = 123_456_789_012_345_678_901


@pytest.fixture
async def payer(own_database: Database) -> AsyncGenerator[Tenant]:
    """Organisation in a database of its own: booking takes the orders of all organisations."""
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    async with served(container) as client:
        yield await make_tenant(container, client)


async def pay(org: Tenant) -> UUID:
    """Return the id of a completed transfer."""
    ada = await make_user(org, funds="10")
    created = await make_transfer(org, ada, await make_user(org), 10)
    await run_due(org)
    return UUID(created["id"])


def gas_costs(container: Container) -> GasCosts:
    """Return the service, as a worker with connected chains has it."""
    return GasCosts(container.database, container.ledger, container.clock)


async def gas_records(database: Database) -> list[tuple[UUID, str, int]]:
    """Return id, asset and wei of every gas cost."""
    rows = await database.rows(
        "select id, source_asset, source_units from transfers where kind = 'CHAIN.GAS'"
    )
    return [(row["id"], row["source_asset"], int(row["source_units"])) for row in rows]


async def test_gas_of_a_final_order_is_booked_once(payer: Tenant) -> None:
    database, costs = payer.container.database, gas_costs(payer.container)
    record_id = await pay(payer)
    polygon = new_order(payer.org_id, record_id)
    base = new_order(payer.org_id, record_id, chain="BASE")
    await add_order(database, polygon, OutboxState.FINAL, MUCH)
    # Reverted: only gas was paid.
    await add_order(database, base, OutboxState.REVERTED, 21_000)
    for _ in range(2):
        assert not await costs.book({})
        assert sorted(await gas_records(database)) == sorted(
            [
                (gas_cost_id(polygon.key), "pol:POLYGON", MUCH),
                (gas_cost_id(base.key), "eth:BASE", 21_000),
            ]
        )
    assert await native_units(database, payer.org_id) == {
        (HouseRole.GAS, "pol:POLYGON"): -MUCH,
        (HouseRole.OUTSIDE, "pol:POLYGON"): MUCH,
        (HouseRole.GAS, "eth:BASE"): -21_000,
        (HouseRole.OUTSIDE, "eth:BASE"): 21_000,
    }
    await check_books(payer)


async def test_a_record_names_payment_and_user_at_the_time_of_the_organisation(
    payer: Tenant,
) -> None:
    record_id = await pay(payer)
    await payer.post("/v2/sandbox/clock/advance", {"seconds": 86_400})
    order = new_order(payer.org_id, record_id)
    await add_order(payer.container.database, order, OutboxState.FINAL, 5)
    offsets = await payer.container.orgs.clock_offsets()
    await gas_costs(payer.container).book(offsets)
    ledger = payer.container.ledger
    payment, found = [
        await ledger.find(payer.org_id, each) for each in (record_id, gas_cost_id(order.key))
    ]
    assert payment is not None
    assert found is not None
    assert found.user_id == payment.user_id
    assert found.details == {"order_key": str(order.key), "record_id": str(record_id)}
    now = await payer.container.orgs.now(payer.org_id)
    assert now - timedelta(minutes=1) < found.created_at <= now


async def test_an_order_that_is_open_or_paid_no_gas_has_no_record(payer: Tenant) -> None:
    database, costs = payer.container.database, gas_costs(payer.container)
    record_id = await pay(payer)
    for state, wei in (
        (OutboxState.REJECTED, None),
        (OutboxState.FINAL, None),
        (OutboxState.FINAL, 0),
        (OutboxState.CONFIRMED, None),
    ):
        await add_order(database, new_order(payer.org_id, record_id), state, wei)
    await costs.book({})
    assert await gas_records(database) == []
    rows = await database.rows("select state from chain_orders where gas_booked_at is null")
    assert [row["state"] for row in rows] == ["CONFIRMED"]
    await check_books(payer)


@pytest.mark.parametrize(
    ("removed", "added", "difference"),
    [
        # Both transactions are in the chain: the first has failed, as its authorization expired.
        pytest.param(False, 5, 5, id="both"),
        pytest.param(True, 50, 10, id="only a dearer one"),
        pytest.param(True, 15, -25, id="only a cheaper one"),
        pytest.param(True, 40, 0, id="one of the same price"),
        # An order that was reported as failed, whose transaction has left the chain for good.
        pytest.param(True, None, -40, id="none"),
    ],
)
async def test_an_order_that_was_reopened_has_cost_what_the_chain_has_now(
    payer: Tenant, *, removed: bool, added: int | None, difference: int
) -> None:
    database, costs = payer.container.database, gas_costs(payer.container)
    order = new_order(payer.org_id, await pay(payer))
    await add_order(database, order, OutboxState.FINAL, 40)
    await costs.book({})
    await database.single(lambda tx: order_store.reopen(tx, order.chain, above=6, at=AT))
    # While it is open, nothing is booked.
    await costs.book({})
    if removed:
        await database.rows("update chain_attempts set gas_wei = null, block_number = null")
    await add_attempts(database, order, [added], first=1)
    await database.rows("update chain_orders set state = 'FINAL'")
    for _ in range(2):
        await costs.book({})
    first = (gas_cost_id(order.key), "pol:POLYGON", 40)
    second = (gas_cost_id(order.key, 1), "pol:POLYGON", abs(difference))
    assert sorted(await gas_records(database)) == sorted([first, second] if difference else [first])
    assert (await native_units(database, payer.org_id))[HouseRole.GAS, "pol:POLYGON"] == -(
        40 + difference
    )
    (row,) = await database.rows("select gas_wei from chain_orders")
    assert row["gas_wei"] == 40 + difference
    await check_books(payer)


async def test_a_rejected_order_has_cost_what_prepared_it(payer: Tenant) -> None:
    database = payer.container.database
    order = new_order(payer.org_id, await pay(payer))
    await add_order(database, order, OutboxState.REJECTED, None)
    await add_attempts(database, order, [40, 2, None], first=1)
    await gas_costs(payer.container).book({})
    assert await gas_records(database) == [(gas_cost_id(order.key), "pol:POLYGON", 42)]
    (row,) = await database.rows("select gas_wei from chain_orders")
    assert row["gas_wei"] == 42


async def test_an_order_whose_mark_was_lost_is_not_booked_again(payer: Tenant) -> None:
    database, costs = payer.container.database, gas_costs(payer.container)
    order = new_order(payer.org_id, await pay(payer))
    await add_order(database, order, OutboxState.FINAL, 7)
    await costs.book({})
    await database.rows("update chain_orders set gas_booked_at = null returning 1")
    await costs.book({})
    assert await gas_records(database) == [(gas_cost_id(order.key), "pol:POLYGON", 7)]


async def test_workers_at_once_book_each_order_once(payer: Tenant) -> None:
    database, costs = payer.container.database, gas_costs(payer.container)
    record_id = await pay(payer)
    orders = [new_order(payer.org_id, record_id) for _ in range(40)]
    for order in orders:
        await add_order(database, order, OutboxState.FINAL, 3)

    async def work() -> None:
        while await costs.book({}, batch_size=3):
            pass

    await asyncio.gather(*(work() for _ in range(4)))
    await work()
    assert {id_ for id_, _, _ in await gas_records(database)} == {
        gas_cost_id(each.key) for each in orders
    }
    gas = await native_units(database, payer.org_id)
    assert gas[HouseRole.GAS, "pol:POLYGON"] == -120


async def test_customers_see_gas_as_a_balance_of_the_house_alone(payer: Tenant) -> None:
    order = new_order(payer.org_id, await pay(payer))
    # Reports end before the present day; gas is booked two days earlier.
    await payer.post("/v2/sandbox/clock/advance", {"seconds": 2 * 86_400})
    before = await _shown(payer)
    await add_order(payer.container.database, order, OutboxState.FINAL, MUCH)
    await gas_costs(payer.container).book({})
    assert await _shown(payer) == before
    # Its reports are the same whether they read sums or changes.
    await fold(payer)
    assert await _shown(payer) == before
    gas_id = gas_cost_id(order.key)
    assert await payer.refused("GET", f"/v2/transactions/{gas_id}") == "404 TRANSACTION_NOT_FOUND"
    assert (await payer.get("/v2/search", q=str(gas_id)))["count"] == 0
    assert "400" in await payer.refused("GET", "/v2/transactions", currency="pol")
    assert "400" in await payer.refused("POST", PREVIEW, _report("BALANCES", holders=["gas"]))
    house = (await payer.get("/v2/balances"))["house"]
    assert [each for each in house if each["currency"] == "pol"] == [
        {
            "role": "gas",
            "currency": "pol",
            "chain": "POLYGON",
            "balance": "-123.456789012345678901",
        },
        {
            "role": "outside",
            "currency": "pol",
            "chain": "POLYGON",
            "balance": "123.456789012345678901",
        },
    ]


async def _shown(org: Tenant) -> list[Any]:
    """Return lists and reports of an organisation's payments."""
    reports = [
        _report("GROSS_VOLUME", transactionTypes=["onramp", "offramp", "transfer"]),
        _report("TRANSACTION_COUNT"),
        _report("FEES"),
        _report("BALANCES", holders=["outside"], breakdowns=["currency"]),
    ]
    await placed(org.container.database)
    return [
        await org.get("/v2/transactions"),
        await org.get(TRANSFERS),
        [each["eventId"] for each in (await org.get("/v2/events"))["records"]],
        *[(await org.post(PREVIEW, each))["data"] for each in reports],
    ]


def _report(template: str, **params: Any) -> dict[str, Any]:
    """Build the body that previews a report on the last 30 days and the next one."""
    today = datetime.now(UTC).date()
    return {
        "template": template,
        "params": {
            "createdAfter": (today - timedelta(days=30)).isoformat(),
            "createdBefore": (today + timedelta(days=1)).isoformat(),
            "calculationInterval": "year",
            **params,
        },
    }
