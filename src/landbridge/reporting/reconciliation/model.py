"""Types of reconciliation, and its rules: pure functions.

All units are signed from the organisation's view: positive for incoming, negative for outgoing. A
difference is the source's amount minus the ledger's.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.money import Asset
from landbridge.providers.chains.records import AddressMovement, RecordedBlock
from landbridge.providers.chains.tokens import ASSETS, TOKENS, Chain
from landbridge.reporting.reconciliation.sources import ReconSourceName


class DifferenceKind(StrEnum):
    """Kind of a difference."""

    MISSING_OUTSIDE = "MISSING_OUTSIDE"  # the ledger has it, the source does not
    UNKNOWN_OUTSIDE = "UNKNOWN_OUTSIDE"  # the source has it, the ledger does not
    AMOUNT = "AMOUNT"  # both have it, with different amounts
    DUPLICATE = "DUPLICATE"  # the source has it several times
    POSITION = "POSITION"  # the balance differs by units that no movement explains
    REORGED = "REORGED"  # the source has lost a block that was final
    SOURCE_SILENT = "SOURCE_SILENT"  # the source has not answered for longer than its patience
    STATEMENT_GAP = "STATEMENT_GAP"  # a statement does not open with the previous closing balance


class DifferenceStatus(StrEnum):
    """Status of a difference."""

    TIMING = "TIMING"  # the other side may follow until the source's patience ends
    OPEN = "OPEN"  # waits for a person
    PROPOSED = "PROPOSED"  # explained by one person, waits for a second one
    RESOLVED = "RESOLVED"  # explained, or gone


class DifferenceResolution(StrEnum):
    """How a difference ended."""

    MATCHED = "MATCHED"  # both sides have it now
    CLEARED = "CLEARED"  # a later run no longer found it
    ACCEPTED = "ACCEPTED"  # two people have explained it
    ADJUSTED = "ADJUSTED"  # two people have adjusted the ledger


# Kinds that concern a whole asset or source: the next good run without them resolves them.
OF_POSITION = (DifferenceKind.POSITION, DifferenceKind.SOURCE_SILENT)

# Time for the other side to follow. The sandbox's chains are final at once. On real chains the
# ledger books a payment when it is confirmed, up to half an hour before it is final.
SANDBOX_PATIENCE = timedelta(minutes=1)
CHAIN_PATIENCE = timedelta(hours=1)
# Shorter time for debits, because coins that leave without an entry are an alarm, and an entry
# follows its order within seconds.
DEBIT_PATIENCE = timedelta(minutes=1)
# Fact of an adjustment: the reference of its difference.
REFERENCE_FACT = "difference_reference"
# Time from one run to the next, and after a run in which a source did not answer.
CADENCE, RETRY = timedelta(minutes=15), timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class BookedMovement:
    """OUTSIDE movement of one change of a record in the ledger; `asset` is a code.

    `reference` is empty if the movement has no counterpart at a source. `record_id` is None if
    several records share a reference.
    """

    record_id: UUID | None
    reference: str
    asset: str
    units: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MovementSum:
    """Sum to add to one side of a match."""

    reference: str
    asset: str
    record_id: UUID | None
    ledger_units: int = 0
    outside_units: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MovementMatch:
    """Ledger and source side of a reference, in one asset."""

    reference: str
    asset: str
    record_id: UUID | None
    ledger_units: int
    outside_units: int
    first_seen_at: datetime
    outside_moved_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDifference:
    """Difference that a run has found; `asset` and `reference` are empty if they do not apply."""

    kind: DifferenceKind
    asset: str = ""
    reference: str = ""
    record_id: UUID | None = None
    ledger_units: int = 0
    outside_units: int = 0
    # Time until which timing may explain the difference.
    due_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class BookedPosition:
    """OUTSIDE units of one asset in the ledger, and units that open matches explain."""

    asset: str
    ledger_units: int
    explained_units: int
    accepted_units: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPosition:
    """Position of one asset in a run."""

    asset: str
    ledger_units: int
    outside_units: int
    unexplained_units: int
    accepted_units: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconSource:
    """Outside system that holds money of an organisation; times are organisation time.

    `last_good_at` is None before its first comparison. For a bank, `block` is the last statement:
    its number, 0 without one, and its identifier.
    """

    source: ReconSourceName
    block_number: int
    block_hash: str
    last_run_at: datetime
    last_good_at: datetime | None
    failure: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Stored difference; see `FoundDifference`.

    `assignee_id` is a member. `reason` is the explanation by `proposed_by`, a key or a member;
    `accepted_by` is the second person. With `adjusts_ledger` the acceptance posts a journal.
    """

    id: UUID
    source: ReconSourceName
    kind: DifferenceKind
    status: DifferenceStatus
    asset: str
    reference: str
    record_id: UUID | None
    ledger_units: int
    outside_units: int
    since: datetime
    due_at: datetime
    resolution: str | None
    resolved_at: datetime | None
    assignee_id: UUID | None = None
    reason: str | None = None
    proposed_by: UUID | None = None
    proposed_at: datetime | None = None
    accepted_by: UUID | None = None
    adjusts_ledger: bool = False

    @property
    def units(self) -> int:
        """Return the signed difference."""
        return self.outside_units - self.ledger_units


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceFilters:
    """Filters of a list of differences; empty and None do not filter."""

    statuses: Collection[DifferenceStatus] = ()
    kinds: Collection[DifferenceKind] = ()
    sources: Collection[ReconSourceName] = ()
    assignee_id: UUID | None = None
    record_id: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconRun:
    """Comparison with one source; `failure` is why nothing was compared.

    `block` is None if the source did not answer before its first comparison. `open_count` is the
    number of its differences that were not resolved afterwards.
    """

    id: UUID
    source: ReconSourceName
    compared_at: datetime
    block: RecordedBlock | None
    failure: str | None
    open_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconPerson:
    """Key or member who decides; `actor` is the name in the change log.

    `offset` is that of the organisation's clock.
    """

    org_id: UUID
    id: UUID
    actor: str
    offset: timedelta


