"""Check of a sidecar's webhooks: the suite listens, and a payout must be announced."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from uuid import UUID

import msgspec

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Upstream
from landbridge.providers.sidecar.configuration import SidecarSettings
from landbridge.providers.sidecar.protocol import RequestedOutcome, SidecarWebhook
from landbridge.providers.sidecar.signing import (
    WEBHOOK_ID_HEADER,
    SignatureInvalid,
    SignedPurpose,
    is_webhook_id,
    verify,
)
from landbridge.providers.sidecar.suite.model import CheckOutcome, ContractResult
from landbridge.providers.sidecar.suite.sidecar_adapter import SidecarUnderTest

_NAME = "a change is announced by a signed webhook, again until it is answered"
_TIMEOUT_S = 30
_BYTES_MAX = 64 * 1024


@dataclass(slots=True)
class _WebhookReceiver:
    """Refuses the first webhook of each id, and records all webhooks."""

    settings: SidecarSettings
    clock: Clock
    problem: str | None = None
    seen: dict[str, int] = field(default_factory=dict[str, int])
    keys: set[UUID] = field(default_factory=set[UUID])
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            lines = [line.partition(":") for line in head.split("\r\n")[1:]]
            headers = {name.strip().lower(): value.strip() for name, _, value in lines}
            length = min(int(headers.get("content-length", "0")), _BYTES_MAX)
            status = self._receive(headers, await reader.readexactly(length))
            writer.write(f"HTTP/1.1 {status} -\r\nContent-Length: 0\r\n\r\n".encode())
            await writer.drain()
        writer.close()

    def _receive(self, headers: dict[str, str], body: bytes) -> int:
        webhook_id = headers.get(WEBHOOK_ID_HEADER, "")
        at_s = int(self.clock.now().timestamp())
        try:
            verify(self.settings.keys, headers, SignedPurpose.WEBHOOK, webhook_id, body, at_s=at_s)
            message = msgspec.json.decode(body, type=SidecarWebhook)
        except SignatureInvalid as invalid:
            self.problem = f"a webhook is not validly signed: {invalid}"
        except (msgspec.MsgspecError, UnicodeDecodeError):
            self.problem = "a webhook is not a message of the protocol"
        else:
            if not is_webhook_id(webhook_id):
                self.problem = "the id of a webhook is not valid"
            self.seen[webhook_id] = self.seen.get(webhook_id, 0) + 1
            if self.seen[webhook_id] == 1:
                return 503
            if message.key is not None:
                self.keys.add(message.key)
        self.arrived.set()
        return 204


async def check_webhooks(
    settings: SidecarSettings, adapter: SidecarUnderTest, clock: Clock, port: int | None
) -> ContractResult:
    """Run the check on a local port to which the sidecar sends; skipped if `port` is None."""
    if port is None:
        return ContractResult(
            _NAME, CheckOutcome.SKIPPED, "no --webhook-port, to which the sidecar sends, was given"
        )
    receiver = _WebhookReceiver(settings, clock)
    async with _listening(receiver, port):
        payment = adapter.payment(1)
        try:
            await adapter.pay(payment, RequestedOutcome.SETTLE)
        except Upstream as error:
            return ContractResult(_NAME, CheckOutcome.FAILED, f"unexpected: {error}")
        with suppress(TimeoutError):
            async with asyncio.timeout(_TIMEOUT_S):
                while payment.key not in receiver.keys and receiver.problem is None:
                    await receiver.arrived.wait()
                    receiver.arrived.clear()
    if receiver.problem is None and payment.key not in receiver.keys:
        receiver.problem = f"no webhook named the payout within {_TIMEOUT_S} s"
    outcome = CheckOutcome.PASSED if receiver.problem is None else CheckOutcome.FAILED
    return ContractResult(_NAME, outcome, receiver.problem)


@asynccontextmanager
async def _listening(receiver: _WebhookReceiver, port: int) -> AsyncGenerator[None]:
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", port)
    try:
        yield
    finally:
        server.close()
