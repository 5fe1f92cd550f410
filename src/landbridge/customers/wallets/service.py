"""Operations on wallets: open, find, register an external address, read holdings."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from landbridge.customers.wallets import keys, store
from landbridge.customers.wallets.errors import (
    WalletAlreadyExists,
    WalletConfigInvalid,
    WalletNotFound,
)
from landbridge.customers.wallets.model import ExternalWallet, Wallet
from landbridge.ledger.model import NewAccount
from landbridge.ledger.service import Ledger, find_held_asset, open_accounts, wallet_ids
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.choices import case_hint
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, InvariantBroken, ResourceConflict
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.group_commit import GroupCommit
from landbridge.platform.db.organisation_groups import grouped
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.encryption.user_keys import key_of
from landbridge.platform.formats.evm_addresses import checked_evm_address
from landbridge.platform.formats.solana_addresses import checked_solana_address
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.platform.idempotency.model import Claim, no_claim
from landbridge.providers.chains.tokens import TOKENS, Chain, Token, Tokens, tokens_on

EXTERNAL_KIND = "WALLET.EXTERNAL"


@dataclass(frozen=True, slots=True)
class WalletHolding:
    """Total of one token in a wallet, in smallest units, of which `held` is reserved."""

    wallet: Wallet
    token: Token
    available_units: int
    held_units: int


class Wallets:
    """Wallets of all organisations."""

    def __init__(
        self,
        database: Database,
        ledger: Ledger,
        vault: Vault,
        clock: Clock,
        *,
        tokens: Tokens = TOKENS,
    ) -> None:
        """Take `tokens`, which have the contracts of the chains file for connected chains."""
        self.tokens = tokens
        self._database = database
        self._ledger = ledger
        self._vault = vault
        self._clock = clock
        self._lookups = grouped(database, lambda: GroupCommit(self._find, concurrency=2))
        # Cache of treasury addresses, by organisation and kind of chain: they never change.
        self._treasuries: dict[tuple[UUID, bool], str] = {}
        # Cache of the organisations that have a seed.
        self._seeded: set[UUID] = set()

    async def open(
        self, tx: Tx, org_id: UUID, user_id: UUID, chains: Collection[Chain], at: datetime
    ) -> list[Wallet]:
        """Open the user's wallets on `chains`, with empty accounts; existing ones are unchanged."""
        derive = await self._keys(tx, org_id, at)
        index = await store.derivation_index(tx, org_id, user_id)
        opened: list[Wallet] = []
        for chain in sorted(chains):
            address = derive.evm_address(index) if chain.is_evm else derive.solana_address(index)
            wallet = Wallet(org_id, new_id(), user_id, chain, address, index, at)
            if await store.add(tx, wallet):
                opened.append(wallet)
        accounts = [
            (wallet.id, [token.asset for token in tokens_on(wallet.chain)]) for wallet in opened
        ]
        await open_accounts(tx, org_id, accounts)
        return opened

    async def find(self, org_id: UUID, user_id: UUID, chain: Chain) -> Wallet | None:
        """Return the user's wallet on a chain."""
        return await self._lookups.call((org_id, user_id, chain))

    async def find_address(self, org_id: UUID, chain: Chain, address: str) -> Wallet | None:
        """Return the organisation's wallet at an address.

        Raises `WalletNotFound` for the address of one of its users without a wallet on this chain:
        EVM addresses are the same on every EVM chain, and coins sent there would leave the ledger.
        Raises `WalletConfigInvalid` for the organisation's own address, which belongs to no user.
        """
        alike = [each for each in Chain if each.is_evm == chain.is_evm]
        found = await self._database.single(
            lambda tx: store.find_address(tx, org_id, alike, address)
        )
        ours = next((wallet for wallet in found if wallet.chain is chain), None)
        if found and ours is None:
            raise WalletNotFound(
                f"{address} belongs to user {found[0].user_id}, who has no wallet on {chain} yet; "
                f"add one with POST /v2/users/{found[0].user_id}/wallets/add"
            )
        if ours is None and address == await self._find_treasury(org_id, chain):
            raise WalletConfigInvalid(f"{address} is the organisation's own, not a customer's")
        return ours

    async def treasury_address(self, org_id: UUID, chain: Chain) -> str:
        """Return the organisation's own address on a chain, derived from its seed.

        It belongs to no user. Liquidity is paid out from it, and coins that users sell go to it.
        """
        await self.create_seed(org_id)
        return await self.find_treasury_address(org_id, chain)

    async def find_treasury_address(self, org_id: UUID, chain: Chain) -> str:
        """Return the organisation's own address on a chain; empty while it has no seed."""
        return await self._find_treasury(org_id, chain) or ""

    async def create_seed(self, org_id: UUID) -> None:
        """Create the seed of an organisation's addresses, unless it has one."""
        if org_id not in self._seeded:
            await self._database.transact(lambda tx: self._keys(tx, org_id, self._clock.now()))
            self._seeded.add(org_id)

    async def addresses(self, org_id: UUID, chain: Chain) -> Sequence[str]:
        """Return the addresses of all users on a chain, without the organisation's own."""
        return await self._database.single(lambda tx: store.addresses(tx, org_id, chain))

    async def own_addresses(self, org_id: UUID, addresses: Sequence[str]) -> Collection[str]:
        """Return those of the addresses that are wallets of the organisation, on any chain."""
        return await self._database.single(lambda tx: store.own_addresses(tx, org_id, addresses))

    async def of_users(self, org_id: UUID, user_ids: Sequence[UUID]) -> Mapping[UUID, list[Wallet]]:
        """Return all wallets of these users, by user."""
        found = await self._database.single(lambda tx: store.of_users(tx, org_id, user_ids))
        return {
            user_id: [each for each in found if each.user_id == user_id] for user_id in user_ids
        }

    async def holding(
        self, org_id: UUID, user_id: UUID, chain: Chain, currency: str
    ) -> WalletHolding:
        """Return the user's holding of a currency; raise `WalletNotFound`."""
        token = self.token(chain, currency)
        wallet = await self.find(org_id, user_id, chain)
        if wallet is None:
            raise WalletNotFound(f"user {user_id} has no wallet on {chain}")
        account = await self._ledger.account(org_id, wallet.id, token.asset)
        return WalletHolding(wallet, token, account.available_units, account.held_units)

    def token(self, chain: Chain, currency: str) -> Token:
        """Return the token of a currency on a chain; raise `FieldInvalid`."""
        token = self.tokens.get((chain, currency))
        if token is None:
            raise FieldInvalid(
                f"currency: there is no {currency[:50]} on {chain}"
                f"{case_hint(currency, (each for _, each in self.tokens))}",
                field="currency",
            )
        return token

    def connected_contract(self, chain: Chain, currency: str) -> str | None:
        """Return a token's contract if the chains file names another than the published one."""
        address = self.tokens[chain, currency].address
        return None if address == TOKENS[chain, currency].address else address

    async def register(
        self,
        caller: Caller,
        user_id: UUID,
        *,
        chain: Chain,
        address: str,
        name: str,
        reference: str,
        claim: Claim = no_claim,
    ) -> ExternalWallet:
        """Register an address outside the platform for a user; once per user, chain and address.

        Raises as `find_address`, `FieldInvalid`, `WalletAlreadyExists`, `UserFrozen` (erased).
        """
        check_editor(caller)
        at = self._clock.stamp(caller.clock_offset)
        external = ExternalWallet(
            org_id=caller.org_id,
            id=new_id(),
            user_id=user_id,
            chain=chain,
            address=checked_address(chain, address, field="address"),
            name=check_text("name", name),
            reference_id=check_text("referenceId", reference),
            is_active=True,
            created_at=at,
            updated_at=at,
        )
        if await self.find_address(caller.org_id, chain, external.address):
            raise WalletConfigInvalid(
                f"{external.address} is a wallet of this platform; send to its user instead",
                field="address",
            )

        async def work(tx: Tx) -> None:
            # An erasure has destroyed the user's key before, or waits for this transaction.
            await store.lock_user(tx, caller.org_id, user_id)
            key = await key_of(self._vault, tx, caller.org_id, user_id)
            await claim(tx, external.id)
            if not await store.add_external(tx, external, _sealed_label(key, external)):
                if await store.external(tx, caller.org_id, external.id) is not None:
                    return  # stored by an attempt with an unacknowledged commit
                raise WalletAlreadyExists(
                    f"the user has already registered {external.address} on {chain}",
                    field="address",
                )
            await append_change(
                tx,
                org_id=caller.org_id,
                object_id=external.id,
                seq=1,
                kind=EXTERNAL_KIND,
                change_type="register",
                actor=caller.actor,
                at=at,
            )

        await self._database.transact(work)
        return external

    async def external(self, org_id: UUID, external_id: UUID) -> ExternalWallet:
        """Return a registered address; raise `WalletNotFound`."""

        async def read(tx: Tx) -> ExternalWallet | None:
            found = await store.external(tx, org_id, external_id)
            if found is None:
                return None
            key = await self._vault.find(tx, org_id, found.wallet.user_id)
            return with_label(found, key)

        found = await self._database.read(read)
        if found is None:
            raise WalletNotFound(f"there is no external wallet {external_id}")
        return found

    async def find_external(
        self, org_id: UUID, user_id: UUID, chain: Chain, address: str
    ) -> ExternalWallet | None:
        """Return this user's active registration of an address, which the caller has validated.

        It has no name and no reference, because these are encrypted.
        """
        found = await self._database.single(
            lambda tx: store.find_external(tx, org_id, user_id, chain, address)
        )
        return None if found is None else found.wallet

    async def externals_of_user(
        self, org_id: UUID, user_id: UUID, window: PageWindow
    ) -> Sequence[ExternalWallet]:
        """Return a page of a user's registered addresses, newest first."""

        async def read(tx: Tx) -> list[ExternalWallet]:
            found = await store.externals_of_user(tx, org_id, user_id, window.positions)
            key = await self._vault.find(tx, org_id, user_id)
            return [with_label(each, key) for each in found]

        return await self._database.read(read)

    async def at_address(
        self, org_id: UUID, address: str, *, limit: int
    ) -> tuple[Sequence[Wallet], Sequence[ExternalWallet]]:
        """Return users' wallets at an address on any chain, and its registrations; no labels."""

        async def read(tx: Tx) -> tuple[Sequence[Wallet], Sequence[ExternalWallet]]:
            ours = await store.find_address(tx, org_id, list(Chain), address)
            outside = await store.externals_at(tx, org_id, address, limit)
            return ours, [each.wallet for each in outside]

        return await self._database.read(read)

    async def check_empty(self, tx: Tx, org_id: UUID, user_id: UUID) -> None:
        """Raise `ResourceConflict` if a wallet of the user has a balance."""
        wallets = await store.of_users(tx, org_id, [user_id])
        if asset := await find_held_asset(tx, org_id, [each.id for each in wallets]):
            raise ResourceConflict(f"the user's wallets still hold {asset}; move it out first")

    async def ids_of(self, tx: Tx, org_id: UUID, user_id: UUID) -> list[UUID]:
        """Return the ids of the user's wallets on all chains."""
        return [each.id for each in await store.of_users(tx, org_id, [user_id])]

    async def of_user(self, tx: Tx, org_id: UUID, user_id: UUID) -> list[Wallet]:
        """Return the user's wallets on all chains, including those opened in this transaction."""
        return list(await store.of_users(tx, org_id, [user_id]))

    async def forget_labels(self, tx: Tx, org_id: UUID, user_id: UUID) -> None:
        """Blank the labels of the user's registered addresses; the addresses are kept."""
        await store.forget_labels(tx, org_id, user_id)

    async def _find_treasury(self, org_id: UUID, chain: Chain) -> str | None:
        """Return the organisation's own address; None while it has no seed."""
        kept = self._treasuries.get((org_id, chain.is_evm))
        if kept is not None:
            return kept
        derive = await self._database.read(lambda tx: self._find_keys(tx, org_id))
        if derive is None:
            return None
        kept = derive.evm_treasury_address() if chain.is_evm else derive.solana_treasury_address()
        self._treasuries[org_id, chain.is_evm] = kept
        return kept

    async def _find_keys(self, tx: Tx, org_id: UUID) -> keys.WalletKeys | None:
        """Return the organisation's keys; None if it has no seed yet."""
        key, sealed = await self._vault.find(tx, org_id, org_id), await store.seed(tx, org_id)
        if key is None or sealed is None:
            return None
        return keys.WalletKeys(key.open_bytes(sealed, context=seed_context(org_id)))

    async def _keys(self, tx: Tx, org_id: UUID, at: datetime) -> keys.WalletKeys:
        """Return the organisation's keys; its seed is created if it has none."""
        found = await self._find_keys(tx, org_id)
        if found is None:
            key = await self._vault.make(tx, org_id, org_id)
            new = key.seal_bytes(keys.new_seed(), context=seed_context(org_id))
            await store.add_seed(tx, org_id, new, at)
            found = await self._find_keys(tx, org_id)
        if found is None:
            raise InvariantBroken(f"organisation {org_id} has no wallet seed")
        return found

    async def _find(self, keys: list[tuple[UUID, UUID, Chain]]) -> list[Wallet | None]:
        return await self._database.single(lambda tx: store.find(tx, keys))


