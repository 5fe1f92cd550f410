"""Link to the identity provider's page on the compliance tab."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import visit
from tests.people import make_person
from tests.providers.sidecar.identity_sidecar import VerifiedBySidecar, verified_by_sidecar

BUTTON = "Link to the provider's page"


@pytest.fixture
async def verified(database: Database, tmp_path: Path) -> AsyncGenerator[VerifiedBySidecar]:
    async with verified_by_sidecar(database, tmp_path) as found:
        yield found


async def test_a_link_is_shown_once_while_the_provider_waits(verified: VerifiedBySidecar) -> None:
    verified.sidecar.state = "information"
    user = await make_person(verified.org)
    page = f"/dashboard/users/{user}/compliance"
    admin = await visit(verified.org)
    assert BUTTON not in (await admin.load(page)).text
    await verified.submit(user)
    tab = await admin.load(page)
    # Only of the rail that the route of the provider names.
    assert tab.text.count(BUTTON) == 1
    shown = await admin.send(f"{page}/provider-link", {"rails": "USD"})
    address = f"https://verify.example.com/{verified.sidecar.key}"
    assert address in shown.text
    assert "It is shown only once and expires on" in shown.text
    assert address not in (await admin.load(page)).text
    analyst = await visit(verified.org, MemberRole.ANALYST)
    assert BUTTON not in (await analyst.load(page)).text


async def test_a_provider_that_gives_no_link_is_a_problem_on_the_tab(
    verified: VerifiedBySidecar,
) -> None:
    verified.sidecar.state = "pending"
    user = await make_person(verified.org)
    await verified.submit(user)
    page = f"/dashboard/users/{user}/compliance"
    admin = await visit(verified.org)
    verified.sidecar.statuses["/v1/applications/link"] = 404
    refused = await admin.send(f"{page}/provider-link", {"rails": "USD"})
    assert "has no page for this user" in refused.text
