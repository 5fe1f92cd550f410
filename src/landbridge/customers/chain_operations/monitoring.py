"""Metrics and alarms of connected chains, set by the worker."""

from collections.abc import Collection
from uuid import UUID

import structlog

from landbridge.customers.chain_operations.model import ConnectedChain
from landbridge.customers.chain_operations.service import ChainOperations
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.providers.evm.outbox.metrics import (
    ACCOUNTS_STOPPED,
    OLDEST_ORDER_S,
    OPEN_ORDERS,
    TREASURY_LOW,
    UNPAID_ORDERS,
)
from landbridge.providers.evm.outbox.model import FINAL_STATES, OutboxState
from landbridge.providers.evm.outbox.overview_service import OutboxOverview

_log = structlog.stdlib.get_logger()


class ChainMonitoring:
    """Counts orders and stopped accounts, and watches the treasuries of all organisations."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        operations: ChainOperations,
    ) -> None:
        self._overview = OutboxOverview(database)
        self._clock = clock
        self._operations = operations

    async def count(self) -> None:
        """Set the gauges of open orders and of stopped accounts."""
        for chain in self._operations.chains:
            await self._count(chain.name.value)

    async def watch_treasuries(self, org_ids: Collection[UUID]) -> None:
        """Set the gauges of low treasuries, and log each: one below the floor of its token."""
        for chain in self._operations.chains:
            watched = [
                currency
                for currency, token in chain.tokens.items()
                if token.treasury_floor_units is not None
            ]
            if not watched:
                continue
            counts = dict.fromkeys(watched, 0)
            for org_id in org_ids:
                for currency in await self._low(org_id, chain):
                    counts[currency] += 1
            for currency, count in counts.items():
                TREASURY_LOW.labels(chain.name.value, currency).set(count)

    async def _count(self, name: str) -> None:
        orders = await self._overview.open_orders(name, None)
        stopped = await self._overview.stopped_count(name)
        for state in OutboxState:
            if state not in FINAL_STATES:
                OPEN_ORDERS.labels(name, state.value).set(orders.counts.get(state, 0))
        UNPAID_ORDERS.labels(name).set(orders.unpaid)
        age_s = 0.0
        if orders.oldest is not None:
            age_s = max((self._clock.now() - orders.oldest.created_at).total_seconds(), 0)
        OLDEST_ORDER_S.labels(name).set(age_s)
        ACCOUNTS_STOPPED.labels(name).set(stopped)

    async def _low(self, org_id: UUID, chain: ConnectedChain) -> list[str]:
        treasury = await self._operations.treasury(org_id, chain)
        # Without an address, nothing was ever paid from it.
        low = [each for each in treasury.tokens if treasury.address and each.is_low]
        for each in low:
            _log.warning(
                "chain.treasury.low",
                chain=chain.name.value,
                org_id=str(org_id),
                account=treasury.address,
                currency=each.currency,
                units=each.units,
                floor_units=each.floor_units,
                missing_units=each.missing_units,
            )
        return [each.currency for each in low]
