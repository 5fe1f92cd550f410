"""Types of daily closes, and their rules: pure functions.

The content of a close is canonical JSON: members in sorted order, units as texts, and the digest of
the close before, so that the closes of an organisation form a chain.
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
    COMPLETED = "COMPLETED"  # confirmed by a second one: never changes again
    REJECTED = "REJECTED"  # by the second person, or withdrawn; the day may be signed again


class ClosePosition(msgspec.Struct, frozen=True, kw_only=True):
    """Both sides of an asset at the cut of a day; units as texts."""

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
    """Difference that a close carries, or that has been resolved since the close before.

    `is_earlier`: the close before has carried it, too. `age_days` is its age at the cut.
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
    """Correction that the ledger has posted since the cut before, and the record that it corrects.

    It belongs to the day on which it was posted, whatever the day of the record.
    """

    id: UUID
    record_id: UUID
    posted_at: datetime


class CloseContent(msgspec.Struct, frozen=True, kw_only=True):
    """What people sign. `cut_at` is the time of the day's comparison; `tolerance` is in coins.

    `reason` is why differences above it are carried. `reserves` are missing if liabilities were not
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
        """Return the statement of reserves, if there are any.

        What is owed was counted with the chains: a bank's cut may be hours later.
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
    """Close of one day. `text` is the content that was signed; people are keys or members."""

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
        """Return the content."""
        return msgspec.json.decode(self.text, type=CloseContent)

    @property
    def is_intact(self) -> bool:
        """Return whether the content still has the digest that was signed."""
        return content_digest(self.text) == self.digest


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseInput:
    """What the close of a day is made of."""

    org_id: UUID
    day: date
    zone: str
    positions: Sequence[ClosePosition]
    unresolved: Sequence[Difference]
    # Differences that the close before has carried, as they are now.
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
    """Return the last day that has ended in a zone."""
    return at.astimezone(ZoneInfo(zone)).date() - timedelta(days=1)


def exceeds(difference: Difference, tolerance: Decimal) -> bool:
    """Return whether an unresolved difference needs a reason to be carried.

    Timing explains some; one of a whole source has no amount, and always needs one.
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
    """Return what is owed and held of each coin that is used; None unless all were counted.

    Wallets hold no money at banks.
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
