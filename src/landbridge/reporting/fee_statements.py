"""Fees earned, and gas and write-offs paid by an organisation in a period, from the ledger.

Amounts are sums of ledger entries by posting time, so refunded fees are already subtracted, and the
sums equal the changes of the house accounts' balances.
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

# Sums by role of the account, kind of record, and asset.
BY_KIND = """
select e.role, t.kind, e.asset, count(*) as count, sum(e.available) as units
from entries e
join transfers t on t.org_id = e.org_id and t.id = e.transfer_id
where e.org_id = $1 and e.role in ('fees', 'gas', 'write_offs')
    and e.occurred_at >= $2 and e.occurred_at < $3
group by e.role, t.kind, e.asset
order by e.role, t.kind, e.asset
"""

# Sums of fees by user, kind and asset, after the row ($4, $5, $6).
FEES_BY_USER = """
select t.user_id, t.kind, e.asset, count(*) as count, sum(e.available) as units
from entries e
join transfers t on t.org_id = e.org_id and t.id = e.transfer_id
where e.org_id = $1 and e.role in ('fees', 'gas', 'write_offs') and e.role = 'fees'
    and e.occurred_at >= $2 and e.occurred_at < $3
    and (t.user_id, t.kind, e.asset) > ($4, $5, $6)
group by t.user_id, t.kind, e.asset
order by t.user_id, t.kind, e.asset
limit $7
"""

# Highest sums of fees by user and asset, compared in dollars: $4 are assets, $5 the dollars per
# smallest unit. Assets without a rate come last.
HIGHEST_FEES = """
select p.user_id, p.asset, p.count, p.units
from (
    select t.user_id, e.asset, count(*) as count, sum(e.available) as units
    from entries e
    join transfers t on t.org_id = e.org_id and t.id = e.transfer_id
    where e.org_id = $1 and e.role in ('fees', 'gas', 'write_offs') and e.role = 'fees'
        and e.occurred_at >= $2 and e.occurred_at < $3
    group by t.user_id, e.asset
) p
left join unnest($4::text[], $5::numeric[]) r (asset, usd) on r.asset = p.asset
order by p.units * r.usd desc nulls last, p.count desc, p.user_id, p.asset
limit $6
"""

# Most fees by user on a page; a file has all.
USER_FEES_MAX: Final = 50
_NO_ROW: Final = (UUID(int=0), "", "")


@dataclass(frozen=True, slots=True)
class FeeSum:
    """Number of entries of one account, kind of record and asset, and their sum.

    Earned amounts and costs are both positive; `role` distinguishes them.
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
    """Sums of a period: `earned` and `paid` by kind, and the highest fees by user and asset."""

    earned: Sequence[FeeSum]
    paid: Sequence[FeeSum]
    users: Sequence[UserFee]

    @property
    def totals(self) -> Mapping[str, Money]:
        """Return the fees earned, by asset code."""
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
        """Return the statement of a period, `until` exclusive; `usd_rates` rank the fees."""
        bounds, usd_per_unit = (org_id, since, until), _usd_per_unit(usd_rates)
        rates = list(usd_per_unit), list(usd_per_unit.values())
        kinds = await self.database.read_on_replica(lambda tx: tx.fetch(BY_KIND, *bounds))
        users = await self.database.read_on_replica(
            lambda tx: tx.fetch(HIGHEST_FEES, *bounds, *rates, USER_FEES_MAX)
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
        """Return fees of a period by user, kind and asset, after the row `after`, None to begin."""
        key = _NO_ROW if after is None else _key(after)
        rows = await self.database.read_on_replica(
            lambda tx: tx.fetch(FEES_BY_USER, org_id, since, until, *key, limit)
        )
        return [UserFee(row["user_id"], row["kind"], row["count"], _money(row)) for row in rows]


def _sum(row: Row) -> FeeSum:
    role, amount = HouseRole(row["role"]), _money(row)
    return FeeSum(role, row["kind"], row["count"], amount if role is HouseRole.FEES else -amount)


def _usd_per_unit(rates: UsdRates) -> Mapping[str, Decimal]:
    """Return the dollars per smallest unit of each asset with a rate, by asset code."""
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
