"""What counts, from when on, and when it stops counting."""

from datetime import timedelta
from decimal import Decimal
from uuid import UUID

import pytest

from landbridge.db.pool import Tx
from landbridge.limits.model import Verdict
from landbridge.limits.upkeep import begin_of
from tests.onramps import deposit, make_onramp, make_payer, receive, settle
from tests.payouts import accept as accept_offramp
from tests.payouts import make_account, make_offramp, make_payee
from tests.tenants import (
    SWAPS,
    Tenant,
    good,
    make_swap,
    make_user,
    refusal,
    transfer_body,
)
from tests.virtual_accounts.made import make_account as make_virtual_account
from tests.virtual_accounts.made import make_receiver

from .play import (
    advance,
    decide,
    in_use,
    keep,
    left,
    pay,
    rule,
    rules_of,
    set_rules,
    used,
)

OVER = "403 LIMIT_EXCEEDED"


async def test_a_rule_begins_with_what_was_paid_before_it(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    good(await pay(org, ada, bob, 20))
    await advance(org, timedelta(days=1))
    good(await pay(org, ada, bob, 30))
    await set_rules(org, rule(), rule("month", window="MONTH"), rule("user", per="USER"))
    assert await left(org) == 70
    assert await left(org, "month") == 50
    assert await left(org, "user", ada) == 70
    assert await left(org, "user", bob) == 100
    assert refusal(await pay(org, ada, bob, 51)) == OVER


async def test_a_new_maximum_begins_with_what_the_old_one_counted(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule())
    good(await pay(org, ada, bob, 90))
    await set_rules(org, rule("other", maxUsd=200))
    assert await left(org, "other") == 110
    await set_rules(org, rule(maxUsd=50))
    assert await left(org) == 0
    assert len(await used(org)) == 1


async def test_what_was_paid_without_rules_counts_when_they_come_back(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule())
    good(await pay(org, ada, bob, 10))
    await set_rules(org)
    good(await pay(org, ada, bob, 200))
    assert (await org.get("/v2/limits"))["left"] == []
    await set_rules(org, rule(maxUsd=300))
    assert await left(org) == 90


async def test_open_quotes_and_failures_of_before_do_not_count(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await make_swap(org, ada, amount="10")
    good(await pay(org, ada, bob, 20, requireApproval=True))
    await decide(org, "reject")
    good(await pay(org, ada, bob, 40, requireApproval=True))
    await set_rules(org, rule())
    assert await left(org) == 60


async def test_the_worker_counts_rules_that_were_just_set(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    good(await pay(org, ada, bob, 20))
    at = org.house.clock.stamp()
    rules = rules_of(org, rule())
    limits = org.house.limits
    assert await limits.set_rules(org.org_id, rules, actor="test", at=at)
    assert not await limits.set_rules(org.org_id, rules, actor="test", at=at)
    assert await left(org) == 100
    await keep(org)
    assert await left(org) == 80
    assert await _uncounted(org) == 1
    # A payment that another process had begun before it knew of the rules is found, too.
    await advance(org, timedelta(seconds=61))
    await keep(org)
    assert await _uncounted(org) == 0
    told = await org.house.database.rows(
        "select kind, what, seq from changes where org_id = $1 and kind = 'LIMITS'", org.org_id
    )
    assert [(row["what"], row["seq"]) for row in told] == [("set", 1)]


async def test_an_offramp_counts_with_its_fees_once_it_is_accepted(org: Tenant) -> None:
    ada = await make_payee(org)
    account = await make_account(org, ada)
    await set_rules(org, rule())
    made = await make_offramp(org, ada, account, 60)
    await accept_offramp(org, made)
    assert await left(org) < 50
    offramp = await org.house.offramps.get(org.org_id, made["id"])
    assert offramp.gross.decimal == 100 - await left(org)
    await keep(org)
    assert await used(org) == await in_use(org) != {}


async def test_an_onramp_counts_once_it_is_accepted(org: Tenant) -> None:
    ada = await make_payer(org)
    await set_rules(org, rule(maxUsd="1000"))
    await make_onramp(org, ada, is_accepted=False)
    assert await left(org) == 1000
    onramp = await make_onramp(org, ada)
    counted = 1000 - await left(org)
    assert counted > 0
    await deposit(org, onramp)
    await settle(org)
    await keep(org)
    assert 1000 - await left(org) == counted


async def test_a_deposit_on_a_virtual_account_is_nobodys_spending(org: Tenant) -> None:
    await set_rules(org, rule(maxUsd=0), rule("large", window="PAYMENT", maxUsd=0))
    user = await make_receiver(org)
    account = await make_virtual_account(org, user)
    found = await org.house.virtual_accounts.get(org.org_id, UUID(user), UUID(account["id"]))
    await receive(org, account_number=found.account_number, amount="10")
    await settle(org)
    held = await org.get(f"/v2/users/{user}/wallets/balance", chain="POLYGON", currency="usdc")
    assert int(held["availableBalance"]) > 0
    assert await used(org) == {}


async def test_a_payment_is_counted_once_whoever_counts_it(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule())
    made = good(await pay(org, ada, bob, 20))["transferDetails"]
    record = await org.house.ledger.get(org.org_id, "WALLET.TRANSFER", made["id"])

    async def again(tx: Tx) -> Verdict:
        return await org.house.limits.take_in(tx, record)

    assert (await org.house.database.transact(again)).findings == ()
    await org.house.limit_upkeep.count(org.org_id)
    assert list((await used(org)).values()) == [(Decimal(20), 1)]


async def test_old_uses_are_swept_and_young_ones_kept(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule())
    good(await pay(org, ada, bob, 20))
    await advance(org, timedelta(minutes=1))
    await keep(org)
    offset = await org.house.orgs.clock_offset(org.org_id)
    await org.house.limit_upkeep.sweep({org.org_id: offset})
    assert await used(org) == await in_use(org) != {}
    await advance(org, timedelta(days=101))
    offset = await org.house.orgs.clock_offset(org.org_id)
    await org.house.limit_upkeep.sweep({org.org_id: offset})
    assert await used(org) == await in_use(org) == {}


async def test_a_rehearsed_payment_counts_nothing_and_says_what_is_met(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule())
    good(
        await org.send("POST", "/v2/wallets/transfers", transfer_body(ada, bob, 60), dryRun="true")
    )
    over = transfer_body(ada, bob, 101)
    assert refusal(await org.send("POST", "/v2/wallets/transfers", over, dryRun="true")) == OVER
    assert await left(org) == 100
    assert await in_use(org) == {}


async def test_accepting_a_swap_twice_counts_once(org: Tenant) -> None:
    ada = await make_user(org, funds="500")
    await set_rules(org, rule())
    swap = (await make_swap(org, ada, amount="60"))["id"]
    for _ in range(2):
        good(await org.send("POST", f"{SWAPS}/{swap}/accept"))
    assert await left(org) == 40


@pytest.mark.parametrize(
    ("cool_down", "begin"),
    [
        (None, "2026-03-01"),
        ({"hours": 24, "maxUsd": 1}, "2026-03-01"),
        ({"hours": 24 * 60, "maxUsd": 1}, "2026-01-12"),
    ],
)
async def test_rules_look_back_to_the_first_of_the_month_or_further(
    still_org: Tenant, cool_down: dict[str, int] | None, begin: str
) -> None:
    at = still_org.house.clock.now().replace(year=2026, month=3, day=14)
    lists = {} if cool_down is None else {"coolDown": cool_down}
    rules = rules_of(still_org, rule(), **lists)
    assert begin_of(rules, at).date().isoformat() == begin


async def _uncounted(org: Tenant) -> int:
    rows = await org.house.database.rows(
        "select 1 from limit_rules where org_id = $1 and not is_counted", org.org_id
    )
    return len(rows)
