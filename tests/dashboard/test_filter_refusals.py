"""Filters of every list: a refusal is beside its input, linked to it, and the input is focused."""

from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest

from landbridge.app.container import Container
from tests.dashboard.browsing import DashboardPage, visit
from tests.dashboard.test_form_refusals import fault_of
from tests.dashboard.world import World, build_with_linked_pages
from tests.tenants import Tenant, make_tenant

pytestmark = pytest.mark.usefixtures("unlimited_pages")

_WRONG = "!" * 300


@pytest.fixture(scope="module")
async def org(container: Container, client: httpx2.AsyncClient) -> Tenant:
    """One organisation for the tests of this module."""
    return await make_tenant(container, client)


@pytest.fixture(scope="module")
async def world(org: Tenant) -> World:
    return await build_with_linked_pages(org)


@pytest.mark.long
async def test_each_refused_filter_leads_to_its_input(org: Tenant, world: World) -> None:
    admin = await visit(org)
    seen, refusals, faults = set[str](), 0, list[str]()
    for path in world.pages().values():
        page = await admin.open(path)
        for form in _forms(page):
            action = str(form.get("action") or path).partition("?")[0]
            if action in seen:
                continue
            seen.add(action)
            filled = {str(name): str(value) for name, value in form.form_values()}
            for name in _inputs(form):
                sent = await admin.open(f"{action}?{urlencode({**filled, name: _WRONG})}")
                if sent.status == 200:
                    continue  # any text is a filter, or an unknown one counts as none
                refusals += 1
                fault = f"{sent.status}" if sent.status != 422 else fault_of(sent)
                if fault:
                    faults.append(f"{action} with wrong {name}: {fault}")
    assert not faults, "\n".join(faults)
    assert refusals > 30


async def test_a_wrong_cursor_is_refused_without_a_link(org: Tenant) -> None:
    page = await (await visit(org)).open("/dashboard/transactions", cursor="!")
    assert page.status == 422
    assert page.tree.xpath("//main//*[@role='alert']")
    assert not page.tree.xpath("//main//*[@role='alert']//a")


def _forms(page: DashboardPage) -> list[Any]:
    return page.tree.xpath("//main//form[@method='get']")


def _inputs(form: Any) -> list[str]:
    visible = form.xpath(".//input[@name and not(@type='hidden')] | .//select[@name]")
    return list(dict.fromkeys(str(each.get("name")) for each in visible))
