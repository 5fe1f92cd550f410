"""Bridges whose chains fail as they are told, in an organisation whose time stands still."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.approvals.model import Approval
from landbridge.chains.tokens import ASSETS
from landbridge.core.clock import FrozenClock
from landbridge.core.errors import Broken
from landbridge.db.pool import Database
from landbridge.flows.bridges.model import Bridge
from landbridge.ledger.audit import audit, table
from landbridge.ledger.house import house_balance
from landbridge.ledger.model import Role
from landbridge.orgs.service import take_lane
from landbridge.simulation.model import Part
from landbridge.web.caller import Caller, Member
from landbridge.web.caller import Role as MemberRole
from landbridge.wiring import AUDIT_RULES, MOVES, House, wire
from tests.simulation.faulty import FaultyChains
from tests.simulation.outside import orders
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
class Play:
    """Ada has 10 usdc on POLYGON, Bob nothing; both have wallets everywhere."""

    org: Tenant
    clock: FrozenClock
    chains: FaultyChains
    ada: str
    bob: str

    @property
    def house(self) -> House:
        return self.org.house

    async def make(self, amount: Any = 3, **changes: Any) -> str:
        """The id of a bridge to Bob on BASE."""
        changes.setdefault("destination", {"userId": self.bob})
        made = await self.org.post(BRIDGES, bridge_body(self.ada, amount, **changes))
        return made["transferDetails"]["id"]

    async def accept(self, made: str) -> dict[str, Any]:
        return (await self.org.post(f"{BRIDGES}/{made}/accept"))["transferDetails"]

    async def accepted(self, amount: Any = 3, **changes: Any) -> str:
        made = await self.make(amount, **changes)
        await self.accept(made)
        return made

    async def get(self, made: str) -> dict[str, Any]:
        return (await self.org.get(f"{BRIDGES}/{made}"))["transferDetails"]

    async def status(self, made: str) -> str:
        return (await self.get(made))["status"]

    async def bridge(self, made: str) -> Bridge:
        return await self.house.bridges.get(self.org.org_id, UUID(made))

    async def work(self, *, after: timedelta = timedelta(seconds=1)) -> None:
        """What the worker does by then."""
        self.clock.at += after
        await run_due(self.org)

    async def holds(self) -> tuple[str, str, str]:
        """What Ada can spend on POLYGON, what is held of hers there, and what Bob has on BASE."""
        path = "/v2/users/{}/wallets/balance"
        ada = await self.org.get(path.format(self.ada), chain="POLYGON", currency="usdc")
        bob = await self.org.get(path.format(self.bob), chain="BASE", currency="usdc")
        held = int(ada["balance"]) - int(ada["availableBalance"])
        return _coins(ada["availableBalance"]), _coins(held), bob["displayBalance"]

    async def in_transit(self) -> dict[str, str]:
        """What the house has in transit, of assets that it has any of."""
        found = {
            code: await house_balance(self.house.database, self.org.org_id, Role.IN_TRANSIT, asset)
            for code, asset in ASSETS.items()
        }
        return {code: str(money) for code, money in found.items() if money.units}

    async def carried(self) -> list[tuple[str, str, str]]:
        """What the chains were made to do: action, chain and to whom."""
        found = await orders(self.house.database, self.org.org_id, Part.CHAIN)
        return [
            (str(each["action"]), str(each["chain"]), str(each["legs"][0]["address"]))  # type: ignore[index]
            for each in found.values()
        ]

    async def address(self, user: str, chain: str) -> str:
        found = await self.org.get(f"/v2/users/{user}")
        return found["wallets"]["INDIVIDUAL"][chain]["address"]

    async def approval(self, made: str) -> Approval:
        (found,) = (await self.house.approvals.of(self.org.org_id, [UUID(made)])).values()
        return found

    async def decide(self, made: str, *, yes: bool) -> None:
        """As a key that may decide."""
        voting, approver = self.house.voting, replace(self.org.caller, can_approve=True)
        vote = voting.approve if yes else voting.reject
        await vote(approver, (await self.approval(made)).id, None)

    def member(self, role: MemberRole = MemberRole.MEMBER) -> Caller:
        """A person who signed in."""
        return replace(self.org.caller, key_id=None, member=Member(UUID(int=7), role))

    async def told(self, made: str) -> list[tuple[str, str]]:
        """What the change log says of it."""
        rows = await self.house.database.rows(
            "select what, status_after from changes where org_id = $1 and object_id = $2"
            " order by seq",
            self.org.org_id,
            UUID(made),
        )
        return [(row["what"], row["status_after"]) for row in rows]

    async def check_books(self, *, is_over: bool = True) -> None:
        audited = await audit(self.house.database, MOVES, AUDIT_RULES, org_id=self.org.org_id)
        assert audited.is_clean, table(audited)
        if is_over:
            assert await self.in_transit() == {}
            (row,) = await self.house.database.rows(
                "select sum(held) as held from accounts where org_id = $1", self.org.org_id
            )
            assert row["held"] == 0


def _coins(units: str | int) -> str:
    whole, part = divmod(int(units), 10**6)
    if part:
        raise Broken("tests bridge whole coins")
    return str(whole)


@asynccontextmanager
async def playing(database: Database) -> AsyncGenerator[Play]:
    clock = FrozenClock(datetime(2026, 3, 2, 12, tzinfo=UTC), lane=await take_lane(database))
    chains = FaultyChains(wire(SETTINGS, database, clock).chains)
    house = wire(SETTINGS, database, clock, chains=chains)
    async with served(house) as client:
        org = await make_tenant(house, client)
        ada = await make_user(org, funds="10", chains=CHAINS)
        yield Play(org, clock, chains, ada, await make_user(org, chains=CHAINS))
