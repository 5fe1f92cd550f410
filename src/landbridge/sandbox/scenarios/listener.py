"""`landbridge listen`: forwards events of the log to an address as webhooks would deliver them.

Guarantees:
- Events are forwarded in the order of the log, starting at its end when the listener starts.
- No event is skipped while the server or the receiver can't be reached.
- The receiver's response is printed and is final: there are no retries.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit
from uuid import NAMESPACE_URL, UUID

import aiohttp

from landbridge import __version__
from landbridge.developers.webhooks.keys import KeyPair, new_pair, pair_of, private_key
from landbridge.developers.webhooks.model import ATTEMPT_TIMEOUT_S
from landbridge.developers.webhooks.signing import Signer
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import derived_id, new_id
from landbridge.sandbox.scenarios.client import (
    ScenarioClient,
    ScenarioFailed,
    ServerUnavailable,
    shown,
)
from landbridge.sandbox.scenarios.event_log import EventHeader, EventLogCursor, heading
from landbridge.sandbox.scenarios.private_files import create_private

_PAUSE_S = 0.5
# Pause while the server or the receiver can't be reached.
_AGAIN_S = 1.0
# The API does not say which organisation a key belongs to.
_NO_ORG = UUID(int=0)

PrintLine = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ForwardTarget:
    """Receiver of forwarded events: its address and the signer of its deliveries."""

    url: str
    signer: Signer
    public_pem: str


def forward_target(url: str, api_url: str, key_file: Path | None = None) -> ForwardTarget:
    """Create a receiver with a new key, or that of a file; its id depends on the address only."""
    _check_address(url)
    pair = new_pair() if key_file is None else _kept_pair(key_file)
    signer = Signer(
        issuer=api_url,
        org_id=_NO_ORG,
        endpoint_id=derived_id(NAMESPACE_URL, url),
        key_id=new_id(),
        key=private_key(pair.private),
    )
    return ForwardTarget(url, signer, pair.public_pem)


def _kept_pair(file: Path) -> KeyPair:
    """Return the key of a file, which is created with a new key if it is missing."""
    try:
        if not file.exists():
            pair = new_pair()
            create_private(file, pair.private)
            return pair
        return pair_of(file.read_bytes())
    except OSError as error:
        raise ScenarioFailed(f"{file} can't be used: {error.strerror}") from error
    except ValueError:
        raise ScenarioFailed(f"{file} has no key that `listen` has made") from None


def _check_address(url: str) -> None:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ScenarioFailed("what to forward to is no address") from None
    if "@" in parts.netloc:
        # The secret is not repeated: it would remain in the terminal and in logs.
        raise ScenarioFailed(
            "what to forward to has a name and password in it; leave them out, and have the "
            "receiver verify the signature"
        )
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ScenarioFailed(f"{url} is no address; it begins with http:// or https://")


def introduce(to: ForwardTarget, public_key_out: Path | None, print_line: PrintLine) -> None:
    """Print the key that the receiver verifies with, and write it to a file if one is given."""
    print_line(
        f"Forwarding to {to.url}, signed for the endpoint {to.signer.endpoint_id} with this key:"
    )
    print_line("")
    print_line(to.public_pem.rstrip())
    print_line("")
    if public_key_out is not None:
        try:
            public_key_out.write_text(to.public_pem, encoding="ascii")
        except OSError as error:
            raise ScenarioFailed(f"{public_key_out} can't be written: {error.strerror}") from error
        print_line(f"The key is in {public_key_out}.")
    print_line("Listening; Ctrl-C ends it.")


@dataclass(slots=True)
class EventListener:
    """Reads the log and forwards its events; one for a run of the command."""

    reading: EventLogCursor
    to: ForwardTarget
    session: aiohttp.ClientSession
    clock: Clock
    print_line: PrintLine
    # The side that can't be reached now; reported once.
    _missing: str | None = field(default=None, init=False)

    async def begin(self) -> None:
        """Move to the end of the log."""
        while True:
            try:
                await self.reading.go_to_end()
            except ServerUnavailable as error:
                await self._wait_for(str(error))
            else:
                self._missing = None
                return

    async def run(self) -> None:
        """Forward events until cancelled."""
        while True:
            if not await self.forward_next():
                await asyncio.sleep(_PAUSE_S)

    async def forward_next(self) -> int:
        """Forward the new events; return how many there were."""
        try:
            found = await self.reading.next()
        except ServerUnavailable as error:
            await self._wait_for(str(error))
            return 0
        self._found("The server answers again.")
        for event in found:
            await self._forward(event)
        return len(found)

    async def _forward(self, event: bytes) -> None:
        header = heading(event)
        while True:
            now = self.clock.now()
            try:
                response = await self._post(event, header, now)
            except (aiohttp.ClientConnectorError, ConnectionRefusedError):
                await self._wait_for(f"Nobody answers at {self.to.url}; trying again.")
                continue
            except (aiohttp.ClientError, OSError, TimeoutError) as error:
                response = f"no answer ({type(error).__name__})"
            self._missing = None
            at = now.astimezone().strftime("%H:%M:%S")
            named = f"{header.event_type}  {header.object_id}  {header.event_id}"
            self.print_line(shown(f"{at}  {response}  {named}"))
            return

    async def _post(self, event: bytes, header: EventHeader, now: datetime) -> str:
        proof = await asyncio.to_thread(
            lambda: self.to.signer.headers(event_id=header.event_id, body=event, at=now)
        )
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"Landbridge/{__version__}",
            "Landbridge-Event-Id": header.event_id,
            "Landbridge-Event-Type": header.event_type,
            "Landbridge-Attempt": "1",
            **proof,
        }
        async with self.session.post(
            self.to.url, data=event, headers=headers, allow_redirects=False
        ) as response:
            return str(response.status)

    async def _wait_for(self, sentence: str) -> None:
        if sentence != self._missing:
            self.print_line(sentence)
        self._missing = sentence
        await asyncio.sleep(_AGAIN_S)

    def _found(self, sentence: str) -> None:
        if self._missing is not None:
            self.print_line(sentence)
        self._missing = None


@asynccontextmanager
async def listening(
    client: ScenarioClient,
    to: ForwardTarget,
    *,
    patterns: str | None,
    clock: Clock,
    print_line: PrintLine,
) -> AsyncGenerator[EventListener]:
    """Create a listener that has not started yet."""
    timeout = aiohttp.ClientTimeout(total=ATTEMPT_TIMEOUT_S)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        yield EventListener(EventLogCursor(client, patterns), to, session, clock, print_line)
