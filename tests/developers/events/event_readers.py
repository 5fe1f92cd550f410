"""Records the retrieve of payments after each change, for comparison with their events."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from typing_extensions import override

from landbridge.app.container import wire
from landbridge.developers.events.model import Event, EventKey
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.port import ChainAction, ChainOrder, ChainOrderStatus, Chains
from landbridge.providers.rails.port import (
    DepositCoordinates,
    RailPayment,
    RailPaymentStatus,
    Rails,
)
from tests.providers.simulation.faulty import FaultyChains, FaultyRails
from tests.scripted import PATHS
from tests.tenants import SETTINGS, Tenant, served

Note = Callable[[], Awaitable[None]]


@dataclass
class Watch:
    """Watched payment; `answers` has the retrieve right after each change, by its number."""

    org: Tenant
    kind: str
    id: UUID
    answers: dict[int, Any] = field(default_factory=dict[int, Any])

    async def note(self) -> None:
        """Record the current retrieve, unless this change is recorded already."""
        before = await self._version()
        if before not in self.answers:
            answer = await self.org.get(f"{PATHS[self.kind]}/{self.id}")
            if await self._version() == before:
                self.answers[before] = answer

    async def events(self) -> list[Event]:
        """Return all events of the payment's changes in order."""
        keys = [
            EventKey(self.id, seq, part)
            for seq in range(1, await self._version() + 1)
            for part in range(4)
        ]
        found = await self.org.container.events.find(self.org.org_id, keys)
        return [found[key] for key in keys if key in found]

    async def rfi_events(self) -> list[Event]:
        """Return all events of its requests for information in order."""
        rows = await self.org.container.database.rows(
            "select object_id, seq from changes where org_id = $1 and kind = $2"
            " and facts->>'transferId' = $3 order by occurred_at, seq",
            *(self.org.org_id, f"{self.kind}.RFI", str(self.id)),
        )
        keys = [EventKey(row["object_id"], row["seq"], 0) for row in rows]
        found = await self.org.container.events.find(self.org.org_id, keys)
        return [found[key] for key in keys if key in found]

    async def check(self) -> list[str]:
        """Check that every event shows the retrieve at its change; return the types in order.

        A change without a recorded retrieve shows at least its own status and time.
        """
        await self.note()
        events = await self.events()
        for event, data in zip(events, await self.shown(events), strict=True):
            if event.type == "WALLET.TOKEN.BALANCE.UPDATE":
                await self._check_deposit(data)
            elif event.change.seq in self.answers:
                assert data == self.answers[event.change.seq], (event.type, event.change.seq)
            else:
                details = data["transferDetails"]
                assert details["status"] == event.change.status_after
                assert datetime.fromisoformat(details["updatedAt"]) == event.change.occurred_at
        await self._check_rfis()
        return [each.type for each in events]

    async def shown(self, events: list[Event]) -> list[Any]:
        """Return the data of these events as parsed JSON."""
        found = await self.org.container.events.payloads(self.org.org_id, events)
        return [msgspec.json.decode(each) for each in found]

    async def _check_rfis(self) -> None:
        events = await self.rfi_events()
        by_moment = {_moment(each): each for each in self.answers.values()}
        for event, data in zip(events, await self.shown(events), strict=True):
            assert data == by_moment.get(event.change.occurred_at, data)
            assert _moment(data) <= event.change.occurred_at
            is_open = event.type.endswith("OPEN")
            assert (data["transferDetails"]["status"] == "IN_REVIEW") is is_open

    async def _check_deposit(self, data: Any) -> None:
        path = f"/v2/users/{data['userId']}/wallets/deposits/{data['id']}"
        assert data == await self.org.get(path)

    async def _version(self) -> int:
        (row,) = await self.org.container.database.rows(
            "select max(seq) as seq from changes where org_id = $1 and object_id = $2",
            *(self.org.org_id, self.id),
        )
        return int(row["seq"])


def _moment(answer: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(answer["transferDetails"]["updatedAt"])


@dataclass
class Notebook:
    """All watched payments."""

    watches: list[Watch] = field(default_factory=list[Watch])

    async def note(self) -> None:
        for each in self.watches:
            await each.note()

    def watch(self, org: Tenant, kind: str, created: Mapping[str, Any]) -> Watch:
        """Watch a payment from now on."""
        watch = Watch(org, kind, UUID(created["id"]))
        self.watches.append(watch)
        return watch


class NotingChains(FaultyChains):
    """Chains that record the watched payments whenever one of their orders is looked up."""

    def __init__(self, inner: Chains, note: Note) -> None:
        super().__init__(inner)
        self._note = note
        # For failed orders: a transaction that was executed and reverted.
        self.failed_hash: str | None = None

    @override
    def _answer(self, key: UUID, sent: ChainOrderStatus | None, at: datetime) -> ChainOrderStatus:
        answer = super()._answer(key, sent, at)
        return answer if sent is not None else replace(answer, transaction_hash=self.failed_hash)

    def carries(self, chain: str, action: ChainAction) -> bool:
        del chain, action
        return True

    def holds_coins(self, chain: str) -> bool:
        del chain
        return False

    async def send(self, order: ChainOrder) -> ChainOrderStatus:
        await self._note()
        return await super().send(order)

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> ChainOrderStatus | None:
        await self._note()
        return await super().find_status(org_id, key, at)


class NotingRails(FaultyRails):
    """Bank rails that record the watched payments likewise."""

    def __init__(self, inner: Rails, note: Note) -> None:
        super().__init__(inner)
        self._note = note
        self.coordinate_lookups = 0

    async def pay(self, payment: RailPayment) -> RailPaymentStatus:
        await self._note()
        return await super().pay(payment)

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> RailPaymentStatus | None:
        await self._note()
        return await super().find_status(org_id, key, at)

    async def coordinates(
        self, org_id: UUID, currency: str, account_number: str
    ) -> DepositCoordinates | None:
        self.coordinate_lookups += 1
        return await super().coordinates(org_id, currency, account_number)


@dataclass(frozen=True)
class Watching:
    """Organisation whose payments are watched."""

    org: Tenant
    notes: Notebook
    chains: NotingChains
    rails: NotingRails

    async def work(self, *, after: timedelta = timedelta()) -> None:
        """Advance the clock and run due steps batch by batch, each with a record."""
        container, org_id = self.org.container, self.org.org_id
        if after:
            path = "/v2/sandbox/clock/advance"
            await self.org.post(path, {"seconds": int(after.total_seconds())})
        offsets = {org_id: await container.orgs.clock_offset(org_id)}
        await container.incoming_payment_steps.run_all(offsets)
        await self.notes.note()
        await container.scheduler.run_all(offsets)
        await self.notes.note()


@asynccontextmanager
async def watching(org: Tenant, database: Database, **settings: Any) -> AsyncGenerator[Watching]:
    """Yield the organisation in a container with recording, scripted chains and bank."""
    notes = Notebook()
    effective_settings = msgspec.structs.replace(SETTINGS, **settings)
    chains = NotingChains(org.container.chains, notes.note)
    rails = NotingRails(org.container.rails, notes.note)
    container = wire(effective_settings, database, org.container.clock, chains=chains, rails=rails)
    async with served(container) as client:
        yield Watching(replace(org, container=container, client=client), notes, chains, rails)
