"""Client of the attestation service: what it reads, and what is no usable answer."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from aiohttp import web

from landbridge.platform.core.clock import FrozenClock
from landbridge.providers.evm.bridge_configuration import BridgeContracts
from landbridge.providers.evm.bridging.attestations import (
    AttestationClient,
    AttestationsUnavailable,
)
from landbridge.providers.evm.node_url import NodeUrl
from tests.providers.evm.bridging.message_bytes import encode_message
from tests.providers.evm.bridging.test_messages import BURN, address

HASH = "0x" + "ab" * 32
RAW = encode_message(BURN)
COMPLETE = {"message": f"0x{RAW.hex()}", "attestation": "0x0102", "status": "complete"}
PENDING = {"message": "0x", "attestation": "PENDING", "status": "pending_confirmations"}


@dataclass
class FakeService:
    """Service with an answer that a test sets."""

    status: int = 200
    text: str | None = None
    messages: Any = field(default_factory=list[Any])
    hangs: bool = False
    closes: asyncio.Event = field(default_factory=asyncio.Event)
    paths: list[str] = field(default_factory=list[str])

    async def serve(self, request: web.Request) -> web.StreamResponse:
        self.paths.append(request.path_qs)
        if self.hangs:
            await self.closes.wait()
        if self.text is not None:
            return web.Response(status=self.status, text=self.text)
        return web.json_response({"messages": self.messages}, status=self.status)


@asynccontextmanager
async def served(
    service: FakeService,
    clock: FrozenClock | None = None,
    *,
    answers_within: timedelta = timedelta(seconds=3),
) -> AsyncGenerator[AttestationClient]:
    """Run a service, and yield a client of it."""
    app = web.Application()
    app.router.add_get("/{path:.*}", service.serve)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    bridge = BridgeContracts(
        domain=7,
        token_messenger=address(1),
        message_transmitter=address(2),
        attestation_url=NodeUrl.parse(f"http://127.0.0.1:{runner.addresses[0][1]}"),
    )
    clock = clock or FrozenClock(datetime(2026, 1, 1, tzinfo=UTC))
    client = AttestationClient(bridge, clock, timeout=answers_within)
    try:
        yield client
    finally:
        service.closes.set()
        await client.close()
        await runner.cleanup()


async def test_attested_burns_are_read_and_others_left_out() -> None:
    service = FakeService(
        messages=[
            PENDING,
            COMPLETE,
            "text",
            COMPLETE | {"message": "0x12"},
            COMPLETE | {"attestation": "PENDING"},
            COMPLETE | {"message": None},
        ]
    )
    async with served(service) as client:
        (found,) = await client.messages(HASH)
    assert (found.message, found.raw, found.attestation) == (BURN, RAW, b"\1\2")
    assert service.paths == [f"/v2/messages/7?transactionHash={HASH}"]


async def test_a_burn_after_very_many_of_others_is_read() -> None:
    # Anybody may submit our signed burn in one transaction with hundreds of their own.
    other = encode_message(msgspec.structs.replace(BURN, owner=address(9)))
    others = COMPLETE | {"message": f"0x{other.hex()}", "attestation": f"0x{'ab' * 1_500}"}
    service = FakeService(messages=[*[others] * 600, COMPLETE])
    async with served(service) as client:
        assert (await client.messages(HASH))[-1].message == BURN


async def test_a_transaction_that_is_not_known_has_no_messages() -> None:
    async with served(FakeService(status=404, text="not found")) as client:
        assert not await client.messages(HASH)


@pytest.mark.parametrize(
    ("service", "problem"),
    [
        (FakeService(status=500), "answered HTTP status 500"),
        (FakeService(status=429), "answered HTTP status 429"),
        (FakeService(status=302, text=""), "answered HTTP status 302"),
        (FakeService(text="<html>"), "answered something other than JSON"),
        (FakeService(text="[]"), "answered something other than JSON"),
        (FakeService(text="{}"), "answered no list of messages"),
        (FakeService(messages={}), "answered no list of messages"),
        (FakeService(text=" " * (16 * 1024 * 1024 + 1)), "answered more than 16777216 bytes"),
    ],
)
async def test_an_unusable_answer_has_a_sentence(service: FakeService, problem: str) -> None:
    async with served(service) as client:
        with pytest.raises(AttestationsUnavailable, match=f"^the attestation service .* {problem}"):
            await client.messages(HASH)


async def test_a_service_that_hangs_is_left_alone_for_a_while() -> None:
    service, clock = FakeService(hangs=True), FrozenClock(datetime(2026, 1, 1, tzinfo=UTC))
    async with served(service, clock, answers_within=timedelta(milliseconds=200)) as client:
        for _ in range(3):
            with pytest.raises(AttestationsUnavailable, match="did not answer in time"):
                await client.messages(HASH)
        assert len(service.paths) == 1
        service.hangs, service.messages = False, [COMPLETE]
        clock.at += timedelta(seconds=16)
        assert len(await client.messages(HASH)) == 1


async def test_a_service_that_does_not_run_has_a_sentence() -> None:
    async with served(FakeService()) as client:
        pass
    with pytest.raises(AttestationsUnavailable, match="can't be read"):
        await client.messages(HASH)
    await client.close()
