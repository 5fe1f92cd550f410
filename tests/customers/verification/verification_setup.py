"""Verification services with a scripted provider, over the services of a container."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

import msgspec

from landbridge.app.container import Container, wire
from landbridge.customers.kyc.model import Rail
from landbridge.customers.verification.cases import VerificationCases, VerificationEmails
from landbridge.customers.verification.model import KycStatus, VerificationCase, case_id
from landbridge.customers.verification.provider_checks import VerificationSteps
from landbridge.customers.verification.reviews import (
    KycReviews,
    ReviewChoice,
    ReviewDecisionRequest,
)
from landbridge.customers.verification.service import Verification
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.identity.port import Identity
from tests.tenants import SETTINGS, Tenant, make_tenant, served


@dataclass(frozen=True, slots=True)
class VerificationServices:
    """Verification as one process has it."""

    verification: Verification
    reviews: KycReviews
    cases: VerificationCases


def services_with(container: Container, identity: Identity) -> VerificationServices:
    """Build verification with this provider; the other services are the container's."""
    cases = VerificationCases(
        container.database, container.vault, VerificationEmails(container.outbox)
    )
    checks = VerificationSteps(
        cases, identity, container.screening, container.clock, read_file=container.files.content
    )
    verification = Verification(
        container.database,
        cases,
        checks,
        container.users,
        container.kyc_profiles,
        identity=identity,
        clock=container.clock,
    )
    reviews = KycReviews(cases, container.users, container.screening, container.clock)
    return VerificationServices(verification, reviews, cases)


async def submitted(
    services: VerificationServices, org: Tenant, user: str, rail: Rail = Rail.USD
) -> VerificationCase:
    """Submit a user with complete data."""
    created = await services.verification.submit(org.caller, UUID(user), [rail])
    return created[rail]


async def case_of(
    services: VerificationServices, org: Tenant, user: str, rail: Rail = Rail.USD
) -> VerificationCase:
    """Return the stored case."""
    found = await services.cases.get(org.org_id, case_id(UUID(user), rail))
    assert found is not None
    return found


async def run(
    services: VerificationServices, org: Tenant, *, ahead: timedelta = timedelta()
) -> None:
    """Run all steps that are due after this time.

    One second is added: an event of just now is slightly ahead of a stopped clock.
    """
    await services.verification.run_all({org.org_id: ahead + timedelta(seconds=1)})


def decision_request(
    choice: ReviewChoice, *reasons: str, **changes: object
) -> ReviewDecisionRequest:
    """Build a review decision."""
    created = ReviewDecisionRequest(
        choice=choice,
        reject_reasons=reasons,
        comment=None,
        note=None,
        fields=(),
        documents=(),
        version=None,
    )
    return replace(created, **changes)


def reviewer(org: Tenant) -> Tenant:
    """Return the same organisation with a key that may decide."""
    return replace(org, caller=replace(org.caller, can_review=True))


@asynccontextmanager
async def manual_review_org(database: Database, **changes: object) -> AsyncGenerator[Tenant]:
    """Yield an organisation of an installation with manual reviews."""
    settings = msgspec.structs.replace(SETTINGS, identity="manual", **changes)
    container = wire(settings, database, Clock(await take_node(database)))
    async with served(container) as client:
        yield await make_tenant(container, client)


async def history_of(org: Tenant, case: VerificationCase) -> list[KycStatus]:
    """Return the statuses in the change log, checked to be in order."""
    rows = await org.container.database.rows(
        "select seq, kind, change_type, facts->>'status' as status, facts->>'rail' as rail,"
        " facts->>'userId' as user_id from changes"
        " where org_id = $1 and object_id = $2 order by seq",
        org.org_id,
        case.id,
    )
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
    for row in rows:
        assert row["kind"] == "KYC.STATUS"
        assert row["change_type"] == ("create" if row["seq"] == 1 else "update")
        assert row["rail"] == case.rail
        assert row["user_id"] == str(case.user_id)
    return [KycStatus(row["status"]) for row in rows]
