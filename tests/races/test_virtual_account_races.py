"""Virtual accounts and their rules, changed by many at once."""

import asyncio
from itertools import pairwise
from uuid import UUID

from tests.payments.virtual_accounts.virtual_account_setup import (
    RULES,
    account_body,
    apply,
    at,
    fixed,
    make_account,
    make_receiver,
    make_rule,
    rule_body,
)
from tests.tenants import Tenant

ROUNDS = 8


async def test_a_rule_is_applied_or_deleted_never_both(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    for _ in range(ROUNDS):
        rule = (await make_rule(org))["id"]
        applied, deleted = await asyncio.gather(
            org.send("POST", at(user, account, f"settlement-rules/{rule}")),
            org.send("DELETE", f"{RULES}/{rule}"),
        )
        assert (applied.status_code, deleted.status_code) in {(200, 409), (404, 200)}
        now = (await org.get(at(user, account)))["settlementRuleId"]
        assert (now == rule) is (applied.status_code == 200)
        await org.send("DELETE", at(user, account, "settlement-rules"))


async def test_an_account_and_its_rule_are_always_on_one_chain(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    rule = (await make_rule(org))["id"]
    for _ in range(ROUNDS):
        answers = await asyncio.gather(
            org.send("POST", at(user, account, f"settlement-rules/{rule}")),
            org.send("POST", at(user, account, "update"), account_body("ETHEREUM")),
            org.send("POST", f"{RULES}/{rule}/update", rule_body(chain="ETHEREUM")),
        )
        assert {each.status_code for each in answers} <= {200, 409}
        found = await org.get(at(user, account))
        if found["settlementRuleId"] is not None:
            chain = (await org.get(f"{RULES}/{rule}"))["chain"]
            assert found["destination"]["chain"] == chain
        await org.send("DELETE", at(user, account, "settlement-rules"))
        await org.post(at(user, account, "update"), account_body())
        await org.post(f"{RULES}/{rule}/update", rule_body())


async def test_the_same_request_at_once_makes_one_rule(org: Tenant) -> None:
    body = rule_body()
    answers = await asyncio.gather(*(org.send("POST", RULES, body) for _ in range(8)))
    assert len({each.text for each in answers}) == 1
    assert answers[0].status_code == 200
    assert (await org.get(RULES))["count"] == 1


async def test_concurrent_updates_are_recorded_in_order(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    rule = (await make_rule(org))["id"]
    await apply(org, user, account, rule)
    answers = await asyncio.gather(
        *(org.send("POST", f"{RULES}/{rule}/update", rule_body(fixed(each))) for each in range(6)),
        *(org.send("POST", at(user, account, verb)) for verb in ("deactivate", "reactivate") * 3),
    )
    assert {each.status_code for each in answers} == {200}
    for changed in (rule, account):
        rows = await org.container.database.rows(
            "select seq, occurred_at from changes where org_id = $1 and object_id = $2"
            " order by seq",
            org.org_id,
            UUID(changed),
        )
        assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
        assert all(one["occurred_at"] < other["occurred_at"] for one, other in pairwise(rows))
