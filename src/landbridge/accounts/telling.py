"""Telling of bank accounts: each change with the picture of the account right after it."""

from landbridge.accounts.model import Account
from landbridge.accounts.wire import account_reply
from landbridge.changes.service import tell
from landbridge.db.pool import Tx
from landbridge.privacy.pictures import take
from landbridge.privacy.service import DataKey


async def tell_account(tx: Tx, account: Account, actor: str, *, key: DataKey | None) -> None:
    """Tell what an account has become; `key` is its user's, None while the user is erased."""
    picture = None
    if key is not None:
        picture = take(
            key,
            account.user_id,
            object_id=account.id,
            seq=account.version,
            shown=account_reply(account),
        )
    await tell(
        tx,
        org_id=account.org_id,
        object_id=account.id,
        seq=account.version,
        kind=account.kind,
        what="create" if account.version == 1 else "update",
        actor=actor,
        at=account.updated_at,
        facts={"userId": str(account.user_id), "status": account.status},
        picture=picture,
    )
