from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.payments.virtual_accounts.rule_model import KIND
from tests.payments.virtual_accounts.virtual_account_setup import (
    ELSEWHERE,
    OUTSIDE,
    RULES,
    apply,
    at,
    fixed,
    make_account,
    make_receiver,
    make_rule,
    percentage,
    rule_body,
    tiered,
)
from tests.tenants import Tenant, make_user, refusal, sentence

TIERS = tiered(("", "100", 0.02), ("100", "1000.5", 0.01), ("1000.5", "", 0))
WRONG: list[tuple[list[dict[str, Any]], str]] = [
    ([], "rules"),
    ([percentage(0.01)] * 21, "rules"),
    ([percentage(1.01)], "rules[0].value"),
    ([percentage(-0.1)], "rules[0].value"),
    ([percentage(0.00001)], "rules[0].value"),
    ([percentage("NaN")], "rules[0].value"),
    ([percentage(value=True)], "rules[0].value"),
    ([percentage(None)], "rules[0].value"),
    ([percentage(0.6), percentage(0.5)], "rules"),
    ([percentage(0.1), fixed(-1)], "rules[1].value"),
    ([fixed(0.0000001)], "rules[0].value"),
    ([fixed(10**13)], "rules[0].value"),
    ([percentage(0.1, "0x12")], "rules[0].walletAddress"),
    ([percentage(0.1, "11111111111111111111111111111111")], "rules[0].walletAddress"),
    ([{**percentage(0.1), "tiers": []}], "rules[0].tiers"),
    ([{**TIERS, "value": 0.1}], "rules[0].value"),
    ([{**TIERS, "tiers": None}], "rules[0].tiers"),
    ([tiered()], "rules[0].tiers"),
    ([tiered(*[("", "", 0)] * 21)], "rules[0].tiers"),
    ([tiered(("0", "", 0))], "rules[0].tiers[0].min"),
    ([tiered(("", "5", 0))], "rules[0].tiers[0].max"),
    ([tiered(("", "", 0), ("5", "", 0))], "rules[0].tiers[0].max"),
    ([tiered(("", "5", 0), ("6", "", 0))], "rules[0].tiers[1].min"),
    ([tiered(("", "5", 0), ("4", "", 0))], "rules[0].tiers[1].min"),
    ([tiered(("", "5", 0), ("5", "5", 0), ("5", "", 0))], "rules[0].tiers[1].max"),
    ([tiered(("", "0", 0), ("0", "", 0))], "rules[0].tiers[0].max"),
    ([tiered(("", "x", 0), ("x", "", 0))], "rules[0].tiers[0].max"),
    ([tiered(("", "5", 0.6), ("5", "", 0)), percentage(0.5)], "rules"),
    ([tiered(("", "5", 0), ("5", "", 0.6)), percentage(0.5)], "rules"),
    ([{**percentage(0.1), "type": "percentage"}], "rules[0].type"),
    ([{**percentage(0.1), "calculationModel": "x"}], "rules[0].calculationModel"),
]


async def test_a_rule_is_created_retrieved_and_listed(org: Tenant) -> None:
    parts = [percentage(0.0125), fixed(1.5, ELSEWHERE), TIERS]
    created = await make_rule(org, *parts, includeHIFIFee=True)
    assert created == {
        "id": created["id"],
        "chain": "POLYGON",
        "includeHIFIFee": True,
        "rules": [
            {**parts[0], "tiers": None, "walletAddress": OUTSIDE},
            {**parts[1], "tiers": None, "walletAddress": created["rules"][1]["walletAddress"]},
            {**TIERS, "value": None},
        ],
    }
    # An address has one spelling, however it was submitted.
    assert created["rules"][1]["walletAddress"].lower() == ELSEWHERE.lower()
    assert await org.get(f"{RULES}/{created['id']}") == created
    listed = await org.get(RULES)
    assert listed["count"] == 1
    assert listed["rules"] == [created]
    assert listed["nextCursor"]


