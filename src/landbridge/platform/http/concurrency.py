"""Concurrency limits: few requests of an organisation are processed at once.

Guarantees:
- A process handles at most `READS_EACH` reads, `WRITES_EACH` writes and `COSTLY_EACH` costly
  requests of each organisation at once. Further requests wait in the organisation's own queue and
  delay no other organisation.
- The transactions of an organisation's requests use at most a third of the database connections at
  once, because all may wait for the lock of one record. Payments in a group commit use no
  connection of their own.
- A process handles at most `KEYLESS_MAX` requests without a key (hosted pages and key sets) at
  once, and `KEYLESS_EACH` of each client address. Their transactions together have the bound of one
  organisation.
- A slot is held from the complete body to the beginning of the response, so a client that sends or
  reads slowly holds none.
- A waiting client that disconnects leaves the queue, and nothing is computed for it.

Costly requests take ten milliseconds or more: handlers with the option `costly=True`, lists (a
reply may have a hundred records, and megabytes), and large bodies, which are checked in a thread.
Many writes share a group commit, so an organisation may have more of them at once.
"""

import asyncio
from collections.abc import Hashable
from functools import cache
from typing import Any, Final, NamedTuple, cast

from litestar.handlers.base import BaseRouteHandler
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from landbridge.platform.core.pagination import PageWindow, QueueWindow
from landbridge.platform.db.pool import TRANSACTION_BOUND
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.connection_admission import address_share
from landbridge.platform.http.fair_semaphore import FairSemaphore
from landbridge.platform.http.list_query import AnyRequest
from landbridge.platform.http.request_decoding import TREE, RequestDecoder, check_json

# Option of handlers that are costly.
COSTLY: Final = "costly"
# Option of keyless handlers that wait for the database; handlers that only wait for a file or a
# provider do not have it.
KEYLESS_TURN: Final = "keyless_turn"
# Lists are recognised by the beginning of an operation id's last part, or by these parameter types.
_LIST: Final = "list"
_PAGE_PARTS: Final = (PageWindow, QueueWindow)
COSTLY_EACH: Final = 2
READS_EACH: Final = 16
WRITES_EACH: Final = 64
# A hosted page takes ten milliseconds of the event loop.
KEYLESS_EACH: Final = 4
KEYLESS_MAX: Final = 8
# Larger than any payment's body. Checking this much takes a few milliseconds, a megabyte a hundred.
LARGE_BYTES: Final = 32 * 1024
# Number of organisations that can use their limits fully at the same time.
_ORGS: Final = 8
_SLOT_KEY: Final = "landbridge.turn"
_READING: Final = frozenset({"GET", "HEAD"})


class _RequestSlot(NamedTuple):
    semaphore: FairSemaphore
    share: Hashable


class _TransactionShare(NamedTuple):
    """Bound on the transactions of one organisation, or of all requests without a key."""

    semaphore: FairSemaphore
    share: Hashable

    async def acquire(self) -> None:
        await self.semaphore.acquire(self.share)

    def release(self) -> None:
        self.semaphore.release(self.share)


class OrgConcurrency:
    """Concurrency slots of one process; their number follows from its database connections."""

    def __init__(self, *, connections: int) -> None:
        each = max(connections // 3, 1)
        self._transactions = FairSemaphore(connections * each, each=each)
        self._costly = FairSemaphore(_ORGS * COSTLY_EACH, each=COSTLY_EACH)
        self._reads = FairSemaphore(_ORGS * READS_EACH, each=READS_EACH)
        self._writes = FairSemaphore(_ORGS * WRITES_EACH, each=WRITES_EACH)
        self._keyless = FairSemaphore(KEYLESS_MAX, each=KEYLESS_EACH)

    async def acquire(self, request: AnyRequest) -> None:
        """Acquire the slot of an API request, or of a keyless one that needs a slot.

        Raises `FieldInvalid` for a large body that is not valid JSON.
        """
        scope = cast("dict[str, Any]", request.scope)
        handler, caller = request.route_handler, scope.get("user")
        if not isinstance(caller, Caller):
            if handler.opt.get(KEYLESS_TURN):
                await self._take_keyless(request)
            return
        is_large = False
        if RequestDecoder.is_of(handler):
            is_large = len(await request.body()) > LARGE_BYTES
        if is_large or _is_costly(handler):
            semaphore = self._costly
        else:
            semaphore = self._reads if request.method in _READING else self._writes
        await semaphore.acquire(caller.org_id)
        scope[_SLOT_KEY] = _RequestSlot(semaphore, caller.org_id)
        TRANSACTION_BOUND.set(_TransactionShare(self._transactions, caller.org_id))
        if is_large:
            scope[TREE] = await asyncio.to_thread(check_json, await request.body())

    async def _take_keyless(self, request: AnyRequest) -> None:
        if request.method not in _READING:
            await request.body()
        client = request.client
        share = "" if client is None else address_share(client.host)
        await self._keyless.acquire(share)
        cast("dict[str, Any]", request.scope)[_SLOT_KEY] = _RequestSlot(self._keyless, share)
        TRANSACTION_BOUND.set(_TransactionShare(self._transactions, KEYLESS_TURN))

    async def end(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to `app`, and release its slot when its response begins."""

        async def send_response(message: Message) -> None:
            _release(scope)
            await send(message)

        outside = TRANSACTION_BOUND.set(None)
        try:
            await app(scope, receive, send_response)
        finally:
            TRANSACTION_BOUND.reset(outside)
            _release(scope)


@cache
def _is_costly(handler: BaseRouteHandler) -> bool:
    parameters = handler.parsed_fn_signature.parameters.values()
    operation_id: str | None = getattr(handler, "operation_id", None)
    return (
        bool(handler.opt.get(COSTLY))
        or (operation_id or "").rpartition(".")[2].startswith(_LIST)
        or any(each.annotation in _PAGE_PARTS for each in parameters)
    )


def _release(scope: Any) -> None:
    slot = cast("_RequestSlot | None", scope.pop(_SLOT_KEY, None))
    if slot is not None:
        slot.semaphore.release(slot.share)
