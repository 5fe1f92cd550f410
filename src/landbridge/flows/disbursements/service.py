"""Verbs on disbursements: open, get, list."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from landbridge.core.clock import Clock
from landbridge.core.errors import Broken
from landbridge.core.ids import new_id
from landbridge.core.pages import Window
from landbridge.db.pool import Tx
from landbridge.flows.disbursements import moves
from landbridge.flows.disbursements.model import KIND, MOVES, Disbursement, as_disbursement
from landbridge.ledger.service import Ledger, Opened
from landbridge.payments.disbursing import DisbursementRequest


@dataclass(frozen=True, slots=True)
class Disbursements:
    """Disbursements of all organisations; implements `payments.disbursing.Disbursing`."""

    ledger: Ledger
    clock: Clock

    async def open_in(
        self, tx: Tx, request: DisbursementRequest, *, actor: str, clock_offset: timedelta
    ) -> None:
        """Open a disbursement in the transaction of its payment's move; see `Disbursing`."""
        opening = moves.opening(
            request,
            new_id(),
            actor=actor,
            at=self.clock.stamp(clock_offset),
            # Not its stamp, which may be ahead of time where several are opened at once.
            due_at=self.clock.now(clock_offset),
        )
        opened = await self.ledger.open_in(tx, opening, MOVES)
        if not isinstance(opened, Opened):
            raise Broken(f"opening a disbursement came out as {opened}")

    async def is_open(self, request: DisbursementRequest) -> bool:
        """Return whether it has been opened; see `Disbursing`."""
        return await self.ledger.find(request.payment.org_id, request.id) is not None

    async def get(self, org_id: UUID, disbursement_id: UUID) -> Disbursement:
        """Return a disbursement; raise `TransactionNotFound`."""
        return as_disbursement(await self.ledger.get(org_id, KIND, disbursement_id))

    async def page(
        self, org_id: UUID, user_id: UUID | None, window: Window
    ) -> Sequence[Disbursement]:
        """Return a page of disbursements, newest first."""
        records = await self.ledger.page(org_id, KIND, user_id, window)
        return [as_disbursement(each) for each in records]
