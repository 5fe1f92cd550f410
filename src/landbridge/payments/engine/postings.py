"""Journals of a payment's money: move, hold, release, spend."""

from collections.abc import Iterable
from uuid import UUID

from landbridge.ledger.model import HouseRole, Posting
from landbridge.platform.core.money import Money


def move(source: UUID | HouseRole, destination: UUID | HouseRole, money: Money) -> list[Posting]:
    """Move money from one account to another."""
    return [Posting(source, -money), Posting(destination, money)]


def hold(account_id: UUID, money: Money) -> list[Posting]:
    """Move money from available to held: it stays the wallet's own but can't be spent."""
    return [Posting(account_id, -money, held_units=money.units)]


def release_held(account_id: UUID, money: Money) -> list[Posting]:
    """Move money from held back to available."""
    return [Posting(account_id, money, held_units=-money.units)]


def spend_held(account_id: UUID, parts: Iterable[tuple[UUID | HouseRole, Money]]) -> list[Posting]:
    """Spend held money: credit at least one wallet account or house role with its part.

    Zero parts are left out; parts for the same account become one posting.
    """
    to: dict[UUID | HouseRole, Money] = {}
    for account, part in parts:
        if part.units:
            to[account] = to[account] + part if account in to else part
    total = sum(part.units for part in to.values())
    asset = next(iter(to.values())).asset
    release = Posting(account_id, Money(0, asset), held_units=-total)
    if account_id in to:
        # The payer is also a recipient: one posting per account keeps the journal readable.
        release = Posting(account_id, to.pop(account_id), held_units=-total)
    return [release, *(Posting(account, part) for account, part in to.items())]
