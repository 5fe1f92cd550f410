"""Builds the payment of an offramp that is submitted to a bank."""

from datetime import datetime
from uuid import UUID

from landbridge.customers.bank_accounts.model import BankAccount
from landbridge.ledger.model import Transfer
from landbridge.payments.engine.order_keys import order_key
from landbridge.payments.offramps.texts import PayoutTexts
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import Money
from landbridge.providers.rails.port import RailPayment


def payout_key(record: Transfer) -> UUID:
    """Return the key of an offramp's payment at its bank, the same for every attempt."""
    return order_key(record, "payout")


def payout(
    record: Transfer,
    account: BankAccount,
    money: Money,
    *,
    rail: str,
    texts: PayoutTexts,
    purpose: str | None,
    is_same_day: bool,
    at: datetime,
) -> RailPayment:
    """Build the payment to a bank account; raises `InvariantBroken` if its owner was erased."""
    if account.secret is None:
        # A user with an open payout cannot be erased.
        raise InvariantBroken(f"offramp {record.id} pays an erased user")
    text = {} if purpose is None else {"purposeOfPayment": purpose}
    return RailPayment(
        org_id=account.org_id,
        key=payout_key(record),
        record_id=record.id,
        money=money,
        rail=rail,
        is_same_day=is_same_day,
        payee=account.payee,
        texts={**texts.references, **text},
        at=at,
        account_id=account.id,
    )
