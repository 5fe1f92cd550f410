"""Payments of all kinds in one list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from uuid import UUID

from landbridge.books.model import ALL_ASSETS, KINDS, Filters
from landbridge.core.money import UNITS_DIGITS_MAX
from landbridge.core.pages import Window
from landbridge.ledger.listing import Line, Listing, Sieve
from landbridge.users.model import UserCard
from landbridge.users.service import Users

_UNITS_MAX = 10**UNITS_DIGITS_MAX


@dataclass(frozen=True, slots=True)
class TransactionPage:
    """Payments, newest first, whose they are, and where to go on."""

    lines: Sequence[Line]
    users: Mapping[UUID, UserCard]
    next_cursor: datetime | None


@dataclass(frozen=True, slots=True)
class Transactions:
    """Payments of all kinds and organisations."""

    listing: Listing
    users: Users

    async def page(self, org_id: UUID, filters: Filters, window: Window) -> TransactionPage:
        """A page, newest first; one that ends early, or is empty, may have a cursor."""
        kinds = [kind for kind in KINDS if filters.kinds is None or kind in filters.kinds]
        found = await self.listing.page(org_id, kinds, filters.user_id, _sieve(filters), window)
        cards = await self.users.cards(org_id, list({each.user_id for each in found.lines}))
        return TransactionPage(
            found.lines, cards, None if found.last is None else found.last.created_at
        )


def _sieve(filters: Filters) -> Sieve:
    return Sieve(
        statuses=None if filters.statuses is None else sorted(filters.statuses),
        assets=None
        if filters.currency is None
        else [code for code, each in ALL_ASSETS.items() if each.currency == filters.currency],
        amounts=_amounts(filters.least, filters.most),
    )


def _amounts(least: Decimal | None, most: Decimal | None) -> Mapping[str, tuple[int, int]] | None:
    """What these bounds are in units of each asset."""
    if least is None and most is None:
        return None
    return {
        code: (
            0 if least is None else _units(least, each.decimals, ROUND_CEILING),
            _UNITS_MAX if most is None else _units(most, each.decimals, ROUND_FLOOR),
        )
        for code, each in ALL_ASSETS.items()
    }


def _units(amount: Decimal, decimals: int, rounding: str) -> int:
    scaled = amount.scaleb(decimals).to_integral_value(rounding)
    return min(int(scaled), _UNITS_MAX)
