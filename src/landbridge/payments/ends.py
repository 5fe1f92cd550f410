"""The two ends of a payment: the wallet that pays, and where the coins arrive."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from landbridge.chains.tokens import NETWORK_TOKENS, Chain, Network
from landbridge.core.errors import FieldInvalid, ProfileFrozen, RoleNotAllowed, UserFrozen
from landbridge.core.money import Asset
from landbridge.ledger.service import Account, Ledger
from landbridge.orgs.service import Orgs
from landbridge.quotes.errors import RouteInvalid
from landbridge.users.service import Users
from landbridge.wallets.errors import WalletNotFound
from landbridge.wallets.model import Wallet
from landbridge.wallets.service import Wallets, checked_address
from landbridge.web.caller import Caller, check_payer


@dataclass(frozen=True, slots=True)
class Payer:
    """The wallet that pays, and its account of the asset."""

    wallet: Wallet
    account: Account
    asset: Asset


@dataclass(frozen=True, slots=True)
class Payee:
    """Where coins arrive; without an account they leave the platform.

    `user_id` is None for an address outside that no user registered.
    """

    user_id: UUID | None
    address: str
    account_id: UUID | None = None
    external_wallet_id: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An end as it was asked for: at most one member is not None; `side` names it in refusals.

    With `is_flat` the body tells chain and currency beside its ends, not within each.
    """

    side: str
    is_flat: bool = False
    user_id: UUID | None = None
    external_wallet_id: UUID | None = None
    wallet_address: str | None = None

    def __post_init__(self) -> None:
        told = {
            "userId": self.user_id,
            "externalWalletId": self.external_wallet_id,
            "walletAddress": self.wallet_address,
        }
        given = [name for name, value in told.items() if value is not None]
        if len(given) > 1:
            raise FieldInvalid(
                f"{self.side}.{given[0]} and {self.side}.{given[1]} exclude each other",
                field=f"{self.side}.{given[1]}",
            )

    @property
    def is_empty(self) -> bool:
        """Whether nothing was told."""
        told = (self.user_id, self.external_wallet_id, self.wallet_address)
        return all(each is None for each in told)


