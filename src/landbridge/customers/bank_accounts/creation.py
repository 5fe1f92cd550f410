"""Accounts to add: from what a request states, and the comparison of its holder."""

from datetime import datetime
from uuid import UUID

from landbridge.customers.bank_accounts.model import (
    BankAccount,
    BankAccountSecret,
    BankAccountStatus,
    ScreeningComparison,
)
from landbridge.customers.bank_accounts.parsing import ParsedAccount
from landbridge.platform.core.ids import new_id


def new_account(
    org_id: UUID,
    user_id: UUID,
    reading: ParsedAccount,
    comparison: ScreeningComparison,
    *,
    request_id: UUID | None,
    at: datetime,
) -> BankAccount:
    """Build an account: active, pending after a match on a list, or rejected."""
    status = BankAccountStatus.ACTIVE
    if reading.wrong:
        status = BankAccountStatus.REJECTED
    elif comparison.needs_person:
        status = BankAccountStatus.PENDING
    return BankAccount(
        org_id=org_id,
        id=new_id(),
        user_id=user_id,
        request_id=request_id,
        ramp=reading.ramp,
        type=reading.table.name,
        currency=reading.currency,
        status=status,
        secret=BankAccountSecret(
            holder=reading.holder, bank=reading.bank, wrong=reading.wrong, comparison=comparison
        ),
        version=1,
        created_at=at,
        updated_at=at,
        metadata=reading.metadata,
    )
