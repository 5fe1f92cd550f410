"""How it is seen that payments have come to an end: soon for young ones, and never all at once."""

from datetime import timedelta

from landbridge.limits.store import LOOK_SIZE
from tests.tenants import Tenant, good, make_user

from .play import advance, decide, in_use, keep, left, pay, rule, set_rules, used


async def test_what_ends_later_is_free_again_a_tenth_of_its_age_later(still_org: Tenant) -> None:
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


async def test_what_waits_for_weeks_is_looked_at_every_five_minutes(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule(maxUsd=1, over="APPROVE"))
    good(await pay(org, ada, bob, 60))
    await advance(org, timedelta(hours=20))
    await keep(org)
    assert await _looks(org) == [timedelta(minutes=5, seconds=1)]
    await advance(org, timedelta(minutes=4))
    await keep(org)
    assert await _looks(org) == [timedelta(minutes=1, seconds=1)]


async def test_of_many_payments_a_bounded_number_is_looked_at_at_once(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    await set_rules(org, rule(maxUsd=500), rule("other", per="USER", maxUsd=500))
    for _ in range(LOOK_SIZE // 2 + 1):
        good(await pay(org, ada, bob, 1, requireApproval=True))
    await advance(org, timedelta(hours=1))
    offset = await org.house.orgs.clock_offset(org.org_id)
    # Each has two uses, so one of them is left for the second time.
    assert await org.house.limit_upkeep.run_once({org.org_id: offset})
    assert not await org.house.limit_upkeep.run_once({org.org_id: offset})
    assert not await org.house.limit_upkeep.run_once({org.org_id: offset})
    assert set(await _looks(org)) == {timedelta(minutes=5, seconds=1)}


async def _looks(org: Tenant) -> list[timedelta]:
    """In how long each use is looked at again, in whole seconds."""
    now = org.house.clock.now(await org.house.orgs.clock_offset(org.org_id))
    rows = await org.house.database.rows(
        "select look_at from limit_uses where org_id = $1 and not is_final", org.org_id
    )
    return [timedelta(seconds=round((row["look_at"] - now).total_seconds())) for row in rows]
