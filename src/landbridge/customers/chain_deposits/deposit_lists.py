"""Lists of the coins that an organisation's users received from outside the platform.

Coins from other users, onramps and bridges are payments, which are listed with the transactions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.customers.chain_deposits import deposit_list_store as store
from landbridge.customers.chain_deposits.model import ChainDepositStatus
from landbridge.platform.core.money import Money
from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.db.pool import Database, Row
from landbridge.platform.db.rows import read_row
from landbridge.providers.chains.tokens import ASSETS, TOKENS, Chain


@dataclass(frozen=True, slots=True, kw_only=True)
class DepositListFilter:
    """Filter of a list of deposits; a member that is None does not filter."""

    user_id: UUID | None = None
    chain: Chain | None = None
    currency: str | None = None
    status: ChainDepositStatus | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideDeposit:
    """Deposit from outside; `created_at` is when it was found on the chain, organisation time."""

    id: UUID
    user_id: UUID
    money: Money
    status: ChainDepositStatus
    transaction_hash: str
    source_address: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class DepositLists:
    """Reads deposits of all users of an organisation, one statement for each page."""

    database: Database

    async def page(
        self, org_id: UUID, wanted: DepositListFilter, window: PositionWindow
    ) -> Sequence[OutsideDeposit]:
        """Return a page of deposits that match the filter, newest first."""
        assets = [
            token.asset.code
            for (chain, currency), token in TOKENS.items()
            if wanted.chain in {None, chain} and wanted.currency in {None, currency}
        ]
        statuses = list(ChainDepositStatus) if wanted.status is None else [wanted.status]
        rows = await self.database.read_on_replica(
            lambda tx: store.page(
                tx, org_id, wanted.user_id, window, assets=assets, statuses=statuses
            )
        )
        return [_deposit(row) for row in rows]


def _deposit(row: Row) -> OutsideDeposit:
    money = Money(int(row["units"]), ASSETS[row["asset"]])
    return read_row(row, OutsideDeposit, money=money, created_at=row["received_at"])
