"""Client of one EVM chain: typed JSON-RPC calls to its nodes.

Guarantees:
- quantities are ints, read strictly; an answer of the wrong form, or for another block, address or
  transaction, is never returned: the next node is asked;
- every method raises `NodeUnavailable` if no node gives a usable answer in time. `call`,
  `estimate_gas` and `logs` also raise `NodeError`, because there an error is an answer; elsewhere
  the next node is tried;
- logs come from a node that has the last block of the range: a node that is behind would answer no
  logs;
- a sent transaction is never reported as refused if an earlier node may have accepted it.
"""

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from landbridge.platform.core.clock import Clock
from landbridge.platform.db.group_commit import GroupCommit
from landbridge.providers.evm import abi
from landbridge.providers.evm.call_results import (
    chunks,
    first_of,
    identity,
    value_or_error,
    value_or_failure,
)
from landbridge.providers.evm.chain_data import (
    BlockHeader,
    BlockTag,
    EventLog,
    FeeQuote,
    TransactionReceipt,
    read_block,
    read_log,
    read_next_base_fee,
)
from landbridge.providers.evm.configuration import EvmChain, FinalityTag
from landbridge.providers.evm.errors import AnswerTooLarge, NodeError, NodeFailure, NodeUnavailable
from landbridge.providers.evm.mined_transactions import read_mined
from landbridge.providers.evm.node_errors import is_log_limit
from landbridge.providers.evm.node_url import NodeUrl
from landbridge.providers.evm.nodes import (
    ChainIdentity,
    LargeAnswerPolicy,
    NodeHealth,
    NodePool,
    RpcLimits,
)
from landbridge.providers.evm.quantities import (
    AnswerInvalid,
    read_data,
    read_list,
    read_number,
    read_quantity,
)
from landbridge.providers.evm.raw_transactions import SendOutcome, send_raw
from landbridge.providers.evm.transport import RpcCall

T = TypeVar("T")
V = TypeVar("V")

_HEAD = RpcCall("eth_blockNumber")
_EXCHANGES = 4


