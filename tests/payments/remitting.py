"""Transfers and batches of a user to another, told apart only by how they are asked for."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.approvals.model import Approval
from landbridge.core.clock import FrozenClock
from landbridge.db.pool import Database
from landbridge.ledger.audit import audit, table
from landbridge.orgs.service import take_lane
from landbridge.web.caller import Caller, Member, Role
from landbridge.wiring import AUDIT_RULES, MOVES, House, wire
from tests.simulation.faulty import FaultyChains
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
class Play:
    """An organisation whose time stands still and whose chain fails as it is told."""

    kind: str
    org: Tenant
    clock: FrozenClock
    chains: FaultyChains
    ada: str
    bob: str

    @property
    def house(self) -> House:
        return self.org.house

    @property
    def path(self) -> str:
        return TRANSFERS if self.kind == "transfer" else BATCHES

    def body(self, amount: str = "3", **changes: Any) -> dict[str, Any]:
        if self.kind == "transfer":
            return transfer_body(self.ada, self.bob, amount, **changes)
        return batch_body(self.ada, {"userId": self.bob, "amount": amount}, **changes)

    async def make(self, amount: str = "3", **changes: Any) -> str:
        """The id of one that was asked for; Ada has 10."""
        made = await self.org.post(self.path, self.body(amount, **changes))
        return made["transferDetails"]["id"]

    async def get(self, made: str) -> dict[str, Any]:
        return (await self.org.get(f"{self.path}/{made}"))["transferDetails"]

    async def status(self, made: str) -> str:
        return (await self.get(made))["status"]

    async def work(self, *, after: timedelta = timedelta(seconds=1)) -> None:
        """What the worker does by then."""
        self.clock.at += after
        await run_due(self.org)

    async def holds(self) -> tuple[int, int, int]:
        """What Ada can spend, what is held of hers, and what Bob has, in whole coins."""
        path = "/v2/users/{}/wallets/balance"
        ada, bob = [
            await self.org.get(path.format(user), chain="POLYGON", currency="usdc")
            for user in (self.ada, self.bob)
        ]
        free, all_of_it = int(ada["availableBalance"]), int(ada["balance"])
        return free // COIN, (all_of_it - free) // COIN, int(bob["balance"]) // COIN

    async def approval(self, made: str) -> Approval:
        (found,) = (await self.house.approvals.of(self.org.org_id, [UUID(made)])).values()
        return found

    def approver(self) -> Caller:
        """A key that may decide."""
        return replace(self.org.caller, can_approve=True)

    def member(self, role: Role = Role.MEMBER) -> Caller:
        """A person who signed in."""
        member = Member(UUID(int=7), role)
        return replace(self.org.caller, key_id=None, member=member, can_approve=True)

    async def told(self, made: str) -> list[tuple[str, str]]:
        """What the change log says of it."""
        rows = await self.house.database.rows(
            "select what, status_after from changes where org_id = $1 and object_id = $2"
            " order by seq",
            self.org.org_id,
            UUID(made),
        )
        return [(row["what"], row["status_after"]) for row in rows]

    async def carried(self) -> int:
        """How many orders the chain has taken."""
        rows = await self.house.database.rows(
            "select count(*) as n from sandbox_operations where org_id = $1", self.org.org_id
        )
        return rows[0]["n"]

    async def check_books(self) -> None:
        audited = await audit(self.house.database, MOVES, AUDIT_RULES, org_id=self.org.org_id)
        assert audited.is_clean, table(audited)


@asynccontextmanager
async def playing(kind: str, database: Database) -> AsyncGenerator[Play]:
    """Ada has 10 usdc on POLYGON, Bob nothing."""
    clock = FrozenClock(datetime(2026, 3, 2, 12, tzinfo=UTC), lane=await take_lane(database))
    chains = FaultyChains(wire(SETTINGS, database, clock).chains)
    house = wire(SETTINGS, database, clock, chains=chains)
    async with served(house) as client:
        org = await make_tenant(house, client)
        ada, bob = await make_user(org, funds="10"), await make_user(org)
        yield Play(kind, org, clock, chains, ada, bob)
