"""A worker killed between claim, call and record: every coin is sent once."""

import asyncio
import random
import time
from uuid import UUID

import pytest

from landbridge.app.container import AUDIT_RULES, TRANSITIONS, wire
from landbridge.ledger.audit import audit, table
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.long import few_of
from tests.races import payment_worker, racing_processes
from tests.tenants import (
    SETTINGS,
    Tenant,
    held,
    make_batch,
    make_tenant,
    make_transfer,
    make_user,
    run_due,
    served,
)

pytestmark = pytest.mark.long

# Number of kills; the second in `make test-long`.
ROUNDS = few_of([2, 8])
MANY = 40


async def test_killed_worker_sends_each_transfer_once(own_dsn: str, own_database: Database) -> None:
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    async with served(container) as client:
        org = await make_tenant(container, client)
        ada, bob = await make_user(org, funds="10"), await make_user(org)
        created = [
            (await make_transfer(org, ada, bob, 1))["id"],
            (await make_batch(org, ada, {"userId": bob, "amount": "2"}))["id"],
        ]
        for point, carried in (
            (payment_worker.BEFORE, 0),
            (payment_worker.AFTER, 2),
            (payment_worker.BEFORE, 2),
        ):
            worker = racing_processes.start_process(payment_worker.send_due, own_dsn, point)
            for _ in created:
                worker.wait_until_started()  # both have reached the point
            worker.kill()
            assert {await _status(org, each) for each in created} == {"INITIATED"}
            assert await _carried(org) == carried
            assert await held(org, bob) == "0"
        await run_due(org)
        assert {await _status(org, each) for each in created} == {"COMPLETED"}
        assert await _carried(org) == 2
        assert (await held(org, ada), await held(org, bob)) == ("7", "3")
        await _check_books(org)


@pytest.mark.long
@pytest.mark.parametrize("rounds", ROUNDS)
async def test_repeatedly_killed_worker_sends_everything_once(
    own_dsn: str, own_database: Database, rounds: int
) -> None:
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    dice = random.Random(0)  # noqa: S311  a repeatable story
    async with served(container) as client:
        org = await make_tenant(container, client)
        ada, bob = await make_user(org, funds=str(rounds * MANY)), await make_user(org)
        for _ in range(rounds):
            await asyncio.gather(*(make_transfer(org, ada, bob, 1) for _ in range(MANY)))
            worker = racing_processes.start_process(payment_worker.send_due, own_dsn, None)
            worker.wait_until_started()
            time.sleep(dice.uniform(0, 0.2))  # noqa: ASYNC251  nothing else runs here
            worker.kill()
            await _check_books(org)
        await run_due(org)
        assert await _carried(org) == rounds * MANY
        assert (await held(org, ada), await held(org, bob)) == ("0", str(rounds * MANY))
        rows = await own_database.rows(
            "select status, count(*) as n from transfers where kind = 'WALLET.TRANSFER'"
            " group by status"
        )
        assert {row["status"]: row["n"] for row in rows} == {"COMPLETED": rounds * MANY}
        await _check_books(org)


async def _status(org: Tenant, created: str) -> str:
    record = await org.container.ledger.find(org.org_id, UUID(created))
    assert record is not None
    return record.status


async def _carried(org: Tenant) -> int:
    rows = await org.container.database.rows(
        "select count(*) as n from sandbox_orders where org_id = $1", org.org_id
    )
    return rows[0]["n"]


async def _check_books(org: Tenant) -> None:
    audited = await audit(org.container.database, TRANSITIONS, AUDIT_RULES, org_id=org.org_id)
    assert audited.is_clean, table(audited)