async def test_figures_are_json_numbers_or_strings_and_exact(org: Tenant) -> None:
    created = await make_rule(org, fixed("0.100000"), fixed(1e-6), percentage("0.10"))
    assert [each["value"] for each in created["rules"]] == [0.1, 0.000001, 0.1]
    text = (await org.send("GET", f"{RULES}/{created['id']}")).text
    assert '"value":0.1' in text


@pytest.mark.parametrize(("parts", "field"), WRONG)
async def test_invalid_field_is_named(org: Tenant, parts: list[Any], field: str) -> None:
    answer = await org.send("POST", RULES, {**rule_body(), "rules": parts})
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR", answer.text
    assert field in sentence(answer)
    assert (await org.get(RULES))["count"] == 0


async def test_disjoint_tiers_may_each_be_large(org: Tenant) -> None:
    await make_rule(org, tiered(("", "5", 0.6), ("5", "", 0)), tiered(("", "5", 0), ("5", "", 1)))


async def test_other_members_are_required(org: Tenant) -> None:
    for name in ("requestId", "chain", "includeHIFIFee", "rules"):
        body = rule_body()
        del body[name]
        answer = await org.send("POST", RULES, body)
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
        assert sentence(answer) == f"{name} is required"


async def test_address_of_a_user_without_that_wallet_is_refused(org: Tenant) -> None:
    user = await make_user(org)
    wallets = (await org.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"]
    part = percentage(0.1, wallets["POLYGON"]["address"])
    assert (await make_rule(org, part))["rules"][0]["walletAddress"] == part["walletAddress"]
    body = rule_body(part, chain="BASE")
    assert await org.refused("POST", RULES, body) == "404 WALLET_NOT_FOUND"


async def test_repeated_request_creates_one_rule(org: Tenant) -> None:
    body = rule_body(percentage(0.1), TIERS)
    created = await org.post(RULES, body)
    # The same in other spellings.
    again = {**body, "rules": [percentage("0.1000", OUTSIDE.lower()), TIERS], "extra": 1}
    assert await org.post(RULES, again) == created
    for changes, field in (
        ({"chain": "BASE"}, "chain"),
        ({"includeHIFIFee": True}, "includeHIFIFee"),
        ({"rules": [percentage(0.2)]}, "rules"),
    ):
        answer = await org.send("POST", RULES, {**body, **changes})
        assert refusal(answer) == "409 RESOURCE_CONFLICT"
        assert field in sentence(answer)
    assert (await org.get(RULES))["count"] == 1


async def test_refused_request_does_not_use_its_id(org: Tenant) -> None:
    body = rule_body(percentage(2))
    assert await org.refused("POST", RULES, body) == "400 FIELD_VALIDATION_ERROR"
    await org.post(RULES, {**body, "rules": [percentage(0.2)]})


async def test_an_update_replaces_everything(org: Tenant) -> None:
    rule = (await make_rule(org, percentage(0.1), TIERS))["id"]
    path = f"{RULES}/{rule}/update"
    body = rule_body(fixed(2), chain="BASE", includeHIFIFee=True)
    after = await org.post(path, body)
    assert after["id"] == rule
    assert after["chain"] == "BASE"
    assert [each["value"] for each in after["rules"]] == [2]
    assert await org.get(f"{RULES}/{rule}") == after
    # A late repetition reverts nothing.
    latest = await org.post(path, rule_body(fixed(3)))
    assert await org.post(path, body) == latest
    other = {**body, "rules": [fixed(4)]}
    assert await org.refused("POST", path, other) == "409 RESOURCE_CONFLICT"
    assert [each["seq"] for each in await _list_changes(org, rule)] == [1, 2, 3]


async def test_request_id_belongs_to_one_operation(org: Tenant) -> None:
    body = rule_body()
    created = (await org.post(RULES, body))["id"]
    other = (await make_rule(org))["id"]
    assert await org.refused("POST", f"{RULES}/{created}/update", body) == "409 RESOURCE_CONFLICT"
    update = rule_body(fixed(1))
    await org.post(f"{RULES}/{created}/update", update)
    assert await org.refused("POST", f"{RULES}/{other}/update", update) == "409 RESOURCE_CONFLICT"
    assert await org.refused("POST", RULES, update) == "409 RESOURCE_CONFLICT"


async def test_applied_rule_keeps_its_chain_and_is_not_deleted(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    rule = (await make_rule(org))["id"]
    await apply(org, user, account, rule)
    await apply(org, user, account, rule)
    assert await org.refused("DELETE", f"{RULES}/{rule}") == "409 RESOURCE_CONFLICT"
    moved = await org.send("POST", f"{RULES}/{rule}/update", rule_body(chain="BASE"))
    assert refusal(moved) == "409 RESOURCE_CONFLICT"
    assert account in sentence(moved)
    await org.post(f"{RULES}/{rule}/update", rule_body(fixed(1)))
    # A deactivated account keeps its rule.
    await org.post(at(user, account, "deactivate"))
    assert await org.refused("DELETE", f"{RULES}/{rule}") == "409 RESOURCE_CONFLICT"
    removed = await org.send("DELETE", at(user, account, "settlement-rules"))
    assert removed.status_code == 200
    deleted = await org.send("DELETE", f"{RULES}/{rule}")
    assert deleted.status_code == 200
    assert set(deleted.json()) == {"message"}
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/update")):
        body = rule_body() if method == "POST" else None
        found = await org.refused(method, f"{RULES}/{rule}{path}", body)
        assert found == "404 RESOURCE_NOT_FOUND"
    rule_path = at(user, account, f"settlement-rules/{rule}")
    assert await org.refused("POST", rule_path) == "404 RESOURCE_NOT_FOUND"
    assert [each["change_type"] for each in await _list_changes(org, rule)] == [
        "create",
        "update",
        "delete",
    ]


async def test_request_of_a_deleted_rule_is_not_repeated(org: Tenant) -> None:
    body = rule_body()
    rule = (await org.post(RULES, body))["id"]
    await org.send("DELETE", f"{RULES}/{rule}")
    assert await org.refused("POST", RULES, body) == "409 RESOURCE_CONFLICT"


async def test_new_rule_replaces_the_previous_one(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    first, second = (await make_rule(org))["id"], (await make_rule(org))["id"]
    await apply(org, user, account, first)
    await apply(org, user, account, second)
    assert (await org.get(at(user, account)))["settlementRuleId"] == second
    assert (await org.send("DELETE", f"{RULES}/{first}")).status_code == 200


async def test_lists_are_narrowed_by_chain_and_paged(org: Tenant) -> None:
    base = [(await make_rule(org, chain="BASE"))["id"] for _ in range(2)]
    polygon = [(await make_rule(org))["id"] for _ in range(3)]
    ids: list[str] = []
    cursor: dict[str, str] = {}
    while page := (found := await org.get(RULES, limit=2, **cursor))["rules"]:
        assert found["count"] == len(page)
        ids += [each["id"] for each in page]
        cursor = {"createdBefore": found["nextCursor"]}
    assert found == {"count": 0, "nextCursor": None, "rules": []}
    assert ids == [*polygon[::-1], *base[::-1]]
    assert [each["id"] for each in (await org.get(RULES, chain="BASE"))["rules"]] == base[::-1]
    assert await org.refused("GET", RULES, chain="x") == "400 FIELD_VALIDATION_ERROR"


async def test_unknown_rules_look_alike(org: Tenant, other_org: Tenant) -> None:
    theirs = (await make_rule(other_org))["id"]
    for rule in (theirs, str(uuid4()), "nonsense"):
        assert await org.refused("GET", f"{RULES}/{rule}") == "404 RESOURCE_NOT_FOUND"
        assert await org.refused("DELETE", f"{RULES}/{rule}") == "404 RESOURCE_NOT_FOUND"
        path = f"{RULES}/{rule}/update"
        assert await org.refused("POST", path, rule_body()) == "404 RESOURCE_NOT_FOUND"


async def _list_changes(org: Tenant, rule: str) -> list[Any]:
    rows = await org.container.database.rows(
        "select seq, change_type, kind from changes where org_id = $1 and object_id = $2"
        " order by seq",
        org.org_id,
        UUID(rule),
    )
    assert {row["kind"] for row in rows} == {KIND}
    return list(rows)
