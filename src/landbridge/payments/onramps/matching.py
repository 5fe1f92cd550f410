"""Manual matching of deposits with a missing or wrong reference.

A matched deposit is applied like any other (deposits.py), with one exception: if it does not fit,
the match is refused and the deposit stays unmatched, instead of failing the onramp.
"""

from dataclasses import dataclass
from uuid import UUID

from landbridge.customers.bank_accounts.errors import InactiveAccount
from landbridge.ledger.model import Transfer
from landbridge.payments.incoming_payments.model import IncomingPayment, decision_refusal
from landbridge.payments.onramps.deposits import OnrampDeposits, derived_onramp_id
from landbridge.payments.onramps.model import Onramp, OnrampStatus, as_onramp
from landbridge.payments.onramps.request import KYC_RAILS
from landbridge.payments.virtual_accounts.model import VirtualAccount
from landbridge.platform.core.errors import Refused, ResourceConflict
from landbridge.platform.core.optimistic_retry import optimistic_retry


@dataclass(frozen=True, slots=True)
class ManualDepositMatching:
    """Matches deposits on request of people; implements `Matcher`."""

    deposits: OnrampDeposits

    async def match_transfer(self, payment: IncomingPayment, transfer_id: UUID) -> None:
        """Match a deposit with an onramp that awaits one.

        Raises `TransactionNotFound`. Raises `ResourceConflict` if the onramp awaits no deposit, or
        another amount or currency, or the deposit came too late. Raises `UserFrozen` and
        `VerificationMissing` if the deposit would have to be returned.
        """
        await self._match_transfer(payment, transfer_id)

    async def match_account(self, payment: IncomingPayment, account_id: UUID) -> None:
        """Match a deposit with a virtual account.

        Raises `AccountNotFound`, `InactiveAccount`, `ResourceConflict` for another currency, and
        `Unavailable` while the price is too old. Raises `UserFrozen`, `VerificationMissing` and
        `WalletNotFound` if the deposit would have to be returned.
        """
        account = await self.deposits.virtual_accounts.find(payment.org_id, account_id)
        if await self._is_matched_with(payment, account_id):
            return
        if refusal := decision_refusal(payment) or account_match_refusal(account, payment):
            raise refusal
        await self._check_may_take(payment, account.user_id)
        if not await self.deposits.on_virtual_account(account, payment):
            raise ResourceConflict(f"virtual account {account_id} can't accept this deposit")

    @optimistic_retry("the onramp was changed concurrently; try again")
    async def _match_transfer(self, payment: IncomingPayment, transfer_id: UUID) -> bool | None:
        onramp = await self.deposits.onramps.get(payment.org_id, transfer_id)
        if onramp.details.incoming_payment_id == payment.id:
            return True
        if refusal := decision_refusal(payment) or onramp_match_refusal(onramp, payment):
            raise refusal
        details = onramp.details
        await self._check_may_take(
            payment,
            onramp.record.user_id,
            details.destination_user_id,
            *onramp.part_user_ids,
        )
        if isinstance(await self.deposits.deposit(onramp, payment), Transfer):
            return True
        return None

    async def _check_may_take(
        self, incoming_payment: IncomingPayment, user_id: UUID, *others: UUID
    ) -> None:
        """Raise the error that would make the deposit fail later; such a deposit is not matched."""
        onramps, org_id = self.deposits.onramps, incoming_payment.org_id
        for each in dict.fromkeys((user_id, *others)):
            await onramps.parties.users.check_active(org_id, each)
        rail = KYC_RAILS[incoming_payment.money.asset.currency]
        await onramps.verification.check_active(org_id, user_id, rail)

    async def _is_matched_with(self, incoming_payment: IncomingPayment, account_id: UUID) -> bool:
        """Return whether the deposit is already matched with the account."""
        if incoming_payment.transfer_id == account_id:
            return True
        record = await self.deposits.onramps.ledger.find(
            incoming_payment.org_id, derived_onramp_id(incoming_payment)
        )
        return record is not None and as_onramp(record).details.virtual_account_id == account_id


def onramp_match_refusal(onramp: Onramp, incoming_payment: IncomingPayment) -> Refused | None:
    """Return why a deposit cannot be matched with an onramp; None if it can."""
    money, due_at = incoming_payment.money, onramp.record.due_at
    if onramp.state is not OnrampStatus.AWAITING_FUNDS:
        return ResourceConflict(f"this onramp is {onramp.state}: it awaits no deposit")
    if money != onramp.source:
        params = f"{onramp.source} {onramp.source.asset.currency}"
        return ResourceConflict(
            f"{money} {money.asset.currency} arrived, but this onramp awaits {params}"
        )
    if due_at is not None and incoming_payment.arrived_at >= due_at:
        return ResourceConflict("the deposit arrived after this onramp had expired")
    return None


def account_match_refusal(
    account: VirtualAccount, incoming_payment: IncomingPayment
) -> Refused | None:
    """Return why a deposit cannot be matched with a virtual account; None if it can."""
    arrived = incoming_payment.money.asset.currency
    if not account.is_active:
        return InactiveAccount(f"virtual account {account.id} is deactivated")
    if account.source_currency != arrived:
        return ResourceConflict(
            f"{arrived} arrived, but this virtual account accepts {account.source_currency}"
        )
    return None
