"""`landbridge listen`: new events are forwarded in order, signed like deliveries."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
import msgspec
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from landbridge.platform.core.clock import ReadingClock
from landbridge.sandbox.scenarios.client import ScenarioClient, ScenarioFailed, ServerUnavailable
from landbridge.sandbox.scenarios.commands import listen
from landbridge.sandbox.scenarios.event_log import EVENTS
from landbridge.sandbox.scenarios.listener import (
    EventListener,
    ForwardTarget,
    forward_target,
    introduce,
    listening,
)
from tests.sandbox.scenarios.in_process_client import client_of
from tests.sandbox.scenarios.receiver import Receiver, receiving
from tests.tenants import URL, Tenant, fund, make_user

PATIENCE_S = 30
BALANCE = "WALLET.TOKEN.BALANCE.UPDATE"


@dataclass
class ListenerScenario:
    """Running listener, its forward target, and its printed output."""

    listener: EventListener
    receiver: Receiver
    to: ForwardTarget
    said: list[str] = field(default_factory=list[str])

    async def forwarded(self, count: int) -> list[Any]:
        """Wait for this many forwarded events; return them. No more follow.

        A commit is read once all earlier transactions have ended, also in other databases of the
        server.
        """
        async with asyncio.timeout(PATIENCE_S):
            while len(self.receiver.received) < count:
                if not await self.listener.forward_next():
                    await asyncio.sleep(0.01)
        assert await self.listener.forward_next() == 0
        return [msgspec.json.decode(each.body) for each in self.receiver.received]


@asynccontextmanager
async def begun(
    client: ScenarioClient, patterns: str | None = None
) -> AsyncGenerator[ListenerScenario]:
    messages: list[str] = []
    async with receiving(Receiver()) as receiver:
        to = forward_target(receiver.url, URL)
        async with listening(
            client, to, patterns=patterns, clock=ReadingClock(), print_line=messages.append
        ) as listener:
            await listener.begin()
            yield ListenerScenario(listener, receiver, to, messages)


async def test_it_begins_at_the_end_and_forwards_in_order(org: Tenant) -> None:
    ada = await make_user(org, funds="1")
    async with asyncio.timeout(PATIENCE_S):
        while not (await org.get(EVENTS, eventType=BALANCE))["count"]:  # noqa: ASYNC110  as below
            await asyncio.sleep(0.01)
    async with begun(client_of(org)) as scenario:
        assert await scenario.forwarded(0) == []
        for amount in ("2", "3"):
            await fund(org, ada, amount)
        events = await scenario.forwarded(2)
        assert [each["data"]["transaction"]["amount"] for each in events] == ["2", "3"]
        assert [line.split()[1:3] for line in scenario.said] == [["200", BALANCE]] * 2


async def test_only_events_of_the_requested_types_are_forwarded(org: Tenant) -> None:
    async with begun(client_of(org), "USER.*,KYC.*") as scenario:
        ada = await make_user(org, funds="1")
        await org.post(f"/v2/users/{ada}", {"email": "new@example.com"})
        assert [each["eventType"] for each in await scenario.forwarded(2)] == [
            "USER.CREATE",
            "USER.UPDATE",
        ]


async def test_forwarded_events_are_signed_like_deliveries(org: Tenant, tmp_path: Path) -> None:
    messages: list[str] = []
    async with begun(client_of(org)) as scenario:
        introduce(scenario.to, tmp_path / "key.pem", messages.append)
        await make_user(org, funds="1")
        events = await scenario.forwarded(3)
        assert len(events) == 3
        pem = (tmp_path / "key.pem").read_text()
        assert pem.strip() in messages
        assert str(scenario.to.signer.endpoint_id) in messages[0]
        for event, arrival in zip(events, scenario.receiver.received, strict=True):
            claims = jwt.decode(
                arrival.headers["Authorization"].removeprefix("Bearer "),
                pem,
                algorithms=["RS256"],
                audience=str(scenario.to.signer.endpoint_id),
                issuer=URL,
            )
            assert claims["eventId"] == event["eventId"] == arrival.headers["Landbridge-Event-Id"]
            assert claims["bodySha256"] == sha256(arrival.body).hexdigest()
            assert arrival.headers["Landbridge-Event-Type"] == event["eventType"]
            assert arrival.headers["Content-Type"] == "application/json"


async def test_an_address_has_one_audience_and_each_start_a_new_key() -> None:
    one, again = (forward_target("http://127.0.0.1:1/webhooks", URL) for _ in range(2))
    assert one.signer.endpoint_id == again.signer.endpoint_id
    assert one.public_pem != again.public_pem
    assert isinstance(one.signer.key.public_key(), RSAPublicKey)


@pytest.mark.parametrize("url", ["127.0.0.1:1", "ftp://127.0.0.1/", "http://", "http://[", "x"])
def test_an_invalid_address_is_refused(url: str) -> None:
    with pytest.raises(ScenarioFailed, match="no address"):
        forward_target(url, URL)


@pytest.mark.parametrize("url", ["http://me:hush@127.0.0.1:1/", "ftp://me:hush@127.0.0.1/"])
def test_a_name_and_password_in_the_address_are_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ScenarioFailed, match="name and password") as refused:
        forward_target(url, URL)
    assert "hush" not in str(refused.value)


def test_an_unwritable_file_is_reported_in_a_sentence(tmp_path: Path) -> None:
    to = forward_target("http://127.0.0.1:1/webhooks", URL)
    with pytest.raises(ScenarioFailed, match=r"x\.pem can't be written: No such file or directory"):
        introduce(to, tmp_path / "missing" / "x.pem", print)


def test_the_command_prints_its_introduction_after_authentication(tmp_path: Path) -> None:
    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(401)
            self.end_headers()
            self.wfile.write(b'{"errorDetails": "there is no such key"}')

        def log_message(self, *_: object) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    arguments = ["--forward-to", "http://127.0.0.1:1/webhooks"]
    arguments += ["--api-url", f"http://127.0.0.1:{server.server_address[1]}"]
    arguments += ["--public-key-out", str(tmp_path / "key.pem")]
    done = CliRunner().invoke(listen, arguments, env={"LANDBRIDGE_API_KEY": "wrong"})
    server.shutdown()
    server.server_close()
    assert isinstance(done.exception, ScenarioFailed)
    assert str(done.exception).endswith("was answered with 401: there is no such key")
    assert done.output == ""
    assert not (tmp_path / "key.pem").exists()


async def test_the_receivers_response_is_reported_and_final(org: Tenant) -> None:
    async with begun(client_of(org), BALANCE) as scenario:
        scenario.receiver.statuses = [500, 302, 401]
        ada = await make_user(org, funds="1")
        for _ in range(3):
            await fund(org, ada, "1")
        assert len(await scenario.forwarded(4)) == 4
        assert [line.split()[1] for line in scenario.said] == ["500", "302", "401", "200"]


async def test_it_waits_for_the_receiver(org: Tenant) -> None:
    receiver = Receiver()
    async with receiving(receiver):
        pass
    messages: list[str] = []
    to = forward_target(receiver.url, URL)
    async with listening(
        client_of(org), to, patterns=BALANCE, clock=ReadingClock(), print_line=messages.append
    ) as listener:
        await listener.begin()
        await make_user(org, funds="1")
        forwarding = asyncio.create_task(_forward_something(listener))
        async with asyncio.timeout(PATIENCE_S):
            while not "".join(messages[-1:]).startswith("Nobody answers at"):  # noqa: ASYNC110  nobody tells us
                await asyncio.sleep(0.01)
        async with receiving(receiver):
            assert await forwarding == 1
            assert len(receiver.received) == 1


@pytest.mark.long
async def test_nothing_is_lost_while_the_server_is_away(org: Tenant) -> None:
    there = client_of(org)
    is_away = True

    async def send(
        method: str, path: str, *, content: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        if is_away:
            raise ServerUnavailable("the server does not answer")
        return await there.send(method, path, content=content, headers=headers)

    async def come_back() -> None:
        nonlocal is_away
        await asyncio.sleep(0.1)
        is_away = False

    coming = asyncio.create_task(come_back())
    async with begun(ScenarioClient(send), BALANCE) as scenario:
        await coming
        assert scenario.said == ["the server does not answer"]
        is_away = True
        ada = await make_user(org, funds="1")
        assert await scenario.listener.forward_next() == 0
        is_away = False
        await fund(org, ada, "2")
        assert len(await scenario.forwarded(2)) == 2
        assert "The server answers again." in scenario.said


async def test_a_refusal_of_the_server_ends_it(org: Tenant) -> None:
    async with begun(client_of(org)) as scenario:
        scenario.listener.reading.patterns = "ONRAMP.CREATE"
        with pytest.raises(ScenarioFailed, match=r"ONRAMP\.TRANSACTION\.CREATE"):
            await scenario.listener.forward_next()


async def _forward_something(listener: EventListener) -> int:
    while not (count := await listener.forward_next()):  # noqa: ASYNC110  as above
        await asyncio.sleep(0.01)
    return count
