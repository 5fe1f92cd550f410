"""Virtual accounts of a user, and settlement rules."""

from typing import Any
from uuid import uuid4

from landbridge.kyc.model import Rail
from landbridge.web.caller import Role
from tests.accounts.verified import make_verified
from tests.dashboard.browsing import Visit, visit
from tests.onramps import settle
from tests.tenants import Tenant, make_user, register

RULES = "/dashboard/settlement-rules"
ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7"
RULE = {
    "chain": "POLYGON",
    "parts": "1",
    "rules[0].type": "PERCENTAGE",
    "rules[0].value": "0.01",
    "rules[0].walletAddress": ADDRESS,
}
TO_POLYGON = {"destinationCurrency": "usdc", "deliverTo": "chain:POLYGON"}


async def opened(org: Tenant, somebody: Visit) -> str:
    user = await make_verified(org, Rail.USD)
    path = f"/dashboard/users/{user}/virtual-accounts"
    await somebody.see(f"{path}/new")
    return await somebody.done(f"{path}/new", TO_POLYGON)


async def account_of(org: Tenant, there: str) -> Any:
    return await org.get("/v2" + there.removeprefix("/dashboard"))


async def test_an_account_is_opened_and_tells_where_to_pay(org: Tenant) -> None:
    somebody = await visit(org, Role.MEMBER)
    there = await opened(org, somebody)
    told = (await account_of(org, there))["depositInstructions"]
    for role in Role:
        page = await (await visit(org, role)).see(there)
        assert told["instruction"] in page.text
        for copied in (told["ach"]["accountNumber"], told["swiftCode"], told["bankName"]):
            assert page.tree.xpath(f"//button[@data-copy='{copied}']")
    listed = await somebody.see(there.rpartition("/")[0])
    assert there in listed.links()


async def test_an_account_is_turned_off_and_on_and_delivers_elsewhere(org: Tenant) -> None:
    somebody = await visit(org)
    there = await opened(org, somebody)
    await somebody.done(f"{there}/deactivate")
    assert (await account_of(org, there))["status"] == "deactivated"
    await somebody.done(f"{there}/reactivate")
    assert (await account_of(org, there))["status"] == "activated"
    user = there.split("/")[3]
    external = await register(org, user, ADDRESS)
    form = await somebody.see(f"{there}/edit")
    assert form.tree.xpath(f"//option[@value='external:{external}']")
    to = {"destinationCurrency": "usdc", "deliverTo": f"external:{external}"}
    await somebody.done(f"{there}/edit", to)
    assert (await account_of(org, there))["destination"]["externalWalletId"] == external
    assert (await somebody.see(f"{there}/edit")).status == 200


async def test_a_deposit_is_simulated_once(org: Tenant) -> None:
    somebody = await visit(org)
    there = await opened(org, somebody)
    page = await somebody.see(there)
    names = ("requestId", "amount", "source.name", "source.bankName")
    told = {name: page.value(name) for name in (*names, "source.routingNumber")}
    told |= {"source.accountNumber": "123456789", "paymentRail": "ACH"}
    wrong = await somebody.send(f"{there}/simulate-deposit", {**told, "amount": "x"})
    assert (wrong.status, wrong.value("amount")) == (422, "x")
    for _ in range(2):
        await somebody.done(f"{there}/simulate-deposit", told)
    await settle(org)
    user = there.split("/")[3]
    assert (await org.get("/v2/onramps", userId=user))["count"] == 1


async def test_a_rule_is_applied_and_removed(org: Tenant) -> None:
    somebody = await visit(org)
    there = await opened(org, somebody)
    rule = (await somebody.done(f"{RULES}/new", {**RULE, "requestId": str(uuid4())})).rpartition(
        "/"
    )[2]
    assert (await somebody.send(f"{there}/apply-rule")).status == 422
    assert (await somebody.send(f"{there}/apply-rule", {"ruleId": "nonsense"})).status == 404
    await somebody.done(f"{there}/apply-rule", {"ruleId": rule})
    assert (await account_of(org, there))["settlementRuleId"] == rule
    assert f"{RULES}/{rule}" in (await somebody.see(there)).links()
    kept = await somebody.send(f"{RULES}/{rule}/delete")
    assert kept.status == 409
    await somebody.done(f"{there}/remove-rule")
    assert (await account_of(org, there))["settlementRuleId"] is None
    assert await somebody.done(f"{RULES}/{rule}/delete") == RULES


async def test_what_is_wrong_about_virtual_accounts_is_said(org: Tenant) -> None:
    somebody = await visit(org)
    there = await opened(org, somebody)
    new = there.rpartition("/")[0] + "/new"
    for told in (
        {},
        {"destinationCurrency": "usdt", "deliverTo": "chain:POLYGON"},
        {"deliverTo": "x:y"},
    ):
        for form in (new, f"{there}/edit"):
            sent = await somebody.send(form, told)
            assert sent.status in {400, 422}, told
            assert sent.tree.xpath("//*[@role='alert']")
    assert (await somebody.send(f"{there}/explode")).status == 422
    unverified = await make_user(org)
    sent = await somebody.send(f"/dashboard/users/{unverified}/virtual-accounts/new", TO_POLYGON)
    assert 400 <= sent.status < 500


