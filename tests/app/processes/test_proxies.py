"""Client addresses behind a proxy, with a real server on a real socket."""

import asyncio
import http.client
import re
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from typing import Any

import msgspec
import pytest

from landbridge.app.processes import ApiServer, configured, listen
from landbridge.app.settings import Settings, SettingsInvalid, read
from tests.app.processes.server_process import free_port

CLAIMED = "198.51.100.7"


async def report_client(scope: Any, receive: Any, send: Any) -> None:
    """Application that returns the client's address and scheme."""
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    content = f"{scope['client'][0]} {scope['scheme']}".encode()
    headers = [(b"content-length", str(len(content)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": content})


@asynccontextmanager
async def serving(trusted_proxies: str | None = None, **more: str) -> AsyncGenerator[int]:
    """Run a server with these settings; yield its port."""
    settings = msgspec.structs.replace(
        Settings(), port=free_port(), trusted_proxies=trusted_proxies, **more
    )
    server, sock = ApiServer(configured(report_client, settings)), listen(settings)
    running = asyncio.create_task(server.serve(sockets=[sock]))
    yield settings.port
    server.leave()
    await running


def send_request(port: int, headers: dict[str, str]) -> str:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request("GET", "/", headers=headers)
        return connection.getresponse().read().decode()


def requests_with(port: int, headers: bytes) -> bytes:
    """Send a request with exactly these headers; return the response."""
    return exchange(port, b"GET / HTTP/1.1\r\nConnection: close\r\n" + headers)


def exchange(port: int, head: bytes) -> bytes:
    """Send these headers; return what comes back until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(head + b"\r\n")
        return b"".join(iter(lambda: connection.recv(4096), b""))


@pytest.mark.parametrize(
    ("trusted", "forwarded", "expected"),
    [
        (None, CLAIMED, "127.0.0.1 http"),
        ("", CLAIMED, "127.0.0.1 http"),
        ("10.0.0.0/8", CLAIMED, "127.0.0.1 http"),
        ("127.0.0.1", CLAIMED, f"{CLAIMED} https"),
        ("10.0.0.1, 127.0.0.0/8", CLAIMED, f"{CLAIMED} https"),
        # The client's own claim precedes the address that the proxy added.
        ("127.0.0.1", f"203.0.113.1, {CLAIMED}", f"{CLAIMED} https"),
        ("127.0.0.1,10.0.0.0/8", f"203.0.113.1, {CLAIMED}, 10.1.2.3", f"{CLAIMED} https"),
    ],
)
async def test_only_a_trusted_proxy_sets_the_forwarded_address(
    trusted: str | None, forwarded: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    headers = {"X-Forwarded-For": forwarded, "X-Forwarded-Proto": "https"}
    async with serving(trusted) as port:
        assert await asyncio.to_thread(send_request, port, headers) == expected


@pytest.mark.parametrize(
    ("public_url", "expected"),
    [("https://pay.example.com", "max-age=31536000"), ("http://localhost:8080", None)],
)
async def test_browsers_keep_to_https_where_the_public_url_has_it(
    public_url: str, expected: str | None
) -> None:
    async with serving(public_url=public_url) as port:
        answer = await asyncio.to_thread(requests_with, port, b"Host: x\r\n")
    found = re.search(rb"strict-transport-security: (.+)\r\n", answer)
    assert (found and found[1].decode()) == expected


@pytest.mark.parametrize("name", ["Host", "HOST", "Authorization"])
async def test_a_repeated_header_that_names_host_or_key_is_refused(name: str) -> None:
    once = "Host: x\r\nAuthorization: Bearer x\r\nAccept: a\r\nAccept: b\r\n"
    async with serving() as port:
        assert b" 200 " in await asyncio.to_thread(requests_with, port, once.encode())
        twice = f"{once}{name}: x\r\n".encode()
        assert (await asyncio.to_thread(requests_with, port, twice)).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("framing", ["Content-Length: 38", "Transfer-Encoding: chunked"])
async def test_the_body_of_a_request_to_upgrade_is_never_a_request(framing: str) -> None:
    head = f"POST / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n{framing}\r\n\r\n"
    async with serving() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head.encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        writer.write(b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
        answer += await reader.read()
        writer.close()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1


async def test_a_request_to_upgrade_is_the_last_of_its_connection() -> None:
    headers = b"Host: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"
    next_request = b"\r\nGET / HTTP/1.1\r\nHost: x\r\n"
    async with serving() as port:
        answer = await asyncio.to_thread(exchange, port, b"GET / HTTP/1.1\r\n" + headers)
        both = await asyncio.to_thread(
            exchange, port, b"GET / HTTP/1.1\r\n" + headers + next_request
        )
    assert b" 200 " in answer
    assert b"connection: close" in answer
    assert both.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize(
    "value",
    [
        *("HTTPS://pay.example.com", " https://pay.example.com", "https://pay.exam\nple.com"),
        *("https://pay.example.com?a=", "https://pay.example.com#a", "https://a@pay.example.com"),
        *("https://pay.example.com/<b>", "javascript:alert(1)//", "https://", "https://a;b"),
    ],
)
def test_public_url_that_makes_no_links_is_refused(value: str) -> None:
    with pytest.raises(SettingsInvalid, match="LANDBRIDGE_PUBLIC_URL must"):
        read({"LANDBRIDGE_PUBLIC_URL": value})


@pytest.mark.parametrize(
    "value", ["https://pay.example.com", "http://[::1]:80/", "http://a_b/pay/", "http://10.0.0.1:1"]
)
def test_public_url_with_host_port_and_path_is_accepted(value: str) -> None:
    assert read({"LANDBRIDGE_PUBLIC_URL": value}).base_url == value.rstrip("/")


@pytest.mark.parametrize("value", ["*", "proxy.internal", "10.0.0.1/8", "0.0.0.0/0", "::/0"])
def test_invalid_proxy_setting_is_refused(value: str) -> None:
    with pytest.raises(SettingsInvalid, match="LANDBRIDGE_TRUSTED_PROXIES must"):
        read({"LANDBRIDGE_TRUSTED_PROXIES": value})
