"""`landbridge listen`: what comes after it began is forwarded, in order, signed as a delivery."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import click
import jwt
import msgspec
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from landbridge.core.clock import ReadingClock
from landbridge.stories.client import Client, NotAnswered, StoryFailed
from landbridge.stories.commands import add_stories
from landbridge.stories.event_log import EVENTS
from landbridge.stories.listening import Hearer, Listener, hearer, introduce, listening
from tests.tenants import URL, Tenant, fund, make_user

from .playing import client_of
from .receiver import Receiver, receiving

PATIENCE_S = 30
BALANCE = "WALLET.TOKEN.BALANCE.UPDATE"


@dataclass
class Play:
    """A listener that has begun, who is told, and what it has said."""

    listener: Listener
    receiver: Receiver
    to: Hearer
    said: list[str] = field(default_factory=list[str])

    async def forwarded(self, count: int) -> list[Any]:
        """All that was forwarded, once it is so much; there is no more then.

        What was committed is read once all that began before it is committed as well, also in
        other databases of the server.
        """
        async with asyncio.timeout(PATIENCE_S):
            while len(self.receiver.received) < count:
                if not await self.listener.forward_next():
                    await asyncio.sleep(0.01)
        assert await self.listener.forward_next() == 0
        return [msgspec.json.decode(each.body) for each in self.receiver.received]


@asynccontextmanager
async def begun(client: Client, patterns: str | None = None) -> AsyncGenerator[Play]:
    said: list[str] = []
    async with receiving(Receiver()) as receiver:
        to = hearer(receiver.url, URL)
        async with listening(
            client, to, patterns=patterns, clock=ReadingClock(), say=said.append
        ) as listener:
            await listener.begin()
            yield Play(listener, receiver, to, said)


async def test_it_begins_at_the_end_and_forwards_in_order(org: Tenant) -> None:
    ada = await make_user(org, funds="1")
    async with asyncio.timeout(PATIENCE_S):
        while not (await org.get(EVENTS, eventType=BALANCE))["count"]:  # noqa: ASYNC110  as below
            await asyncio.sleep(0.01)
    async with begun(client_of(org)) as play:
        assert await play.forwarded(0) == []
        for amount in ("2", "3"):
            await fund(org, ada, amount)
        events = await play.forwarded(2)
        assert [each["data"]["transaction"]["amount"] for each in events] == ["2", "3"]
        assert [line.split()[1:3] for line in play.said] == [["200", BALANCE]] * 2


async def test_only_events_of_the_types_asked_for_are_forwarded(org: Tenant) -> None:
    async with begun(client_of(org), "USER.*,KYC.*") as play:
        ada = await make_user(org, funds="1")
        await org.post(f"/v2/users/{ada}", {"email": "new@example.com"})
        assert [each["eventType"] for each in await play.forwarded(2)] == [
            "USER.CREATE",
            "USER.UPDATE",
        ]


async def test_what_is_forwarded_is_signed_as_a_delivery(org: Tenant, tmp_path: Path) -> None:
    said: list[str] = []
    async with begun(client_of(org)) as play:
        introduce(play.to, tmp_path / "key.pem", said.append)
        await make_user(org, funds="1")
        events = await play.forwarded(3)
        assert len(events) == 3
        pem = (tmp_path / "key.pem").read_text()
        assert pem.strip() in said
        assert str(play.to.signer.endpoint_id) in said[0]
        for event, came in zip(events, play.receiver.received, strict=True):
            claims = jwt.decode(
                came.headers["Authorization"].removeprefix("Bearer "),
                pem,
                algorithms=["RS256"],
                audience=str(play.to.signer.endpoint_id),
                issuer=URL,
            )
            assert claims["eventId"] == event["eventId"] == came.headers["Landbridge-Event-Id"]
            assert claims["bodySha256"] == sha256(came.body).hexdigest()
            assert came.headers["Landbridge-Event-Type"] == event["eventType"]
            assert came.headers["Content-Type"] == "application/json"


async def test_an_address_has_one_audience_and_each_start_a_new_key() -> None:
    one, again = (hearer("http://127.0.0.1:1/webhooks", URL) for _ in range(2))
    assert one.signer.endpoint_id == again.signer.endpoint_id
    assert one.public_pem != again.public_pem
    assert isinstance(one.signer.key.public_key(), RSAPublicKey)


@pytest.mark.parametrize("url", ["127.0.0.1:1", "ftp://127.0.0.1/", "http://", "http://[", "x"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(StoryFailed, match="no address"):
        hearer(url, URL)


@pytest.mark.parametrize("url", ["http://me:hush@127.0.0.1:1/", "ftp://me:hush@127.0.0.1/"])
def test_a_name_and_password_in_the_address_are_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(StoryFailed, match="name and password") as refused:
        hearer(url, URL)
    assert "hush" not in str(refused.value)


def test_a_file_that_cannot_be_written_is_said_in_a_sentence(tmp_path: Path) -> None:
    to = hearer("http://127.0.0.1:1/webhooks", URL)
    with pytest.raises(StoryFailed, match=r"x\.pem can't be written: No such file or directory"):
        introduce(to, tmp_path / "missing" / "x.pem", print)


def test_the_command_introduces_itself_once_the_server_has_taken_its_key(tmp_path: Path) -> None:
    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(401)
            self.end_headers()
            self.wfile.write(b'{"errorDetails": "there is no such key"}')

        def log_message(self, *_: object) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    said: list[str] = []
    group = click.Group()
    add_stories(group, said.append)
    told = ["listen", "--forward-to", "http://127.0.0.1:1/webhooks"]
    told += ["--api-url", f"http://127.0.0.1:{server.server_address[1]}"]
    told += ["--public-key-out", str(tmp_path / "key.pem")]
    done = CliRunner().invoke(group, told, env={"LANDBRIDGE_API_KEY": "wrong"})
    server.shutdown()
    server.server_close()
    assert isinstance(done.exception, StoryFailed)
    assert str(done.exception).endswith("was answered with 401: there is no such key")
    assert said == []
    assert not (tmp_path / "key.pem").exists()


async def test_what_the_receiver_answers_is_said_and_final(org: Tenant) -> None:
    async with begun(client_of(org), BALANCE) as play:
        play.receiver.statuses = [500, 302, 401]
        ada = await make_user(org, funds="1")
        for _ in range(3):
            await fund(org, ada, "1")
        assert len(await play.forwarded(4)) == 4
        assert [line.split()[1] for line in play.said] == ["500", "302", "401", "200"]


async def test_it_waits_for_the_receiver(org: Tenant) -> None:
    receiver = Receiver()
    async with receiving(receiver):
        pass
    said: list[str] = []
    to = hearer(receiver.url, URL)
    async with listening(
        client_of(org), to, patterns=BALANCE, clock=ReadingClock(), say=said.append
    ) as listener:
        await listener.begin()
        await make_user(org, funds="1")
        forwarding = asyncio.create_task(_forward_something(listener))
        async with asyncio.timeout(PATIENCE_S):
            while not "".join(said[-1:]).startswith("Nobody answers at"):  # noqa: ASYNC110  nobody tells us
                await asyncio.sleep(0.01)
        async with receiving(receiver):
            assert await forwarding == 1
            assert len(receiver.received) == 1


async def test_nothing_is_lost_while_the_server_is_away(org: Tenant) -> None:
    there = client_of(org)
    is_away = True

    async def send(
        method: str, path: str, *, content: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        if is_away:
            raise NotAnswered("the server does not answer")
        return await there.send(method, path, content=content, headers=headers)

    async def come_back() -> None:
        nonlocal is_away
        await asyncio.sleep(0.1)
        is_away = False

    coming = asyncio.create_task(come_back())
    async with begun(Client(send), BALANCE) as play:
        await coming
        assert play.said == ["the server does not answer"]
        is_away = True
        ada = await make_user(org, funds="1")
        assert await play.listener.forward_next() == 0
        is_away = False
        await fund(org, ada, "2")
        assert len(await play.forwarded(2)) == 2
        assert "The server answers again." in play.said


async def test_a_refusal_of_the_server_ends_it(org: Tenant) -> None:
    async with begun(client_of(org)) as play:
        play.listener.reading.patterns = "ONRAMP.CREATE"
        with pytest.raises(StoryFailed, match=r"ONRAMP\.TRANSACTION\.CREATE"):
            await play.listener.forward_next()


async def _forward_something(listener: Listener) -> int:
    while not (count := await listener.forward_next()):  # noqa: ASYNC110  as above
        await asyncio.sleep(0.01)
    return count
