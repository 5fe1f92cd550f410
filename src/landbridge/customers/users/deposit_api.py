"""Routes of deposits into a user's wallets. Source: contract, users 7, and interface/wallet."""

from enum import StrEnum
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.customers.users.path_params import known_user
from landbridge.customers.users.service import Users
from landbridge.customers.wallets.deposits import WalletDeposit, WalletDeposits
from landbridge.customers.wallets.service import Wallets
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import AmountError, Money
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import coins, one_of, query
from landbridge.platform.http.list_query import parse_choice, required_text
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import Moment, WireStruct, moment, or_unset
from landbridge.providers.chains.tokens import CURRENCIES, DECIMALS_MAX, Chain

# Smallest deposit that is listed by default, in whole coins. Source: contract, lifecycles 1.7.
AMOUNT_MIN = "0.01"


class DepositStatusReply(StrEnum):
    """Status of a deposit on its chain."""

    CONFIRMED = "CONFIRMED"  # found on the chain, but not final: it can't be spent yet
    COMPLETED = "COMPLETED"  # final, and credited


class DepositWallet(WireStruct, frozen=True):
    """Wallet that received the deposit."""

    id: UUID
    address: str
    chain: Chain
    wallet_type: str


class DepositTransaction(WireStruct, frozen=True):
    """Transaction of a deposit; `amount` is in whole coins, `unitAmount` in smallest units.

    Deposits without a transaction on a chain have no hash and no sender.
    """

    chain: Chain
    currency: str
    status: DepositStatusReply
    destination_address: str
    contract_address: str
    amount: str
    unit_amount: str
    transaction_hash: str | msgspec.UnsetType = msgspec.UNSET
    source_address: str | msgspec.UnsetType = msgspec.UNSET


class DepositReply(WireStruct, frozen=True):
    """Coins that arrived in a user's wallet."""

    id: UUID
    user_id: UUID
    created_at: Moment
    updated_at: Moment
    wallet: DepositWallet
    transaction: DepositTransaction


class DepositPage(WireStruct, frozen=True):
    """Page, newest first; `deposits` duplicates `records` under its older name."""

    count: int
    records: list[DepositReply]
    deposits: list[DepositReply]
    next_cursor: Moment | msgspec.UnsetType = msgspec.UNSET


class DepositRoutes(Controller):
    """Routes of deposits into a user's wallets."""

    path = "/v2/users/{userId:str}/wallets/deposits"
    tags = ("Wallets",)

    @get(summary="List deposits", operation_id="deposits.list")
    async def page(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        users: NamedDependency[Users],
        wallets: NamedDependency[Wallets],
        wallet_deposits: NamedDependency[WalletDeposits],
        window: NamedDependency[PageWindow],
        chain: Annotated[str | None, query("chain", one_of(Chain), is_required=True)] = None,
        currency: Annotated[
            str | None, query("currency", one_of(CURRENCIES), is_required=True)
        ] = None,
        status: Annotated[str | None, query("status", one_of(DepositStatusReply))] = None,
        min_amount: Annotated[
            str | None,
            query(
                "minAmount", coins(DECIMALS_MAX), description="In whole coins; 0.01 if left out."
            ),
        ] = None,
    ) -> DepositPage:
        """Newest first; coins from outside, from other users, from onramps and bridges."""
        org_id, user_id = request.user.org_id, known_user(userId)
        chain_filter = parse_choice("chain", required_text("chain", chain), Chain)
        token = wallets.token(chain_filter, required_text("currency", currency))
        minimum = _parse_minimum(min_amount, Money(0, token.asset))
        status_filter = (
            None if status is None else parse_choice("status", status, DepositStatusReply)
        )
        await users.check_exists(org_id, user_id)
        found = await wallet_deposits.page(
            org_id,
            user_id,
            chain=chain_filter,
            currency=token.asset.currency,
            units_min=minimum.units,
            is_final=None if status is None else status_filter is DepositStatusReply.COMPLETED,
            window=window,
        )
        listed = [deposit_reply(each) for each in found.deposits]
        ends_at = found.next_cursor
        return DepositPage(
            count=len(listed),
            records=listed,
            deposits=listed,
            next_cursor=msgspec.UNSET if ends_at is None else moment(ends_at),
        )

    @get("/{depositId:str}", summary="Retrieve a deposit", operation_id="deposits.retrieve")
    async def retrieve(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        depositId: FromPath[str],
        users: NamedDependency[Users],
        wallet_deposits: NamedDependency[WalletDeposits],
    ) -> DepositReply:
        """One deposit of this user, however small."""
        org_id, user_id = request.user.org_id, known_user(userId)
        await users.check_exists(org_id, user_id)
        return deposit_reply(
            await wallet_deposits.get(org_id, user_id, known_id(depositId, "deposit"))
        )


def deposit_reply(deposit: WalletDeposit) -> DepositReply:
    """Return a deposit as a response."""
    wallet, asset = deposit.wallet, deposit.token.asset
    return DepositReply(
        id=deposit.id,
        user_id=wallet.user_id,
        created_at=moment(deposit.created_at),
        updated_at=moment(deposit.updated_at),
        wallet=DepositWallet(
            id=wallet.id, address=wallet.address, chain=wallet.chain, wallet_type="INDIVIDUAL"
        ),
        transaction=DepositTransaction(
            transaction_hash=or_unset(deposit.transaction_hash),
            chain=wallet.chain,
            currency=asset.currency,
            status=(
                DepositStatusReply.COMPLETED if deposit.is_final else DepositStatusReply.CONFIRMED
            ),
            source_address=or_unset(deposit.source_address),
            destination_address=wallet.address,
            contract_address=deposit.contract_address,
            amount=str(deposit.money),
            unit_amount=str(deposit.money.units),
        ),
    )


def _parse_minimum(text: str | None, nothing: Money) -> Money:
    """Return the minimum amount of listed deposits in the asset of `nothing`."""
    try:
        minimum = Money.parse(AMOUNT_MIN if text is None else text, nothing.asset)
    except AmountError as error:
        raise FieldInvalid(f"minAmount {error}", field="minAmount") from error
    if minimum < nothing:
        raise FieldInvalid("minAmount must not be below zero", field="minAmount")
    return minimum
