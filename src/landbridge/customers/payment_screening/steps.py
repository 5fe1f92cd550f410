"""Worker step of due screenings: has the payment ask again, or ends what nobody needs any more.

A screening is due when a webhook has announced an answer, and now and then. The provider is asked
by the payment's own step, which knows the payee; so here the payment is only made due.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from landbridge.customers.deposit_screening.audit import SCREENED_ASSETS
from landbridge.customers.payment_screening.model import (
    ACTOR,
    TRANSITIONS,
    PaymentScreeningStatus,
    as_payment_screening,
    decided,
    is_awaiting,
)
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.transitions import Transitions
from landbridge.providers.kyt.port import SCREENED_WITHIN


@dataclass(frozen=True, slots=True)
class PaymentScreeningSteps:
    """Steps of due screenings; `transitions` are those of the payments, by kind of record."""

    ledger: Ledger
    clock: Clock
    transitions: Mapping[str, Transitions[Any]]

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Make the payment due, or end the screening of one that has ended."""
        screening = as_payment_screening(record, SCREENED_ASSETS)
        details, at = screening.details, self.clock.stamp(clock_offset)
        payment = await self.ledger.find(record.org_id, details.transfer_id)
        if payment is None or self.transitions[payment.kind].is_terminal(payment.status):
            move = decided(record, PaymentScreeningStatus.VOID, actor=ACTOR, at=at)
            await self.ledger.advance(move, TRANSITIONS)
            return
        if is_awaiting(payment):
            # Not a stamp, which may be ahead of the clock: the same run then left the payment out.
            await self.ledger.postpone(payment, self.clock.now(clock_offset))
        await self.ledger.postpone(record, at + SCREENED_WITHIN)
