"""A failed payment releases its usage, even long after it completed."""

from datetime import timedelta
from uuid import UUID

from landbridge.payments.limits import store
from tests.payments.limits.limit_setup import advance, in_use, keep, left, rule, set_rules, used
from tests.payouts import accept, make_account, make_offramp, make_payee, shown
from tests.returned_payments import return_payout
from tests.tenants import Tenant, run_due


async def _start_month(org: Tenant) -> None:
    """Advance the clock to the fifth of a month: no month ends during the payment."""
    today = org.container.clock.now(org.caller.clock_offset)
    fifth = (today.replace(day=1) + timedelta(days=32)).replace(day=5)
    await advance(org, fifth - today)


async def _completed(org: Tenant) -> dict[str, str]:
    """An offramp of a hundred that is through, and final in the limits."""
    user = await make_payee(org)
    created = await make_offramp(org, user, await make_account(org, user))
    await accept(org, created)
    await advance(org, timedelta(days=5))
    assert (await shown(org, created))["status"] == "COMPLETED"
    await keep(org)
    return created


async def test_returned_payout_releases_its_usage(org: Tenant) -> None:
    await _start_month(org)
    await set_rules(org, rule("month", window="MONTH", maxUsd="1000"))
    created = await _completed(org)
    assert await left(org, "month") == 900
    await return_payout(org, created)
    await run_due(org)
    assert (await shown(org, created))["status"] == "CRYPTO_RETURNED"
    await keep(org)
    assert await left(org, "month") == 1000
    assert await used(org) == await in_use(org) == {}


async def test_worker_with_a_stale_read_does_not_finalise_the_usage(org: Tenant) -> None:
    """It has read the payment as COMPLETED, and writes this after the payment was returned."""
    await _start_month(org)
    await set_rules(org, rule("month", window="MONTH", maxUsd="1000"))
    created = await _completed(org)
    database = org.container.database
    (before,) = await database.rows(
        "update limit_usage set is_final = false where org_id = $1 returning next_check_at",
        org.org_id,
    )
    await return_payout(org, created)
    looked_at = [(UUID(created["id"]), before["next_check_at"])]
    await database.single(lambda tx: store.make_final(tx, org.org_id, looked_at))
    await run_due(org)
    await keep(org)
    assert await left(org, "month") == 1000
