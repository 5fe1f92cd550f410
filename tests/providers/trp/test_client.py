"""Client of the Travel Rule Protocol over real connections: answers that help, and hostile ones."""

import asyncio
from collections.abc import AsyncGenerator
from decimal import Decimal
from uuid import UUID

import pytest

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.egress import Egress
from landbridge.providers.trp.client import TrpClient
from landbridge.providers.trp.port import (
    InquiryAnswer,
    InquiryResolution,
    TransferConfirmation,
    TransferInquiry,
    VaspUnreachable,
)
from tests.platform.http.listeners import Listener, Script, listening

INQUIRY = TransferInquiry(
    org_id=UUID(int=1),
    host="vasp.example.com",
    wallet_address="0xde709f2102306220921060314715629080e2fb77",
    token="4H95J0R2X",
    amount=Decimal("0.000021"),
    callback="https://us.example.com/callbacks/1",
    ivms101={"originator": {}},
)


@pytest.fixture
async def client() -> AsyncGenerator[TrpClient]:
    egress = Egress(allows_loopback=True)
    yield TrpClient(egress, timeout_s=1)
    await egress.close()


def answering(content: bytes, status: str = "200 OK", more: str = "") -> Script:
    """Return a script that answers each request with this."""

    async def script(
        listener: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while await listener.read(reader):
            head = f"HTTP/1.1 {status}\r\nContent-Length: {len(content)}\r\n{more}\r\n"
            writer.write(head.encode() + content)

    return script


async def test_an_inquiry_has_the_headers_and_members_of_the_protocol(client: TrpClient) -> None:
    content = b'{"approved": {"address": "0x1", "callback": "https://a.example/1"}}'
    async with listening(answering(content)) as listener:
        found = await client.inquire(_url(listener), "key-1", INQUIRY)
    assert found == InquiryResolution(
        answer=InquiryAnswer.APPROVED, address="0x1", callback="https://a.example/1"
    )
    ((head, body),) = listener.requests
    assert head.startswith("POST /inquiries?t=i ")
    for line in ("api-version: 3.2.1", "request-identifier: key-1", "application/json"):
        assert line in head
    assert b'"amount":0.000021,' in body
    assert b'"asset":{"dti":"4H95J0R2X"}' in body


async def test_resolutions_and_confirmations_need_no_body(client: TrpClient) -> None:
    async with listening(answering(b"", "204 No Content")) as listener:
        rejected = InquiryResolution(answer=InquiryAnswer.REJECTED, comment="no")
        await client.resolve(_url(listener), "key-1", rejected)
        await client.confirm(_url(listener), "key-1", TransferConfirmation(transaction_hash="0x1"))
        await client.confirm(_url(listener), "key-1", TransferConfirmation(transaction_hash=None))
    bodies = [body for _, body in listener.requests]
    assert bodies[:2] == [b'{"rejected":"no"}', b'{"txid":"0x1"}']
    assert b"canceled" in bodies[2]


@pytest.mark.parametrize(
    "script",
    [
        answering(b""),
        answering(b"{}"),
        answering(b"[]"),
        answering(b"null"),
        answering(b'{"approved": true}'),
        answering(b'{"approved": {"address": "0x1"}}'),
        answering(b'{"approved": {"address": "0x1", "callback": "https://a.b"}, "rejected": "x"}'),
        answering(b'{"approved": {"address": "0x\\u0000", "callback": "https://a.b"}}'),
        answering(b'{"approved": {"address": "' + b"x" * 101 + b'", "callback": "https://a.b"}}'),
        answering(b'{"version": "3.2.1", "rejected": "x"}'),
        answering(b"\xff\xfe\x00"),
        answering(b"[" * 16_000),
        answering(b'{"rejected": "' + b"x" * 1_000_000 + b'"}'),
        answering(b'{"version": "3.2.1"}', more="Content-Encoding: gzip\r\n"),
        answering(b'{"version": "3.2.1"}', "404 Not Found"),
        answering(b'{"version": "3.2.1"}', "500 Internal Server Error"),
        answering(b"", "302 Found", more="Location: http://127.0.0.1:1/\r\n"),
    ],
)
async def test_what_is_no_answer_decides_nothing(client: TrpClient, script: Script) -> None:
    async with listening(script) as listener:
        with pytest.raises(VaspUnreachable) as failed:
            await client.inquire(_url(listener), "key-1", INQUIRY)
    # No text of the other side is stored.
    assert "x" * 20 not in str(failed.value)


async def test_silence_ends_after_the_timeout(client: TrpClient) -> None:
    async def silent(
        listener: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        del writer
        await listener.read(reader)
        await asyncio.sleep(5)

    async with listening(silent) as listener:
        with pytest.raises(VaspUnreachable):
            await client.inquire(_url(listener), "key-1", INQUIRY)


@pytest.mark.parametrize("url", ["http://vasp.example.com/x", "https://10.0.0.1/x", "ftp://a", ""])
async def test_nothing_is_sent_to_where_nothing_may_be_sent(client: TrpClient, url: str) -> None:
    with pytest.raises(FieldInvalid):
        client.check_url("callback", url)
    with pytest.raises(VaspUnreachable):
        await client.inquire(url, "key-1", INQUIRY)


def _url(listener: Listener) -> str:
    return f"http://127.0.0.1:{listener.port}/inquiries?t=i"
