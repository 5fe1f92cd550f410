"""Commands on adapters. `cli` adds them as `landbridge adapters`."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

import click
import msgspec

from landbridge.platform.core.clock import Clock, ReadingClock
from landbridge.platform.core.errors import Upstream
from landbridge.platform.core.money import Asset
from landbridge.providers.packages.discovery import ProviderPackageFailed, find_package
from landbridge.providers.packages.interface import InboundWebhook
from landbridge.providers.packages.process import PackageProcess
from landbridge.providers.packages.verbs import INBOUND_WEBHOOKS_PATH
from landbridge.providers.rails.currencies import FIAT
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.configuration import SidecarSettings, read_providers_file
from landbridge.providers.sidecar.protocol import SidecarDescription
from landbridge.providers.sidecar.suite.deposit_checks import DepositChecks
from landbridge.providers.sidecar.suite.identity_checks import IdentityChecks
from landbridge.providers.sidecar.suite.model import (
    CheckFailed,
    CheckOutcome,
    ContractResult,
    run_check,
)
from landbridge.providers.sidecar.suite.payout_checks import PayeeChecks, run_checks
from landbridge.providers.sidecar.suite.protocol_checks import ProtocolChecks
from landbridge.providers.sidecar.suite.rates_checks import RatesChecks
from landbridge.providers.sidecar.suite.screening_checks import ScreeningChecks
from landbridge.providers.sidecar.suite.sidecar_adapter import SidecarUnderTest
from landbridge.providers.sidecar.suite.travel_checks import TravelChecks
from landbridge.providers.sidecar.suite.webhook_check import check_webhooks

_PAYEE: Mapping[str, Any] = {
    "type": "us",
    "accountHolder": {
        "type": "INDIVIDUAL",
        "name": "Test Payee",
        "address": {
            "addressLine1": "1 Example Street",
            "city": "Springfield",
            "postalCode": "10001",
            "country": "USA",
        },
    },
    "us": {"accountNumber": "000123456789", "routingNumber": "021000021"},
}


@click.group("adapters")
def adapters() -> None:
    """Adapters to providers: check one against the contract, list orders with problems."""


@adapters.command("test")
@click.argument("name")
@click.option(
    "--file",
    "path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    envvar="LANDBRIDGE_PROVIDERS_FILE",
    required=True,
    help="The providers file (default: LANDBRIDGE_PROVIDERS_FILE).",
)
@click.option("--rail", default="ach", show_default=True, help="Rail of the test payouts.")
@click.option(
    "--currency",
    type=click.Choice(list(FIAT)),
    default="usd",
    show_default=True,
    help="Currency of the test payouts.",
    metavar="CURRENCY",
)
@click.option(
    "--payee",
    "payee_path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="JSON file with the payee of the test payouts (default: a made-up person in the USA).",
)
@click.option(
    "--webhook-port", type=int, help="Port of this machine to which the sidecar sends webhooks."
)
def test(
    name: str,
    *,
    path: Path,
    rail: str,
    currency: str,
    payee_path: Path | None,
    webhook_port: int | None,
) -> None:
    """Run the contract suite against provider NAME, which must be in its test mode."""
    settings = read_providers_file(path).sidecars.get(name)
    if settings is None:
        raise click.UsageError(f"{path} has no provider {name}.")
    payee = _PAYEE if payee_path is None else _read_payee(payee_path)
    results = asyncio.run(_test(settings, rail, FIAT[currency], payee, webhook_port))
    for each in results:
        sentence = "" if each.sentence is None else f": {each.sentence}"
        click.echo(f"{each.outcome:8} {each.name}{sentence}")
    failed = sum(each.outcome is CheckOutcome.FAILED for each in results)
    passed = sum(each.outcome is CheckOutcome.PASSED for each in results)
    click.echo(f"{passed} passed, {failed} failed, {len(results) - passed - failed} skipped")
    if failed:
        raise SystemExit(1)


async def _test(
    settings: SidecarSettings,
    rail: str,
    asset: Asset,
    payee: Mapping[str, Any],
    webhook_port: int | None,
) -> Sequence[ContractResult]:
    try:
        async with _reachable(settings) as reachable:
            return await _run(reachable, rail, asset, payee, webhook_port)
    except (Upstream, ProviderPackageFailed) as error:
        raise click.ClickException(str(error)) from error


@asynccontextmanager
async def _reachable(settings: SidecarSettings) -> AsyncGenerator[SidecarSettings]:
    """Yield settings with an address: a package is started during the block."""
    if settings.package is None:
        yield settings
        return
    find_package(settings.name, settings.package.name)
    process = PackageProcess(settings, settings.package)
    try:
        yield replace(settings, url=await process.start())
    finally:
        await process.close()


async def _run(
    settings: SidecarSettings,
    rail: str,
    asset: Asset,
    payee: Mapping[str, Any],
    webhook_port: int | None,
) -> Sequence[ContractResult]:
    clock: Clock = ReadingClock()
    client = SidecarClient(settings, clock)
    hasty = SidecarClient(replace(settings, timeout_s=1), clock)
    try:
        description = await client.describe()
        _check_test_mode(settings.name, description)
        adapter = SidecarUnderTest(
            client, hasty, description.test_outcomes, clock, rail, asset, payee
        )
        protocol = ProtocolChecks(settings, adapter, clock)
        deposits = DepositChecks(protocol, description.deposits)
        screenings = ScreeningChecks(
            protocol, client, hasty, description.screening_outcomes, description.screens
        )
        identities = IdentityChecks(protocol, client, hasty, description.identity_outcomes)
        payees = PayeeChecks(
            protocol, client, description.payee_outcomes, rail, asset.currency, payee
        )
        rates = RatesChecks(protocol, client, clock, description.rates)
        travel = TravelChecks(protocol, client, hasty, description.travel_outcomes)
        if not description.test_outcomes:
            return [
                *await screenings.run(),
                *await identities.run(),
                *await rates.run(),
                *await travel.run(),
                *([] if settings.package is None else [await check_package_webhooks(protocol)]),
            ]
        return [
            *await run_checks(adapter),
            *await protocol.run(),
            *await deposits.run(),
            *await screenings.run(),
            *await payees.run(),
            *await identities.run(),
            *await rates.run(),
            *await travel.run(),
            await check_webhooks(settings, adapter, clock, webhook_port)
            if settings.package is None
            else await check_package_webhooks(protocol),
        ]
    finally:
        await client.close()
        await hasty.close()


def _check_test_mode(name: str, description: SidecarDescription) -> None:
    """Raise `click.UsageError` if the suite might move real money; rates are only read."""
    if description.never_run_live:
        click.echo(f"{description.name}: never run live, by its own description")
    has_outcomes = bool(
        description.test_outcomes
        or description.screening_outcomes
        or description.identity_outcomes
        or description.travel_outcomes
    )
    if not has_outcomes and (description.deposits or not description.rates):
        raise click.UsageError(
            f"Provider {name} has no test outcomes: it is not in a test mode, and "
            "might move real money."
        )


def _read_payee(path: Path) -> Mapping[str, Any]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise click.UsageError(f"{path} must hold a JSON object.") from error


_NAME = "webhooks that the provider did not sign are refused"
_BODIES = (b"", b"{}", b"[]", b"\xff", b'{"id": "evt_1", "type": "payout.paid"}', b"x" * 60_000)
_HEADERS: Sequence[Mapping[str, str]] = (
    {},
    {"content-type": "application/json", "signature": "t=1,v1=00", "x-signature": "a"},
)


async def check_package_webhooks(protocol: ProtocolChecks) -> ContractResult:
    """Run the check; it is skipped if the package does not verify webhooks."""

    async def check() -> str | None:
        statuses: set[int | None] = set()
        for headers in _HEADERS:
            for body in _BODIES:
                message = InboundWebhook(headers=headers, body=body)
                encoded = msgspec.json.encode(message)
                statuses.add(await protocol.send(INBOUND_WEBHOOKS_PATH, encoded))
        if statuses == {HTTPStatus.NOT_FOUND}:
            return "the package reads no webhooks"
        if statuses != {HTTPStatus.FORBIDDEN}:
            raise CheckFailed("a webhook without a valid signature was not refused")
        return None

    return await run_check(_NAME, check)
