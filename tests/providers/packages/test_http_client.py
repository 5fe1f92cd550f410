"""HTTP client for packages: what a provider may send, and when it certainly got nothing."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from aiohttp import web

from landbridge.providers.packages.http_client import (
    NoAnswer,
    ProviderAnswer,
    ProviderHttp,
    RequestSigner,
    path_segment,
)
from landbridge.providers.packages.interface import NotDone, PackageSettingsInvalid
from tests.certificates import certificate
from tests.platform.http.listeners import OK, Listener, listening

MARKER = "Payee-Marker"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Transfer(msgspec.Struct):
    id: str
    amount: int


@asynccontextmanager
async def provider(
    handler: Handler,
    *,
    timeout_s: int = 5,
    bytes_max: int = 10_000_000,
    sign: RequestSigner | None = None,
) -> AsyncGenerator[ProviderHttp]:
    """Yield a client of a server with one handler for everything."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/base/"
    client = ProviderHttp(
        url,
        timeout_s=timeout_s,
        headers={"Authorization": f"Bearer {MARKER}"},
        sign=sign,
        bytes_max=bytes_max,
    )
    try:
        yield client
    finally:
        await client.close()
        await runner.cleanup()


async def read_and_wait(
    self: Listener, reader: asyncio.StreamReader, _writer: asyncio.StreamWriter
) -> None:
    """Take a request, and be silent."""
    await self.read(reader)
    await asyncio.sleep(60)


