"""Credits of connected providers as incoming payments."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from landbridge.payments.incoming_payments.model import IncomingPaymentSender, ReportedCredit
from landbridge.payments.incoming_payments.service import IncomingPayments
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.db.pool import Tx
from landbridge.providers.sidecar.credit_polls import AcceptedCredit

_NONE = timedelta()
# No bank reports a credit of this age.
_AGE_MAX = timedelta(days=36_500)


@dataclass(frozen=True, slots=True)
class ProviderCreditReceiver:
    """Makes incoming payments of credits; see `CreditReceiver`."""

    incoming_payments: IncomingPayments
    clock: Clock

    async def receive_credit(
        self, tx: Tx, credit: AcceptedCredit, clock_offset: timedelta
    ) -> UUID | None:
        """Create or get the id of a credit's incoming payment; see `CreditReceiver`."""
        reported = self._reported(credit, clock_offset)
        try:
            return await self.incoming_payments.receive_in(tx, reported)
        except InvariantBroken:
            return None

    def _reported(self, credit: AcceptedCredit, clock_offset: timedelta) -> ReportedCredit:
        message, sender = credit.message, credit.message.sender
        at = self.clock.stamp(clock_offset)
        age = min(max(self.clock.now() - message.received_at, _NONE), _AGE_MAX)
        return ReportedCredit(
            org_id=credit.account.org_id,
            # No other source of credits has a colon behind such a name.
            bank_reference=f"{credit.provider}:{message.id}",
            account_number=credit.account.account_number,
            reference=message.reference,
            money=credit.money,
            rail=message.rail,
            sender=sender and copy_fields(sender, IncomingPaymentSender),
            description=message.description,
            at=at,
            arrived_at=at - age,
        )
