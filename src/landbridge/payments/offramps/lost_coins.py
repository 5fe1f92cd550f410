"""Reverses coins of external wallets that a chain has lost although their block was final.

The follower of the chains gives up such a deposit (`customers/chain_deposits`). If an offramp has
booked its coins, a treasury reversal takes them back and the offramp's user is frozen; the offramp
itself goes on, as its payout may be at the bank. If the transaction is mined after all, the
reversal is recovered.

Guarantees:
- Reversal and deposit change in one transaction, with the deposit locked, so each loss is taken
  back once.
- Coins that were never booked are not taken back: the offramp awaits them as before. Coins that a
  correction has taken back are not taken back again.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from prometheus_client import Counter

from landbridge.customers.chain_deposits import treasury_reversals
from landbridge.customers.chain_deposits.model import TreasuryDeposit
from landbridge.customers.chain_deposits.treasury_reversals import (
    TreasuryReversal,
    TreasuryReversalStatus,
    as_treasury_reversal,
    treasury_reversal_id,
)
from landbridge.customers.chain_deposits.treasury_service import TreasuryDeposits
from landbridge.ledger.model import CommitOutcome
from landbridge.ledger.reversed_journals import has_returned_coins
from landbridge.ledger.service import Ledger
from landbridge.payments.offramps.model import Offramp
from landbridge.payments.offramps.service import Offramps
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.pool import Tx

_log = structlog.stdlib.get_logger()

REVERSALS = Counter(
    "landbridge_chain_reversed_treasury_deposits_total",
    "Coins of payments that were taken back because their chain has lost them.",
    ["chain"],
)

# Freezes a user, with our own sentence as the reason: (organisation, user, reason, at).
FreezeUser = Callable[[UUID, UUID, str, datetime], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class LostCoins:
    """Takes back lost coins from the ledger, and books coins that were mined after all."""

    deposits: TreasuryDeposits
    ledger: Ledger
    offramps: Offramps
    clock: Clock
    freeze_user: FreezeUser

    async def take_back(self, org_id: UUID, offset: timedelta) -> None:
        """Close an organisation's lost deposits, and reverse those that offramps have booked."""
        for deposit in await self.deposits.lost(org_id):
            offramp = await self._booked_by(deposit)
            if offramp is None:
                await self.deposits.close_lost(deposit, _nothing)
            else:
                await self._reverse(deposit, offramp, self.clock.stamp(offset))

    async def book_returned(self, deposit: TreasuryDeposit, at: datetime) -> None:
        """Recover the reversal of a deposit that is final again, unless it was written off."""
        reversal = await self._latest(deposit)
        if reversal is not None and reversal.status is TreasuryReversalStatus.OPEN:
            move = treasury_reversals.recovered(reversal, at)
            await self.ledger.advance(move, treasury_reversals.TRANSITIONS)

    async def _booked_by(self, deposit: TreasuryDeposit) -> Offramp | None:
        """Return the offramp that has taken the coins, or has sent them back; None if none has."""
        if deposit.transfer_id is None:
            return None
        offramp = await self.offramps.get(deposit.org_id, deposit.transfer_id)
        is_booked = await self.offramps.has_booked(offramp, deposit.money, deposit.transaction_hash)
        return offramp if is_booked else None

    async def _reverse(self, deposit: TreasuryDeposit, offramp: Offramp, at: datetime) -> None:
        reason = (
            f"A reorganisation of {deposit.chain} took back coins that had arrived for "
            f"offramp {offramp.record.id}."
        )
        # The user is frozen first, so that less is paid out in the meantime. Freezing twice is
        # harmless.
        await self.freeze_user(deposit.org_id, offramp.record.user_id, reason, at)
        latest = await self._latest(deposit)
        if latest is not None and latest.status is not TreasuryReversalStatus.RECOVERED:
            # The deposit was mined again, and was lost once more before it was final.
            await self.deposits.close_lost(deposit, _nothing)
            return

        async def take(tx: Tx, locked: TreasuryDeposit) -> TreasuryDeposit:
            if await has_returned_coins(tx, locked.org_id, offramp.record.id):
                return locked
            creation = treasury_reversals.opened(locked, offramp.record, at)
            outcome = await self.ledger.create_in(tx, creation, treasury_reversals.TRANSITIONS)
            if isinstance(outcome, CommitOutcome):
                raise InvariantBroken(f"reversing deposit {locked.id} resulted in {outcome}")
            return replace(locked, reversals=locked.reversals + 1)

        if await self.deposits.close_lost(deposit, take):
            REVERSALS.labels(deposit.chain).inc()
            _log.error(
                "treasury_deposits.reversed",
                org_id=str(deposit.org_id),
                id=str(deposit.id),
                hash=deposit.transaction_hash,
            )

    async def _latest(self, deposit: TreasuryDeposit) -> TreasuryReversal | None:
        if not deposit.reversals:
            return None
        id_ = treasury_reversal_id(deposit.id, deposit.reversals)
        record = await self.ledger.get(deposit.org_id, treasury_reversals.KIND, id_)
        return as_treasury_reversal(record)


async def _nothing(tx: Tx, deposit: TreasuryDeposit) -> TreasuryDeposit:
    del tx
    return deposit
