"""Sumsub behind a running installation: share tokens, and workers that are killed."""

import asyncio
from pathlib import Path

import pytest

from landbridge.customers.verification.model import KycStatus
from landbridge.platform.db.pool import Database
from tests.adapters.sumsub.kit import LEVEL, SumsubWorld, sumsub_world, write_sumsub_file
from tests.adapters.sumsub.simulation import SHARE_TOKEN
from tests.people import make_person, status_of, submit
from tests.providers.sidecar.identity_sidecar import ScriptedVerifier, VerifiedBySidecar
from tests.providers.sidecar.test_application_kills import (
    PATIENCE_S,
    kill,
    organisation,
    running_worker,
    until_active,
)

APPROVED = {"reviewStatus": "completed", "reviewResult": {"reviewAnswer": "GREEN"}}


@pytest.mark.parametrize("share_token", [SHARE_TOKEN, "token-that-is-old"])
async def test_a_share_token_is_taken_or_the_user_submits_again(
    own_database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    share_token: str,
) -> None:
    async with sumsub_world() as world:
        world.sumsub.reused_review = APPROVED
        path = write_sumsub_file(tmp_path, monkeypatch, world.url, is_sandbox=False)
        async with organisation(own_database, path) as org:
            verified = VerifiedBySidecar(org, ScriptedVerifier(), "sumsub")
            user = await make_person(org)
            route = f"/v2/users/{user}/kyc/shared-submissions"
            await org.post(route, {"rails": "USD", "shareToken": share_token})
            for _ in range(2):
                await verified.work()
            status = await verified.status(user)
        if share_token == SHARE_TOKEN:
            assert (status, world.sumsub.only().level) == (KycStatus.ACTIVE, LEVEL)
        else:
            assert (status, len(world.sumsub.applicants)) == (KycStatus.CONTACT_SUPPORT, 0)
    captured = capfd.readouterr()
    assert share_token not in captured.out + captured.err


@pytest.mark.long
@pytest.mark.parametrize("call", ["create", "change"])
async def test_a_killed_worker_leaves_one_applicant_that_is_decided_once(
    own_dsn: str,
    own_database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: str,
) -> None:
    async with sumsub_world() as world:
        world.sumsub.silent.add(call)
        path = write_sumsub_file(tmp_path, monkeypatch, world.url, is_sandbox=False)
        async with organisation(own_database, path) as org:
            user = await make_person(org)
            await submit(org, user)
            async with running_worker(own_dsn, path) as worker:
                await until_called(world, call)
                await kill(worker)  # while Sumsub has done it, and nobody has its answer
            assert (await status_of(org, user))["status"] == "CREATED"
            world.sumsub.silent.clear()
            world.sumsub.only().review = APPROVED
            # The pause of the claim ends.
            await org.post("/v2/sandbox/clock/advance", {"seconds": 90})
            async with running_worker(own_dsn, path):
                await until_active(org, user)
            assert len(world.sumsub.applicants) == world.sumsub.calls["create"] == 1
            rows = await own_database.rows("select state, problem from provider_applications")
            assert [(row["state"], row["problem"]) for row in rows] == [("APPROVED", None)]


async def until_called(world: SumsubWorld, call: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not world.sumsub.calls[call]:  # noqa: ASYNC110  another process calls
            await asyncio.sleep(0.05)
