"""Treasury deposits of an organisation: matching with payments, settlement and reversal."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import structlog

from landbridge.customers.chain_deposits import treasury_store
from landbridge.customers.chain_deposits.model import (
    TreasuryDeposit,
    TreasuryDepositStatus,
)
from landbridge.platform.core.errors import ResourceConflict, ResourceNotFound
from landbridge.platform.db.pool import Database, Tx

_log = structlog.stdlib.get_logger()

# Most deposits that one call returns.
DEPOSITS_MAX = 100

# Reverses what was booked for a locked deposit, and returns the deposit in its new state.
TakeBack = Callable[[Tx, TreasuryDeposit], Awaitable[TreasuryDeposit]]

# Finds the payment that a deposit is for, in the transaction that stores it; None if there is none.
FindPayment = Callable[[Tx, TreasuryDeposit], Awaitable[UUID | None]]


@dataclass(frozen=True, slots=True)
class TreasuryDeposits:
    """Treasury deposits of all organisations; `ChainDepositSteps` adds them."""

    database: Database

    async def orgs_with_final(self, org_ids: Collection[UUID]) -> Sequence[UUID]:
        """Return which of these organisations have deposits to settle or to reverse."""
        return await self.database.single(lambda tx: treasury_store.with_final(tx, org_ids))

    async def match(
        self, org_id: UUID, find_payment: FindPayment
    ) -> Sequence[tuple[TreasuryDeposit, UUID]]:
        """Return the final deposits that are not settled, oldest first, each with its payment.

        The payment is found once and stored; a deposit without one becomes UNMATCHED. Locks on the
        deposits serialise the matching of one organisation.
        """

        async def work(tx: Tx) -> Sequence[tuple[TreasuryDeposit, UUID]]:
            matched: list[tuple[TreasuryDeposit, UUID]] = []
            for deposit in await treasury_store.lock_final(tx, org_id, DEPOSITS_MAX):
                found_id = deposit.transfer_id or await find_payment(tx, deposit)
                if found_id is not None:
                    matched.append((deposit, found_id))
                if deposit.transfer_id is None:
                    await self._store_match(tx, deposit, found_id)
            return matched

        return await self.database.transact(work)

    async def settle(self, deposit: TreasuryDeposit, transfer_id: UUID) -> None:
        """Close a deposit: its payment has taken the coins, or returns them."""
        await self.database.single(lambda tx: treasury_store.settle(tx, deposit, transfer_id))

    async def lost(self, org_id: UUID) -> Sequence[TreasuryDeposit]:
        """Return deposits that a chain has lost for good, and that are not reversed yet."""
        return await self.database.single(lambda tx: treasury_store.lost(tx, org_id, DEPOSITS_MAX))

    async def close_lost(self, deposit: TreasuryDeposit, take_back: TakeBack) -> bool:
        """Close a lost deposit in the transaction that reverses it; False if it has changed."""

        async def work(tx: Tx) -> bool:
            locked = await treasury_store.lock(tx, deposit.org_id, deposit.id)
            if locked is None or locked != deposit:
                return False
            await treasury_store.set_reversed(tx, await take_back(tx, locked))
            return True

        return await self.database.transact(work)

    async def has_open(self, org_id: UUID, source: str, *, before: datetime) -> bool:
        """Return whether a sender has deposits, found before this time, that are not settled."""
        return await self.database.single(
            lambda tx: treasury_store.has_open(tx, org_id, source, before=before)
        )

    async def find_loss(
        self, org_id: UUID, transfer_id: UUID, asset: str, chain_hash: str
    ) -> str | None:
        """Return why coins of a payment must not be sent back; None if they may be.

        The reason is that the chain has lost the deposit: it may return, or its user owes it.
        """
        is_gone = await self.database.single(
            lambda tx: treasury_store.is_gone(tx, org_id, transfer_id, asset, chain_hash)
        )
        return "its chain has lost the coins that it would send back" if is_gone else None

    async def kept(self, org_id: UUID) -> Sequence[TreasuryDeposit]:
        """Return the latest unmatched deposits, newest first."""
        return await self.database.single(lambda tx: treasury_store.kept(tx, org_id, DEPOSITS_MAX))

    async def assign(self, org_id: UUID, deposit_id: UUID, transfer_id: UUID) -> TreasuryDeposit:
        """Assign an unmatched deposit to a payment; the worker settles it.

        Raises `ResourceNotFound`, and `ResourceConflict` if the deposit is not unmatched, if its
        screening refused it, or if the payment already has a deposit of the same transaction and
        asset.
        """

        async def work(tx: Tx) -> TreasuryDeposit:
            deposit = await treasury_store.lock(tx, org_id, deposit_id)
            if deposit is None:
                raise ResourceNotFound(f"there is no treasury deposit {deposit_id}")
            if deposit.status is not TreasuryDepositStatus.UNMATCHED:
                raise ResourceConflict(f"treasury deposit {deposit_id} is {deposit.status}")
            if deposit.is_suspended:
                raise ResourceConflict(
                    f"the screening of treasury deposit {deposit_id} is REJECTED"
                )
            if await treasury_store.has_taken(tx, deposit, transfer_id):
                raise ResourceConflict(
                    f"payment {transfer_id} has other coins of the same transaction"
                )
            final = TreasuryDepositStatus.FINAL
            await treasury_store.set_status(tx, deposit, final, transfer_id)
            return deposit

        return await self.database.transact(work)

    async def _store_match(self, tx: Tx, deposit: TreasuryDeposit, found_id: UUID | None) -> None:
        if found_id is not None:
            final = TreasuryDepositStatus.FINAL
            await treasury_store.set_status(tx, deposit, final, found_id)
            return
        await treasury_store.set_status(tx, deposit, TreasuryDepositStatus.UNMATCHED, None)
        _log.warning(
            "treasury_deposits.kept",
            org_id=str(deposit.org_id),
            id=str(deposit.id),
            hash=deposit.transaction_hash,
        )
