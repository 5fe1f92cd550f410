"""Search page and command palette."""

import time

from landbridge.platform.core.ids import short_id
from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import visit
from tests.tenants import Tenant, make_swap, make_tenant, make_user, register

SEARCH = "/dashboard/search"
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


async def test_every_role_finds_users_and_payments(org: Tenant) -> None:
    ada = await make_user(org, funds="10", email="ada.search@example.com")
    swap = await make_swap(org, ada, "5")
    await register(org, ada, OUTSIDE)
    for role in MemberRole:
        visitor = await visit(org, role)
        for text, path in (
            ("ada.search", f"/dashboard/users/{ada}"),
            (ada, f"/dashboard/users/{ada}"),
            (swap["id"], f"/dashboard/transactions/{swap['id']}"),
            (swap["requestId"], f"/dashboard/transactions/{swap['id']}"),
            (OUTSIDE, f"/dashboard/users/{ada}/wallets"),
        ):
            assert path in (await visitor.load(SEARCH, q=text)).links()
    outsider = await visit(await make_tenant(org.container, org.client, name="Other"))
    assert "No results" in (await outsider.load(SEARCH, q=ada)).text


async def test_users_of_one_name_differ_by_their_ids(org: Tenant) -> None:
    users = [await make_user(org, email=f"same{each}@example.com") for each in range(2)]
    found = await (await visit(org)).load(SEARCH, q="same")
    assert set(found.tree.xpath("//td//button/@data-copy")) == set(users)


async def test_amounts_are_found_in_the_format_of_the_reader(org: Tenant) -> None:
    ada = await make_user(org, funds="3000")
    swap = await make_swap(org, ada, "1250.5")
    path = f"/dashboard/transactions/{swap['id']}"
    english, spanish = await visit(org), await visit(org, language="es")
    for text in ("1,250.50", "1250.5", "$1,250.50", "1,250.50 USDC", short_id(swap["id"])):
        assert path in (await english.load(SEARCH, q=text)).links()
    for text in ("1.250,50", "1250,5 usdc"):
        assert path in (await spanish.load(SEARCH, q=text)).links()
    assert path not in (await spanish.load(SEARCH, q="1,250.50")).links()


async def test_a_search_of_many_blanks_takes_no_time(org: Tenant) -> None:
    admin = await visit(org)
    assert "No results" in (await admin.load(SEARCH, q="1 !")).text
    started = time.process_time()
    # As many as an URL takes: they took three seconds.
    page = await admin.open(SEARCH, q=f"1{' ' * 7_900}!")
    assert time.process_time() - started < 1
    assert page.status == 422


async def test_short_id_is_the_same_on_every_page(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    swap_id = (await make_swap(org, ada, "5"))["id"]
    admin = await visit(org)
    pages = ("/dashboard", "/dashboard/transactions", f"/dashboard/transactions/{swap_id}")
    for path in (*pages, f"/dashboard/users/{ada}/transactions"):
        assert short_id(swap_id) in (await admin.load(path)).text
    head = await admin.load(f"/dashboard/transactions/{swap_id}")
    assert head.tree.xpath("//p[@class='kind soft']//button/@data-copy") == [swap_id]


async def test_palette_gets_only_options(org: Tenant) -> None:
    ada = await make_user(org, firstName="Eve")
    admin = await visit(org)
    part = await admin.open(SEARCH, q="eve", part="1")
    assert part.status == 200
    assert "<html" not in part.response.text
    (option,) = part.tree.xpath('//li[@role="option"]')
    assert option.get("data-to") == f"/dashboard/users/{ada}"
    assert option.get("id") == "found-1"
    hostile = await admin.load(SEARCH, q='"><script>alert(1)</script>')
    assert "<script>alert" not in hostile.response.text
    assert (await admin.open(SEARCH, q="", part="1")).response.text.strip() == ""


async def test_search_without_match_says_so(org: Tenant) -> None:
    admin = await visit(org)
    assert "No results" not in (await admin.load(SEARCH)).text
    assert "No results" in (await admin.load(SEARCH, q="zzzzzz")).text
    assert "q must have" in (await admin.open(SEARCH, q="x" * 300)).text
