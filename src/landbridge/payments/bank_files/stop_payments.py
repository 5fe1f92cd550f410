"""Stops payments that would return a deposit, before they are put into a file for the bank."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.payments.bank_files import payment_store as store
from landbridge.payments.bank_files.funding_accounts import FundingAccounts
from landbridge.payments.bank_files.model import BankPaymentStatus
from landbridge.payments.bank_files.payments import BankPayments, record_change
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Tx

_REASON = "the deposit was reversed, or returned by other means"


@dataclass(frozen=True, slots=True)
class StopPayments:
    """Withholds payments from the next file."""

    accounts: FundingAccounts
    payments: BankPayments

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
        """Ensure that the payment with this key, which returns an incoming payment, is never sent.

        If the payment is not queued yet, a failed payment is stored under its key, which a worker
        that is about to queue it finds. Return False if the payment may be at the bank, or if the
        organisation has no account in this currency.
        """
        own = await self.accounts.list_in(tx, [org_id])
        account = next((each for each in own if each.currency == money.asset.currency), None)
        if account is None:
            return False
        is_new = await store.add_withheld(
            tx=tx,
            org_id=org_id,
            key=key,
            account_id=account.id,
            incoming_payment_id=incoming_payment_id,
            money=money,
            rail=account.settings.rails[0],
            reason=_REASON,
            at=at,
        )
        payment = await self.payments.lock(tx, org_id, key)
        if is_new:
            change = (payment.status, payment.version)
            await record_change(
                tx, payment, status=change[0], version=change[1], at=at, actor=actor
            )
        return await self.payments.withhold_in(tx, payment, reason=_REASON, at=at, actor=actor)

    async def give_up_in(self, tx: Tx, org_id: UUID, key: UUID, *, at: datetime) -> bool:
        """Return whether the payment is in no file; one in a file counts as at the bank."""
        del at
        payment = await self.payments.find(tx, org_id, key)
        return payment is None or payment.status is BankPaymentStatus.FAILED
