"""What each verb and step does to a bridge: moves and their journals, computed only.

The coins of the two chains are two assets, so a bridge is booked as leaving one chain and arriving
on the other, and is in transit in between: as coins of the chain where it goes.
"""

from datetime import datetime
from typing import Any

from landbridge.approvals.model import WHY_EXPIRED, WHY_REJECTED
from landbridge.flows.bridges.model import QUOTE_LIFETIME, Bridge, Status, as_bridge
from landbridge.ledger.model import Move, Posting, Role, Timing, Transfer
from landbridge.payments.postings import hold, let_go, spend_held
from landbridge.payments.rehearsal import NOBODY, Station, stations_of

_ENDS = {
    Status.QUOTE_FAILED: (
        "expire",
        Timing.OVERDUE,
        "the quote expired before it was accepted",
    ),
    Status.EXPIRED: ("expire", Timing.OVERDUE, WHY_EXPIRED),
    Status.REJECTED: ("reject", Timing.IN_TIME, WHY_REJECTED),
}


def accepted(bridge: Bridge, actor: str, at: datetime) -> Move:
    """The accept, before the quote is due: its coins are held if they are not yet."""
    return Move(
        bridge.record,
        path=(Status.CREATED,),
        what="accept",
        actor=actor,
        at=at,
        timing=Timing.IN_TIME,
        due_at=at,
        facts={"held_units": bridge.source.units},
        journals={}
        if bridge.held.units
        else {0: hold(bridge.details.source_account_id, bridge.source)},
    )


def approved(bridge: Bridge, actor: str, at: datetime) -> Move:
    """The quote that follows an approval. It takes what is held already: the rate is always 1."""
    expires_at = at + QUOTE_LIFETIME
    return Move(
        bridge.record,
        path=(Status.OPEN_QUOTE,),
        what="approve",
        actor=actor,
        at=at,
        due_at=expires_at,
        facts={"quote_expires_at": expires_at.isoformat()},
    )


def ended(bridge: Bridge, status: Status, actor: str, at: datetime) -> Move:
    """The end of a bridge of which nothing was sent: what it holds is let go.

    Time ends a quote that nobody accepted (QUOTE_FAILED) and one that nobody decided on (EXPIRED),
    an admin one in time (REJECTED).
    """
    what, timing, reason = _ENDS[status]
    return _let_go(bridge, status, what=what, actor=actor, at=at, timing=timing, reason=reason)


def unsent(bridge: Bridge, actor: str, at: datetime, reason: str) -> Move:
    """The end of an accepted bridge that may not be sent any more."""
    return _let_go(
        bridge,
        Status.NOT_INITIATED,
        what="not_initiated",
        actor=actor,
        at=at,
        timing=Timing.ANY,
        reason=reason,
    )


def freed(bridge: Bridge) -> list[Posting]:
    """Nothing was burned: what is held is the wallet's to spend again."""
    return let_go(bridge.details.source_account_id, bridge.held)


def burned(bridge: Bridge) -> list[Posting]:
    """The coins leave the source chain, and are on their way to the other."""
    return [
        *spend_held(bridge.details.source_account_id, [(Role.OUTSIDE, bridge.source)]),
        Posting(Role.OUTSIDE, -bridge.destination),
        Posting(Role.IN_TRANSIT, bridge.destination),
    ]


def minted(bridge: Bridge) -> list[Posting]:
    """The coins arrive: in a wallet of ours, or outside."""
    return [
        Posting(Role.IN_TRANSIT, -bridge.destination),
        Posting(bridge.details.destination_account_id or Role.OUTSIDE, bridge.destination),
    ]


def returned(bridge: Bridge) -> list[Posting]:
    """The coins come back on the source chain: to the wallet, or where a reviewer sent them."""
    back = [
        Posting(Role.OUTSIDE, -bridge.source),
        Posting(bridge.returns_to, bridge.source),
    ]
    return returned_outside(bridge) + (back if bridge.returns_to is not Role.OUTSIDE else [])


def returned_outside(bridge: Bridge) -> list[Posting]:
    """Post coins that were returned outside of the platform."""
    return [
        Posting(Role.IN_TRANSIT, -bridge.destination),
        Posting(Role.OUTSIDE, bridge.destination),
    ]


def course(record: Transfer) -> list[Station]:
    """What is posted after it was opened, if it is accepted and all goes well."""
    bridge = as_bridge(record)
    return [
        *stations_of(accepted(bridge, NOBODY, record.created_at)),
        Station(Status.SOURCE_PROCESSED, burned(bridge)),
        Station(Status.COMPLETED, minted(bridge)),
    ]


def _let_go(
    bridge: Bridge,
    status: Status,
    *,
    what: str,
    actor: str,
    at: datetime,
    timing: Timing,
    reason: str,
) -> Move:
    facts: dict[str, Any] = {"failed_reason": reason}
    return Move(
        bridge.record,
        path=(status,),
        what=what,
        actor=actor,
        at=at,
        timing=timing,
        facts={**facts, "held_units": 0} if bridge.held.units else facts,
        journals={0: freed(bridge)} if bridge.held.units else {},
    )
