"""Saved views of the transaction list: who sees, renames and deletes them, and their bound."""

import asyncio
from collections.abc import Sequence
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest

from landbridge.payments.transactions.saved_views import OWN_VIEWS_MAX, VIEWS_MAX
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict
from landbridge.platform.http.caller import Caller, MemberRole
from tests.dashboard.browsing import Visitor, visit
from tests.tenants import Tenant, make_user

LIST = "/dashboard/transactions"
NEW = f"{LIST}/views/new"


async def _shown(visitor: Visitor, path: str = LIST) -> dict[str, str]:
    """Return the views beside the tabs, by name."""
    page = await visitor.load(path)
    links = page.tree.xpath("//nav[@aria-label='Saved views']//li[not(@class)]/a[1]")
    return {each.text: each.get("href") for each in links}


async def _view(visitor: Visitor, path: str) -> str:
    """Return the page of the view that a list shows."""
    page = await visitor.load(path)
    (link,) = page.tree.xpath("//nav[@aria-label='Saved views']//a[text()='Edit']/@href")
    return str(link)


async def _caller(org: Tenant) -> Caller:
    signed = await org.container.sessions.find((await visit(org)).cookie)
    assert signed is not None
    return signed.caller


async def test_a_view_keeps_tab_filters_and_order(org: Tenant) -> None:
    admin = await visit(org)
    page = await admin.load(LIST, view="failed", type="WALLET.SWAP", sort="-amountUsd")
    (link,) = page.tree.xpath("//a[text()='Save view']/@href")
    form = await admin.load(link)
    assert "View Failed" in form.text
    assert "Type Swap" in form.text
    assert "Order Largest first" in form.text
    to = await admin.submit(link, {"name": " Failed swaps "})
    assert to == f"{LIST}?view=failed&type=WALLET.SWAP&sort=-amountUsd"
    assert await _shown(admin) == {"Failed swaps": to}
    current = (await admin.load(to)).tree.xpath("//a[@aria-current='page'][text()='Failed swaps']")
    assert len(current) == 1
    assert "Save view" not in (await admin.load(to)).text


async def test_a_view_is_renamed_and_deleted(org: Tenant) -> None:
    admin = await visit(org)
    to = await admin.submit(f"{NEW}?status=FAILED", {"name": "One"})
    await admin.submit(f"{NEW}?status=PENDING", {"name": "Two"})
    path = await _view(admin, to)
    taken = await admin.send(path, {"name": "Two"})
    assert taken.status == 422
    assert "You already have a view with this name." in taken.text
    await admin.submit(path, {"name": "One"})
    await admin.submit(path, {"name": "First"})
    assert list(await _shown(admin)) == ["First", "Two"]
    assert await admin.submit(f"{path}/delete") == LIST
    assert await admin.submit(f"{path}/delete") == LIST
    assert list(await _shown(admin)) == ["Two"]
    assert (await admin.open(path)).status == 404


async def test_shared_views_are_seen_by_all_and_changed_by_owner_and_admins(org: Tenant) -> None:
    admin, member, analyst = [
        await visit(org, role) for role in (MemberRole.ADMIN, MemberRole.MEMBER, MemberRole.ANALYST)
    ]
    to = await member.submit(f"{NEW}?view=failed", {"name": "Shared", "shared": "yes"})
    await member.submit(f"{NEW}?view=completed", {"name": "Own"})
    for visitor in (admin, analyst):
        assert await _shown(visitor) == {"Shared": to}
    path, own = await _view(member, to), await _view(member, f"{LIST}?view=completed")
    assert (await admin.open(own)).status == 404
    assert (await admin.send(own, {"name": "Taken"})).status == 404
    await admin.submit(f"{own}/delete")
    assert list(await _shown(member)) == ["Own", "Shared"]
    seen = await analyst.load(path)
    assert not seen.tree.xpath("//main//form")
    assert (await analyst.send(path, {"name": "Mine"})).status == 403
    assert (await analyst.send(f"{path}/delete")).status == 403
    await admin.submit(path, {"name": "Failures"})
    assert list(await _shown(member)) == ["Failures", "Own"]


async def test_analysts_have_views_of_their_own_and_share_none(org: Tenant) -> None:
    analyst = await visit(org, MemberRole.ANALYST)
    assert not (await analyst.load(f"{NEW}?view=failed")).tree.xpath("//input[@name='shared']")
    await analyst.submit(f"{NEW}?view=failed", {"name": "Mine"})
    assert list(await _shown(analyst)) == ["Mine"]
    assert await _shown(await visit(org)) == {}
    refused = await analyst.send(f"{NEW}?view=completed", {"name": "Ours", "shared": "yes"})
    assert refused.status == 403


