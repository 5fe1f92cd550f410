"""The public contract suite against the adapter and the simulation, and a payout through both."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from msgspec import structs

from landbridge.app.cli import commands
from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.adapters.ebanx.kit import CPF, PIX, SPEI, ebanx_world, write_ebanx_file
from tests.payouts import accept, check_books, make_account, make_offramp, make_payee, shown, way
from tests.tenants import SETTINGS, held, make_tenant, run_due, served


@pytest.mark.long
@pytest.mark.parametrize(
    ("rail", "currency", "payee"), [("pix", "brl", PIX), ("spei", "mxn", SPEI)]
)
async def test_the_contract_suite_passes(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rail: str,
    currency: str,
    payee: dict[str, Any],
) -> None:
    (tmp_path / "payee.json").write_bytes(msgspec.json.encode(payee))
    async with ebanx_world() as world:
        world.ebanx.settles_after_s, world.ebanx.is_open = 0.3, True
        path = write_ebanx_file(tmp_path, monkeypatch, world.url, is_sandbox=True)
        arguments = ["adapters", "test", "ebanx", "--file", str(path), "--rail", rail]
        arguments += ["--currency", currency, "--payee", str(tmp_path / "payee.json")]
        result = await asyncio.to_thread(CliRunner().invoke, commands, arguments)
    assert result.exit_code == 0, result.output
    assert " 0 failed" in result.output
    assert "EBANX: never run live, by its own description" in result.output


async def test_a_payout_by_pix_through_a_running_installation(
    own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = way("brazilGlobalNetwork")
    async with ebanx_world() as world:
        world.ebanx.settles_after_s, world.ebanx.is_open = 3_600, True
        path = write_ebanx_file(tmp_path, monkeypatch, world.url, is_sandbox=False)
        settings = structs.replace(SETTINGS, providers_file=str(path))
        container = wire(settings, own_database, Clock(await take_node(own_database)))
        async with served(container) as client:
            org = await make_tenant(container, client)
            ada = await make_payee(org, case.table.kyc)
            account = await make_account(org, ada, case)
            made = await make_offramp(org, ada, account, 100, destination={"currency": "brl"})
            offramp = await accept(org, made)
            await run_due(org)
            assert (await shown(org, offramp))["status"] == "FIAT_PENDING"
            ordered = world.ebanx.only()
            assert (ordered.form["target_account"], ordered.status) == (CPF, "PE")
            world.ebanx.settles_after_s = 0
            await run_due(org)
            assert await held(org, ada) == "900"
            await check_books(org)
        assert container.providers is not None
        await container.providers.close()
    assert len(world.ebanx.payouts) == 1
