"""Telling of virtual accounts: each change with the picture of the account right after it."""

from dataclasses import dataclass

from landbridge.changes.model import Picture
from landbridge.changes.service import tell
from landbridge.core.pages import LIMIT_DEFAULT
from landbridge.db.pool import Tx
from landbridge.privacy.pictures import take
from landbridge.privacy.service import Vault
from landbridge.rails.port import Coordinates
from landbridge.users.service import Users
from landbridge.virtual_accounts.deposits import Bounds, Deposits
from landbridge.virtual_accounts.model import KIND, VirtualAccount
from landbridge.virtual_accounts.wire import account_info, micro_deposit_replies

# What retrieving an account answers of its micro-deposits when nothing else is asked for.
LATEST = Bounds(after=None, before=None, limit=LIMIT_DEFAULT)


@dataclass(frozen=True, slots=True)
class Telling:
    """Tells of accounts of all organisations."""

    vault: Vault
    users: Users
    deposits: Deposits

    async def tell(
        self, tx: Tx, account: VirtualAccount, actor: str, coordinates: Coordinates | None
    ) -> None:
        """Tell what an account has become, to which fiat is sent at these coordinates."""
        await tell_account(tx, account, actor, await self._picture(tx, account, coordinates))

    async def _picture(
        self, tx: Tx, account: VirtualAccount, coordinates: Coordinates | None
    ) -> Picture | None:
        org_id, user_id = account.org_id, account.user_id
        key = await self.vault.find(tx, org_id, user_id)
        if key is None:
            return None
        card = await self.users.find_card(tx, org_id, user_id)
        micro_deposits = await self.deposits.page(tx, account, LATEST)
        shown = account_info(
            account,
            coordinates,
            {} if card is None else {user_id: card},
            micro_deposit_replies(micro_deposits),
        )
        return take(key, user_id, object_id=account.id, seq=account.version, shown=shown)


async def tell_account(
    tx: Tx, account: VirtualAccount, actor: str, picture: Picture | None
) -> None:
    """Tell what an account has become; without a picture where its user is erased."""
    external, rule = account.external_wallet_id, account.settlement_rule_id
    await tell(
        tx,
        org_id=account.org_id,
        object_id=account.id,
        seq=account.version,
        kind=KIND,
        what="create" if account.version == 1 else "update",
        actor=actor,
        at=account.updated_at,
        facts={
            "userId": str(account.user_id),
            "status": account.status,
            "chain": account.chain,
            "currency": account.destination_currency,
            "externalWalletId": None if external is None else str(external),
            "settlementRuleId": None if rule is None else str(rule),
        },
        picture=picture,
    )
