"""Approval policy on the command line."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import TypeVar
from uuid import UUID

from click.testing import CliRunner, Result

from landbridge.app.container import wire
from landbridge.payments.approvals.commands import approvals
from landbridge.payments.approvals.model import ApprovalPolicy
from landbridge.payments.approvals.service import Approvals
from landbridge.platform.cli_context import CommandContext, CommandTarget
from landbridge.platform.core.clock import ReadingClock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from tests.app.processes.server_process import landbridge
from tests.make import CLOCK, make_org
from tests.tenants import SETTINGS

T = TypeVar("T")
USUAL = "1 vote approves a payment; a key may decide on its own requests."
CHANGED = "2 votes approve a payment; a key may not decide on its own requests."


def test_a_policy_is_shown_and_changed(own_dsn: str) -> None:
    org_id = new_id()

    async def with_approvals(work: Callable[[Approvals, UUID], Awaitable[T]]) -> T:
        database = await Database.connect(own_dsn, name="tests", size_max=1)
        try:
            return await work(wire(SETTINGS, database, CLOCK).approvals, org_id)
        finally:
            await database.close()

    def run_in_container(
        target: CommandTarget,
        run: Callable[[CommandContext[Approvals]], Awaitable[T]],
        *,
        writes: bool,
    ) -> T:
        # A read-only command takes no clock node.
        clock = CLOCK if writes else ReadingClock()

        async def work(service: Approvals, org_id: UUID) -> T:
            context = CommandContext(
                verbs=service, org_id=org_id, clock=clock, clock_offset=timedelta()
            )
            return await run(context)

        return asyncio.run(with_approvals(work))

    def policy(*args: str) -> Result:
        return CliRunner().invoke(approvals(run_in_container), ["policy", *args])

    async def begin() -> None:
        nonlocal org_id
        database = await Database.connect(own_dsn, name="tests", size_max=1)
        org_id = await make_org(database)
        await database.close()

    asyncio.run(begin())
    assert policy().output.strip() == USUAL
    assert policy("--threshold", "2", "--second-approver").output.strip() == CHANGED
    # Omitted options keep their values.
    assert policy("--no-second-approver").output.startswith("2 votes approve a payment; a key may ")
    assert policy("--second-approver").output.strip() == CHANGED
    assert policy().output.strip() == CHANGED
    policies = asyncio.run(with_approvals(lambda service, org_id: service.policy(org_id)))
    assert policies == ApprovalPolicy(threshold=2, needs_second=True)
    for threshold in ("0", "21", "x"):
        assert policy("--threshold", threshold).exit_code == 2


async def test_the_command_is_there(own_dsn: str, own_database: Database, tmp_path: Path) -> None:
    org_id = await make_org(own_database)
    args = ("approvals", "policy", "--threshold", "2", "--second-approver", "--org", str(org_id))
    done = await asyncio.to_thread(landbridge, *args, database_url=own_dsn, data_dir=str(tmp_path))
    assert (done.returncode, done.stdout.strip()) == (0, CHANGED)
    (row,) = await own_database.rows(
        "select actor, org_id from changes where kind = 'APPROVAL.POLICY'"
    )
    assert (row["actor"], row["org_id"]) == ("cli", org_id)
