"""Virtual accounts on the wire. Source: contract, interface/virtual-account."""

from collections.abc import Mapping, Sequence
from typing import Literal
from uuid import UUID

from landbridge.chains.tokens import Chain
from landbridge.rails.port import Coordinates
from landbridge.users.model import UserCard
from landbridge.virtual_accounts.destinations import Route
from landbridge.virtual_accounts.model import (
    PAYMENT_RAILS,
    MicroDeposit,
    Source,
    Status,
    VirtualAccount,
)
from landbridge.web.reply import Moment, WireStruct, moment


class NewVirtualAccount(WireStruct, frozen=True):
    """From what to what; give `destinationChain` (the user's own wallet) or `externalWalletId`."""

    source_currency: Literal["usd"]
    destination_currency: Literal["usdc", "usdt"]
    destination_chain: Chain | None = None
    external_wallet_id: UUID | None = None


class AccountSource(WireStruct, frozen=True):
    """What may arrive, and how."""

    payment_rail: tuple[str, ...]
    currency: str


class AccountDestination(WireStruct, frozen=True):
    """What it becomes, and where it is delivered."""

    chain: Chain
    currency: str
    wallet_address: str
    external_wallet_id: UUID | None


class Beneficiary(WireStruct, frozen=True):
    """In whose name the account is; `name` is empty once the user was erased."""

    name: str
    address: str


class RailNumbers(WireStruct, frozen=True):
    """Where to send fiat by one rail."""

    routing_number: str
    account_number: str


class DepositInstructions(WireStruct, frozen=True, kw_only=True, omit_defaults=True):
    """Where to send fiat. What an account does not have is left out."""

    bank_name: str
    bank_address: str
    swift_code: str | None = None
    beneficiary: Beneficiary
    ach: RailNumbers | None = None
    wire: RailNumbers | None = None
    rtp: RailNumbers | None = None
    instruction: str


class SourceBankInfo(WireStruct, frozen=True):
    """Who sent a micro-deposit; null is what the bank did not say, or what was erased."""

    bank_name: str | None
    sender_name: str | None
    routing_number: str | None
    account_number: str | None
    account_type: str | None
    fed_batch_id: str | None
    imad: str | None
    omad: str | None
    trace_number: str | None
    bank_address: str | None
    description: str | None
    payment_rail: str | None


class MicroDepositReply(WireStruct, frozen=True):
    """Cents that check an account; `amount` is in cents. `id` (ours) goes back as a bound."""

    id: UUID
    created_at: Moment
    currency: str
    amount: int
    source_bank_info: SourceBankInfo


class MicroDeposits(WireStruct, frozen=True):
    """A page of micro-deposits, newest first."""

    count: int
    data: list[MicroDepositReply]


class AccountInfo(WireStruct, frozen=True, kw_only=True, omit_defaults=True):
    """A virtual account; only retrieving one tells its `microDeposits`.

    Without `depositInstructions` no bank is connected that would take a deposit.
    """

    id: UUID
    created_at: Moment
    updated_at: Moment
    user_id: UUID
    source: AccountSource
    destination: AccountDestination
    status: Status
    micro_deposits: MicroDeposits | None = None
    deposit_instructions: DepositInstructions | None = None
    settlement_rule_id: UUID | None


class AccountAnswer(WireStruct, frozen=True):
    """What was done, and the account as it is now."""

    message: str
    account_info: AccountInfo


class AccountPage(WireStruct, frozen=True):
    """A page of virtual accounts, newest first."""

    count: int
    data: list[AccountInfo]
    next_cursor: Moment | None


def asked_route(data: NewVirtualAccount) -> Route:
    """What was asked for."""
    return Route(
        source_currency=data.source_currency,
        destination_currency=data.destination_currency,
        chain=data.destination_chain,
        external_wallet_id=data.external_wallet_id,
    )


def account_info(
    account: VirtualAccount,
    coordinates: Coordinates | None,
    cards: Mapping[UUID, UserCard],
    micro_deposits: MicroDeposits | None = None,
) -> AccountInfo:
    """An account as the contract prints it; `cards` has its user."""
    card = cards.get(account.user_id)
    return AccountInfo(
        id=account.id,
        created_at=moment(account.created_at),
        updated_at=moment(account.updated_at),
        user_id=account.user_id,
        source=AccountSource(payment_rail=PAYMENT_RAILS, currency=account.source_currency),
        destination=AccountDestination(
            chain=account.chain,
            currency=account.destination_currency,
            wallet_address=account.wallet_address,
            external_wallet_id=account.external_wallet_id,
        ),
        status=account.status,
        micro_deposits=micro_deposits,
        deposit_instructions=None
        if coordinates is None
        else _instructions(account, coordinates, "" if card is None else card.name),
        settlement_rule_id=account.settlement_rule_id,
    )


def micro_deposit_replies(found: Sequence[MicroDeposit]) -> MicroDeposits:
    """Micro-deposits as the contract prints them."""
    return MicroDeposits(
        count=len(found),
        data=[
            MicroDepositReply(
                id=each.id,
                created_at=moment(each.created_at),
                currency=each.money.asset.currency,
                amount=each.money.units,
                source_bank_info=_source_bank_info(each.source),
            )
            for each in found
        ],
    )


def _instructions(
    account: VirtualAccount, coordinates: Coordinates, name: str
) -> DepositInstructions:
    numbers = {
        rail: RailNumbers(routing_number=routing, account_number=number)
        for rail, (routing, number) in coordinates.rails.items()
    }
    holder = f"The beneficiary must be {name}. " if name else ""
    becomes = f"{account.destination_currency} on {account.chain}"
    return DepositInstructions(
        bank_name=coordinates.bank_name,
        bank_address=coordinates.bank_address,
        swift_code=coordinates.swift_code,
        beneficiary=Beneficiary(name=name, address=coordinates.beneficiary_address),
        ach=numbers.get("ach"),
        wire=numbers.get("wire"),
        rtp=numbers.get("rtp"),
        instruction=f"Send {account.source_currency.upper()} by ACH, wire or RTP to this account. "
        f"{holder}No reference is needed; what arrives is converted to {becomes}.",
    )


def _source_bank_info(source: Source | None) -> SourceBankInfo:
    """Of what the interface lists we know the sender; the rest a simulated bank does not say."""
    return SourceBankInfo(
        bank_name=source and source.bank_name,
        sender_name=source and source.sender_name,
        routing_number=source and source.routing_number,
        account_number=source and source.account_number,
        account_type=None,
        fed_batch_id=None,
        imad=None,
        omad=None,
        trace_number=None,
        bank_address=None,
        description=source and source.description,
        payment_rail=source and source.payment_rail,
    )
