"""Requests and replies of halts."""

from uuid import UUID

import msgspec

from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, moment
from landbridge.providers.chains.tokens import ASSETS, Chain
from landbridge.reporting.reconciliation.halt_model import Halt, HaltCause, HaltStatus
from landbridge.reporting.reconciliation.schemas import ReasonText, SeenAmount, coins_of


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
    return HaltReply(
        id=halt.id,
        source=halt.source,
        currency=ASSETS[halt.asset].currency if halt.asset else None,
        cause=halt.cause,
        status=halt.status,
        amount=coins_of(halt.asset, halt.units) if halt.asset else None,
        difference_id=halt.difference_id,
        halted_at=moment(halt.halted_at),
        reason=halt.reason,
        proposed_by=halt.proposed_by,
        proposed_at=None if halt.proposed_at is None else moment(halt.proposed_at),
        lifted_by=halt.lifted_by,
        ended_at=None if halt.ended_at is None else moment(halt.ended_at),
    )
