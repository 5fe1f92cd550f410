"""Records of an EVM chain about an organisation's addresses, as in the port (chains/records.py).

Nothing that the platform has stored is read, neither deposits nor orders. Balances are read from
the token contracts at a block by its hash (EIP-1898), movements from their Transfer events.
"""

from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.platform.core.errors import Unavailable
from landbridge.providers.chains.records import AddressMovement, MovementPage, RecordedBlock
from landbridge.providers.chains.tokens import NETWORK_TOKENS
from landbridge.providers.evm.abi import (
    TRANSFER_TOPIC,
    address_topic,
    decode_transfer,
    decode_uint256,
    encode_balance_of,
)
from landbridge.providers.evm.chain_data import BlockTag, EventLog
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.errors import NodeError
from landbridge.providers.evm.quantities import AnswerInvalid, read_data
from landbridge.providers.evm.rpc import ChainClient
from landbridge.providers.evm.transport import RpcCall

# Blocks of a page, and addresses of a filter. If a node refuses a range as too large, the blocks
# are halved, but not the addresses.
PAGE_BLOCKS, FILTER_ADDRESSES = 2_000, 200


class EvmChainRecords:
    """Reads the records of one chain."""

    def __init__(self, chain: EvmChain, client: ChainClient) -> None:
        self._chain = chain
        self._client = client
        self._assets = {
            token.address: NETWORK_TOKENS[chain.name, currency].asset.code
            for currency, token in chain.tokens.items()
        }

    async def final_block(self, org_id: UUID, chain: str, at: datetime) -> RecordedBlock:
        """Return the last block that is final and has the chain's confirmations."""
        del org_id, at
        latest = await self._client.block(BlockTag.LATEST)
        if latest is None:
            raise Unavailable(f"{chain} has no latest block")
        final = await self._client.final_block(self._chain.finality, head=latest.number)
        if final is None:
            raise Unavailable(f"{chain} has no final block")
        return await self._block(min(final, max(latest.number - self._chain.confirmations + 1, 0)))

    async def has_block(self, org_id: UUID, chain: str, block: RecordedBlock) -> bool:
        """Return whether this block is still part of the chain."""
        del org_id, chain
        return await self._block(block.number) == block

    async def position(
        self, org_id: UUID, chain: str, addresses: Collection[str], block: RecordedBlock
    ) -> Mapping[str, int]:
        """Return the total balance of the addresses at a block, by asset code, in units."""
        del org_id
        held = dict.fromkeys(self._assets.values(), 0)
        for some in _chunks(addresses):
            asked = [
                (asset, _balance(token, owner, block))
                for token, asset in self._assets.items()
                for owner in some
            ]
            answers = await self._client.batch([call for _, call in asked])
            for (asset, _), answer in zip(asked, answers, strict=True):
                held[asset] += _read_balance(chain, answer)
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
        """Yield pages of the movements after a block; see the port."""
        del org_id
        while after < until.number:
            first, after = after + 1, min(after + PAGE_BLOCKS, until.number)
            try:
                logs = await self._logs(addresses, first, after)
            except NodeError as error:
                raise Unavailable(f"{chain} does not answer its logs: {error}") from error
            end = await self._block(after)
            if any(log.block_number == after and log.block_hash != end.hash for log in logs):
                raise Unavailable(f"the logs of block {after} of {chain} have changed")
            yield MovementPage(end, list(self._moved(logs, addresses)))

    async def _logs(
        self, addresses: Collection[str], first: int, last: int
    ) -> Collection[EventLog]:
        """Return the transfers from and to the addresses, each only once."""
        found: dict[tuple[int, int], EventLog] = {}
        for some in _chunks(addresses):
            owners = [address_topic(each) for each in some]
            for topics in ([TRANSFER_TOPIC, owners], [TRANSFER_TOPIC, None, owners]):
                for log in await self._client.logs(
                    first_block=first, last_block=last, addresses=list(self._assets), topics=topics
                ):
                    found[log.block_number, log.log_index] = log
        return found.values()

    def _moved(
        self, logs: Collection[EventLog], addresses: Collection[str]
    ) -> Iterator[AddressMovement]:
        for log in logs:
            transfer = decode_transfer(log.topics, log.data)
            if transfer is None:
                continue
            sign = (transfer.destination in addresses) - (transfer.source in addresses)
            if sign and transfer.amount_units:
                asset, units = self._assets[log.address], sign * transfer.amount_units
                yield AddressMovement(log.transaction_hash, asset, units)

    async def _block(self, number: int) -> RecordedBlock:
        header = await self._client.block(number)
        if header is None:
            raise Unavailable(f"{self._chain.name} does not have block {number}")
        return RecordedBlock(header.number, header.hash)


def _chunks(addresses: Collection[str]) -> Iterator[Sequence[str]]:
    ordered = sorted(addresses)
    for start in range(0, len(ordered), FILTER_ADDRESSES):
        yield ordered[start : start + FILTER_ADDRESSES]


def _balance(token: str, owner: str, block: RecordedBlock) -> RpcCall:
    request = {"to": token, "data": f"0x{encode_balance_of(owner).hex()}"}
    return RpcCall("eth_call", (request, {"blockHash": block.hash}))


def _read_balance(chain: str, answer: object) -> int:
    if isinstance(answer, NodeError):
        raise Unavailable(f"{chain} does not answer a balance: {answer}")
    try:
        return decode_uint256(read_data(answer))
    except AnswerInvalid as error:
        raise Unavailable(f"{chain} answers a balance that is none: {error}") from error
