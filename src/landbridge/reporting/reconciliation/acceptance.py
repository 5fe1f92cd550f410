"""Acceptance: an operator explains a difference that no movement will clear.

Examples are the inventory that an address held before the first run, or coins from a stranger. The
accepted units are no difference of later runs. If the amount changes, it is one again.
"""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Refused, ResourceConflict, ResourceNotFound
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.formats.texts import check_text
from landbridge.reporting.reconciliation import difference_store
from landbridge.reporting.reconciliation.model import (
    Difference,
    DifferenceKind,
    DifferenceResolution,
    DifferenceStatus,
)

# Kind of accepted differences in the change log.
KIND = "RECONCILIATION.DIFFERENCE"
REASON_LENGTH_MAX = 500


@dataclass(frozen=True, slots=True)
class DifferenceAcceptance:
    """Accepts differences, each with a reason that is kept in the change log."""

    database: Database
    clock: Clock

    async def accept(
        self, org_id: UUID, difference_id: UUID, reason: str, *, actor: str, offset: timedelta
    ) -> Difference:
        """Accept an open difference with its units as they are; return it as it was.

        Raises `ResourceNotFound`, `FieldInvalid` for the reason, and `ResourceConflict` if it is
        not open, or its units have changed since the last run.
        """
        reason = check_text("reason", reason, length_max=REASON_LENGTH_MAX)
        at = self.clock.stamp(offset)

        async def work(tx: Tx) -> Difference:
            difference = await difference_store.lock(tx, org_id, difference_id)
            if difference is None:
                raise ResourceNotFound(f"there is no difference {difference_id}")
            if refusal := acceptance_refusal(difference):
                raise refusal
            if difference.asset and not await difference_store.accept_units(tx, org_id, difference):
                raise ResourceConflict("its units have changed since the last run; run again")
            accepted = DifferenceResolution.ACCEPTED
            await difference_store.resolve(tx, org_id, difference.id, accepted, at)
            await append_change(
                tx,
                org_id=org_id,
                object_id=difference.id,
                seq=1,
                kind=KIND,
                change_type="accept",
                actor=actor,
                at=at,
                facts={
                    "kind": difference.kind,
                    "source": difference.source,
                    "asset": difference.asset,
                    "reference": difference.reference,
                    "units": str(difference.units),
                    "reason": reason,
                },
            )
            return difference

        return await self.database.transact(work)


def acceptance_refusal(difference: Difference) -> Refused | None:
    """Return why a difference can't be accepted; None if it can."""
    match difference.status:
        case DifferenceStatus.RESOLVED:
            return ResourceConflict(f"this difference is resolved already: {difference.resolution}")
        case DifferenceStatus.TIMING:
            return ResourceConflict(
                f"the other side may follow until {difference.due_at:%Y-%m-%d %H:%M} UTC"
            )
        case DifferenceStatus.OPEN if difference.kind is DifferenceKind.SOURCE_SILENT:
            return ResourceConflict("it ends when the chain answers again")
        case DifferenceStatus.OPEN:
            return None
