"""Requests to receivers that are slow, wrong or malicious."""

import asyncio
import gzip
import tracemalloc
from pathlib import Path

import pytest

from landbridge.platform.http import egress as module
from landbridge.platform.http.egress import Egress, EgressResponse
from tests.certificates import certificate
from tests.platform.http.listeners import (
    OK,
    OWN,
    PORT,
    Listener,
    Script,
    answer,
    listening,
    until,
)
from tests.platform.http.test_outbound_hostile import NAME, URL, Names, forbids_but_own

READ_MAX = 100_000
SOON_MS = 10_000
HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.fixture
def egress() -> Egress:
    return Egress(allows_loopback=True)


async def post(
    egress: Egress,
    found: Listener,
    *,
    timeout_s: float = 5,
    text_max: int = 1_000,
    share: str = "an organisation",
) -> EgressResponse:
    return await egress.post(
        f"http://127.0.0.1:{found.port}/hooks?a=b%20c",
        body=b'{"a":1}',
        headers={"Content-Type": "application/json", "User-Agent": "Landbridge/1"},
        timeout_s=timeout_s,
        read_max=READ_MAX,
        text_max=text_max,
        share=share,
    )


async def send_request(script: Script, *, timeout_s: float = 5) -> tuple[EgressResponse, Listener]:
    egress = Egress(allows_loopback=True)
    async with listening(script) as found:
        reply = await post(egress, found, timeout_s=timeout_s)
    await egress.close()
    return reply, found


async def test_request_arrives_unchanged(egress: Egress) -> None:
    async with listening() as found:
        reply = await post(egress, found)
    assert (reply.status, reply.error, reply.text) == (200, None, "ok")
    assert 0 <= reply.took_ms < SOON_MS
    ((head, body),) = found.requests
    assert head.startswith("POST /hooks?a=b%20c HTTP/1.1\r\n")
    sent = dict(line.split(": ", 1) for line in head.splitlines()[1:] if line)
    assert sent.pop("Host") == f"127.0.0.1:{found.port}"
    assert sent == {
        "Content-Type": "application/json",
        "User-Agent": "Landbridge/1",
        "Accept": "*/*",
        "Accept-Encoding": "identity",
        "Content-Length": "7",
    }
    assert body == b'{"a":1}'
    await egress.close()


@pytest.mark.parametrize("status", [201, 204, 299, 304, 400, 401, 410, 429, 500, 503, 599, 999])
async def test_status_is_returned_unchanged(status: int) -> None:
    reply, _ = await send_request(answer(b"HTTP/1.1 %d X\r\nContent-Length: 0\r\n\r\n" % status))
    assert (reply.status, reply.error, reply.text) == (status, None, "")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_is_followed(status: int) -> None:
    async with listening() as beyond:
        reply, found = await send_request(
            answer(
                b"HTTP/1.1 %d Moved\r\nLocation: http://127.0.0.1:%d/\r\nContent-Length: 0\r\n\r\n"
                % (status, beyond.port)
            )
        )
        await asyncio.sleep(0.02)
        assert beyond.connections == 0
    assert reply.status == status
    assert len(found.requests) == 1


async def test_one_connection_serves_many_requests(egress: Egress) -> None:
    async with listening() as found:
        for _ in range(50):
            assert (await post(egress, found)).status == 200
    assert found.connections == 1
    await egress.close()


async def test_cookies_are_not_kept(egress: Egress) -> None:
    sets = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Path=/\r\nContent-Length: 0\r\n\r\n"
    async with listening(answer(sets)) as found:
        for _ in range(2):
            assert (await post(egress, found)).status == 200
    assert "cookie" not in found.requests[1][0].lower()
    await egress.close()


async def test_unanswered_request_times_out() -> None:
    reply, found = await send_request(_hang, timeout_s=0.3)
    assert (reply.status, reply.error, reply.text) == (None, "no answer within 0.3 s", None)
    assert 290 <= reply.took_ms < SOON_MS
    assert len(found.requests) == 1


@pytest.mark.long
@pytest.mark.long
async def test_the_timeout_is_not_rounded_up(egress: Egress) -> None:
    async with listening(_hang) as found:
        reply = await post(egress, found, timeout_s=5.2)
    assert 5_150 <= reply.took_ms < 5_950
    await egress.close()


