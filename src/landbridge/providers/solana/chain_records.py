"""Records of Solana about an organisation's addresses; see the port (chains/records.py).

Nothing that the platform has stored is read. Units come from the associated token accounts of the
addresses, movements from the transactions of these accounts. Nodes keep no balances of earlier
slots: the balance at a slot is the one before the first transaction after that slot.

Guarantee: each transaction begins with the units that the account's previous one left, and the last
one leaves the current units. An answer that omits a transaction is rejected.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from landbridge.platform.core.errors import Unavailable
from landbridge.platform.core.gather import gather_in_order
from landbridge.providers.chains.records import AddressMovement, MovementPage, RecordedBlock
from landbridge.providers.chains.tokens import TOKENS, Chain
from landbridge.providers.evm.errors import NodeError
from landbridge.providers.evm.following.model import ChainUnsettled
from landbridge.providers.evm.quantities import AnswerInvalid
from landbridge.providers.solana.chain_data import ChainTransaction, Commitment, SignatureInfo
from landbridge.providers.solana.configuration import SolanaChain
from landbridge.providers.solana.following.history import (
    list_transactions,
    read_transaction,
    units_before_and_after,
)
from landbridge.providers.solana.programs import account_of
from landbridge.providers.solana.rpc import ACCOUNTS_MAX, SolanaClient

# Transactions that are read concurrently, and transactions of a page.
_READ_TOGETHER, PAGE_TRANSACTIONS = 50, 500
# Transactions requested first: most accounts have few since the last comparison.
_FIRST_PAGE = 25


class _OwnAccount(NamedTuple):
    """Associated token account of an organisation's address."""

    address: str
    mint: str
    asset: str


class _ListedChange(NamedTuple):
    """Transaction in the list of a token account."""

    info: SignatureInfo
    account: _OwnAccount


class _UnitsChain:
    """Checks that the transactions of each account continue one another."""

    def __init__(self) -> None:
        self._units: dict[str, int] = {}

    def follow(self, account: _OwnAccount, before: int, after: int) -> None:
        """Add a transaction of an account; raises `ChainUnsettled` if its units do not continue."""
        if self._units.get(account.address, before) != before:
            raise ChainUnsettled(f"transactions of {account.address} are missing")
        self._units[account.address] = after