class ChainClient:
    """Client of one chain's nodes, with the guarantees above.

    Use it as an async context, or close it. One client serves any number of tasks of one event
    loop.
    """

    def __init__(
        self,
        urls: Sequence[NodeUrl],
        *,
        chain_id: int,
        clock: Clock,
        limits: RpcLimits | None = None,
    ) -> None:
        self.chain_id = chain_id
        self._limits = limits or RpcLimits()
        identity = ChainIdentity(
            call=RpcCall("eth_chainId"), name="id", read=read_quantity, expected=chain_id
        )
        self._pool = NodePool(urls, identity=identity, clock=clock, limits=self._limits)
        # Calls made at the same time, such as those that plan many orders, share one request.
        self._calls = GroupCommit(
            self._answers, concurrency=_EXCHANGES, size_max=self._limits.batch_max
        )

    @classmethod
    def of(cls, chain: EvmChain, clock: Clock, limits: RpcLimits | None = None) -> "ChainClient":
        """Return the client of a configured chain."""
        return cls(chain.rpc_urls, chain_id=chain.chain_id, clock=clock, limits=limits)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.close()

    def health(self) -> tuple[NodeHealth, ...]:
        """Return the health of each node, in the configured order."""
        return self._pool.health()

    async def latest_block(self, *, timeout_s: float) -> BlockHeader | None:
        """Ask all nodes for their head; return the highest, None if none answers in time."""
        call = RpcCall("eth_getBlockByNumber", (BlockTag.LATEST.value, False))
        heads = await self._pool.call_each(
            [call],
            first_of(read_block),
            head=lambda header: None if header is None else header.number,
            timeout_s=timeout_s,
        )
        found = [each for each in heads if each is not None]
        return max(found, key=lambda header: header.number, default=None)

    async def block_number(self) -> int:
        """Return the number of the latest block, from a node that is not stale."""
        return await self._pool.call([_HEAD], first_of(read_number), head=identity)

    async def block(self, block: int | BlockTag) -> BlockHeader | None:
        """Return a block; None if the node does not have it (yet, or any more)."""

        def read(value: object) -> BlockHeader | None:
            header = read_block(value)
            if header is not None and isinstance(block, int) and header.number != block:
                raise AnswerInvalid("a block is of another number")
            return header

        def head(header: BlockHeader | None) -> int | None:
            return header.number if header is not None and block is BlockTag.LATEST else None

        call = RpcCall("eth_getBlockByNumber", (_block(block), False))
        return await self._pool.call([call], first_of(read), head=head)

    async def blocks(self, numbers: Sequence[int]) -> list[BlockHeader | None]:
        """Return the blocks with these numbers; None for blocks that the node lacks.

        More than one batch is read in parts, and a reorganisation may happen between them.
        """
        found: list[BlockHeader | None] = []
        for chunk in chunks(numbers, self._limits.batch_max):

            def read(answers: list[Any], chunk: Sequence[int] = chunk) -> list[BlockHeader | None]:
                headers = [read_block(value_or_failure(answer)) for answer in answers]
                for header, number in zip(headers, chunk, strict=True):
                    if header is not None and header.number != number:
                        raise AnswerInvalid("a block is of another number")
                return headers

            calls = [RpcCall("eth_getBlockByNumber", (hex(each), False)) for each in chunk]
            found += await self._pool.call(calls, read)
        return found

    async def final_block(self, finality: FinalityTag | int, *, head: int) -> int | None:
        """Return the number of the last block that can't be undone; None if there is none.

        `head` is the number of the latest block, which has a depth of one.
        """
        if isinstance(finality, FinalityTag):
            block = await self.block(BlockTag(finality.value))
            return None if block is None else block.number
        final = head - finality + 1
        return final if final >= 0 else None

    async def balance(self, address: str, block: int | BlockTag = BlockTag.LATEST) -> int:
        """Return the balance of an address, in wei."""
        return await self._ask("eth_getBalance", (address, _block(block)), read_quantity)

    async def code(self, address: str, block: int | BlockTag = BlockTag.LATEST) -> bytes:
        """Return the code of a contract; empty if there is none."""
        return await self._ask("eth_getCode", (address, _block(block)), read_data)

    async def nonce(self, address: str, block: int | BlockTag) -> int:
        """Return the next nonce of an address; `PENDING` includes the node's pool."""
        return await self._ask("eth_getTransactionCount", (address, _block(block)), read_number)

    async def call(
        self,
        *,
        destination: str,
        data: bytes,
        source: str | None = None,
        block: int | BlockTag = BlockTag.LATEST,
        gas: int | None = None,
        codes: Mapping[str, bytes] | None = None,
    ) -> bytes:
        """Return what a call would return. `simulation_failure` explains its `NodeError`.

        With `codes`, the call is carried out as if each of these addresses had this code.
        """
        request = _request(destination=destination, data=data, source=source, gas=gas)
        overrides = {each: {"code": f"0x{code.hex()}"} for each, code in (codes or {}).items()}
        params = (request, _block(block), *([overrides] if overrides else []))
        return await self._simulate("eth_call", params, read_data)

    async def token_balance(self, token: str, owner: str) -> int:
        """Return the balance of a token at an address, in units; also raises `AnswerInvalid`."""
        return abi.decode_uint256(
            await self.call(destination=token, data=abi.encode_balance_of(owner))
        )

    async def estimate_gas(
        self, *, source: str, destination: str, data: bytes, value_wei: int = 0
    ) -> int:
        """Return the gas of a transaction. `simulation_failure` explains its `NodeError`."""
        request = _request(destination=destination, data=data, source=source, value_wei=value_wei)
        return await self._simulate("eth_estimateGas", (request,), read_quantity)

    async def fees(self) -> FeeQuote:
        """Return the next block's base fee and the node's suggested tip."""

        def read(answers: list[Any]) -> FeeQuote:
            history, tip = (value_or_failure(each) for each in answers)
            return FeeQuote(base_fee_wei=read_next_base_fee(history), tip_wei=read_quantity(tip))

        history = RpcCall("eth_feeHistory", ("0x1", BlockTag.LATEST.value, []))
        return await self._pool.call([history, RpcCall("eth_maxPriorityFeePerGas")], read)

    async def receipt(self, transaction_hash: str) -> TransactionReceipt | None:
        """Return the receipt of a transaction; None if it is not mined (any more)."""
        return (await self.receipts([transaction_hash]))[0]

    async def receipts(self, transaction_hashes: Sequence[str]) -> list[TransactionReceipt | None]:
        """Return the receipt of each transaction, in order; None for one that is not mined.

        Anybody can create receipts that are too large together: those are read one by one. A
        receipt that is too large by itself raises `TransactionTooLarge`.
        """
        return await read_mined(self._pool, transaction_hashes)

    async def batch(self, calls: Sequence[RpcCall]) -> list[Any]:
        """Return the raw result of each call, or its `NodeError`; only for calls that read."""
        found: list[Any] = []
        for chunk in chunks(calls, self._limits.batch_max):
            found += await self._pool.call(chunk, identity)
        return found

    async def logs(
        self,
        *,
        first_block: int,
        last_block: int,
        addresses: Sequence[str],
        topics: Sequence[str | Sequence[str] | None] = (),
    ) -> list[EventLog]:
        """Return the logs of contracts from `first_block` to `last_block`, in chain order.

        `topics` restrict by position: one topic, one of several, or None for any. A range that a
        node finds too large is halved, so a reorganisation may happen between its parts: compare
        the hashes of blocks. Also raises `NodeUnavailable` if no node has `last_block`.
        """
        found: list[EventLog] = []
        # Nodes interpret an empty list of addresses as any address.
        is_empty = first_block > last_block or not addresses
        ranges = [] if is_empty else [(first_block, last_block)]
        while ranges:
            first, last = ranges.pop()
            try:
                found += await self._logs(first, last, addresses=addresses, topics=topics)
            except (AnswerTooLarge, NodeError) as failure:
                is_limit = isinstance(failure, AnswerTooLarge) or is_log_limit(failure)
                if not is_limit:
                    raise
                if first == last:
                    raise NodeUnavailable(f"the logs of block {first} are too many") from None
                middle = (first + last) // 2
                # The earlier half is read first, so that the chain order is kept.
                ranges += [(middle + 1, last), (first, middle)]
        return found

    async def send_raw(self, raws: Sequence[bytes]) -> list[SendOutcome]:
        """Send signed transactions in one request; see `raw_transactions`."""
        return await send_raw(self._pool, raws)

    async def _logs(
        self,
        first: int,
        last: int,
        *,
        addresses: Sequence[str],
        topics: Sequence[str | Sequence[str] | None],
    ) -> list[EventLog]:
        wanted = {each.lower() for each in addresses}

        def read(answers: list[Any]) -> tuple[int, list[EventLog]]:
            head = read_number(value_or_failure(answers[0]))
            if head < last:
                raise AnswerInvalid(f"its head is {head}, before block {last}")
            logs = [read_log(each) for each in read_list(value_or_error(answers[1]))]
            for log in logs:
                if not first <= log.block_number <= last or log.address.lower() not in wanted:
                    raise AnswerInvalid("a log is of another block or contract")
            places = {(log.block_number, log.log_index) for log in logs}
            if len(places) < len(logs):
                raise AnswerInvalid("a log is there twice")
            return head, sorted(logs, key=lambda log: (log.block_number, log.log_index))

        request = {
            "fromBlock": hex(first),
            "toBlock": hex(last),
            "address": list(addresses),
            "topics": list(topics),
        }
        calls = [_HEAD, RpcCall("eth_getLogs", (request,))]
        _, logs = await self._pool.call(
            calls,
            read,
            head=lambda value: value[0],
            too_large=LargeAnswerPolicy.RAISE if first < last else LargeAnswerPolicy.FAULT,
        )
        return logs

    async def _ask(self, method: str, params: tuple[Any, ...], read: Callable[[object], T]) -> T:
        return await self._call(
            RpcCall(method, params), lambda answer: read(value_or_failure(answer))
        )

    async def _simulate(
        self, method: str, params: tuple[Any, ...], read: Callable[[object], T]
    ) -> T:
        return await self._call(
            RpcCall(method, params), lambda answer: read(value_or_error(answer))
        )

    async def _call(self, call: RpcCall, read: Callable[[Any], T]) -> T:
        """Return the parsed result of a call; if it is unusable, all nodes are asked one by one."""
        answer = await self._calls.call(call)
        if isinstance(answer, NodeUnavailable):
            raise answer
        try:
            return read(answer)
        except (AnswerInvalid, NodeFailure):
            return await self._pool.call([call], lambda answers: read(answers[0]))

    async def _answers(self, calls: list[RpcCall]) -> list[Any]:
        """Return for each call its result or `NodeError`; a `NodeUnavailable` for all of them."""
        try:
            return await self._pool.call(calls, identity)
        except NodeUnavailable as error:
            return [error] * len(calls)


def _block(block: int | BlockTag) -> str:
    return block.value if isinstance(block, BlockTag) else hex(block)


def _request(
    *,
    destination: str,
    data: bytes,
    source: str | None,
    gas: int | None = None,
    value_wei: int = 0,
) -> dict[str, str]:
    request = {"to": destination, "data": f"0x{data.hex()}"}
    if source is not None:
        request["from"] = source
    if gas is not None:
        request["gas"] = hex(gas)
    if value_wei:
        request["value"] = hex(value_wei)
    return request
