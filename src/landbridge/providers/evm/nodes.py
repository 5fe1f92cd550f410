"""Nodes of one chain, EVM or other: health, fail-over and bounds.

Guarantees:
- a node is used only after its answer has proved that it belongs to the chain, at first and again
  after each failure;
- a node that fails, or whose answer is not usable, is set aside: 1 s, doubled with each failure up
  to a minute. Set-aside nodes are skipped, except the one that is due first when all others failed;
- every call has a deadline, and every node a maximum of concurrent requests;
- a JSON-RPC error is an answer, so no other node is asked; a rate limit is a failure.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any, TypeVar

import aiohttp
import msgspec
import structlog

from landbridge.platform.core.clock import Clock
from landbridge.providers.evm.errors import AnswerTooLarge, NodeError, NodeFailure, NodeUnavailable
from landbridge.providers.evm.node_errors import is_rate_limit
from landbridge.providers.evm.node_url import NodeUrl
from landbridge.providers.evm.quantities import AnswerInvalid
from landbridge.providers.evm.transport import RpcCall, exchange, open_session

T = TypeVar("T")

_log = structlog.stdlib.get_logger()

_BACKOFF_MIN = timedelta(seconds=1)
_BACKOFF_MAX = timedelta(minutes=1)
# With this many doublings the backoff exceeds its maximum.
_DOUBLINGS_MAX = 10


class ChainIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """Call and its expected answer, which identify the chain; `name` is shown, as "chain id"."""

    call: RpcCall
    name: str
    read: Callable[[object], object]
    expected: object


class LargeAnswerPolicy(Enum):
    """How an answer that is larger than the maximum is treated."""

    FAULT = auto()  # the node is at fault
    RAISE = auto()  # the error is raised, and the caller asks for less
    RAISE_OF_ALL = auto()  # strangers can cause it; raised if it happens at all nodes in use


class RpcLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of the client of one chain.

    `call_timeout_s` is for a call with all its attempts, `attempt_timeout_s` for one node. A node
    is stale if its head is more than `head_lag_blocks_max` behind the highest head of the others.
    """

    call_timeout_s: float = 15
    attempt_timeout_s: float = 5
    answer_bytes_max: int = 16 * 1024 * 1024
    concurrency_max: int = 16
    batch_max: int = 100
    head_lag_blocks_max: int = 10


class NodeHealth(msgspec.Struct, frozen=True, kw_only=True):
    """Health of a node; times are real time.

    `node` is its host and port, `head` the last block number that it answered. `set_aside_until` is
    None while the node is in use.
    """

    node: str
    last_success_at: datetime | None
    last_error_at: datetime | None
    last_error: str | None
    head: int | None
    set_aside_until: datetime | None


class ChainNode:
    """State of one node; only the pool changes it."""

    def __init__(self, url: NodeUrl, concurrency_max: int) -> None:
        self.url = url
        self.slots = asyncio.Semaphore(concurrency_max)
        self.is_identified = False
        self.failures = 0
        self.head: int | None = None
        self.last_success_at: datetime | None = None
        self.last_error_at: datetime | None = None
        self.last_error: str | None = None
        self.due_at: datetime | None = None


