"""Many pages of one organisation at once delay neither other organisations nor other members."""

import asyncio
import time
from uuid import uuid4

import pytest

from landbridge.dashboard.page_budget import PageBudget
from tests.dashboard.browsing import visit
from tests.tenants import Tenant

HEAVY, SIGNED_OUT = "/dashboard/styleguide", "/dashboard/sign-in"
PAGES, PINGS = 40, 20


async def test_pages_of_one_organisation_do_not_delay_another(
    org: Tenant, other_org: Tenant
) -> None:
    visitor = await visit(org)
    await visitor.load(HEAVY)
    await other_org.get("/v2/ping")
    loading, pings = [asyncio.create_task(visitor.load(HEAVY)) for _ in range(PAGES)], 0
    while pings < PINGS:
        # Without a budget, all pages are rendered before the first few responses.
        assert not all(each.done() for each in loading), pings
        await other_org.get("/v2/ping")
        pings += 1
    for each in loading:
        each.cancel()
    await asyncio.gather(*loading, return_exceptions=True)


async def test_signed_out_visitors_of_an_address_do_not_delay_keys(org: Tenant) -> None:
    await org.get("/v2/ping")
    # A sign-in page is small: so many that they cost more than the burst on a fast machine, too.
    loading = [asyncio.create_task(org.client.get(SIGNED_OUT)) for _ in range(40 * PAGES)]
    for pings in range(PINGS // 2):
        assert not all(each.done() for each in loading), pings
        await org.get("/v2/ping")
    for each in loading:
        each.cancel()
    await asyncio.gather(*loading, return_exceptions=True)


async def test_rendering_takes_its_share_at_most() -> None:
    budget, org_id, began_s = PageBudget(), uuid4(), time.monotonic()
    for _ in range(10):
        page = await budget.admit(org_id, uuid4())
        page.charge(0.05)
    # A second of cost, less the burst and the page that may exceed it, at half a second a second.
    assert time.monotonic() - began_s > (1 - 0.3 - 0.1) / 0.5 - 0.1


async def test_members_of_an_organisation_take_turns() -> None:
    budget, org_id, order = PageBudget(), uuid4(), list[str]()
    members = {name: uuid4() for name in ("loud", "quiet")}

    async def load(name: str) -> None:
        page = await budget.admit(org_id, members[name])
        page.charge(0.15)
        order.append(name)

    tasks = [asyncio.create_task(load("loud")) for _ in range(6)]
    await asyncio.sleep(0)
    tasks.append(asyncio.create_task(load("quiet")))
    await asyncio.gather(*tasks)
    # Two are in the burst, and one more waits already.
    assert order.index("quiet") == 3


async def test_organisations_have_budgets_of_their_own() -> None:
    budget = PageBudget()
    busy = await budget.admit(uuid4(), uuid4())
    busy.charge(60)
    began_s = time.monotonic()
    page = await budget.admit(uuid4(), uuid4())
    assert not page.has_waited
    assert time.monotonic() - began_s < 1


async def test_visitor_who_disconnects_leaves_the_queue() -> None:
    budget, org_id, member_id = PageBudget(), uuid4(), uuid4()
    (await budget.admit(org_id, member_id)).charge(0.16)
    waiting = asyncio.create_task(budget.admit(org_id, member_id))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert (await budget.admit(org_id, member_id)).has_waited
