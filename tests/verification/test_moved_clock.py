"""Whoever moves a sandbox's clock finds done what fell due, whoever did it."""

import asyncio
from datetime import timedelta

from typing_extensions import override

from landbridge.identity.port import Standing
from landbridge.verification.model import KycStatus
from tests.identity.contract import approved
from tests.identity.faulty import ScriptedIdentity
from tests.people import make_person
from tests.tenants import Tenant
from tests.verification.play import case_of, desk, run, submitted


class Slow(ScriptedIdentity):
    """Says how a review stands only when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.default = approved()
        self.is_asked, self.may_answer = asyncio.Event(), asyncio.Event()

    @override
    async def status(self, reference: str, *, waited: timedelta) -> Standing:
        self.is_asked.set()
        await self.may_answer.wait()
        return await super().status(reference, waited=waited)


async def test_what_a_worker_has_just_begun_is_waited_for(still_org: Tenant) -> None:
    org, identity = still_org, Slow()
    worker, here = desk(org.house, identity), desk(org.house, identity)
    user = await make_person(org)
    await submitted(worker, org, user)
    await run(worker, org)
    ahead = {org.org_id: timedelta(seconds=10)}
    working = asyncio.create_task(worker.verification.run_all(ahead))
    await identity.is_asked.wait()
    moving = asyncio.create_task(here.verification.see_through(ahead))
    await asyncio.wait([moving], timeout=0.3)
    assert not moving.done()
    identity.may_answer.set()
    await asyncio.gather(working, moving)
    assert (await case_of(here, org, user)).status is KycStatus.ACTIVE