async def test_closed_port_is_unreachable(egress: Egress) -> None:
    async with listening() as found:
        pass
    reply = await post(egress, found)
    assert (reply.status, reply.error) == (None, "the connection was refused")
    await egress.close()


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200 OK\r\nConte"], ids=["nothing", "half"])
async def test_connection_closed_early_is_no_response(sent: bytes) -> None:
    reply, found = await send_request(_then_close(sent))
    assert (reply.status, reply.error) == (None, "the connection was closed without an answer")
    assert len(found.requests) == 1


async def test_slow_head_takes_no_longer_than_the_timeout() -> None:
    head = HEAD + b"X-Slow: y\r\n" * 90
    reply, _ = await send_request(answer(head, pauses_s=0.02, each=1), timeout_s=0.5)
    assert (reply.status, reply.error) == (None, "no answer within 0.5 s")
    assert reply.took_ms < SOON_MS


async def test_slow_body_keeps_the_status() -> None:
    body = HEAD + b"Content-Length: 1000\r\n\r\n" + b"a" * 1000
    reply, _ = await send_request(answer(body, pauses_s=0.05, each=50), timeout_s=0.5)
    assert (reply.status, reply.error) == (200, None)
    assert reply.text is not None
    assert 0 < len(reply.text) < 1_000
    assert reply.text.strip("a") == ""
    assert reply.took_ms < SOON_MS


@pytest.mark.parametrize(
    "sent",
    [
        HEAD + b"Content-Length: 10\r\n\r\nabc",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        HEAD + b"Connection: close\r\n\r\nabc",
    ],
    ids=["short", "unended", "unbounded"],
)
async def test_truncated_body_keeps_the_status(sent: bytes) -> None:
    reply, _ = await send_request(_then_close(sent))
    assert (reply.status, reply.error) == (200, None)
    assert reply.text in {"abc", ""}


@pytest.mark.parametrize("is_chunked", [False, True])
async def test_a_huge_body_is_not_read(*, is_chunked: bool) -> None:
    piece = b"a" * 65_536

    async def huge(
        self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await self.read(reader)
        how = b"Transfer-Encoding: chunked" if is_chunked else b"Content-Length: 1000000000"
        writer.write(HEAD + how + b"\r\n\r\n")
        for _ in range(1_000_000_000 // len(piece)):
            writer.write(b"10000\r\n" + piece + b"\r\n" if is_chunked else piece)
            await writer.drain()
            self.written += len(piece)

    tracemalloc.start()
    reply, found = await send_request(huge)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (reply.status, reply.text) == (200, "a" * 1_000)
    assert found.written < 20_000_000
    assert peak < 5_000_000


async def test_compressed_body_is_not_decompressed() -> None:
    bomb = gzip.compress(b"\0" * 100_000_000)
    tracemalloc.start()
    reply, _ = await send_request(
        answer(HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb) + bomb)
    )
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (reply.status, reply.error, reply.text) == (200, None, None)
    assert peak < 5_000_000


@pytest.mark.parametrize(
    "head",
    [
        HEAD + b"X-Long: " + b"a" * 20_000 + b"\r\n\r\n",
        HEAD + b"X-Many: a\r\n" * 2_000 + b"\r\n",
        HEAD + b"X" * 20_000 + b": a\r\n\r\n",
        b"HTTP/1.1 200 " + b"O" * 20_000 + b"\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 -20 OK\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"220 mail.example.com ESMTP\r\n",
        b"\x00\x01\x02\x03" * 100,
        HEAD + b"Content-Length: -1\r\n\r\n",
        HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        HEAD + b"Content-Length: 99999999999999999999999\r\n\r\n",
        HEAD + b"A\x00B: c\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nnonsense\r\n",
    ],
    ids=range(14),
)
async def test_invalid_response_is_none(head: bytes) -> None:
    reply, _ = await send_request(answer(head), timeout_s=1)
    assert reply.status is None
    assert reply.error in {"the answer was not valid HTTP", "no answer within 1 s"}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"", ""),
        (b"caf\xc3\xa9 \xe2\x82\xac", "caf\u00e9 \u20ac"),
        (b"a\x00b\x1b[2J\x07c\td\r\n", "a\ufffdb\ufffd[2J\ufffdc\td\r\n"),
        (b"\xff\xfe\xed\xa0\x80", "\ufffd\ufffd\ufffd\ufffd\ufffd"),
        (b"x" * 5_000, "x" * 1_000),
        (b"\xf0\x9f\x98\x80" * 2_000, "\U0001f600" * 1_000),
    ],
    ids=["empty", "letters", "controls", "bytes", "long", "wide"],
)
async def test_body_is_returned_as_readable_text(body: bytes, text: str) -> None:
    reply, _ = await send_request(answer(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body))
    assert reply.text == text


