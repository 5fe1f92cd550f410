"""Matching: which of a chain's token transfers are deposits, into users' wallets or a treasury.

Two kinds of transfers to these addresses are not deposits: those of a zero amount, and those from
an address of the same organisation (a user's wallet or the treasury), which the ledger has booked
before they were sent. A transfer from another organisation of this installation is a deposit. The
sender of coins that a bridge mints is the address that burned them on another chain; the sender of
coins from a market's pool is the address that paid the pool.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

import msgspec
import structlog

from landbridge.customers.chain_deposits import store, treasury_store
from landbridge.customers.chain_deposits.metrics import UNREAD
from landbridge.customers.chain_deposits.model import (
    UNITS_MAX,
    ChainDeposit,
    ChainDepositStatus,
    TreasuryDeposit,
    TreasuryDepositStatus,
    deposit_id,
    treasury_deposit_id,
)
from landbridge.customers.wallets.service import Wallets
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.tokens import TOKENS, Chain
from landbridge.providers.evm.following.model import BlockRef, ChainUnsettled, LoggedTransfer

# Most transfers that one database transaction stores; so many take about a second.
STORED_MAX = 200

# Returns the address that paid for each transfer of a bridge or market, by the transfer's key.
FindOwners = Callable[[Sequence[LoggedTransfer]], Awaitable[Mapping[tuple[str, int], str]]]

_log = structlog.stdlib.get_logger()


@dataclass(frozen=True, slots=True)
class MatchedTransfer:
    """Transfer from outside to a user's wallet."""

    transfer: LoggedTransfer
    org_id: UUID
    wallet_id: UUID
    user_id: UUID

    def deposit(
        self, chain: Chain, position: int, clock: Clock, offsets: Mapping[UUID, timedelta]
    ) -> ChainDeposit:
        """Return the deposit of this transfer, with the present time as `found_at`."""
        transfer = self.transfer
        return ChainDeposit(
            org_id=self.org_id,
            id=deposit_id(chain, transfer.transaction_hash, position),
            chain=chain,
            transaction_hash=transfer.transaction_hash,
            position=position,
            block=transfer.block,
            wallet_id=self.wallet_id,
            user_id=self.user_id,
            asset=TOKENS[chain, transfer.currency].asset.code,
            units=transfer.amount_units,
            source_address=transfer.source,
            contract_address=transfer.contract_address,
            status=ChainDepositStatus.CONFIRMED,
            credits=0,
            found_at=clock.stamp(offsets.get(self.org_id, timedelta())),
        )


@dataclass(frozen=True, slots=True)
class TreasuryTransfer:
    """Transfer from outside to an organisation's own address."""

    transfer: LoggedTransfer
    org_id: UUID


@dataclass(frozen=True, slots=True)
class FoundDeposits:
    """Deposits in some blocks: into users' wallets, and into treasuries."""

    wallets: Sequence[ChainDeposit]
    treasuries: Sequence[TreasuryDeposit]

    def parts(self) -> Sequence["FoundDeposits"]:
        """Split the deposits into parts, at least one, each small enough for one transaction."""
        return [
            FoundDeposits(
                self.wallets[start : start + STORED_MAX],
                self.treasuries[start : start + STORED_MAX],
            )
            for start in range(0, max(len(self.wallets), len(self.treasuries), 1), STORED_MAX)
        ]


