"""Records that leave a final status: sums and durations equal the records, folded or not."""

from datetime import UTC, datetime, timedelta

from landbridge.reporting.rollups.model import Interval, RollupMeasure, Span
from tests.change_log import placed
from tests.developers.webhooks.test_endpoint_worker import swaps
from tests.onramps import deposit, make_onramp, make_payer, retrieve
from tests.onramps import settle as settle_onramps
from tests.payouts import accept, make_account, make_offramp, make_payee, shown
from tests.reporting.rollups.test_sums import compare, is_folded
from tests.returned_payments import advance, return_deposit, return_payout
from tests.tenants import Tenant, run_due

NO_OFFSET = timedelta()


async def test_a_returned_payment_has_no_volume_before_and_after_folding(org: Tenant) -> None:
    await swaps(org, 1)
    payee = await make_payee(org)
    paid = [await make_offramp(org, payee, await make_account(org, payee)) for _ in range(2)]
    for each in paid:
        await accept(org, each)
    onramp = await make_onramp(org, await make_payer(org))
    await deposit(org, onramp, amount="99")
    await settle_onramps(org)
    await advance(org, timedelta(days=5))
    assert (await shown(org, paid[0]))["status"] == "COMPLETED"
    assert (await retrieve(org, onramp))["status"] == "FIAT_RETURNED"
    await _fold(org)
    assert await _volume(org) == (2, 20_000)
    # One returns after everything was folded: first only in the tail, then folded step by step.
    await return_payout(org, paid[0])
    await return_deposit(org, onramp, "99")
    await placed(org.container.database)
    await compare(org)
    assert await _volume(org) == (1, 10_000)
    await _fold(org)
    assert await _volume(org) == (1, 10_000)
    # The offramp reaches its final status again, and nothing from before reappears.
    await run_due(org)
    await advance(org, timedelta(days=5))
    assert (await shown(org, paid[0]))["status"] == "CRYPTO_RETURNED"
    assert (await retrieve(org, onramp))["status"] == "FIAT_RETURNED"
    await placed(org.container.database)
    await compare(org)
    await _fold(org)
    # The other one returns, and a rebuild folds everything in other steps.
    await return_payout(org, paid[1])
    await placed(org.container.database)
    created = await org.container.time_zones.rebuild(org.org_id, offset=NO_OFFSET)
    while (
        step := await org.container.rollup_updater.step(org.org_id, created.build, changes_max=3)
    ) and (not step.is_last):
        await compare(org)
    (current,) = [
        each for each in await org.container.rollups.builds(org.org_id) if each.is_current
    ]
    assert current.build == created.build
    await compare(org)
    assert await _volume(org) == (0, 0)


async def _fold(org: Tenant) -> None:
    await placed(org.container.database)
    await compare(org)
    while not await is_folded(org):
        await compare(org)
    await compare(org)


async def _volume(org: Tenant) -> tuple[int, int]:
    """Return the number of completed offramps and their value in cents."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    span = Span(today - timedelta(days=2), today + timedelta(days=30), "UTC", Interval.DAY)
    sums = await org.container.rollups.sums(org.org_id, RollupMeasure.STATE, ["OFFRAMP"], span)
    done = [each for each in sums if each.b == "COMPLETED"]
    times = await org.container.rollups.durations(org.org_id, RollupMeasure.TIME, span, ["OFFRAMP"])
    assert sum(sum(each.counts.values()) for each in times) == sum(each.count for each in done)
    return sum(each.count for each in done), sum(each.usd_cents for each in done)