async def test_request_on_a_dead_connection_is_sent_again(egress: Egress) -> None:
    async def twice(
        self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await self.read(reader)
        writer.write(OK)
        await self.read(reader)  # the second gets no response

    async with listening(twice) as found:
        reply = await asyncio.gather(*(post(egress, found) for _ in range(3)))
        assert [each.status for each in reply] == [200] * 3
        assert found.connections == 3
        assert (await post(egress, found)).status == 200
    assert found.connections == 4
    assert len(found.requests) == 5
    await egress.close()


async def test_surplus_response_is_not_used_for_the_next_request(egress: Egress) -> None:
    forged = b"HTTP/1.1 204 Forged\r\nContent-Length: 0\r\n\r\n"

    async def late(
        self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while await self.read(reader):
            writer.write(OK)
            await asyncio.sleep(0.05)
            writer.write(forged)

    for script in (answer(OK + forged), late):
        async with listening(script) as found:
            for _ in range(3):
                assert (await post(egress, found)).status == 200
                await asyncio.sleep(0.1)
        assert len(found.requests) == 3
    await egress.close()


async def test_header_cannot_be_injected(egress: Egress) -> None:
    async with listening() as found:
        for value in ("a\r\nX: y", "a\nX: y", "a\rX"):
            with pytest.raises(ValueError, match=r"[Nn]ewline|CR|LF|header"):
                await egress.post(
                    f"http://127.0.0.1:{found.port}/",
                    body=b"",
                    headers={"X-Id": value},
                    timeout_s=1,
                    read_max=1,
                    text_max=1,
                    share=None,
                )
        assert found.requests == []
    await egress.close()


async def test_many_hanging_requests_delay_no_others(
    egress: Egress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SLOT_WAIT_S", 60)
    may_answer = asyncio.Event()

    async def hang(
        self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while await self.read(reader):
            await may_answer.wait()
            writer.write(OK)

    async with listening(hang) as slow, listening() as quick:
        hanging = [asyncio.create_task(post(egress, slow, timeout_s=60)) for _ in range(300)]
        await until(lambda: len(slow.requests) > 100)
        reply = await asyncio.gather(*(post(egress, quick, share="another") for _ in range(20)))
        assert {each.status for each in reply} == {200}
        assert not any(each.done() for each in hanging)
        may_answer.set()
        assert {(await each).status for each in hanging} == {200}
    await egress.close()


async def test_cancelled_caller_leaves_nothing_behind(egress: Egress) -> None:
    async with listening(_hang) as found:
        task = asyncio.create_task(post(egress, found))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await egress.close()


async def test_certificate_must_be_trusted_and_match_the_name(tmp_path: Path, alone: None) -> None:
    ours, theirs = certificate(tmp_path, NAME)
    others, trusted = certificate(tmp_path, "example.org")
    old, trusts_old = certificate(tmp_path, NAME, days=1)
    for shown, trust, message in (
        (ours, None, "the certificate is not valid: self-signed certificate"),
        (others, trusted, "the certificate is not valid: Hostname mismatch"),
        (old, trusts_old, "the certificate is not valid: certificate has expired"),
        (None, theirs, "TLS was not agreed on"),
    ):
        egress = Egress(
            allows_loopback=False, names=Names([OWN]), tls=trust, forbids=forbids_but_own
        )
        script = answer(OK) if shown else _greet
        async with listening(script, hosts=OWN, port=PORT, tls=shown) as found:
            reply = await egress.post(
                URL, body=b"", headers={}, timeout_s=2, read_max=1, text_max=1, share=None
            )
        assert reply.status is None
        assert reply.error is not None
        assert reply.error.startswith(message)
        assert found.requests == []
        await egress.close()


async def _hang(
    self: Listener, reader: asyncio.StreamReader, _writer: asyncio.StreamWriter
) -> None:
    await self.read(reader)
    await asyncio.sleep(60)


async def _greet(
    _self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    writer.write(b"220 mail.example.com ESMTP\r\n")
    await reader.read(1_000)


def _then_close(sent: bytes) -> Script:
    async def script(
        self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await self.read(reader)
        writer.write(sent)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    return script
