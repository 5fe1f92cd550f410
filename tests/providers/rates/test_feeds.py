"""Feeds return plausible plain prices, or an error with the reason."""

import gzip
import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from landbridge.platform.core.errors import Unavailable
from landbridge.providers.rates.errors import RatesRejected
from landbridge.providers.rates.feeds import JsonFeed, Kraken
from landbridge.providers.rates.fetching import check_location, fetch
from tests.providers.rates.http_server import Answering

NOW = datetime(2026, 3, 4, 16, 0, tzinfo=UTC)
AT = "2026-03-04T15:59:58Z"


def ticker(name: str, *, bid: object, ask: object) -> bytes:
    """Build a response of the exchange about one market."""
    book = {
        "a": [ask, "25000", "25000.000"],
        "b": [bid, "1200", "1200.000"],
        "c": ["0.99985", "310.5"],
        "v": ["3350112.1", "8101113.9"],
        "p": ["0.99981", "0.99979"],
        "t": [1201, 2911],
        "l": ["0.9996", "0.9996"],
        "h": ["1.0001", "1.0002"],
        "o": "0.99990",
    }
    return json.dumps({"error": [], "result": {name: book}}).encode()


async def test_the_exchange_answers_the_middle_of_each_market(answering: Answering) -> None:
    answering.by_path = {
        "/rates?pair=USDCUSD": ticker("USDCUSD", bid="0.9998", ask="0.9999"),
        # Some markets have another name in the response.
        "/rates?pair=USDTUSD": ticker("USDTZUSD", bid="1.0003", ask="1.0004"),
        "/rates?pair=USDGUSD": ticker("USDGUSD", bid="1.0000", ask="1.0000"),
        "/rates?pair=EURUSD": ticker("ZEURZUSD", bid="1.16990", ask="1.16995"),
    }
    found = await Kraken(answering.url).observe(NOW)
    assert {each.currency: each.usd for each in found} == {
        "usdc": Decimal("0.99985"),
        "usdt": Decimal("1.00035"),
        "usdg": Decimal(1),
        "eur": Decimal("1.169925"),
    }
    assert {each.at for each in found} == {NOW}


async def test_a_market_that_is_closed_silences_itself_alone(answering: Answering) -> None:
    answering.content = json.dumps({"error": ["EQuery:Unknown asset pair"]}).encode()
    answering.by_path = {"/rates?pair=EURUSD": ticker("ZEURZUSD", bid="1.17", ask="1.17")}
    found = await Kraken(answering.url).observe(NOW)
    assert [each.currency for each in found] == ["eur"]


HOSTILE_TICKERS = {
    "nothing": b"",
    "a page": b"<html></html>",
    "an error": b'{"error": ["EService:Unavailable"], "result": {}}',
    "no result": b'{"error": []}',
    "two markets": b'{"error": [], "result": {"A": {"a":["1"],"b":["1"]}, "B":{}}}',
    "no price": b'{"error": [], "result": {"A": {"a": [], "b": ["1"]}}}',
    "bytes that are no text": b'{"error": ["\xff"], "result": {}}',
    "NaN": ticker("A", bid="NaN", ask="NaN"),
    "infinite": ticker("A", bid="Infinity", ask="Infinity"),
    "negative": ticker("A", bid="-1", ask="-1"),
    "nought": ticker("A", bid="0", ask="0"),
    "huge": ticker("A", bid="1e400", ask="1e400"),
    "beyond reason": ticker("A", bid="1000.01", ask="1000.01"),
    "too fine": ticker("A", bid="1." + "0" * 30 + "1", ask="1.01"),
    "crossed": ticker("A", bid="1.01", ask="1.00"),
    "far apart": ticker("A", bid="0.98", ask="1.00"),
    "underscores": ticker("A", bid="1_0", ask="1_0"),
    "an exponent": ticker("A", bid="1e0", ask="1e0"),
    "two of one": b'{"error": [], "result": {"A": {"a": ["1"], "a": ["2"], "b": ["1"]}}}',
    "very deep": b'{"error": [], "x": ' + b"[" * 90_000,
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE_TICKERS)
async def test_an_exchange_that_answers_nonsense(answering: Answering, name: str) -> None:
    answering.content = HOSTILE_TICKERS[name]
    with pytest.raises(RatesRejected):
        await Kraken(answering.url).observe(NOW)


async def test_a_slow_response_times_out(answering: Answering) -> None:
    answering.content, answering.pause_s = ticker("A", bid="1", ask="1"), 0.1
    with pytest.raises(Unavailable, match="TimeoutError"):
        await fetch(answering.url, bytes_max=10_000, deadline_s=1)


async def test_an_exchange_that_does_not_answer() -> None:
    with pytest.raises(Unavailable):
        await Kraken("http://127.0.0.1:1/rates").observe(NOW)


async def test_a_custom_feed_by_http_and_from_a_file(answering: Answering, tmp_path: Path) -> None:
    document = f'{{"at": "{AT}", "usd": {{"usdc": "0.9999", "brl": 0.1825}}}}'.encode()
    answering.content = document
    file = tmp_path / "prices.json"
    file.write_bytes(document)
    by_http = await JsonFeed(answering.url).observe(NOW)
    in_a_file = await JsonFeed(str(file)).observe(NOW)
    assert by_http == in_a_file
    assert [(each.currency, str(each.usd)) for each in in_a_file] == [
        ("usdc", "0.9999"),
        ("brl", "0.1825"),
    ]
    assert in_a_file[0].at == datetime(2026, 3, 4, 15, 59, 58, tzinfo=UTC)


