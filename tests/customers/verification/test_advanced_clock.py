"""Advancing a sandbox's clock returns only when due work is done, whoever does it."""

import asyncio
from datetime import timedelta

from typing_extensions import override

from landbridge.customers.verification.model import KycStatus
from landbridge.providers.identity.port import ApplicationStatus
from tests.customers.verification.verification_setup import (
    case_of,
    run,
    services_with,
    submitted,
)
from tests.people import make_person
from tests.providers.identity.contract import approved
from tests.providers.identity.faulty import ScriptedIdentity
from tests.tenants import Tenant


class Slow(ScriptedIdentity):
    """Identity provider that returns a review's status only when released."""

    def __init__(self) -> None:
        super().__init__()
        self.default = approved()
        self.is_queried, self.may_answer = asyncio.Event(), asyncio.Event()

    @override
    async def status(self, reference: str, *, waited: timedelta) -> ApplicationStatus:
        self.is_queried.set()
        await self.may_answer.wait()
        return await super().status(reference, waited=waited)


async def test_a_step_begun_by_another_worker_is_awaited(still_org: Tenant) -> None:
    org, identity = still_org, Slow()
    worker, here = (
        services_with(org.container, identity),
        services_with(org.container, identity),
    )
    user = await make_person(org)
    await submitted(worker, org, user)
    await run(worker, org)
    ahead = {org.org_id: timedelta(seconds=10)}
    working = asyncio.create_task(worker.verification.run_all(ahead))
    await identity.is_queried.wait()
    moving = asyncio.create_task(here.verification.see_through(ahead))
    await asyncio.wait([moving], timeout=0.3)
    assert not moving.done()
    identity.may_answer.set()
    await asyncio.gather(working, moving)
    assert (await case_of(here, org, user)).status is KycStatus.ACTIVE
