"""Balances of house accounts."""

from uuid import UUID

from landbridge.ledger.house_accounts import house_balances
from landbridge.ledger.model import HouseRole
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.db.pool import Database


async def house_balance(database: Database, org_id: UUID, role: HouseRole, asset: Asset) -> Money:
    """Return the balance of one house account; negative if more was debited than credited."""
    units = (await house_balances(database, org_id)).get((role, asset.code), 0)
    return Money(units, asset)
