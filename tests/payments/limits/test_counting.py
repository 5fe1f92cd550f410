"""Payments that count, and the times from and until which they count."""

from datetime import timedelta
from decimal import Decimal
from uuid import UUID

import pytest

from landbridge.payments.limits.maintenance import window_start
from landbridge.payments.limits.model import LimitVerdict
from landbridge.platform.db.pool import Tx
from tests.onramps import ONRAMPS, deposit, make_onramp, make_payer, receive, settle
from tests.payments.limits.limit_setup import (
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
from tests.payments.virtual_accounts.virtual_account_setup import (
    make_account as make_virtual_account,
)
from tests.payments.virtual_accounts.virtual_account_setup import make_receiver
from tests.payouts import accept as accept_offramp
from tests.payouts import make_account, make_offramp, make_payee
from tests.tenants import SWAPS, Tenant, good, make_swap, make_user, refusal, transfer_body

OVER = "403 LIMIT_EXCEEDED"


async def test_new_rule_counts_earlier_payments(still_org: Tenant) -> None:
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


async def test_new_maximum_keeps_the_usage_of_the_old_one(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule())
    good(await pay(org, ada, bob, 90))
    await set_rules(org, rule("other", maxUsd=200))
    assert await left(org, "other") == 110
    await set_rules(org, rule(maxUsd=50))
    assert await left(org) == 0
    assert len(await used(org)) == 1


async def test_payments_without_rules_count_when_rules_return(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule())
    good(await pay(org, ada, bob, 10))
    await set_rules(org)
    good(await pay(org, ada, bob, 200))
    assert (await org.get("/v2/limits"))["left"] == []
    await set_rules(org, rule(maxUsd=300))
    assert await left(org) == 90


async def test_earlier_open_quotes_and_failures_do_not_count(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await make_swap(org, ada, amount="10")
    good(await pay(org, ada, bob, 20, requireApproval=True))
    await decide(org, "reject")
    good(await pay(org, ada, bob, 40, requireApproval=True))
    await set_rules(org, rule())
    assert await left(org) == 60


async def test_worker_applies_newly_set_rules(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    good(await pay(org, ada, bob, 20))
    at = org.container.clock.stamp()
    rules = rules_of(org, rule())
    limits = org.container.limits
    assert await limits.set_rules(org.org_id, rules, actor="test", at=at)
    assert not await limits.set_rules(org.org_id, rules, actor="test", at=at)
    assert await left(org) == 100
    await keep(org)
    assert await left(org) == 80
    assert await _uncounted(org) == 1
    # A payment that another process began before it knew the rules is found too.
    await advance(org, timedelta(seconds=61))
    await keep(org)
    assert await _uncounted(org) == 0
    rows = await org.container.database.rows(
        "select kind, change_type, seq from changes where org_id = $1 and kind = 'LIMITS'",
        org.org_id,
    )
    assert [(row["change_type"], row["seq"]) for row in rows] == [("set", 1)]


async def test_accepted_offramp_counts_with_its_fees(org: Tenant) -> None:
    ada = await make_payee(org)
    account = await make_account(org, ada)
    await set_rules(org, rule())
    created = await make_offramp(org, ada, account, 60)
    await accept_offramp(org, created)
    assert await left(org) < 50
    offramp = await org.container.offramps.get(org.org_id, created["id"])
    assert offramp.gross.decimal == 100 - await left(org)
    await keep(org)
    assert await used(org) == await in_use(org) != {}


async def test_quotes_of_several_days_count_in_the_day_of_their_acceptance(org: Tenant) -> None:
    """A quote that is refreshed each day would otherwise bring the limit of its first day."""
    ada = await make_payer(org)
    await set_rules(org, rule())
    old = await make_onramp(org, ada, 70, is_accepted=False)
    # 23 hours later it is another day.
    for _ in range(2):
        await advance(org, timedelta(hours=23))
        await org.post(f"{ONRAMPS}/{old['id']}/quote/refresh")
    new = await make_onramp(org, ada, 70, is_accepted=False)
    await org.post(f"{ONRAMPS}/{new['id']}/quote/accept")
    path = f"{ONRAMPS}/{old['id']}/quote/accept"
    assert await org.refused("POST", path) == "403 LIMIT_EXCEEDED"
    await advance(org, timedelta(hours=22))
    await org.post(f"{ONRAMPS}/{old['id']}/quote/refresh")
    await org.post(path)
    await set_rules(org, rule(maxUsd="101"))
    assert await used(org) == await in_use(org)
    assert len(await used(org)) == 2


async def test_accepted_onramp_counts_once(org: Tenant) -> None:
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


async def test_a_virtual_account_deposit_counts_for_no_limit(org: Tenant) -> None:
    await set_rules(org, rule(maxUsd=0), rule("large", window="PAYMENT", maxUsd=0))
    user = await make_receiver(org)
    account = await make_virtual_account(org, user)
    found = await org.container.virtual_accounts.get(org.org_id, UUID(user), UUID(account["id"]))
    await receive(org, account_number=found.account_number, amount="10")
    await settle(org)
    held = await org.get(f"/v2/users/{user}/wallets/balance", chain="POLYGON", currency="usdc")
    assert int(held["availableBalance"]) > 0
    assert await used(org) == {}


async def test_payment_is_counted_once_by_any_process(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule())
    created = good(await pay(org, ada, bob, 20))["transferDetails"]
    record = await org.container.ledger.get(org.org_id, "WALLET.TRANSFER", created["id"])

    async def again(tx: Tx) -> LimitVerdict:
        return await org.container.limits.evaluate_in(tx, record)

    assert (await org.container.database.transact(again)).findings == ()
    await org.container.limit_maintenance.count(org.org_id)
    assert list((await used(org)).values()) == [(Decimal(20), 1)]


async def test_old_usage_is_deleted_and_recent_usage_kept(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule())
    good(await pay(org, ada, bob, 20))
    await advance(org, timedelta(minutes=1))
    await keep(org)
    offset = await org.container.orgs.clock_offset(org.org_id)
    await org.container.limit_maintenance.sweep({org.org_id: offset})
    assert await used(org) == await in_use(org) != {}
    await advance(org, timedelta(days=101))
    offset = await org.container.orgs.clock_offset(org.org_id)
    await org.container.limit_maintenance.sweep({org.org_id: offset})
    assert await used(org) == await in_use(org) == {}


async def test_simulated_payment_counts_nothing_and_lists_matching_rules(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule())
    good(
        await org.send("POST", "/v2/wallets/transfers", transfer_body(ada, bob, 60), dryRun="true")
    )
    over = transfer_body(ada, bob, 101)
    assert refusal(await org.send("POST", "/v2/wallets/transfers", over, dryRun="true")) == OVER
    assert await left(org) == 100
    assert await in_use(org) == {}


async def test_repeated_accept_of_a_swap_counts_once(org: Tenant) -> None:
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
async def test_rules_count_from_the_first_of_the_month_or_earlier(
    still_org: Tenant, cool_down: dict[str, int] | None, begin: str
) -> None:
    at = still_org.container.clock.now().replace(year=2026, month=3, day=14)
    lists = {} if cool_down is None else {"coolDown": cool_down}
    rules = rules_of(still_org, rule(), **lists)
    assert window_start(rules, at).date().isoformat() == begin


async def _uncounted(org: Tenant) -> int:
    rows = await org.container.database.rows(
        "select 1 from limit_rules where org_id = $1 and not is_counted", org.org_id
    )
    return len(rows)
