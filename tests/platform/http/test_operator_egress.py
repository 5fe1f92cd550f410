"""Addresses that the operator configures: private ones too, and never those of credentials."""

from ipaddress import ip_address

import pytest

from landbridge.platform.http.egress import Egress, EgressExchange
from landbridge.platform.http.egress_addresses import (
    AddressRefused,
    is_link_local,
    is_outside,
    read_operator_url,
)
from tests.platform.http.listeners import Script, answer, answer_ok, listening


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://127.0.0.1:9000/", "http://127.0.0.1:9000"),
        ("http://acme-sidecar:9000/a/", "http://acme-sidecar:9000/a"),
        ("http://10.1.2.3", "http://10.1.2.3"),
        ("http://[fd00::1]:80", "http://[fd00::1]:80"),
        ("https://example.com", "https://example.com"),
        ("HTTPS://Example.com:444", "https://example.com:444"),
    ],
)
def test_operator_url_is_taken(text: str, url: str) -> None:
    assert read_operator_url(text) == url


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ftp://example.com",
        "http://8.8.8.8",
        "http://169.254.169.254/latest",
        "https://169.254.169.254",
        "https://[::ffff:169.254.169.254]",
        "https://user:password@example.com",
        "https://example.com/#a",
        "http://0x7f.1",
        "https://example.com:0",
        "https://example.com:70000",
    ],
)
def test_operator_url_is_refused(text: str) -> None:
    with pytest.raises(AddressRefused):
        read_operator_url(text)


def test_plain_http_stays_inside() -> None:
    assert not any(
        is_outside(ip_address(each))
        for each in ("127.0.0.1", "::1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "fd00::1")
    )
    assert all(
        is_outside(ip_address(each)) for each in ("8.8.8.8", "172.32.0.1", "169.254.169.254")
    )
    assert is_link_local(ip_address("169.254.169.254"))


async def exchange(script: Script, url: str | None = None, **changes: int) -> EgressExchange:
    egress = Egress.for_operator(is_plain=True, connections=4)
    async with listening(script) as found:
        reply = await egress.exchange(
            url or f"http://127.0.0.1:{found.port}/a",
            body=b"{}",
            headers={"X-Own": "1"},
            timeout_s=changes.get("timeout_s", 5),
            bytes_max=changes.get("bytes_max", 1000),
        )
    await egress.close()
    return reply


async def test_exchange_returns_status_headers_and_body() -> None:
    got = await exchange(
        answer(b"HTTP/1.1 418 X\r\nContent-Length: 3\r\nX-Sign: Ab\r\n\r\n\xff\x00a")
    )
    assert (got.status, got.error, got.content) == (418, None, b"\xff\x00a")
    assert got.headers["x-sign"] == "Ab"


async def test_exchange_reads_up_to_its_bound() -> None:
    assert (await exchange(answer_ok, bytes_max=2)).content == b"ok"
    long = await exchange(answer_ok, bytes_max=1)
    assert (long.status, long.error, long.is_unsent) == (
        None,
        "the answer had more than 1 bytes",
        False,
    )


async def test_exchange_takes_nothing_compressed() -> None:
    packed = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nab"
    assert (await exchange(answer(packed))).error == "the answer was compressed"


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://192.0.2.1:81/"])
async def test_what_was_not_connected_was_not_sent(url: str) -> None:
    got = await exchange(answer_ok, url)
    assert got.status is None
    assert got.is_unsent


async def test_a_connection_that_breaks_may_have_sent_it() -> None:
    got = await exchange(answer(b"HTTP/1"), timeout_s=1)
    assert got.status is None
    assert not got.is_unsent
