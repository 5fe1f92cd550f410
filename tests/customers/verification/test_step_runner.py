"""Steps of several organisations, with a provider that does not answer."""

import asyncio
from datetime import timedelta
from uuid import UUID

import pytest
from typing_extensions import override

from landbridge.customers.verification import provider_checks
from landbridge.customers.verification.model import KycStatus
from landbridge.platform.core.errors import Unclear
from landbridge.providers.identity.port import Applicant
from tests.customers.verification.verification_setup import case_of, services_with, submitted
from tests.people import make_person
from tests.providers.identity.faulty import ScriptedIdentity
from tests.tenants import Tenant, make_tenant


class SilentIdentity(ScriptedIdentity):
    """Provider that does not answer for one organisation."""

    def __init__(self, org_id: UUID) -> None:
        super().__init__()
        self.org_id = org_id
        self.answer = asyncio.Event()

    @override
    async def create(self, applicant: Applicant) -> str:
        if applicant.org_id == self.org_id:
            self.calls["create"] += 1
            await self.answer.wait()
            raise Unclear("no answer")
        return await super().create(applicant)


async def test_a_provider_without_an_answer_delays_its_cases_alone(
    org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider_checks, "_POLL_S", 0.05)
    silent = SilentIdentity(org.org_id)
    services = services_with(org.container, silent)
    other = await make_tenant(org.container, org.client)
    runner = services.verification.runner
    offsets = {org.org_id: timedelta(seconds=1), other.org_id: timedelta(seconds=1)}
    for _ in range(6):
        await submitted(services, org, await make_person(org))
    async with asyncio.timeout(20):
        await runner.poll(offsets)
        user = await make_person(other)
        await submitted(services, other, user)
        while (await case_of(services, other, user)).status is not KycStatus.PENDING:
            await runner.poll(offsets)
        # Of one organisation, a few wait for the provider at a time.
        await runner.poll(offsets)
        assert silent.calls["create"] == 4 + 1
        silent.answer.set()
        await runner.close()
    assert silent.calls["create"] == 6 + 1
