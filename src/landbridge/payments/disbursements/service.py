"""Disbursement service: create, get, list."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from landbridge.ledger.service import CreatedTransfer, Ledger
from landbridge.payments.disbursements import transitions
from landbridge.payments.disbursements.model import KIND, TRANSITIONS, Disbursement, as_disbursement
from landbridge.payments.engine.disbursement_requests import DisbursementRequest
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Tx


@dataclass(frozen=True, slots=True)
class Disbursements:
    """Manages disbursements of all organisations; implements `DisbursementOpener`."""

    ledger: Ledger
    clock: Clock

    async def create_in(
        self, tx: Tx, request: DisbursementRequest, *, actor: str, clock_offset: timedelta
    ) -> None:
        """Create a disbursement in the transaction of its payment's advance.

        See `DisbursementOpener`.
        """
        creation = transitions.build_creation(
            request,
            new_id(),
            actor=actor,
            at=self.clock.stamp(clock_offset),
            # Not a stamp, which may be ahead of time if several are created at once.
            due_at=self.clock.now(clock_offset),
        )
        opened = await self.ledger.create_in(tx, creation, TRANSITIONS)
        if not isinstance(opened, CreatedTransfer):
            raise InvariantBroken(f"creating a disbursement resulted in {opened}")

    async def is_open(self, request: DisbursementRequest) -> bool:
        """Return whether it has been created; see `DisbursementOpener`."""
        return await self.ledger.find(request.payment.org_id, request.id) is not None

    async def get(self, org_id: UUID, disbursement_id: UUID) -> Disbursement:
        """Return a disbursement; raise `TransactionNotFound`."""
        return as_disbursement(await self.ledger.get(org_id, KIND, disbursement_id))

    async def page(
        self, org_id: UUID, user_id: UUID | None, window: PageWindow
    ) -> Sequence[Disbursement]:
        """Return a page of disbursements, newest first."""
        records = await self.ledger.page(org_id, KIND, user_id, window)
        return [as_disbursement(each) for each in records]
