"""Changes of bank accounts: a status and its change event are one transaction.

The event has a snapshot of the account after the change.
"""

from dataclasses import replace
from datetime import datetime

from landbridge.customers.bank_accounts import coordinates, store
from landbridge.customers.bank_accounts.model import TRANSITIONS, BankAccount, BankAccountStatus
from landbridge.customers.bank_accounts.records import sealed
from landbridge.customers.bank_accounts.schemas import account_reply
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.pool import Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.encryption.snapshots import take


async def record_account_change(
    tx: Tx, account: BankAccount, actor: str, *, key: DataKey | None
) -> None:
    """Record a change of an account; `key` is its user's, None while the user is erased."""
    snapshot = None
    if key is not None:
        snapshot = take(
            key,
            account.user_id,
            object_id=account.id,
            seq=account.version,
            payload=account_reply(account),
        )
    await append_change(
        tx,
        org_id=account.org_id,
        object_id=account.id,
        seq=account.version,
        kind=account.kind,
        change_type="create" if account.version == 1 else "update",
        actor=actor,
        at=account.updated_at,
        facts={"userId": str(account.user_id), "status": account.status},
        snapshot=snapshot,
    )


async def move(
    tx: Tx,
    vault: Vault,
    account: BankAccount,
    status: BankAccountStatus,
    *,
    actor: str,
    at: datetime,
) -> BankAccount:
    """Store and record a new status of a locked account."""
    if not TRANSITIONS.is_path(account.status, (status,)):
        raise InvariantBroken(f"no way from {account.status} to {status}")
    return await store_change(tx, vault, replace(account, status=status), actor=actor, at=at)


async def store_change(
    tx: Tx, vault: Vault, account: BankAccount, *, actor: str, at: datetime
) -> BankAccount:
    """Store and record the next version of a locked account."""
    moved = replace(account, version=account.version + 1, updated_at=at)
    key = await vault.find(tx, account.org_id, account.user_id)
    if key is None:
        raise InvariantBroken(f"bank account {account.id} was locked, and yet erased")
    of_org = await vault.make(tx, account.org_id, account.org_id)
    is_stored = await store.update(
        tx,
        sealed(moved, key),
        version=account.version,
        coordinate_hashes=coordinates.hashed(moved, of_org),
    )
    if not is_stored:
        raise InvariantBroken(f"bank account {account.id} was locked, and yet changed")
    await record_account_change(tx, moved, actor, key=key)
    return moved
