"""Wherever a page takes a user, it suggests users, and takes names and e-mails for ids."""

import re
from typing import Any

import pytest

from tests.dashboard.browsing import DashboardPage, visit
from tests.tenants import Tenant, make_user

EXPLORE, BUILDER = "/dashboard/reports/explore", "/dashboard/reports/builder"
PATHS = (
    f"{EXPLORE}?template=GROSS_VOLUME",
    BUILDER,
    "/dashboard/reports/statements",
    "/dashboard/settings/limits",
    "/dashboard/transactions",
    "/dashboard/bank-accounts",
    "/dashboard/virtual-accounts",
    "/dashboard/external-wallets",
    "/dashboard/deposits",
)
_USER = re.compile(r"user(Ids?)?$", re.IGNORECASE)


async def two_users(org: Tenant) -> tuple[str, str]:
    """Create Ada Example and Bob Example; return their ids."""
    ada = await make_user(org)
    body = {"firstName": "Bob", "lastName": "Example", "email": "bob@example.com"}
    return ada, await make_user(org, **body)


def ticked(page: DashboardPage, name: str) -> dict[str, str]:
    """Return the chosen users of a field: names by id."""
    boxes = page.tree.xpath(f'//input[@type="checkbox"][@name="{name}"][@checked]')
    return {each.get("value"): each.getparent().text_content().strip() for each in boxes}


@pytest.mark.parametrize("path", PATHS)
async def test_fields_of_users_suggest_users(org: Tenant, path: str) -> None:
    page = await (await visit(org)).load(path)
    found = [
        each
        for each in page.tree.xpath("//input[@name and not(@type='hidden')] | //textarea")
        if _USER.search(each.get("name")) and each.get("type") != "checkbox"
    ]
    assert found, path
    assert all(each.get("data-users") for each in found)
    assert page.tree.xpath("//script[contains(@src, '/payments.js')]")


async def test_report_is_filtered_by_users_by_name(org: Tenant) -> None:
    visitor = await visit(org)
    ada, bob = await two_users(org)
    page = await visitor.load(f"{EXPLORE}?template=GROSS_VOLUME&userIds=Bob+Example&userIds={ada}")
    assert ticked(page, "userIds") == {bob: "Bob Example", ada: "Ada Example"}
    # The form of a saved report has their ids, and so do the links.
    saved = '//form[@action="/dashboard/reports/save"]//input[@name="userIds"]/@value'
    assert page.tree.xpath(saved) == [bob, ada]
    assert any(f"userIds={bob}" in each for each in page.links())
    for text in ("Nobody Known", "example"):
        wrong = await visitor.open(f"{EXPLORE}?template=GROSS_VOLUME&userIds={ada}&userIds={text}")
        assert wrong.status == 422
        assert "#f-userIds" in wrong.links()
        (field,) = wrong.tree.xpath("//*[@id='f-userIds']")
        assert (field.get("value"), field.get("aria-invalid")) == (text, "true")
        assert ticked(wrong, "userIds") == {ada: "Ada Example"}


async def test_template_is_filtered_by_users_by_name(org: Tenant) -> None:
    visitor = await visit(org)
    ada, bob = await two_users(org)
    fields: dict[str, Any] = {
        "subject": "transactions",
        "function": "count",
        "intervals": "week",
        "title": "Of two",
        "filters-userIds": [ada, "bob@example.com"],
    }
    page = await visitor.send(BUILDER, {**fields, "step": "preview"})
    assert page.status == 200
    assert ticked(page, "filters-userIds") == {ada: "Ada Example", bob: "Bob Example"}
    path = await visitor.submit(BUILDER, {**fields, "step": "save"})
    edited = await visitor.load(f"{path}/edit")
    assert ticked(edited, "filters-userIds") == {ada: "Ada Example", bob: "Bob Example"}
    wrong = await visitor.send(
        BUILDER, {**fields, "filters-userIds": [ada, "Nobody"], "step": "save"}
    )
    assert wrong.status in {400, 422}
    assert "#f-filters-userIds" in wrong.links()
    (field,) = wrong.tree.xpath("//*[@id='f-filters-userIds']")
    assert (field.get("value"), field.get("aria-invalid")) == ("Nobody", "true")
