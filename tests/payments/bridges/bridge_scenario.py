"""Bridges on chains with scripted faults, in an organisation with a fixed clock."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.app.container import AUDIT_RULES, TRANSITIONS, Container, wire
from landbridge.ledger.audit import audit, table
from landbridge.ledger.model import HouseRole
from landbridge.payments.approvals.model import Approval
from landbridge.payments.bridges.model import Bridge
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import Caller, MemberRole, SignedInMember
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.tokens import ASSETS
from landbridge.providers.simulation.model import SimulatedSystem
from tests.house_accounts import house_balance
from tests.providers.simulation.external_state import orders
from tests.providers.simulation.faulty import FaultyChains
from tests.tenants import (
    BRIDGES,
    SETTINGS,
    Tenant,
    bridge_body,
    make_tenant,
    make_user,
    run_due,
    served,
)

CHAINS = ["POLYGON", "ETHEREUM", "BASE", "SOLANA"]
ANOTHER = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


@dataclass
class BridgeScenario:
    """Ada with 10 usdc on POLYGON and Bob with nothing; both have wallets on every chain."""

    org: Tenant
    clock: FrozenClock
    chains: FaultyChains
    ada: str
    bob: str

    @property
    def container(self) -> Container:
        return self.org.container

    async def make(self, amount: Any = 3, **changes: Any) -> str:
        """Create a bridge to Bob on BASE and return its id."""
        changes.setdefault("destination", {"userId": self.bob})
        created = await self.org.post(BRIDGES, bridge_body(self.ada, amount, **changes))
        return created["transferDetails"]["id"]

    async def accept(self, created: str) -> dict[str, Any]:
        return (await self.org.post(f"{BRIDGES}/{created}/accept"))["transferDetails"]

    async def accepted(self, amount: Any = 3, **changes: Any) -> str:
        created = await self.make(amount, **changes)
        await self.accept(created)
        return created

    async def get(self, created: str) -> dict[str, Any]:
        return (await self.org.get(f"{BRIDGES}/{created}"))["transferDetails"]

    async def status(self, created: str) -> str:
        return (await self.get(created))["status"]

    async def bridge(self, created: str) -> Bridge:
        return await self.container.bridges.get(self.org.org_id, UUID(created))

    async def work(self, *, after: timedelta = timedelta(seconds=1)) -> None:
        """Run the worker once the clock has advanced."""
        self.clock.at += after
        await run_due(self.org)

    async def holds(self) -> tuple[str, str, str]:
        """Return Ada's available and held balance on POLYGON, and Bob's balance on BASE."""
        path = "/v2/users/{}/wallets/balance"
        ada = await self.org.get(path.format(self.ada), chain="POLYGON", currency="usdc")
        bob = await self.org.get(path.format(self.bob), chain="BASE", currency="usdc")
        held = int(ada["balance"]) - int(ada["availableBalance"])
        return _coins(ada["availableBalance"]), _coins(held), bob["displayBalance"]

    async def in_transit(self) -> dict[str, str]:
        """Return the money in transit, by asset."""
        found = {
            code: await house_balance(
                self.container.database, self.org.org_id, HouseRole.IN_TRANSIT, asset
            )
            for code, asset in ASSETS.items()
        }
        return {code: str(money) for code, money in found.items() if money.units}

    async def carried(self) -> list[tuple[str, str, str]]:
        """Return the executed chain orders: action, chain and recipient."""
        found = await orders(self.container.database, self.org.org_id, SimulatedSystem.CHAIN)
        return [
            (str(each["action"]), str(each["chain"]), str(each["legs"][0]["address"]))  # type: ignore[index]
            for each in found.values()
        ]

    async def address(self, user: str, chain: str) -> str:
        found = await self.org.get(f"/v2/users/{user}")
        return found["wallets"]["INDIVIDUAL"][chain]["address"]

    async def approval(self, created: str) -> Approval:
        (found,) = (await self.container.approvals.of(self.org.org_id, [UUID(created)])).values()
        return found

    async def decide(self, created: str, *, yes: bool) -> None:
        """Decide its approval, with a key that may."""
        voting, approver = self.container.voting, replace(self.org.caller, can_approve=True)
        vote = voting.approve if yes else voting.reject
        await vote(approver, (await self.approval(created)).id, None)

    def member(self, role: MemberRole = MemberRole.MEMBER) -> Caller:
        """Return a signed-in team member."""
        return replace(self.org.caller, key_id=None, member=SignedInMember(UUID(int=7), role))

    async def changes(self, created: str) -> list[tuple[str, str]]:
        """Return the changes of a record."""
        rows = await self.container.database.rows(
            "select change_type, status_after from changes where org_id = $1 and object_id = $2"
            " order by seq",
            self.org.org_id,
            UUID(created),
        )
        return [(row["change_type"], row["status_after"]) for row in rows]

    async def check_books(self, *, is_over: bool = True) -> None:
        audited = await audit(
            self.container.database, TRANSITIONS, AUDIT_RULES, org_id=self.org.org_id
        )
        assert audited.is_clean, table(audited)
        if is_over:
            assert await self.in_transit() == {}
            (row,) = await self.container.database.rows(
                "select sum(held) as held from accounts where org_id = $1", self.org.org_id
            )
            assert row["held"] == 0


def _coins(units: str | int) -> str:
    whole, part = divmod(int(units), 10**6)
    if part:
        raise InvariantBroken("tests bridge whole coins")
    return str(whole)


@asynccontextmanager
async def open_scenario(database: Database) -> AsyncGenerator[BridgeScenario]:
    clock = FrozenClock(datetime(2026, 3, 2, 12, tzinfo=UTC), node=await take_node(database))
    chains = FaultyChains(wire(SETTINGS, database, clock).chains)
    container = wire(SETTINGS, database, clock, chains=chains)
    async with served(container) as client:
        org = await make_tenant(container, client)
        ada = await make_user(org, funds="10", chains=CHAINS)
        yield BridgeScenario(org, clock, chains, ada, await make_user(org, chains=CHAINS))
