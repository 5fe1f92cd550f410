"""Requests and replies of reconciliation. A difference is what is outside less the ledger."""

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

import msgspec

from landbridge.platform.changes.model import Change
from landbridge.platform.core.money import Money
from landbridge.platform.formats.schemas import line
from landbridge.platform.http.constraints import pattern_schema, with_schema
from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, moment, reply_of
from landbridge.providers.chains.tokens import ASSETS, Chain
from landbridge.reporting.reconciliation.adjustments import adjustment_id
from landbridge.reporting.reconciliation.decisions import REASON_LENGTH_MAX
from landbridge.reporting.reconciliation.halt_model import Halt, HaltCause, HaltStatus
from landbridge.reporting.reconciliation.listing import DifferenceHistory
from landbridge.reporting.reconciliation.model import (
    ComparedPosition,
    Difference,
    DifferenceKind,
    DifferenceResolution,
    DifferenceStatus,
    ReconRun,
    ReconSource,
)
from landbridge.reporting.reconciliation.sources import COMPARED_ASSETS, ReconSourceName

_AMOUNT_LENGTH_MAX = 60

ReasonText = Annotated[str, with_schema(line(REASON_LENGTH_MAX))]
SeenAmount = Annotated[
    str,
    with_schema(pattern_schema(r"^-?[0-9]{1,24}([.][0-9]{1,6})?$"), max_length=_AMOUNT_LENGTH_MAX),
]


class DifferenceAssignment(WireStruct, frozen=True):
    """Member who looks into a difference; null for nobody."""

    member_id: UUID | None = None


class DifferenceExplanation(WireStruct, frozen=True):
    """Why a difference is no error: one line, without personal data.

    `amount` is the difference that you have seen; the request is refused if it has changed. With
    `adjustLedger` the acceptance books it: a surplus in suspense, a shortfall as a loss.
    """

    reason: ReasonText
    amount: SeenAmount | None = None
    adjust_ledger: bool = False


class DifferenceAcceptance(WireStruct, frozen=True):
    """`amount` is the difference that you have seen; the request is refused if it has changed."""

    amount: SeenAmount | None = None


class ExplanationRejection(WireStruct, frozen=True):
    """Why an explanation is not accepted: one line, without personal data."""

    reason: ReasonText


class PositionReply(WireStruct, frozen=True):
    """Last comparison of one currency. `unexplainedAmount` is what no movement explains.

    `acceptedAmount` is the part of it that people have accepted.
    """

    currency: str
    ledger_amount: DecimalText
    outside_amount: DecimalText
    difference_amount: DecimalText
    unexplained_amount: DecimalText
    accepted_amount: DecimalText


class ReconSourceReply(WireStruct, frozen=True):
    """Chain, or account at a bank, that is compared. `failure` is why the last run is not good.

    Of a bank, `blockNumber` and `blockHash` are the number and identifier of the last statement.
    """

    source: ReconSourceName
    block_number: int
    block_hash: str
    last_run_at: Moment
    last_good_at: Moment | None
    failure: str | None
    positions: list[PositionReply]


class ReconSourcesReply(WireStruct, frozen=True):
    """All sources of the organisation."""

    count: int
    sources: list[ReconSourceReply]


class ReconRunReply(WireStruct, frozen=True):
    """Comparison with one source; `failure` is why it is not good.

    `openCount` is the number of its differences that were not resolved afterwards.
    """

    id: UUID
    source: ReconSourceName
    compared_at: Moment
    block_number: int | None
    block_hash: str | None
    failure: str | None
    open_count: int


class ReconRunPage(WireStruct, frozen=True):
    """Page of runs, newest first."""

    count: int
    runs: list[ReconRunReply]
    next_cursor: str | msgspec.UnsetType = msgspec.UNSET


class DifferenceReply(WireStruct, frozen=True):
    """Difference; amounts are null if it is of a whole source.

    `reference` is a transaction of the chain, or the ledger's record without one; of a bank, also a
    deposit, a file, a line, or a statement. It is null for a position. `reason` is the explanation
    of `proposedBy`, and `acceptedBy` the second person: keys or members. With `adjustsLedger` the
    acceptance books it, as record `adjustmentId`.
    """

    id: UUID
    source: ReconSourceName
    kind: DifferenceKind
    status: DifferenceStatus
    currency: str | None
    ledger_amount: DecimalText | None
    outside_amount: DecimalText | None
    amount: DecimalText | None
    reference: str | None
    record_id: UUID | None
    since: Moment
    due_at: Moment
    assignee_id: UUID | None
    reason: str | None
    proposed_by: UUID | None
    proposed_at: Moment | None
    accepted_by: UUID | None
    adjusts_ledger: bool
    adjustment_id: UUID | None
    resolution: DifferenceResolution | None
    resolved_at: Moment | None


