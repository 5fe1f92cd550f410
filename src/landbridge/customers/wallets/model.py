"""Wallets, external wallets and deposits as they are stored."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from landbridge.ledger.model import AccountBalance, HouseRole, Posting
from landbridge.platform.core.money import Money
from landbridge.platform.core.transitions import Transitions
from landbridge.providers.chains.tokens import Chain

DEPOSIT_KIND = "WALLET.DEPOSIT"


@dataclass(frozen=True, slots=True)
class Wallet:
    """User's wallet on one chain; its key is derived at `derivation_index` (keys.py)."""

    org_id: UUID
    id: UUID
    user_id: UUID
    chain: Chain
    address: str
    derivation_index: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class PartyContext:
    """State of a payment's payer or payee, read by one statement.

    `is_user_frozen` is None for an unknown user. `account` and `other_account` are the wallet's
    accounts of the two requested assets, None if the wallet has no such account yet.
    """

    is_user_frozen: bool | None
    wallet: Wallet | None
    account: AccountBalance | None
    other_account: AccountBalance | None


@dataclass(frozen=True, slots=True)
class ExternalWallet:
    """An address outside the platform that a user has registered."""

    org_id: UUID
    id: UUID
    user_id: UUID
    chain: Chain
    address: str
    name: str
    reference_id: str
    is_active: bool
    created_at: datetime
    updated_at: datetime


class DepositStatus(StrEnum):
    """Status of a deposit from outside."""

    COMPLETED = "COMPLETED"  # final on the chain and credited


DEPOSIT_MOVES: Transitions[DepositStatus] = Transitions(
    start=frozenset({DepositStatus.COMPLETED}),
    table={DepositStatus.COMPLETED: frozenset()},
)


def deposit_details(account_id: UUID, transaction_hash: str, source_address: str) -> dict[str, str]:
    """Return the details of a deposit's record: the credited account, and the origin."""
    return {
        "account_id": str(account_id),
        "transaction_hash": transaction_hash,
        "source_address": source_address,
    }


def deposit_postings(account_id: UUID, money: Money) -> list[Posting]:
    """Return the journal of coins that arrive in a wallet from outside."""
    return [Posting(HouseRole.OUTSIDE, -money), Posting(account_id, money)]
