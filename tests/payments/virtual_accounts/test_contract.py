"""Replies have exactly the published names and types."""

from tests.contract.comparison import wrong
from tests.contract.published_virtual_accounts import ACCOUNT, LEFT_OUT, MICRO_DEPOSIT, RULE
from tests.payments.virtual_accounts.test_deposits import account_of, arrive, note
from tests.payments.virtual_accounts.virtual_account_setup import (
    RULES,
    at,
    fixed,
    make_account,
    make_receiver,
    make_rule,
    percentage,
    tiered,
)
from tests.tenants import Tenant


async def test_accounts_have_the_published_shape(org: Tenant) -> None:
    user = await make_receiver(org)
    created = await make_account(org, user)
    account = await account_of(org, user, created["id"])
    await note(org, account, await arrive(org, account, "0.11"))
    one = await org.get(at(user, created["id"]))
    assert list(wrong(one, ACCOUNT, left_out=LEFT_OUT)) == []
    assert list(wrong(one["microDeposits"]["data"][0], MICRO_DEPOSIT)) == []
    brief = {name: value for name, value in ACCOUNT.items() if name != "microDeposits"}
    page = await org.get(at(user))
    assert set(page) == {"count", "data", "nextCursor"}
    infos = [*page["data"], created]
    for verb in ("deactivate", "reactivate"):
        answer = await org.post(at(user, created["id"], verb))
        assert set(answer) == {"message", "accountInfo"}
        infos.append(answer["accountInfo"])
    for each in infos:
        assert list(wrong(each, brief, left_out=LEFT_OUT)) == []


async def test_rules_have_the_published_shape(org: Tenant) -> None:
    parts = [percentage(0.1), fixed(1), tiered(("", "5", 0.1), ("5", "", 0.05))]
    created = await make_rule(org, *parts)
    page = await org.get(RULES)
    assert set(page) == {"count", "rules", "nextCursor"}
    one = await org.get(f"{RULES}/{created['id']}")
    for each in (created, one, *page["rules"]):
        assert list(wrong(each, RULE)) == []
        assert [(part["value"] is None, part["tiers"] is None) for part in each["rules"]] == [
            *((False, True), (False, True), (True, False))
        ]
