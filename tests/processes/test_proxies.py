"""Who a client is behind a proxy, with a real server on a real socket."""

import asyncio
import http.client
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from typing import Any

import msgspec
import pytest

from landbridge.processes import Server, configured, listen
from landbridge.settings import Settings, SettingsInvalid, read

from .play import free_port

CLAIMED = "198.51.100.7"


async def tell_client(scope: Any, receive: Any, send: Any) -> None:
    """An application that answers who its client is, and how they came."""
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    told = f"{scope['client'][0]} {scope['scheme']}".encode()
    headers = [(b"content-length", str(len(told)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": told})


@asynccontextmanager
async def serving(trusted_proxies: str | None) -> AsyncGenerator[int]:
    """The port of a server with this setting."""
    settings = msgspec.structs.replace(
        Settings(), port=free_port(), trusted_proxies=trusted_proxies
    )
    server, sock = Server(configured(tell_client, settings)), listen(settings)
    running = asyncio.create_task(server.serve(sockets=[sock]))
    yield settings.port
    server.leave()
    await running


def ask(port: int, headers: dict[str, str]) -> str:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request("GET", "/", headers=headers)
        return connection.getresponse().read().decode()


@pytest.mark.parametrize(
    ("trusted", "forwarded", "expected"),
    [
        (None, CLAIMED, "127.0.0.1 http"),
        ("", CLAIMED, "127.0.0.1 http"),
        ("10.0.0.0/8", CLAIMED, "127.0.0.1 http"),
        ("127.0.0.1", CLAIMED, f"{CLAIMED} https"),
        ("10.0.0.1, 127.0.0.0/8", CLAIMED, f"{CLAIMED} https"),
        # What the client claimed itself stands before what the proxy saw.
        ("127.0.0.1", f"203.0.113.1, {CLAIMED}", f"{CLAIMED} https"),
        ("127.0.0.1,10.0.0.0/8", f"203.0.113.1, {CLAIMED}, 10.1.2.3", f"{CLAIMED} https"),
    ],
)
async def test_a_forwarded_address_counts_from_a_trusted_proxy_alone(
    trusted: str | None, forwarded: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    headers = {"X-Forwarded-For": forwarded, "X-Forwarded-Proto": "https"}
    async with serving(trusted) as port:
        assert await asyncio.to_thread(ask, port, headers) == expected


@pytest.mark.parametrize("value", ["*", "proxy.internal", "10.0.0.1/8", "0.0.0.0/0", "::/0"])
def test_a_setting_that_names_no_proxy_is_refused(value: str) -> None:
    with pytest.raises(SettingsInvalid, match="LANDBRIDGE_TRUSTED_PROXIES must"):
        read({"LANDBRIDGE_TRUSTED_PROXIES": value})
