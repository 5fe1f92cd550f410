"""Records that leave an end: sums and durations are those of the records, whatever was folded."""

from datetime import UTC, datetime, timedelta

from landbridge.reporting.rollups.model import Interval, Measure, Span
from tests.onramps import deposit, make_onramp, make_payer, retrieve
from tests.onramps import settle as settle_onramps
from tests.payouts import accept, make_account, make_offramp, make_payee, shown
from tests.returned import advance, return_deposit, return_payout
from tests.settled import settled
from tests.tenants import Tenant, run_due
from tests.webhooks.test_courier import swaps

from .test_sums import compare, is_folded

NO_OFFSET = timedelta()


async def test_what_comes_back_is_no_volume_whatever_was_folded(org: Tenant) -> None:
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
    # One comes back when all is folded: first it is in the tail alone, then bit by bit folded.
    await return_payout(org, paid[0])
    await return_deposit(org, onramp, "99")
    await settled(org.house.database)
    await compare(org)
    assert await _volume(org) == (1, 10_000)
    await _fold(org)
    assert await _volume(org) == (1, 10_000)
    # It goes on to its end, and nothing of before comes back.
    await run_due(org)
    await advance(org, timedelta(days=5))
    assert (await shown(org, paid[0]))["status"] == "CRYPTO_RETURNED"
    assert (await retrieve(org, onramp))["status"] == "FIAT_RETURNED"
    await settled(org.house.database)
    await compare(org)
    await _fold(org)
    # The other one comes back, and a build that is made anew folds all of it in other steps.
    await return_payout(org, paid[1])
    await settled(org.house.database)
    made = await org.house.time_zones.rebuild(org.org_id, offset=NO_OFFSET)
    while (step := await org.house.folding.step(org.org_id, made.build, changes_max=3)) and (
        not step.is_last
    ):
        await compare(org)
    (current,) = [each for each in await org.house.rollups.builds(org.org_id) if each.is_current]
    assert current.build == made.build
    await compare(org)
    assert await _volume(org) == (0, 0)


async def _fold(org: Tenant) -> None:
    await settled(org.house.database)
    await compare(org)
    while not await is_folded(org):
        await compare(org)
    await compare(org)


async def _volume(org: Tenant) -> tuple[int, int]:
    """How many offramps are completed, and what they are worth in cents."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    span = Span(today - timedelta(days=2), today + timedelta(days=30), "UTC", Interval.DAY)
    sums = await org.house.rollups.sums(org.org_id, Measure.STATE, ["OFFRAMP"], span)
    done = [each for each in sums if each.b == "COMPLETED"]
    times = await org.house.rollups.durations(org.org_id, Measure.TIME, span, ["OFFRAMP"])
    assert sum(sum(each.counts.values()) for each in times) == sum(each.count for each in done)
    return sum(each.count for each in done), sum(each.usd_cents for each in done)