def body(content: bytes, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Handler:
    async def handle(_: web.Request) -> web.StreamResponse:
        return web.Response(status=status, body=content, headers=headers)

    return handle


async def test_a_message_goes_out_and_an_answer_comes_back_as_json() -> None:
    seen: list[tuple[str, str, dict[str, str], bytes]] = []

    async def handle(request: web.Request) -> web.StreamResponse:
        seen.append((request.method, request.raw_path, dict(request.headers), await request.read()))
        return web.json_response({"id": "t_1", "amount": 100, "more": None}, headers={"X-A": "b"})

    async with provider(handle) as client:
        found = await client.post("/transfers", {"amount": 100}, headers={"Idempotency-Key": "k"})
        query = [("key", "a b&c"), ("key", "d")]
        await client.get(f"/transfers/{path_segment('a/../b?')}", query)
    assert (found.status, found.read(Transfer), found.headers["x-a"]) == (
        200,
        Transfer("t_1", 100),
        "b",
    )
    method, path, headers, sent = seen[0]
    assert (method, path, sent) == ("POST", "/base/transfers", b'{"amount":100}')
    assert headers["Idempotency-Key"] == "k"
    assert headers["Authorization"] == f"Bearer {MARKER}"
    assert headers["Content-Type"] == "application/json"
    assert seen[1][:2] == ("GET", "/base/transfers/a%2F..%2Fb%3F?key=a%20b%26c&key=d")
    assert seen[1][3] == b""


async def test_a_request_is_signed_as_it_is_written() -> None:
    seen: list[str] = []
    signatures: list[str] = []

    async def handle(request: web.Request) -> web.StreamResponse:
        content = await request.read()
        seen.append(f"{request.method} {request.raw_path} {content.decode()}")
        signatures.append(request.headers["X-Signature"])
        return web.json_response({"id": "t_1", "amount": 100})

    def sign(method: str, target: str, content: bytes) -> Mapping[str, str]:
        return {"X-Signature": f"{method} {target} {content.decode()}"}

    async with provider(handle, sign=sign) as client:
        # A header of a call never replaces the signature.
        await client.post("/transfers", {"amount": 1}, headers={"X-Signature": "another"})
        await client.get(f"/transfers/{path_segment('a/../b?')}", [("key", "a b&c+ü")])
        await client.send("POST", "/transfers", query={"level": "a b"})
    assert [each.strip() for each in seen] == signatures
    assert signatures == [
        'POST /base/transfers {"amount":1}',
        "GET /base/transfers/a%2F..%2Fb%3F?key=a%20b%26c%2B%C3%BC",
        "POST /base/transfers?level=a%20b",
    ]


async def test_statuses_of_errors_are_answers() -> None:
    async with provider(body(b'{"id": "t", "amount": 1}', status=409)) as client:
        found = await client.get("/a")
    assert (found.status, found.read(Transfer).id) == (409, "t")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html><body>Payee-Marker</body></html>",
        b'{"id": "Payee-Marker", "amount": 1',
        b'{"id": "Payee-Marker", "amount": NaN}',
        b'{"id": "Payee-Marker", "amount": Infinity}',
        b'{"id": "Payee-Marker", "amount": 1.5}',
        b'{"id": "Payee-Marker", "amount": "1"}',
        b'{"id": "Payee-Marker"}',
        b'{"id": "\xff", "amount": 1}',
        b"[" * 100_000,
        b'{"id": "a", "amount": 1, "b": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
async def test_a_body_that_is_not_of_the_type_is_no_answer(content: bytes) -> None:
    async with provider(body(content)) as client:
        found = await client.get("/a")
    with pytest.raises(NoAnswer) as raised:
        found.read(Transfer)
    assert MARKER not in str(raised.value)
    assert MARKER not in repr(found)


@pytest.mark.parametrize(
    ("handler", "sentence"),
    [
        (body(b" " * 2000), "more than 1000 bytes"),
        (body(b"x" * 10, headers={"Content-Encoding": "gzip"}), "compressed"),
        (
            body(b"", status=302, headers={"Location": "http://127.0.0.1:1/Payee-Marker"}),
            "redirect",
        ),
        (body(b"", status=307, headers={"Location": "/other"}), "redirect"),
    ],
)
async def test_an_answer_out_of_bounds_is_no_answer(handler: Handler, sentence: str) -> None:
    async with provider(handler, bytes_max=1000) as client:
        with pytest.raises(NoAnswer, match=sentence) as raised:
            await client.post("/a", {"name": MARKER})
    assert MARKER not in str(raised.value)


async def test_a_stream_without_end_is_no_answer() -> None:
    async def handle(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b" " * 10)
            await asyncio.sleep(0.05)

    async with provider(handle, timeout_s=1) as client:
        with pytest.raises(NoAnswer, match="within 1 s"):
            await client.get("/a")


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 20_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: a\r\n" * 200 + b"\r\n",
    ],
)
async def test_broken_http_after_the_request_is_unknown(sent: bytes) -> None:
    async def script(
        self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await self.read(reader)
        writer.write(sent)
        await writer.drain()

    async with listening(script) as found:
        client = ProviderHttp(f"http://127.0.0.1:{found.port}", timeout_s=5)
        with pytest.raises(NoAnswer):
            await client.post("/a", {})
        await client.close()
    assert len(found.requests) == 1


async def test_silence_after_the_request_is_unknown() -> None:
    async with listening(read_and_wait) as found:
        client = ProviderHttp(f"http://127.0.0.1:{found.port}", timeout_s=1)
        with pytest.raises(NoAnswer, match="within 1 s"):
            await client.post("/a", {})
        await client.close()


async def test_without_a_connection_nothing_was_done() -> None:
    async with listening() as found:
        pass
    client = ProviderHttp(f"http://127.0.0.1:{found.port}", timeout_s=5)
    with pytest.raises(NotDone):
        await client.post("/a", {})
    await client.close()


async def test_without_a_name_nothing_was_done() -> None:
    client = ProviderHttp("https://provider.invalid", timeout_s=5)
    with pytest.raises(NotDone):
        await client.post("/a", {})
    await client.close()


async def test_a_certificate_that_is_not_trusted_gets_nothing(tmp_path: Path) -> None:
    ours, theirs = certificate(tmp_path, "localhost")
    async with listening(tls=ours) as found:
        url = f"https://localhost:{found.port}"
        client = ProviderHttp(url, timeout_s=5)
        with pytest.raises(NotDone, match="TLS"):
            await client.post("/a", {})
        await client.close()
        assert found.requests == []
        client = ProviderHttp(url, timeout_s=5, tls=theirs)
        assert (await client.post("/a", {})).body == b"ok"
        await client.close()


async def test_tls_that_never_begins_gets_nothing() -> None:
    """A server that accepts the connection and is silent: the time ends before the request."""

    async def script(
        self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await asyncio.sleep(60)

    async with listening(script) as found:
        client = ProviderHttp(f"https://localhost:{found.port}", timeout_s=1)
        with pytest.raises(NotDone):
            await client.post("/a", {})
        await client.close()


async def test_a_request_whose_second_connection_fails_is_unknown() -> None:
    """PUT is sent again by aiohttp when a connection that was used before breaks."""
    state = Listener()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await state.read(reader)
        writer.write(OK)
        await state.read(reader)
        server.close()
        writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    client = ProviderHttp(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", timeout_s=5)
    await client.send("PUT", "/a", body=b"{}")
    with pytest.raises(NoAnswer):
        await client.send("PUT", "/a", body=b"{}")
    assert len(state.requests) == 2
    await client.close()


async def test_a_proxy_that_refuses_passes_nothing_on(monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(
        self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.requests.append(((await reader.readuntil(b"\r\n\r\n")).decode(), b""))
        writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")

    async with listening(script) as found:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{found.port}")
        client = ProviderHttp(
            "https://provider.example", timeout_s=5, headers={"Authorization": MARKER}
        )
        with pytest.raises(NotDone):
            await client.post("/a", {})
        await client.close()
    assert found.requests[0][0].startswith("CONNECT provider.example:443")
    assert MARKER not in found.requests[0][0]


async def test_a_cancelled_call_is_cancelled() -> None:
    async with listening(read_and_wait) as found:
        client = ProviderHttp(f"http://127.0.0.1:{found.port}", timeout_s=30)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await client.post("/a", {})
        await client.close()


async def test_cookies_are_not_kept() -> None:
    seen: list[str | None] = []

    async def handle(request: web.Request) -> web.StreamResponse:
        seen.append(request.headers.get("Cookie"))
        return web.Response(headers={"Set-Cookie": "a=b"})

    async with provider(handle) as client:
        await client.get("/a")
        await client.get("/a")
    assert seen == [None, None]


async def test_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with provider(body(MARKER.encode())) as client:
        found: ProviderAnswer = await client.post("/a", {"name": MARKER})
    assert found.body == MARKER.encode()
    assert MARKER not in caplog.text


@pytest.mark.parametrize(
    "url",
    [
        "",
        "provider.example",
        "http://provider.example",
        "http://10.0.0.1",
        "http://127.0.0.1.example",
        "https://user:password@provider.example",
        "https://provider.example/?a=b",
        "https://provider.example/#a",
        "https://provider.example/a/../b",
        "ftp://provider.example",
        "https://provider.example\n",
    ],
)
def test_an_address_that_is_not_plain_https_is_refused(url: str) -> None:
    with pytest.raises(PackageSettingsInvalid):
        ProviderHttp(url, timeout_s=5)


@pytest.mark.parametrize("path", ["", "a", "/", "/a//b", "/a/../b", "/a?b=c", "/a b", "/a\r\nX: y"])
async def test_a_path_that_is_not_encoded_is_refused(path: str) -> None:
    client = ProviderHttp("https://provider.example/v1", timeout_s=5)
    with pytest.raises(ValueError, match="path"):
        await client.get(path)
