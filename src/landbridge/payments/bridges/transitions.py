"""Transitions of bridges and their journals: pure functions.

The coins of the two chains are two assets. A bridge is booked as leaving one chain and arriving on
the other, and is in transit in between, as coins of the destination chain.
"""

from datetime import datetime
from typing import Any

from landbridge.ledger.model import AdvanceTransfer, DueCheck, HouseRole, Posting, Transfer
from landbridge.payments.approvals.model import WHY_EXPIRED, WHY_REJECTED
from landbridge.payments.bridges.model import QUOTE_LIFETIME, Bridge, BridgeStatus, as_bridge
from landbridge.payments.engine.dry_run import NO_ACTOR, PlannedStep, journal_steps
from landbridge.payments.engine.postings import hold, move, release_held, spend_held

_ENDS = {
    BridgeStatus.QUOTE_FAILED: (
        "expire",
        DueCheck.OVERDUE,
        "the quote expired before it was accepted",
    ),
    BridgeStatus.EXPIRED: ("expire", DueCheck.OVERDUE, WHY_EXPIRED),
    BridgeStatus.REJECTED: ("reject", DueCheck.IN_TIME, WHY_REJECTED),
}


def accepted(bridge: Bridge, actor: str, at: datetime) -> AdvanceTransfer:
    """Build the accept of a quote in time; it holds the coins unless they are held already."""
    return AdvanceTransfer(
        bridge.record,
        path=(BridgeStatus.CREATED,),
        change_type="accept",
        actor=actor,
        at=at,
        timing=DueCheck.IN_TIME,
        due_at=at,
        facts={"held_units": bridge.source.units},
        journals={}
        if bridge.held.units
        else {0: hold(bridge.details.source_account_id, bridge.source)},
    )


def approved(bridge: Bridge, actor: str, at: datetime) -> AdvanceTransfer:
    """Build the quote that follows an approval, for the held amount: the rate is always 1."""
    expires_at = at + QUOTE_LIFETIME
    return AdvanceTransfer(
        bridge.record,
        path=(BridgeStatus.OPEN_QUOTE,),
        change_type="approve",
        actor=actor,
        at=at,
        due_at=expires_at,
        facts={"quote_expires_at": expires_at.isoformat()},
    )


def ended(bridge: Bridge, status: BridgeStatus, actor: str, at: datetime) -> AdvanceTransfer:
    """Build the end of a bridge that has sent nothing: its held coins are released.

    Time ends a quote that was not accepted (QUOTE_FAILED) and an approval that was not decided
    (EXPIRED); an admin rejects in time (REJECTED).
    """
    change_type, timing, reason = _ENDS[status]
    return _end(
        bridge, status, change_type=change_type, actor=actor, at=at, timing=timing, reason=reason
    )


def not_initiated(bridge: Bridge, actor: str, at: datetime, reason: str) -> AdvanceTransfer:
    """Build the end of an accepted bridge that may not be sent any more."""
    return _end(
        bridge,
        BridgeStatus.NOT_INITIATED,
        change_type="not_initiated",
        actor=actor,
        at=at,
        timing=DueCheck.ANY,
        reason=reason,
    )


def released(bridge: Bridge) -> list[Posting]:
    """Return the journal of an unburned bridge: its held coins are released."""
    return release_held(bridge.details.source_account_id, bridge.held)


def burned(bridge: Bridge) -> list[Posting]:
    """Return the journal of the burn: the coins leave the source chain and are in transit."""
    return [
        *spend_held(bridge.details.source_account_id, [(HouseRole.OUTSIDE, bridge.source)]),
        Posting(HouseRole.OUTSIDE, -bridge.destination),
        Posting(HouseRole.IN_TRANSIT, bridge.destination),
    ]


def minted(bridge: Bridge) -> list[Posting]:
    """Return the journal of the mint: the coins arrive in an internal wallet or outside."""
    receiver = bridge.details.destination_account_id or HouseRole.OUTSIDE
    return move(HouseRole.IN_TRANSIT, receiver, bridge.destination)


def returned(bridge: Bridge) -> list[Posting]:
    """Return the journal of the refund: to the paying wallet, or to a reviewer's choice."""
    if bridge.returns_to is HouseRole.OUTSIDE:
        return returned_outside(bridge)
    return returned_outside(bridge) + move(HouseRole.OUTSIDE, bridge.returns_to, bridge.source)


def returned_outside(bridge: Bridge) -> list[Posting]:
    """Return the journal of a refund that was made by other means than an order of ours."""
    return move(HouseRole.IN_TRANSIT, HouseRole.OUTSIDE, bridge.destination)


def planned_steps(record: Transfer) -> list[PlannedStep]:
    """Return the planned steps after the creation, if the bridge is accepted and all goes well."""
    bridge = as_bridge(record)
    return [
        *journal_steps(accepted(bridge, NO_ACTOR, record.created_at)),
        PlannedStep(BridgeStatus.SOURCE_PROCESSED, burned(bridge)),
        PlannedStep(BridgeStatus.COMPLETED, minted(bridge)),
    ]


def _end(
    bridge: Bridge,
    status: BridgeStatus,
    *,
    change_type: str,
    actor: str,
    at: datetime,
    timing: DueCheck,
    reason: str,
) -> AdvanceTransfer:
    facts: dict[str, Any] = {"failed_reason": reason}
    return AdvanceTransfer(
        bridge.record,
        path=(status,),
        change_type=change_type,
        actor=actor,
        at=at,
        timing=timing,
        facts={**facts, "held_units": 0} if bridge.held.units else facts,
        journals={0: released(bridge)} if bridge.held.units else {},
    )
