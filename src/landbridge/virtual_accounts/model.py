"""Virtual accounts as they are stored, and the cents that arrive there to check them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol
from uuid import UUID

import msgspec

from landbridge.chains.tokens import TOKENS, Chain
from landbridge.core.money import Asset, Money
from landbridge.core.states import Moves
from landbridge.ledger.model import Posting, Role

KIND = "ACCOUNT.VIRTUAL_ACCOUNT"
MICRO_DEPOSIT_KIND = "ACCOUNT.MICRO_DEPOSIT"

# How fiat may arrive, in the order of the contract. Source: contract, accounts 5.
PAYMENT_RAILS = ("ach", "wire", "rtp")

# What is less is a bank's check of whose account this is. Such checks send a few cents; a payment
# of less than a dollar is worth no conversion. Source: contract, lifecycles 9 (the figure is ours).
MICRO_UNITS_BELOW = 100


class Status(StrEnum):
    """What an account is waiting for, and who moves it on."""

    ACTIVATED = "activated"
    """Deposits, which become onramps by themselves, until the organisation deactivates it."""
    DEACTIVATED = "deactivated"
    """Nothing: what arrives is given back, until the organisation reactivates it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualAccount:
    """Bank details of a user: fiat that arrives there is converted and delivered to one wallet.

    `wallet_address` is the user's own wallet on `chain`, or that of the external wallet.
    """

    org_id: UUID
    id: UUID
    user_id: UUID
    status: Status
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
        """What deposits become."""
        return TOKENS[self.chain, self.destination_currency].asset

    @property
    def is_active(self) -> bool:
        """Whether deposits are taken."""
        return self.status is Status.ACTIVATED


class Sender(Protocol):
    """Who sent fiat, as far as the bank says; a receipt's own type is above this package."""

    @property
    def name(self) -> str | None:
        """The holder's name."""
        ...

    @property
    def bank_name(self) -> str | None:
        """The bank's."""
        ...

    @property
    def routing_number(self) -> str | None:
        """The bank's number."""
        ...

    @property
    def account_number(self) -> str | None:
        """The holder's account."""
        ...


class Credit(Protocol):
    """Fiat that arrived on an account of ours: what a receipt tells this package."""

    @property
    def id(self) -> UUID:
        """Of the receipt."""
        ...

    @property
    def money(self) -> Money:
        """How much."""
        ...

    @property
    def rail(self) -> str:
        """How it came, as in `ach`."""
        ...

    @property
    def sender(self) -> Sender | None:
        """Who sent it; None once erased."""
        ...

    @property
    def description(self) -> str | None:
        """What the sender wrote."""
        ...

    @property
    def received_at(self) -> datetime:
        """When, in the organisation's time."""
        ...


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """What is sealed of a micro-deposit: who sent it, and how."""

    payment_rail: str
    bank_name: str | None = None
    sender_name: str | None = None
    routing_number: str | None = None
    account_number: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MicroDeposit:
    """Cents with which a bank checks whose account this is; `source` is None once erased."""

    org_id: UUID
    id: UUID
    account_id: UUID
    money: Money
    source: Source | None
    created_at: datetime


class MicroDepositStatus(StrEnum):
    """Where cents that arrived to check an account stand."""

    COMPLETED = "COMPLETED"
    """Nothing: they are in the books from the moment at which they were seen."""


MICRO_DEPOSIT_MOVES: Moves[MicroDepositStatus] = Moves(
    start=frozenset({MicroDepositStatus.COMPLETED}),
    table={MicroDepositStatus.COMPLETED: frozenset()},
)


def is_micro(money: Money) -> bool:
    """Whether a deposit is so small that it only checks the account."""
    return money.units < MICRO_UNITS_BELOW


def micro_deposit_postings(money: Money) -> list[Posting]:
    """Return the journal of a micro-deposit: the cents are the organisation's."""
    return [Posting(Role.OUTSIDE, -money), Posting(Role.LIQUIDITY, money)]
