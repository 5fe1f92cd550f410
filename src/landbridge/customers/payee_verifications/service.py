"""Asks a payee's bank for the holder of an account, which is an extension of the contract.

Guarantees: an answer is returned only after its entry in the audit log was committed; a bank's
answer never blocks a payment or changes data; calls are rate limited
(platform/rate_limits/provider_calls.py).
"""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from landbridge.customers.bank_accounts.errors import AccountDataInvalid, InactiveAccount
from landbridge.customers.bank_accounts.field_tables import Ramp
from landbridge.customers.bank_accounts.model import BankAccountStatus
from landbridge.customers.bank_accounts.service import BankAccounts
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.platform.rate_limits.provider_calls import ProviderCallRates
from landbridge.providers.rails.port import PayeeMatch, PayeeVerification, PayoutDestination, Rails

KIND = "PAYEE"


@dataclass(frozen=True, slots=True)
class VerifiedPayee:
    """A bank's answer about a payee, and when it was given (organisation time)."""

    verification: PayeeVerification
    at: datetime


@dataclass(frozen=True, slots=True)
class PayeeVerifications:
    """Verifies payees of all organisations."""

    database: Database
    bank_accounts: BankAccounts
    rails: Rails
    clock: Clock
    _rates: ProviderCallRates = field(
        default_factory=lambda: ProviderCallRates("verifications of payees")
    )

    async def verify(self, caller: Caller, user_id: UUID, account_id: UUID) -> VerifiedPayee:
        """Ask the bank about the holder of an account that payouts go to.

        Raises `AccountNotFound`, `InactiveAccount` for a deleted or rejected account,
        `AccountDataInvalid` for an account of an onramp, and `TooManyRequests`.
        """
        check_editor(caller)
        account = await self.bank_accounts.get(caller.org_id, user_id, account_id)
        if account.status not in {BankAccountStatus.ACTIVE, BankAccountStatus.PENDING}:
            raise InactiveAccount(f"bank account {account_id} is {account.status}")
        if account.ramp is not Ramp.OFFRAMP:
            raise AccountDataInvalid(
                f"bank account {account_id} is for money in: only those for payouts have a payee"
            )
        found = PayeeVerification(match=PayeeMatch.UNAVAILABLE)
        if account.payment_rail is not None:
            payee = PayoutDestination(
                org_id=caller.org_id,
                rail=account.payment_rail,
                currency=account.currency,
                payee=account.payee,
            )
            with self._rates.call(caller.org_id, account_id):
                found = await self.rails.verify_payee(payee)
        at = self.clock.stamp(caller.clock_offset)
        facts = {
            "userId": str(user_id),
            "accountId": str(account_id),
            "match": found.match.value,
        }
        await self.database.transact(
            lambda tx: append_change(
                tx,
                org_id=caller.org_id,
                object_id=new_id(),
                seq=1,
                kind=KIND,
                change_type="verify",
                actor=caller.actor,
                at=at,
                facts=facts,
            )
        )
        return VerifiedPayee(found, at)
