"""Journals of money that waits: held, let go, or spent."""

from collections.abc import Iterable
from uuid import UUID

from landbridge.core.money import Money
from landbridge.ledger.model import Posting, Role


def hold(account_id: UUID, money: Money) -> list[Posting]:
    """From available to held: still the wallet's own, but it can't be spent."""
    return [Posting(account_id, -money, held_units=money.units)]


def let_go(account_id: UUID, money: Money) -> list[Posting]:
    """From held to available again."""
    return [Posting(account_id, money, held_units=-money.units)]


def spend_held(account_id: UUID, parts: Iterable[tuple[UUID | Role, Money]]) -> list[Posting]:
    """Held money to others, at least one: wallets' accounts or house roles, each with its part.

    Parts of nothing are left out; parts for the same account are one posting.
    """
    to: dict[UUID | Role, Money] = {}
    for account, part in parts:
        if part.units:
            to[account] = to[account] + part if account in to else part
    total = sum(part.units for part in to.values())
    asset = next(iter(to.values())).asset
    spent = Posting(account_id, Money(0, asset), held_units=-total)
    if account_id in to:
        # The payer is among the paid: one posting per account keeps the journal readable.
        spent = Posting(account_id, to.pop(account_id), held_units=-total)
    return [spent, *(Posting(account, part) for account, part in to.items())]
