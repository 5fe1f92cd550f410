"""Change events of virtual accounts, each with a snapshot of the account after the change."""

from dataclasses import dataclass

from landbridge.customers.users.service import Users
from landbridge.payments.virtual_accounts.deposits import MicroDepositBounds, VirtualAccountDeposits
from landbridge.payments.virtual_accounts.model import KIND, VirtualAccount
from landbridge.payments.virtual_accounts.schemas import account_info, micro_deposit_replies
from landbridge.platform.changes.model import PayloadSnapshot
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.pagination import LIMIT_DEFAULT
from landbridge.platform.db.pool import Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.encryption.snapshots import seal_snapshot
from landbridge.providers.rails.port import DepositCoordinates

# The page of micro-deposits that retrieving an account returns by default.
DEFAULT_BOUNDS = MicroDepositBounds(after=None, before=None, limit=LIMIT_DEFAULT)


@dataclass(frozen=True, slots=True)
class VirtualAccountChangeEvents:
    """Records change events of accounts of all organisations."""

    vault: Vault
    users: Users
    deposits: VirtualAccountDeposits

    async def record(
        self, tx: Tx, account: VirtualAccount, actor: str, coordinates: DepositCoordinates | None
    ) -> None:
        """Record a change of an account; the snapshot includes these deposit instructions."""
        await record_change(tx, account, actor, await self._snapshot(tx, account, coordinates))

    async def _snapshot(
        self, tx: Tx, account: VirtualAccount, coordinates: DepositCoordinates | None
    ) -> PayloadSnapshot | None:
        org_id, user_id = account.org_id, account.user_id
        key = await self.vault.find(tx, org_id, user_id)
        if key is None:
            return None
        card = await self.users.find_card(tx, org_id, user_id)
        micro_deposits = await self.deposits.page(tx, account, DEFAULT_BOUNDS)
        payload = account_info(
            account,
            coordinates,
            {} if card is None else {user_id: card},
            micro_deposit_replies(micro_deposits),
        )
        return seal_snapshot(
            key, user_id, object_id=account.id, seq=account.version, payload=payload
        )


async def record_change(
    tx: Tx, account: VirtualAccount, actor: str, snapshot: PayloadSnapshot | None
) -> None:
    """Record a change of an account; without a snapshot if its user is erased."""
    external, rule = account.external_wallet_id, account.settlement_rule_id
    await append_change(
        tx,
        org_id=account.org_id,
        object_id=account.id,
        seq=account.version,
        kind=KIND,
        change_type="create" if account.version == 1 else "update",
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
        snapshot=snapshot,
    )
