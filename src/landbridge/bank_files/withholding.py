"""Stopping payments that would return a deposit, before they are sent to the bank."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.bank_files import payment_store as store
from landbridge.bank_files.accounts import OwnAccounts
from landbridge.bank_files.payments import BankPayments, tell_of
from landbridge.core.money import Money
from landbridge.db.pool import Tx

_REASON = "the bank took back the deposit that this would have returned"


@dataclass(frozen=True, slots=True)
class Withholding:
    """Withholds payments from the next file."""

    accounts: OwnAccounts
    payments: BankPayments

    async def withhold_in(
        self,
        tx: Tx,
        org_id: UUID,
        key: UUID,
        *,
        receipt_id: UUID,
        money: Money,
        actor: str,
        at: datetime,
    ) -> bool:
        """Make sure that the payment of this key, which returns a receipt, is never sent.

        One that was not queued yet has its key taken, so that a worker which is about to queue it
        finds it failed. False if it may be at the bank, or there is no account in this currency.
        """
        own = await self.accounts.of_in(tx, [org_id])
        account = next((each for each in own if each.currency == money.asset.currency), None)
        if account is None:
            return False
        is_new = await store.add_withheld(
            *(tx, org_id, key),
            account_id=account.id,
            receipt_id=receipt_id,
            money=money,
            rail=account.told.rails[0],
            reason=_REASON,
            at=at,
        )
        payment = await self.payments.lock(tx, org_id, key)
        if is_new:
            told = (payment.status, payment.version)
            await tell_of(tx, payment, status=told[0], version=told[1], at=at, actor=actor)
        return await self.payments.withhold_in(tx, payment, reason=_REASON, at=at, actor=actor)
