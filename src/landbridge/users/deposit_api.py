"""Routes of what arrived in a user's wallets. Source: contract, users 7, and interface/wallet."""

from enum import StrEnum
from typing import Annotated
from uuid import UUID

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from landbridge.chains.tokens import Chain
from landbridge.core.errors import FieldInvalid
from landbridge.core.money import AmountError, Money
from landbridge.core.pages import Window
from landbridge.users.paths import known_user
from landbridge.users.service import Users
from landbridge.wallets.deposits import Deposit, Deposits, deposit_token
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import word
from landbridge.web.paths import known_id
from landbridge.web.reply import Moment, WireStruct, moment

# Source: contract, lifecycles 1.7.
AMOUNT_MIN = "0.01"


class DepositStatus(StrEnum):
    """Where a deposit stands on its chain."""

    CONFIRMED = "CONFIRMED"  # found on the chain
    COMPLETED = "COMPLETED"  # final, and credited


class DepositWallet(WireStruct, frozen=True):
    """The wallet in which coins arrived."""

    id: UUID
    address: str
    chain: Chain
    wallet_type: str


class DepositTransaction(WireStruct, frozen=True):
    """How they arrived; `amount` is in whole coins, `unitAmount` in smallest units.

    Hash and sender are null where coins changed hands without a transaction on a chain.
    """

    transaction_hash: str | None
    chain: Chain
    currency: str
    status: DepositStatus
    source_address: str | None
    destination_address: str
    contract_address: str
    amount: str
    unit_amount: str


class DepositReply(WireStruct, frozen=True):
    """Coins that arrived in a user's wallet."""

    id: UUID
    user_id: UUID
    created_at: Moment
    updated_at: Moment
    wallet: DepositWallet
    transaction: DepositTransaction


class DepositPage(WireStruct, frozen=True):
    """A page, newest first; `deposits` is `records` once more, by its older name."""

    count: int
    records: list[DepositReply]
    deposits: list[DepositReply]
    next_cursor: Moment | None


class DepositRoutes(Controller):
    """What arrived in a user's wallets."""

    path = "/v2/users/{userId:str}/wallets/deposits"
    tags = ("Wallets",)

    @get(summary="List deposits")
    async def page(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        users: NamedDependency[Users],
        deposits: NamedDependency[Deposits],
        window: NamedDependency[Window],
        chain: Annotated[str | None, QueryParameter(name="chain")] = None,
        currency: Annotated[str | None, QueryParameter(name="currency")] = None,
        status: Annotated[str | None, QueryParameter(name="status")] = None,
        min_amount: Annotated[
            str | None,
            QueryParameter(name="minAmount", description="In whole coins; 0.01 if left out."),
        ] = None,
    ) -> DepositPage:
        """Newest first; coins from outside, from other users, from onramps and bridges."""
        org_id, user_id = request.user.org_id, known_user(userId)
        told = word("chain", _required("chain", chain), Chain)
        token = deposit_token(told, _required("currency", currency))
        least = _least(min_amount, Money(0, token.asset))
        wanted = None if status is None else word("status", status, DepositStatus)
        await users.check_exists(org_id, user_id)
        found = await deposits.page(
            org_id,
            user_id,
            chain=told,
            currency=token.asset.currency,
            units_min=least.units,
            window=window,
        )
        # What is in the books is final: there is nothing that is only confirmed.
        shown = (
            []
            if wanted is DepositStatus.CONFIRMED
            else [deposit_reply(each) for each in found.deposits]
        )
        ends_at = None if wanted is DepositStatus.CONFIRMED else found.next_cursor
        return DepositPage(
            count=len(shown),
            records=shown,
            deposits=shown,
            next_cursor=None if ends_at is None else moment(ends_at),
        )

    @get("/{depositId:str}", summary="Retrieve a deposit")
    async def retrieve(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        depositId: FromPath[str],
        users: NamedDependency[Users],
        deposits: NamedDependency[Deposits],
    ) -> DepositReply:
        """One deposit of this user, however small."""
        org_id, user_id = request.user.org_id, known_user(userId)
        await users.check_exists(org_id, user_id)
        return deposit_reply(await deposits.get(org_id, user_id, known_id(depositId, "deposit")))


def deposit_reply(deposit: Deposit) -> DepositReply:
    """A deposit as it is answered."""
    wallet, asset = deposit.wallet, deposit.token.asset
    return DepositReply(
        id=deposit.id,
        user_id=wallet.user_id,
        created_at=moment(deposit.at),
        updated_at=moment(deposit.at),
        wallet=DepositWallet(
            id=wallet.id, address=wallet.address, chain=wallet.chain, wallet_type="INDIVIDUAL"
        ),
        transaction=DepositTransaction(
            transaction_hash=deposit.transaction_hash,
            chain=wallet.chain,
            currency=asset.currency,
            status=DepositStatus.COMPLETED,
            source_address=deposit.source_address,
            destination_address=wallet.address,
            contract_address=deposit.token.address,
            amount=str(deposit.money),
            unit_amount=str(deposit.money.units),
        ),
    )


def _required(name: str, text: str | None) -> str:
    if text is None:
        raise FieldInvalid(f"{name} is required", field=name)
    return text


def _least(text: str | None, nothing: Money) -> Money:
    """The smallest deposit that is wanted."""
    try:
        least = Money.parse(AMOUNT_MIN if text is None else text, nothing.asset)
    except AmountError as error:
        raise FieldInvalid(f"minAmount {error}", field="minAmount") from error
    if least < nothing:
        raise FieldInvalid("minAmount must not be below zero", field="minAmount")
    return least
