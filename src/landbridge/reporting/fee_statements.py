"""What an organisation earned and paid in a period: fees, gas and write-offs, from the ledger.

Amounts are those of the ledger's entries by the time of their posting, so fees that were given back
are already subtracted, and the sums equal the balances of the house accounts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final
from uuid import UUID

from landbridge.ledger.model import HouseRole
from landbridge.payments.transactions.model import LEDGER_ASSETS
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database, Row
from landbridge.providers.rates.valuation import UsdRates
from landbridge.reporting import fee_statement_store as store

# Fees by user that one page lists; a file has all.
USER_FEES_MAX: Final = 50
_NO_ROW: Final = (UUID(int=0), "", "")


@dataclass(frozen=True, slots=True)
class FeeSum:
    """Number of entries of one account, kind of record and asset, and their sum.

    Earned amounts are positive, costs too: `role` says which one it is.
    """

    role: HouseRole
    kind: str
    count: int
    amount: Money


@dataclass(frozen=True, slots=True)
class UserFee:
    """Fees of one user in one asset; `kind` is None where all kinds are summed."""

    user_id: UUID
    kind: str | None
    count: int
    amount: Money


@dataclass(frozen=True, slots=True)
class FeeStatement:
    """Sums of a period: `earned` and `paid` by kind, and the highest fees of a user in an asset."""

    earned: Sequence[FeeSum]
    paid: Sequence[FeeSum]
    users: Sequence[UserFee]

    @property
    def totals(self) -> Mapping[str, Money]:
        """Return the fees earned by the code of their asset."""
        found: dict[str, Money] = {}
        for each in self.earned:
            code = each.amount.asset.code
            found[code] = found[code] + each.amount if code in found else each.amount
        return found


@dataclass(frozen=True, slots=True)
class FeeStatements:
    """Reads statements of fees."""

    database: Database

    async def of(
        self, org_id: UUID, since: datetime, until: datetime, usd_rates: UsdRates
    ) -> FeeStatement:
        """Return the statement of a period, `until` exclusive; `usd_rates` compare fees."""
        usd_per_unit = _usd_per_unit(usd_rates)
        kinds = await self.database.read_on_replica(
            lambda tx: store.by_kind(tx, org_id, since, until)
        )
        users = await self.database.read_on_replica(
            lambda tx: store.highest_fees(
                tx, org_id, since, until, usd_per_unit=usd_per_unit, limit=USER_FEES_MAX
            )
        )
        sums = [_sum(row) for row in kinds]
        return FeeStatement(
            earned=[each for each in sums if each.role is HouseRole.FEES],
            paid=[each for each in sums if each.role is not HouseRole.FEES],
            users=[UserFee(row["user_id"], None, row["count"], _money(row)) for row in users],
        )

    async def by_user(
        self,
        org_id: UUID,
        since: datetime,
        until: datetime,
        *,
        after: UserFee | None,
        limit: int,
    ) -> Sequence[UserFee]:
        """Return fees of a period by user, kind and asset, behind the row `after`."""
        key = _NO_ROW if after is None else _key(after)
        rows = await self.database.read_on_replica(
            lambda tx: store.fees_by_user(tx, org_id, since, until, after=key, limit=limit)
        )
        return [UserFee(row["user_id"], row["kind"], row["count"], _money(row)) for row in rows]


def _sum(row: Row) -> FeeSum:
    role, amount = HouseRole(row["role"]), _money(row)
    return FeeSum(role, row["kind"], row["count"], amount if role is HouseRole.FEES else -amount)


def _usd_per_unit(rates: UsdRates) -> Mapping[str, Decimal]:
    """Return dollars for the smallest unit of each asset that has a rate."""
    found: dict[str, Decimal] = {}
    for code, asset in LEDGER_ASSETS.items():
        usd = rates.per_unit(asset.currency)
        if usd is not None:
            found[code] = usd.scaleb(-asset.decimals)
    return found


def _money(row: Row) -> Money:
    return Money(int(row["units"]), LEDGER_ASSETS[row["asset"]])


def _key(fee: UserFee) -> tuple[UUID, str, str]:
    return fee.user_id, fee.kind or "", fee.amount.asset.code
