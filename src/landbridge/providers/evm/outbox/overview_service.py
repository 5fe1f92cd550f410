"""Reads orders, attempts and sending accounts for operators, and resumes stopped accounts."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.evm.outbox import attempt_store, order_store, overview_store
from landbridge.providers.evm.outbox.model import TransactionAttempt, by_order
from landbridge.providers.evm.outbox.overview import (
    AccountOverview,
    MessageAttempt,
    OpenOrders,
    OrderOverview,
)

# Attempts of one order, on an EVM chain or on Solana.
ShownAttempts: TypeAlias = Sequence[TransactionAttempt] | Sequence[MessageAttempt]


class OutboxOverview:
    """Orders and accounts of all chains; `org_id` is None for all organisations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def open_orders(self, chain: str, org_id: UUID | None) -> OpenOrders:
        """Return the orders that are not final."""

        async def read(tx: Tx) -> OpenOrders:
            return OpenOrders(
                await overview_store.open_counts(tx, chain, org_id),
                await overview_store.unpaid_count(tx, chain, org_id),
                await overview_store.oldest(tx, chain, org_id),
            )

        return await self._database.read(read)

    async def accounts(self, chain: str) -> Sequence[AccountOverview]:
        """Return the relayers of a chain, then its stopped wallets."""
        return await self._database.single(lambda tx: overview_store.accounts(tx, chain))

    async def stopped_count(self, chain: str) -> int:
        """Return the number of stopped accounts."""
        return await self._database.single(lambda tx: overview_store.stopped_count(tx, chain))

    async def gas_since(self, chain: str, since: datetime) -> int:
        """Return the wei paid for gas by transactions signed since a moment."""
        return await self._database.single(lambda tx: overview_store.gas_since(tx, chain, since))

    async def orders_of_record(
        self, org_id: UUID, record_id: UUID
    ) -> Sequence[tuple[OrderOverview, ShownAttempts]]:
        """Return the orders of a record, oldest first, each with its attempts."""

        async def read(
            tx: Tx,
        ) -> list[tuple[OrderOverview, ShownAttempts]]:
            orders = await overview_store.of_record(tx, org_id, record_id)
            keys = [(org_id, each.key) for each in orders]
            attempts = by_order(await attempt_store.of_orders(tx, keys))
            return [
                (
                    each,
                    attempts.get((org_id, each.key))
                    or await overview_store.message_attempts(tx, org_id, each.key),
                )
                for each in orders
            ]

        return await self._database.read(read)


async def resume_account(tx: Tx, chain: str, address: str, at: datetime) -> str | None:
    """Let a stopped account send again; return why it was stopped, None if it was not.

    Orders that lost their nonces to another party are signed again. `at` is real time.
    """
    found = await attempt_store.lock_accounts(tx, chain, [address])
    if address not in found or not await attempt_store.resume(tx, chain, address):
        return None
    await order_store.sign_again(tx, chain, address, at)
    return found[address].stopped_reason or ""
