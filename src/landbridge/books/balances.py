"""What an organisation's users hold in sum, what its house accounts hold, what is in transit."""

from dataclasses import dataclass
from uuid import UUID

from landbridge.books.model import ALL_ASSETS
from landbridge.core.money import Asset, Money
from landbridge.db.pool import Database
from landbridge.ledger.house import house_balances
from landbridge.ledger.listing import Listing
from landbridge.ledger.model import Role


@dataclass(frozen=True, slots=True)
class Holding:
    """What all wallets hold together of an asset."""

    available: Money
    held: Money


@dataclass(frozen=True, slots=True)
class HouseHolding:
    """What a house account holds of an asset; may be below zero."""

    role: Role
    balance: Money


@dataclass(frozen=True, slots=True)
class Sheet:
    """All balances; those that are zero are left out."""

    users: list[Holding]
    house: list[HouseHolding]


@dataclass(frozen=True, slots=True)
class Balances:
    """The balances of all organisations."""

    database: Database
    listing: Listing

    async def of(self, org_id: UUID) -> Sheet:
        """The balances of an organisation, by chain and currency."""
        held = await self.listing.holdings(org_id)
        house = await house_balances(self.database, org_id)
        return Sheet(
            sorted(
                (
                    Holding(
                        Money(each.available_units, ALL_ASSETS[each.asset]),
                        Money(each.held_units, ALL_ASSETS[each.asset]),
                    )
                    for each in held
                    if each.available_units or each.held_units
                ),
                key=lambda each: _order(each.available.asset),
            ),
            sorted(
                (
                    HouseHolding(role, Money(units, ALL_ASSETS[code]))
                    for (role, code), units in house.items()
                    if units
                ),
                key=lambda each: (each.role, _order(each.balance.asset)),
            ),
        )


def _order(asset: Asset) -> tuple[str, str]:
    return asset.chain, asset.currency
