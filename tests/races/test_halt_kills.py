"""Halts imposed while workers send and are killed: nothing leaves, and later each coin once."""

import asyncio
import random

import pytest

from landbridge.app.container import AUDIT_RULES, TRANSITIONS, wire
from landbridge.ledger.audit import audit, table
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.long import few_of
from tests.races import payment_worker, racing_processes
from tests.reporting.reconciliation.compared import HALTS, compared, halting, opened_user
from tests.reporting.reconciliation.halted_payments import (
    create_transfer,
    go_on,
    lift,
    transfer_status,
)
from tests.tenants import SETTINGS, Tenant, make_tenant, served

pytestmark = pytest.mark.long

_MANY = 25
# What a worker had sent by then may arrive after the halt.
_IN_FLIGHT_S = 1.0
_LOSE = """
update recon_positions set ledger_units = ledger_units + 5000000
where org_id = $1 and source = 'POLYGON' and asset = 'usdc:POLYGON'
"""


@pytest.mark.parametrize("seed", few_of([0, 1]))
async def test_a_halt_amid_killed_workers_stops_all_and_loses_none(
    own_dsn: str, own_database: Database, seed: int
) -> None:
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    dice = random.Random(seed)  # noqa: S311  a repeatable story
    async with served(container) as client:
        org = await make_tenant(container, client)
        user = await opened_user(org, str(2 * _MANY))
        await own_database.rows(_LOSE, org.org_id)
        await compared(org, halting(org))
        created = [await create_transfer(org, user) for _ in range(_MANY)]
        workers = [_worker(own_dsn) for _ in range(2)]
        await asyncio.sleep(dice.uniform(0, 0.5))
        await compared(org, halting(org))
        (halt,) = (await org.get(f"{HALTS}?status=HALTED"))["halts"]
        await asyncio.sleep(_IN_FLIGHT_S)
        before = await _sent(org)
        for _ in range(4):
            dice.choice(workers).kill()
            await _due_now(org)
            workers.append(_worker(own_dsn))
            await asyncio.sleep(dice.uniform(0.2, 0.8))
        assert await _sent(org) == before
        await lift(org, str(halt["id"]))
        workers[-1].kill()
        await go_on(org)
        for worker in workers:
            worker.kill()
        await go_on(org)
        assert {await transfer_status(org, each) for each in created} == {"COMPLETED"}
        after = await _sent(org)
        assert len(after) == len(set(after)) == _MANY
        audited = await audit(own_database, TRANSITIONS, AUDIT_RULES, org_id=org.org_id)
        assert audited.is_clean, table(audited)


def _worker(dsn: str) -> racing_processes.RacingProcess:
    worker = racing_processes.start_process(payment_worker.send_due, dsn, None)
    worker.wait_until_started()
    return worker


async def _due_now(org: Tenant) -> None:
    """Let workers look at all that waits, instead of after some seconds."""
    await org.container.database.rows(
        "update transfers set due_at = now() where org_id = $1 and due_at is not null", org.org_id
    )


async def _sent(org: Tenant) -> list[str]:
    rows = await org.container.database.rows(
        "select key from sandbox_orders where org_id = $1 order by key", org.org_id
    )
    return [str(row["key"]) for row in rows]
