"""Rates of a connected provider: quoted as those of a market, or not at all."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from decimal import Decimal
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from msgspec import structs

from landbridge.app.cli import commands
from landbridge.app.container import Container, wire
from landbridge.app.settings import SettingsInvalid
from landbridge.platform.core.clock import Clock, ReadingClock
from landbridge.platform.core.errors import Unavailable
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.rates.errors import PriceUnavailable, RatesRejected
from landbridge.providers.rates.feeds import PRICED, Observation
from landbridge.providers.sidecar.price_feed import ProviderFeed
from tests.platform.http.listeners import Listener, listening
from tests.providers.sidecar.kit import (
    KEY,
    TEMPLATES,
    answering,
    client_of,
    python_template,
    sidecar_process,
)
from tests.tenants import SETTINGS, Tenant, make_tenant, served

NOW = ReadingClock().now()


def providers_file(folder: Path, port: int) -> Path:
    (folder / "secret").write_bytes(KEY.secret)
    path = folder / "providers.toml"
    path.write_text(
        f'[providers.acme]\nurl = "http://127.0.0.1:{port}"\n'
        f'keys = [{{ id = "{KEY.id}", secret_file = "secret" }}]\n\n[rates]\nprovider = "acme"\n'
    )
    return path


@asynccontextmanager
async def priced(database: Database, folder: Path, port: int) -> AsyncGenerator[Tenant]:
    settings = structs.replace(SETTINGS, providers_file=str(providers_file(folder, port)))
    container: Container = wire(settings, database, Clock(await take_node(database)))
    async with served(container) as client:
        yield await make_tenant(container, client)
    assert container.providers is not None
    await container.providers.close()


async def test_a_provider_prices_a_pair(own_database: Database, tmp_path: Path) -> None:
    async with (
        sidecar_process(python_template(tmp_path / "orders.db")) as port,
        priced(own_database, tmp_path, port) as org,
    ):
        market = org.container.market
        assert market is not None
        await market.refresh()
        assert await market.usd("eur") == Decimal("1.17")
        rates = await org.get("/v2/offramps/rates", fromCurrency="usdc", toCurrency="brl")
        # 0.9999 dollars buy reais of 0.1825 dollars, less a margin of half a percent.
        assert rates["conversionRate"] == "5.45150958904109589"
        (acme, *_) = (await org.get("/v2/providers"))["providers"]
        assert [each["service"] for each in acme["serves"]] == ["RATES"]
        assert acme["health"] == "HEALTHY"


async def test_a_silent_provider_stops_quotes_and_no_payment(
    own_database: Database, tmp_path: Path
) -> None:
    async with priced(own_database, tmp_path, 1) as org:
        assert org.container.market is not None
        await org.container.market.refresh()
        with pytest.raises(PriceUnavailable):
            await org.container.market.check_quotable("usdc")
        (acme, *_) = (await org.get("/v2/providers"))["providers"]
        assert acme["health"] == "FAILING"


async def observed(message: Any, status: int = HTTPStatus.OK) -> Mapping[str, Observation]:
    queries: list[Any] = []

    def behave(path: str, query: dict[str, Any]) -> tuple[int, Any]:
        queries.append((path, query))
        return status, message

    async with listening(answering(behave)) as found, client_of(found.port) as client:
        answer = await ProviderFeed(client).observe(NOW)
    assert queries == [("/v1/rates/query", {"currencies": sorted(PRICED)})]
    return {each.currency: each for each in answer}


async def test_what_was_not_in_the_query_is_ignored() -> None:
    at = NOW - timedelta(seconds=3)
    found = await observed({"at": at.isoformat(), "usd": {"eur": "1.17", "xau": "4000"}})
    assert found == {"eur": Observation("eur", Decimal("1.17"), at)}


@pytest.mark.parametrize(
    ("usd", "ahead_s"),
    [
        ({"eur": "0"}, 0),
        ({"eur": "1001"}, 0),
        ({"eur": "1.17", "brl": "0.0000001"}, 0),
        ({"eur": "1.17"}, 300),
        ({"eur": "1.17"}, -90_000),
    ],
)
async def test_one_wrong_value_makes_all_of_them_invalid(usd: Any, ahead_s: int) -> None:
    at = NOW + timedelta(seconds=ahead_s)
    with pytest.raises(RatesRejected):
        await observed({"at": at.isoformat(), "usd": usd})


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"at": NOW.isoformat()},
        {"at": NOW.isoformat(), "usd": {"eur": 1.17}},
        {"at": NOW.isoformat(), "usd": {"eur": "1e3"}},
        {"at": NOW.isoformat(), "usd": {"eur": "-1"}},
        {"at": NOW.isoformat(), "usd": {"eur": "NaN"}},
        {"at": NOW.replace(tzinfo=None).isoformat(), "usd": {"eur": "1.17"}},
        {"at": NOW.isoformat(), "usd": {f"e{n:04}": "1" for n in range(101)}},
        b"[" * 10_000,
    ],
)
async def test_a_malformed_answer_is_none(message: Any) -> None:
    with pytest.raises(Unavailable):
        await observed(message)


@pytest.mark.parametrize("status", [400, 401, 404, 500, 503])
async def test_an_error_is_no_answer(status: int) -> None:
    with pytest.raises(Unavailable):
        await observed({"code": "invalid"}, status)


async def test_a_slow_provider_is_left_before_the_next_call() -> None:
    async def script(self: Listener, reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await self.read(reader)
        await asyncio.sleep(3600)

    async with listening(script) as found, client_of(found.port, timeout_s=30) as client:
        with pytest.raises(Unavailable, match="took too long"):
            await ProviderFeed(client, deadline_s=0.2).observe(NOW)


async def test_two_sources_of_prices_are_refused(database: Database, tmp_path: Path) -> None:
    path = str(providers_file(tmp_path, 1))
    settings = structs.replace(SETTINGS, providers_file=path, price_feed="kraken")
    with pytest.raises(SettingsInvalid, match="has rates of acme: leave one of them out"):
        wire(settings, database, ReadingClock())
    off = wire(structs.replace(settings, price_feed="off"), database, ReadingClock())
    assert off.market is None


async def suite_of(folder: Path, right: str, wrong: str) -> Result:
    """Run the contract suite against the template, but with rates only, and another line."""
    program = folder / "sidecar.py"
    text = (TEMPLATES / "sidecar.py").read_text()
    for line in ("outcomes", "screened", "payees", "verified", "exchanged"):
        text = text.replace(f"{line} if self.is_test else []", "[]")
    text = text.replace('["usd", "eur", "brl", "mxn"]', "[]")
    assert right in text, f"the template no longer has: {right}"
    program.write_text(text.replace(right, wrong))
    command = python_template(folder / "orders.db")
    command[1] = str(program)
    async with sidecar_process(command) as port:
        path = str(providers_file(folder, port))
        arguments = ["adapters", "test", "acme", "--file", path]
        return await asyncio.to_thread(CliRunner().invoke, commands, arguments)


async def test_the_suite_reads_rates_of_a_provider_without_a_test_mode(tmp_path: Path) -> None:
    result = await suite_of(tmp_path, '"eur": "1.17"', '"eur": "1.18"')
    assert result.exit_code == 0, result.output
    assert "3 passed, 0 failed, 0 skipped" in result.output


@pytest.mark.parametrize(
    ("right", "wrong", "check"),
    [
        ('"eur": "1.17"', '"eur": "0"', "every currency that it lists has a price"),
        ('"eur": "1.17"', '"xau": "1"', "every currency that it lists has a price"),
        ("if each in VALUES}", 'if each == "eur"}', "every currency that it lists has a price"),
        (
            'at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())',
            'at = "2020-01-01T00:00:00Z"',
            "a query for one currency is answered with its price",
        ),
        ("or not currencies", "and not currencies", "invalid requests about rates are refused"),
    ],
)
async def test_the_suite_finds_a_fault(tmp_path: Path, right: str, wrong: str, check: str) -> None:
    result = await suite_of(tmp_path, right, wrong)
    assert result.exit_code == 1, result.output
    assert f"FAILED   {check}" in result.output
