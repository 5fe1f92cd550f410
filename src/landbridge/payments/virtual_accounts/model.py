"""Virtual accounts and micro-deposits as stored."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.ledger.model import HouseRole, Posting
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.core.transitions import Transitions
from landbridge.providers.chains.tokens import TOKENS, Chain

KIND = "ACCOUNT.VIRTUAL_ACCOUNT"
MICRO_DEPOSIT_KIND = "ACCOUNT.MICRO_DEPOSIT"

# Deposit rails, in the order of the contract. Source: contract, accounts 5.
PAYMENT_RAILS = ("ach", "wire", "rtp")

# Cents below which a deposit is a bank's check of the account's owner. Such checks send a few
# cents, and converting less than a dollar is not worthwhile. Source: contract, lifecycles 9; the
# figure is ours.
MICRO_UNITS_BELOW = 100


class VirtualAccountStatus(StrEnum):
    """Status of a virtual account: what it waits for, and who acts next."""

    ACTIVATED = "activated"
    """Accepts deposits, each of which creates an onramp."""
    DEACTIVATED = "deactivated"
    """Returns deposits until the organisation reactivates it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualAccount:
    """Bank details of a user: fiat that arrives there is converted and delivered to a wallet.

    `wallet_address` is the address of the user's own wallet on `chain`, or of an external wallet.
    """

    org_id: UUID
    id: UUID
    user_id: UUID
    status: VirtualAccountStatus
    source_currency: str
    destination_currency: str
    chain: Chain
    wallet_address: str
    external_wallet_id: UUID | None
    account_number: str
    settlement_rule_id: UUID | None
    version: int
    created_at: datetime
    updated_at: datetime

    @property
    def asset(self) -> Asset:
        """The asset into which deposits are converted."""
        return TOKENS[self.chain, self.destination_currency].asset

    @property
    def is_active(self) -> bool:
        """Whether deposits are accepted."""
        return self.status is VirtualAccountStatus.ACTIVATED


class MicroDepositSource(msgspec.Struct, frozen=True, kw_only=True):
    """Sealed part of a micro-deposit: its sender and rail."""

    payment_rail: str
    bank_name: str | None = None
    sender_name: str | None = None
    routing_number: str | None = None
    account_number: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MicroDeposit:
    """Cents by which a bank checks an account's owner; `source` is None once the user is erased."""

    org_id: UUID
    id: UUID
    account_id: UUID
    money: Money
    source: MicroDepositSource | None
    created_at: datetime


class MicroDepositStatus(StrEnum):
    """Status of a micro-deposit."""

    COMPLETED = "COMPLETED"
    """Final: the cents are booked as soon as the microdeposits are found."""


MICRO_DEPOSIT_TRANSITIONS: Transitions[MicroDepositStatus] = Transitions(
    start=frozenset({MicroDepositStatus.COMPLETED}),
    table={MicroDepositStatus.COMPLETED: frozenset()},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualAccountFilters:
    """Filters of a user's list of accounts; None includes all."""

    source_currency: str | None
    destination_currency: str | None
    chain: Chain | None


def is_micro(money: Money) -> bool:
    """Return whether a deposit is small enough to be an account check."""
    return money.units < MICRO_UNITS_BELOW


def micro_deposit_postings(money: Money) -> list[Posting]:
    """Return the journal of a micro-deposit: the cents go to the organisation."""
    return [Posting(HouseRole.OUTSIDE, -money), Posting(HouseRole.LIQUIDITY, money)]
