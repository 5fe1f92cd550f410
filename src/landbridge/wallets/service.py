"""Verbs on wallets: open, find, register an outside address, look at what is held."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.chains.tokens import TOKENS, Chain, Token, tokens_on
from landbridge.changes.service import tell
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, FieldInvalid
from landbridge.core.ids import new_id
from landbridge.core.pages import Window
from landbridge.db.group import Group
from landbridge.db.pool import Database, Tx
from landbridge.db.sealing import Sealer
from landbridge.ledger.service import Ledger, open_accounts
from landbridge.wallets import keys, store
from landbridge.wallets.errors import WalletAlreadyExists, WalletConfigInvalid, WalletNotFound
from landbridge.wallets.model import ExternalWallet, Wallet
from landbridge.web.caller import Caller

EXTERNAL_KIND = "EXTERNAL_WALLET"
_TEXT_LENGTH_MAX = 200


@dataclass(frozen=True, slots=True)
class Holding:
    """What a wallet holds of one token, in smallest units; `held` is part of what it holds."""

    wallet: Wallet
    token: Token
    available_units: int
    held_units: int


class Wallets:
    """Wallets of all organisations."""

    def __init__(self, database: Database, ledger: Ledger, sealer: Sealer, clock: Clock) -> None:
        self._database = database
        self._ledger = ledger
        self._sealer = sealer
        self._clock = clock
        self._lookups = Group(self._find, lanes=2)

    async def open(
        self, tx: Tx, org_id: UUID, user_id: UUID, chains: Collection[Chain], at: datetime
    ) -> list[Wallet]:
        """Open the user's wallets on `chains`, with empty accounts; those that exist stay."""
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
        """The user's wallet on a chain."""
        return await self._lookups.call((org_id, user_id, chain))

    async def find_address(self, org_id: UUID, chain: Chain, address: str) -> Wallet | None:
        """The organisation's own wallet at an address.

        Raises `WalletNotFound` for an address of a user of ours who has no wallet on this chain:
        EVM addresses are the same on every EVM chain, and coins must not leave the books for them.
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
        return ours

    async def of_users(self, org_id: UUID, user_ids: Sequence[UUID]) -> Mapping[UUID, list[Wallet]]:
        """All wallets of these users, by user."""
        found = await self._database.single(lambda tx: store.of_users(tx, org_id, user_ids))
        return {
            user_id: [each for each in found if each.user_id == user_id] for user_id in user_ids
        }

    async def holding(self, org_id: UUID, user_id: UUID, chain: Chain, currency: str) -> Holding:
        """What the user's wallet holds of a currency; raises `WalletNotFound`."""
        token = TOKENS.get((chain, currency))
        if token is None:
            raise FieldInvalid(f"currency: there is no {currency} on {chain}", field="currency")
        wallet = await self.find(org_id, user_id, chain)
        if wallet is None:
            raise WalletNotFound(f"user {user_id} has no wallet on {chain}")
        account = await self._ledger.account(org_id, wallet.id, token.asset)
        if account is None:
            raise Broken(f"wallet {wallet.id} has no account of {token.asset.code}")
        return Holding(wallet, token, account.available_units, account.held_units)

    async def register(
        self,
        caller: Caller,
        user_id: UUID,
        *,
        chain: Chain,
        address: str,
        name: str,
        reference: str,
    ) -> ExternalWallet:
        """Register an address outside the platform for a user; once per user, chain and address."""
        at = self._clock.stamp(caller.clock_offset)
        external = ExternalWallet(
            org_id=caller.org_id,
            id=new_id(),
            user_id=user_id,
            chain=chain,
            address=checked_address(chain, address, field="address"),
            name=_text("name", name),
            reference_id=_text("referenceId", reference),
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
            if not await store.add_external(tx, external):
                raise WalletAlreadyExists(
                    f"the user has already registered {external.address} on {chain}",
                    field="address",
                )
            await tell(
                tx,
                org_id=caller.org_id,
                object_id=external.id,
                seq=1,
                kind=EXTERNAL_KIND,
                what="register",
                actor=caller.actor,
                at=at,
            )

        await self._database.transact(work)
        return external

    async def external(self, org_id: UUID, external_id: UUID) -> ExternalWallet:
        """A registered address; raises `WalletNotFound`."""
        found = await self._database.single(lambda tx: store.external(tx, org_id, external_id))
        if found is None:
            raise WalletNotFound(f"there is no external wallet {external_id}")
        return found

    async def externals_of_user(
        self, org_id: UUID, user_id: UUID, window: Window
    ) -> Sequence[ExternalWallet]:
        """A page of a user's registered addresses, newest first."""
        return await self._database.single(
            lambda tx: store.externals_of_user(
                tx,
                org_id,
                user_id,
                after=window.since,
                before=window.position,
                limit=window.limit,
            )
        )

    async def check_seal(self) -> None:
        """Open one seed; raises `SealBroken` if the master key is not the one that sealed it.

        Called at start: better no server than one that can't open its users' wallets.
        """
        found = await self._database.single(store.any_seed)
        if found is not None:
            org_id, sealed = found
            self._sealer.open(sealed, context=_seed_context(org_id))

    async def _keys(self, tx: Tx, org_id: UUID, at: datetime) -> keys.WalletKeys:
        """The organisation's derivation; its seed is made when its first wallet is."""
        context = _seed_context(org_id)
        sealed = await store.seed(tx, org_id)
        if sealed is None:
            await store.add_seed(
                tx, org_id, self._sealer.seal(keys.new_seed(), context=context), at
            )
            sealed = await store.seed(tx, org_id)
        if sealed is None:
            raise Broken(f"organisation {org_id} has no wallet seed")
        return keys.WalletKeys(self._sealer.open(sealed, context=context))

    async def _find(self, wanted: list[tuple[UUID, UUID, Chain]]) -> list[Wallet | None]:
        return await self._database.single(lambda tx: store.find(tx, wanted))


def _seed_context(org_id: UUID) -> str:
    return f"wallet_seed:{org_id}"


def checked_address(chain: Chain, address: str, *, field: str) -> str:
    """An address in its one spelling; raises `FieldInvalid` naming the field."""
    check = keys.checked_evm_address if chain.is_evm else keys.checked_solana_address
    try:
        return check(address)
    except ValueError as error:
        raise FieldInvalid(f"{field} {error}", field=field) from error


def _text(field: str, text: str) -> str:
    if not 1 <= len(text.strip()) <= _TEXT_LENGTH_MAX:
        raise FieldInvalid(f"{field} must have 1 to {_TEXT_LENGTH_MAX} characters", field=field)
    return text.strip()
