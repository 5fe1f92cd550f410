"""The timeline of a record: where it has been, whom it waits for, since when and until when."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, TypeVar
from uuid import UUID

import msgspec
from litestar.params import QueryParameter

from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, FieldInvalid
from landbridge.ledger.model import Transfer
from landbridge.ledger.waiting import Patience, Waiting
from landbridge.payments.attention import needs_attention
from landbridge.payments.dry_runs import Rehearsable
from landbridge.payments.waits import GRACE, Party, Wait, Waits, is_stuck, until
from landbridge.receipts.model import KIND as RECEIPT
from landbridge.receipts.model import Status
from landbridge.receipts.waiting import PATIENCE, WaitingReceipts
from landbridge.simulation.forcing import plan_text
from landbridge.web.caller import Caller
from landbridge.web.reply import Moment, WireStruct, moment

_TIMELINE = "timeline"
# Whom fiat that arrived waits for.
_DEPOSITS = {
    Status.NEW: Party.WORKER,
    Status.UNMATCHED: Party.REVIEWER,
    Status.RETURNING: Party.BANK,
}

Expand = Annotated[
    str | None,
    QueryParameter(
        name="expand",
        description="`timeline`: also the statuses with their times, and whom it waits for.",
    ),
]


class StationReply(WireStruct, frozen=True):
    """A status, when it was reached, and who moved the record there (`worker`, `key:<id>`, ...)."""

    status: str
    at: Moment
    actor: str


class TimelineReply(WireStruct, frozen=True):
    """Where a record has been and what it waits for; nothing once it is at its end.

    `waitsUntil` is when that is over if all goes well (null: nobody can say). `isStuck` says that
    it takes longer than it should. `forced` is the plan that it was created with in a sandbox.
    """

    stations: list[StationReply]
    waits_for: Party | None
    waits_since: Moment | None
    waits_until: Moment | None
    is_stuck: bool
    forced: str | None


class Expandable(Rehearsable, frozen=True):
    """A reply that has its timeline, if that was asked for."""

    timeline: TimelineReply | msgspec.UnsetType = msgspec.UNSET


R = TypeVar("R", bound=Expandable)


@dataclass(frozen=True, slots=True)
class Stuck:
    """A record, or a deposit of fiat, that waits for longer than it should."""

    org_id: UUID
    id: UUID
    kind: str
    status: str
    party: Party
    since: datetime
    until: datetime | None
    # Why a person has to decide, where the worker has noted that.
    attention: str | None = None

    @property
    def sentence(self) -> str:
        """For people, in one line."""
        told = f"{self.kind} {self.id} is {self.status} since {self.since:%Y-%m-%d %H:%M:%S} UTC"
        ended = "" if self.until is None else f", should have ended {self.until:%Y-%m-%d %H:%M:%S}"
        why = "" if self.attention is None else f", {self.attention}"
        return f"{told}, waits for {self.party}{ended}{why} (organisation {self.org_id})"


@dataclass(frozen=True, slots=True)
class Timelines:
    """What time does to the records of all flows."""

    waiting: Waiting
    deposits: WaitingReceipts
    waits: Mapping[str, Waits]
    clock: Clock

    async def beside(self, reply: R, record: Transfer, expand: str | None, caller: Caller) -> R:
        """The reply, with its timeline if that was asked for; raises `FieldInvalid`."""
        if expand is None:
            return reply
        if expand != _TIMELINE:
            raise FieldInvalid(f"expand must be {_TIMELINE}", field="expand")
        timeline = await self.of(record, caller.clock_offset)
        return msgspec.structs.replace(reply, timeline=timeline)

    async def of(self, record: Transfer, clock_offset: timedelta) -> TimelineReply:
        """The timeline of a record."""
        stations = [
            StationReply(status=each.status, at=moment(each.at), actor=each.actor)
            for each in await self.waiting.visits(record.org_id, record.id)
        ]
        wait, forced = self._waits(record.kind).of(record.status), plan_text(record.request)
        if wait is None:
            return TimelineReply(
                stations=stations,
                waits_for=None,
                waits_since=None,
                waits_until=None,
                is_stuck=False,
                forced=forced,
            )
        since, due_at = record.updated_at, record.due_at
        ends_at = until(wait, since=since, due_at=due_at)
        attention = needs_attention(record)
        return TimelineReply(
            stations=stations,
            waits_for=wait.party if attention is None else Party.REVIEWER,
            waits_since=moment(since),
            waits_until=None if ends_at is None else moment(ends_at),
            is_stuck=attention is not None
            or is_stuck(wait, since=since, due_at=due_at, now=self.clock.now(clock_offset)),
            forced=forced,
        )

    async def stuck(self, offsets: Mapping[UUID, timedelta], *, limit: int) -> Sequence[Stuck]:
        """What of these organisations waits for longer than it should, the longest first."""
        clocks = {org_id: self.clock.now(offset) for org_id, offset in offsets.items()}
        patience = [
            Patience(kind, status, wait.within)
            for kind, waits in self.waits.items()
            for status, wait in waits.table.items()
        ]
        found = await self.waiting.overdue(clocks, patience, grace=GRACE, limit=limit)
        records = [
            Stuck(
                each.org_id,
                each.id,
                each.kind,
                each.status,
                self._wait(each.kind, each.status).party
                if each.attention is None
                else Party.REVIEWER,
                each.since,
                until(self._wait(each.kind, each.status), since=each.since, due_at=each.due_at),
                each.attention,
            )
            for each in found
        ]
        deposits = [
            Stuck(
                each.org_id,
                each.id,
                RECEIPT,
                each.status,
                _DEPOSITS[each.status],
                each.since,
                each.since + PATIENCE[each.status],
            )
            for each in await self.deposits.overdue(clocks, limit=limit)
        ]
        return sorted([*records, *deposits], key=lambda each: each.since)[:limit]

    def _waits(self, kind: str) -> Waits:
        if kind not in self.waits:
            raise Broken(f"nobody says whom a {kind} waits for")
        return self.waits[kind]

    def _wait(self, kind: str, status: str) -> Wait:
        wait = self._waits(kind).of(status)
        if wait is None:
            raise Broken(f"a {kind} that is {status} waits for nobody")
        return wait
