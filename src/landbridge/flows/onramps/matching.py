"""Deposits that a person matches: what the payer's reference should have said.

What becomes of them is decided as for any other (deposits.py). But nobody wants a deposit to fail
what it was matched with by hand: one that does not fit is refused instead, and waits on.
"""

from dataclasses import dataclass
from uuid import UUID

from landbridge.accounts.errors import InactiveAccount
from landbridge.core.errors import Busy, Refused, ResourceConflict
from landbridge.flows.onramps.asked import KYC_RAILS
from landbridge.flows.onramps.deposits import Deposits, onramp_id_of
from landbridge.flows.onramps.model import Onramp, Status, as_onramp
from landbridge.ledger.model import Transfer
from landbridge.receipts.model import Receipt, why_not_decide
from landbridge.virtual_accounts.model import VirtualAccount

# How often it looks again after it has lost a race before it says so.
_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Matching:
    """Matches by hand; implements `Matcher`."""

    deposits: Deposits

    async def take_for(self, receipt: Receipt, transfer_id: UUID) -> None:
        """Match a deposit with an onramp that waits for one.

        Raises `TransactionNotFound`, and `ResourceConflict` where the onramp waits for none, or for
        another amount or currency, or the deposit came too late; `UserFrozen` and
        `VerificationMissing` where the deposit would have to go back again.
        """
        for _ in range(_ATTEMPTS):
            onramp = await self.deposits.onramps.get(receipt.org_id, transfer_id)
            if onramp.details.receipt_id == receipt.id:
                return
            if refusal := why_not_decide(receipt) or _why_not_pays(onramp, receipt):
                raise refusal
            details = onramp.details
            await self._check_may_take(
                receipt, onramp.record.user_id, details.destination_user_id, *onramp.part_user_ids
            )
            if isinstance(await self.deposits.deposit(onramp, receipt), Transfer):
                return
        raise Busy(f"onramp {transfer_id} is being changed by somebody else")

    async def take_on(self, receipt: Receipt, account_id: UUID) -> None:
        """Match a deposit with a virtual account.

        Raises `AccountNotFound`, `InactiveAccount`, `ResourceConflict` for another currency, and
        `Unavailable` while the price is too old; `UserFrozen`, `VerificationMissing` and
        `WalletNotFound` where the deposit would have to go back again.
        """
        account = await self.deposits.virtual_accounts.find(receipt.org_id, account_id)
        if await self._is_on(receipt, account_id):
            return
        if refusal := why_not_decide(receipt) or _why_not_takes(account, receipt):
            raise refusal
        await self._check_may_take(receipt, account.user_id)
        if not await self.deposits.on_virtual_account(account, receipt):
            raise ResourceConflict(f"virtual account {account_id} can't take this deposit")

    async def _check_may_take(self, receipt: Receipt, user_id: UUID, *others: UUID) -> None:
        """Raise what would stop it on its way: then it is better not matched at all."""
        onramps, org_id = self.deposits.onramps, receipt.org_id
        for each in dict.fromkeys((user_id, *others)):
            await onramps.ends.users.check_active(org_id, each)
        rail = KYC_RAILS[receipt.money.asset.currency]
        await onramps.verification.check_active(org_id, user_id, rail)

    async def _is_on(self, receipt: Receipt, account_id: UUID) -> bool:
        """Whether this was matched with the account before; a micro-deposit names it itself."""
        if receipt.transfer_id == account_id:
            return True
        record = await self.deposits.onramps.ledger.find(receipt.org_id, onramp_id_of(receipt))
        return record is not None and as_onramp(record).details.virtual_account_id == account_id


def _why_not_pays(onramp: Onramp, receipt: Receipt) -> Refused | None:
    money, due_at = receipt.money, onramp.record.due_at
    if onramp.standing is not Status.AWAITING_FUNDS:
        return ResourceConflict(f"this onramp is {onramp.standing}: it waits for no deposit")
    if money != onramp.source:
        wanted = f"{onramp.source} {onramp.source.asset.currency}"
        return ResourceConflict(
            f"{money} {money.asset.currency} arrived, and this onramp waits for {wanted}"
        )
    if due_at is not None and receipt.arrived_at >= due_at:
        return ResourceConflict("the deposit came after this onramp's time was over")
    return None


def _why_not_takes(account: VirtualAccount, receipt: Receipt) -> Refused | None:
    arrived = receipt.money.asset.currency
    if not account.is_active:
        return InactiveAccount(f"virtual account {account.id} is deactivated")
    if account.source_currency != arrived:
        return ResourceConflict(
            f"{arrived} arrived, and this virtual account takes {account.source_currency}"
        )
    return None
