"""Change events of bank accounts, with a snapshot of the account after each change."""

from landbridge.customers.bank_accounts.model import BankAccount
from landbridge.customers.bank_accounts.schemas import account_reply
from landbridge.platform.changes.service import append_change
from landbridge.platform.db.pool import Tx
from landbridge.platform.encryption.service import DataKey
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
