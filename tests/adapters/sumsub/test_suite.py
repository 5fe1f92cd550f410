"""The public contract suite against the adapter and the simulation, and a person through both."""

import asyncio
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec import structs

from landbridge.app.cli import commands
from landbridge.app.container import wire
from landbridge.customers.verification.model import KycStatus
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.adapters.sumsub.kit import sumsub_world, write_sumsub_file
from tests.adapters.sumsub.simulation import webhook
from tests.people import make_person
from tests.providers.sidecar.identity_sidecar import ScriptedVerifier, VerifiedBySidecar
from tests.tenants import SETTINGS, make_tenant, served


@pytest.mark.long
async def test_the_contract_suite_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with sumsub_world() as world:
        path = write_sumsub_file(tmp_path, monkeypatch, world.url, is_sandbox=True)
        arguments = ["adapters", "test", "sumsub", "--file", str(path)]
        result = await asyncio.to_thread(CliRunner().invoke, commands, arguments)
    assert result.exit_code == 0, result.output
    assert " 0 failed" in result.output
    assert "passed   webhooks that the provider did not sign are refused" in result.output
    assert "Sumsub: never run live, by its own description" in result.output


async def test_a_person_is_verified_through_a_running_installation(
    own_database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    async with sumsub_world() as world:
        path = write_sumsub_file(tmp_path, monkeypatch, world.url, is_sandbox=False)
        settings = structs.replace(SETTINGS, providers_file=str(path))
        container = wire(settings, own_database, Clock(await take_node(own_database)))
        assert container.providers is not None
        await container.providers.start()
        try:
            async with served(container) as client:
                org = await make_tenant(container, client)
                verified = VerifiedBySidecar(org, ScriptedVerifier(), "sumsub")
                user = await make_person(org, last_name="Person-Marker")
                await verified.submit(user)
                assert await verified.status(user) is KycStatus.PENDING
                applicant = world.sumsub.only()
                route = f"/v2/users/{user}/kyc/provider-links"
                link = await org.post(route, {"rails": "USD"})
                assert link["url"] == world.sumsub.link
                # A webhook decides nothing, whatever it says: the applicant is queried.
                for answer, reject_type, status in (
                    (None, None, KycStatus.PENDING),
                    ("RED", "RETRY", KycStatus.INCOMPLETE),
                    ("GREEN", None, KycStatus.ACTIVE),
                ):
                    if answer is not None:
                        world.sumsub.review(answer, reject_type, "SCREENSHOTS")
                    body, headers = webhook(applicant.external_user_id)
                    sent = await client.post(
                        "/providers/sumsub/webhooks", content=body, headers=headers
                    )
                    assert sent.status_code == 204
                    await verified.work()
                    assert await verified.status(user) is status
                forged = await client.post("/providers/sumsub/webhooks", content=body)
                assert forged.status_code == 401
        finally:
            await container.providers.close()
    captured = capfd.readouterr()
    for marker in ("Person-Marker", "Comment-Marker", world.sumsub.link):
        assert marker not in captured.out + captured.err
    assert len(world.sumsub.applicants) == 1
