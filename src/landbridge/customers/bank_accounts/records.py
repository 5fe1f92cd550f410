"""Encryption and decryption of account rows."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.customers.bank_accounts import store
from landbridge.customers.bank_accounts.model import (
    BankAccount,
    BankAccountRecord,
    BankAccountSecret,
    BankAccountStatus,
    ScreeningComparison,
)
from landbridge.customers.bank_accounts.parsing import ParsedAccount
from landbridge.customers.bank_accounts.store import SealedBankAccount
from landbridge.platform.core.created_resource import CreatedResource
from landbridge.platform.core.fields import copy_fields, field_values
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Tx
from landbridge.platform.encryption.service import DataKey, Vault


def opened(stored: SealedBankAccount, key: DataKey | None) -> BankAccount:
    """Return the decrypted account; without personal data once its user's key is destroyed."""
    secret = None
    if key is not None and stored.sealed_details is not None:
        secret = key.open(
            stored.sealed_details,
            context=f"bank_accounts.details:{stored.id}",
            type=BankAccountSecret,
        )
    return BankAccount(**field_values(stored, BankAccountRecord), secret=secret)


async def opened_all(
    tx: Tx, vault: Vault, org_id: UUID, stored: Sequence[SealedBankAccount]
) -> list[BankAccount]:
    """Return the decrypted accounts, in the order of the rows."""
    keys = await vault.find_many(tx, org_id, {each.user_id for each in stored})
    return [opened(each, keys.get(each.user_id)) for each in stored]


def sealed(account: BankAccount, key: DataKey) -> SealedBankAccount:
    """Return the row of an account."""
    details = key.seal(account.secret, context=f"bank_accounts.details:{account.id}")
    return SealedBankAccount(**field_values(account, BankAccountRecord), sealed_details=details)


def seal_request(account: BankAccount, request: Mapping[str, Any], key: DataKey) -> bytes:
    """Encrypt the request, so that a replay can be compared with it."""
    return key.seal(request, context=f"bank_accounts.request:{account.id}")


def unsealed_request(account: BankAccount, sealed_request: bytes, key: DataKey) -> dict[str, Any]:
    """Return the decrypted request."""
    context = f"bank_accounts.request:{account.id}"
    return key.open(sealed_request, context=context, type=dict[str, Any])


async def find_created(tx: Tx, org_id: UUID, request_id: UUID) -> CreatedResource | None:
    """Return the account that a request id created; None if it created none."""
    found = await store.find_request(tx, org_id, request_id)
    if found is None:
        return None
    stored, _ = found
    return copy_fields(
        stored,
        CreatedResource,
        owner_id=stored.user_id,
        is_final=stored.status is not BankAccountStatus.PENDING,
    )


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
