"""Reads one chain for the block follower: heads, linked blocks and token transfers.

Every answer is compared with the hashes of the blocks that it is about. `ChainUnsettled` is raised
for contradictory answers, of different nodes or of one node during a reorganisation.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from types import MappingProxyType

from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import TRANSFER_TOPIC, decode_transfer
from landbridge.providers.evm.bridging.mint_owners import NO_ADDRESS, find_owner
from landbridge.providers.evm.chain_data import BlockHeader, BlockTag, EventLog, TransactionReceipt
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.errors import TransactionTooLarge
from landbridge.providers.evm.following.model import (
    BlockRef,
    ChainHeads,
    ChainUnsettled,
    LoggedTransfer,
)
from landbridge.providers.evm.following.walk_back import linked_blocks
from landbridge.providers.evm.markets.fills import find_payer
from landbridge.providers.evm.rpc import ChainClient

# Receipts held in memory at once; one has up to some megabytes.
_RECEIPTS_MAX = 10


class ChainReader:
    """Reads the blocks and transfers of one chain. Every method raises `NodeUnavailable`."""

    def __init__(
        self,
        chain: EvmChain,
        client: ChainClient,
        *,
        messengers: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        """`messengers` are those of other chains, for the burns minted here, by domain."""
        self.chain = chain
        self._client = client
        self._messengers = messengers
        self._currencies = {token.address: name for name, token in chain.tokens.items()}
        pools = () if chain.market is None else chain.market.pools
        self._pools = frozenset(each.address for each in pools)

    @property
    def name(self) -> Network:
        """Return the name of the chain."""
        return self.chain.name

    @property
    def intermediaries(self) -> frozenset[str]:
        """Return the addresses that pass on coins of others: see `owners`."""
        return self._pools | {NO_ADDRESS}

    async def latest(self) -> BlockRef:
        """Return the latest block."""
        header = await self._client.block(BlockTag.LATEST)
        if header is None:
            raise ChainUnsettled(f"{self.name} has no latest block")
        return _ref(header)

    async def heads(self, latest: BlockRef) -> ChainHeads:
        """Return the confirmed and the final block below the latest block."""
        confirmed = max(latest.number - self.chain.confirmations + 1, 0)
        final = await self._client.final_block(self.chain.finality, head=latest.number)
        if final is not None:
            final = min(final, confirmed)
        return ChainHeads(latest=latest, confirmed=confirmed, final=final)

    async def block(self, number: int) -> BlockHeader | None:
        """Return a block; None if the node does not have it."""
        return await self._client.block(number)

    async def has_checkpoint(self) -> bool:
        """Return whether the node has the chain's checkpoint."""
        header = await self.block(self.chain.checkpoint_block)
        return header is not None and header.hash == self.chain.checkpoint_hash

    async def blocks_up_to(self, number: int, count: int) -> Sequence[BlockRef]:
        """Return at most `count` linked blocks in ascending order, up to the block `number`."""
        headers = await self._client.blocks(range(max(number - count + 1, 0), number + 1))
        first = headers[0]
        if first is None or len(linked_blocks(_ref(first), headers[1:])) < len(headers) - 1:
            raise ChainUnsettled(f"blocks up to {number} of {self.name} are not linked")
        return [_ref(header) for header in headers if header is not None]

    async def blocks_after(self, parent: BlockRef, last: int) -> Sequence[BlockRef]:
        """Return the blocks after `parent` up to `last`, while each continues the previous one."""
        headers = await self._client.blocks(range(parent.number + 1, last + 1))
        return [_ref(header) for header in linked_blocks(parent, headers)]

    async def transfers(self, blocks: Sequence[BlockRef]) -> Sequence[LoggedTransfer]:
        """Return the transfers of configured tokens in consecutive blocks, in chain order."""
        by_number = {block.number: block for block in blocks}
        logs = await self._client.logs(
            first_block=blocks[0].number,
            last_block=blocks[-1].number,
            addresses=list(self._currencies),
            topics=[TRANSFER_TOPIC],
        )
        found: list[LoggedTransfer] = []
        for log in logs:
            block = by_number[log.block_number]
            if block.hash != log.block_hash:
                raise ChainUnsettled(f"logs of block {block.number} of {self.name} have changed")
            if (transfer := self._transfer(log, block)) is not None:
                found.append(transfer)
        return found

    async def owners(self, transfers: Sequence[LoggedTransfer]) -> Mapping[tuple[str, int], str]:
        """Return who paid for these transfers of intermediaries, by the transfer's `key`.

        For a mint, that is who burned the coins; for a transfer out of a market's pool, who paid
        the pool. Transfers with an unknown payer are left out. Raises `ChainUnsettled` for a
        transaction that is no longer mined.
        """
        if not transfers or not (self._messengers or self._pools):
            return {}
        found = {
            each.key: self._owner(each, logs) async for each, logs in self._with_logs(transfers)
        }
        return {key: owner for key, owner in found.items() if owner is not None}

    def _owner(self, transfer: LoggedTransfer, logs: Sequence[EventLog]) -> str | None:
        if transfer.source in self._pools:
            return find_payer(
                logs,
                log_index=transfer.log_index,
                pool=transfer.source,
                tokens=self._currencies,
            )
        bridge = self.chain.bridge
        if bridge is None:
            return None
        return find_owner(
            logs,
            log_index=transfer.log_index,
            recipient=transfer.destination,
            amount_units=transfer.amount_units,
            transmitter=bridge.message_transmitter,
            messengers=self._messengers,
        )

    async def positions(self, transfers: Sequence[LoggedTransfer]) -> Mapping[tuple[str, int], int]:
        """Return the position of each transfer's log within its transaction, by `key`.

        The position is read from the receipt, which confirms the log: `ChainUnsettled` is raised if
        the receipt does not have it. Transfers with a receipt that is too large are left out.
        """
        return {
            each.key: self._position(each, logs) async for each, logs in self._with_logs(transfers)
        }

    async def blocks_of(self, transaction_hashes: Sequence[str]) -> Mapping[str, int]:
        """Return the block numbers of those of these transactions that are mined.

        Transactions with a receipt that is too large are left out, so their deposits can't be
        credited again.
        """
        return {
            each: receipt.block_number
            for each, receipt in await self._mined(transaction_hashes)
            if receipt is not None
        }

    async def _with_logs(
        self, transfers: Sequence[LoggedTransfer]
    ) -> AsyncIterator[tuple[LoggedTransfer, Sequence[EventLog]]]:
        """Yield transfers with the logs of their transactions, transaction by transaction.

        Few receipts are in memory at once, because anybody can create large ones. A transaction
        with a receipt that is too large is left out; one that is not mined raises `ChainUnsettled`.
        """
        by_hash: dict[str, list[LoggedTransfer]] = {}
        for each in transfers:
            by_hash.setdefault(each.transaction_hash, []).append(each)
        hashes = list(by_hash)
        for start in range(0, len(hashes), _RECEIPTS_MAX):
            some = hashes[start : start + _RECEIPTS_MAX]
            for transaction_hash, receipt in await self._mined(some):
                if receipt is None or not receipt.is_success:
                    raise ChainUnsettled(
                        f"transaction {transaction_hash} of {self.name} is not mined"
                    )
                by_index = {log.log_index: log for log in receipt.logs}
                logs = [by_index[index] for index in sorted(by_index)]
                for each in by_hash[transaction_hash]:
                    yield each, logs

    async def _mined(
        self, hashes: Sequence[str]
    ) -> Sequence[tuple[str, TransactionReceipt | None]]:
        """Return transactions with their receipts, except receipts that are too large."""
        try:
            return list(zip(hashes, await self._client.receipts(hashes), strict=True))
        except TransactionTooLarge:
            if len(hashes) == 1:
                return []
        found = [await self._mined([each]) for each in hashes]
        return [each for receipts in found for each in receipts]

    def _transfer(self, log: EventLog, block: BlockRef) -> LoggedTransfer | None:
        transfer = decode_transfer(log.topics, log.data)
        if transfer is None:
            return None
        return LoggedTransfer(
            transaction_hash=log.transaction_hash,
            log_index=log.log_index,
            block=block,
            currency=self._currencies[log.address],
            contract_address=log.address,
            source=transfer.source,
            destination=transfer.destination,
            amount_units=transfer.amount_units,
        )

    def _position(self, transfer: LoggedTransfer, logs: Sequence[EventLog]) -> int:
        """Return the position of a transfer among the logs of its transaction, in their order."""
        for position, log in enumerate(logs):
            if log.log_index == transfer.log_index:
                is_same = log.address in self._currencies and log.block_hash == transfer.block.hash
                if is_same and self._transfer(log, transfer.block) == transfer:
                    return position
        raise ChainUnsettled(
            f"log {transfer.log_index} of block {transfer.block.number} of {self.name} is not in "
            "the receipt of its transaction"
        )


def _ref(header: BlockHeader) -> BlockRef:
    return BlockRef(header.number, header.hash)