@dataclass(frozen=True, slots=True)
class Ends:
    """Finds wallets and accounts, and refuses what can't be an end."""

    ledger: Ledger
    orgs: Orgs
    users: Users
    wallets: Wallets
    # Whether coins can leave the platform: only where a chain carries them, or a sandbox plays one.
    can_leave: bool = field(kw_only=True)
    # Whether an address outside must be registered before coins go there.
    needs_registration: bool = field(kw_only=True)

    async def check_may_move(self, caller: Caller, *user_ids: UUID) -> None:
        """Raise unless this caller may start payments, and these users may move money.

        Raises `ProfileFrozen`, `RoleNotAllowed`, `UserNotFound` and `UserFrozen`.
        """
        check_payer(caller)
        for user_id in dict.fromkeys(user_ids):
            await self.users.check_active(caller.org_id, user_id)

    async def why_frozen(self, org_id: UUID, *user_ids: UUID) -> str | None:
        """Why a payment of these users may not go on now; None if it may. For steps."""
        try:
            await self.orgs.check_active(org_id)
            for user_id in dict.fromkeys(user_ids):
                await self.users.check_active(org_id, user_id)
        except (ProfileFrozen, UserFrozen) as error:
            return error.message
        return None

    def check_carried(self, *, field: str) -> None:
        """Raise `RouteInvalid` where no chain is connected: not even wallets of ours pay there."""
        if not self.can_leave:
            raise RouteInvalid(f"{field}: no chain is connected that could carry it", field=field)

    async def payer(
        self,
        caller: Caller,
        user_id: UUID,
        chain: Chain,
        currency: str,
        *,
        side: str = "source",
        is_flat: bool = False,
    ) -> Payer:
        """The wallet of a user who may move money; `is_flat` as in `Asked`.

        Raises as `check_may_move`, `RouteInvalid` for a currency that the chain does not have, and
        `WalletNotFound`.
        """
        asset = token_asset(chain, currency, field=_field(side, "currency", is_flat=is_flat))
        await self.check_may_move(caller, user_id)
        wallet = await self.wallet(caller.org_id, user_id, chain, side=side, is_flat=is_flat)
        account = await self.ledger.account(wallet.org_id, wallet.id, asset)
        return Payer(wallet, account, asset)

    async def payee(
        self,
        caller: Caller,
        asked: Asked,
        *,
        payer_id: UUID,
        chain: Chain,
        asset: Asset,
        may_be_unknown: bool = False,
    ) -> Payee:
        """Where the coins arrive. `asked` must not be empty.

        An address of a wallet of ours is that wallet; any other has to be registered, unless it
        `may_be_unknown`. Raises `FieldInvalid`, `RouteInvalid` where
        coins can't leave, `WalletNotFound` for an address that is not registered, and
        `UserNotFound` or `UserFrozen` for a user who may not receive.
        """
        org_id, side = caller.org_id, asked.side
        if asked.external_wallet_id is not None:
            self.check_can_leave(f"{side}.externalWalletId")
            external = await self.wallets.external(org_id, asked.external_wallet_id)
            if not external.is_active or external.chain is not chain:
                raise WalletNotFound(
                    f"{side}.externalWalletId is not an active wallet on {chain}",
                    field=f"{side}.externalWalletId",
                )
            if external.user_id != payer_id:
                await self.users.check_active(org_id, external.user_id)
            return Payee(external.user_id, external.address, external_wallet_id=external.id)
        if asked.wallet_address is not None:
            address = checked_address(chain, asked.wallet_address, field=f"{side}.walletAddress")
            ours = await self.wallets.find_address(org_id, chain, address)
            if ours is None and may_be_unknown:
                self.check_can_leave(f"{side}.walletAddress")
                return Payee(None, address)
            if ours is None:
                return await self.outside(
                    org_id,
                    payer_id=payer_id,
                    address=address,
                    registered_on=[chain],
                    side=side,
                )
        elif asked.user_id is not None:
            ours = await self.wallet(org_id, asked.user_id, chain, side=side, is_flat=asked.is_flat)
        else:
            raise FieldInvalid(f"{side}: give userId or walletAddress", field=f"{side}.userId")
        if ours.user_id != payer_id:
            await self.users.check_active(org_id, ours.user_id)
        account = await self.ledger.account(ours.org_id, ours.id, asset)
        return Payee(ours.user_id, ours.address, account_id=account.id)

    async def wallet(
        self, org_id: UUID, user_id: UUID, chain: Chain, *, side: str, is_flat: bool = False
    ) -> Wallet:
        """A user's wallet on a chain; raises `WalletNotFound` with how to add one."""
        wallet = await self.wallets.find(org_id, user_id, chain)
        if wallet is None:
            await self.users.check_exists(org_id, user_id)
            field = _field(side, "chain", is_flat=is_flat)
            raise WalletNotFound(
                f"{field}: user {user_id} has no wallet on {chain}; add one with "
                f"POST /v2/users/{user_id}/wallets/add",
                field=field,
            )
        return wallet

    async def outside(
        self,
        org_id: UUID,
        *,
        payer_id: UUID,
        address: str,
        registered_on: Sequence[Chain],
        side: str,
    ) -> Payee:
        """An address outside that the payer has registered on one of these chains.

        Raises `RouteInvalid` where coins can't leave, and `WalletNotFound` for an address that is
        not registered but has to be.
        """
        self.check_can_leave(f"{side}.walletAddress")
        for chain in registered_on:
            external = await self.wallets.find_external(org_id, payer_id, chain, address)
            if external is not None:
                return Payee(external.user_id, external.address, external_wallet_id=external.id)
        if self.needs_registration:
            raise WalletNotFound(
                f"{side}.walletAddress: {address} is not registered on "
                f"{' or '.join(registered_on)}; register it with "
                f"POST /v2/users/{payer_id}/wallets/external",
                field=f"{side}.walletAddress",
            )
        return Payee(None, address)

    def check_can_leave(self, name: str) -> None:
        """Raise `RouteInvalid`, naming the field, where no chain could carry coins outside."""
        if not self.can_leave:
            raise RouteInvalid(
                f"{name}: no chain is connected that could carry the coins there; "
                "pay a user of the platform",
                field=name,
            )


def check_stays(
    caller: Caller, payer_id: UUID, payee_id: UUID | None, account_id: UUID | None
) -> None:
    """Raise `RoleNotAllowed` where a member would pay somebody by what knows no approvals.

    Such are swaps and onramps. Without an account the coins leave the platform.
    """
    if caller.must_ask and (account_id is None or payee_id != payer_id):
        raise RoleNotAllowed(
            "a member's swaps and onramps go to wallets of the user who pays; pay others by a "
            "transfer"
        )


def token_asset(chain: Chain | Network, currency: str, *, field: str) -> Asset:
    """The asset of a currency on a chain; raises `RouteInvalid` if the chain does not have it."""
    token = NETWORK_TOKENS.get((Network(chain), currency))
    if token is None:
        raise RouteInvalid(f"{field}: there is no {currency[:50]} on {chain}", field=field)
    return token.asset


def _field(side: str, name: str, *, is_flat: bool) -> str:
    return name if is_flat else f"{side}.{name}"
