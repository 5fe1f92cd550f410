"""The payment of an offramp, as its bank is asked for it."""

from datetime import datetime
from uuid import UUID

from landbridge.accounts.model import Account
from landbridge.core.errors import Broken
from landbridge.core.ids import derived_id
from landbridge.core.money import Money
from landbridge.flows.offramps.texts import Texts
from landbridge.rails.port import Payment

# What is derived from the record's id for the key of its payment.
PAYOUT = "payout"


def payout(
    record_id: UUID,
    account: Account,
    money: Money,
    *,
    rail: str,
    texts: Texts,
    purpose: str | None,
    is_same_day: bool,
    at: datetime,
) -> Payment:
    """The payment to a bank account; raises `Broken` for one of somebody who was erased."""
    if account.secret is None:
        # Nobody is erased to whom something is under way.
        raise Broken(f"offramp {record_id} pays somebody who is not known any more")
    told = {} if purpose is None else {"purposeOfPayment": purpose}
    return Payment(
        org_id=account.org_id,
        key=derived_id(record_id, PAYOUT),
        record_id=record_id,
        money=money,
        rail=rail,
        is_same_day=is_same_day,
        payee={
            "type": account.type,
            "accountHolder": account.holder,
            account.type: account.bank,
        },
        texts={**texts.references, **told},
        at=at,
    )
