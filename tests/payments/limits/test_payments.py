"""Effect of rules on payments of each kind, over HTTP."""

from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest

from tests.onramps import make_onramp, make_payer
from tests.payments.limits.limit_setup import (
    advance,
    decide,
    in_use,
    keep,
    left,
    pay,
    rule,
    set_rules,
    used,
)
from tests.payouts import OFFRAMPS, accept, make_account, make_offramp, make_payee, offramp_body
from tests.tenants import (
    BATCHES,
    BRIDGES,
    SWAPS,
    TRANSFERS,
    Tenant,
    batch_body,
    bridge_body,
    good,
    make_swap,
    make_transfer,
    make_user,
    refusal,
    register,
    run_due,
    sentence,
    swap_body,
    transfer_body,
)

OVER = "403 LIMIT_EXCEEDED"
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


async def test_transfer_over_the_limit_is_refused_and_one_at_it_is_not(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule())
    assert (await pay(org, ada, bob, 60)).status_code == 200
    refused = await pay(org, ada, bob, "40.000001")
    assert refusal(refused) == OVER
    assert sentence(refused) == (
        "limit a-day allows the organisation 100 usd a day; "
        "this payment would make it 100.000001 usd"
    )
    assert (await pay(org, ada, bob, 40)).status_code == 200
    assert await left(org) == 0


async def test_refusal_uses_no_limit_and_frees_the_request_id(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule())
    body = transfer_body(ada, bob, 101)
    assert await org.refused("POST", TRANSFERS, body) == OVER
    assert await left(org) == 100
    assert await used(org) == await in_use(org) == {}
    good(await org.send("POST", TRANSFERS, {**body, "amount": 100}))


async def test_replay_counts_once_and_succeeds_beyond_the_limit(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule())
    body = transfer_body(ada, bob, 100)
    first = good(await org.send("POST", TRANSFERS, body))
    again = good(await org.send("POST", TRANSFERS, body))
    assert first["transferDetails"]["id"] == again["transferDetails"]["id"]
    assert list((await used(org)).values()) == [(Decimal(100), 1)]


async def test_next_day_starts_at_zero_and_the_month_does_not(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule(), rule("a-month", window="MONTH", maxUsd=150))
    assert (await pay(org, ada, bob, 100)).status_code == 200
    assert refusal(await pay(org, ada, bob, 1)) == OVER
    await advance(org, timedelta(days=1))
    assert (await pay(org, ada, bob, 50)).status_code == 200
    refused = await pay(org, ada, bob, 1)
    assert "limit a-month" in sentence(refused)
    assert "a-day" not in sentence(refused)


async def test_each_user_has_separate_limits(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org, funds="500")
    await set_rules(org, rule(per="USER"))
    assert (await pay(org, ada, bob, 100)).status_code == 200
    assert refusal(await pay(org, ada, bob, 1)) == OVER
    assert (await pay(org, bob, ada, 100)).status_code == 200
    assert await left(org, user=ada) == 0
    assert [each["rule"] for each in (await org.get("/v2/limits"))["left"]] == []


async def test_number_of_payments_is_limited_too(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule(maxUsd=None, maxCount=2))
    assert [(await pay(org, ada, bob, 1)).status_code for _ in range(3)] == [200, 200, 403]


async def test_rule_applies_only_to_what_it_names(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org, funds="500")
    narrow: dict[str, Any] = {
        "kinds": ["WALLET.TRANSFER"],
        "corridors": ["POLYGON"],
        "userIds": [ada],
        "window": "PAYMENT",
    }
    await set_rules(org, rule(maxUsd=5, **narrow))
    assert refusal(await pay(org, ada, bob, 6)) == OVER
    assert (await pay(org, ada, bob, 5)).status_code == 200
    assert (await pay(org, bob, ada, 6)).status_code == 200
    await make_swap(org, ada)


async def test_transfer_over_the_limit_waits_for_an_approval(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule(over="APPROVE"))
    body = transfer_body(ada, bob, 120)
    created = good(await org.send("POST", TRANSFERS, body))["transferDetails"]
    assert created["status"] == "PENDING_APPROVAL"
    assert await left(org) == 0
    again = good(await org.send("POST", TRANSFERS, body))["transferDetails"]
    assert again["id"] == created["id"]
    await decide(org, "approve")
    await run_due(org)
    assert (await org.get(f"{TRANSFERS}/{created['id']}"))["transferDetails"][
        "status"
    ] == "COMPLETED"
    assert list((await used(org)).values()) == [(Decimal(120), 1)]


async def test_unapproved_payment_releases_its_usage(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule(over="APPROVE"))
    good(await pay(org, ada, bob, 120))
    await decide(org, "reject")
    await keep(org)
    await keep(org)
    assert await left(org) == 100
    assert await used(org) == await in_use(org) == {}


async def test_batch_counts_with_its_total(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule(kinds=["WALLET.TRANSFER.BATCH"]))
    over = batch_body(ada, *({"userId": bob, "amount": each} for each in ("51", "50")))
    assert await org.refused("POST", BATCHES, over) == OVER
    whole = batch_body(ada, *[{"userId": bob, "amount": "50"}] * 2)
    good(await org.send("POST", BATCHES, whole))
    assert await left(org) == 0


async def test_swap_counts_when_accepted(org: Tenant) -> None:
    ada = await make_user(org, funds="500")
    await set_rules(org, rule())
    first, second = [(await make_swap(org, ada, amount="60"))["id"] for _ in range(2)]
    assert await left(org) == 100
    good(await org.send("POST", f"{SWAPS}/{first}/accept"))
    assert await left(org) == 40
    refused = await org.send("POST", f"{SWAPS}/{second}/accept")
    assert refusal(refused) == OVER
    displayed = await org.get(f"{SWAPS}/{second}")
    assert displayed["transferDetails"]["status"] == "OPEN_QUOTE"
    assert await org.refused("POST", SWAPS, swap_body(ada, amount="41")) == OVER


