"""Wallets, external wallets and deposits as they are stored."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from landbridge.chains.tokens import Chain
from landbridge.core.money import Money
from landbridge.core.states import Moves
from landbridge.ledger.model import Posting, Role

DEPOSIT_KIND = "WALLET.DEPOSIT"


@dataclass(frozen=True, slots=True)
class Wallet:
    """A user's wallet on one chain; its key is derived at `derivation_index` (keys.py)."""

    org_id: UUID
    id: UUID
    user_id: UUID
    chain: Chain
    address: str
    derivation_index: int
    created_at: datetime


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
    """Where coins that arrived from outside stand."""

    COMPLETED = "COMPLETED"  # final on the chain and credited


DEPOSIT_MOVES: Moves[DepositStatus] = Moves(
    start=frozenset({DepositStatus.COMPLETED}),
    table={DepositStatus.COMPLETED: frozenset()},
)


def deposit_details(account_id: UUID, transaction_hash: str, source_address: str) -> dict[str, str]:
    """Return the details of a deposit's record: the account it credits, and where it came from."""
    return {
        "account_id": str(account_id),
        "transaction_hash": transaction_hash,
        "source_address": source_address,
    }


def deposit_postings(account_id: UUID, money: Money) -> list[Posting]:
    """Return the journal of coins that arrive in a wallet from outside."""
    return [Posting(Role.OUTSIDE, -money), Posting(account_id, money)]