async def test_strangers_and_analysts_change_nothing(org: Tenant, other_org: Tenant) -> None:
    somebody = await visit(org)
    there = await opened(org, somebody)
    rule = await somebody.done(f"{RULES}/new", {**RULE, "requestId": str(uuid4())})
    stranger, analyst = await visit(other_org), await visit(org, Role.ANALYST)
    for page, seen in ((there, 200), (f"{there}/edit", 403), (rule, 200)):
        assert (await stranger.open(page)).status == 404
        assert (await analyst.open(page)).status == seen
    forms = {
        f"{there}/deactivate": {},
        f"{there}/edit": TO_POLYGON,
        f"{there}/apply-rule": {"ruleId": rule.rpartition("/")[2]},
        rule: {**RULE, "requestId": str(uuid4())},
        f"{rule}/delete": {},
    }
    for form, told in forms.items():
        assert (await stranger.send(form, told)).status == 404
        assert (await analyst.send(form, told)).status == 403
    assert (await analyst.send(f"{RULES}/new", {**RULE, "requestId": str(uuid4())})).status == 403
    assert not (await analyst.see(rule)).tree.xpath("//main//form[@method='post']")


async def test_a_member_is_offered_no_way_out(org: Tenant) -> None:
    admin, member = await visit(org), await visit(org, Role.MEMBER)
    there = await opened(org, member)
    external = await register(org, there.split("/")[3], ADDRESS)
    rule = await admin.done(f"{RULES}/new", {**RULE, "requestId": str(uuid4())})
    to = {"destinationCurrency": "usdc", "deliverTo": f"external:{external}"}
    for form in (f"{there}/edit", there.rpartition("/")[0] + "/new"):
        assert not (await member.see(form)).tree.xpath("//option[starts-with(@value, 'external')]")
        assert (await admin.see(form)).tree.xpath("//option[starts-with(@value, 'external')]")
        sent = await member.send(form, to)
        assert (sent.status, "ask an admin" in sent.text) == (403, True)
    assert f"{RULES}/new" not in (await member.see(RULES)).links()
    assert (await member.open(f"{RULES}/new")).status == 403
    assert not (await member.see(rule)).tree.xpath("//main//form[@method='post']")
    assert not (await member.see(there)).tree.xpath("//select[@name='ruleId']")
    await admin.done(f"{there}/apply-rule", {"ruleId": rule.rpartition("/")[2]})
    await member.done(f"{there}/deactivate")
    shown = await member.see(there)
    assert not shown.tree.xpath("//form[contains(@action, '-rule')]")
    assert not shown.tree.xpath("//form[contains(@action, 'reactivate')]")
    assert (await admin.see(there)).tree.xpath("//form[contains(@action, 'reactivate')]")
    for form, told in {
        f"{RULES}/new": {**RULE, "requestId": str(uuid4())},
        rule: {**RULE, "requestId": str(uuid4()), "do": "part"},
        f"{rule}/delete": {},
        f"{there}/remove-rule": {},
        f"{there}/reactivate": {},
    }.items():
        assert (await member.send(form, told)).status == 403, form


async def test_a_rule_is_made_of_parts_and_tiers(org: Tenant) -> None:
    somebody = await visit(org)
    assert "No settlement rules yet" in (await somebody.see(RULES)).text
    form = await somebody.see(f"{RULES}/new")
    told = {**RULE, "requestId": form.value("requestId")}
    more = await somebody.send(f"{RULES}/new", {**told, "do": "part"})
    assert (more.status, more.value("parts"), more.value("rules[0].value")) == (200, "2", "0.01")
    tiered = await somebody.send(f"{RULES}/new", {**told, "do": "tier:0"})
    assert tiered.value("tiers-0") == "2"
    told |= {
        "tiers-0": "2",
        "rules[0].tiers[0].max": "1000",
        "rules[0].tiers[0].value": "0.02",
        "rules[0].tiers[1].value": "0.01",
    }
    there = await somebody.done(f"{RULES}/new", told)
    rule = await org.get("/v2/virtual-accounts/settlement-rules/" + there.rpartition("/")[2])
    tiers = [(each["min"], each["max"], each["value"]) for each in rule["rules"][0]["tiers"]]
    assert tiers == [("", "1000", 0.02), ("1000", "", 0.01)]
    page = await somebody.see(there)
    assert page.value("rules[0].tiers[0].max") == "1000"
    untiered = await somebody.send(there, {**told, "do": "untier:0"})
    assert untiered.value("tiers-0") == "0"
    assert there in (await somebody.see(RULES, chain="POLYGON")).links()
    assert there not in (await somebody.see(RULES, chain="BASE")).links()
    assert "chain must be" in (await somebody.see(RULES, chain="MOON")).text
    await somebody.done(there, {**RULE, "rules[0].value": "0.5", "requestId": str(uuid4())})
    rule = await org.get("/v2/virtual-accounts/settlement-rules/" + there.rpartition("/")[2])
    assert rule["rules"][0]["value"] == 0.5


async def test_what_is_wrong_about_a_rule_comes_back(org: Tenant) -> None:
    somebody = await visit(org)
    told = {**RULE, "requestId": str(uuid4())}
    for changes in (
        {"rules[0].value": "x"},
        {"rules[0].value": "2"},
        {"rules[0].value": "NaN"},
        {"rules[0].walletAddress": "0x1"},
        {"chain": "MOON"},
        {"rules[0].type": "x"},
        {"tiers-0": "2", "rules[0].tiers[0].value": "1"},
        {"parts": "20"},
        {"parts": "x", "chain": ""},
        {"requestId": "x"},
    ):
        sent = await somebody.send(f"{RULES}/new", {**told, **changes})
        assert sent.status == 422, changes
        assert sent.tree.xpath("//*[@role='alert']")
