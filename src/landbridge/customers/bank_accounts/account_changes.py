"""Changes of stored accounts: a status and its line in `changes` are one transaction."""

from dataclasses import replace
from datetime import datetime

from landbridge.customers.bank_accounts import coordinates, store
from landbridge.customers.bank_accounts.change_events import record_account_change
from landbridge.customers.bank_accounts.model import TRANSITIONS, BankAccount, BankAccountStatus
from landbridge.customers.bank_accounts.records import sealed
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.pool import Tx
from landbridge.platform.encryption.service import Vault


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
