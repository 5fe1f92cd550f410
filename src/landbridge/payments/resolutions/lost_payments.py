"""Resolution of a completed payment with a transaction that its chain has lost for good.

The order is sent again automatically, unless it is refused now. Then people find out how the
recipient was paid, and close the order by `CONFIRM`. The payment itself does not change.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from landbridge.ledger.model import AdvanceTransfer, Transfer
from landbridge.payments.engine.resolution_actions import (
    ApprovedResolution,
    PaymentResolver,
    ResolutionAction,
    ResolutionChoices,
    ResolutionInstruction,
)
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Tx
from landbridge.providers.evm.outbox.order_closing import OrderClosing


@dataclass(frozen=True, slots=True)
class LostPaymentResolver:
    """Adds this resolution to the resolutions of a flow; implements `PaymentResolver`.

    `steps.py` closes the order, as it does for all orders on chains.
    """

    inner: PaymentResolver
    order_closing: OrderClosing

    @property
    def transitions(self) -> Transitions[Any]:
        """Return the flow's transitions."""
        return self.inner.transitions

    async def choices(self, record: Transfer, clock_offset: timedelta) -> ResolutionChoices | None:
        """Return the actions that are possible now; see `PaymentResolver`."""
        found = await self.inner.choices(record, clock_offset)
        is_waiting = found is not None and ResolutionAction.CONFIRM in found.actions
        if is_waiting or not await self.order_closing.has_lost(record.org_id, record.id):
            return found
        others = () if found is None else found.actions
        order = record.status if found is None else found.order
        return ResolutionChoices(order, (ResolutionAction.CONFIRM, *others))

    async def destination(
        self, record: Transfer, instruction: ResolutionInstruction, clock_offset: timedelta
    ) -> Mapping[str, Any]:
        """Return the facts of a refund's new destination; see `PaymentResolver`."""
        return await self.inner.destination(record, instruction, clock_offset)

    async def decide(
        self, record: Transfer, decision: ApprovedResolution, at: datetime
    ) -> AdvanceTransfer | None:
        """Return the advance of a decision; see `PaymentResolver`."""
        if decision.is_closing and record.due_at is None:
            return None
        return await self.inner.decide(record, decision, at)

    async def end_in(
        self, tx: Tx, record: Transfer, decision: ApprovedResolution, at: datetime
    ) -> None:
        """Execute a decision on a record that waits for no order; see `PaymentResolver`."""
        if not decision.is_closing:
            await self.inner.end_in(tx, record, decision, at)
