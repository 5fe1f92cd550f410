"""What becomes of requests whose receivers are slow, wrong, or out to harm."""

import asyncio
import gzip
import tracemalloc
from pathlib import Path

import pytest

from landbridge.web import outbound as module
from landbridge.web.outbound import Answer, Outbound
from tests.certificates import certificate
from tests.web.listeners import OK, OWN, PORT, Listener, Script, answer, listening, until
from tests.web.test_outbound_hostile import NAME, URL, Names, forbids_but_own

READ_MAX = 100_000
# On a busy machine a moment can be long.
SOON_MS = 10_000
HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.fixture
def outbound() -> Outbound:
    return Outbound(allows_loopback=True)


async def post(
    outbound: Outbound,
    found: Listener,
    *,
    timeout_s: float = 5,
    text_max: int = 1_000,
    share: str = "an organisation",
) -> Answer:
    return await outbound.post(
        f"http://127.0.0.1:{found.port}/hooks?a=b%20c",
        body=b'{"a":1}',
        headers={"Content-Type": "application/json", "User-Agent": "Landbridge/1"},
        timeout_s=timeout_s,
        read_max=READ_MAX,
        text_max=text_max,
        share=share,
    )


async def told(script: Script, *, timeout_s: float = 5) -> tuple[Answer, Listener]:
    """What came of one request to a receiver that answers so."""
    outbound = Outbound(allows_loopback=True)
    async with listening(script) as found:
        came = await post(outbound, found, timeout_s=timeout_s)
    await outbound.close()
    return came, found


async def test_what_is_sent_arrives_as_it_is(outbound: Outbound) -> None:
    async with listening() as found:
        came = await post(outbound, found)
    assert (came.status, came.error, came.text) == (200, None, "ok")
    assert 0 <= came.took_ms < SOON_MS
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
    await outbound.close()


@pytest.mark.parametrize("status", [201, 204, 299, 304, 400, 401, 410, 429, 500, 503, 599, 999])
async def test_a_status_is_told_as_it_is(status: int) -> None:
    came, _ = await told(answer(b"HTTP/1.1 %d X\r\nContent-Length: 0\r\n\r\n" % status))
    assert (came.status, came.error, came.text) == (status, None, "")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_is_followed(status: int) -> None:
    async with listening() as beyond:
        came, found = await told(
            answer(
                b"HTTP/1.1 %d Moved\r\nLocation: http://127.0.0.1:%d/\r\nContent-Length: 0\r\n\r\n"
                % (status, beyond.port)
            )
        )
        await asyncio.sleep(0.02)
        assert beyond.connections == 0
    assert came.status == status
    assert len(found.requests) == 1


async def test_one_connection_serves_many_requests(outbound: Outbound) -> None:
    async with listening() as found:
        for _ in range(50):
            assert (await post(outbound, found)).status == 200
    assert found.connections == 1
    await outbound.close()


async def test_no_cookie_is_kept(outbound: Outbound) -> None:
    sets = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Path=/\r\nContent-Length: 0\r\n\r\n"
    async with listening(answer(sets)) as found:
        for _ in range(2):
            assert (await post(outbound, found)).status == 200
    assert "cookie" not in found.requests[1][0].lower()
    await outbound.close()


async def test_nobody_answers() -> None:
    came, found = await told(_hang, timeout_s=0.3)
    assert (came.status, came.error, came.text) == (None, "no answer within 0.3 s", None)
    assert 290 <= came.took_ms < SOON_MS
    assert len(found.requests) == 1


@pytest.mark.slow
async def test_the_timeout_is_not_rounded_up(outbound: Outbound) -> None:
    async with listening(_hang) as found:
        came = await post(outbound, found, timeout_s=5.2)
    assert 5_150 <= came.took_ms < 5_950
    await outbound.close()


async def test_nobody_listens(outbound: Outbound) -> None:
    async with listening() as found:
        pass
    came = await post(outbound, found)
    assert (came.status, came.error) == (None, "the connection was refused")
    await outbound.close()


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200 OK\r\nConte"], ids=["nothing", "half"])
async def test_a_connection_that_ends_is_no_answer(sent: bytes) -> None:
    came, found = await told(_then_close(sent))
    assert (came.status, came.error) == (None, "the connection was closed without an answer")
    # It was a new connection: whether the request was read is not known, and it is not sent twice.
    assert len(found.requests) == 1


async def test_a_head_that_trickles_takes_no_longer_than_the_timeout() -> None:
    head = HEAD + b"X-Slow: y\r\n" * 90
    came, _ = await told(answer(head, pauses_s=0.02, each=1), timeout_s=0.5)
    assert (came.status, came.error) == (None, "no answer within 0.5 s")
    # Some twenty seconds, if each piece had its own.
    assert came.took_ms < SOON_MS


async def test_a_body_that_trickles_leaves_the_status_standing() -> None:
    body = HEAD + b"Content-Length: 1000\r\n\r\n" + b"a" * 1000
    came, _ = await told(answer(body, pauses_s=0.05, each=50), timeout_s=0.5)
    assert (came.status, came.error) == (200, None)
    assert came.text is not None
    assert 0 < len(came.text) < 1_000
    assert came.text.strip("a") == ""
    assert came.took_ms < SOON_MS


