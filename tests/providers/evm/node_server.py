"""Node for tests: answers JSON-RPC over HTTP, as a test instructs it, well or badly."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Any, cast

from aiohttp import web

from landbridge.platform.core.clock import FrozenClock
from landbridge.providers.evm.node_url import NodeUrl
from landbridge.providers.evm.nodes import RpcLimits
from landbridge.providers.evm.rpc import ChainClient

CHAIN_ID = 137
NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)


class RpcRefusal(Exception):
    """JSON-RPC error that the node answers."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message, "data": data}


class FakeNode:
    """Methods by name; what is set in `respond` replaces the whole HTTP response."""

    def __init__(self) -> None:
        self.url = ""
        self.methods: dict[str, Callable[..., Any]] = {"eth_chainId": lambda: hex(CHAIN_ID)}
        self.respond: Callable[[list[Any]], web.StreamResponse] | None = None
        # What follows applies to requests after the check of the chain id.
        self.pause_s = 0.0
        self.id_offset = 0
        self.seen: list[str] = []
        self.bodies: list[Any] = []
        self.authorization: str | None = None
        self.closes = asyncio.Event()
        self.concurrent = 0
        self.concurrent_max = 0

    @staticmethod
    def calls_of(body: Any) -> int:
        """Return how many calls a request has."""
        return len(cast("list[Any]", body)) if isinstance(body, list) else 1

    def set(self, method: str, value: Any) -> None:
        self.methods[method] = lambda *_: value

    def refuse(self, method: str, code: int, message: str, data: Any = None) -> None:
        def refuse(*_: Any) -> Any:
            raise RpcRefusal(code, message, data)

        self.methods[method] = refuse

    async def serve(self, request: web.Request) -> web.StreamResponse:
        self.authorization = request.headers.get("Authorization")
        self.concurrent += 1
        self.concurrent_max = max(self.concurrent, self.concurrent_max)
        try:
            return await self._serve(await request.json())
        finally:
            self.concurrent -= 1

    async def _serve(self, document: Any) -> web.StreamResponse:
        calls = cast("list[Any]", document if isinstance(document, list) else [document])
        self.seen += [call["method"] for call in calls]
        self.bodies.append(document)
        if calls[0]["method"] != "eth_chainId":
            with suppress(TimeoutError):
                await asyncio.wait_for(self.closes.wait(), self.pause_s)
            if self.respond is not None:
                return self.respond(calls)
        answers = [self._answer(call) for call in calls]
        # A batch may be answered in any order.
        body = list(reversed(answers)) if isinstance(document, list) else answers[0]
        return web.json_response(body)

    def _answer(self, call: Any) -> Any:
        number = call["id"] + (0 if call["method"] == "eth_chainId" else self.id_offset)
        head = {"jsonrpc": "2.0", "id": number}
        try:
            return head | {"result": self.methods[call["method"]](*call["params"])}
        except RpcRefusal as refusal:
            return head | {"error": refusal.error}


@asynccontextmanager
async def fake_node() -> AsyncGenerator[FakeNode]:
    """Run a node during this context."""
    node = FakeNode()
    app = web.Application()
    app.router.add_post("/{path:.*}", node.serve)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    node.url = runner.addresses[0] and f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield node
    finally:
        node.closes.set()
        await runner.cleanup()


def client_of(
    *nodes: FakeNode, clock: FrozenClock | None = None, limits: RpcLimits | None = None
) -> ChainClient:
    """Return a client of these nodes."""
    urls = [NodeUrl.parse(f"{node.url}/v2/secret-key") for node in nodes]
    return ChainClient(urls, chain_id=CHAIN_ID, clock=clock or FrozenClock(NOW), limits=limits)


def raw_text(text: str, **keywords: Any) -> Callable[[list[Any]], web.StreamResponse]:
    """Return a response of any text, for `FakeNode.respond`."""
    return lambda _: web.Response(text=text, **keywords)


def answer_text(call: Any, result: Any) -> str:
    """Return the JSON text of a well-formed answer."""
    return json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result})