def assets_of(chain: Chain) -> list[Asset]:
    """Return the assets of a chain that are compared; its native coin is not in the ledger."""
    return [token.asset for (on, _), token in TOKENS.items() if on is chain]


def source_of(asset: str) -> Chain:
    """Return the source of an asset."""
    return Chain(ASSETS[asset].chain)


def reference_of(record_id: UUID, facts: Mapping[str, Any]) -> str:
    """Return the transaction hash in the facts of a change, otherwise the record's id.

    An adjustment has the reference of its difference, which is empty for a position.
    """
    if REFERENCE_FACT in facts:
        return str(facts[REFERENCE_FACT])
    for name, value in facts.items():
        if value and (name == "deposit_hash" or name.endswith("transaction_hash")):
            return str(value)
    return str(record_id)


def total_booked(booked: Iterable[BookedMovement]) -> Mapping[tuple[ReconSourceName, str], int]:
    """Return the units that movements add to each source and asset."""
    totals: defaultdict[tuple[ReconSourceName, str], int] = defaultdict(int)
    for each in booked:
        totals[ReconSourceName(source_of(each.asset)), each.asset] += each.units
    return totals


def sum_booked(booked: Iterable[BookedMovement]) -> list[MovementSum]:
    """Sum the ledger's movements by reference and asset."""
    units: defaultdict[tuple[str, str], int] = defaultdict(int)
    record_ids: dict[tuple[str, str], UUID | None] = {}
    for each in booked:
        if not each.reference:
            continue
        key = each.reference, each.asset
        units[key] += each.units
        record_ids.setdefault(key, each.record_id)
    return [
        MovementSum(
            reference=reference,
            asset=asset,
            record_id=record_ids[reference, asset],
            ledger_units=total,
        )
        for (reference, asset), total in units.items()
        if total
    ]


def sum_outside(movements: Iterable[AddressMovement]) -> list[MovementSum]:
    """Sum a chain's movements by transaction and asset."""
    units: defaultdict[tuple[str, str], int] = defaultdict(int)
    for each in movements:
        units[each.transaction_hash, each.asset] += each.units
    return [
        MovementSum(reference=reference, asset=asset, record_id=None, outside_units=total)
        for (reference, asset), total in units.items()
        if total
    ]


def find_kind(ledger_units: int, outside_units: int) -> DifferenceKind | None:
    """Return how the two sides of a match differ; None if they are equal."""
    if ledger_units == outside_units:
        return None
    if not outside_units:
        return DifferenceKind.MISSING_OUTSIDE
    if not ledger_units:
        return DifferenceKind.UNKNOWN_OUTSIDE
    times, rest = divmod(outside_units, ledger_units)
    return DifferenceKind.DUPLICATE if not rest and times > 1 else DifferenceKind.AMOUNT


def find_difference(
    match: MovementMatch, patience: timedelta, now: datetime
) -> FoundDifference | None:
    """Return the difference of a match; None if its sides are equal.

    A match with only one side is a timing difference within the source's patience.
    """
    kind = find_kind(match.ledger_units, match.outside_units)
    if kind is None:
        return None
    match kind:
        case DifferenceKind.MISSING_OUTSIDE:
            due_at = match.first_seen_at + patience
        case DifferenceKind.UNKNOWN_OUTSIDE if match.outside_units < 0:
            due_at = match.first_seen_at + min(patience, DEBIT_PATIENCE)
        case DifferenceKind.UNKNOWN_OUTSIDE:
            due_at = match.first_seen_at + patience
        case _:
            due_at = now
    return copy_fields(match, FoundDifference, kind=kind, due_at=due_at)


def compare(
    booked: Iterable[BookedPosition], held: Mapping[str, int]
) -> Sequence[ComparedPosition]:
    """Compare the ledger's units of each asset with those that the source holds."""
    return [
        ComparedPosition(
            asset=each.asset,
            ledger_units=each.ledger_units,
            outside_units=(outside := held.get(each.asset, 0)),
            unexplained_units=outside - each.ledger_units - each.explained_units,
            accepted_units=each.accepted_units,
        )
        for each in booked
    ]


def find_position_differences(
    positions: Iterable[ComparedPosition], now: datetime
) -> list[FoundDifference]:
    """Return a difference for each position that neither movements nor people explain."""
    return [
        FoundDifference(
            kind=DifferenceKind.POSITION,
            asset=each.asset,
            # The difference has only the part that no movement and no person explains.
            ledger_units=each.outside_units - each.unexplained_units + each.accepted_units,
            outside_units=each.outside_units,
            due_at=now,
        )
        for each in positions
        if each.unexplained_units != each.accepted_units
    ]
