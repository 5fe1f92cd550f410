"""Limits as rows of a form: edited, tested, applied; and the document of those who like it."""

import asyncio
import re
from collections.abc import Mapping
from decimal import Decimal

import pytest

from landbridge.payments.limits.model import LimitRule, LimitScope, LimitWindow
from landbridge.platform.changes.service import history
from landbridge.platform.core.ids import derived_id
from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import DashboardPage, Visitor, visit
from tests.dashboard.test_form_refusals import fault_of
from tests.tenants import Tenant, make_transfer, make_user

PATH = "/dashboard/settings/limits"
ROWS, DOCUMENT = f"{PATH}/rows", f"{PATH}/document"
HOSTILE = "<script>alert(1)</script>"
DAY = {"id": "day", "window": "DAY", "per": "USER", "maxUsd": "1000.5", "over": "REFUSE"}


def row(at: int, was: str = "", **fields: str | list[str]) -> dict[str, str | list[str]]:
    """Return the fields of a row; `day` with changes."""
    values = {**DAY, "maxCount": "", "was": was, **fields}
    return {f"rules[{at}].{name}": value for name, value in values.items()}


def of_page(page: DashboardPage) -> Mapping[str, str | list[str]]:
    """Return what the browser would submit from the form of rows."""
    form = page.tree.xpath("//form[@data-rows]")[0]
    found: dict[str, list[str]] = {}
    for name, value in form.form_values():
        found.setdefault(str(name), []).append(str(value))
    return {name: values for name, values in found.items() if name != "csrf"}


async def rules(org: Tenant) -> tuple[LimitRule, ...]:
    return (await org.container.limits.rules(org.org_id)).rules.rules


async def test_admin_edits_rules_and_concurrent_changes_conflict(org: Tenant) -> None:
    admin = await visit(org)
    await admin.submit(PATH, {**row(0), "version": "0"})
    (held,) = await rules(org)
    assert (held.id, held.window, held.per) == ("day", LimitWindow.DAY, LimitScope.USER)
    assert held.max_usd == Decimal("1000.5")
    # A form that still shows no rules overwrites nothing.
    for path, fields in ((DOCUMENT, {"document": '{"rules": []}'}), (PATH, row(0, id="other"))):
        stale = await admin.send(path, {**fields, "version": "0", "do": "set"})
        assert stale.status == 409
        assert "the rules were changed meanwhile" in stale.text
    assert (await org.container.limits.rules(org.org_id)).version == 1
    page = await admin.load(PATH)
    assert page.value("rules[0].id") == "day"
    assert await rules(org) == (held,)
    await admin.submit(PATH, of_page(page))
    assert await rules(org) == (held,)
    await admin.submit(PATH, {"version": "1"})
    assert (await org.container.limits.rules(org.org_id)).is_empty
    object_id = derived_id(org.org_id, "LIMITS")
    changes = (
        await org.container.database.single(lambda tx: history(tx, org.org_id, [object_id]))
    )[object_id]
    assert {each.actor for each in changes} == {f"member:{admin.member_id}"}


async def test_rows_are_added_and_removed_without_a_script(org: Tenant) -> None:
    admin = await visit(org)
    page = await admin.send(ROWS, {**of_page(await admin.load(PATH)), "do": "add"})
    assert page.value("rules[0].was") == ""
    filled = {**of_page(page), **row(0, id="a", maxUsd="1,250.5", kinds=["OFFRAMP"])}
    page = await admin.send(ROWS, {**filled, "do": "add"})
    assert page.value("rules[0].maxUsd") == "1,250.5"
    assert page.tree.xpath('//input[@name="rules[0].kinds"][@checked]/@value') == ["OFFRAMP"]
    assert "These rules are not applied yet" in page.text
    assert page.tree.xpath('//nav//a[@aria-current="page"][text()="Limits"]')
    page = await admin.send(ROWS, {**of_page(page), **row(1, id="b"), "do": "add"})
    # What a script leaves: rows with gaps between their numbers.
    page = await admin.send(ROWS, {**of_page(page), "do": "remove:2"})
    fields = {name.replace("rules[1]", "rules[7]"): each for name, each in of_page(page).items()}
    page = await admin.send(ROWS, {**fields, "do": "remove:0"})
    assert page.tree.xpath('//form//input[contains(@name, ".id")]/@value') == ["b"]
    assert (await org.container.limits.rules(org.org_id)).version == 0
    await admin.submit(PATH, fields)
    first, second = await rules(org)
    assert (first.id, first.max_usd, first.kinds) == ("a", Decimal("1250.5"), {"OFFRAMP"})
    assert second.id == "b"


