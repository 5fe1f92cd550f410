"""Creates incoming payments from credits of connected providers, and withholds their returns."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.payments.incoming_payments import store
from landbridge.payments.incoming_payments.model import IncomingPaymentSender, ReportedCredit
from landbridge.payments.incoming_payments.returns import ReturnOrders
from landbridge.payments.incoming_payments.service import IncomingPayments
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken, ResourceNotFound
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Tx
from landbridge.providers.rails.port import RailPayment
from landbridge.providers.sidecar.credit_polls import AcceptedCredit
from landbridge.providers.sidecar.withheld_orders import give_up_in, withhold_return_in

_NONE = timedelta()
# Largest age of a credit: the time of an older report is cut to this.
_AGE_MAX = timedelta(days=36_500)


@dataclass(frozen=True, slots=True)
class ProviderCreditReceiver:
    """Creates incoming payments from credits; implements `CreditReceiver`."""

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
            # Unique: other sources of credits have no reference with a provider's name and a colon.
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


@dataclass(frozen=True, slots=True)
class ProviderReturnOrders:
    """Withholds returns of deposits that came through a provider; implements `ReturnOrders`.

    `others` withholds the returns of all other deposits; None if those can't be withheld.
    """

    others: ReturnOrders | None

    async def withhold_in(
        self,
        tx: Tx,
        org_id: UUID,
        key: UUID,
        *,
        incoming_payment_id: UUID,
        money: Money,
        actor: str,
        at: datetime,
    ) -> bool:
        """Withhold the payment with this key for good; False if it may have been sent."""
        found = await store.of(tx, org_id, [incoming_payment_id])
        if not found:
            raise ResourceNotFound(f"there is no deposit {incoming_payment_id}")
        payment = RailPayment(
            org_id=org_id,
            key=key,
            record_id=incoming_payment_id,
            money=money,
            rail=found[0].rail,
            is_same_day=False,
            payee={},
            texts={},
            at=at,
            returns=incoming_payment_id,
        )
        is_withheld = await withhold_return_in(tx, payment)
        if is_withheld is not None:
            return is_withheld
        return self.others is not None and await self.others.withhold_in(
            tx,
            org_id,
            key,
            incoming_payment_id=incoming_payment_id,
            money=money,
            actor=actor,
            at=at,
        )

    async def give_up_in(self, tx: Tx, org_id: UUID, key: UUID, *, at: datetime) -> bool:
        """Withhold a payment that was sent, but that the bank does not confirm, for good.

        Return False while it may be on its way, or if the bank has accepted it.
        """
        is_given_up = await give_up_in(tx, org_id, key, at=at)
        if is_given_up is not None:
            return is_given_up
        return self.others is None or await self.others.give_up_in(tx, org_id, key, at=at)
