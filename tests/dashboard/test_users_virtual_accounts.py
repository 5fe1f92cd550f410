"""Virtual accounts of a user, and settlement rules."""

from typing import Any
from uuid import uuid4

from landbridge.customers.kyc.model import Rail
from landbridge.platform.http.caller import MemberRole
from tests.customers.bank_accounts.verified import make_verified
from tests.dashboard.browsing import Visitor, visit
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


async def open_account(org: Tenant, visitor: Visitor) -> str:
    user = await make_verified(org, Rail.USD)
    path = f"/dashboard/users/{user}/virtual-accounts"
    await visitor.load(f"{path}/new")
    return await visitor.submit(f"{path}/new", TO_POLYGON)


async def account_of(org: Tenant, path: str) -> Any:
    return await org.get("/v2" + path.removeprefix("/dashboard"))


async def test_account_is_opened_and_shows_deposit_instructions(org: Tenant) -> None:
    visitor = await visit(org, MemberRole.MEMBER)
    path = await open_account(org, visitor)
    instructions = (await account_of(org, path))["depositInstructions"]
    for role in MemberRole:
        page = await (await visit(org, role)).load(path)
        assert instructions["instruction"] in page.text
        for copied in (instructions["swiftCode"], instructions["bankName"]):
            assert page.tree.xpath(f"//button[@data-copy='{copied}']")
        number = instructions["ach"]["accountNumber"]
        is_shown = bool(page.tree.xpath(f"//button[@data-copy='{number}']"))
        assert is_shown is (role is not MemberRole.ANALYST)
        assert (f"****{number[-4:]}" in page.text) is not is_shown
    listed = await visitor.load(path.rpartition("/")[0])
    assert path in listed.links()
    for page in (await visitor.load(path), listed, await visitor.load(path.split("/virtual")[0])):
        assert "USD to USDC on Polygon" in page.text


async def test_account_is_deactivated_reactivated_and_redirected(org: Tenant) -> None:
    visitor = await visit(org)
    path = await open_account(org, visitor)
    await visitor.submit(f"{path}/deactivate")
    assert (await account_of(org, path))["status"] == "deactivated"
    await visitor.submit(f"{path}/reactivate")
    assert (await account_of(org, path))["status"] == "activated"
    user = path.split("/")[3]
    external = await register(org, user, ADDRESS)
    form = await visitor.load(f"{path}/edit")
    assert form.tree.xpath(f"//option[@value='external:{external}']")
    to = {"destinationCurrency": "usdc", "deliverTo": f"external:{external}"}
    await visitor.submit(f"{path}/edit", to)
    assert (await account_of(org, path))["destination"]["externalWalletId"] == external
    assert (await visitor.load(f"{path}/edit")).status == 200


async def test_deposit_is_simulated_once(org: Tenant) -> None:
    visitor = await visit(org)
    path = await open_account(org, visitor)
    page = await visitor.load(path)
    names = ("requestId", "amount", "source.name", "source.bankName")
    fields = {name: page.value(name) for name in (*names, "source.routingNumber")}
    fields |= {"source.accountNumber": "123456789", "paymentRail": "ACH"}
    wrong = await visitor.send(f"{path}/simulate-deposit", {**fields, "amount": "x"})
    assert (wrong.status, wrong.value("amount")) == (422, "x")
    for _ in range(2):
        await visitor.submit(f"{path}/simulate-deposit", fields)
    await settle(org)
    user = path.split("/")[3]
    assert (await org.get("/v2/onramps", userId=user))["count"] == 1


async def test_rule_is_applied_and_removed(org: Tenant) -> None:
    visitor = await visit(org)
    path = await open_account(org, visitor)
    rule = (await visitor.submit(f"{RULES}/new", {**RULE, "requestId": str(uuid4())})).rpartition(
        "/"
    )[2]
    assert (await visitor.send(f"{path}/apply-rule")).status == 422
    assert (await visitor.send(f"{path}/apply-rule", {"ruleId": "nonsense"})).status == 404
    await visitor.submit(f"{path}/apply-rule", {"ruleId": rule})
    assert (await account_of(org, path))["settlementRuleId"] == rule
    assert f"{RULES}/{rule}" in (await visitor.load(path)).links()
    refused = await visitor.send(f"{RULES}/{rule}/delete")
    assert refused.status == 409
    await visitor.submit(f"{path}/remove-rule")
    assert (await account_of(org, path))["settlementRuleId"] is None
    assert await visitor.submit(f"{RULES}/{rule}/delete") == RULES


async def test_invalid_virtual_account_shows_errors(org: Tenant) -> None:
    visitor = await visit(org)
    path = await open_account(org, visitor)
    new = path.rpartition("/")[0] + "/new"
    for fields in (
        {},
        {"destinationCurrency": "usdt", "deliverTo": "chain:POLYGON"},
        {"deliverTo": "x:y"},
    ):
        for form in (new, f"{path}/edit"):
            sent = await visitor.send(form, fields)
            assert sent.status in {400, 422}, fields
            assert sent.tree.xpath("//*[@role='alert']")
    assert (await visitor.send(f"{path}/explode")).status == 422
    unverified = await make_user(org)
    sent = await visitor.send(f"/dashboard/users/{unverified}/virtual-accounts/new", TO_POLYGON)
    assert 400 <= sent.status < 500


