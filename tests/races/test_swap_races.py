"""Concurrent swap requests through two pools on one database."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from landbridge.app.container import AUDIT_RULES, TRANSITIONS, Container, wire
from landbridge.ledger.audit import audit, table
from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.core.clock import Clock, FrozenClock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.providers.simulation.external_state import carried
from tests.scripted import OUTSIDE
from tests.tenants import (
    SETTINGS,
    SWAPS,
    Tenant,
    held,
    individual,
    make_agreement,
    make_swap,
    make_user,
    refusal,
    served,
    swap_body,
    swap_of,
)

MANY = 50


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
        yield org, _through(org, second_container, client_b)


async def test_many_creates_with_one_request_id_make_one_swap(
    pair: tuple[Tenant, Tenant],
) -> None:
    org = pair[0]
    user = await make_user(org, funds="10")
    body = swap_body(user)
    answers = await asyncio.gather(
        *(pair[index % 2].send("POST", SWAPS, body) for index in range(MANY))
    )
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert (await org.get(SWAPS))["count"] == 1
    await _check_books(org)


async def test_one_of_different_creates_with_one_request_id_succeeds(
    pair: tuple[Tenant, Tenant],
) -> None:
    user = await make_user(pair[0], funds="10")
    request_id = swap_body(user)["requestId"]
    bodies = [swap_body(user, str(1 + index % 5), request_id=request_id) for index in range(20)]
    answers = await asyncio.gather(
        *(pair[index % 2].send("POST", SWAPS, body) for index, body in enumerate(bodies))
    )
    (created,) = (await pair[0].get(SWAPS))["data"]
    for body, answer in zip(bodies, answers, strict=True):
        is_same = body["source"]["amount"] == str(created["transferDetails"]["source"]["amount"])
        if is_same:
            assert answer.json() == created
        else:
            assert refusal(answer) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"


async def test_many_accepts_settle_a_swap_once(pair: tuple[Tenant, Tenant]) -> None:
    org = pair[0]
    user = await make_user(org, funds="100")
    swap = await make_swap(org, user, "10")
    answers = await asyncio.gather(
        *(pair[index % 2].send("POST", f"{SWAPS}/{swap['id']}/accept") for index in range(MANY))
    )
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert await held(org, user) == "90"
    assert await held(org, user, "usdt") == "9.99"
    await _check_books(org)


@pytest.mark.parametrize(("funds", "covered"), [("10", 10), ("7.5", 7), ("1", 1)])
async def test_settled_swaps_are_limited_by_the_balance(
    pair: tuple[Tenant, Tenant], funds: str, covered: int
) -> None:
    org = pair[0]
    user = await make_user(org, funds=funds)
    created = [await make_swap(org, user, "1") for _ in range(20)]
    answers = await asyncio.gather(
        *(
            pair[index % 2].send("POST", f"{SWAPS}/{swap['id']}/accept")
            for index, swap in enumerate(created)
        )
    )
    outcomes = Counter(_outcome(answer) for answer in answers)
    expected = {"COMPLETED": covered, "400 INSUFFICIENT_BALANCE": 20 - covered}
    assert outcomes == {name: count for name, count in expected.items() if count}
    statuses = Counter([(await swap_of(org, swap["id"])).status for swap in created])
    assert statuses == {SwapStatus.COMPLETED: covered, SwapStatus.OPEN_QUOTE: 20 - covered}
    await _check_books(org)


async def test_swap_at_the_deadline_is_either_settled_or_expired(
    still_org: Tenant, still_clock: FrozenClock, database_b: Database
) -> None:
    org, user = still_org, await make_user(still_org, funds="100")
    second_container = wire(
        SETTINGS, database_b, FrozenClock(still_clock.at, await take_node(database_b))
    )
    late = FrozenClock(still_clock.at, await take_node(database_b))
    late_container = wire(SETTINGS, database_b, late)
    created = [await make_swap(org, user, "1") for _ in range(20)]
    # One container's clock is just before the deadlines, the other's just after.
    still_clock.at += timedelta(seconds=29, milliseconds=990)
    late.at = still_clock.at + timedelta(milliseconds=100)

    async def accept(swap: dict[str, Any]) -> str:
        return _outcome(await org.send("POST", f"{SWAPS}/{swap['id']}/accept"))

    async def expire(swap: dict[str, Any]) -> str:
        found = await second_container.swaps.get(
            org.org_id, (await swap_of(org, swap["id"])).record.id
        )
        if found.status is SwapStatus.OPEN_QUOTE:
            await late_container.swaps.expire(found, "worker", late.stamp())
        return ""

    outcomes = await asyncio.gather(*(verb(swap) for swap in created for verb in (accept, expire)))
    accepted = outcomes[::2]
    assert set(accepted) <= {"COMPLETED", "400 INVALID_QUOTE"}
    for swap, outcome in zip(created, accepted, strict=True):
        status = (await swap_of(org, swap["id"])).status
        assert status == ("COMPLETED" if outcome == "COMPLETED" else "QUOTE_FAILED")
    settled = accepted.count("COMPLETED")
    assert await held(org, user) == str(100 - settled)
    await _check_books(org)


async def test_concurrent_swaps_in_both_directions_keep_the_ledger_consistent(
    pair: tuple[Tenant, Tenant],
) -> None:
    org = pair[0]
    ada, bob = await make_user(org, funds="20"), await make_user(org, funds="20")
    created = [
        (await org.post(SWAPS, swap_body(source, "1", destination={"userId": target})))[
            "transferDetails"
        ]
        for _ in range(10)
        for source, target in ((ada, bob), (bob, ada))
    ]
    answers = await asyncio.gather(
        *(
            pair[index % 2].send("POST", f"{SWAPS}/{swap['id']}/accept")
            for index, swap in enumerate(created)
        )
    )
    assert {_outcome(answer) for answer in answers} == {"COMPLETED"}
    assert [await held(org, each) for each in (ada, bob)] == ["10", "10"]
    assert [await held(org, each, "usdt") for each in (ada, bob)] == ["9.99", "9.99"]
    await _check_books(org)


async def test_two_workers_carry_a_swap_to_an_outside_address_once(
    pair: tuple[Tenant, Tenant],
) -> None:
    org = pair[0]
    user = await make_user(org, funds="20")
    bodies = [swap_body(user, "1", destination={"walletAddress": OUTSIDE}) for _ in range(10)]
    created = [(await org.post(SWAPS, body))["transferDetails"] for body in bodies]

    async def accept(index: int, swap: dict[str, Any]) -> str:
        return _outcome(await pair[index % 2].send("POST", f"{SWAPS}/{swap['id']}/accept"))

    async def work(of: Tenant) -> None:
        for _ in range(4):
            await of.container.scheduler.run_all({of.org_id: timedelta()})

    accepted = [accept(index, swap) for swap in created for index in range(2)]
    await asyncio.gather(*accepted, *(work(each) for each in pair for _ in range(2)))
    await work(org)
    statuses = {(await swap_of(org, swap["id"])).status for swap in created}
    assert statuses == {SwapStatus.COMPLETED}
    assert await held(org, user) == "10"
    sent = await carried(org.container.database, org.org_id, "transfer")
    assert sent == {"usdc:POLYGON": 10_000_000, "usdt:POLYGON": 9_990_000}
    await _check_books(org)


async def test_many_creations_with_one_request_id_make_one_user(
    pair: tuple[Tenant, Tenant],
) -> None:
    org = pair[0]
    body = individual(await make_agreement(org), requestId=str(uuid4()))
    answers = await asyncio.gather(
        *(pair[index % 2].send("POST", "/v2/users", body) for index in range(20))
    )
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert (await org.get("/v2/users"))["count"] == 1


async def test_concurrently_created_users_have_distinct_addresses(
    pair: tuple[Tenant, Tenant],
) -> None:
    created = await asyncio.gather(*(make_user(pair[index % 2]) for index in range(10)))
    addresses = {
        (await pair[0].get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"]["POLYGON"]["address"]
        for user in created
    }
    assert len(addresses) == 10


def _through(org: Tenant, container: Container, client: httpx2.AsyncClient) -> Tenant:
    return Tenant(container, client, org.caller, org.key)


def _outcome(answer: httpx2.Response) -> str:
    if answer.status_code == 200:
        return str(answer.json()["transferDetails"]["status"])
    return refusal(answer)


async def _check_books(org: Tenant) -> None:
    audited = await audit(org.container.database, TRANSITIONS, AUDIT_RULES, org_id=org.org_id)
    assert audited.is_clean, table(audited)
