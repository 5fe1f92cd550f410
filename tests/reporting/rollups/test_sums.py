"""Sums are those of the records, whatever was folded."""

from datetime import UTC, datetime, timedelta

from landbridge.db.pool import Tx
from landbridge.reporting.rollups.model import Interval, Measure, Span
from landbridge.wiring import MOVES
from tests.onramps import deposit, make_onramp, make_payer
from tests.onramps import settle as settle_onramps
from tests.settled import settled
from tests.tenants import Tenant, make_swap, make_transfer, make_user, run_due
from tests.webhooks.test_courier import swaps

from . import by_hand


async def test_every_measure_is_the_same_before_amid_and_after_folding(org: Tenant) -> None:
    await swaps(org, 3)
    user, other = await make_user(org, funds="100"), await make_user(org)
    await make_swap(org, user)
    for _ in range(2):
        await make_transfer(org, user, other)
    await run_due(org)
    payer = await make_payer(org)
    await deposit(org, await make_onramp(org, payer))
    await settle_onramps(org)
    await settled(org.house.database)
    await compare(org)
    while not await is_folded(org):
        await compare(org)
    await compare(org)
    await make_transfer(org, user, other)
    await compare(org)


async def is_folded(org: Tenant) -> bool:
    """Fold a few changes; whether those were all."""
    builds = await org.house.rollups.builds(org.org_id)
    if not builds:
        await org.house.folding.begin(org.org_id, "UTC", timedelta(), is_new=False)
        return False
    step = await org.house.folding.step(org.org_id, builds[0].build, changes_max=15)
    return step is not None and step.is_last


async def compare(org: Tenant) -> None:
    """By hand, of whole days, which are all that some measures have."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    span = Span(today - timedelta(days=2), today + timedelta(days=2), "UTC", Interval.DAY)
    kinds = list(MOVES)
    for measure in Measure:

        async def by_hands(tx: Tx, measure: Measure = measure) -> object:
            return await by_hand.sums(tx, org.org_id, measure, kinds, span)

        asked = ["USER"] if measure is Measure.USER else kinds
        found = await by_hand.asked(org.house.rollups, org.org_id, measure, asked, span)
        expected = await org.house.database.transact(by_hands)
        assert found == expected, measure
        assert found or measure is Measure.APPROVAL, measure
