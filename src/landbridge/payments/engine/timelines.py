"""Timelines of records: status history, the party that acts next, and the times of the wait."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, TypeVar
from uuid import UUID

import msgspec

from landbridge.ledger.model import Transfer
from landbridge.ledger.time_in_status import OverdueTransfer, StatusTimeLimit, TimeInStatus
from landbridge.payments.engine.attention import needs_attention
from landbridge.payments.engine.dry_run_schemas import DryRunReplyMixin
from landbridge.payments.engine.stuck_causes import EVERYTHING, StuckCause, StuckFilter, cause_of
from landbridge.payments.engine.wait_states import (
    GRACE,
    WaitParty,
    WaitState,
    WaitStates,
    is_stuck,
    wait_end,
)
from landbridge.payments.incoming_payments.model import KIND as INCOMING_PAYMENT
from landbridge.payments.incoming_payments.model import TRANSITIONS as INCOMING_PAYMENT_TRANSITIONS
from landbridge.payments.incoming_payments.model import IncomingPaymentStatus, OverduePayment
from landbridge.payments.incoming_payments.overdue import SLA_BY_STATUS, OverdueIncomingPayments
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, InvariantBroken
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.core.pagination import queue_window
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.constraints import one_of, query
from landbridge.platform.http.responses import Moment, WireStruct, moment, reply_of
from landbridge.providers.simulation.scripted_outcomes import get_plan_text

_TIMELINE = "timeline"
_PARTY_BY_STATUS = {
    IncomingPaymentStatus.SCREENING: WaitParty.SCREENING_PROVIDER,
    IncomingPaymentStatus.NEW: WaitParty.WORKER,
    IncomingPaymentStatus.UNMATCHED: WaitParty.REVIEWER,
    IncomingPaymentStatus.RETURNING: WaitParty.BANK,
}
INCOMING_PAYMENT_WAITS = WaitStates(
    INCOMING_PAYMENT_TRANSITIONS,
    {status: WaitState(party, SLA_BY_STATUS[status]) for status, party in _PARTY_BY_STATUS.items()},
)

Expand = Annotated[
    str | None,
    query(
        "expand",
        one_of([_TIMELINE]),
        description="`timeline`: also the statuses with their times, and whom it waits for.",
    ),
]


class TimelineStepReply(WireStruct, frozen=True):
    """Status with the time it was reached, and the actor (`worker`, `key:<id>`, ...)."""

    status: str
    at: Moment
    actor: str


class TimelineReply(WireStruct, frozen=True):
    """Status history of a record and what it waits for; nothing once it is terminal.

    `waitsUntil` is the end of the wait if all goes well (null: unknown). `isStuck` says that it
    takes longer than it should. `outcomePlan` is the outcome plan of a sandbox payment.
    """

    steps: list[TimelineStepReply]
    waits_for: WaitParty | None
    waits_since: Moment | None
    waits_until: Moment | None
    is_stuck: bool
    outcome_plan: str | None


class TimelineExpandable(DryRunReplyMixin, frozen=True):
    """Reply with its timeline, if that was requested, and its metadata, if it has any."""

    metadata: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    timeline: TimelineReply | msgspec.UnsetType = msgspec.UNSET


R = TypeVar("R", bound=TimelineExpandable)


@dataclass(frozen=True, slots=True)
class StuckTransfer:
    """Record, or incoming payment, that takes longer than it should."""

    org_id: UUID
    id: UUID
    kind: str
    status: str
    party: WaitParty
    since: datetime
    until: datetime | None
    cause: StuckCause
    # Amount that a payment sends, or that was received by a deposit.
    amount: Money
    # Why a person has to decide; None if the record has no attention mark.
    attention: str | None = None

    @property
    def sentence(self) -> str:
        """Return a description in one line, for the command line."""
        description = (
            f"{self.kind} {self.id} is {self.status} since {self.since:%Y-%m-%d %H:%M:%S} UTC"
        )
        ended = "" if self.until is None else f", should have ended {self.until:%Y-%m-%d %H:%M:%S}"
        why = "" if self.attention is None else f", {self.attention}"
        return f"{description}, waits for {self.party}{ended}{why} (organisation {self.org_id})"


@dataclass(frozen=True, slots=True)
class Timelines:
    """Reads timelines and stuck records of all flows."""

    time_in_status: TimeInStatus
    deposits: OverdueIncomingPayments
    waits: Mapping[str, WaitStates]
    # Each (kind, status) in which the treasury still has to deliver a payment's coins.
    owed_by_treasury: Collection[tuple[str, str]]
    assets: Mapping[str, Asset]
    clock: Clock

    @property
    def kinds(self) -> Sequence[str]:
        """Return every kind of record that can be stuck."""
        return (*self.waits, INCOMING_PAYMENT)

    async def attach(self, reply: R, record: Transfer, expand: str | None, caller: Caller) -> R:
        """Return the reply with its timeline if requested; raises `FieldInvalid`."""
        if expand is None:
            return reply
        if expand != _TIMELINE:
            raise FieldInvalid(f"expand must be {_TIMELINE}", field="expand")
        timeline = await self.of(record, caller.clock_offset)
        return msgspec.structs.replace(reply, timeline=timeline)

    async def of(self, record: Transfer, clock_offset: timedelta) -> TimelineReply:
        """Return the timeline of a record."""
        steps = [
            reply_of(each, TimelineStepReply)
            for each in await self.time_in_status.status_history(record.org_id, record.id)
        ]
        wait, outcome_plan = (
            self._waits(record.kind).of(record.status),
            get_plan_text(record.request),
        )
        if wait is None:
            return TimelineReply(
                steps=steps,
                waits_for=None,
                waits_since=None,
                waits_until=None,
                is_stuck=False,
                outcome_plan=outcome_plan,
            )
        since, due_at = record.updated_at, record.due_at
        ends_at = wait_end(wait, since=since, due_at=due_at)
        attention = needs_attention(record)
        return TimelineReply(
            steps=steps,
            waits_for=wait.party if attention is None else WaitParty.REVIEWER,
            waits_since=moment(since),
            waits_until=None if ends_at is None else moment(ends_at),
            is_stuck=attention is not None
            or is_stuck(wait, since=since, due_at=due_at, now=self.clock.now(clock_offset)),
            outcome_plan=outcome_plan,
        )

    async def stuck(
        self,
        offsets: Mapping[UUID, timedelta],
        *,
        limit: int,
        chosen: StuckFilter = EVERYTHING,
    ) -> Sequence[StuckTransfer]:
        """Return stuck records and deposits of these organisations, the longest waiting first.

        `offsets` has the clock offset of each organisation.
        """
        clocks = self.clock.now_of(offsets)
        after = chosen.after or queue_window(limit).after
        found = await self.time_in_status.overdue(
            clocks, self._time_limits(chosen), grace=GRACE, after=after, limit=limit
        )
        deposits = await self.deposits.overdue(
            clocks,
            [
                status
                for status in SLA_BY_STATUS
                if _is_listed(chosen, INCOMING_PAYMENT, self._deposit_cause(status))
            ],
            after=after,
            limit=limit,
        )
        records = [
            *(self._stuck_record(each) for each in found),
            *(self._stuck_deposit(each) for each in deposits),
        ]
        return sorted(records, key=lambda each: (each.since, each.id))[:limit]

    def _time_limits(self, chosen: StuckFilter) -> Sequence[StatusTimeLimit]:
        return [
            StatusTimeLimit(
                kind,
                status,
                wait.within,
                is_listed=_is_listed(chosen, kind, self._cause(kind, status, wait.party)),
                is_listed_with_attention=_is_listed(chosen, kind, StuckCause.DECISION),
            )
            for kind, waits in self.waits.items()
            for status, wait in waits.table.items()
        ]

    def _stuck_record(self, each: OverdueTransfer) -> StuckTransfer:
        wait = self._wait(each.kind, each.status)
        needs_person = each.attention is not None
        return StuckTransfer(
            each.org_id,
            each.id,
            each.kind,
            each.status,
            WaitParty.REVIEWER if needs_person else wait.party,
            each.since,
            wait_end(wait, since=each.since, due_at=each.due_at),
            StuckCause.DECISION
            if needs_person
            else self._cause(each.kind, each.status, wait.party),
            Money(each.source_units, self.assets[each.source_asset]),
            each.attention,
        )

    def _stuck_deposit(self, each: OverduePayment) -> StuckTransfer:
        return StuckTransfer(
            each.org_id,
            each.id,
            INCOMING_PAYMENT,
            each.status,
            _PARTY_BY_STATUS[each.status],
            each.since,
            each.since + SLA_BY_STATUS[each.status],
            self._deposit_cause(each.status),
            Money(each.units, self.assets[each.asset]),
        )

    def _cause(self, kind: str, status: str, party: WaitParty) -> StuckCause:
        return cause_of(kind, status, party, self.owed_by_treasury)

    def _deposit_cause(self, status: IncomingPaymentStatus) -> StuckCause:
        return self._cause(INCOMING_PAYMENT, status, _PARTY_BY_STATUS[status])

    def _waits(self, kind: str) -> WaitStates:
        if kind not in self.waits:
            raise InvariantBroken(f"there are no wait states of a {kind}")
        return self.waits[kind]

    def _wait(self, kind: str, status: str) -> WaitState:
        wait = self._waits(kind).of(status)
        if wait is None:
            raise InvariantBroken(f"a {kind} that is {status} has no wait state")
        return wait


def _is_listed(chosen: StuckFilter, kind: str, cause: StuckCause) -> bool:
    """Return whether a filter includes records of this kind with this cause."""
    return (chosen.kinds is None or kind in chosen.kinds) and (
        chosen.causes is None or cause in chosen.causes
    )