async def test_another_organisations_view_does_not_exist(org: Tenant, other_org: Tenant) -> None:
    theirs = await visit(other_org)
    to = await theirs.submit(f"{NEW}?view=failed", {"name": "Theirs", "shared": "yes"})
    path, admin = await _view(theirs, to), await visit(org)
    assert await _shown(admin) == {}
    assert (await admin.open(path)).status == 404
    assert (await admin.send(path, {"name": "Ours"})).status == 404
    await admin.submit(f"{path}/delete")
    assert list(await _shown(theirs)) == ["Theirs"]
    for missing in (str(uuid4()), "odd"):
        assert (await admin.open(f"{LIST}/views/{missing}")).status == 404


async def test_a_user_is_kept_as_an_id(org: Tenant) -> None:
    ada, admin = await make_user(org, email="ada.l@example.com"), await visit(org)
    to = await admin.submit(f"{NEW}?user=ada.l@example.com", {"name": "Ada"})
    assert parse_qs(urlsplit(to).query) == {"user": [ada]}
    refused = await admin.send(f"{NEW}?user=nobody@example.com", {"name": "Nobody"})
    assert "No user has this name, e-mail or ID." in refused.text


@pytest.mark.parametrize(
    ("query", "name", "sentence"),
    [
        ("", "Empty", "Choose filters or an order first."),
        ("view=failed", "", "must have 1 to 60 characters"),
        ("view=failed", "x" * 61, "must have 1 to 60 characters"),
        (f"minimum={'1' * 1000}", "Long", "These filters are too long to be saved."),
    ],
)
async def test_refused_views(org: Tenant, query: str, name: str, sentence: str) -> None:
    refused = await (await visit(org)).send(f"{NEW}?{query}", {"name": name})
    assert refused.status == 422
    assert sentence in refused.text


async def test_an_organisation_has_a_bounded_number(org: Tenant) -> None:
    members = [await _caller(org) for _ in range(3)]
    saved = await _save_at_once(org, members, OWN_VIEWS_MAX)
    refused = [each for each in saved if isinstance(each, ResourceConflict)]
    assert len(refused) == len(members) * OWN_VIEWS_MAX - VIEWS_MAX
    assert {str(each) for each in refused} == {"An organisation has at most 50 saved views."}


async def test_no_member_takes_the_places_of_others(org: Tenant) -> None:
    analyst, admin = await _caller(org), await _caller(org)
    saved = await _save_at_once(org, [analyst], VIEWS_MAX)
    refused = [each for each in saved if isinstance(each, ResourceConflict)]
    assert {str(each) for each in refused} == {"A member has at most 20 saved views."}
    assert len(await org.container.saved_views.of(analyst)) == OWN_VIEWS_MAX
    await org.container.saved_views.save(admin, "Mine", "view=failed", is_shared=True)


async def _save_at_once(org: Tenant, members: Sequence[Caller], count: int) -> list[object]:
    views = org.container.saved_views
    return await asyncio.gather(
        *(
            views.save(member, f"View {each}", "view=failed", is_shared=False)
            for member in members
            for each in range(count)
        ),
        return_exceptions=True,
    )


async def test_views_of_removed_members_stay_if_they_are_shared(org: Tenant) -> None:
    admin, member = await visit(org), await visit(org, MemberRole.MEMBER)
    await member.submit(f"{NEW}?view=failed", {"name": "Shared", "shared": "yes"})
    await member.submit(f"{NEW}?view=completed", {"name": "Own"})
    await admin.submit(f"/dashboard/team/{member.member_id}/remove")
    await admin.submit(f"{NEW}?view=attention", {"name": "New"})
    assert list(await _shown(admin)) == ["New", "Shared"]
    rows = await org.container.database.rows(
        "select name from saved_views where org_id = $1 order by name", org.org_id
    )
    assert [row["name"] for row in rows] == ["New", "Shared"]


async def test_one_name_is_saved_once(org: Tenant) -> None:
    views, member = org.container.saved_views, await _caller(org)
    saved = await asyncio.gather(
        *(views.save(member, "One", "view=failed", is_shared=False) for _ in range(4)),
        return_exceptions=True,
    )
    assert sum(isinstance(each, FieldInvalid) for each in saved) == 3
