"""What a payment used is given back once it has come to nothing, also long after it was through."""

from datetime import timedelta
from uuid import UUID

from landbridge.limits import store
from tests.payouts import accept, make_account, make_offramp, make_payee, shown
from tests.returned import return_payout
from tests.tenants import Tenant, run_due

from .play import advance, in_use, keep, left, rule, set_rules, used


async def _completed(org: Tenant) -> dict[str, str]:
    """An offramp of a hundred that is through, and final in the limits."""
    user = await make_payee(org)
    made = await make_offramp(org, user, await make_account(org, user))
    await accept(org, made)
    await advance(org, timedelta(days=5))
    assert (await shown(org, made))["status"] == "COMPLETED"
    await keep(org)
    return made


async def test_a_payout_that_comes_back_gives_its_limit_back(org: Tenant) -> None:
    await set_rules(org, rule("month", window="MONTH", maxUsd="1000"))
    made = await _completed(org)
    assert await left(org, "month") == 900
    await return_payout(org, made)
    await run_due(org)
    assert (await shown(org, made))["status"] == "CRYPTO_RETURNED"
    await keep(org)
    assert await left(org, "month") == 1000
    assert await used(org) == await in_use(org) == {}


async def test_a_worker_that_looked_before_does_not_make_it_final(org: Tenant) -> None:
    """It has seen the payment COMPLETED, and writes that when the payment came back."""
    await set_rules(org, rule("month", window="MONTH", maxUsd="1000"))
    made = await _completed(org)
    database = org.house.database
    (before,) = await database.rows(
        "update limit_uses set is_final = false where org_id = $1 returning look_at", org.org_id
    )
    await return_payout(org, made)
    looked_at = [(UUID(made["id"]), before["look_at"])]
    await database.single(lambda tx: store.make_final(tx, org.org_id, looked_at))
    await run_due(org)
    await keep(org)
    assert await left(org, "month") == 1000