@pytest.mark.parametrize(
    "sent",
    [
        HEAD + b"Content-Length: 10\r\n\r\nabc",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        HEAD + b"Connection: close\r\n\r\nabc",
    ],
    ids=["short", "unended", "unbounded"],
)
async def test_a_body_that_is_cut_off_leaves_the_status_standing(sent: bytes) -> None:
    came, _ = await told(_then_close(sent))
    assert (came.status, came.error) == (200, None)
    assert came.text in {"abc", ""}


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
    came, found = await told(huge)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (came.status, came.text) == (200, "a" * 1_000)
    # What is beyond lies in the buffers of the system.
    assert found.written < 20_000_000
    assert peak < 5_000_000


async def test_what_is_packed_is_not_unpacked() -> None:
    bomb = gzip.compress(b"\0" * 100_000_000)
    tracemalloc.start()
    came, _ = await told(
        answer(HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb) + bomb)
    )
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (came.status, came.error, came.text) == (200, None, None)
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
async def test_what_is_no_answer_is_none(head: bytes) -> None:
    came, _ = await told(answer(head), timeout_s=1)
    assert came.status is None
    assert came.error in {"the answer was not valid HTTP", "no answer within 1 s"}


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
async def test_a_body_is_told_as_text_for_people(body: bytes, text: str) -> None:
    came, _ = await told(answer(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body))
    assert came.text == text


async def test_what_is_sent_on_a_dead_connection_is_sent_again(outbound: Outbound) -> None:
    """Servers close connections that wait; that a request meets one is nobody's failure."""

    async def twice(
        self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await self.read(reader)
        writer.write(OK)
        await self.read(reader)  # the second goes unanswered

    async with listening(twice) as found:
        came = await asyncio.gather(*(post(outbound, found) for _ in range(3)))
        assert [each.status for each in came] == [200] * 3
        assert found.connections == 3
        # It meets one of the three, and then takes a new one: the others may be as dead.
        assert (await post(outbound, found)).status == 200
    assert found.connections == 4
    assert len(found.requests) == 5
    await outbound.close()


async def test_a_second_answer_is_not_taken_for_the_next_ones(outbound: Outbound) -> None:
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
                assert (await post(outbound, found)).status == 200
                await asyncio.sleep(0.1)
        assert len(found.requests) == 3
    await outbound.close()


async def test_a_header_can_not_be_broken_in_two(outbound: Outbound) -> None:
    async with listening() as found:
        for value in ("a\r\nX: y", "a\nX: y", "a\rX"):
            with pytest.raises(ValueError, match=r"[Nn]ewline|CR|LF|header"):
                await outbound.post(
                    f"http://127.0.0.1:{found.port}/",
                    body=b"",
                    headers={"X-Id": value},
                    timeout_s=1,
                    read_max=1,
                    text_max=1,
                    share=None,
                )
        assert found.requests == []
    await outbound.close()


async def test_many_that_hang_hold_up_nobody_else(
    outbound: Outbound, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PLACE_S", 60)
    may_answer = asyncio.Event()

    async def hang(
        self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while await self.read(reader):
            await may_answer.wait()
            writer.write(OK)

    async with listening(hang) as slow, listening() as quick:
        hanging = [asyncio.create_task(post(outbound, slow, timeout_s=60)) for _ in range(300)]
        await until(lambda: len(slow.requests) > 100)
        came = await asyncio.gather(*(post(outbound, quick, share="another") for _ in range(20)))
        assert {each.status for each in came} == {200}
        assert not any(each.done() for each in hanging)
        may_answer.set()
        assert {(await each).status for each in hanging} == {200}
    await outbound.close()


async def test_whoever_stops_waiting_leaves_nothing_behind(outbound: Outbound) -> None:
    async with listening(_hang) as found:
        task = asyncio.create_task(post(outbound, found))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await outbound.close()


async def test_a_certificate_must_be_known_and_of_that_name(tmp_path: Path) -> None:
    ours, theirs = certificate(tmp_path, NAME)
    others, trusted = certificate(tmp_path, "example.org")
    old, trusts_old = certificate(tmp_path, NAME, days=1)
    for shown, trust, said in (
        (ours, None, "the certificate is not valid: self-signed certificate"),
        (others, trusted, "the certificate is not valid: Hostname mismatch"),
        (old, trusts_old, "the certificate is not valid: certificate has expired"),
        (None, theirs, "TLS was not agreed on"),
    ):
        outbound = Outbound(
            allows_loopback=False, names=Names([OWN]), tls=trust, forbids=forbids_but_own
        )
        script = answer(OK) if shown else _greet
        async with listening(script, hosts=OWN, port=PORT, tls=shown) as found:
            came = await outbound.post(
                URL, body=b"", headers={}, timeout_s=2, read_max=1, text_max=1, share=None
            )
        assert came.status is None
        assert came.error is not None
        assert came.error.startswith(said)
        assert found.requests == []
        await outbound.close()


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
