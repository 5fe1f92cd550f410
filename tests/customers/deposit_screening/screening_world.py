"""An organisation of the sandbox whose deposits are screened, and the team that decides."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from msgspec import structs

from landbridge.app.container import AUDIT_RULES, TRANSITIONS, wire
from landbridge.app.settings import Settings
from landbridge.ledger.audit import audit, table
from landbridge.ledger.house_accounts import house_balances
from landbridge.ledger.model import HouseRole
from landbridge.platform.core.clock import Clock, FrozenClock, ReadingClock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.payments.virtual_accounts.virtual_account_setup import (
    at,
    deposit_body,
    make_account,
    make_receiver,
)
from tests.resolution_team import ResolutionTeam, make_resolution_team
from tests.tenants import SETTINGS, Tenant, make_tenant, run_due, served

SCREENINGS = "/v2/reviews/deposit-screenings"
SCREENED = structs.replace(SETTINGS, deposit_screening="sandbox")


@dataclass(frozen=True)
class ScreenedOrg:
    """An organisation with a receiver of fiat, and its reviewers."""

    org: Tenant
    user: str
    account: str
    team: ResolutionTeam

    async def deposit(self, amount: str) -> None:
        """Let fiat arrive on the receiver's virtual account, and run the worker."""
        path = at(self.user, self.account, "simulate-deposit")
        await self.org.post(path, deposit_body(amount))
        await self.work()

    async def work(self) -> None:
        """Run the worker until nothing is due, a moment later."""
        await run_worker(self.org)

    async def screenings(self, **query: Any) -> list[dict[str, Any]]:
        """Return the screenings that wait, or those of the query."""
        return (await self.org.get(SCREENINGS, **query))["reviews"]

    async def suspended(self) -> Mapping[str, int]:
        """Return what is in suspense, by asset; without zeros."""
        found = await house_balances(self.org.container.database, self.org.org_id)
        return {
            asset: units
            for (role, asset), units in found.items()
            if role is HouseRole.SUSPENSE and units
        }

    async def deposit_statuses(self) -> list[str]:
        """Return the statuses of the incoming payments, in the order of arrival."""
        rows = await self.org.container.database.rows(
            "select status from incoming_payments where org_id = $1 order by received_at",
            self.org.org_id,
        )
        return [row["status"] for row in rows]

    async def check(self) -> None:
        """Audit the ledger."""
        container = self.org.container
        found = await audit(container.database, TRANSITIONS, AUDIT_RULES, org_id=self.org.org_id)
        assert found.is_clean, table(found)


async def run_worker(org: Tenant) -> None:
    """Run the worker for this organisation until nothing is due."""
    container = org.container
    offsets = {org.org_id: (await container.orgs.clock_offsets())[org.org_id]}
    is_done = False
    while not is_done:
        _wait_for_stamps(container.clock)
        await run_due(org)
        _wait_for_stamps(container.clock)
        is_done = not await container.incoming_payment_steps.run_all(offsets)


def _wait_for_stamps(clock: Clock) -> None:
    """Move a frozen clock past its stamps, which run ahead of it: a step is due at one."""
    if isinstance(clock, FrozenClock):
        clock.at += timedelta(seconds=1)


@asynccontextmanager
async def screened_org(
    database: Database, settings: Settings = SCREENED
) -> AsyncGenerator[ScreenedOrg]:
    """Yield an organisation with screened deposits."""
    clock = FrozenClock(ReadingClock().now(), node=await take_node(database))
    container = wire(settings, database, clock)
    async with served(container) as client:
        yield await make_screened(await make_tenant(container, client), clock)
    if container.providers is not None:
        await container.providers.close()


async def make_screened(org: Tenant, clock: FrozenClock) -> ScreenedOrg:
    """Return a receiver of fiat of this organisation, and its reviewers."""
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]

    async def work() -> None:
        await run_worker(org)

    team = await make_resolution_team(org, clock, work)
    return ScreenedOrg(org, user, account, team)
