"""Lists of the external wallets of an organisation's users, of all users or of one."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.customers.wallets import store
from landbridge.customers.wallets.model import ExternalWallet
from landbridge.customers.wallets.service import with_label
from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.providers.chains.tokens import Chain

# Most registrations of one address that are read; each user has at most one per chain.
_REGISTRATIONS_MAX = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalWalletListFilter:
    """Filter of a list; a member that is None does not filter. `address` is a full address."""

    user_id: UUID | None = None
    address: str | None = None
    chain: Chain | None = None
    is_active: bool | None = None

    def matches(self, wallet: ExternalWallet) -> bool:
        """Return whether a wallet that was found by its address matches the other members."""
        return (
            self.user_id in {None, wallet.user_id}
            and self.chain in {None, wallet.chain}
            and self.is_active in {None, wallet.is_active}
        )


@dataclass(frozen=True, slots=True)
class ExternalWalletLists:
    """Reads registered addresses of all users of an organisation, one statement for each page."""

    database: Database
    vault: Vault

    async def page(
        self, org_id: UUID, wanted: ExternalWalletListFilter, window: PositionWindow
    ) -> Sequence[ExternalWallet]:
        """Return a page of wallets that match the filter, newest first, including deleted ones."""

        async def read(tx: Tx) -> Sequence[ExternalWallet]:
            found = await _stored(tx, org_id, wanted, window)
            keys = await self.vault.find_many(tx, org_id, {each.wallet.user_id for each in found})
            return [with_label(each, keys.get(each.wallet.user_id)) for each in found]

        return await self.database.read_on_replica(read)


async def _stored(
    tx: Tx, org_id: UUID, wanted: ExternalWalletListFilter, window: PositionWindow
) -> Sequence[store.StoredExternal]:
    if wanted.address is not None:
        found = await store.externals_at(tx, org_id, wanted.address, _REGISTRATIONS_MAX)
        return [
            each
            for each in found
            if wanted.matches(each.wallet) and window.before.precedes(each.wallet)
        ][: window.limit]
    if wanted.user_id is not None:
        return await store.externals_of_user(
            tx,
            org_id,
            wanted.user_id,
            window,
            chain=wanted.chain,
            is_active=wanted.is_active,
        )
    return await store.externals_of_org(
        tx,
        org_id,
        window,
        states=[True, False] if wanted.is_active is None else [wanted.is_active],
        chains=list(Chain) if wanted.chain is None else [wanted.chain],
    )
