"""A sandbox with one of everything that a restore has to bring back, and what is seen of it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from landbridge.cli import commands
from landbridge.core.clock import Clock
from landbridge.core.errors import LandbridgeError
from landbridge.db.pool import Database
from landbridge.ledger.audit import audit, table
from landbridge.ledger.house import house_balances, roll_up, roll_up_step
from landbridge.orgs.service import take_lane
from landbridge.wiring import AUDIT_RULES, MOVES, wire
from tests.onramps import deposit, make_onramp, make_payer
from tests.onramps import settle as settle_onramps
from tests.reporting.rollups.test_sums import is_folded
from tests.settled import settled
from tests.tenants import (
    SETTINGS,
    Status,
    Tenant,
    held,
    make_swap,
    make_tenant,
    make_transfer,
    make_user,
    run_due,
    served,
)
from tests.webhooks.carrying import Receiver, hook, posting, until

EVENTS = "/v2/events"
MASTER_KEY = SETTINGS.master_key or ""


@dataclass(frozen=True)
class World:
    """An organisation with users, and an endpoint that was told of a part of what happened."""

    org: Tenant
    users: list[str]
    endpoint: str
    # A cursor of the events, in the middle of the log.
    cursor: str
    # Who came to the endpoint before, by event.
    delivered: list[str]

    async def seen(self) -> dict[str, Any]:
        """What customers and operators see of it."""
        database = self.org.house.database
        await settled(database)
        return {
            "balances": [
                await held(self.org, user, currency)
                for user in self.users
                for currency in ("usdc", "usdt")
            ],
            "house": await house_balances(database, self.org.org_id),
            "events": await self.events(),
            "swaps": await self.org.get("/v2/wallets/swaps", limit=100),
            "transactions": await self.org.get("/v2/transactions", limit=100),
        }

    async def events(self, **query: str | int) -> list[Any]:
        """All events as they are pulled, without when that was."""
        await settled(self.org.house.database)
        found = await self.org.get(EVENTS, limit=20, **query)
        records: list[Any] = []
        while found["records"]:
            records += [{**each, "timestamp": None} for each in found["records"]]
            found = await self.org.get(EVENTS, limit=20, cursor=found["nextCursor"])
        return records

    async def go_on(self) -> None:
        """New payments of every kind, which all come to their end."""
        ada, bob = self.users[:2]
        await make_swap(self.org, ada, status=Status.COMPLETED)
        await make_transfer(self.org, ada, bob)
        await run_due(self.org)
        await deposit(self.org, await make_onramp(self.org, self.users[2]))
        await settle_onramps(self.org)

    async def prove(self) -> None:
        """That the books are right, now and once all is rolled up."""
        database = self.org.house.database
        await settled(database)
        while await roll_up(database, [self.org.org_id]):
            pass
        audited = await audit(database, MOVES, AUDIT_RULES)
        assert audited.is_clean, table(audited)


@asynccontextmanager
async def opened(dsn: str, like: Tenant | None = None) -> AsyncGenerator[Tenant]:
    """An organisation served from this database: a new one, or the one that is there already."""
    database = await Database.connect(dsn, name="tests", size_max=8)
    try:
        house = wire(SETTINGS, database, Clock(await take_lane(database)))
        async with served(house) as client:
            if like is None:
                yield await make_tenant(house, client)
            else:
                yield replace(like, house=house, client=client)
        await house.postman.close()
        await house.outbound.close()
    finally:
        await database.close()


async def make_world(org: Tenant, receiver: Receiver) -> World:
    """Money, fiat, rolled-up house accounts, folded reports, and an endpoint that is behind."""
    database = org.house.database
    endpoint = await hook(org, receiver, "WALLET.SWAP.*", "ONRAMP.*")
    users = [await make_user(org, funds="400"), await make_user(org), await make_payer(org)]
    world = World(org, users, endpoint, "", [])
    async with posting(org):
        await world.go_on()
        await settled(database)
        wanted = len(await _wanted(world))
        await until(lambda: len(receiver.came) >= wanted)
    cursor = (await org.get(EVENTS, limit=12))["nextCursor"]
    delivered = [each.id for each in receiver.came]
    # Some is rolled up and folded, and some is not.
    await roll_up_step(database, org.org_id, changes_max=10)
    while not await is_folded(org):
        pass
    await world.go_on()
    return replace(world, cursor=cursor, delivered=delivered)


async def _wanted(world: World) -> list[Any]:
    return [
        each
        for each in await world.events()
        if each["eventType"].startswith(("WALLET.SWAP.", "ONRAMP."))
    ]


async def check_deliveries(world: World, receiver: Receiver) -> None:
    """That each event came to the endpoint once and in the order of its object."""
    async with posting(world.org):
        await settled(world.org.house.database)
        wanted = await _wanted(world)
        await until(lambda: len(receiver.came) >= len(wanted))
    assert sorted(each.id for each in receiver.came) == sorted(each["eventId"] for each in wanted)
    for thing in {each["objectId"] for each in wanted}:
        assert [each.id for each in receiver.came if each.object_id == thing] == [
            each["eventId"] for each in wanted if each["objectId"] == thing
        ]


def run(
    *args: str, folder: Path | None = None, key: str | None = MASTER_KEY, **settings: str
) -> tuple[int, str]:
    """Run the command in this process with a master key, or none; exit code and what it says."""
    told = {f"LANDBRIDGE_{name.upper()}": value for name, value in settings.items()}
    if key is not None:
        told["LANDBRIDGE_MASTER_KEY"] = key
    where = [] if folder is None else ["--data-dir", str(folder)]
    ran = CliRunner().invoke(commands, [*args, *where], env=told)
    if isinstance(ran.exception, LandbridgeError):
        return 1, f"{ran.output}{ran.exception}"
    if ran.exception is not None and not isinstance(ran.exception, SystemExit):
        raise ran.exception
    return ran.exit_code, ran.output
