"""The first page: what there is, and what needs a person now."""

from landbridge.stories.triggering import STORIES
from landbridge.web.caller import Role
from tests.dashboard.browsing import visit
from tests.dashboard.world import inside
from tests.tenants import Tenant, fund, make_user


async def test_an_empty_organisation_is_told_what_to_do(org: Tenant) -> None:
    for role in Role:
        page = await (await visit(org, role)).see("/dashboard")
        assert "Nothing. All is at rest." in page.text
        assert "Nothing has moved yet" in page.text
        assert ("New transfer" in page.text) is (role is not Role.ANALYST)


async def test_what_users_hold_is_told_exactly(org: Tenant) -> None:
    for amount in ("1234567.000001", "0.5"):
        await fund(org, await make_user(org), amount)
    page = await (await visit(org)).see("/dashboard")
    assert "1,234,567.500001" in page.text


async def test_what_needs_a_person_leads_to_it(org: Tenant) -> None:
    client = inside(org)
    await STORIES["OFFRAMP.STATUS.PENDING_APPROVAL"](client)
    asked = await STORIES["OFFRAMP.RFI.OPEN"](client)
    page = await (await visit(org)).see("/dashboard")
    assert "/dashboard/approvals" in page.links()
    assert "/dashboard/reviews/transfers" in page.links()
    assert f"/dashboard/transactions/{asked.about}" in page.links()
    assert page.tree.xpath('//*[@id="needs"]/following::time[@data-left]')


async def test_shortcuts_are_listed_without_scripts(org: Tenant) -> None:
    page = await (await visit(org, Role.ANALYST)).see("/dashboard/shortcuts")
    assert "Ctrl K" in page.text
    assert "New transfer" not in page.text
