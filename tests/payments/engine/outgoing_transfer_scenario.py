"""Transfers and batches between two users, which differ only in their requests."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.app.container import AUDIT_RULES, TRANSITIONS, Container, wire
from landbridge.ledger.audit import audit, table
from landbridge.payments.approvals.model import Approval
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import Caller, MemberRole, SignedInMember
from landbridge.platform.orgs.clock_nodes import take_node
from tests.providers.simulation.faulty import FaultyChains
from tests.tenants import (
    BATCHES,
    SETTINGS,
    TRANSFERS,
    Tenant,
    batch_body,
    make_tenant,
    make_user,
    run_due,
    served,
    transfer_body,
)

KINDS = ("transfer", "batch")
COIN = 10**6


@dataclass
class OutgoingTransferScenario:
    """Organisation with a fixed clock and a chain with scripted faults."""

    kind: str
    org: Tenant
    clock: FrozenClock
    chains: FaultyChains
    ada: str
    bob: str

    @property
    def container(self) -> Container:
        return self.org.container

    @property
    def path(self) -> str:
        return TRANSFERS if self.kind == "transfer" else BATCHES

    def body(self, amount: str = "3", **changes: Any) -> dict[str, Any]:
        if self.kind == "transfer":
            return transfer_body(self.ada, self.bob, amount, **changes)
        return batch_body(self.ada, {"userId": self.bob, "amount": amount}, **changes)

    async def make(self, amount: str = "3", **changes: Any) -> str:
        """Create a payment and return its id; Ada has 10."""
        created = await self.org.post(self.path, self.body(amount, **changes))
        return created["transferDetails"]["id"]

    async def get(self, created: str) -> dict[str, Any]:
        return (await self.org.get(f"{self.path}/{created}"))["transferDetails"]

    async def status(self, created: str) -> str:
        return (await self.get(created))["status"]

    async def work(self, *, after: timedelta = timedelta(seconds=1)) -> None:
        """Run the worker once the clock has advanced."""
        self.clock.at += after
        await run_due(self.org)

    async def holds(self) -> tuple[int, int, int]:
        """Return Ada's available and held balance, and Bob's balance, in whole coins."""
        path = "/v2/users/{}/wallets/balance"
        ada, bob = [
            await self.org.get(path.format(user), chain="POLYGON", currency="usdc")
            for user in (self.ada, self.bob)
        ]
        free, all_of_it = int(ada["availableBalance"]), int(ada["balance"])
        return free // COIN, (all_of_it - free) // COIN, int(bob["balance"]) // COIN

    async def approval(self, created: str) -> Approval:
        (found,) = (await self.container.approvals.of(self.org.org_id, [UUID(created)])).values()
        return found

    def approver(self) -> Caller:
        """Return a key that may decide approvals."""
        return replace(self.org.caller, can_approve=True)

    def member(self, role: MemberRole = MemberRole.MEMBER) -> Caller:
        """Return a signed-in team member."""
        member = SignedInMember(UUID(int=7), role)
        return replace(self.org.caller, key_id=None, member=member, can_approve=True)

    async def changes(self, created: str) -> list[tuple[str, str]]:
        """Return the changes of a record."""
        rows = await self.container.database.rows(
            "select change_type, status_after from changes where org_id = $1 and object_id = $2"
            " order by seq",
            self.org.org_id,
            UUID(created),
        )
        return [(row["change_type"], row["status_after"]) for row in rows]

    async def carried(self) -> int:
        """Return how many orders the chain has accepted."""
        rows = await self.container.database.rows(
            "select count(*) as n from sandbox_orders where org_id = $1", self.org.org_id
        )
        return rows[0]["n"]

    async def check_books(self) -> None:
        audited = await audit(
            self.container.database, TRANSITIONS, AUDIT_RULES, org_id=self.org.org_id
        )
        assert audited.is_clean, table(audited)


@asynccontextmanager
async def open_scenario(kind: str, database: Database) -> AsyncGenerator[OutgoingTransferScenario]:
    """Yield the organisation; Ada has 10 usdc on POLYGON, Bob nothing."""
    clock = FrozenClock(datetime(2026, 3, 2, 12, tzinfo=UTC), node=await take_node(database))
    chains = FaultyChains(wire(SETTINGS, database, clock).chains)
    container = wire(SETTINGS, database, clock, chains=chains)
    async with served(container) as client:
        org = await make_tenant(container, client)
        ada, bob = await make_user(org, funds="10"), await make_user(org)
        yield OutgoingTransferScenario(kind, org, clock, chains, ada, bob)
