"""Builds beside the current one: for another zone, or a rebuild."""

from datetime import timedelta
from random import Random
from uuid import UUID

import pytest

from landbridge.app.container import Container
from landbridge.platform.db.pool import Tx
from landbridge.reporting.rollups import build_store
from landbridge.reporting.rollups.model import Interval, RollupBuild, RollupMeasure, Span
from tests.change_log import placed
from tests.make import make_org
from tests.reporting.rollups import brute_force
from tests.reporting.rollups.log_history import KINDS, add_past
from tests.reporting.rollups.test_time_zones import BEGIN, END, moment
from tests.tenants import Tenant, good

PATH = "/v2/reporting/time-zone"
NO_OFFSET = timedelta()
DICE = Random(0)  # noqa: S311  a repeatable story


async def test_an_interrupted_rebuild_continues_is_promoted_and_the_old_build_is_swept(
    container: Container,
) -> None:
    org_id = await begin(container)
    first = await finish(container, org_id)
    created = await container.time_zones.rebuild(org_id, offset=NO_OFFSET)
    assert (created.build, created.rolled_up_to, created.is_current) == (first.build + 1, 0, False)
    # Reports continue in the meantime; then the worker dies.
    assert await container.rollup_updater.step(org_id, created.build, changes_max=50)
    await compare(container, org_id)
    assert await build_numbers(container, org_id) == [first.build, created.build]

    again = await container.time_zones.rebuild(org_id, offset=NO_OFFSET)
    assert again.build == created.build
    assert again.rolled_up_to > 0
    await finish(container, org_id)
    (current,) = await container.rollups.builds(org_id)
    assert (current.build, current.is_current) == (created.build, True)
    await compare(container, org_id)
    assert await cells(container, org_id) == {created.build}


async def zone_of(container: Container, org_id: UUID) -> str:
    """Return the zone of the current build."""
    (current, *_) = await container.rollups.builds(org_id)
    return current.zone


async def test_an_overtaken_build_never_becomes_current(container: Container) -> None:
    org_id = await begin(container)
    await finish(container, org_id)
    berlin = await container.rollup_updater.begin(org_id, "Europe/Berlin", NO_OFFSET, is_new=False)
    await container.rollup_updater.step(org_id, berlin.build, changes_max=50)
    kolkata = await container.rollup_updater.begin(org_id, "Asia/Kolkata", NO_OFFSET, is_new=False)
    while (step := await container.rollup_updater.step(org_id, berlin.build)) and not step.is_last:
        pass
    assert await zone_of(container, org_id) == "UTC"
    await finish(container, org_id)
    assert await zone_of(container, org_id) == "Asia/Kolkata"
    assert await cells(container, org_id) == {kolkata.build}
    await compare(container, org_id, zone="Asia/Kolkata")


async def test_cells_are_swept_a_few_at_a_time(
    container: Container,
) -> None:
    org_id = await begin(container)
    await finish(container, org_id)
    await container.time_zones.rebuild(org_id, offset=NO_OFFSET)
    newest = (await container.rollups.builds(org_id))[-1]
    while (step := await container.rollup_updater.step(org_id, newest.build)) and not step.is_last:
        pass
    steps = 0
    while await container.rollup_updater.sweep(org_id, cells_max=100):
        steps += 1
        await compare(container, org_id)
    assert steps > 3
    assert await cells(container, org_id) == {newest.build}


async def test_the_zone_is_utc_until_another_is_built(org: Tenant, other_org: Tenant) -> None:
    container = org.container
    utc = {"timeZone": "UTC", "nextTimeZone": None}
    assert (await org.get(PATH))["data"] == utc
    await finish(container, org.org_id)
    body = {"timeZone": "Europe/Berlin"}
    created = good(await org.send("PUT", PATH, body))
    coming = {"timeZone": "UTC", "nextTimeZone": "Europe/Berlin"}
    assert created == {"status": "success", "data": coming, "metadata": {}}
    assert good(await org.send("PUT", PATH, body))["data"] == coming
    assert len(await container.rollups.builds(org.org_id)) == 2
    await finish(container, org.org_id)
    berlin = {"timeZone": "Europe/Berlin", "nextTimeZone": None}
    assert (await org.get(PATH))["data"] == berlin
    assert good(await org.send("PUT", PATH, body))["data"] == berlin
    assert (await other_org.get(PATH))["data"] == utc


@pytest.mark.parametrize(
    "zone",
    [
        *("", "EST", "CET", "europe/berlin", "Europe/Nowhere", "America/Indiana", "posix/UTC"),
        *("+01:00", "../UTC", "E/" + "x" * 100, "Etc/../UTC"),
    ],
    ids=str.__repr__,
)
async def test_an_unknown_zone_is_refused(org: Tenant, zone: str) -> None:
    answer = await org.send("PUT", PATH, {"timeZone": zone})
    assert answer.status_code == 400, answer.text
    assert "timeZone" in answer.json()["error"]["details"]


async def begin(container: Container) -> UUID:
    """An organisation with a past of some hundred records."""
    org_id = await make_org(container.database)
    await add_past(container.database, org_id, DICE, [moment(DICE) for _ in range(150)])
    await placed(container.database)
    return org_id


async def finish(container: Container, org_id: UUID) -> RollupBuild:
    """Let a worker finish all pending work."""
    while (
        await container.rollup_updater.run_once({org_id: NO_OFFSET})
        or len(await container.rollups.builds(org_id)) != 1
    ):
        pass
    return (await container.rollups.builds(org_id))[0]


async def build_numbers(container: Container, org_id: UUID) -> list[int]:
    return [each.build for each in await container.rollups.builds(org_id)]


async def cells(container: Container, org_id: UUID) -> set[int]:
    """Return the builds that have cells after the sweep."""
    while await container.rollup_updater.sweep(org_id):
        pass
    rows = await container.database.rows(
        "select build from report_rollups where org_id = $1"
        " union select build from report_durations where org_id = $1"
        " union select build from report_user_rollups where org_id = $1"
        " union select build from report_builds where org_id = $1",
        org_id,
    )
    return {row["build"] for row in rows}


async def compare(container: Container, org_id: UUID, *, zone: str = "UTC") -> None:
    span = Span(BEGIN, END, zone, Interval.MONTH)
    for measure in (RollupMeasure.STATE, RollupMeasure.TIME, RollupMeasure.SWAP):

        async def by_hands(tx: Tx, measure: RollupMeasure = measure) -> object:
            return await brute_force.sums(tx, org_id, measure, KINDS, span)

        found = await brute_force.query_sums(container.rollups, org_id, measure, KINDS, span)
        # UTC days do not match another zone's days, and these have no hours.
        if measure is RollupMeasure.STATE or zone == "UTC":
            assert found == await container.database.transact(by_hands)


async def test_no_build_is_added_on_an_outdated_view(container: Container) -> None:
    org_id = await begin(container)
    first = await finish(container, org_id)
    at = container.clock.now()

    async def add(*behind: RollupBuild) -> RollupBuild | None:
        return await container.database.transact(
            lambda tx: build_store.add(tx, org_id, "Asia/Kolkata", at, previous=behind)
        )

    assert await add() is None
    second = await add(first)
    assert second is not None
    assert await add(first) is None
    assert await build_numbers(container, org_id) == [first.build, second.build]
