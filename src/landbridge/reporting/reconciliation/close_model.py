"""Types of daily closes, and their rules: pure functions.

The content of a close is canonical JSON: members in sorted order, units as texts, and the digest of
the previous close, so that the closes of an organisation form a hash chain.
"""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec

from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.money import Money
from landbridge.reporting.reconciliation.model import Difference, DifferenceStatus
from landbridge.reporting.reconciliation.sources import COMPARED_ASSETS, ReconSourceName
from landbridge.reporting.reserves.model import AssetReserve, ReserveStatement, StoredReserve

_VERSION = 2


class CloseStatus(StrEnum):
    """Status of a close."""

    PREPARED = "PREPARED"  # signed by one person; waits for a second one
    COMPLETED = "COMPLETED"  # confirmed by a second person: never changes again
    REJECTED = "REJECTED"  # rejected or withdrawn: the day may be signed again


class ClosePosition(msgspec.Struct, frozen=True, kw_only=True):
    """Ledger and source side of an asset at the cut of a day; units are texts."""

    source: str
    asset: str
    block_number: int
    block_hash: str
    compared_at: datetime
    ledger_units: str
    outside_units: str
    unexplained_units: str
    accepted_units: str

    @property
    def is_of_chain(self) -> bool:
        """Whether the source is a chain, not a bank."""
        return not ReconSourceName(self.source).is_bank


class CloseDifference(msgspec.Struct, frozen=True, kw_only=True):
    """Difference that a close carries, or that was resolved since the previous close.

    `is_earlier` says whether the previous close carried it, too. `age_days` is its age at the cut.
    """

    id: UUID
    kind: str
    status: str
    source: str
    asset: str
    reference: str
    ledger_units: str
    outside_units: str
    since: datetime
    age_days: int
    is_earlier: bool
    resolution: str | None


class CloseCorrection(msgspec.Struct, frozen=True, kw_only=True):
    """Correction that the ledger has posted since the previous cut, and the corrected record.

    It belongs to the day of its posting, not to the day of the record.
    """

    id: UUID
    record_id: UUID
    posted_at: datetime


