"""Accounts between plain and sealed: what stands in the columns, and what it means."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from landbridge.accounts import store
from landbridge.accounts.model import Account, Secret, Status
from landbridge.accounts.store import SealedAccount
from landbridge.core.made import Made
from landbridge.db.pool import Tx
from landbridge.privacy.service import DataKey


def opened(stored: SealedAccount, key: DataKey | None) -> Account:
    """The account; without what is personal once its user's key is destroyed."""
    secret = None
    if key is not None and stored.sealed_details is not None:
        secret = key.open(
            stored.sealed_details, context=f"bank_accounts.details:{stored.id}", type=Secret
        )
    return Account(
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
    )


def sealed(account: Account, key: DataKey) -> SealedAccount:
    """The row of an account."""
    return SealedAccount(
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
    )


def seal_request(account: Account, request: Mapping[str, Any], key: DataKey) -> bytes:
    """What was asked, to compare a replay with it."""
    return key.seal(request, context=f"bank_accounts.request:{account.id}")


def unsealed_request(account: Account, sealed_request: bytes, key: DataKey) -> dict[str, Any]:
    """What was asked."""
    context = f"bank_accounts.request:{account.id}"
    return key.open(sealed_request, context=context, type=dict[str, Any])


async def made_by(tx: Tx, org_id: UUID, request_id: UUID) -> Made | None:
    """The account that a request made; a reviewer may still have to decide on it."""
    found = await store.find_request(tx, org_id, request_id)
    if found is None:
        return None
    stored, _ = found
    return Made(
        id=stored.id,
        created_at=stored.created_at,
        updated_at=stored.updated_at,
        owner_id=stored.user_id,
        status=stored.status,
        is_final=stored.status is not Status.PENDING,
    )