class NodePool:
    """Nodes of one chain, in order of preference; the caller closes the pool."""

    def __init__(
        self, urls: Sequence[NodeUrl], *, identity: ChainIdentity, clock: Clock, limits: RpcLimits
    ) -> None:
        self.limits = limits
        self._identity = identity
        self._clock = clock
        self._nodes = [ChainNode(url, limits.concurrency_max) for url in urls]
        self._next_id = 1
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """Close all connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def health(self) -> tuple[NodeHealth, ...]:
        """Return the health of each node, in the configured order."""
        now = self._clock.now()
        return tuple(
            NodeHealth(
                node=node.url.label,
                last_success_at=node.last_success_at,
                last_error_at=node.last_error_at,
                last_error=node.last_error,
                head=node.head,
                set_aside_until=node.due_at if _is_set_aside(node, now) else None,
            )
            for node in self._nodes
        )

    async def call(
        self,
        calls: Sequence[RpcCall],
        read: Callable[[list[Any]], T],
        *,
        head: Callable[[T], int | None] | None = None,
        too_large: LargeAnswerPolicy = LargeAnswerPolicy.FAULT,
    ) -> T:
        """Return the result of `read` for the answers of the first node with usable answers.

        Only for calls that may be repeated. `read` raises `AnswerInvalid` for unusable answers.
        `head` returns the head that a result implies.

        Raises:
            AnswerTooLarge: As `too_large` says.
            NodeError: The node answered with an error.
            NodeUnavailable: No node gave a usable answer in time.
        """
        deadline_s = asyncio.get_running_loop().time() + self.limits.call_timeout_s
        problems: list[str] = []
        large: dict[ChainNode, AnswerTooLarge] = {}
        now, candidates = self._clock.now(), self.candidates()
        in_use = {node for node in candidates if not _is_set_aside(node, now)}
        for node in candidates:
            try:
                return await self.attempt(node, calls, read, deadline_s=deadline_s, head=head)
            except AnswerTooLarge as failure:
                if too_large is LargeAnswerPolicy.RAISE:
                    raise
                large[node] = failure
                failure.is_fault &= too_large is LargeAnswerPolicy.FAULT
                problems.append(self.fail(node, failure))
            except NodeFailure as failure:
                problems.append(self.fail(node, failure))
        # The answers of nodes that are set aside do not count here.
        if too_large is LargeAnswerPolicy.RAISE_OF_ALL and large and large.keys() >= in_use:
            raise next(iter(large.values()))
        raise NodeUnavailable("; ".join(problems) or "no node is configured")

    async def call_each(
        self,
        calls: Sequence[RpcCall],
        read: Callable[[list[Any]], T],
        *,
        head: Callable[[T], int | None],
        timeout_s: float,
    ) -> list[T]:
        """Return the usable answers of all nodes within the timeout, and update `health`."""
        deadline_s = asyncio.get_running_loop().time() + timeout_s

        async def ask(node: ChainNode) -> list[T]:
            try:
                return [await self.attempt(node, calls, read, deadline_s=deadline_s, head=head)]
            except NodeFailure as failure:
                self.fail(node, failure)
            except NodeError as error:
                self.fail(node, NodeFailure(f"answered error {error.code}", is_fault=False))
            return []

        answers = await asyncio.gather(*(ask(node) for node in self._nodes))
        return [answer for found in answers for answer in found]

    def candidates(self) -> list[ChainNode]:
        """Return the nodes to try: all in use, then the one of the others that is due first."""
        now = self._clock.now()
        waiting = [node for node in self._nodes if _is_set_aside(node, now)]
        in_use = [node for node in self._nodes if node not in waiting]
        return in_use + sorted(waiting, key=lambda node: node.due_at or now)[:1]

    async def attempt(
        self,
        node: ChainNode,
        calls: Sequence[RpcCall],
        read: Callable[[list[Any]], T],
        *,
        deadline_s: float,
        head: Callable[[T], int | None] | None = None,
    ) -> T:
        """Return the result of `read` for the answers of one node.

        `deadline_s` is a time of the event loop's clock. Raises `NodeFailure`, which the caller
        passes to `fail`, and all errors of `read` except `AnswerInvalid`.
        """
        await self._take_slot(node, deadline_s)
        try:
            answers = await self._answers(node, calls, deadline_s)
        finally:
            node.slots.release()
        try:
            value = read(answers)
        except AnswerInvalid as invalid:
            raise NodeFailure(f"answered wrongly: {invalid}") from None
        except NodeError:
            self._succeed(node)
            raise
        if head is not None:
            self._check_head(node, head(value))
        self._succeed(node)
        return value

    async def _take_slot(self, node: ChainNode, deadline_s: float) -> None:
        """Wait until the node has a free slot; a timeout here is not the node's fault."""
        loop = asyncio.get_running_loop()
        ends_s = min(deadline_s, loop.time() + self.limits.attempt_timeout_s)
        try:
            async with asyncio.timeout_at(ends_s):
                await node.slots.acquire()
        except TimeoutError:
            raise NodeFailure("has no free slot", is_unsent=True, is_fault=False) from None

    async def _answers(
        self, node: ChainNode, calls: Sequence[RpcCall], deadline_s: float
    ) -> list[Any]:
        started_s = asyncio.get_running_loop().time()
        ends_s = min(deadline_s, started_s + self.limits.attempt_timeout_s)
        is_sent = False
        try:
            async with asyncio.timeout_at(ends_s):
                await self._identify(node)
                is_sent = True
                return await self._exchange(node, calls)
        except NodeFailure as failure:
            failure.is_unsent |= not is_sent
            raise
        except TimeoutError:
            # Near the end of a call, even a good node has too little time to answer.
            had_time = 2 * (ends_s - started_s) >= self.limits.attempt_timeout_s
            raise NodeFailure(
                "did not answer in time", is_unsent=not is_sent, is_fault=had_time
            ) from None

    def fail(self, node: ChainNode, failure: NodeFailure) -> str:
        """Record a failure, set the node aside if it is at fault; return a sentence about it."""
        now = self._clock.now()
        node.last_error_at = now
        node.last_error = str(failure)
        node.is_identified &= not failure.is_fault
        # Concurrent calls fail together, which counts as one failure.
        if failure.is_fault and not _is_set_aside(node, now):
            backoff = _BACKOFF_MIN * 2 ** min(node.failures, _DOUBLINGS_MAX)
            node.due_at = now + min(backoff, _BACKOFF_MAX)
            node.failures += 1
            _log.warning(
                "evm.node_set_aside",
                chain_id=self._identity.expected,
                node=node.url.label,
                reason=str(failure),
            )
        return f"{node.url.label} {failure}"

    async def _identify(self, node: ChainNode) -> None:
        """Check that the node is on the chain, unless it was checked since its last failure."""
        if node.is_identified:
            return
        identity = self._identity
        (answer,) = await self._exchange(node, [identity.call])
        if isinstance(answer, NodeError):
            raise NodeFailure(f"answered error {answer.code} to its chain {identity.name}")
        try:
            found = identity.read(answer)
        except AnswerInvalid as invalid:
            raise NodeFailure(f"answered wrongly: {invalid}") from None
        if found != identity.expected:
            raise NodeFailure(
                f"is on the chain with {identity.name} {found}, not {identity.expected}"
            )
        node.is_identified = True

    async def _exchange(self, node: ChainNode, calls: Sequence[RpcCall]) -> list[Any]:
        if self._session is None:
            self._session = open_session()
        first_id = self._next_id
        self._next_id += len(calls)
        answers = await exchange(
            self._session,
            node.url,
            calls,
            first_id=first_id,
            bytes_max=self.limits.answer_bytes_max,
        )
        limited = [isinstance(each, NodeError) and is_rate_limit(each) for each in answers]
        if any(limited):
            # If only some calls of a batch were limited, the others were carried out.
            raise NodeFailure("limits the rate of requests", is_unsent=all(limited))
        return answers

    def _check_head(self, node: ChainNode, head: int | None) -> None:
        if head is None:
            return
        node.head = head
        now = self._clock.now()
        # The head of a node that is set aside does not count: it could make the others stale for
        # ever.
        others = [
            each.head
            for each in self._nodes
            if each is not node and each.head is not None and not _is_set_aside(each, now)
        ]
        lag = max(others, default=head) - head
        if lag > self.limits.head_lag_blocks_max:
            raise NodeFailure(f"is {lag} blocks behind another node")

    def _succeed(self, node: ChainNode) -> None:
        node.last_success_at = self._clock.now()
        node.failures = 0
        node.due_at = None


def _is_set_aside(node: ChainNode, now: datetime) -> bool:
    return node.due_at is not None and node.due_at > now