async def test_other_organisations_and_analysts_change_nothing(
    org: Tenant, other_org: Tenant
) -> None:
    visitor = await visit(org)
    path = await open_account(org, visitor)
    rule = await visitor.submit(f"{RULES}/new", {**RULE, "requestId": str(uuid4())})
    outsider, analyst = await visit(other_org), await visit(org, MemberRole.ANALYST)
    for page, status in ((path, 200), (f"{path}/edit", 403), (rule, 200)):
        assert (await outsider.open(page)).status == 404
        assert (await analyst.open(page)).status == status
    forms = {
        f"{path}/deactivate": {},
        f"{path}/edit": TO_POLYGON,
        f"{path}/apply-rule": {"ruleId": rule.rpartition("/")[2]},
        rule: {**RULE, "requestId": str(uuid4())},
        f"{rule}/delete": {},
    }
    for form, fields in forms.items():
        assert (await outsider.send(form, fields)).status == 404
        assert (await analyst.send(form, fields)).status == 403
    assert (await analyst.send(f"{RULES}/new", {**RULE, "requestId": str(uuid4())})).status == 403
    assert not (await analyst.load(rule)).tree.xpath("//main//form[@method='post']")


async def test_member_is_offered_no_external_delivery(org: Tenant) -> None:
    admin, member = await visit(org), await visit(org, MemberRole.MEMBER)
    path = await open_account(org, member)
    external = await register(org, path.split("/")[3], ADDRESS)
    rule = await admin.submit(f"{RULES}/new", {**RULE, "requestId": str(uuid4())})
    to = {"destinationCurrency": "usdc", "deliverTo": f"external:{external}"}
    for form in (f"{path}/edit", path.rpartition("/")[0] + "/new"):
        assert not (await member.load(form)).tree.xpath("//option[starts-with(@value, 'external')]")
        assert (await admin.load(form)).tree.xpath("//option[starts-with(@value, 'external')]")
        sent = await member.send(form, to)
        assert (sent.status, "need an admin" in sent.text) == (403, True)
    assert f"{RULES}/new" not in (await member.load(RULES)).links()
    assert (await member.open(f"{RULES}/new")).status == 403
    assert not (await member.load(rule)).tree.xpath("//main//form[@method='post']")
    assert not (await member.load(path)).tree.xpath("//select[@name='ruleId']")
    await admin.submit(f"{path}/apply-rule", {"ruleId": rule.rpartition("/")[2]})
    await member.submit(f"{path}/deactivate")
    shown = await member.load(path)
    assert not shown.tree.xpath("//form[contains(@action, '-rule')]")
    assert not shown.tree.xpath("//form[contains(@action, 'reactivate')]")
    assert (await admin.load(path)).tree.xpath("//form[contains(@action, 'reactivate')]")
    for form, fields in {
        f"{RULES}/new": {**RULE, "requestId": str(uuid4())},
        rule: {**RULE, "requestId": str(uuid4()), "do": "part"},
        f"{rule}/delete": {},
        f"{path}/remove-rule": {},
        f"{path}/reactivate": {},
    }.items():
        assert (await member.send(form, fields)).status == 403, form


async def test_rule_is_created_with_splits_and_tiers(org: Tenant) -> None:
    visitor = await visit(org)
    assert "No settlement rules yet" in (await visitor.load(RULES)).text
    form = await visitor.load(f"{RULES}/new")
    fields = {**RULE, "requestId": form.value("requestId")}
    more = await visitor.send(f"{RULES}/new", {**fields, "do": "part"})
    assert (more.status, more.value("parts"), more.value("rules[0].value")) == (200, "2", "0.01")
    tiered = await visitor.send(f"{RULES}/new", {**fields, "do": "tier:0"})
    assert tiered.value("tiers-0") == "2"
    fields |= {
        "tiers-0": "2",
        "rules[0].tiers[0].max": "1000",
        "rules[0].tiers[0].value": "0.02",
        "rules[0].tiers[1].value": "0.01",
    }
    path = await visitor.submit(f"{RULES}/new", fields)
    rule = await org.get("/v2/virtual-accounts/settlement-rules/" + path.rpartition("/")[2])
    tiers = [(each["min"], each["max"], each["value"]) for each in rule["rules"][0]["tiers"]]
    assert tiers == [("", "1000", 0.02), ("1000", "", 0.01)]
    page = await visitor.load(path)
    assert page.value("rules[0].tiers[0].max") == "1000"
    untiered = await visitor.send(path, {**fields, "do": "untier:0"})
    assert untiered.value("tiers-0") == "0"
    assert path in (await visitor.load(RULES, chain="POLYGON")).links()
    assert path not in (await visitor.load(RULES, chain="BASE")).links()
    assert "chain must be" in (await visitor.open(RULES, chain="MOON")).text
    await visitor.submit(path, {**RULE, "rules[0].value": "0.5", "requestId": str(uuid4())})
    rule = await org.get("/v2/virtual-accounts/settlement-rules/" + path.rpartition("/")[2])
    assert rule["rules"][0]["value"] == 0.5


async def test_invalid_rule_keeps_the_form_values(org: Tenant) -> None:
    visitor = await visit(org)
    fields = {**RULE, "requestId": str(uuid4())}
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
        sent = await visitor.send(f"{RULES}/new", {**fields, **changes})
        assert sent.status == 422, changes
        assert sent.tree.xpath("//*[@role='alert']")
