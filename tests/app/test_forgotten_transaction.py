"""A transaction that wrote a change and stays open delays nothing but that change."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from uuid import UUID

from landbridge.ledger import house_account_store
from landbridge.ledger.house_accounts import house_balances, roll_up
from landbridge.ledger.model import HouseRole
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.reporting.proofs import store as proof_store
from tests.developers.webhooks.worker_steps import hook, receiving, running_dispatcher, until
from tests.tenants import Tenant, held, make_user

UNITS = 7_000_000
_ROLLED_UP = "select rolled_up_units from house_accounts where org_id = $1 and role = 'outside'"


@asynccontextmanager
async def forgotten_change(org: Tenant, dsn: str) -> AsyncGenerator[UUID]:
    """Hold open a transaction that has changed a user; yield the user's id, then commit."""
    database = await Database.connect(dsn, name="tests", size_max=1)
    user_id, has_written, may_commit = new_id(), asyncio.Event(), asyncio.Event()

    async def work(tx: Tx) -> None:
        await append_change(
            tx,
            org_id=org.org_id,
            object_id=user_id,
            seq=1,
            kind="USER",
            change_type="create",
            actor="cli",
            at=org.container.clock.now(),
        )
        has_written.set()
        await may_commit.wait()

    writing = asyncio.create_task(database.transact(work))
    await has_written.wait()
    try:
        yield user_id
    finally:
        may_commit.set()
        await writing
        await database.close()


async def test_money_events_and_webhooks_go_on(org: Tenant, dsn: str) -> None:
    async with receiving() as receiver:
        await hook(org, receiver, "USER.*")
        async with forgotten_change(org, dsn) as late, running_dispatcher(org):
            user = await make_user(org, funds="7")
            assert await held(org, user) == "7"
            listed = await org.get("/v2/events", limit=100)
            assert user in {each["objectId"] for each in listed["records"]}
            await until(lambda: "USER.CREATE" in receiver.of(user))
            assert not receiver.of(str(late))
        # Once it is committed, it is after what was read.
        rest = await org.get("/v2/events", limit=100, cursor=listed["nextCursor"])
        assert [each["objectId"] for each in rest["records"]] == [str(late)]


async def test_reports_house_accounts_and_proofs_go_on(org: Tenant, dsn: str) -> None:
    container, org_ids = org.container, [org.org_id]
    async with forgotten_change(org, dsn):
        await make_user(org, funds="7")
        await roll_up(container.database, org_ids)
        (row,) = await container.database.rows(_ROLLED_UP, org.org_id)
        assert row["rolled_up_units"] == -UNITS
        await container.rollup_updater.run_once({org.org_id: timedelta()})
        assert await container.rollup_updater.behind(org_ids) == 0
        await container.proofs.sequencer.run_once(org_ids)
        for find in (proof_store.find_behind, house_account_store.find_behind):
            assert await container.database.single(lambda tx, find=find: find(tx, org_ids)) == []
        balances = await house_balances(container.database, org.org_id)
        assert balances[HouseRole.OUTSIDE, "usdc:POLYGON"] == -UNITS
    # The late change is read by each of them afterwards.
    await container.rollup_updater.run_once({org.org_id: timedelta()})
    assert await container.rollup_updater.behind(org_ids) == 0
    await container.proofs.sequencer.run_once(org_ids)
    tree = await container.database.single(lambda tx: proof_store.find(tx, org.org_id))
    (count,) = await container.database.rows(
        "select count(*) from changes where org_id = $1", org.org_id
    )
    assert tree is not None
    assert tree.size == count["count"]
