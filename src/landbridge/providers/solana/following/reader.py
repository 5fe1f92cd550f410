"""Reads the transfers into a token account from its finalized transactions.

Guarantees:
- however many transactions others add to an account, one reading takes a bounded time, and the next
  one goes on where it ended;
- all readings together have a bounded number of calls in progress, so that other calls are not
  delayed;
- the transactions explain the balance: each begins with the units that the previous one left, and
  the last one leaves the current units. An answer that omits a transaction is rejected;
- transactions up to the slot at which the chain was first followed are left out.

Nodes list the newest first, and anybody can add transactions to an account. So a long list is read
in several calls down to its oldest page, and the beginnings of its pages are kept in memory. Then
the pages are read again from the oldest to the newest. A restarted process begins again.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from landbridge.platform.core.gather import gather_in_order
from landbridge.providers.evm.following.model import BlockRef, ChainUnsettled, LoggedTransfer
from landbridge.providers.solana.chain_data import ChainTransaction, SignatureInfo
from landbridge.providers.solana.configuration import SolanaChain
from landbridge.providers.solana.following.history import read_transaction, units_before_and_after
from landbridge.providers.solana.following.model import (
    AccountReading,
    FollowedAccount,
    FoundTransfers,
)
from landbridge.providers.solana.rpc import SIGNATURES_MAX, SolanaClient


@dataclass(frozen=True, slots=True)
class ListLimits:
    """Transactions in a page, and pages read in one call."""

    page_size: int = SIGNATURES_MAX
    pages: int = 5


@dataclass(slots=True)
class PageBounds:
    """Beginnings of the pages of a long list, newest page first: each is before a transaction.

    The newest page of all has no such transaction. `until` is the last transaction that had been
    read when the pages were found.
    """

    until: str | None
    befores: list[str] = field(default_factory=list[str])


class ListedTransactions(NamedTuple):
    """Transactions, oldest first; `is_all` is True if there are no later ones."""

    infos: Sequence[SignatureInfo]
    is_all: bool


async def list_oldest(
    client: SolanaClient,
    address: str,
    bounds: PageBounds,
    *,
    after: int,
    slot: int,
    limits: ListLimits,
) -> ListedTransactions:
    """Return the account's oldest transactions after `bounds.until` and the slot `after`.

    Transactions above `slot` are left out. Changes `bounds`.

    Raises:
        ChainUnsettled: The list is so long that the next call has to continue downwards.
        NodeUnavailable: No node answers.
        NodeError: The node has not reached `slot`.
    """
    befores = bounds.befores
    for _ in range(limits.pages):
        page = await client.signatures(
            address,
            until=bounds.until,
            before=befores[-1] if befores else None,
            min_slot=slot,
            limit=limits.page_size,
        )
        if len(page) == limits.page_size and page[-1].slot > after:
            # The next page overlaps with the last transaction of this page, so it is never empty.
            befores.append(page[-2].signature)
        elif not page and befores:
            befores.pop()
        else:
            infos = [each for each in reversed(page) if after < each.slot <= slot]
            return ListedTransactions(infos, is_all=not befores)
    raise ChainUnsettled(f"the transactions of {address} are too many to be listed at once")


# Calls in progress: half of the calls that a node gets at once, so that other calls do not wait.
_CALLS_MAX = 8
# Used in place of a hash: finalized blocks are never undone, so their slots identify them.
FINAL_HASH = "finalized"


class TokenAccountReader:
    """Reads token accounts. Every method raises `NodeUnavailable` and `ChainUnsettled`."""

    def __init__(
        self, chain: SolanaChain, client: SolanaClient, limits: ListLimits | None = None
    ) -> None:
        self.chain = chain
        self.client = client
        self._limits = limits or ListLimits()
        self._calls = asyncio.Semaphore(_CALLS_MAX)
        # Beginnings of pages, for accounts with a list of several pages.
        self._bounds: dict[str, PageBounds] = {}

    async def read(
        self,
        account: FollowedAccount,
        before: AccountReading | None,
        *,
        start_slot: int,
        slot: int,
        units: int,
        transactions_max: int,
    ) -> FoundTransfers:
        """Return the next transfers into an account with a balance of `units` at `slot`.

        `before` is its last reading. Transactions up to `start_slot` are left out.
        """
        until = None if before is None else before.last_signature
        listed = await self._list(account.address, until, after=start_slot, slot=slot)
        part = listed.infos[:transactions_max]
        read = await gather_in_order(self._read(each) for each in part if each.err is None)
        units_now = None if before is None else before.units
        transfers: list[LoggedTransfer] = []
        sent: list[str] = []
        for transaction in read:
            units_before, units_after = self._units(account, transaction)
            # The first transaction shows the balance when the chain was first followed.
            if units_now not in {None, units_before}:
                raise _missing(account)
            if units_after > units_before:
                transfers.append(self._transfer(account, transaction, units_after - units_before))
            elif units_after < units_before:
                sent.append(transaction.transaction.signatures[0])
            units_now = units_after
        if units_now is None:
            units_now = units
        if listed.is_all and part == listed.infos and units_now != units:
            raise _missing(account)
        last = part[-1].signature if part else until
        self._go_on(account.address, last)
        reading = AccountReading(
            org_id=account.org_id,
            address=account.address,
            last_signature=last,
            units=units_now,
            slot=slot,
        )
        return FoundTransfers(account, transfers, sent, reading)

    async def _list(
        self, address: str, until: str | None, *, after: int, slot: int
    ) -> ListedTransactions:
        """Return the oldest transactions after `until`."""
        bounds = self._bounds.get(address)
        if bounds is None or bounds.until != until:
            # Another process has read the account, or the last reading was not stored.
            bounds = PageBounds(until)
        self._bounds[address] = bounds
        async with self._calls:
            return await list_oldest(
                self.client, address, bounds, after=after, slot=slot, limits=self._limits
            )

    def _go_on(self, address: str, last: str | None) -> None:
        """Store the last transaction up to which an account was read."""
        bounds = self._bounds[address]
        bounds.until = last
        if not bounds.befores:
            del self._bounds[address]

    async def _read(self, info: SignatureInfo) -> ChainTransaction:
        async with self._calls:
            return await read_transaction(self.client, info)

    def _units(self, account: FollowedAccount, transaction: ChainTransaction) -> tuple[int, int]:
        """Return the units of an account before and after a transaction."""
        mint = self.chain.tokens[account.currency].address
        return units_before_and_after(transaction, account.address, mint)

    def _transfer(
        self, account: FollowedAccount, transaction: ChainTransaction, units: int
    ) -> LoggedTransfer:
        mint = self.chain.tokens[account.currency].address
        return LoggedTransfer(
            transaction_hash=transaction.transaction.signatures[0],
            log_index=transaction.addresses.index(account.address),
            block=BlockRef(transaction.slot, FINAL_HASH),
            currency=account.currency,
            contract_address=mint,
            source=_sender(transaction, mint),
            destination=account.owner,
            amount_units=units,
        )


def _sender(transaction: ChainTransaction, mint: str) -> str:
    """Return the wallet that lost the most of a token; for new coins, the payer of the fee."""
    addresses, meta = transaction.addresses, transaction.meta
    changes: defaultdict[str, int] = defaultdict(int)
    for balances, sign in ((meta.pre_token_balances, -1), (meta.post_token_balances, 1)):
        for each in balances:
            if each.mint == mint:
                changes[each.owner or addresses[each.account_index]] += sign * each.units
    sender = min(changes, key=lambda owner: changes[owner], default=addresses[0])
    return sender if changes[sender] < 0 else addresses[0]


def _missing(account: FollowedAccount) -> ChainUnsettled:
    return ChainUnsettled(f"transactions of {account.address} are missing")


def newest_slot(found: Sequence[FoundTransfers]) -> int:
    """Return the latest slot among these readings."""
    return max(each.reading.slot for each in found)
