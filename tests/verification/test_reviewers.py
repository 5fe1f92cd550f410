"""Who reviews: which provider an installation has, which keys decide, and who is written to."""

from dataclasses import replace
from typing import Any

import msgspec

from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.identity.manual import ManualIdentity
from landbridge.orgs.model import Mode
from landbridge.orgs.service import take_lane
from landbridge.wiring import identity, wire
from tests.people import make_person, status_of, submit
from tests.tenants import SETTINGS, Tenant, make_tenant, served
from tests.verification.play import manual_house

QUEUE = "/v2/reviews/kyc"


async def test_in_production_only_a_reviewers_key_sees_and_decides(database: Database) -> None:
    settings = msgspec.structs.replace(SETTINGS, mode=Mode.PRODUCTION)
    house = wire(settings, database, Clock(await take_lane(database)))
    async with served(house) as client:
        org = await make_tenant(house, client)
        _, secret = await house.orgs.create_key(
            org.org_id, "reviewer", expires_at=None, can_review=True
        )
        reviewer = replace(org, key=secret)
        user = await make_person(org)
        review = await waiting(reviewer, user)
        path = f"{QUEUE}/{review['id']}"
        for method, at, body in (
            ("GET", QUEUE, None),
            ("GET", path, None),
            ("POST", path, {"decision": "approve"}),
        ):
            assert await org.refused(method, at, body) == "403 USER_ROLE_NOT_ALLOWED"
        await decide(reviewer, review, "approve")
        assert (await status_of(org, user))["status"] == "ACTIVE"


def test_production_is_reviewed_by_hand_and_a_sandbox_by_name() -> None:
    real = msgspec.structs.replace(SETTINGS, mode=Mode.PRODUCTION)
    assert isinstance(identity(real), ManualIdentity)
    assert not isinstance(identity(SETTINGS), ManualIdentity)
    by_hand = msgspec.structs.replace(SETTINGS, identity="manual")
    assert isinstance(identity(by_hand), ManualIdentity)


async def test_whom_information_is_asked_of_is_written_to(database: Database) -> None:
    async with manual_house(
        database,
        mode=Mode.PRODUCTION,
        smtp_url="smtp://mail.test:587",
        mail_from="Example <mail@example.com>",
    ) as org:
        _, secret = await org.house.orgs.create_key(
            org.org_id, "reviewer", expires_at=None, can_review=True
        )
        reviewer = replace(org, key=secret)
        user = await make_person(org)
        review = await waiting(reviewer, user)
        count = "select count(*) as n from mails where org_id = $1"
        assert (await database.rows(count, org.org_id))[0]["n"] == 0
        await decide(reviewer, review, "requestInformation", comment="Send {it}.")
        assert (await database.rows(count, org.org_id))[0]["n"] == 1


async def waiting(org: Tenant, user: str) -> dict[str, Any]:
    """The review of a user who has just submitted."""
    await submit(org, user)
    (found,) = (await org.get(QUEUE))["reviews"]
    return found


async def decide(org: Tenant, review: dict[str, Any], decision: str, **told: Any) -> None:
    """Decide."""
    await org.post(f"{QUEUE}/{review['id']}", {"decision": decision, **told})
