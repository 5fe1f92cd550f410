"""Encryption and decryption of account rows."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from landbridge.customers.bank_accounts import store
from landbridge.customers.bank_accounts.model import (
    BankAccount,
    BankAccountSecret,
    BankAccountStatus,
)
from landbridge.customers.bank_accounts.store import SealedBankAccount
from landbridge.platform.core.created_resource import CreatedResource
from landbridge.platform.db.pool import Tx
from landbridge.platform.encryption.service import DataKey


def opened(stored: SealedBankAccount, key: DataKey | None) -> BankAccount:
    """Return the decrypted account; without personal data once its user's key is destroyed."""
    secret = None
    if key is not None and stored.sealed_details is not None:
        secret = key.open(
            stored.sealed_details,
            context=f"bank_accounts.details:{stored.id}",
            type=BankAccountSecret,
        )
    return BankAccount(
        org_id=stored.org_id,
        id=stored.id,
        user_id=stored.user_id,
        request_id=stored.request_id,
        ramp=stored.ramp,
        type=stored.type,
        currency=stored.currency,
        status=stored.status,
        secret=secret,
        version=stored.version,
        created_at=stored.created_at,
        updated_at=stored.updated_at,
        metadata=stored.metadata,
    )


def sealed(account: BankAccount, key: DataKey) -> SealedBankAccount:
    """Return the row of an account."""
    return SealedBankAccount(
        org_id=account.org_id,
        id=account.id,
        user_id=account.user_id,
        request_id=account.request_id,
        ramp=account.ramp,
        type=account.type,
        currency=account.currency,
        status=account.status,
        sealed_details=key.seal(account.secret, context=f"bank_accounts.details:{account.id}"),
        version=account.version,
        created_at=account.created_at,
        updated_at=account.updated_at,
        metadata=account.metadata,
    )


def seal_request(account: BankAccount, request: Mapping[str, Any], key: DataKey) -> bytes:
    """Encrypt the request, for comparison with a replay."""
    return key.seal(request, context=f"bank_accounts.request:{account.id}")


def unsealed_request(account: BankAccount, sealed_request: bytes, key: DataKey) -> dict[str, Any]:
    """Return the decrypted request."""
    context = f"bank_accounts.request:{account.id}"
    return key.open(sealed_request, context=context, type=dict[str, Any])


async def find_created(tx: Tx, org_id: UUID, request_id: UUID) -> CreatedResource | None:
    """Return the result of a request that created an account, possibly with a pending review."""
    found = await store.find_request(tx, org_id, request_id)
    if found is None:
        return None
    stored, _ = found
    return CreatedResource(
        id=stored.id,
        created_at=stored.created_at,
        updated_at=stored.updated_at,
        owner_id=stored.user_id,
        status=stored.status,
        is_final=stored.status is not BankAccountStatus.PENDING,
    )
