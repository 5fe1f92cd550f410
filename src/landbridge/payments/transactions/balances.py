"""Balance sheet: total user balances, house accounts, and amounts in transit."""

from dataclasses import dataclass
from uuid import UUID

from landbridge.ledger.house_accounts import house_balances
from landbridge.ledger.listing import TransferListing
from landbridge.ledger.model import HouseRole
from landbridge.payments.transactions.model import ALL_ASSETS, LEDGER_ASSETS
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.db.pool import Database


@dataclass(frozen=True, slots=True)
class AssetHolding:
    """Total balance of all wallets in an asset."""

    available: Money
    held: Money


@dataclass(frozen=True, slots=True)
class HouseAccountHolding:
    """Balance of a house account in an asset; may be negative."""

    role: HouseRole
    balance: Money


@dataclass(frozen=True, slots=True)
class BalanceSheet:
    """Balances of an organisation, without zero balances."""

    users: list[AssetHolding]
    house: list[HouseAccountHolding]


@dataclass(frozen=True, slots=True)
class BalanceSheets:
    """Reads the balances of all organisations."""

    database: Database
    listing: TransferListing

    async def of(self, org_id: UUID) -> BalanceSheet:
        """Return the balances of an organisation, by chain and currency."""
        held = await self.listing.holdings(org_id)
        house = await house_balances(self.database, org_id)
        return BalanceSheet(
            sorted(
                (
                    AssetHolding(
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
                    HouseAccountHolding(role, Money(units, LEDGER_ASSETS[code]))
                    for (role, code), units in house.items()
                    if units
                ),
                key=lambda each: (each.role, _order(each.balance.asset)),
            ),
        )


def _order(asset: Asset) -> tuple[str, str]:
    return asset.chain, asset.currency
