"""Node between the product and anvil that lies: stale heads, missing receipts, logs twice."""

import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

import aiohttp
from aiohttp import web

_STALE_BLOCKS = 3


class LyingNode:
    """Passes requests on to a node, and changes answers while `lies` has a part of them."""

    def __init__(self, behind: str, chance: random.Random) -> None:
        self.url = ""
        self.lies = 0.0
        self.chain_id: str | None = None
        self.counts: dict[str, int] = {}
        self._behind = behind
        self._chance = chance

    async def serve(self, request: web.Request) -> web.Response:
        """Answer a request or a batch."""
        document = await request.json()
        calls = cast("list[Any]", document if isinstance(document, list) else [document])
        calls = [self._older(call) for call in calls]
        async with (
            aiohttp.ClientSession() as session,
            session.post(self._behind, json=calls) as response,
        ):
            answers = {answer["id"]: answer for answer in await response.json()}
        body = [self._changed(call, answers[call["id"]]) for call in calls]
        return web.json_response(body if isinstance(document, list) else body[0])

    def _lies_about(self, what: str) -> bool:
        if self._chance.random() >= self.lies:
            return False
        self.counts[what] = self.counts.get(what, 0) + 1
        return True

    def _older(self, call: Any) -> Any:
        """Ask for an older block than the latest, as a node does that is behind."""
        is_head = call["method"] == "eth_getBlockByNumber" and call["params"][0] == "latest"
        if is_head and self._lies_about("head"):
            depth = self._chance.randint(1, _STALE_BLOCKS)
            tag = "safe" if depth > 1 else "finalized"
            return call | {"params": [tag, *call["params"][1:]]}
        return call

    def _changed(self, call: Any, answer: Any) -> Any:
        result = answer.get("result")
        match call["method"]:
            case "eth_chainId" if self.chain_id is not None:
                return answer | {"result": self.chain_id}
            case "eth_getTransactionReceipt" if result and self._lies_about("receipt"):
                return answer | {"result": None}
            case "eth_getLogs" if result and self._lies_about("logs"):
                return answer | {"result": [*result, *result]}
            case "eth_getTransactionCount" if self._lies_about("nonce"):
                return answer | {"result": hex(max(int(result, 16) - 1, 0))}
            case "eth_sendRawTransaction" if self._lies_about("sent"):
                return {
                    "jsonrpc": "2.0",
                    "id": call["id"],
                    "error": {"code": -32603, "message": ""},
                }
            case _:
                return answer


@asynccontextmanager
async def lying_node(behind: str, chance: random.Random) -> AsyncGenerator[LyingNode]:
    """Run such a node during this context."""
    node = LyingNode(behind, chance)
    app = web.Application()
    app.router.add_post("/", node.serve)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    node.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield node
    finally:
        await runner.cleanup()
