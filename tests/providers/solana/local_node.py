"""Node of a local Solana: JSON-RPC over HTTP, well or badly as a test instructs it."""

import asyncio
import base64
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

from aiohttp import web

from tests.providers.solana.local_chain import (
    Landed,
    LocalSolana,
    shown_account,
    token_balances,
)


class Refusal(Exception):
    """JSON-RPC error that the node answers."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message}


class LocalNode:
    """Answers for a local chain. `respond` replaces the whole response, `is_silent` none comes."""

    def __init__(self, chain: LocalSolana) -> None:
        self.chain = chain
        self.url = ""
        self.respond: Callable[[], web.StreamResponse] | None = None
        self.is_silent = False
        # Transactions that the node leaves out of its lists and statuses.
        self.hidden: set[str] = set()
        # Transactions that it answers in a form that can't be read.
        self.unreadable: set[str] = set()
        self.fees: list[int] = []
        # How far the node is behind another one that has answered before.
        self.lag_slots = 0
        self.methods: list[str] = []

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Answer a request: one call, or a batch."""
        body = json.loads(await request.text())
        if self.is_silent:
            await asyncio.sleep(60)
        if self.respond is not None:
            return self.respond()
        if isinstance(body, list):
            return web.json_response([self._answer(each) for each in cast("list[Any]", body)])
        return web.json_response(self._answer(body))

    def _answer(self, call: dict[str, Any]) -> dict[str, Any]:
        method, params = call["method"], call.get("params", [])
        self.methods.append(method)
        answer = {"jsonrpc": "2.0", "id": call["id"]}
        try:
            return answer | {"result": getattr(self, f"_{method}")(*params)}
        except Refusal as refusal:
            return answer | {"error": refusal.error}

    def _getGenesisHash(self) -> str:  # noqa: N802  as the method
        return self.chain.genesis

    def _getEpochInfo(self, options: dict[str, Any]) -> dict[str, int]:  # noqa: N802
        is_final = options["commitment"] == "finalized"
        chain = self.chain
        return {
            "absoluteSlot": chain.final_slot if is_final else chain.slot,
            "blockHeight": chain.final_height if is_final else chain.height,
            "epoch": 0,
            "slotIndex": 0,
            "slotsInEpoch": 432_000,
        }

    def _getFirstAvailableBlock(self) -> int:  # noqa: N802
        return self.chain.first_slot

    def _getBlock(self, slot: int, _options: dict[str, Any]) -> dict[str, str] | None:  # noqa: N802
        if slot > self.chain.final_slot:
            return None
        if slot < self.chain.first_slot:
            raise Refusal(-32001, "Block cleaned up")
        return {"blockhash": self.chain.block_hashes.get(slot, self.chain.genesis)}

    def _getLatestBlockhash(self, _options: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        blockhash = self.chain.blockhash
        height = self.chain.last_valid[blockhash]
        return self._valued({"blockhash": blockhash, "lastValidBlockHeight": height})

    def _sendTransaction(self, text: str, _options: dict[str, Any]) -> str:  # noqa: N802
        return self.chain.submit(base64.b64decode(text))

    def _simulateTransaction(self, text: str, _options: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        error, units = self.chain.simulate(base64.b64decode(text))
        return self._valued({"err": error, "logs": [], "unitsConsumed": units})

    def _getRecentPrioritizationFees(self, _accounts: list[str]) -> list[dict[str, int]]:  # noqa: N802
        return [
            {"slot": self.chain.slot - place, "prioritizationFee": fee}
            for place, fee in enumerate(self.fees)
        ]

    def _getSignatureStatuses(  # noqa: N802
        self, signatures: list[str], _options: dict[str, Any]
    ) -> dict[str, Any]:
        return self._valued([self._status(each) for each in signatures])

    def _getMultipleAccounts(  # noqa: N802
        self, addresses: list[str], options: dict[str, Any]
    ) -> dict[str, Any]:
        slot = self._slot(options)
        if options.get("minContextSlot", 0) > slot:
            raise Refusal(-32016, "Minimum context slot has not been reached")
        accounts = [self.chain.account(each, slot=slot) for each in addresses]
        shown = [shown_account(each, options.get("dataSlice")) for each in accounts]
        return self._valued(shown, slot)

    def _getAccountInfo(self, address: str, options: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        return self._valued(shown_account(self.chain.account(address), options.get("dataSlice")))

    def _getSignaturesForAddress(  # noqa: N802
        self, address: str, options: dict[str, Any]
    ) -> list[dict[str, Any]]:
        if self.lag_slots:
            raise Refusal(-32016, "Minimum context slot has not been reached")
        found = [
            each
            for each in self.chain.transactions_of(address, self._slot(options))
            if each.signature not in self.hidden
        ]
        names = [each.signature for each in found]
        if (before := options.get("before")) in names:
            found = found[names.index(before) + 1 :]
        names = [each.signature for each in found]
        if (until := options.get("until")) in names:
            found = found[: names.index(until)]
        return [
            {"signature": each.signature, "slot": each.slot, "err": each.err, "memo": None}
            for each in found[: options["limit"]]
        ]

    def _getTransaction(self, signature: str, options: dict[str, Any]) -> Any:  # noqa: N802
        found = self.chain.landed.get(signature)
        if found is None or found.slot > self._slot(options) or signature in self.hidden:
            return None
        return {} if signature in self.unreadable else _transaction(found)

    def _status(self, signature: str) -> dict[str, Any] | None:
        found = self.chain.landed.get(signature)
        if found is None or signature in self.hidden:
            return None
        is_final = found.slot <= self.chain.final_slot
        return {
            "slot": found.slot,
            "confirmations": None if is_final else 1,
            "err": found.err,
            "confirmationStatus": "finalized" if is_final else "confirmed",
        }

    def _slot(self, options: dict[str, Any]) -> int:
        is_final = options["commitment"] == "finalized"
        return self.chain.final_slot if is_final else self.chain.slot

    def _valued(self, value: Any, slot: int | None = None) -> dict[str, Any]:
        return {"context": {"slot": self.chain.slot if slot is None else slot}, "value": value}


@asynccontextmanager
async def local_node(chain: LocalSolana) -> AsyncGenerator[LocalNode]:
    """Serve a chain on a free port of this machine."""
    node = LocalNode(chain)
    app = web.Application()
    app.router.add_post("/", node.serve)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    node.url = f"http://127.0.0.1:{port}/"
    try:
        yield node
    finally:
        await runner.cleanup()


def _transaction(found: Landed) -> dict[str, Any]:
    def lamports(state: dict[str, Any]) -> list[int]:
        accounts = [state.get(each) for each in found.addresses]
        return [0 if each is None else each.lamports for each in accounts]

    before, after = lamports(found.before), lamports(found.after)
    return {
        "slot": found.slot,
        "blockTime": None,
        "version": "legacy",
        "meta": {
            "err": found.err,
            "fee": 10_000,
            "preBalances": before,
            "postBalances": after,
            "preTokenBalances": token_balances(found.addresses, found.before),
            "postTokenBalances": token_balances(found.addresses, found.after),
            "loadedAddresses": {"writable": [], "readonly": []},
        },
        "transaction": {
            "signatures": [found.signature],
            "message": {"accountKeys": found.addresses},
        },
    }
