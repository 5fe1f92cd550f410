"""Sandbox with every kind of data that a restore must bring back, and its visible state."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from landbridge.app.cli import commands
from landbridge.app.container import AUDIT_RULES, TRANSITIONS, wire
from landbridge.ledger.audit import audit, table
from landbridge.ledger.house_accounts import house_balances, roll_up, roll_up_step
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.change_log import placed
from tests.developers.webhooks.worker_steps import Receiver, hook, running_dispatcher, until
from tests.onramps import deposit, make_onramp, make_payer
from tests.onramps import settle as settle_onramps
from tests.reporting.rollups.test_sums import is_folded
from tests.tenants import (
    SETTINGS,
    SwapStatus,
    Tenant,
    held,
    make_swap,
    make_tenant,
    make_transfer,
    make_user,
    run_due,
    served,
)

EVENTS = "/v2/events"
MASTER_KEY = SETTINGS.master_key or ""


@dataclass(frozen=True)
class World:
    """Organisation with users, and an endpoint that has received part of the events."""

    org: Tenant
    users: list[str]
    endpoint: str
    # An event cursor in the middle of the log.
    cursor: str
    # Objects delivered to the endpoint before, by event.
    delivered: list[str]

    async def seen(self) -> dict[str, Any]:
        """Return the state that clients and operators see."""
        database = self.org.container.database
        await placed(database)
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
        """Return all events as pulled, without the time of the pull."""
        await placed(self.org.container.database)
        found = await self.org.get(EVENTS, limit=20, **query)
        records: list[Any] = []
        while found["records"]:
            records += [{**each, "timestamp": None} for each in found["records"]]
            found = await self.org.get(EVENTS, limit=20, cursor=found["nextCursor"])
        return records

    async def go_on(self) -> None:
        """New payments of every kind, which all come to their end."""
        ada, bob = self.users[:2]
        await make_swap(self.org, ada, status=SwapStatus.COMPLETED)
        await make_transfer(self.org, ada, bob)
        await run_due(self.org)
        await deposit(self.org, await make_onramp(self.org, self.users[2]))
        await settle_onramps(self.org)

    async def prove(self) -> None:
        """Check that the ledger audit is clean, now and after all rollups."""
        database = self.org.container.database
        await placed(database)
        while await roll_up(database, [self.org.org_id]):
            pass
        audited = await audit(database, TRANSITIONS, AUDIT_RULES)
        assert audited.is_clean, table(audited)


@asynccontextmanager
async def opened(dsn: str, like: Tenant | None = None) -> AsyncGenerator[Tenant]:
    """An organisation served from this database: a new one, or the one that is there already."""
    database = await Database.connect(dsn, name="tests", size_max=8)
    try:
        container = wire(SETTINGS, database, Clock(await take_node(database)))
        async with served(container) as client:
            if like is None:
                yield await make_tenant(container, client)
            else:
                yield replace(like, container=container, client=client)
        await container.dispatcher.close()
        await container.egress.close()
    finally:
        await database.close()


async def make_world(org: Tenant, receiver: Receiver) -> World:
    """Create money, fiat, rolled-up house accounts, report rollups, and a lagging endpoint."""
    database = org.container.database
    endpoint = await hook(org, receiver, "WALLET.SWAP.*", "ONRAMP.*")
    users = [await make_user(org, funds="400"), await make_user(org), await make_payer(org)]
    world = World(org, users, endpoint, "", [])
    async with running_dispatcher(org):
        await world.go_on()
        await placed(database)
        expected = len(await _matching_events(world))
        await until(lambda: len(receiver.received) >= expected)
    cursor = (await org.get(EVENTS, limit=12))["nextCursor"]
    delivered = [each.id for each in receiver.received]
    # Some is rolled up and folded, and some is not.
    await roll_up_step(database, org.org_id, changes_max=10)
    while not await is_folded(org):
        pass
    await world.go_on()
    return replace(world, cursor=cursor, delivered=delivered)


async def _matching_events(world: World) -> list[Any]:
    return [
        each
        for each in await world.events()
        if each["eventType"].startswith(("WALLET.SWAP.", "ONRAMP."))
    ]


async def check_deliveries(world: World, receiver: Receiver) -> None:
    """Check that each event reached the endpoint once, in the order of its object."""
    async with running_dispatcher(world.org):
        await placed(world.org.container.database)
        expected = await _matching_events(world)
        await until(lambda: len(receiver.received) >= len(expected))
    assert sorted(each.id for each in receiver.received) == sorted(
        each["eventId"] for each in expected
    )
    for object_id in {each["objectId"] for each in expected}:
        assert [each.id for each in receiver.received if each.object_id == object_id] == [
            each["eventId"] for each in expected if each["objectId"] == object_id
        ]


def run(
    *args: str, folder: Path | None = None, key: str | None = MASTER_KEY, **settings: str
) -> tuple[int, str]:
    """Run the command here, with or without a master key; return exit code and output."""
    environment = {f"LANDBRIDGE_{name.upper()}": value for name, value in settings.items()}
    if key is not None:
        environment["LANDBRIDGE_MASTER_KEY"] = key
    where = [] if folder is None else ["--data-dir", str(folder)]
    ran = CliRunner().invoke(commands, [*args, *where], env=environment)
    if isinstance(ran.exception, LandbridgeError):
        return 1, f"{ran.output}{ran.exception}"
    if ran.exception is not None and not isinstance(ran.exception, SystemExit):
        raise ran.exception
    return ran.exit_code, ran.output