HOSTILE_FEEDS = {
    "nothing": "",
    "a page": "<html></html>",
    "no prices": f'{{"at": "{AT}", "usd": {{}}}}',
    "no time": '{"usd": {"usdc": "1"}}',
    "a time of nowhere": '{"at": "2026-03-04T15:59:58", "usd": {"usdc": "1"}}',
    "the future": '{"at": "2026-03-04T16:01:01Z", "usd": {"usdc": "1"}}',
    "more than that": f'{{"at": "{AT}", "usd": {{"usdc": "1"}}, "eur": {{}}}}',
    "a currency that is none": f'{{"at": "{AT}", "usd": {{"usd-hka": "1"}}}}',
    "a long currency": f'{{"at": "{AT}", "usd": {{"{"a" * 400}": "1"}}}}',
    "null": f'{{"at": "{AT}", "usd": {{"usdc": null}}}}',
    "NaN": f'{{"at": "{AT}", "usd": {{"usdc": "NaN"}}}}',
    "a bare NaN": f'{{"at": "{AT}", "usd": {{"usdc": NaN}}}}',
    "negative": f'{{"at": "{AT}", "usd": {{"usdc": -1}}}}',
    "huge": f'{{"at": "{AT}", "usd": {{"usdc": 1e300}}}}',
    "too fine": f'{{"at": "{AT}", "usd": {{"usdc": 1e-30}}}}',
    "too old": '{"at": "2026-03-03T15:59:59Z", "usd": {"usdc": "1"}}',
    "before there was time": '{"at": "0001-01-01T00:00:00+23:59", "usd": {"usdc": "1"}}',
    "when time is over": '{"at": "9999-12-31T23:59:59-23:59", "usd": {"usdc": "1"}}',
    "an exponent": f'{{"at": "{AT}", "usd": {{"usdc": 1e0}}}}',
    "a huge exponent": f'{{"at": "{AT}", "usd": {{"usdc": "1e-999999999999999999999"}}}}',
    "underscores": f'{{"at": "{AT}", "usd": {{"usdc": "1_0"}}}}',
    "spaces": f'{{"at": "{AT}", "usd": {{"usdc": " 1 "}}}}',
    "figures of other scripts": f'{{"at": "{AT}", "usd": {{"usdc": "\uff11"}}}}',
    "a truth": f'{{"at": "{AT}", "usd": {{"usdc": true}}}}',
    "a currency twice": f'{{"at": "{AT}", "usd": {{"usdc": "0.5", "usdc": "1"}}}}',
    "a time twice": f'{{"at": "{AT}", "at": "{AT}", "usd": {{"usdc": "1"}}}}',
    "very deep": "[" * 190_000,
    "very deep within": f'{{"at": "{AT}", "usd": {{"usdc": ' + "[" * 90_000,
    "one good and one bad": f'{{"at": "{AT}", "usd": {{"usdc": "1", "brl": "0"}}}}',
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE_FEEDS)
async def test_an_invalid_feed_is_rejected(tmp_path: Path, name: str) -> None:
    file = tmp_path / "prices.json"
    file.write_text(HOSTILE_FEEDS[name], encoding="utf-8")
    with pytest.raises(RatesRejected):
        await JsonFeed(str(file)).observe(NOW)


@pytest.mark.parametrize("code", ["usdd", "USDC", "usd", "usdHifi", "chf", ""])
async def test_an_unknown_currency_code_is_named(tmp_path: Path, code: str) -> None:
    file = tmp_path / "prices.json"
    document = {"at": AT, "usd": {"usdc": "1", code: "1"}}
    file.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(RatesRejected, match=f"'{code}' is no currency"):
        await JsonFeed(str(file)).observe(NOW)


async def test_a_compressed_response_is_rejected(answering: Answering) -> None:
    answering.content, answering.encoding = gzip.compress(b" " * 1_000), "gzip"
    with pytest.raises(RatesRejected, match="packed"):
        await fetch(answering.url, bytes_max=10_000)


async def test_a_feed_that_is_too_long_or_no_file(tmp_path: Path) -> None:
    file = tmp_path / "prices.json"
    file.write_bytes(b" " * 200_001)
    with pytest.raises(RatesRejected, match="more than belongs"):
        await JsonFeed(str(file)).observe(NOW)
    with pytest.raises(RatesRejected, match="ordinary file"):
        await JsonFeed(str(tmp_path)).observe(NOW)
    with pytest.raises(Unavailable, match="can't be read"):
        await JsonFeed(str(tmp_path / "none")).observe(NOW)


@pytest.mark.parametrize(
    "url",
    ["http://example.com/rates", "ftp://example.com/rates", "https://", "file:///etc/passwd", " ",
     "https://user:password@example.com/", "http://127.0.0.1.example.com/"],
)  # fmt: skip
def test_unsafe_locations_are_rejected(url: str) -> None:
    with pytest.raises(ValueError, match=r"must|empty"):
        check_location(url)


@pytest.mark.parametrize(
    "url",
    ["https://example.com/rates?key=1", "http://localhost:8000/", "rates.xml", "/var/rates"],
)
def test_safe_locations_are_accepted(url: str) -> None:
    check_location(url)
