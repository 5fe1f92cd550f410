"""Adjustments: records that adjust the ledger to a source; two people decide on them.

Journals, by the sign of the difference:

    surplus      OUTSIDE to SUSPENSE: the coins are there, and nobody is known to own them
    shortfall    WRITE_OFFS to OUTSIDE: the coins are gone, and the organisation bears the loss

An adjustment has the reference of its difference, so the next run counts both in the same match. An
adjustment of a position has no reference, as it belongs to no movement. `landbridge correct`
reverses an adjustment once the ledger has the payment that explains it.
"""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from landbridge.ledger.model import CreateTransfer, HouseRole, Posting, Transfer
from landbridge.platform.core.ids import derived_id, new_id
from landbridge.platform.core.money import Money
from landbridge.platform.core.transitions import Transitions
from landbridge.reporting.reconciliation.model import REFERENCE_FACT, Difference
from landbridge.reporting.reconciliation.sources import COMPARED_ASSETS

KIND = "LEDGER.ADJUSTMENT"


class AdjustmentStatus(StrEnum):
    """Status of an adjustment."""

    COMPLETED = "COMPLETED"  # posted


TRANSITIONS: Transitions[AdjustmentStatus] = Transitions(
    start=frozenset({AdjustmentStatus.COMPLETED}), table={AdjustmentStatus.COMPLETED: frozenset()}
)


def adjustment_id(difference_id: UUID) -> UUID:
    """Return the id of a difference's adjustment, derived so that there is only one."""
    return derived_id(difference_id, "adjustment")


def build_adjustment(
    org_id: UUID, difference: Difference, *, actor: str, at: datetime
) -> CreateTransfer:
    """Build the record that adjusts the ledger by a difference; its units are not zero."""
    money = Money(abs(difference.units), COMPARED_ASSETS[difference.asset])
    is_shortfall = difference.units < 0
    return CreateTransfer(
        org_id=org_id,
        id=adjustment_id(difference.id),
        kind=KIND,
        user_id=org_id,  # means no user
        request_id=new_id(),
        request={"differenceId": str(difference.id), "reason": difference.reason},
        path=(AdjustmentStatus.COMPLETED,),
        source=money,
        destination=money,
        details={
            "difference_id": str(difference.id),
            "is_shortfall": is_shortfall,
            REFERENCE_FACT: difference.reference,
        },
        due_at=None,
        at=at,
        actor=actor,
        journals={0: adjustment_postings(money, is_shortfall=is_shortfall)},
    )


def adjustment_postings(money: Money, *, is_shortfall: bool) -> list[Posting]:
    """Return the journal of a surplus of coins, or of a shortfall."""
    if is_shortfall:
        return [Posting(HouseRole.OUTSIDE, money), Posting(HouseRole.WRITE_OFFS, -money)]
    return [Posting(HouseRole.OUTSIDE, -money), Posting(HouseRole.SUSPENSE, money)]


def is_shortfall_of(record: Transfer) -> bool:
    """Return whether an adjustment books a shortfall."""
    return bool(record.details["is_shortfall"])