async def test_amounts_are_in_the_readers_format(org: Tenant) -> None:
    admin = await visit(org, language="es")
    await admin.submit(PATH, {**row(0, maxUsd="1.250,5"), "version": "0", "locale": "es"})
    (held,) = await rules(org)
    assert held.max_usd == Decimal("1250.5")
    page = await admin.load(PATH)
    assert page.value("rules[0].maxUsd") == "1250,5"
    await admin.submit(PATH, of_page(page))
    assert await rules(org) == (held,)
    wrong = await admin.send(PATH, {**of_page(page), "rules[0].maxUsd": "1250.5"})
    assert wrong.status == 422
    assert not fault_of(wrong)


async def test_rows_are_tested_and_keep_what_they_have_no_field_for(org: Tenant) -> None:
    admin = await visit(org)
    document = (
        '{"rules": [{"id": "a", "window": "DAY", "per": "USER", "maxUsd": 5, "over": "REFUSE",'
        ' "rails": ["wire"]}], "block": {"destinations": []}}'
    )
    await admin.submit(DOCUMENT, {"document": document, "version": "0", "do": "set"})
    await make_transfer(org, await make_user(org, funds="9"), await make_user(org), "3")
    page = await admin.load(PATH)
    fields = {**of_page(page), **row(1, id="b", window="PAYMENT", per="ORG", maxUsd="2")}
    tested = await admin.send(ROWS, {**fields, "do": "simulate", "days": "30"})
    assert tested.status == 200
    for each in ("With these rules", "1 rejected", "Nothing was changed"):
        assert each in tested.text
    assert tested.value("rules[1].id") == "b"
    assert (await org.container.limits.rules(org.org_id)).version == 1
    await admin.submit(PATH, {**of_page(page), **row(0, "a", id="renamed", maxUsd="7")})
    (rule,) = await rules(org)
    assert (rule.id, rule.max_usd, rule.rails) == ("renamed", 7, {"wire"})
    assert (await org.container.limits.rules(org.org_id)).rules.block is not None
    wrong = await admin.send(ROWS, {**fields, "do": "simulate", "days": "0"})
    assert wrong.status == 422
    assert wrong.tree.xpath("//input[@id='f-days'][@aria-invalid]")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "not a name"),
        ("id", ""),
        ("id", "taken"),
        ("window", "YEAR"),
        ("per", "x"),
        ("over", "x"),
        ("maxUsd", "x"),
        ("maxUsd", "-1"),
        ("maxUsd", ""),
        ("maxCount", "x"),
        ("maxCount", "-1"),
        ("kinds", "x"),
        ("userIds", "x"),
        ("user", "Nobody Knows"),
    ],
)
async def test_each_refusal_leads_to_its_row(org: Tenant, field: str, value: str) -> None:
    admin = await visit(org)
    fields = {**row(0, id="taken"), **row(4, **{field: value}), "version": "0", "days": "9"}
    for path, do in ((PATH, ""), (ROWS, "simulate")):
        page = await admin.send(path, {**fields, "do": do})
        assert page.status == 422, page.text
        assert not fault_of(page)
        # A row without any bound lacks its amount.
        (link,) = page.tree.xpath("//*[@role='alert']//a/@href")
        assert link == f"#f-rules[1].{field}"
        assert page.value("rules[0].id") == "taken"
    assert (await org.container.limits.rules(org.org_id)).version == 0


