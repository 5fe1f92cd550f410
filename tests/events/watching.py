"""Payments whose retrieve is noted after each of their changes, to be held against their events."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from typing_extensions import override

from landbridge.chains.port import Chains, Order, Sent
from landbridge.db.pool import Database
from landbridge.events.model import Event, EventKey
from landbridge.rails.port import Coordinates, Paid, Payment, Rails
from landbridge.wiring import wire
from tests.forced import PATHS
from tests.simulation.faulty import FaultyChains, FaultyRails
from tests.tenants import SETTINGS, Tenant, served

Note = Callable[[], Awaitable[None]]


@dataclass
class Watch:
    """A payment; `answers` is what its retrieve said right after a change, by its number."""

    org: Tenant
    kind: str
    id: UUID
    answers: dict[int, Any] = field(default_factory=dict[int, Any])

    async def note(self) -> None:
        """What the retrieve says now, if this change is not noted yet."""
        before = await self._version()
        if before not in self.answers:
            answer = await self.org.get(f"{PATHS[self.kind]}/{self.id}")
            if await self._version() == before:
                self.answers[before] = answer

    async def events(self) -> list[Event]:
        """All events of its changes, in their order."""
        keys = [
            EventKey(self.id, seq, part)
            for seq in range(1, await self._version() + 1)
            for part in range(4)
        ]
        found = await self.org.house.events.find(self.org.org_id, keys)
        return [found[key] for key in keys if key in found]

    async def rfi_events(self) -> list[Event]:
        """All events of requests about it, in their order."""
        rows = await self.org.house.database.rows(
            "select object_id, seq from changes where org_id = $1 and kind = $2"
            " and facts->>'transferId' = $3 order by at, seq",
            *(self.org.org_id, f"{self.kind}.RFI", str(self.id)),
        )
        keys = [EventKey(row["object_id"], row["seq"], 0) for row in rows]
        found = await self.org.house.events.find(self.org.org_id, keys)
        return [found[key] for key in keys if key in found]

    async def check(self) -> list[str]:
        """Every event shows what the retrieve said at its change; the types of all, in order.

        A change that nobody could look at in between shows at least its own status and time.
        """
        await self.note()
        events = await self.events()
        for event, data in zip(events, await self.shown(events), strict=True):
            if event.type == "WALLET.TOKEN.BALANCE.UPDATE":
                await self._check_deposit(data)
            elif event.change.seq in self.answers:
                assert data == self.answers[event.change.seq], (event.type, event.change.seq)
            else:
                told = data["transferDetails"]
                assert told["status"] == event.change.status_after
                assert datetime.fromisoformat(told["updatedAt"]) == event.change.at
        await self._check_rfis()
        return [each.type for each in events]

    async def shown(self, events: list[Event]) -> list[Any]:
        """What these events show, as JSON reads it."""
        found = await self.org.house.events.shown(self.org.org_id, events)
        return [msgspec.json.decode(each) for each in found]

    async def _check_rfis(self) -> None:
        events = await self.rfi_events()
        by_moment = {_moment(each): each for each in self.answers.values()}
        for event, data in zip(events, await self.shown(events), strict=True):
            assert data == by_moment.get(event.change.at, data)
            assert _moment(data) <= event.change.at
            is_open = event.type.endswith("OPEN")
            assert (data["transferDetails"]["status"] == "IN_REVIEW") is is_open

    async def _check_deposit(self, data: Any) -> None:
        path = f"/v2/users/{data['userId']}/wallets/deposits/{data['id']}"
        assert data == await self.org.get(path)

    async def _version(self) -> int:
        (row,) = await self.org.house.database.rows(
            "select max(seq) as seq from changes where org_id = $1 and object_id = $2",
            *(self.org.org_id, self.id),
        )
        return int(row["seq"])


def _moment(answer: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(answer["transferDetails"]["updatedAt"])


@dataclass
class Notebook:
    """All that is watched."""

    watches: list[Watch] = field(default_factory=list[Watch])

    async def note(self) -> None:
        for each in self.watches:
            await each.note()

    def watch(self, org: Tenant, kind: str, made: Mapping[str, Any]) -> Watch:
        """Watch a payment from now on."""
        watch = Watch(org, kind, UUID(made["id"]))
        self.watches.append(watch)
        return watch


class NotingChains(FaultyChains):
    """Chains at which it is noted how payments stand, whenever one of theirs is asked about."""

    def __init__(self, inner: Chains, note: Note) -> None:
        super().__init__(inner)
        self._note = note
        # Of what fails: a transaction that was carried out and undone.
        self.failed_hash: str | None = None

    @override
    def _answer(self, key: UUID, sent: Sent | None, at: datetime) -> Sent:
        answer = super()._answer(key, sent, at)
        return answer if sent is not None else replace(answer, transaction_hash=self.failed_hash)

    async def send(self, order: Order) -> Sent:
        await self._note()
        return await super().send(order)

    async def look(self, org_id: UUID, key: UUID, at: datetime) -> Sent | None:
        await self._note()
        return await super().look(org_id, key, at)


class NotingRails(FaultyRails):
    """A bank likewise."""

    def __init__(self, inner: Rails, note: Note) -> None:
        super().__init__(inner)
        self._note = note
        self.coordinates_asked = 0

    async def pay(self, payment: Payment) -> Paid:
        await self._note()
        return await super().pay(payment)

    async def look(self, org_id: UUID, key: UUID, at: datetime) -> Paid | None:
        await self._note()
        return await super().look(org_id, key, at)

    async def coordinates(
        self, org_id: UUID, currency: str, account_number: str
    ) -> Coordinates | None:
        self.coordinates_asked += 1
        return await super().coordinates(org_id, currency, account_number)


@dataclass(frozen=True)
class Watching:
    """An organisation whose payments are watched."""

    org: Tenant
    notes: Notebook
    chains: NotingChains
    rails: NotingRails

    async def work(self, *, after: timedelta = timedelta()) -> None:
        """Time passes, and the worker does what is due: batch by batch, each with a note."""
        house, org_id = self.org.house, self.org.org_id
        if after:
            path = "/v2/sandbox/clock/advance"
            await self.org.post(path, {"seconds": int(after.total_seconds())})
        offsets = {org_id: await house.orgs.clock_offset(org_id)}
        await house.receipt_steps.run_all(offsets)
        await self.notes.note()
        await house.due.run_all(offsets)
        await self.notes.note()


@asynccontextmanager
async def watching(org: Tenant, database: Database, **settings: Any) -> AsyncGenerator[Watching]:
    """The organisation, in a house whose chains and bank take notes and fail as they are told."""
    notes = Notebook()
    told = msgspec.structs.replace(SETTINGS, **settings)
    chains = NotingChains(org.house.chains, notes.note)
    rails = NotingRails(org.house.rails, notes.note)
    house = wire(told, database, org.house.clock, chains=chains, rails=rails)
    async with served(house) as client:
        yield Watching(replace(org, house=house, client=client), notes, chains, rails)
