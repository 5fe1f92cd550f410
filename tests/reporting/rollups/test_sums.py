"""Sums equal the records, however much is folded."""

from datetime import UTC, datetime, timedelta

from landbridge.app.container import TRANSITIONS
from landbridge.platform.db.pool import Tx
from landbridge.reporting.rollups.model import Interval, RollupMeasure, Span
from tests.change_log import placed
from tests.developers.webhooks.test_endpoint_worker import swaps
from tests.onramps import deposit, make_onramp, make_payer
from tests.onramps import settle as settle_onramps
from tests.reporting.rollups import brute_force
from tests.tenants import Tenant, make_swap, make_transfer, make_user, run_due


async def test_every_measure_is_unchanged_by_folding(org: Tenant) -> None:
    await swaps(org, 3)
    user, other = await make_user(org, funds="100"), await make_user(org)
    await make_swap(org, user)
    for _ in range(2):
        await make_transfer(org, user, other)
    await run_due(org)
    payer = await make_payer(org)
    await deposit(org, await make_onramp(org, payer))
    await settle_onramps(org)
    await placed(org.container.database)
    await compare(org)
    while not await is_folded(org):
        await compare(org)
    await compare(org)
    await make_transfer(org, user, other)
    await compare(org)


async def is_folded(org: Tenant) -> bool:
    """Fold a few changes; returns whether those were all."""
    builds = await org.container.rollups.builds(org.org_id)
    if not builds:
        await org.container.rollup_updater.begin(org.org_id, "UTC", timedelta(), is_new=False)
        return False
    step = await org.container.rollup_updater.step(org.org_id, builds[0].build, changes_max=15)
    return step is not None and step.is_last


async def compare(org: Tenant) -> None:
    """Compare whole days, the only ranges that some measures have."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    span = Span(today - timedelta(days=2), today + timedelta(days=2), "UTC", Interval.DAY)
    kinds = list(TRANSITIONS)
    for measure in RollupMeasure:

        async def by_hands(tx: Tx, measure: RollupMeasure = measure) -> object:
            return await brute_force.sums(tx, org.org_id, measure, kinds, span)

        change_kinds = ["USER"] if measure is RollupMeasure.USER else kinds
        found = await brute_force.query_sums(
            org.container.rollups, org.org_id, measure, change_kinds, span
        )
        expected = await org.container.database.transact(by_hands)
        assert found == expected, measure
        assert found or measure is RollupMeasure.APPROVAL, measure
