"""Verification by real processes: workers killed between claim, call and record."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.people import make_person, status_of, submit
from tests.platform.http.listeners import listening
from tests.providers.sidecar.identity_sidecar import ScriptedVerifier, identity_file
from tests.providers.sidecar.kit import answering
from tests.providers.sidecar.test_screening_kills import HeldWriter
from tests.tenants import SETTINGS, Tenant, make_tenant, served
from tests.waiting import holding, waiting

# Two real workers for each case: the short form of the long tests plays two of them.
pytestmark = pytest.mark.long

# A worker may take half a minute to start where other tests run.
PATIENCE_S = 90
# The call in which the first worker is killed, and the lock that it waits for then: none of them
# means that it waits for the answer, or that it was not called yet.
_CASES, _APPLICATIONS = "kyc_cases", "provider_applications"
_KILLS = {
    "before the claim": (None, _CASES),
    "before the application is stored": (None, _APPLICATIONS),
    "during the creation": ("/v1/applications", None),
    "before the answer is stored": ("/v1/applications", _APPLICATIONS),
    "during the submission": ("/v1/applications/submit", None),
    "before the case has it": ("/v1/applications/submit", _CASES),
}


@dataclass
class StallingVerifier(ScriptedVerifier):
    """Sidecar that does not answer one call until it may."""

    stalls_at: str | None = None
    is_asked: asyncio.Event = field(default_factory=asyncio.Event)
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)

    def answer(self, path: str, message: dict[str, Any]) -> tuple[int, Any]:
        """Answer a call."""
        if path == self.stalls_at:
            self.is_asked.set()
        return super().answer(path, message)


@pytest.mark.parametrize(
    "moment",
    [
        pytest.param("before the claim", marks=pytest.mark.wide),
        pytest.param("before the application is stored", marks=pytest.mark.wide),
        "during the creation",
        pytest.param("before the answer is stored", marks=pytest.mark.wide),
        pytest.param("during the submission", marks=pytest.mark.wide),
        "before the case has it",
    ],
)
async def test_a_killed_worker_leaves_one_application_that_is_decided_once(
    own_dsn: str, own_database: Database, tmp_path: Path, moment: str
) -> None:
    call, table = _KILLS[moment]
    sidecar = StallingVerifier(stalls_at=call)
    script = answering(sidecar.answer)

    async def stall(self: Any, reader: Any, writer: Any) -> None:
        await script(self, reader, HeldWriter(sidecar, writer))  # type: ignore[arg-type]

    lock = "select" if table is None else f"lock table {table} in share mode"
    async with listening(stall) as found:
        path = identity_file(tmp_path, found.port, "acme")
        async with organisation(own_database, path) as org:
            user = await make_person(org)
            await submit(org, user)
            if call is None:
                async with holding(own_database, lock), running_worker(own_dsn, path) as worker:
                    await waiting(own_database, 1, patience_s=PATIENCE_S)
                    await kill(worker)
            else:
                async with running_worker(own_dsn, path) as worker:
                    await asyncio.wait_for(sidecar.is_asked.wait(), PATIENCE_S)
                    async with holding(own_database, lock):
                        if table is not None:
                            sidecar.may_answer.set()
                            await waiting(own_database, 1, patience_s=PATIENCE_S)
                        await kill(worker)
            sidecar.may_answer.set()
            assert (await status_of(org, user))["status"] == "CREATED"
            # The pause of the claim ends.
            await org.post("/v2/sandbox/clock/advance", {"seconds": 90})
            async with running_worker(own_dsn, path):
                await until_active(org, user)
            assert len(sidecar.states) == 1
            rows = await own_database.rows("select state, problem from provider_applications")
            assert [(row["state"], row["problem"]) for row in rows] == [("APPROVED", None)]


async def until_active(org: Tenant, user: str) -> None:
    """Wait until a user is verified; the organisation's time passes quickly."""
    async with asyncio.timeout(PATIENCE_S):
        while (await status_of(org, user))["status"] != "ACTIVE":
            await org.post("/v2/sandbox/clock/advance", {"seconds": 60})
            await asyncio.sleep(0.5)


async def kill(worker: asyncio.subprocess.Process) -> None:
    """Kill a worker with SIGKILL."""
    worker.kill()
    await worker.wait()


@asynccontextmanager
async def organisation(database: Database, path: Path) -> AsyncGenerator[Tenant]:
    """Yield an organisation of a sandbox with these providers."""
    settings = structs.replace(SETTINGS, providers_file=str(path))
    container = wire(settings, database, Clock(await take_node(database)))
    async with served(container) as client:
        yield await make_tenant(container, client)
    assert container.providers is not None
    await container.providers.close()


@asynccontextmanager
async def running_worker(dsn: str, path: Path) -> AsyncGenerator[asyncio.subprocess.Process]:
    """Run a worker in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.providers.sidecar.sandbox_worker", dsn, str(path)
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
