"""Builds that are made beside the current one: for another zone, or once more."""

from datetime import timedelta
from random import Random
from uuid import UUID

import pytest

from landbridge.db.pool import Tx
from landbridge.reporting.rollups import build_store
from landbridge.reporting.rollups.model import Build, Interval, Measure, Span
from landbridge.wiring import House
from tests.make import make_org
from tests.settled import settled
from tests.tenants import Tenant, good

from . import by_hand
from .past import KINDS, add_past
from .test_zones import BEGIN, END, moment

PATH = "/v2/reporting/time-zone"
NO_OFFSET = timedelta()
DICE = Random(0)  # noqa: S311  a repeatable story


async def test_a_rebuild_is_gone_on_with_and_takes_its_place_and_the_old_one_is_swept(
    house: House,
) -> None:
    org_id = await begin(house)
    first = await finish(house, org_id)
    made = await house.time_zones.rebuild(org_id, offset=NO_OFFSET)
    assert (made.build, made.folded_to, made.is_current) == (first.build + 1, 0, False)
    # Reports go on meanwhile; then whoever made it is gone.
    assert await house.folding.step(org_id, made.build, changes_max=50)
    await compare(house, org_id)
    assert await build_numbers(house, org_id) == [first.build, made.build]

    again = await house.time_zones.rebuild(org_id, offset=NO_OFFSET)
    assert again.build == made.build
    assert again.folded_to > 0
    await finish(house, org_id)
    (current,) = await house.rollups.builds(org_id)
    assert (current.build, current.is_current) == (made.build, True)
    await compare(house, org_id)
    assert await cells(house, org_id) == {made.build}


async def zone_of(house: House, org_id: UUID) -> str:
    """The zone of the current build."""
    (current, *_) = await house.rollups.builds(org_id)
    return current.zone


async def test_a_build_that_another_overtakes_never_becomes_current(house: House) -> None:
    org_id = await begin(house)
    await finish(house, org_id)
    berlin = await house.folding.begin(org_id, "Europe/Berlin", NO_OFFSET, is_new=False)
    await house.folding.step(org_id, berlin.build, changes_max=50)
    kolkata = await house.folding.begin(org_id, "Asia/Kolkata", NO_OFFSET, is_new=False)
    while (step := await house.folding.step(org_id, berlin.build)) and not step.is_last:
        pass
    assert await zone_of(house, org_id) == "UTC"
    await finish(house, org_id)
    assert await zone_of(house, org_id) == "Asia/Kolkata"
    assert await cells(house, org_id) == {kolkata.build}
    await compare(house, org_id, zone="Asia/Kolkata")


async def test_cells_are_swept_a_few_at_a_time(
    house: House,
) -> None:
    org_id = await begin(house)
    await finish(house, org_id)
    await house.time_zones.rebuild(org_id, offset=NO_OFFSET)
    newest = (await house.rollups.builds(org_id))[-1]
    while (step := await house.folding.step(org_id, newest.build)) and not step.is_last:
        pass
    steps = 0
    while await house.folding.sweep(org_id, cells_max=100):
        steps += 1
        await compare(house, org_id)
    assert steps > 3
    assert await cells(house, org_id) == {newest.build}


async def test_the_zone_is_utc_until_days_of_another_are_made(
    org: Tenant, other_org: Tenant
) -> None:
    house = org.house
    utc = {"timeZone": "UTC", "nextTimeZone": None}
    assert (await org.get(PATH))["data"] == utc
    await finish(house, org.org_id)
    asked = {"timeZone": "Europe/Berlin"}
    made = good(await org.send("PUT", PATH, asked))
    coming = {"timeZone": "UTC", "nextTimeZone": "Europe/Berlin"}
    assert made == {"status": "success", "data": coming, "metadata": {}}
    assert good(await org.send("PUT", PATH, asked))["data"] == coming
    assert len(await house.rollups.builds(org.org_id)) == 2
    await finish(house, org.org_id)
    berlin = {"timeZone": "Europe/Berlin", "nextTimeZone": None}
    assert (await org.get(PATH))["data"] == berlin
    assert good(await org.send("PUT", PATH, asked))["data"] == berlin
    assert (await other_org.get(PATH))["data"] == utc


@pytest.mark.parametrize(
    "zone",
    [
        *("", "EST", "CET", "europe/berlin", "Europe/Nowhere", "America/Indiana", "posix/UTC"),
        *("+01:00", "../UTC", "E/" + "x" * 100, "Etc/../UTC"),
    ],
    ids=str.__repr__,
)
async def test_what_is_no_zone_is_refused(org: Tenant, zone: str) -> None:
    answer = await org.send("PUT", PATH, {"timeZone": zone})
    assert answer.status_code == 400, answer.text
    assert "timeZone" in answer.json()["error"]["details"]


async def begin(house: House) -> UUID:
    """An organisation with a past of some hundred records."""
    org_id = await make_org(house.database)
    await add_past(house.database, org_id, DICE, [moment(DICE) for _ in range(150)])
    await settled(house.database)
    return org_id


async def finish(house: House, org_id: UUID) -> Build:
    """Let a worker do what there is to do."""
    while (
        await house.folding.run_once({org_id: NO_OFFSET})
        or len(await house.rollups.builds(org_id)) != 1
    ):
        pass
    return (await house.rollups.builds(org_id))[0]


async def build_numbers(house: House, org_id: UUID) -> list[int]:
    return [each.build for each in await house.rollups.builds(org_id)]


async def cells(house: House, org_id: UUID) -> set[int]:
    """Of which builds there is anything, once all is swept."""
    while await house.folding.sweep(org_id):
        pass
    rows = await house.database.rows(
        "select build from report_cells where org_id = $1"
        " union select build from report_durations where org_id = $1"
        " union select build from report_user_cells where org_id = $1"
        " union select build from report_builds where org_id = $1",
        org_id,
    )
    return {row["build"] for row in rows}


async def compare(house: House, org_id: UUID, *, zone: str = "UTC") -> None:
    asked = Span(BEGIN, END, zone, Interval.MONTH)
    for measure in (Measure.STATE, Measure.TIME, Measure.SWAP):

        async def by_hands(tx: Tx, measure: Measure = measure) -> object:
            return await by_hand.sums(tx, org_id, measure, KINDS, asked)

        found = await by_hand.asked(house.rollups, org_id, measure, KINDS, asked)
        # Whole days of UTC are not those of another zone, and these have no hours.
        if measure is Measure.STATE or zone == "UTC":
            assert found == await house.database.transact(by_hands)


async def test_whoever_has_not_seen_the_newest_build_adds_none(house: House) -> None:
    org_id = await begin(house)
    first = await finish(house, org_id)
    at = house.clock.now()

    async def add(*behind: Build) -> Build | None:
        return await house.database.transact(
            lambda tx: build_store.add(tx, org_id, "Asia/Kolkata", at, behind=behind)
        )

    assert await add() is None
    second = await add(first)
    assert second is not None
    assert await add(first) is None
    assert await build_numbers(house, org_id) == [first.build, second.build]