class SolanaChainRecords:
    """Reads the records of Solana through its nodes."""

    def __init__(
        self,
        chain: SolanaChain,
        client: SolanaClient,
        *,
        page_transactions: int = PAGE_TRANSACTIONS,
    ) -> None:
        self._chain = chain
        self._client = client
        self._page_transactions = page_transactions

    async def final_block(self, org_id: UUID, chain: str, at: datetime) -> RecordedBlock:
        """Return the last finalized block; its number is its slot."""
        del org_id, at
        slot = (await self._client.final_epoch()).absolute_slot
        return await self._block(chain, slot)

    async def has_block(self, org_id: UUID, chain: str, block: RecordedBlock) -> bool:
        """Return whether the chain still has a block.

        Nodes keep blocks for some days. An older block counts as existing, because a finalized
        block is never undone.
        """
        del org_id, chain
        if block.number < await self._client.first_block():
            return True
        return await self._client.block_hash(block.number) == block.hash

    async def position(
        self, org_id: UUID, chain: str, addresses: Collection[str], block: RecordedBlock
    ) -> Mapping[str, int]:
        """Return the total balance of the addresses at a block, by asset code, in units."""
        del org_id
        held = {TOKENS[Chain.SOLANA, currency].asset.code: 0 for currency in self._chain.tokens}
        accounts = self._accounts(addresses)
        for start in range(0, len(accounts), ACCOUNTS_MAX):
            some = accounts[start : start + ACCOUNTS_MAX]
            try:
                for account, units in await self._units_at(some, block.number):
                    held[account.asset] += units
            except (NodeError, AnswerInvalid) as error:
                raise Unavailable(f"{chain} does not answer its balances: {error}") from error
        return held

    async def movements(
        self,
        org_id: UUID,
        chain: str,
        addresses: Collection[str],
        *,
        after: int,
        until: RecordedBlock,
    ) -> AsyncIterator[MovementPage]:
        """Yield the movements after a slot, in pages; see the port."""
        del org_id
        try:
            listed = await self._list(self._accounts(addresses), after=after, slot=until.number)
        except NodeError as error:
            raise Unavailable(f"{chain} does not answer its transactions: {error}") from error
        followed = _UnitsChain()
        for page in _pages(listed, self._page_transactions):
            slot = page[-1].info.slot
            block = until if slot == until.number else await self._block(chain, slot)
            yield MovementPage(block, await self._moved(page, followed))
            after = slot
        if after < until.number:
            yield MovementPage(until, ())

    def _accounts(self, addresses: Collection[str]) -> Sequence[_OwnAccount]:
        return [
            _OwnAccount(
                account_of(owner, token), token.address, TOKENS[Chain.SOLANA, currency].asset.code
            )
            for owner in sorted(addresses)
            for currency, token in self._chain.tokens.items()
        ]

    async def _units_at(
        self, accounts: Sequence[_OwnAccount], slot: int
    ) -> list[tuple[_OwnAccount, int]]:
        """Return the units of each account at a slot: its current units less all changes since."""
        now, units = await self._client.token_units(
            [each.address for each in accounts], Commitment.FINALIZED, min_slot=slot
        )
        found = dict(zip(accounts, units, strict=True))
        changes, ends = await self._list(accounts, after=slot, slot=now), _UnitsChain()
        first: dict[_OwnAccount, int] = {}
        for account, before, after in await self._changes(changes):
            ends.follow(account, before, after)
            first.setdefault(account, before)
        for account in first:
            ends.follow(account, found[account], found[account])
        return list((found | first).items())

    async def _moved(
        self, page: Sequence[_ListedChange], followed: _UnitsChain
    ) -> list[AddressMovement]:
        """Return the units that each transaction moved into all accounts together."""
        moved: defaultdict[tuple[str, str], int] = defaultdict(int)
        for listed, (account, before, after) in zip(page, await self._changes(page), strict=True):
            followed.follow(account, before, after)
            moved[listed.info.signature, account.asset] += after - before
        return [AddressMovement(*key, units) for key, units in moved.items() if units]

    async def _changes(self, listed: Sequence[_ListedChange]) -> list[tuple[_OwnAccount, int, int]]:
        """Return the units of each account before and after each of its transactions."""
        infos = list({each.info.signature: each.info for each in listed}.values())
        read: dict[str, ChainTransaction] = {}
        for start in range(0, len(infos), _READ_TOGETHER):
            some = infos[start : start + _READ_TOGETHER]
            found = await gather_in_order(read_transaction(self._client, each) for each in some)
            read |= {each.signature: one for each, one in zip(some, found, strict=True)}
        return [
            (account, *units_before_and_after(read[info.signature], account.address, account.mint))
            for info, account in listed
        ]

    async def _list(
        self, accounts: Sequence[_OwnAccount], *, after: int, slot: int
    ) -> list[_ListedChange]:
        """Return the successful transactions of these accounts, oldest first."""
        listed: list[_ListedChange] = []
        for start in range(0, len(accounts), _READ_TOGETHER):
            some = accounts[start : start + _READ_TOGETHER]
            found = await gather_in_order(
                list_transactions(
                    self._client, each.address, after=after, slot=slot, first_page=_FIRST_PAGE
                )
                for each in some
            )
            listed += [
                _ListedChange(info, account)
                for account, infos in zip(some, found, strict=True)
                for info in infos
                if info.err is None
            ]
        # The sort is stable, so the transactions of an account keep their order within a slot.
        return sorted(listed, key=lambda each: each.info.slot)

    async def _block(self, chain: str, slot: int) -> RecordedBlock:
        found = await self._client.block_hash(slot)
        if found is None:
            raise Unavailable(f"{chain} does not have block {slot}")
        return RecordedBlock(slot, found)


def _pages(listed: Sequence[_ListedChange], size: int) -> Iterator[Sequence[_ListedChange]]:
    """Split transactions into pages of about `size`; a slot is never split."""
    page: list[_ListedChange] = []
    for each in listed:
        if len(page) >= size and each.info.slot != page[-1].info.slot:
            yield page
            page = []
        page.append(each)
    if page:
        yield page
