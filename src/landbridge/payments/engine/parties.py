"""Parties of a payment: the paying wallet, and the recipient of the coins."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from landbridge.customers.address_policies.service import AddressPolicies
from landbridge.customers.users.records import check_not_frozen, unknown
from landbridge.customers.users.service import Users
from landbridge.customers.wallets.errors import WalletNotFound
from landbridge.customers.wallets.model import Wallet
from landbridge.customers.wallets.party_contexts import PartyContexts
from landbridge.customers.wallets.service import Wallets, checked_address
from landbridge.ledger.model import AccountBalance, NewAccount
from landbridge.ledger.service import Ledger
from landbridge.payments.engine.treasury_bounds import TreasuryBounds
from landbridge.payments.limits.model import PaymentDestination
from landbridge.payments.limits.service import Limits
from landbridge.payments.quotes.errors import RouteInvalid
from landbridge.platform.core.choices import case_hint
from landbridge.platform.core.errors import (
    FieldInvalid,
    InvariantBroken,
    ProfileFrozen,
    RoleNotAllowed,
    UserFrozen,
)
from landbridge.platform.core.gather import gather_in_order
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.http.caller import Caller, check_payer
from landbridge.platform.orgs.service import Orgs
from landbridge.providers.chains.port import ChainAction, Chains
from landbridge.providers.chains.tokens import NETWORK_TOKENS, Chain, Network


@dataclass(frozen=True, slots=True)
class Payer:
    """Paying wallet with its ledger account of the asset, and of a second asset if requested."""

    wallet: Wallet
    account: AccountBalance
    asset: Asset
    other_account: AccountBalance | None = None
    # Contract address of the asset, if the chains file overrides the published one.
    contract_address: str | None = None


@dataclass(frozen=True, slots=True)
class Payee:
    """Recipient of coins; without an account the coins leave the platform.

    `user_id` is None for an external address that no user registered. `new_account` is set if the
    account does not exist yet: the payment's creation opens it.
    """

    user_id: UUID | None
    address: str
    account_id: UUID | None = None
    external_wallet_id: UUID | None = None
    new_account: NewAccount | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyRequest:
    """Party as a request names it; `side` is the name of its field in errors.

    At most one of the other fields is set. With `is_flat` the request has chain and currency beside
    its parties, not within each party.
    """

    side: str
    is_flat: bool = False
    user_id: UUID | None = None
    external_wallet_id: UUID | None = None
    wallet_address: str | None = None

    def __post_init__(self) -> None:
        values = {
            "userId": self.user_id,
            "externalWalletId": self.external_wallet_id,
            "walletAddress": self.wallet_address,
        }
        mark_sent = [name for name, value in values.items() if value is not None]
        if len(mark_sent) > 1:
            raise FieldInvalid(
                f"{self.side}.{mark_sent[0]} and {self.side}.{mark_sent[1]} exclude each other",
                field=f"{self.side}.{mark_sent[1]}",
            )

    @property
    def is_empty(self) -> bool:
        """Return whether the request names no party."""
        values = (self.user_id, self.external_wallet_id, self.wallet_address)
        return all(each is None for each in values)


@dataclass(frozen=True, slots=True)
class PaymentParties:
    """Resolves requested parties to wallets and accounts, and refuses invalid ones."""

    ledger: Ledger
    orgs: Orgs
    users: Users
    wallets: Wallets
    address_policies: AddressPolicies
    party_contexts: PartyContexts
    # The chains on which coins can leave the platform: connected or simulated ones.
    chains: Chains = field(kw_only=True)
    treasury_bounds: TreasuryBounds = field(kw_only=True)
    limits: Limits = field(kw_only=True)
    # Whether an external address must be registered before coins are sent to it.
    needs_registration: bool = field(kw_only=True)

    async def check_may_move(self, caller: Caller, *user_ids: UUID) -> None:
        """Raise unless this caller may start payments, and these users may move money.

        Raises `ProfileFrozen`, `RoleNotAllowed`, `UserNotFound` and `UserFrozen`.
        """
        check_payer(caller)
        await self.users.check_active(caller.org_id, *user_ids)

    async def find_frozen_reason(self, org_id: UUID, *user_ids: UUID) -> str | None:
        """Return why a payment of these users may not continue now; None if it may."""
        try:
            await gather_in_order(
                (self.orgs.check_active(org_id), self.users.check_active(org_id, *user_ids))
            )
        except (ProfileFrozen, UserFrozen) as error:
            return error.message
        return None

    async def find_block_reason(
        self, org_id: UUID, user_ids: Iterable[UUID], payees: Iterable[PaymentDestination]
    ) -> str | None:
        """Return why these users may not pay these recipients now; None if they may."""
        reason = await self.find_frozen_reason(org_id, *user_ids)
        return reason or await self.limits.find_block_reason(org_id, payees)

    def check_chain_connected(
        self, chain: str, *, field: str, action: ChainAction = ChainAction.TRANSFER
    ) -> None:
        """Raise `RouteInvalid` if the chain is not connected: no wallet can be paid then."""
        if not self.chains.carries(chain, action):
            raise RouteInvalid(
                f"{field}: {chain} is not connected, so nothing could carry it", field=field
            )

    def check_bridge(self, source: Asset, destination: Asset) -> None:
        """Raise `RouteInvalid` if no bridge carries these coins from chain to chain."""
        refusal = self.chains.find_bridge_refusal(source, destination)
        if refusal is not None:
            raise RouteInvalid(
                f"destination.chain: {refusal}, so nothing could carry this bridge",
                field="destination.chain",
            )

    def check_recipients(self, chain: str, count: int, *, field: str) -> None:
        """Raise `RouteInvalid` if one transaction on the chain can't pay so many recipients."""
        most = self.treasury_bounds.operations.recipients_max(chain)
        if most is not None and count > most:
            raise RouteInvalid(
                f"{field}: one transaction on {chain} pays at most {most} recipients", field=field
            )

    async def payer(
        self,
        caller: Caller,
        user_id: UUID,
        chain: Chain,
        currency: str,
        *,
        other: Asset | None = None,
        is_flat: bool = False,
    ) -> Payer:
        """Return the paying wallet of a user; `is_flat` as in `PartyRequest`.

        With `other`, the wallet's account of that asset is returned too. Raises as
        `check_may_move`, `RouteInvalid` for a currency that the chain does not have, and
        `WalletNotFound`.
        """
        asset = token_asset(chain, currency, field=_field("source", "currency", is_flat=is_flat))
        check_payer(caller)
        context = await self.party_contexts.find(caller.org_id, user_id, chain, asset, other)
        check_not_frozen(user_id, context.is_user_frozen)
        wallet = context.wallet
        if wallet is None:
            raise _no_wallet(user_id, chain, side="source", is_flat=is_flat)
        account = context.account or await self.ledger.find_account(wallet.org_id, wallet.id, asset)
        other_account = context.other_account
        if other is not None and other_account is None:
            other_account = await self.ledger.find_account(wallet.org_id, wallet.id, other)
        contract_address = self.wallets.connected_contract(chain, currency)
        return Payer(wallet, account, asset, other_account, contract_address)

    async def payee(
        self,
        caller: Caller,
        requested: PartyRequest,
        *,
        payer_id: UUID,
        chain: Chain,
        asset: Asset,
        may_be_unknown: bool = False,
    ) -> Payee:
        """Return the recipient of a non-empty request.

        The address of an internal wallet resolves to that wallet; any other has to be registered,
        unless it `may_be_unknown`. Raises `FieldInvalid`, `RouteInvalid` if coins can't leave,
        `WalletNotFound` for an address that is not registered, and `UserNotFound` or `UserFrozen`
        for a user who may not receive.
        """
        org_id, side = caller.org_id, requested.side
        if requested.external_wallet_id is not None:
            self.check_can_leave(chain, f"{side}.externalWalletId")
            external = await self.wallets.external(org_id, requested.external_wallet_id)
            if not external.is_active or external.chain is not chain:
                raise WalletNotFound(
                    f"{side}.externalWalletId is not an active wallet on {chain}",
                    field=f"{side}.externalWalletId",
                )
            if external.user_id != payer_id:
                await self.users.check_active(org_id, external.user_id)
            await self.check_address(org_id, external.address, f"{side}.externalWalletId")
            return Payee(external.user_id, external.address, external_wallet_id=external.id)
        if requested.wallet_address is not None:
            address = checked_address(
                chain, requested.wallet_address, field=f"{side}.walletAddress"
            )
            ours = await self.wallets.find_address(org_id, chain, address)
            if ours is None and may_be_unknown:
                self.check_can_leave(chain, f"{side}.walletAddress")
                await self.check_address(org_id, address, f"{side}.walletAddress")
                return Payee(None, address)
            if ours is None:
                return await self.outside(
                    org_id,
                    payer_id=payer_id,
                    address=address,
                    registered_on=[chain],
                    side=side,
                )
        elif requested.user_id is not None:
            return await self._internal_payee(org_id, requested, chain, asset, payer_id=payer_id)
        else:
            raise FieldInvalid(f"{side}: give userId or walletAddress", field=f"{side}.userId")
        if ours.user_id != payer_id:
            await self.users.check_active(org_id, ours.user_id)
        account = await self.ledger.find_account(ours.org_id, ours.id, asset)
        return Payee(ours.user_id, ours.address, account_id=account.id, new_account=account.missing)

    async def _internal_payee(
        self, org_id: UUID, requested: PartyRequest, chain: Chain, asset: Asset, *, payer_id: UUID
    ) -> Payee:
        """Return the wallet of a requested user; raises `WalletNotFound`, with a remedy."""
        user_id = requested.user_id
        if user_id is None:
            raise InvariantBroken("an internal payee has a user")
        context = await self.party_contexts.find(org_id, user_id, chain, asset)
        if context.is_user_frozen is None:
            raise unknown(user_id)
        wallet = context.wallet
        if wallet is None:
            raise _no_wallet(user_id, chain, side=requested.side, is_flat=requested.is_flat)
        if user_id != payer_id:
            check_not_frozen(user_id, context.is_user_frozen)
        account = context.account or await self.ledger.find_account(org_id, wallet.id, asset)
        return Payee(user_id, wallet.address, account_id=account.id, new_account=account.missing)

    async def outside(
        self,
        org_id: UUID,
        *,
        payer_id: UUID,
        address: str,
        registered_on: Sequence[Chain],
        side: str,
    ) -> Payee:
        """Return the payee at an external address that the payer registered on one of these chains.

        Raises `RouteInvalid` if coins can't leave the platform, and `WalletNotFound` for an address
        that is not registered but has to be.
        """
        self.check_can_leave(registered_on[0], f"{side}.walletAddress")
        await self.check_address(org_id, address, f"{side}.walletAddress")
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

    def holds_coins(self, chain: str) -> bool:
        """Return whether wallets on a chain hold real coins, which only orders to it can move."""
        return self.chains.holds_coins(chain)

    async def check_address(self, org_id: UUID, address: str, name: str) -> None:
        """Raise `RouteInvalid`, naming the field, if an external address may not be paid."""
        refusal = await self.address_policies.find_outside_refusal(org_id, address)
        if refusal is not None:
            raise RouteInvalid(f"{name}: {refusal}", field=name)

    async def check_redirect(self, org_id: UUID, address: str, name: str) -> None:
        """Check an external address to which two people are to redirect coins.

        Raises as `check_address`, and `LimitExceeded` for an address that a list excludes.
        """
        await self.check_address(org_id, address, name)
        target = PaymentDestination.listed(address)
        await self.limits.check_listed(org_id, target, is_approved=True)

    async def check_delivery(self, caller: Caller, payee: Payee, amount: Money, field: str) -> None:
        """Check a quoted amount that the treasury would deliver to the payee.

        Raises `QuoteNotReady` if the treasury can't deliver it, and as `check_new_address`.
        """
        await self.check_new_address(caller, payee, amount, field)
        await self.treasury_bounds.check(caller.org_id, amount)

    async def check_new_address(
        self, caller: Caller, payee: Payee, amount: Money, field: str
    ) -> None:
        """Raise `RouteInvalid` if the amount exceeds the maximum for a new external address."""
        if payee.account_id is not None:
            return
        bound = await self.address_policies.find_new_address_bound(caller, payee.address)
        if bound is None:
            return
        coins, is_new_for = bound
        if amount.units > coins * 10**amount.asset.decimals:
            hours = int(is_new_for.total_seconds()) // 3600
            raise RouteInvalid(
                f"{field}: for {hours} hours after an address was registered, a payment to it "
                f"moves at most {coins} {amount.asset.currency}",
                field=field,
            )

    async def check_new_addresses(
        self, caller: Caller, payments: Iterable[tuple[Payee, Money, str]]
    ) -> None:
        """Check each (payee, amount, field) of a payment; amounts to one address are added."""
        sums: dict[str, Money] = {}
        for payee, amount, field_name in payments:
            before = sums.get(payee.address)
            sums[payee.address] = amount if before is None else before + amount
            await self.check_new_address(caller, payee, sums[payee.address], field_name)

    def check_can_leave(self, chain: str, name: str) -> None:
        """Raise `RouteInvalid`, naming the field, if coins can't leave the platform there."""
        if not self.chains.carries(chain, ChainAction.TRANSFER):
            raise RouteInvalid(
                f"{name}: no connected chain can deliver the coins there; "
                "pay a user of the platform",
                field=name,
            )


