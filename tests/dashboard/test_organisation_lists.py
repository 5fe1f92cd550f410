"""Lists of accounts, wallets and deposits across an organisation's users."""

from dataclasses import dataclass
from uuid import UUID, uuid4

import httpx2
import pytest

from landbridge.app.container import Container
from landbridge.platform.http.caller import MemberRole
from landbridge.sandbox.scenarios.personas import us_account
from tests.dashboard.browsing import DashboardPage, Visitor, visit
from tests.payments.virtual_accounts.virtual_account_setup import (
    ELSEWHERE,
    OUTSIDE,
    at,
    make_account,
    make_receiver,
)
from tests.tenants import Tenant, fund, make_tenant, make_user, register

BANK, VIRTUAL = "/dashboard/bank-accounts", "/dashboard/virtual-accounts"
WALLETS, DEPOSITS = "/dashboard/external-wallets", "/dashboard/deposits"
BODY = us_account("wire")
NUMBER = BODY["us"]["accountNumber"]


@dataclass(frozen=True, slots=True)
class Lists:
    """Two users with one row in each list, the second user's the newer, and their numbers."""

    org: Tenant
    numbers: tuple[str, str]


@pytest.fixture(scope="module")
async def org(container: Container, client: httpx2.AsyncClient) -> Tenant:
    """One organisation for the tests of this module."""
    return await make_tenant(container, client)


@pytest.fixture(scope="module")
async def lists(org: Tenant) -> Lists:
    numbers: list[str] = []
    people = (("Ada", OUTSIDE, "POLYGON", "100"), ("Grace", ELSEWHERE, "ETHEREUM", "200"))
    for name, address, chain, amount in people:
        user = await make_receiver(org, firstName=name, email=f"{name}@example.org".lower())
        await org.post(f"/v2/users/{user}/accounts", BODY)
        account = await make_account(org, user, destinationChain=chain)
        numbers.append(account["depositInstructions"]["ach"]["accountNumber"])
        await register(org, user, address, chain=chain)
        await fund(org, user, amount, chain=chain)
    return Lists(org, (numbers[0], numbers[1]))


def users(page: DashboardPage) -> list[str]:
    """Return the names of the users in the rows of a list."""
    return [str(each) for each in page.tree.xpath("//tbody//td[1]/a/text()")]


@pytest.mark.parametrize("path", [BANK, VIRTUAL, WALLETS, DEPOSITS])
async def test_each_role_lists_rows_of_all_users_newest_first(lists: Lists, path: str) -> None:
    for role in MemberRole:
        visitor = await visit(lists.org, role)
        page = await visitor.load(path)
        assert users(page) == ["Grace Approval", "Ada Approval"]
        assert f"{path}/csv" in page.links()


@pytest.mark.parametrize("path", [BANK, VIRTUAL, WALLETS, DEPOSITS])
async def test_list_is_filtered_by_the_name_of_a_user(lists: Lists, path: str) -> None:
    visitor = await visit(lists.org)
    assert users(await visitor.load(path, user="ada")) == ["Ada Approval"]
    assert users(await visitor.load(path, user=str(uuid4()))) == []
    refused = await visitor.open(path, user="approval")
    assert refused.status == 422
    assert "Several users match" in refused.text


async def test_other_filters(lists: Lists) -> None:
    visitor = await visit(lists.org)

    async def found(path: str, **filters: str) -> list[str]:
        return users(await visitor.load(path, **filters))

    both = ["Grace Approval", "Ada Approval"]
    assert await found(BANK, type="us", direction="out", status="ACTIVE") == both
    for none in ({"type": "mexico"}, {"direction": "in"}, {"status": "REJECTED"}):
        assert await found(BANK, **none) == []
        assert await found(BANK, user="ada", **none) == []
    assert await found(VIRTUAL, number=lists.numbers[0]) == ["Ada Approval"]
    assert await found(VIRTUAL, number=lists.numbers[0], chain="ETHEREUM") == []
    assert await found(VIRTUAL, number=lists.numbers[0], user="grace") == []
    assert await found(VIRTUAL, chain="ETHEREUM", status="activated") == ["Grace Approval"]
    assert await found(VIRTUAL, user="ada", status="deactivated") == []
    assert await found(WALLETS, address=OUTSIDE) == ["Ada Approval"]
    assert await found(WALLETS, address=OUTSIDE, status="DELETED") == []
    assert await found(WALLETS, chain="ETHEREUM", status="ACTIVE") == ["Grace Approval"]
    assert await found(WALLETS, user="grace", chain="POLYGON") == []
    assert await found(DEPOSITS, chain="POLYGON", currency="usdc") == ["Ada Approval"]
    assert await found(DEPOSITS, status="REVERSED") == []
    assert await found(DEPOSITS, user="ada", status="COMPLETED") == ["Ada Approval"]


