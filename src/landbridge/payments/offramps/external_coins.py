"""Coins from external wallets on connected chains: each deposit at the treasury finds its payment.

The follower of the chains stores what arrives (`customers/chain_deposits`). Once it is final:

- it goes to the oldest offramp that awaits coins of this asset from this sender, preferably one of
  exactly this amount; if none awaits any, to the sender's latest offramp, which returns it;
- if the sender has never had an offramp, if several users have had one from this address, or if
  each offramp of the sender has had ten deposits, the deposit is kept as the organisation's own
  until a person assigns it.

Guarantees:
- Deposits of an organisation are matched one after another, under a lock.
- Delivery to the offramp may be repeated: `Offramps.coins_arrived` counts asset and transaction.
- Coins that a chain has lost for good are taken back once (`lost_coins.py`).
- Coins that a chain has lost are not refunded, unless they return.
- An offramp does not expire while coins that were found in time are not settled.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import structlog

from landbridge.customers.chain_deposits.model import TreasuryDeposit
from landbridge.customers.chain_deposits.treasury_service import DEPOSITS_MAX, TreasuryDeposits
from landbridge.ledger.service import Ledger
from landbridge.payments.engine.outgoing_orders import ACTOR
from landbridge.payments.offramps.lost_coins import LostCoins
from landbridge.payments.offramps.model import Offramp, OfframpStatus
from landbridge.payments.offramps.service import Offramps
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy, Refused, ResourceConflict
from landbridge.platform.db.failures import logged_failures
from landbridge.platform.db.pool import Tx

# Each return costs gas, and on Solana the rent of an account that its owner may close to get it: a
# sender who sends the same coin again and again would drain the relayers.
DEPOSITS_EACH = 10

# The oldest offramp that awaits this asset, preferably one of exactly this amount; otherwise the
# latest offramp, which returns the coins. An offramp with other coins assigned awaits none.
# No row if several users have offramps from this sender: anybody can register the address of
# another user, and would be paid or refunded for coins that are not theirs. No row either if each
# offramp has had as many deposits as it may have.
_FIND = """
select c.id
from (
    select t.id, t.user_id, t.created_at, case
        when (t.status = 'AWAITING_FUNDS'
                or t.status = 'IN_REVIEW' and t.facts ->> 'reviewed_from' = 'AWAITING_FUNDS')
            and t.source_asset = $4
            and not exists (
                select from treasury_deposits d
                where d.org_id = $1 and d.transfer_id = t.id and d.status = 'FINAL'
            )
        then case when t.source_units = $5 then 0 else 1 end
        else 2
    end as rank
    from transfers t
    where t.org_id = $1 and t.kind = 'OFFRAMP' and t.details ->> 'external_wallet_id' is not null
        and t.details ->> 'destination_address' = $2 and t.details ->> 'source_address' = $3
        and not exists (
            select from treasury_deposits d
            where d.org_id = $1 and d.transfer_id = t.id and d.asset = $4
                and d.transaction_hash = $6
        )
) c
where not exists (
    select from transfers o
    where o.org_id = $1 and o.kind = 'OFFRAMP' and o.details ->> 'external_wallet_id' is not null
        and o.details ->> 'destination_address' = $2 and o.details ->> 'source_address' = $3
        and o.user_id <> c.user_id
) and (
    c.rank < 2
    or (
        select count(*) from treasury_deposits d where d.org_id = $1 and d.transfer_id = c.id
    ) < $7
)
order by c.rank, case when c.rank < 2 then c.created_at end, c.created_at desc
limit 1
"""

_log = structlog.stdlib.get_logger()
# How long an offramp waits before it asks again whether the coins are final.
_WAIT = timedelta(minutes=2)


async def find(tx: Tx, deposit: TreasuryDeposit) -> UUID | None:
    """Return the offramp that a deposit is for.

    Return None if its sender has no offramp, if several users have offramps from this sender, or if
    each of the sender's offramps has had `DEPOSITS_EACH` deposits.
    """
    return await tx.fetchval(
        _FIND,
        deposit.org_id,
        deposit.destination_address,
        deposit.source_address,
        deposit.asset,
        deposit.units,
        deposit.transaction_hash,
        DEPOSITS_EACH,
    )


@dataclass(frozen=True, slots=True)
class _Worker:
    """The worker as a `CoinReporter`."""

    org_id: UUID
    clock_offset: timedelta
    actor: str = ACTOR


@dataclass(frozen=True, slots=True)
class ExternalCoins:
    """Brings final treasury deposits to the offramps that they are for."""

    deposits: TreasuryDeposits
    ledger: Ledger
    offramps: Offramps
    clock: Clock
    lost_coins: LostCoins

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Settle final deposits, and take back lost ones; return whether more may wait."""
        more = False
        for org_id in await self.deposits.orgs_with_final(offsets.keys()):
            # A failure of one organisation must not stop the others.
            with logged_failures(
                busy="treasury_deposits.busy", failed="treasury_deposits.failed", org_id=str(org_id)
            ):
                await self.lost_coins.take_back(org_id, offsets[org_id])
                more |= await self._settle_all(org_id, offsets[org_id]) == DEPOSITS_MAX
        return more

    async def are_coming(self, offramp: Offramp) -> bool:
        """Return whether coins for an offramp were found in time, and are not settled yet."""
        expires_at = offramp.details.quote_expires_at
        if expires_at is None or not offramp.is_external:
            return False
        org_id, source = offramp.record.org_id, offramp.details.source_address
        return await self.deposits.has_open(org_id, source, before=expires_at)

    async def wait_longer(self, offramp: Offramp, clock_offset: timedelta) -> None:
        """Postpone the expiry of an offramp, because coins for it are not settled yet."""
        await self.ledger.postpone(offramp.record, self.clock.now(clock_offset) + _WAIT)

    async def why_gone(self, offramp: Offramp) -> str | None:
        """Return a reason if an offramp's chain has lost its coins: no refund. Otherwise None."""
        record, chain_hash = offramp.record, offramp.details.deposit_hash
        if not offramp.is_external or chain_hash is None:
            return None
        return await self.deposits.find_loss(
            record.org_id, record.id, record.source_asset, chain_hash
        )

    async def kept(self, org_id: UUID) -> Sequence[TreasuryDeposit]:
        """Return the latest deposits that are assigned to no offramp."""
        return await self.deposits.kept(org_id)

    async def assign(self, org_id: UUID, deposit_id: UUID, offramp_id: UUID) -> TreasuryDeposit:
        """Give a kept deposit to an offramp, which takes or returns it within seconds.

        Raises `TransactionNotFound` for the offramp, `ResourceNotFound` for the deposit, and
        `ResourceConflict` if the offramp is paid from a wallet of ours or the deposit is taken.
        """
        offramp = await self.offramps.get(org_id, offramp_id)
        if not offramp.is_external:
            raise ResourceConflict("this offramp is paid by a wallet of the platform")
        return await self.deposits.assign(org_id, deposit_id, offramp_id)

    async def _settle_all(self, org_id: UUID, offset: timedelta) -> int:
        """Settle the final deposits of an organisation; return how many were tried."""
        matched = await self.deposits.match(org_id, find)
        for deposit, offramp_id in matched:
            try:
                await self._settle(deposit, offramp_id, offset)
            except (Busy, Refused) as error:
                # The next run tries again; the coins are safe at the organisation's address.
                _log.error(
                    "treasury_deposits.not_settled",
                    org_id=str(org_id),
                    id=str(deposit.id),
                    hash=deposit.transaction_hash,
                    reason=str(error),
                )
        return len(matched)

    async def _settle(self, deposit: TreasuryDeposit, offramp_id: UUID, offset: timedelta) -> None:
        """Report the coins to the offramp, which takes or returns them, then close the deposit."""
        offramp = await self.offramps.get(deposit.org_id, offramp_id)
        expires_at = offramp.details.quote_expires_at
        is_in_time = expires_at is not None and deposit.found_at < expires_at
        if offramp.state is OfframpStatus.AWAITING_FUNDS and is_in_time:
            # The coins were found before the deadline, so they are in time although they became
            # final only now.
            await self.wait_longer(offramp, offset)
        await self.offramps.coins_arrived(
            _Worker(deposit.org_id, offset), offramp_id, deposit.money, deposit.transaction_hash
        )
        await self.lost_coins.book_returned(deposit, self.clock.stamp(offset))
        await self.deposits.settle(deposit, offramp_id)