def check_own_wallet(
    caller: Caller, payer_id: UUID, payee_id: UUID | None, account_id: UUID | None
) -> None:
    """Raise `RoleNotAllowed` if a team member would pay another user without an approval.

    Swaps and onramps have no approvals. `account_id` is None if the coins leave the platform.
    """
    if caller.payments_need_approval and (account_id is None or payee_id != payer_id):
        raise RoleNotAllowed(
            "a member's swaps and onramps go to the paying user's wallets; pay others by a transfer"
        )


def token_asset(chain: Chain | Network, currency: str, *, field: str) -> Asset:
    """Return the asset of a currency on a chain; raises `RouteInvalid` if there is none."""
    token = NETWORK_TOKENS.get((Network(chain), currency))
    if token is None:
        hint = case_hint(currency, (each for _, each in NETWORK_TOKENS))
        raise RouteInvalid(f"{field}: there is no {currency[:50]} on {chain}{hint}", field=field)
    return token.asset


def _no_wallet(user_id: UUID, chain: Chain, *, side: str, is_flat: bool) -> WalletNotFound:
    field = _field(side, "chain", is_flat=is_flat)
    return WalletNotFound(
        f"{field}: user {user_id} has no wallet on {chain}; add one with "
        f"POST /v2/users/{user_id}/wallets/add",
        field=field,
    )


def _field(side: str, name: str, *, is_flat: bool) -> str:
    return name if is_flat else f"{side}.{name}"