async def test_swap_that_would_need_an_approval_is_refused(org: Tenant) -> None:
    ada = await make_user(org, funds="500")
    await set_rules(org, rule(over="APPROVE"))
    swap, other = [(await make_swap(org, ada, amount="60"))["id"] for _ in range(2)]
    good(await org.send("POST", f"{SWAPS}/{swap}/accept"))
    refused = await org.send("POST", f"{SWAPS}/{other}/accept")
    assert refusal(refused) == OVER
    assert "was not requested" in sentence(refused)
    assert await org.refused("POST", SWAPS, swap_body(ada, amount="60")) == OVER


async def test_bridge_over_the_limit_is_accepted_once_approved(org: Tenant) -> None:
    ada = await make_user(org, funds="500")
    await org.post(f"/v2/users/{ada}/wallets/add", {"chains": ["BASE"]})
    await set_rules(org, rule(over="APPROVE", corridors=["BASE"]))
    body = bridge_body(ada, amount=120)
    created = good(await org.send("POST", BRIDGES, body))["transferDetails"]
    assert created["status"] == "PENDING_APPROVAL"
    await decide(org, "approve")
    good(await org.send("POST", f"{BRIDGES}/{created['id']}/accept"))
    assert list((await used(org)).values()) == [(Decimal(120), 1)]


async def test_offramp_counts_by_rail_and_corridor_with_its_fees(org: Tenant) -> None:
    ada = await make_payee(org)
    account = await make_account(org, ada)
    await set_rules(org, rule(rails=["ach", "wire"], corridors=["usd"]))
    first = await make_offramp(org, ada, account, 60)
    await accept(org, first)
    assert await left(org) < 100
    over = offramp_body(ada, account, 60)
    assert await org.refused("POST", OFFRAMPS, over) == OVER


async def test_onramp_counts_its_coins(org: Tenant) -> None:
    ada = await make_payer(org)
    await set_rules(org, rule(maxUsd=1, kinds=["ONRAMP"], over="APPROVE"))
    with pytest.raises(AssertionError, match="LIMIT_EXCEEDED"):
        await make_onramp(org, ada)


@pytest.mark.parametrize("listed", ["block", "allow"])
async def test_lists_restrict_destinations(org: Tenant, listed: str) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await register(org, ada, OUTSIDE)
    other = "0x52908400098527886E0F7030069857D2E4169EE7"
    await register(org, ada, other)
    await set_rules(org, **{listed: {"destinations": [OUTSIDE.lower()]}})
    there = refusal if listed == "block" else good
    elsewhere = good if listed == "block" else refusal
    there(await pay(org, ada, {"walletAddress": OUTSIDE}))
    elsewhere(await pay(org, ada, {"walletAddress": other}))
    good(await pay(org, ada, bob))


async def test_new_destination_has_a_low_limit_until_known(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await register(org, ada, OUTSIDE)
    cool: dict[str, Any] = {"hours": 24, "maxUsd": 50}
    await set_rules(org, coolDown=cool)
    good(await pay(org, ada, {"walletAddress": OUTSIDE}, 30))
    refused = await pay(org, ada, {"walletAddress": OUTSIDE}, 21)
    assert refusal(refused) == OVER
    assert "known for less than 24 hours" in sentence(refused)
    good(await pay(org, ada, {"walletAddress": OUTSIDE}, 20))
    good(await pay(org, ada, bob, 100))
    await advance(org, timedelta(hours=24))
    good(await pay(org, ada, {"walletAddress": OUTSIDE}, 100))


async def test_new_bank_account_has_a_low_limit_until_known(org: Tenant) -> None:
    ada = await make_payee(org)
    account = await make_account(org, ada)
    await set_rules(org, coolDown={"hours": 24, "maxUsd": 50, "over": "APPROVE"})
    created = await make_offramp(org, ada, account, 60)
    assert created["status"] == "PENDING_APPROVAL"
    small = await make_offramp(org, ada, account, 10)
    assert small["status"] == "PENDING_APPROVAL"


async def test_known_destinations_are_per_organisation(org: Tenant, other_org: Tenant) -> None:
    await set_rules(org, rule(maxUsd=1))
    ada, bob = await make_user(other_org, funds="500"), await make_user(other_org)
    good(await pay(other_org, ada, bob, 100))
    reply = await other_org.get("/v2/limits")
    assert (reply["version"], reply["limits"]["rules"], reply["left"]) == (0, [], [])


async def test_paid_transfer_keeps_its_usage(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule())
    await make_transfer(org, ada, bob, 30)
    await advance(org, timedelta(minutes=1))
    await keep(org)
    await keep(org)
    assert await left(org) == 70
    assert await used(org) == await in_use(org)


async def test_invalid_simulation_names_the_path(org: Tenant) -> None:
    wrong = {"limits": {"rules": [rule(kinds=["SALARY"])]}}
    answer = await org.send("POST", "/v2/limits/simulate", wrong)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert sentence(answer).startswith("limits.rules[0].kinds[0] must be one of OFFRAMP")
    assert await org.refused("POST", "/v2/limits/simulate", {"limits": {}, "days": 91}) == (
        "400 FIELD_VALIDATION_ERROR"
    )
    assert await org.refused("GET", "/v2/limits", userId=str(uuid4())[:-1]) == (
        "400 FIELD_VALIDATION_ERROR"
    )
