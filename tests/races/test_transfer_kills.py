"""A worker that dies with -9 between claim, call and record: every coin is sent once."""

import asyncio
import random
import time
from uuid import UUID

import pytest

from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.ledger.audit import audit, table
from landbridge.orgs.service import take_lane
from landbridge.wiring import AUDIT_RULES, MOVES, wire
from tests.races import clerk, sender
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

pytestmark = pytest.mark.slow

ROUNDS = 8
MANY = 40


async def test_wherever_the_worker_dies_each_is_sent_once(
    own_dsn: str, own_database: Database
) -> None:
    house = wire(SETTINGS, own_database, Clock(await take_lane(own_database)))
    async with served(house) as client:
        org = await make_tenant(house, client)
        ada, bob = await make_user(org, funds="10"), await make_user(org)
        made = [
            (await make_transfer(org, ada, bob, 1))["id"],
            (await make_batch(org, ada, {"userId": bob, "amount": "2"}))["id"],
        ]
        for place, carried in ((sender.BEFORE, 0), (sender.AFTER, 2), (sender.BEFORE, 2)):
            worker = clerk.hire(sender.send_due, own_dsn, place)
            for _ in made:
                worker.wait_until_started()  # both have reached the place
            worker.kill()
            assert {await _status(org, each) for each in made} == {"INITIATED"}
            assert await _carried(org) == carried
            assert await held(org, bob) == "0"
        await run_due(org)
        assert {await _status(org, each) for each in made} == {"COMPLETED"}
        assert await _carried(org) == 2
        assert (await held(org, ada), await held(org, bob)) == ("7", "3")
        await _check_books(org)


async def test_killed_again_and_again_everything_is_sent_once(
    own_dsn: str, own_database: Database
) -> None:
    house = wire(SETTINGS, own_database, Clock(await take_lane(own_database)))
    dice = random.Random(0)  # noqa: S311  a repeatable story
    async with served(house) as client:
        org = await make_tenant(house, client)
        ada, bob = await make_user(org, funds=str(ROUNDS * MANY)), await make_user(org)
        for _ in range(ROUNDS):
            await asyncio.gather(*(make_transfer(org, ada, bob, 1) for _ in range(MANY)))
            worker = clerk.hire(sender.send_due, own_dsn, None)
            worker.wait_until_started()
            time.sleep(dice.uniform(0, 0.2))  # noqa: ASYNC251  nothing else runs here
            worker.kill()
            await _check_books(org)
        await run_due(org)
        assert await _carried(org) == ROUNDS * MANY
        assert (await held(org, ada), await held(org, bob)) == ("0", str(ROUNDS * MANY))
        rows = await own_database.rows(
            "select status, count(*) as n from transfers where kind = 'WALLET.TRANSFER'"
            " group by status"
        )
        assert {row["status"]: row["n"] for row in rows} == {"COMPLETED": ROUNDS * MANY}
        await _check_books(org)


async def _status(org: Tenant, made: str) -> str:
    record = await org.house.ledger.find(org.org_id, UUID(made))
    assert record is not None
    return record.status


async def _carried(org: Tenant) -> int:
    rows = await org.house.database.rows(
        "select count(*) as n from sandbox_operations where org_id = $1", org.org_id
    )
    return rows[0]["n"]


async def _check_books(org: Tenant) -> None:
    audited = await audit(org.house.database, MOVES, AUDIT_RULES, org_id=org.org_id)
    assert audited.is_clean, table(audited)
