"""Rules of accounts at banks: what a reference belongs to, and how long timing explains it.

The patience depends on the rail. A statement has a booking by the end of the next banking day; ACH
payments settle when their time for returns is over. The ledger follows a line within seconds.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Final
from uuid import UUID

from landbridge.payments.bank_files.counted_lines import (
    AchFile,
    BankMovement,
    ClosingBalance,
    UnbookedPayout,
)
from landbridge.platform.core.ids import as_uuid
from landbridge.providers.rails.calendar import settles_at
from landbridge.reporting.reconciliation.bank_days import local_day, statement_due
from landbridge.reporting.reconciliation.model import (
    DEBIT_PATIENCE,
    DifferenceKind,
    FoundDifference,
    MovementMatch,
    MovementSum,
    find_difference,
)

# Prefix of a gap's reference, before the identifier of the statement that begins after it.
GAP_PREFIX: Final = "statement/"
# Time within which the worker advances a record after its line is matched, even when busy.
_ENTRY_PATIENCE: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)
# Earliest closing day, because days around the first one of the calendar can't be computed.
_EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class BankReferences:
    """Kinds of references: ACH files by name, and lines; others are records or deposits."""

    ach_files: Mapping[str, AchFile]
    # By line: whether the worker or a reviewer has still to process it.
    lines: Mapping[UUID, bool]

    def kept(self, unequal: Mapping[str, bool]) -> list[str]:
        """Return the unequal matches that the first comparison keeps.

        These still wait for their other side. All other movements are part of the baseline.
        """
        return [
            reference
            for reference, is_unknown in unequal.items()
            if self._is_open(reference, is_unknown=is_unknown)
        ]

    def _is_open(self, reference: str, *, is_unknown: bool) -> bool:
        if reference in self.ach_files:
            return self.ach_files[reference].is_open
        line_id = as_uuid(reference)
        return is_unknown and (line_id is None or self.lines.get(line_id, True))


def sum_lines(movements: Iterable[BankMovement], asset: str) -> list[MovementSum]:
    """Sum the movements of lines by reference."""
    units: defaultdict[str, int] = defaultdict(int)
    record_ids: dict[str, UUID | None] = {}
    for each in movements:
        units[each.reference] += each.units
        record_ids[each.reference] = each.record_id
    return [
        MovementSum(
            reference=reference,
            asset=asset,
            record_id=record_ids[reference],
            outside_units=total,
        )
        for reference, total in units.items()
        if total
    ]


def line_ids(references: Iterable[str]) -> list[UUID]:
    """Return the ids among the references, which may be those of lines."""
    found = (as_uuid(each) for each in references)
    return [each for each in found if each is not None]


def closing_day(currency: str, closing: ClosingBalance, now: datetime) -> date:
    """Return the day of a closing balance; without one, the day before its statement was made.

    A day that is long after the statement was made is not accepted, as banks may write any day.
    """
    made_at = max(min(closing.created_at, now), _EARLIEST)
    if closing.closing_on is None:
        return local_day(currency, made_at) - _DAY
    return max(_EARLIEST.date(), min(closing.closing_on, made_at.date() + _DAY))


def find_bank_difference(
    match: MovementMatch, references: BankReferences, currency: str, now: datetime
) -> FoundDifference | None:
    """Return the difference of a match of a bank; None if its sides are equal."""
    found = find_difference(match, DEBIT_PATIENCE, now)
    if found is None:
        return None
    if match.reference.startswith(GAP_PREFIX):
        return replace(found, kind=DifferenceKind.STATEMENT_GAP, due_at=now)
    return replace(found, due_at=_due_at(match, references, currency))


def find_overdue(
    payouts: Iterable[UnbookedPayout], asset: str, currency: str, now: datetime
) -> list[FoundDifference]:
    """Return differences for payouts that a statement should have by now."""
    return [
        FoundDifference(
            kind=DifferenceKind.MISSING_OUTSIDE,
            asset=asset,
            reference=str(each.record_id),
            record_id=each.record_id,
            ledger_units=-each.units,
            due_at=now,
        )
        for each in payouts
        if statement_due(currency, settles_at(each.rail, each.delivered_at)) <= now
    ]


def _due_at(match: MovementMatch, references: BankReferences, currency: str) -> datetime:
    """Return the time until which timing explains a match."""
    moved_at = match.outside_moved_at or match.first_seen_at
    file = references.ach_files.get(match.reference)
    if file is not None:
        return statement_due(currency, max(moved_at, file.closes_at or moved_at))
    if match.outside_moved_at is None:
        return statement_due(currency, moved_at)
    if as_uuid(match.reference) in references.lines:
        return moved_at + DEBIT_PATIENCE
    if match.record_id is None and not match.ledger_units and match.outside_units > 0:
        # The deposit is not matched with a payment yet, or is being returned.
        return statement_due(currency, moved_at)
    return moved_at + _ENTRY_PATIENCE
