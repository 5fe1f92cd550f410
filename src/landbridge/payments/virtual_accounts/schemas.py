"""Schemas of virtual accounts. Source: contract, interface/virtual-account."""

from collections.abc import Mapping, Sequence
from uuid import UUID

import msgspec

from landbridge.customers.users.model import UserCard
from landbridge.payments.virtual_accounts.model import (
    PAYMENT_RAILS,
    MicroDeposit,
    MicroDepositSource,
    VirtualAccount,
    VirtualAccountStatus,
)
from landbridge.platform.http.responses import Moment, WireStruct, moment, reply_of
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.rails.port import DepositCoordinates


class VirtualAccountSource(WireStruct, frozen=True):
    """Currency and rails of deposits."""

    payment_rail: tuple[str, ...]
    currency: str


class VirtualAccountDestination(WireStruct, frozen=True):
    """Currency and destination of the delivery."""

    chain: Chain
    currency: str
    wallet_address: str
    external_wallet_id: UUID | None


class VirtualAccountBeneficiary(WireStruct, frozen=True):
    """Holder of the account; `name` is empty once the user was erased."""

    name: str
    address: str


class RailInstructions(WireStruct, frozen=True):
    """Deposit instructions of one rail."""

    routing_number: str
    account_number: str


class DepositInstructions(WireStruct, frozen=True, kw_only=True, omit_defaults=True):
    """Deposit instructions. Fields that the account lacks are omitted."""

    bank_name: str
    bank_address: str
    swift_code: str | None = None
    beneficiary: VirtualAccountBeneficiary
    ach: RailInstructions | None = None
    wire: RailInstructions | None = None
    rtp: RailInstructions | None = None
    instruction: str


class SourceBankInfo(WireStruct, frozen=True, kw_only=True):
    """Sender of a micro-deposit; fields are null if not reported, or once erased."""

    bank_name: str | None
    sender_name: str | None
    routing_number: str | None
    account_number: str | None
    account_type: str | None
    fed_batch_id: str | msgspec.UnsetType = msgspec.UNSET
    imad: str | None
    omad: str | None
    trace_number: str | msgspec.UnsetType = msgspec.UNSET
    bank_address: str | None
    description: str | None
    payment_rail: str | None


class MicroDepositReply(WireStruct, frozen=True):
    """Cents by which a bank verifies an account; `amount` is in cents; `id` can be a bound."""

    id: UUID
    created_at: Moment
    currency: str
    amount: int
    source_bank_info: SourceBankInfo


class MicroDeposits(WireStruct, frozen=True):
    """A page of micro-deposits, newest first."""

    count: int
    data: list[MicroDepositReply]


class VirtualAccountReply(WireStruct, frozen=True, kw_only=True, omit_defaults=True):
    """A virtual account; `microDeposits` is set only when one account is retrieved.

    Without `depositInstructions` no connected bank accepts deposits for it.
    """

    id: UUID
    created_at: Moment
    updated_at: Moment
    user_id: UUID
    source: VirtualAccountSource
    destination: VirtualAccountDestination
    status: VirtualAccountStatus
    micro_deposits: MicroDeposits | None = None
    deposit_instructions: DepositInstructions | None = None
    settlement_rule_id: UUID | None


class VirtualAccountEnvelope(WireStruct, frozen=True):
    """The result and the account as it is now."""

    message: str
    account_info: VirtualAccountReply


class VirtualAccountPageReply(WireStruct, frozen=True):
    """A page of virtual accounts, newest first."""

    count: int
    data: list[VirtualAccountReply]
    next_cursor: Moment | msgspec.UnsetType = msgspec.UNSET


def account_info(
    account: VirtualAccount,
    coordinates: DepositCoordinates | None,
    cards: Mapping[UUID, UserCard],
    micro_deposits: MicroDeposits | None = None,
) -> VirtualAccountReply:
    """Build the reply of an account; `cards` holds its user."""
    card = cards.get(account.user_id)
    return reply_of(
        account,
        VirtualAccountReply,
        source=VirtualAccountSource(payment_rail=PAYMENT_RAILS, currency=account.source_currency),
        destination=VirtualAccountDestination(
            chain=account.chain,
            currency=account.destination_currency,
            wallet_address=account.wallet_address,
            external_wallet_id=account.external_wallet_id,
        ),
        micro_deposits=micro_deposits,
        deposit_instructions=None
        if coordinates is None
        else _instructions(account, coordinates, "" if card is None else card.name),
    )


def micro_deposit_replies(found: Sequence[MicroDeposit]) -> MicroDeposits:
    """Build the replies of micro-deposits."""
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
    account: VirtualAccount, coordinates: DepositCoordinates, name: str
) -> DepositInstructions:
    numbers = {
        rail: RailInstructions(routing_number=routing, account_number=number)
        for rail, (routing, number) in coordinates.rails.items()
    }
    holder = f"The beneficiary must be {name}. " if name else ""
    becomes = f"{account.destination_currency.upper()} on {account.chain.title()}"
    return DepositInstructions(
        bank_name=coordinates.bank_name,
        bank_address=coordinates.bank_address,
        swift_code=coordinates.swift_code,
        beneficiary=VirtualAccountBeneficiary(name=name, address=coordinates.beneficiary_address),
        ach=numbers.get("ach"),
        wire=numbers.get("wire"),
        rtp=numbers.get("rtp"),
        instruction=f"Send {account.source_currency.upper()} by ACH, wire or RTP to this account. "
        f"{holder}No reference is needed; what arrives is converted to {becomes}.",
    )


def _source_bank_info(source: MicroDepositSource | None) -> SourceBankInfo:
    """Return the known fields of the sender; a simulated bank reports no others."""
    return SourceBankInfo(
        bank_name=source and source.bank_name,
        sender_name=source and source.sender_name,
        routing_number=source and source.routing_number,
        account_number=source and source.account_number,
        account_type=None,
        imad=None,
        omad=None,
        bank_address=None,
        description=source and source.description,
        payment_rail=source and source.payment_rail,
    )
