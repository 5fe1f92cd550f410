"""`landbridge listen`: events of the pull log, forwarded to an address as they would be delivered.

Guarantees: events come in the order of the log, from where it ended when listening began; while
the server or the receiver can't be reached nothing is passed over. What the receiver answers is
printed, and is final: nobody tries again.
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
from landbridge.core.clock import Clock
from landbridge.core.ids import derived_id, new_id
from landbridge.stories.client import Client, NotAnswered, StoryFailed
from landbridge.stories.event_log import Heading, Reading, heading
from landbridge.webhooks.keys import new_pair, private_key
from landbridge.webhooks.model import ATTEMPT_TIMEOUT_S
from landbridge.webhooks.signing import Signer

_PAUSE_S = 0.5
# Of the server, and of the receiver, while they can't be reached.
_AGAIN_S = 1.0
# A key does not say whose it is.
_NO_ORG = UUID(int=0)

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Hearer:
    """Who is told: an address, and what its deliveries are signed with."""

    url: str
    signer: Signer
    public_pem: str


def hearer(url: str, api_url: str) -> Hearer:
    """A receiver with a new key; its id is the same for the same address."""
    _check_address(url)
    pair = new_pair()
    signer = Signer(
        issuer=api_url,
        org_id=_NO_ORG,
        endpoint_id=derived_id(NAMESPACE_URL, url),
        key_id=new_id(),
        key=private_key(pair.private),
    )
    return Hearer(url, signer, pair.public_pem)


def _check_address(url: str) -> None:
    try:
        told = urlsplit(url)
    except ValueError:
        raise StoryFailed("what to forward to is no address") from None
    if "@" in told.netloc:
        # Not repeated: it would stand in the terminal, and in the log of whatever runs this.
        raise StoryFailed(
            "what to forward to has a name and password in it; leave them out, and have the "
            "receiver verify the signature"
        )
    if told.scheme not in {"http", "https"} or not told.hostname:
        raise StoryFailed(f"{url} is no address; it begins with http:// or https://")


def introduce(to: Hearer, public_key_out: Path | None, say: Say) -> None:
    """Say what the receiver verifies with; into a file too, if one is told."""
    say(f"Forwarding to {to.url}, signed for the endpoint {to.signer.endpoint_id} with this key:")
    say("")
    say(to.public_pem.rstrip())
    say("")
    if public_key_out is not None:
        try:
            public_key_out.write_text(to.public_pem, encoding="ascii")
        except OSError as error:
            raise StoryFailed(f"{public_key_out} can't be written: {error.strerror}") from error
        say(f"The key is in {public_key_out}.")
    say("Listening; Ctrl-C ends it.")


@dataclass(slots=True)
class Listener:
    """Reads the log and forwards; one for a run of the command."""

    reading: Reading
    to: Hearer
    session: aiohttp.ClientSession
    clock: Clock
    say: Say
    # What can't be reached now; said once.
    _missing: str | None = field(default=None, init=False)

    async def begin(self) -> None:
        """Go to the end of the log."""
        while True:
            try:
                await self.reading.go_to_end()
            except NotAnswered as error:
                await self._wait_for(str(error))
            else:
                self._missing = None
                return

    async def run(self) -> None:
        """Forward without end."""
        while True:
            if not await self.forward_next():
                await asyncio.sleep(_PAUSE_S)

    async def forward_next(self) -> int:
        """Forward what is new; how many events that were."""
        try:
            found = await self.reading.next()
        except NotAnswered as error:
            await self._wait_for(str(error))
            return 0
        self._found("The server answers again.")
        for event in found:
            await self._forward(event)
        return len(found)

    async def _forward(self, event: bytes) -> None:
        told = heading(event)
        while True:
            now = self.clock.now()
            try:
                answer = await self._post(event, told, now)
            except (aiohttp.ClientConnectorError, ConnectionRefusedError):
                await self._wait_for(f"Nobody answers at {self.to.url}; trying again.")
                continue
            except (aiohttp.ClientError, OSError, TimeoutError) as error:
                answer = f"no answer ({type(error).__name__})"
            self._missing = None
            at = now.astimezone().strftime("%H:%M:%S")
            self.say(f"{at}  {answer}  {told.event_type}  {told.object_id}  {told.event_id}")
            return

    async def _post(self, event: bytes, told: Heading, now: datetime) -> str:
        proof = await asyncio.to_thread(
            lambda: self.to.signer.headers(event_id=told.event_id, body=event, at=now)
        )
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"Landbridge/{__version__}",
            "Landbridge-Event-Id": told.event_id,
            "Landbridge-Event-Type": told.event_type,
            "Landbridge-Attempt": "1",
            **proof,
        }
        async with self.session.post(
            self.to.url, data=event, headers=headers, allow_redirects=False
        ) as answer:
            return str(answer.status)

    async def _wait_for(self, sentence: str) -> None:
        if sentence != self._missing:
            self.say(sentence)
        self._missing = sentence
        await asyncio.sleep(_AGAIN_S)

    def _found(self, sentence: str) -> None:
        if self._missing is not None:
            self.say(sentence)
        self._missing = None


@asynccontextmanager
async def listening(
    client: Client, to: Hearer, *, patterns: str | None, clock: Clock, say: Say
) -> AsyncGenerator[Listener]:
    """A listener that has not begun yet."""
    timeout = aiohttp.ClientTimeout(total=ATTEMPT_TIMEOUT_S)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        yield Listener(Reading(client, patterns), to, session, clock, say)
