"""Keys of wallets in the form for the signer: the encrypted seed, and the derivation path.

Nothing is decrypted here: only the signer, which has the master key and no database, sees a key.
"""

from uuid import UUID

from landbridge.customers.wallets import store
from landbridge.customers.wallets.errors import WalletNotFound
from landbridge.customers.wallets.keys import new_seed
from landbridge.customers.wallets.model import Wallet
from landbridge.customers.wallets.service import Wallets, seed_context
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.group_commit import GroupCommit
from landbridge.platform.db.organisation_groups import grouped
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.formats.key_derivation import (
    EVM_TREASURY,
    EVM_USERS,
    SOLANA_TREASURY,
    solana_user,
)
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.evm.signing.model import SealedSeed, SigningKey

# Name and encryption context of the secret.
_RELAYER_SEED = "relayer_seed"


class SigningKeys:
    """Finds the keys that sign for wallets, for the organisation's own address, and for relayers.

    Sealed seeds are cached: they change only when a master key is replaced, after which every
    process is started again.
    """

    def __init__(self, database: Database, vault: Vault, wallets: Wallets) -> None:
        self._database = database
        self._vault = vault
        self._wallets = wallets
        self._seeds: dict[UUID, SealedSeed] = {}
        self._relayer_seed: SealedSeed | None = None
        self._lookups = grouped(database, lambda: GroupCommit(self._find, concurrency=2))

    async def signing_key(self, org_id: UUID, wallet_id: UUID | None) -> SigningKey:
        """Return the EVM key of a wallet, or of the organisation's own address for None.

        Raises `WalletNotFound`.
        """
        seed = await self._seed(org_id)
        if wallet_id is None:
            address = await self._wallets.treasury_address(org_id, Chain.ETHEREUM)
            return SigningKey(seed=seed, path=EVM_TREASURY, address=address)
        wallet = await self._lookups.call((org_id, wallet_id))
        if wallet is None or not wallet.chain.is_evm:
            raise WalletNotFound(f"there is no EVM wallet {wallet_id}")
        path = (*EVM_USERS, wallet.derivation_index)
        return SigningKey(seed=seed, path=path, address=wallet.address)

    async def solana_key(self, org_id: UUID, wallet_id: UUID | None) -> SigningKey:
        """Return the Solana key of a wallet, or of the organisation's own address for None.

        Raises `WalletNotFound`.
        """
        seed = await self._seed(org_id)
        if wallet_id is None:
            address = await self._wallets.treasury_address(org_id, Chain.SOLANA)
            return SigningKey(seed=seed, path=SOLANA_TREASURY, address=address)
        wallet = await self._lookups.call((org_id, wallet_id))
        if wallet is None or wallet.chain is not Chain.SOLANA:
            raise WalletNotFound(f"there is no Solana wallet {wallet_id}")
        path = solana_user(wallet.derivation_index)
        return SigningKey(seed=seed, path=path, address=wallet.address)

    async def relayer_seed(self) -> SealedSeed:
        """Return the encrypted seed of the relayers, which is created if there is none."""
        if self._relayer_seed is None:
            sealed = await self._database.transact(
                lambda tx: self._vault.installation_secret(tx, _RELAYER_SEED, new_seed)
            )
            self._relayer_seed = SealedSeed(context=_RELAYER_SEED, sealed_seed=sealed)
        return self._relayer_seed

    async def _find(self, requests: list[tuple[UUID, UUID]]) -> list[Wallet | None]:
        """Return the wallets with these organisations and ids; None for those that do not exist."""
        found: dict[tuple[UUID, UUID], Wallet] = {}
        for org_id in {each for each, _ in requests}:
            ids = {wallet_id for owner, wallet_id in requests if owner == org_id}
            for wallet in await self._database.single(
                lambda tx, org_id=org_id, ids=ids: store.by_ids(tx, org_id, ids)
            ):
                found[org_id, wallet.id] = wallet
        return [found.get(each) for each in requests]

    async def _seed(self, org_id: UUID) -> SealedSeed:
        if org_id not in self._seeds:
            await self._wallets.create_seed(org_id)
            self._seeds[org_id] = await self._database.read(lambda tx: self._read_seed(tx, org_id))
        return self._seeds[org_id]

    async def _read_seed(self, tx: Tx, org_id: UUID) -> SealedSeed:
        sealed_seed = await store.seed(tx, org_id)
        sealed_data_key = await self._vault.find_sealed(tx, org_id, org_id)
        if sealed_seed is None or sealed_data_key is None:
            raise InvariantBroken(f"organisation {org_id} has no wallet seed")
        return SealedSeed(
            context=seed_context(org_id),
            sealed_seed=sealed_seed,
            org_id=org_id,
            sealed_data_key=sealed_data_key,
        )
