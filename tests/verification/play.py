"""Verification with a provider that a test scripts, over the services of a house."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

import msgspec

from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.identity.port import Identity
from landbridge.kyc.model import Rail
from landbridge.orgs.service import take_lane
from landbridge.verification.cases import Cases
from landbridge.verification.checks import Checks
from landbridge.verification.letters import Letters
from landbridge.verification.model import Case, KycStatus, case_id
from landbridge.verification.reviews import Choice, Reviews, Told
from landbridge.verification.service import Verification
from landbridge.wiring import House, wire
from tests.tenants import SETTINGS, Tenant, make_tenant, served


@dataclass(frozen=True, slots=True)
class Desk:
    """Verification as one process has it."""

    verification: Verification
    reviews: Reviews
    cases: Cases


def desk(house: House, identity: Identity) -> Desk:
    """Verification with this provider; everything else is the house's."""
    cases = Cases(house.database, house.vault, Letters(house.outbox))
    checks = Checks(cases, identity, house.screening, house.clock, read_file=house.files.content)
    verification = Verification(
        house.database,
        cases,
        checks,
        house.users,
        house.dossiers,
        identity=identity,
        clock=house.clock,
    )
    reviews = Reviews(cases, house.users, house.screening, house.clock)
    return Desk(verification, reviews, cases)


async def submitted(at: Desk, org: Tenant, user: str, rail: Rail = Rail.USD) -> Case:
    """Submit a user who has told enough."""
    made = await at.verification.submit(org.caller, UUID(user), [rail])
    return made[rail]


async def case_of(at: Desk, org: Tenant, user: str, rail: Rail = Rail.USD) -> Case:
    """The case as it is stored."""
    found = await at.cases.get(org.org_id, case_id(UUID(user), rail))
    assert found is not None
    return found


async def run(at: Desk, org: Tenant, *, ahead: timedelta = timedelta()) -> None:
    """Do everything that is due, so much later.

    And a second: what happened just now is a moment ahead of a clock that stands still.
    """
    await at.verification.run_all({org.org_id: ahead + timedelta(seconds=1)})


def told(choice: Choice, *reasons: str, **changes: object) -> Told:
    """A decision."""
    made = Told(
        choice=choice,
        reject_reasons=reasons,
        comment=None,
        note=None,
        fields=(),
        documents=(),
        version=None,
    )
    return replace(made, **changes)


def reviewer(org: Tenant) -> Tenant:
    """The same organisation, through a key that may decide."""
    return replace(org, caller=replace(org.caller, can_review=True))


@asynccontextmanager
async def manual_house(database: Database, **changes: object) -> AsyncGenerator[Tenant]:
    """An organisation of an installation whose users are reviewed by hand."""
    settings = msgspec.structs.replace(SETTINGS, identity="manual", **changes)
    house = wire(settings, database, Clock(await take_lane(database)))
    async with served(house) as client:
        yield await make_tenant(house, client)


async def history_of(org: Tenant, case: Case) -> list[KycStatus]:
    """The statuses that the log of changes tells of, checked to be in order."""
    rows = await org.house.database.rows(
        "select seq, kind, what, facts->>'status' as status, facts->>'rail' as rail,"
        " facts->>'userId' as user_id from changes"
        " where org_id = $1 and object_id = $2 order by seq",
        org.org_id,
        case.id,
    )
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
    for row in rows:
        assert row["kind"] == "KYC.STATUS"
        assert row["what"] == ("create" if row["seq"] == 1 else "update")
        assert row["rail"] == case.rail
        assert row["user_id"] == str(case.user_id)
    return [KycStatus(row["status"]) for row in rows]
