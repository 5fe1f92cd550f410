"""Transfers and batches requested, sent and decided concurrently, through two processes."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx2
import pytest

from landbridge.app.container import AUDIT_RULES, TRANSITIONS, wire
from landbridge.app.container.coin_flows import coin_steps
from landbridge.ledger.audit import audit, table
from landbridge.ledger.model import Transfer
from landbridge.platform.core.clock import Clock, FrozenClock
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.tenants import (
    BATCHES,
    SETTINGS,
    TRANSFERS,
    Tenant,
    batch_body,
    held,
    make_transfer,
    make_user,
    refusal,
    run_due,
    served,
    transfer_body,
)

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


@pytest.mark.parametrize("kind", ["transfer", "batch"])
async def test_many_creates_with_one_request_id_make_one(
    pair: tuple[Tenant, Tenant], kind: str
) -> None:
    org = pair[0]
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    path, body = _payment_request(kind, ada, bob, "6")
    answers = await _all(*(pair[index % 2].send("POST", path, body) for index in range(MANY)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert (await org.get(path))["count"] == 1
    await run_due(org)
    assert (await held(org, ada), await held(org, bob)) == ("4", "6")
    await _check_books(org)


@pytest.mark.parametrize(("funds", "covered"), [("30", 30), ("7.5", 7), ("1", 1)])
async def test_transfers_are_limited_by_the_balance(
    pair: tuple[Tenant, Tenant], funds: str, covered: int
) -> None:
    org = pair[0]
    ada, bob = await make_user(org, funds=funds), await make_user(org)
    requests = [
        _payment_request(("transfer", "batch")[index // 2 % 2], ada, bob, "1")
        for index in range(MANY)
    ]
    answers = await _all(
        *(pair[index % 2].send("POST", *each) for index, each in enumerate(requests))
    )
    expected = {"CREATED": covered, "400 INSUFFICIENT_BALANCE": MANY - covered}
    outcomes = Counter(_outcome(answer) for answer in answers)
    assert outcomes == {name: count for name, count in expected.items() if count}
    await _all(*(run_due(each) for each in pair))
    assert await held(org, bob) == str(covered)
    await _check_books(org)


async def test_concurrent_transfers_in_both_directions_keep_the_ledger_consistent(
    pair: tuple[Tenant, Tenant],
) -> None:
    org = pair[0]
    ada, bob = await make_user(org, funds="20"), await make_user(org, funds="20")
    requests = [
        _payment_request("batch", *ends, "1")
        for _ in range(10)
        for ends in ((ada, bob), (bob, ada))
    ]
    working = asyncio.gather(*(run_due(each) for each in pair for _ in range(5)))
    await _all(*(pair[index % 2].send("POST", *each) for index, each in enumerate(requests)))
    await working
    await _all(*(run_due(each) for each in pair))
    assert [await held(org, each) for each in (ada, bob)] == ["20", "20"]
    assert await _statuses(org) == {"COMPLETED": 20}
    await _check_books(org)


async def test_two_workers_send_each_once(pair: tuple[Tenant, Tenant]) -> None:
    org = pair[0]
    ada, bob = await make_user(org, funds="20"), await make_user(org)
    created = [(await make_transfer(org, ada, bob))["id"] for _ in range(20)]
    records = await _all(*(_record(org, each) for each in created))
    steps = [
        coin_steps(each.container, each.container.swaps).by_kind["WALLET.TRANSFER"] for each in pair
    ]
    await _all(*(each.run(record, timedelta()) for record in records for each in steps))
    await run_due(org)
    assert await _statuses(org) == {"COMPLETED": 20}
    assert (await held(org, ada), await held(org, bob)) == ("0", "20")
    assert await _carried(org) == 20
    rows = await org.container.database.rows(
        "select object_id from changes where org_id = $1 and status_after = 'COMPLETED'"
        " and kind = 'WALLET.TRANSFER'",
        org.org_id,
    )
    assert len(rows) == len({row["object_id"] for row in rows}) == 20
    await _check_books(org)


async def test_only_one_of_approve_reject_and_expire_succeeds(
    still_org: Tenant, still_clock: FrozenClock, database_b: Database
) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="100"), await make_user(org)
    late = FrozenClock(still_clock.at, await take_node(database_b))
    late_container = wire(SETTINGS, database_b, late)
    created = [(await make_transfer(org, ada, bob, requireApproval=True))["id"] for _ in range(20)]
    found = await org.container.approvals.of(org.org_id, [UUID(each) for each in created])
    # One container's clock is just before the deadlines, the other's just after.
    still_clock.at += timedelta(weeks=1) - timedelta(milliseconds=10)
    late.at = still_clock.at + timedelta(seconds=10)
    key = replace(org.caller, can_approve=True)
    other = replace(key, key_id=UUID(int=9))

    async def approve(each: str) -> str:
        return await _decided(org.container.voting.approve(key, found[UUID(each)].id, None))

    async def reject(each: str) -> str:
        return await _decided(org.container.voting.reject(other, found[UUID(each)].id, None))

    async def expire(each: str) -> str:
        record = await _record(org, each)
        if record.status == "PENDING_APPROVAL":
            await (
                coin_steps(late_container, late_container.swaps)
                .by_kind[record.kind]
                .run(record, timedelta())
            )
        return ""

    verbs = (approve, reject, expire)
    outcomes = await _all(*(verb(each) for each in created for verb in verbs))
    for index, each in enumerate(created):
        status = (await _record(org, each)).status
        approved, rejected, _ = outcomes[3 * index : 3 * index + 3]
        # Every successful reply is true.
        assert (approved == "APPROVED") == (status == "CREATED"), (approved, rejected, status)
        assert (rejected == "REJECTED") == (status == "REJECTED"), (approved, rejected, status)
        decided = {"CREATED": "APPROVED"}.get(status, status)
        approval = await org.container.approvals.of(org.org_id, [UUID(each)])
        assert approval[UUID(each)].status == decided
    still_clock.at += timedelta(seconds=1)
    await run_due(org)
    sent = (await _statuses(org)).get("COMPLETED", 0)
    assert sent == outcomes[::3].count("APPROVED")
    assert (await held(org, ada), await held(org, bob)) == (str(100 - sent), str(sent))
    await _check_books(org)


async def test_late_freeze_either_stops_the_transfer_or_has_no_effect(
    pair: tuple[Tenant, Tenant],
) -> None:
    org = pair[0]
    bob = await make_user(org)
    for _ in range(10):
        ada = await make_user(org, funds="1")
        created = (await make_transfer(org, ada, bob))["id"]
        await _all(run_due(pair[1]), org.container.users.freeze(org.caller, UUID(ada), reason=None))
        await run_due(org)
        status = (await _record(org, created)).status
        assert status in {"COMPLETED", "NOT_INITIATED"}
        assert await held(org, ada) == ("0" if status == "COMPLETED" else "1")
    await _check_books(org)


async def _decided(vote: Any) -> str:
    try:
        return str((await vote).status)
    except ResourceConflict as error:
        return error.name


def _payment_request(
    kind: str, source: str, target: str, amount: str
) -> tuple[str, dict[str, Any]]:
    if kind == "transfer":
        return TRANSFERS, transfer_body(source, target, amount)
    return BATCHES, batch_body(source, {"userId": target, "amount": amount})


async def _all(*work: Any) -> list[Any]:
    return list(await asyncio.gather(*work))


def _outcome(answer: httpx2.Response) -> str:
    if answer.status_code == 200:
        return str(answer.json()["transferDetails"]["status"])
    return refusal(answer)


async def _record(org: Tenant, created: str) -> Transfer:
    found = await org.container.ledger.find(org.org_id, UUID(created))
    assert found is not None
    return found


async def _statuses(org: Tenant) -> Counter[str]:
    rows = await org.container.database.rows(
        "select status from transfers where org_id = $1 and kind like 'WALLET.TRANSFER%'",
        org.org_id,
    )
    return Counter(row["status"] for row in rows)


async def _carried(org: Tenant) -> int:
    rows = await org.container.database.rows(
        "select count(*) as n from sandbox_orders where org_id = $1", org.org_id
    )
    return rows[0]["n"]


async def _check_books(org: Tenant) -> None:
    audited = await audit(org.container.database, TRANSITIONS, AUDIT_RULES, org_id=org.org_id)
    assert audited.is_clean, table(audited)