async def known_since(
    tx: Tx, org_id: UUID, user_ids: Collection[UUID], addresses: Collection[str]
) -> Mapping[tuple[UUID, str], datetime]:
    """Return the times at which these users registered these addresses; others are omitted."""
    return await store.known_since(tx, org_id, user_ids, addresses)


async def registered_since(tx: Tx, org_id: UUID, address: str) -> datetime | None:
    """Return when an outside address was first registered; None if nobody registered it."""
    return await store.registered_since(tx, org_id, address)


async def wallets_of(
    tx: Tx, org_id: UUID, accounts: Collection[UUID], *, missing: Sequence[NewAccount] = ()
) -> Mapping[UUID, Wallet]:
    """Return the wallets of ledger accounts, by account id; `missing` do not exist yet."""
    by_account = {each.id: each.wallet_id for each in missing}
    by_account |= await wallet_ids(tx, org_id, accounts)
    found = await store.by_ids(tx, org_id, set(by_account.values()))
    by_id = {each.id: each for each in found}
    return {account: by_id[wallet_id] for account, wallet_id in by_account.items()}


def seed_context(org_id: UUID) -> str:
    """Return the encryption context of an organisation's seed."""
    return f"wallet_seed:{org_id}"


def checked_address(chain: Chain, address: str, *, field: str) -> str:
    """Return an address in its canonical form; raises `FieldInvalid` naming the field."""
    check = checked_evm_address if chain.is_evm else checked_solana_address
    try:
        return check(address)
    except ValueError as error:
        raise FieldInvalid(f"{field} {error}", field=field) from error


def _sealed_label(key: DataKey, external: ExternalWallet) -> bytes:
    label = (external.name, external.reference_id)
    return key.seal(label, context=_label_context(external))


def with_label(stored: store.StoredExternal, key: DataKey | None) -> ExternalWallet:
    """Return a decrypted registration; without name and reference if the user is erased."""
    if key is None or stored.sealed_label is None:
        return stored.wallet
    name, reference = key.open(
        stored.sealed_label, context=_label_context(stored.wallet), type=tuple[str, str]
    )
    return replace(stored.wallet, name=name, reference_id=reference)


def _label_context(external: ExternalWallet) -> str:
    return f"external_wallets.label:{external.id}"