async def test_a_rule_is_for_users_by_name(org: Tenant) -> None:
    admin = await visit(org)
    ada, other = await make_user(org), await make_user(org)
    await admin.submit(PATH, {**row(0, user=ada), "version": "0"})
    (held,) = await rules(org)
    assert [str(each) for each in held.user_ids or ()] == [ada]
    page = await admin.load(PATH)
    ticked = '//input[@name="rules[0].userIds"][@checked]'
    (box,) = page.tree.xpath(ticked)
    assert box.getparent().text_content().strip() == "Ada Example"
    assert page.tree.xpath('//input[@name="rules[0].user"]/@data-users')
    # As a script submits the one that was chosen from the suggestions.
    chosen = {"user": "Ada Example", "userId": other, "userFor": "Ada Example"}
    fields = {**of_page(page), **{f"rules[0].{name}": each for name, each in chosen.items()}}
    await admin.submit(PATH, fields)
    (held,) = await rules(org)
    assert {str(each) for each in held.user_ids or ()} == {ada, other}
    without = {name: each for name, each in of_page(page).items() if "userIds" not in name}
    await admin.submit(PATH, {**without, "version": "2"})
    assert [each.user_ids for each in await rules(org)] == [None]


async def test_long_lists_of_users_stay(org: Tenant) -> None:
    admin = await visit(org)
    users = [str(derived_id(org.org_id, str(at))) for at in range(21)]
    listed = ", ".join(f'"{each}"' for each in users)
    document = f'{{"rules": [{{"id": "a", "window": "DAY", "maxUsd": 5, "userIds": [{listed}]}}]}}'
    await admin.submit(DOCUMENT, {"document": document, "version": "0", "do": "set"})
    page = await admin.load(PATH)
    assert "21 users" in page.text
    await admin.submit(PATH, {**of_page(page), "rules[0].maxUsd": "6"})
    (held,) = await rules(org)
    assert (held.max_usd, {str(each) for each in held.user_ids or ()}) == (6, set(users))


async def test_rules_are_simulated_and_invalid_rules_keep_their_text(org: Tenant) -> None:
    admin = await visit(org)
    document = '{"rules": [{"id": "a", "window": "PAYMENT", "maxUsd": 5}]}'
    fields = {"document": document, "version": "0", "documentDays": "30"}
    simulated = await admin.send(DOCUMENT, {**fields, "do": "simulate"})
    assert simulated.status == 200
    assert "Nothing was changed" in simulated.text
    assert (await org.container.limits.rules(org.org_id)).version == 0
    for wrong in (HOSTILE, "{", '{"rules": [{"id": "a"}]}', '{"rules": 1}', "1e999999"):
        for do in ("set", "simulate"):
            again = await admin.send(DOCUMENT, {**fields, "document": wrong, "do": do})
            assert again.status == 422, wrong
            assert HOSTILE not in again.response.text
            assert again.tree.xpath("//details[@open]//textarea[@id='f-document']")
    for wrong in ({"documentDays": "x", "do": "simulate"}, {"version": "x", "do": "set"}):
        assert (await admin.send(DOCUMENT, {**fields, **wrong})).status == 422


async def test_only_admins_edit_rows(org: Tenant) -> None:
    async def statuses(visitor: Visitor) -> list[int]:
        sent = [visitor.send(path, row(0)) for path in (PATH, ROWS, DOCUMENT)]
        return [each.status for each in await asyncio.gather(*sent)]

    for role in (MemberRole.MEMBER, MemberRole.ANALYST):
        assert await statuses(await visit(org, role)) == [403] * 3


async def test_the_template_of_a_row_is_outside_of_the_form(org: Tenant) -> None:
    page = await (await visit(org)).load(PATH)
    assert not page.tree.xpath("//form//*[contains(@name, 'rules[new]')]")
    (template,) = re.findall(
        r"<template data-row-template>(.*?)</template>", page.response.text, re.DOTALL
    )
    for name in ("was", "id", "window", "per", "maxUsd", "maxCount", "over", "kinds", "user"):
        assert f'name="rules[new].{name}"' in template
