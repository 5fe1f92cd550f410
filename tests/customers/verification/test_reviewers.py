"""Reviewers: the provider of an installation, keys that decide, and notified members."""

from dataclasses import replace
from typing import Any

import msgspec

from landbridge.app.container import identity, wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import KeyScope
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.platform.orgs.model import Mode
from landbridge.providers.identity.manual import ManualIdentity
from tests.customers.verification.verification_setup import manual_review_org
from tests.people import make_person, status_of, submit
from tests.tenants import SETTINGS, Tenant, make_tenant, served

QUEUE = "/v2/reviews/kyc"


async def test_in_production_only_a_reviewers_key_sees_and_decides(database: Database) -> None:
    settings = msgspec.structs.replace(SETTINGS, mode=Mode.PRODUCTION)
    container = wire(settings, database, Clock(await take_node(database)))
    async with served(container) as client:
        org = await make_tenant(container, client)
        _, secret = await container.orgs.create_key(
            org.org_id, "reviewer", expires_at=None, scopes=[KeyScope.ADMIN, KeyScope.REVIEW]
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


async def test_a_user_is_emailed_about_requested_information(database: Database) -> None:
    async with manual_review_org(
        database,
        mode=Mode.PRODUCTION,
        smtp_url="smtp://mail.test:587",
        mail_from="Example <mail@example.com>",
    ) as org:
        _, secret = await org.container.orgs.create_key(
            org.org_id, "reviewer", expires_at=None, scopes=[KeyScope.ADMIN, KeyScope.REVIEW]
        )
        reviewer = replace(org, key=secret)
        user = await make_person(org)
        review = await waiting(reviewer, user)
        count = "select count(*) as n from outbound_emails where org_id = $1"
        assert (await database.rows(count, org.org_id))[0]["n"] == 0
        await decide(reviewer, review, "requestInformation", comment="Send {it}.")
        assert (await database.rows(count, org.org_id))[0]["n"] == 1


async def waiting(org: Tenant, user: str) -> dict[str, Any]:
    """Return the review of a user who has just submitted."""
    await submit(org, user)
    (found,) = (await org.get(QUEUE))["reviews"]
    return found


async def decide(org: Tenant, review: dict[str, Any], decision: str, **fields: Any) -> None:
    """Decide."""
    await org.post(f"{QUEUE}/{review['id']}", {"decision": decision, **fields})