async def test_numbers_are_masked_for_analysts(lists: Lists) -> None:
    number = lists.numbers[0]
    for role in MemberRole:
        visitor = await visit(lists.org, role)
        for path in (VIRTUAL, f"{VIRTUAL}/csv"):
            shown = (await visitor.open(path)).response.text
            assert (number in shown) == (role is not MemberRole.ANALYST)
            assert number[-4:] in shown
        for path in (BANK, f"{BANK}/csv"):
            assert NUMBER not in (await visitor.open(path)).response.text


@pytest.mark.parametrize(
    ("path", "cells"),
    [
        (BANK, ("Ada Approval", "us,offramp,wire,usd,ACTIVE")),
        (VIRTUAL, ("Ada Approval", "usd,usdc,POLYGON,")),
        (WALLETS, ("Ada Approval", f"POLYGON,{OUTSIDE},ACTIVE")),
        (DEPOSITS, ("Ada Approval", "100,usdc,POLYGON,COMPLETED")),
    ],
)
async def test_file_has_the_rows_of_the_filter(
    lists: Lists, path: str, cells: tuple[str, ...]
) -> None:
    visitor = await visit(lists.org)
    file = (await visitor.open(f"{path}/csv", user="ada")).response
    assert file.headers["content-type"] == "text/csv; charset=utf-8"
    header, row = file.text.splitlines()
    assert header.startswith("id,createdAt,userId,userName,")
    assert all(each in row for each in cells), row
    assert (await visitor.open(f"{path}/csv", user="approval")).status == 400


async def test_list_is_paged(org: Tenant) -> None:
    other = await make_tenant(org.container, org.client)
    user = await make_user(other)
    for number in range(27):
        await fund(other, user, str(number + 1))
    visitor = await visit(other)
    assert await _amounts(visitor, DEPOSITS) == [str(each) for each in range(27, 0, -1)]
    file = (await visitor.open(f"{DEPOSITS}/csv")).response.text
    assert len(file.splitlines()) == 28


@pytest.mark.parametrize("cursor", ["!", "2026-01-01~", f"~{UUID(int=1)}", f"soon~{UUID(int=1)}"])
async def test_wrong_cursor_is_refused(org: Tenant, cursor: str) -> None:
    page = await (await visit(org)).open(DEPOSITS, cursor=cursor)
    assert page.status == 422


async def test_rows_of_another_organisation_are_not_listed(lists: Lists) -> None:
    other = await make_tenant(lists.org.container, lists.org.client)
    visitor = await visit(other)
    for path in (BANK, VIRTUAL, WALLETS, DEPOSITS):
        assert users(await visitor.load(path)) == []
    assert users(await visitor.load(VIRTUAL, number=lists.numbers[0])) == []
    assert users(await visitor.load(WALLETS, address=OUTSIDE)) == []


async def test_closed_rows_have_their_status(org: Tenant) -> None:
    other = await make_tenant(org.container, org.client)
    user = await make_receiver(other)
    account = await make_account(other, user)
    await other.post(at(user, account["id"], "deactivate"))
    bank = await other.post(f"/v2/users/{user}/accounts", BODY)
    await other.send("DELETE", f"/v2/users/{user}/accounts/{bank['id']}")
    visitor = await visit(other)
    assert "Deactivated" in (await visitor.load(VIRTUAL, status="deactivated")).text
    assert "Inactive" in (await visitor.load(BANK, status="INACTIVE")).text
    assert users(await visitor.load(BANK, status="ACTIVE")) == []


async def _amounts(visitor: Visitor, path: str) -> list[str]:
    """Return the whole amounts of all pages of the list of deposits."""
    found: list[str] = []
    page = await visitor.load(path)
    while True:
        cells = page.tree.xpath("//tbody//th")
        found += [str(each.text_content()).split(".")[0].strip() for each in cells]
        older = page.tree.xpath("//a[@rel='next']/@href")
        if not older:
            return found
        page = await visitor.load(str(older[0]))
