"""Requests and replies of daily closes. Amounts are coins."""

from typing import Annotated
from uuid import UUID

import msgspec

from landbridge.platform.http.constraints import DATE, pattern_schema, with_schema
from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, moment, reply_of
from landbridge.reporting.reconciliation.close_model import (
    CloseDifference,
    ClosePosition,
    CloseStatus,
    DailyClose,
)
from landbridge.reporting.reconciliation.model import (
    DifferenceKind,
    DifferenceResolution,
    DifferenceStatus,
)
from landbridge.reporting.reconciliation.schemas import ReasonText, coins_of
from landbridge.reporting.reconciliation.sources import COMPARED_ASSETS, ReconSourceName
from landbridge.reporting.reserves.model import AssetReserve

DayText = Annotated[str, with_schema(DATE)]


class CloseSignature(WireStruct, frozen=True):
    """Day to close, as in 2026-01-31, in the organisation's time zone.

    `reason` is why differences above the tolerance are carried: one line, without personal data.
    """

    day: DayText
    reason: ReasonText | None = None


class CloseConfirmation(WireStruct, frozen=True):
    """Digest of the close that you confirm."""

    digest: Annotated[str, with_schema(pattern_schema("^[0-9a-f]{64}$"))]


class CloseRejection(WireStruct, frozen=True):
    """Why the close is rejected or withdrawn: one line, without personal data."""

    reason: ReasonText


class CloseReply(WireStruct, frozen=True):
    """Close of one day. `signedBy` and `decidedBy` are keys or members, never the same person.

    `digest` is the SHA-256 of what was signed. `carriedCount` is the number of differences that
    were not resolved.
    """

    id: UUID
    day: str
    status: CloseStatus
    digest: str
    cut_at: Moment
    carried_count: int
    reason: str | None
    signed_by: UUID
    signed_at: Moment
    decided_by: UUID | None
    decided_at: Moment | None
    rejection_reason: str | None


class ClosePage(WireStruct, frozen=True):
    """Page of closes, the latest signature first."""

    count: int
    closes: list[CloseReply]
    next_cursor: str | msgspec.UnsetType = msgspec.UNSET


class ClosePositionReply(WireStruct, frozen=True):
    """Both sides of one currency at the cut. `acceptedAmount` is explained by people."""

    source: ReconSourceName
    currency: str
    block_number: int
    block_hash: str
    compared_at: Moment
    ledger_amount: DecimalText
    outside_amount: DecimalText
    difference_amount: DecimalText
    unexplained_amount: DecimalText
    accepted_amount: DecimalText


class CloseDifferenceReply(WireStruct, frozen=True):
    """Difference as it was signed. `isEarlier`: the close before has carried it, too."""

    id: UUID
    kind: DifferenceKind
    status: DifferenceStatus
    source: ReconSourceName
    currency: str | None
    amount: DecimalText | None
    since: Moment
    age_days: int
    is_earlier: bool
    resolution: DifferenceResolution | None


class CloseCorrectionReply(WireStruct, frozen=True):
    """Correction that the ledger has posted since the cut before."""

    id: UUID
    record_id: UUID
    posted_at: Moment


class CloseReserveReply(WireStruct, frozen=True):
    """What is owed and held of one currency at the cut.

    `owedAmount` are users' balances; `root` is above all of them, split into `pieces`.
    `openAmount` is owed beside them: in open payments, deposits that wait, and fees of others.
    `ratio` is `heldAmount` by what is owed, rounded down; null if nothing is owed.
    `addressesDigest` covers the `addresses` that hold the coins.
    """

    source: ReconSourceName
    currency: str
    owed_amount: DecimalText
    open_amount: DecimalText
    held_amount: DecimalText
    ratio: DecimalText | None
    pieces: int
    root: str
    addresses: int
    addresses_digest: str


class CloseWithContent(WireStruct, frozen=True):
    """Close with what was signed: `content` is the exact text; the digest is its SHA-256.

    `isIntact` is whether it still is. `reserves` is null for a close without them, as of days
    before liabilities were counted. `resolved` are differences that the close before has carried.
    """

    close: CloseReply
    zone: str
    tolerance: DecimalText
    previous_digest: str | None
    positions: list[ClosePositionReply]
    carried: list[CloseDifferenceReply]
    resolved: list[CloseDifferenceReply]
    corrections: list[CloseCorrectionReply]
    reserves: list[CloseReserveReply] | None
    is_intact: bool
    content: str


def close_reply(close: DailyClose) -> CloseReply:
    """Return a close without its positions."""
    content = close.content
    return reply_of(
        close,
        CloseReply,
        day=close.day.isoformat(),
        digest=close.digest.hex(),
        cut_at=moment(content.cut_at),
        carried_count=len(content.carried),
        reason=content.reason,
    )


def content_reply(close: DailyClose) -> CloseWithContent:
    """Return a close with what was signed."""
    content = close.content
    return CloseWithContent(
        close=close_reply(close),
        zone=content.zone,
        tolerance=content.tolerance,
        previous_digest=content.previous_digest,
        positions=[_position(each) for each in content.positions],
        carried=[_difference(each) for each in content.carried],
        resolved=[_difference(each) for each in content.resolved],
        corrections=[reply_of(each, CloseCorrectionReply) for each in content.corrections],
        reserves=None
        if content.reserves is None
        else [_reserve(each) for each in content.reserves],
        is_intact=close.is_intact,
        content=close.text,
    )


def _position(position: ClosePosition) -> ClosePositionReply:
    asset, ledger, outside = (
        position.asset,
        int(position.ledger_units),
        int(position.outside_units),
    )
    return ClosePositionReply(
        source=ReconSourceName(position.source),
        currency=COMPARED_ASSETS[asset].currency,
        block_number=position.block_number,
        block_hash=position.block_hash,
        compared_at=moment(position.compared_at),
        ledger_amount=coins_of(asset, ledger),
        outside_amount=coins_of(asset, outside),
        difference_amount=coins_of(asset, outside - ledger),
        unexplained_amount=coins_of(asset, int(position.unexplained_units)),
        accepted_amount=coins_of(asset, int(position.accepted_units)),
    )


def _reserve(found: AssetReserve) -> CloseReserveReply:
    asset = found.asset
    return reply_of(
        found,
        CloseReserveReply,
        source=ReconSourceName(found.source),
        currency=COMPARED_ASSETS[asset].currency,
        owed_amount=coins_of(asset, int(found.owed_units)),
        open_amount=coins_of(asset, int(found.open_units)),
        held_amount=coins_of(asset, int(found.held_units)),
        ratio=None if found.ratio is None else f"{found.ratio:f}",
    )


def _difference(found: CloseDifference) -> CloseDifferenceReply:
    asset, units = found.asset, int(found.outside_units) - int(found.ledger_units)
    return reply_of(
        found,
        CloseDifferenceReply,
        kind=DifferenceKind(found.kind),
        status=DifferenceStatus(found.status),
        source=ReconSourceName(found.source),
        currency=COMPARED_ASSETS[asset].currency if asset else None,
        amount=coins_of(asset, units) if asset else None,
        resolution=None if found.resolution is None else DifferenceResolution(found.resolution),
    )
