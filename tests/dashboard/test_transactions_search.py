"""The search, as a page and for the palette."""

from landbridge.web.caller import Role
from tests.dashboard.browsing import visit
from tests.tenants import Tenant, make_swap, make_tenant, make_user, register

SEARCH = "/dashboard/search"
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


async def test_everybody_finds_what_there_is(org: Tenant) -> None:
    ada = await make_user(org, funds="10", email="ada.search@example.com")
    swap = await make_swap(org, ada, "5")
    await register(org, ada, OUTSIDE)
    for role in Role:
        somebody = await visit(org, role)
        for text, path in (
            ("ada.search", f"/dashboard/users/{ada}"),
            (ada, f"/dashboard/users/{ada}"),
            (swap["id"], f"/dashboard/transactions/{swap['id']}"),
            (swap["requestId"], f"/dashboard/transactions/{swap['id']}"),
            (OUTSIDE, f"/dashboard/users/{ada}/wallets"),
        ):
            assert path in (await somebody.see(SEARCH, q=text)).links()
    stranger = await visit(await make_tenant(org.house, org.client, name="Other"))
    assert "Nothing found" in (await stranger.see(SEARCH, q=ada)).text


async def test_the_palette_gets_options_alone(org: Tenant) -> None:
    ada = await make_user(org, firstName="Eve")
    admin = await visit(org)
    part = await admin.open(SEARCH, q="eve", part="1")
    assert part.status == 200
    assert "<html" not in part.answer.text
    (option,) = part.tree.xpath('//li[@role="option"]')
    assert option.get("data-to") == f"/dashboard/users/{ada}"
    assert option.get("id") == "found-1"
    hostile = await admin.see(SEARCH, q='"><script>alert(1)</script>')
    assert "<script>alert" not in hostile.answer.text
    assert (await admin.open(SEARCH, q="", part="1")).answer.text.strip() == ""


async def test_nothing_is_found_of_nothing(org: Tenant) -> None:
    admin = await visit(org)
    assert "Nothing found" not in (await admin.see(SEARCH)).text
    assert "Nothing found" in (await admin.see(SEARCH, q="zzzzzz")).text
    assert "q must have" in (await admin.see(SEARCH, q="x" * 300)).text
