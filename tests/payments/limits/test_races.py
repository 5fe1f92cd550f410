"""A hundred concurrent spenders in separate processes never exceed a limit by a cent."""

import asyncio
from collections import Counter as Tally
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from decimal import Decimal

import pytest

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.payments.limits.limit_setup import in_use, keep, left, pay, rule, set_rules, used
from tests.tenants import SETTINGS, SWAPS, TRANSFERS, Tenant, good, make_swap, make_user, served

SPENDERS = 100
PROCESSES = 4


@pytest.fixture
async def doors(dsn: str, org: Tenant) -> AsyncIterator[list[Tenant]]:
    """The same organisation in containers with separate pools, clocks and caches."""
    async with AsyncExitStack() as stack:
        found: list[Tenant] = []
        for number in range(PROCESSES):
            database = await Database.connect(dsn, name=f"door {number}", size_max=8)
            stack.push_async_callback(database.close)
            container = wire(SETTINGS, database, Clock(await take_node(database)))
            client = await stack.enter_async_context(served(container))
            found.append(replace(org, container=container, client=client))
        yield found


@pytest.mark.long
@pytest.mark.parametrize("amount", ["7", "0.333333", "33.01"])
async def test_transfers(org: Tenant, doors: list[Tenant], amount: str) -> None:
    users = await asyncio.gather(*(make_user(org, funds="100") for _ in range(20)))
    payee = await make_user(org)
    most = "20.5" if amount.startswith("0") else "100"
    await set_rules(org, rule(maxUsd=most), rule("count", maxUsd=None, maxCount=SPENDERS - 30))
    answers = await asyncio.gather(
        *(
            pay(doors[index % PROCESSES], users[index % len(users)], payee, amount)
            for index in range(SPENDERS)
        )
    )
    tally = Tally(each.status_code for each in answers)
    may = min(int(Decimal(most) / Decimal(amount)), SPENDERS - 30)
    assert tally == {200: may, 403: SPENDERS - may}
    assert await left(org) == Decimal(most) - may * Decimal(amount)
    assert await used(org) == await in_use(org)


async def test_accepted_quotes_and_transfers_share_a_limit(
    org: Tenant, doors: list[Tenant]
) -> None:
    users = await asyncio.gather(*(make_user(org, funds="100") for _ in range(10)))
    payee = await make_user(org)
    swaps = await asyncio.gather(*(make_swap(org, users[n % 10], amount="3") for n in range(30)))
    await set_rules(org, rule(maxUsd="50"), rule("user", per="USER", maxUsd="6"))

    async def twice(place: int, swap: str) -> list[int]:
        """An accept that is sent through two doors counts once."""
        path = f"{SWAPS}/{swap}/accept"
        sent = (doors[(place + n) % PROCESSES].send("POST", path) for n in range(2))
        return [each.status_code for each in await asyncio.gather(*sent)]

    accepted, paid = await asyncio.gather(
        asyncio.gather(*(twice(place, each["id"]) for place, each in enumerate(swaps))),
        asyncio.gather(
            *(pay(doors[n % PROCESSES], users[n % 10], payee, "2") for n in range(SPENDERS))
        ),
    )
    spent = 3 * sum(200 in each for each in accepted)
    spent += 2 * sum(each.status_code == 200 for each in paid)
    assert 48 <= spent <= 50
    assert {code for each in accepted for code in each} <= {200, 403, 409}
    assert await left(org) == 50 - spent
    for user in users:
        assert await left(org, "user", user) >= 0
    assert await used(org) == await in_use(org)


async def test_concurrent_releases_release_once(org: Tenant, doors: list[Tenant]) -> None:
    ada, bob = await make_user(org, funds="100"), await make_user(org)
    await set_rules(org, rule())
    payments = [good(await pay(org, ada, bob, "5", requireApproval=True)) for _ in range(10)]
    waiting = (await org.get("/v2/transfer-approvals"))["approvals"]
    for each in waiting:
        await org.post(f"/v2/transfer-approvals/{each['id']}/reject")
    assert await left(org) == 50
    await asyncio.gather(*(keep(door) for door in doors))
    assert await left(org) == 100
    assert await used(org) == await in_use(org) == {}
    assert len(payments) == 10


async def test_backfill_and_payments_count_each_payment_once(
    org: Tenant, doors: list[Tenant]
) -> None:
    ada, bob = await make_user(org, funds="1000"), await make_user(org)
    for _ in range(10):
        good(await pay(org, ada, bob, "2"))

    async def pay_on(door: Tenant) -> int:
        answers = [await pay(door, ada, bob, "2") for _ in range(10)]
        return sum(each.status_code == 200 for each in answers)

    paid, *_ = await asyncio.gather(
        asyncio.gather(*(pay_on(door) for door in doors)),
        set_rules(org, rule(maxUsd="500")),
        set_rules(doors[1], rule(maxUsd="500")),
    )
    # The worker counts payments that were in progress when the rules were set.
    await org.container.limit_maintenance.count(org.org_id)
    assert await left(org) == 500 - 2 * (10 + sum(paid))
    assert await used(org) == await in_use(org)


@pytest.mark.long
async def test_concurrent_repeats_of_a_request_count_once(org: Tenant, doors: list[Tenant]) -> None:
    ada, bob = await make_user(org, funds="100"), await make_user(org)
    await set_rules(org, rule())
    request_id = "0190b1f4-7e1a-7c1e-9c1e-3f2a1b0c9d8e"
    answers = await asyncio.gather(
        *(pay(doors[n % PROCESSES], ada, bob, "60", request_id=request_id) for n in range(20))
    )
    assert {each.status_code for each in answers} == {200}
    assert await left(org) == 40
    assert len((await org.get(TRANSFERS))["records"]) == 1