class DifferencePage(WireStruct, frozen=True):
    """Page of differences, newest first."""

    count: int
    differences: list[DifferenceReply]
    next_cursor: str | msgspec.UnsetType = msgspec.UNSET


class DifferenceEvent(WireStruct, frozen=True):
    """What happened to a difference: assign, resolve, accept, reject, or reopen by a run.

    `personId` is a key or a member, null for a run.
    """

    what: str
    at: Moment
    actor: str
    person_id: str | None
    reason: str | None
    member_id: str | None


class DifferenceWithHistory(WireStruct, frozen=True):
    """Difference with its history, oldest first."""

    difference: DifferenceReply
    history: list[DifferenceEvent]


def source_reply(source: ReconSource, positions: list[ComparedPosition]) -> ReconSourceReply:
    """Return a source with its last positions."""
    return reply_of(source, ReconSourceReply, positions=[_position(each) for each in positions])


def run_reply(run: ReconRun) -> ReconRunReply:
    """Return a run."""
    return reply_of(
        run,
        ReconRunReply,
        block_number=None if run.block is None else run.block.number,
        block_hash=None if run.block is None else run.block.hash,
    )


def difference_reply(found: Difference) -> DifferenceReply:
    """Return a difference."""

    def coins(units: int) -> str | None:
        return coins_of(found.asset, units) if found.asset else None

    resolution = found.resolution
    return reply_of(
        found,
        DifferenceReply,
        currency=COMPARED_ASSETS[found.asset].currency if found.asset else None,
        ledger_amount=coins(found.ledger_units),
        outside_amount=coins(found.outside_units),
        amount=coins(found.units),
        reference=found.reference or None,
        adjustment_id=adjustment_id(found.id)
        if resolution == DifferenceResolution.ADJUSTED
        else None,
        resolution=None if resolution is None else DifferenceResolution(resolution),
    )


def history_reply(found: DifferenceHistory) -> DifferenceWithHistory:
    """Return a difference with its history."""
    return DifferenceWithHistory(
        difference=difference_reply(found.difference),
        history=[_event(each) for each in found.changes],
    )


def coins_of(asset: str, units: int) -> str:
    """Return smallest units of an asset as an amount in coins."""
    return str(Money(units, COMPARED_ASSETS[asset]))


def _position(position: ComparedPosition) -> PositionReply:
    asset = position.asset
    return PositionReply(
        currency=COMPARED_ASSETS[asset].currency,
        ledger_amount=coins_of(asset, position.ledger_units),
        outside_amount=coins_of(asset, position.outside_units),
        difference_amount=coins_of(asset, position.outside_units - position.ledger_units),
        unexplained_amount=coins_of(asset, position.unexplained_units),
        accepted_amount=coins_of(asset, position.accepted_units),
    )


def _event(change: Change) -> DifferenceEvent:
    facts: Mapping[str, Any] = change.facts
    return DifferenceEvent(
        what=change.change_type,
        at=moment(change.occurred_at),
        actor=change.actor,
        person_id=facts.get("personId"),
        reason=facts.get("reason"),
        member_id=facts.get("memberId"),
    )


class HaltLift(WireStruct, frozen=True):
    """Why payments may go on: one line, without personal data.

    `amount` is what you have seen missing; the request is refused if it has changed.
    """

    reason: ReasonText
    amount: SeenAmount | None = None


class LiftAcceptance(WireStruct, frozen=True):
    """`amount` is what you have seen missing; the request is refused if it has changed."""

    amount: SeenAmount | None = None


class LiftRejection(WireStruct, frozen=True):
    """Why payments have to wait on: one line, without personal data."""

    reason: ReasonText


class HaltReply(WireStruct, frozen=True):
    """Halt of new payments of a currency on a chain; without one, of all currencies there.

    `amount` is missing by the last run, besides what earlier lifts have accepted. `differenceId` is
    the difference that has caused it, null for a sum of several. `reason` is that of `proposedBy`
    to lift it, and `liftedBy` the second person: keys or members.
    """

    id: UUID
    source: Chain
    currency: str | None
    cause: HaltCause
    status: HaltStatus
    amount: DecimalText | None
    difference_id: UUID | None
    halted_at: Moment
    reason: str | None
    proposed_by: UUID | None
    proposed_at: Moment | None
    lifted_by: UUID | None
    ended_at: Moment | None


class HaltPage(WireStruct, frozen=True):
    """Page of halts, newest first."""

    count: int
    halts: list[HaltReply]
    next_cursor: str | msgspec.UnsetType = msgspec.UNSET


def halt_reply(halt: Halt) -> HaltReply:
    """Return a halt."""
    return reply_of(
        halt,
        HaltReply,
        currency=ASSETS[halt.asset].currency if halt.asset else None,
        amount=coins_of(halt.asset, halt.units) if halt.asset else None,
    )
