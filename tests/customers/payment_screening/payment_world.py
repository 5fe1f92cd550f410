"""A sandbox organisation with screened payments to outside, and those who decide."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from msgspec import structs

from landbridge.app.container import Container, wire
from landbridge.app.settings import Settings
from landbridge.platform.core.clock import FrozenClock, ReadingClock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.port import ChainAction
from landbridge.providers.trp.port import OtherVasps
from tests.payouts import check_books, make_payee
from tests.providers.simulation.faulty import FaultyChains, FaultyRails
from tests.resolution_team import ResolutionTeam, make_resolution_team
from tests.tenants import (
    SETTINGS,
    TRANSFERS,
    Tenant,
    make_tenant,
    register,
    run_due,
    served,
    transfer_body,
)

SCREENINGS = "/v2/reviews/payment-screenings"
SCREENED = structs.replace(SETTINGS, payment_screening="sandbox")
OUTSIDE = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"


@dataclass(frozen=True)
class PaymentWorld:
    """Ada, who is verified, with 1000 usdc on POLYGON and a registered address outside."""

    org: Tenant
    ada: str
    clock: FrozenClock
    chains: FaultyChains
    rails: FaultyRails
    team: ResolutionTeam

    @property
    def container(self) -> Container:
        return self.org.container

    async def work(self, **passed: float) -> None:
        """Run the worker until nothing is due, after this much time (seconds=1)."""
        self.clock.at += timedelta(**passed or {"seconds": 1})
        await run_due(self.org)

    async def settle(self) -> None:
        """Let all that was sent arrive."""
        for _ in range(8):
            await self.work(minutes=20)

    async def send(self, amount: str) -> str:
        """Create a transfer to the address outside; return its id."""
        body = transfer_body(self.ada, {"walletAddress": OUTSIDE}, amount)
        return str((await self.org.post(TRANSFERS, body))["transferDetails"]["id"])

    async def transfer(self, amount: str = "10.66") -> str:
        """Create a transfer to the address outside, and run the worker; return its id."""
        created = await self.send(amount)
        await self.work()
        return created

    async def transfer_status(self, created: str) -> str:
        return str((await self.org.get(f"{TRANSFERS}/{created}"))["transferDetails"]["status"])

    async def screenings(self, **query: Any) -> list[dict[str, Any]]:
        """Return the screenings that wait, or those of the query."""
        return (await self.org.get(SCREENINGS, **query))["reviews"]

    async def decide(self, action: str) -> str:
        """Have two people decide about the only held payment; return the resolution's status."""
        (screening,) = await self.screenings(status="HELD")
        done = await self.team.resolve(screening["id"], action)
        return str(done["status"])

    def sent_to(self, address: str = OUTSIDE) -> int:
        """Return how many orders with coins for this address the chain has got, by key."""
        return len(
            {
                each.key
                for each in self.chains.orders
                if each.action is not ChainAction.APPROVE
                and any(leg.address == address for leg in each.legs)
            }
        )

    async def check(self) -> None:
        """Audit the ledger."""
        await check_books(self.org)


@asynccontextmanager
async def payment_world(
    database: Database, settings: Settings = SCREENED, vasps: OtherVasps | None = None
) -> AsyncGenerator[PaymentWorld]:
    """Yield an organisation with screened payments."""
    clock = FrozenClock(ReadingClock().now(), node=await take_node(database))
    # Those of the sandbox, without what screens payments before them.
    own = wire(SETTINGS, database, clock)
    chains, rails = FaultyChains(own.chains), FaultyRails(own.rails)
    container = wire(settings, database, clock, chains=chains, rails=rails, vasps=vasps)
    async with served(container) as client:
        org = await make_tenant(container, client)
        ada = await make_payee(org)
        await register(org, ada, OUTSIDE)

        async def work() -> None:
            clock.at += timedelta(seconds=1)
            await run_due(org)

        team = await make_resolution_team(org, clock, work)
        yield PaymentWorld(org, ada, clock, chains, rails, team)
    if container.providers is not None:
        await container.providers.close()
