"""Payouts created, decided and executed concurrently, through two processes."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx2
import pytest

from landbridge.app.container import wire
from landbridge.ledger.house_accounts import house_balances
from landbridge.ledger.model import HouseRole
from landbridge.platform.core.clock import Clock, FrozenClock
from landbridge.platform.core.errors import Busy
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.tokens import TOKENS, Chain
from tests.payouts import (
    OFFRAMPS,
    OUTSIDE,
    accept,
    check_books,
    make_account,
    make_offramp,
    make_payee,
    offramp_body,
    offramp_of,
    shown,
)
from tests.tenants import SETTINGS, Tenant, held, refusal, register, run_due, served

MANY = 30


@pytest.fixture
async def database_b(dsn: str) -> AsyncIterator[Database]:
    """Connection pool of a second process."""
    database = await Database.connect(dsn, name="tests b", size_max=8)
    yield database
    await database.close()


@pytest.fixture
async def pair(
    org: Tenant, database: Database, database_b: Database
) -> AsyncIterator[tuple[Tenant, Tenant]]:
    """One organisation, spoken to through two houses."""
    second_container = wire(SETTINGS, database_b, Clock(await take_node(database)))
    async with served(second_container) as client_b:
        yield org, Tenant(second_container, client_b, org.caller, org.key)


@pytest.fixture
async def ada(org: Tenant) -> tuple[str, str]:
    """Ada, with 1000 usdc, and her bank account."""
    user = await make_payee(org)
    return user, await make_account(org, user)


async def test_many_creates_with_one_request_id_make_one(
    pair: tuple[Tenant, Tenant], ada: tuple[str, str]
) -> None:
    variants: list[dict[str, Any]] = [{}, {"description": "A boat"}, {"requireApproval": True}]
    for changes in variants:
        body = offramp_body(*ada, 100, **changes)
        answers = await _all(
            *(pair[index % 2].send("POST", OFFRAMPS, body) for index in range(MANY))
        )
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.content for answer in answers}) == 1
    assert (await pair[0].get(OFFRAMPS))["count"] == 3
    await _check(pair[0])


async def test_concurrent_accepts_and_workers_pay_once(
    pair: tuple[Tenant, Tenant], ada: tuple[str, str]
) -> None:
    org = pair[0]
    created = await make_offramp(org, *ada)
    path = f"{OFFRAMPS}/{created['id']}/quote/accept"
    answers = await _all(
        *(pair[index % 2].send("POST", path) for index in range(MANY)),
        *(run_due(pair[index % 2]) for index in range(6)),
    )
    assert {answer.status_code for answer in answers[:MANY]} == {200}
    await run_due(org)
    assert (await shown(org, created))["status"] == "COMPLETED"
    assert await held(org, ada[0]) == "900"
    assert await _orders(org) == Counter({"chain": 1, "bank": 1})
    await _check(org)


@pytest.mark.parametrize("covered", [3, 7])
async def test_accepts_are_limited_by_the_balance(
    pair: tuple[Tenant, Tenant], covered: int
) -> None:
    org = pair[0]
    user = await make_payee(org, funds=str(covered * 10 + 5))
    account = await make_account(org, user)
    created = [await make_offramp(org, user, account, 10) for _ in range(12)]
    answers = await _all(
        *(
            pair[index % 2].send("POST", f"{OFFRAMPS}/{each['id']}/quote/accept")
            for index, each in enumerate(created)
        )
    )
    assert Counter(map(_outcome, answers)) == {
        "CRYPTO_INITIATED": covered,
        "400 INSUFFICIENT_BALANCE": 12 - covered,
    }
    await _all(*(run_due(each) for each in pair * 2))
    await run_due(org)
    assert await held(org, user) == "5"
    assert await _orders(org) == Counter({"chain": covered, "bank": covered})
    await _check(org)


async def test_a_cancel_against_the_close_of_its_review(
    pair: tuple[Tenant, Tenant], ada: tuple[str, str]
) -> None:
    org = pair[0]
    created = [await accept(org, await make_offramp(org, *ada, 10)) for _ in range(10)]
    for each in created:
        await org.post(f"/v2/sandbox/transfers/{each['id']}/rfi", {"action": "open"})
    await _all(
        *(
            verb
            for index, each in enumerate(created)
            for verb in (
                pair[index % 2].send("POST", f"{OFFRAMPS}/{each['id']}/cancel"),
                pair[1 - index % 2].send(
                    "POST", f"/v2/sandbox/transfers/{each['id']}/rfi", {"action": "close"}
                ),
                run_due(pair[index % 2]),
            )
        )
    )
    await run_due(org)
    statuses = Counter([(await shown(org, each))["status"] for each in created])
    assert statuses.keys() <= {"NOT_INITIATED", "COMPLETED"}
    assert await held(org, ada[0]) == str(1000 - 10 * statuses["COMPLETED"])
    for each in created:
        found = await org.container.rfis.of(org.org_id, [UUID(each["id"])])
        assert [rfi.status for rfi in found[UUID(each["id"])]] == ["CLOSED"]
    await _check(org)


async def test_a_review_against_the_worker(
    pair: tuple[Tenant, Tenant], ada: tuple[str, str]
) -> None:
    org = pair[0]
    created = [await accept(org, await make_offramp(org, *ada, 10)) for _ in range(10)]

    async def review(place: int, each: dict[str, Any]) -> None:
        path = f"/v2/sandbox/transfers/{each['id']}/rfi"
        opened_record = await pair[place % 2].send("POST", path, {"action": "open"})
        assert opened_record.status_code in {200, 409}

    await _all(
        *(review(place, each) for place, each in enumerate(created)),
        *(run_due(each) for each in pair * 2),
    )
    for each in created:
        await org.send("POST", f"/v2/sandbox/transfers/{each['id']}/rfi", {"action": "close"})
    await run_due(org)
    assert {(await shown(org, each))["status"] for each in created} == {"COMPLETED"}
    assert await held(org, ada[0]) == "900"
    assert await _orders(org) == Counter({"chain": 10, "bank": 10})
    await _check(org)


async def test_approve_against_reject_against_time(
    still_org: Tenant, still_clock: FrozenClock, database_b: Database
) -> None:
    org = still_org
    late = FrozenClock(still_clock.at, await take_node(database_b))
    late_container = wire(SETTINGS, database_b, late)
    user = await make_payee(org)
    account = await make_account(org, user)
    created = [await make_offramp(org, user, account, 10, requireApproval=True) for _ in range(12)]
    due_at = (await offramp_of(org, created[0])).record.due_at or still_clock.at
    still_clock.at = due_at - timedelta(milliseconds=50)
    late.at = due_at + timedelta(seconds=5)

    async def expire_approval(each: dict[str, Any]) -> None:
        found = await offramp_of(org, each)
        if found.status == "PENDING_APPROVAL":
            await late_container.offramps.expire_approval(found, "worker", late.stamp())

    answers = await _all(
        *(
            verb
            for each in created
            for verb in (
                org.send("POST", f"/v2/transfer-approvals/{each['approval']['id']}/approve", {}),
                org.send("POST", f"/v2/transfer-approvals/{each['approval']['id']}/reject", {}),
                expire_approval(each),
            )
        )
    )
    for index, each in enumerate(created):
        done = await shown(org, each)
        approved, rejected = answers[3 * index].status_code, answers[3 * index + 1].status_code
        expected = {
            (200, 409): ("OPEN_QUOTE", "APPROVED"),
            (409, 200): ("REJECTED", "REJECTED"),
            (409, 409): ("EXPIRED", "EXPIRED"),
        }[approved, rejected]
        assert (done["status"], done["approval"]["status"]) == expected
    await _check(org)


async def test_coins_against_time(
    still_org: Tenant, still_clock: FrozenClock, database_b: Database
) -> None:
    org = still_org
    late = FrozenClock(still_clock.at, await take_node(database_b))
    late_container = wire(SETTINGS, database_b, late)
    user = await make_payee(org)
    account = await make_account(org, user)
    wallet = await register(org, user, OUTSIDE)
    created = [
        await accept(
            org,
            await make_offramp(org, None, account, 10, source={"externalWalletId": wallet}),
        )
        for _ in range(8)
    ]
    money = Money(10_000_000, TOKENS[Chain.POLYGON, "usdc"].asset)
    due_at = (await offramp_of(org, created[0])).record.due_at or still_clock.at
    still_clock.at, late.at = due_at - timedelta(milliseconds=50), due_at + timedelta(seconds=5)

    async def arrive(each: dict[str, Any]) -> None:
        try:
            await org.container.offramps.coins_arrived(org.caller, UUID(each["id"]), money, "0x1")
        except Busy:
            await arrive(each)

    async def expire(each: dict[str, Any]) -> None:
        found = await offramp_of(org, each)
        if found.status == "AWAITING_FUNDS":
            await late_container.offramps.expire(found, "worker", late.stamp())

    await _all(*(verb for each in created for verb in (arrive(each), arrive(each), expire(each))))
    still_clock.at = late.at + timedelta(seconds=1)
    await run_due(org)
    statuses = Counter([(await shown(org, each))["status"] for each in created])
    assert statuses.keys() <= {"COMPLETED", "QUOTE_FAILED"}
    orders = await _orders(org)
    # Each coin is either paid out or given back, once.
    assert orders["bank"] == statuses["COMPLETED"]
    assert orders["chain"] == statuses["QUOTE_FAILED"]
    await _check(org)


async def _all(*work: Awaitable[Any]) -> list[Any]:
    return list(await asyncio.gather(*work))


async def _orders(org: Tenant) -> Counter[str]:
    """Return the number of orders that the sandbox's chain and bank accepted."""
    rows = await org.container.database.rows(
        "select system, count(*) as n from sandbox_orders where org_id = $1 group by system",
        org.org_id,
    )
    return Counter({row["system"]: row["n"] for row in rows})


def _outcome(answer: httpx2.Response) -> str:
    if answer.status_code == 200:
        return str(answer.json()["transferDetails"]["status"])
    return refusal(answer)


async def _check(org: Tenant) -> None:
    """Check that the ledger audit is clean and nothing is in transit."""
    await check_books(org)
    found = await house_balances(org.container.database, org.org_id)
    assert not any(units for (role, _), units in found.items() if role is HouseRole.IN_TRANSIT)
