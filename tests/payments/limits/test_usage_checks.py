"""Checks whether payments have ended: early for young payments, and never all at once."""

from datetime import timedelta

from landbridge.payments.limits.store import CHECK_BATCH_SIZE
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
from tests.tenants import Tenant, good, make_user


async def test_check_interval_is_a_tenth_of_the_age(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule("month", window="MONTH"))
    good(await pay(org, ada, bob, 60, requireApproval=True))
    await advance(org, timedelta(minutes=10))
    await keep(org)
    await decide(org, "reject")
    await keep(org)
    assert await left(org, "month") == 40
    await advance(org, timedelta(seconds=62))
    await keep(org)
    assert await left(org, "month") == 100
    assert await used(org) == await in_use(org) == {}


async def test_old_waiting_payment_is_checked_every_five_minutes(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule(maxUsd=1, over="APPROVE"))
    good(await pay(org, ada, bob, 60))
    await advance(org, timedelta(hours=20))
    await keep(org)
    assert await _checks(org) == [timedelta(minutes=5, seconds=1)]
    await advance(org, timedelta(minutes=4))
    await keep(org)
    assert await _checks(org) == [timedelta(minutes=1, seconds=1)]


async def test_concurrent_checks_are_bounded(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule(maxUsd=500), rule("other", per="USER", maxUsd=500))
    for _ in range(CHECK_BATCH_SIZE // 2 + 1):
        good(await pay(org, ada, bob, 1, requireApproval=True))
    await advance(org, timedelta(hours=1))
    offset = await org.container.orgs.clock_offset(org.org_id)
    # Each has two uses, so one remains for the second run.
    assert await org.container.limit_maintenance.run_once({org.org_id: offset})
    assert not await org.container.limit_maintenance.run_once({org.org_id: offset})
    assert not await org.container.limit_maintenance.run_once({org.org_id: offset})
    assert set(await _checks(org)) == {timedelta(minutes=5, seconds=1)}


async def _checks(org: Tenant) -> list[timedelta]:
    """Return the seconds until each use is checked again."""
    now = org.container.clock.now(await org.container.orgs.clock_offset(org.org_id))
    rows = await org.container.database.rows(
        "select next_check_at from limit_usage where org_id = $1 and not is_final", org.org_id
    )
    return [timedelta(seconds=round((row["next_check_at"] - now).total_seconds())) for row in rows]