class TransferMatcher:
    """Finds destinations of transfers among the addresses of all organisations, in one query."""

    def __init__(self, database: Database, wallets: Wallets) -> None:
        self._database = database
        self._wallets = wallets

    async def with_owners(
        self,
        chain: Chain,
        transfers: Sequence[LoggedTransfer],
        *,
        intermediaries: Collection[str],
        find_owners: FindOwners,
    ) -> Sequence[LoggedTransfer]:
        """Return the transfers with the original payer as source of those from `intermediaries`.

        Intermediaries are bridges and markets. Only transfers to our addresses are changed.
        """
        passed_on = [each for each in transfers if each.source in intermediaries]
        if not passed_on:
            return transfers
        ours = [
            *(each.transfer for each in await self.match(chain, passed_on)),
            *(each.transfer for each in await self.match_treasuries(chain, passed_on)),
        ]
        owners = await find_owners(ours)
        return [
            msgspec.structs.replace(each, source=owners.get(each.key, each.source))
            for each in transfers
        ]

    async def match(
        self, chain: Chain, transfers: Sequence[LoggedTransfer]
    ) -> Sequence[MatchedTransfer]:
        """Return the transfers that are deposits, in the same order."""
        counted = [each for each in transfers if self._is_counted(chain, each)]
        if not counted:
            return []
        pairs = [(each.destination, each.source) for each in counted]
        found = await self._database.read(lambda tx: store.match(tx, chain, pairs))
        return [
            MatchedTransfer(transfer, row["org_id"], row["wallet_id"], row["user_id"])
            for place, transfer in enumerate(counted)
            for row in found.get(place, ())
            if not row["is_own"] and not await self._is_treasury(row["org_id"], chain, transfer)
        ]

    async def match_treasuries(
        self, chain: Chain, transfers: Sequence[LoggedTransfer]
    ) -> Sequence[TreasuryTransfer]:
        """Return the transfers to treasuries that payments have awaited coins at, in order."""
        counted = [each for each in transfers if self._is_counted(chain, each)]
        if not counted:
            return []
        pairs = [(each.destination, each.source) for each in counted]
        found = await self._database.read(lambda tx: treasury_store.match(tx, pairs))
        return [
            TreasuryTransfer(transfer, row["org_id"])
            for place, transfer in enumerate(counted)
            if (row := found.get(place)) is not None and not row["is_own"]
        ]

    async def _is_treasury(self, org_id: UUID, chain: Chain, transfer: LoggedTransfer) -> bool:
        return transfer.source == await self._wallets.find_treasury_address(org_id, chain)

    def _is_counted(self, chain: Chain, transfer: LoggedTransfer) -> bool:
        if transfer.amount_units >= UNITS_MAX:
            _log.error(
                "chain_deposits.amount_out_of_range",
                chain=chain,
                hash=transfer.transaction_hash,
            )
            return False
        return transfer.amount_units > 0


def first_blocks(
    blocks: Sequence[BlockRef],
    matched: Sequence[MatchedTransfer],
    received: Sequence[TreasuryTransfer],
) -> tuple[Sequence[BlockRef], Sequence[MatchedTransfer], Sequence[TreasuryTransfer]]:
    """Return the first blocks and their transfers: at least one block, and few transfers.

    Anybody can send thousands of small transfers, and a long transaction delays all events.
    """
    counts = Counter(each.transfer.block.number for each in (*matched, *received))
    count = 0
    for place, block in enumerate(blocks):
        count += counts[block.number]
        if count > STORED_MAX and place:
            blocks = blocks[:place]
            break
    last = blocks[-1].number
    return (
        blocks,
        [each for each in matched if each.transfer.block.number <= last],
        [each for each in received if each.transfer.block.number <= last],
    )


def check_unread(chain: Chain, unread: Collection[str], *, known: Collection[str] | None) -> None:
    """Count and log transactions of final blocks with a receipt that is too large to be read.

    These must not hold up the chain, so their deposits are left out. `known` are transactions that
    were found in these blocks before; None if the blocks are not final yet. Raises `ChainUnsettled`
    for an unread transaction that is known, because a node could read it before.
    """
    if known is None:
        return
    if unread_before := set(unread).intersection(known):
        raise ChainUnsettled(f"receipts of {', '.join(sorted(unread_before))} can't be read")
    for transaction_hash in sorted(unread):
        UNREAD.labels(chain).inc()
        _log.error("chain_deposits.receipt_too_large", chain=chain, hash=transaction_hash)


def treasury_deposits(
    chain: Chain,
    matched: Sequence[TreasuryTransfer],
    clock: Clock,
    offsets: Mapping[UUID, timedelta],
) -> Sequence[TreasuryDeposit]:
    """Return treasury deposits: transfers of one transaction, sender and asset are one deposit."""
    found: dict[UUID, TreasuryDeposit] = {}
    for each in matched:
        transfer = each.transfer
        asset = TOKENS[chain, transfer.currency].asset.code
        id_ = treasury_deposit_id(
            chain,
            transfer.transaction_hash,
            asset,
            source=transfer.source,
            destination=transfer.destination,
        )
        if (known := found.get(id_)) is not None:
            found[id_] = replace(known, units=known.units + transfer.amount_units)
            continue
        found[id_] = TreasuryDeposit(
            org_id=each.org_id,
            id=id_,
            chain=chain,
            transaction_hash=transfer.transaction_hash,
            block_number=transfer.block.number,
            asset=asset,
            units=transfer.amount_units,
            source_address=transfer.source,
            destination_address=transfer.destination,
            status=TreasuryDepositStatus.CONFIRMED,
            transfer_id=None,
            reversals=0,
            found_at=clock.stamp(offsets.get(each.org_id, timedelta())),
        )
    return list(found.values())