class CloseContent(msgspec.Struct, frozen=True, kw_only=True):
    """Content that people sign. `cut_at` is the end of the day; `tolerance` is in coins.

    `reason` is why differences above it are carried. `reserves` is None if liabilities were not
    counted at the cut, as before version 2.
    """

    version: int
    org_id: UUID
    day: date
    zone: str
    cut_at: datetime
    previous_digest: str | None
    tolerance: str
    reason: str | None
    positions: list[ClosePosition]
    carried: list[CloseDifference]
    resolved: list[CloseDifference]
    corrections: list[CloseCorrection]
    reserves: list[AssetReserve] | None = None

    @property
    def statement(self) -> ReserveStatement | None:
        """Return the statement of reserves; None if the close has no reserves.

        Its time is that of the chains' comparison, because a bank's may be hours later.
        """
        if self.reserves is None:
            return None
        counted_at = [each.compared_at for each in self.positions if each.is_of_chain]
        return ReserveStatement(
            org_id=self.org_id,
            day=self.day,
            zone=self.zone,
            cut_at=max(counted_at, default=self.cut_at),
            reserves=self.reserves,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyClose:
    """Close of one day. `text` is the signed content; people are ids of keys or members."""

    id: UUID
    day: date
    status: CloseStatus
    text: str
    digest: bytes
    signed_by: UUID
    signed_at: datetime
    decided_by: UUID | None = None
    decided_at: datetime | None = None
    rejection_reason: str | None = None

    @property
    def content(self) -> CloseContent:
        """Return the decoded content."""
        return msgspec.json.decode(self.text, type=CloseContent)

    @property
    def is_intact(self) -> bool:
        """Return whether the content still has the digest that was signed."""
        return content_digest(self.text) == self.digest


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseInput:
    """Data from which the close of a day is built."""

    org_id: UUID
    day: date
    zone: str
    positions: Sequence[ClosePosition]
    unresolved: Sequence[Difference]
    # Present state of the differences that the previous close carried.
    earlier: Sequence[Difference]
    corrections: Sequence[CloseCorrection]
    liabilities: Sequence[StoredReserve]
    previous_digest: bytes | None
    tolerance: Decimal


def end_of_day(day: date, zone: str) -> datetime:
    """Return the first moment after a day in a zone, in UTC."""
    midnight = datetime.combine(day + timedelta(days=1), time.min, tzinfo=ZoneInfo(zone))
    return midnight.astimezone(UTC)


def ended_day(at: datetime, zone: str) -> date:
    """Return the last day that has ended in a zone at this time."""
    return at.astimezone(ZoneInfo(zone)).date() - timedelta(days=1)


def exceeds(difference: Difference, tolerance: Decimal) -> bool:
    """Return whether an unresolved difference needs a reason to be carried.

    Differences that timing explains need none. One of a whole source, which has no amount, always
    needs one.
    """
    if difference.status is DifferenceStatus.TIMING:
        return False
    if not difference.asset:
        return True
    return abs(difference.units) > Money.parse(tolerance, COMPARED_ASSETS[difference.asset]).units


def missing_sources(
    expected: Collection[ReconSourceName], positions: Iterable[ClosePosition]
) -> list[ReconSourceName]:
    """Return the sources without a comparison at the cut."""
    found = {each.source for each in positions}
    return sorted(each for each in expected if each not in found)


def build_content(found: CloseInput, reason: str | None) -> str:
    """Return the content of a close, as canonical JSON."""
    cut_at = max(each.compared_at for each in found.positions)
    earlier = {each.id for each in found.earlier}
    content = CloseContent(
        version=_VERSION,
        org_id=found.org_id,
        day=found.day,
        zone=found.zone,
        cut_at=cut_at,
        previous_digest=None if found.previous_digest is None else found.previous_digest.hex(),
        tolerance=str(found.tolerance),
        reason=reason,
        positions=list(found.positions),
        carried=[_difference(each, cut_at, earlier) for each in found.unresolved],
        resolved=[
            _difference(each, cut_at, earlier)
            for each in found.earlier
            if each.status is DifferenceStatus.RESOLVED
        ],
        corrections=list(found.corrections),
        reserves=_reserves(found.positions, found.liabilities),
    )
    return msgspec.json.encode(content, order="sorted").decode()


def _reserves(
    positions: Sequence[ClosePosition], liabilities: Sequence[StoredReserve]
) -> list[AssetReserve] | None:
    """Return what is owed and held of each used coin; None unless all were counted.

    Positions at banks are left out, because wallets hold no such money.
    """
    coins = [each for each in positions if each.is_of_chain]
    owed = {each.asset: each for each in liabilities}
    if not coins or any(each.asset not in owed for each in coins):
        return None
    found = [_reserve(each, owed[each.asset]) for each in coins]
    return [each for each in found if {each.held_units, each.owed_units, each.open_units} != {"0"}]


def _reserve(position: ClosePosition, owed: StoredReserve) -> AssetReserve:
    return copy_fields(
        position,
        AssetReserve,
        held_units=position.outside_units,
        owed_units=str(owed.owed_units),
        open_units=str(owed.open_units),
        pieces=owed.pieces,
        root=owed.root.hex(),
        addresses=owed.addresses,
        addresses_digest=owed.addresses_digest.hex(),
    )


def content_digest(text: str) -> bytes:
    """Return the SHA-256 of a content."""
    return hashlib.sha256(text.encode()).digest()


def _difference(found: Difference, cut_at: datetime, earlier: Collection[UUID]) -> CloseDifference:
    return copy_fields(
        found,
        CloseDifference,
        ledger_units=str(found.ledger_units),
        outside_units=str(found.outside_units),
        age_days=max(0, (cut_at - found.since).days),
        is_earlier=found.id in earlier,
    )
