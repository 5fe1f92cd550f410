"""Setting the zone of reports: who may, what is told of it, and how many are made at once."""

import asyncio
from dataclasses import replace
from uuid import uuid4

import pytest

from landbridge.changes.model import Change
from landbridge.changes.service import history
from landbridge.core.errors import RoleNotAllowed
from landbridge.core.ids import derived_id
from landbridge.reporting.rollups.zones import KIND
from landbridge.web.caller import Member, Role
from tests.tenants import Tenant, good, refusal

from .test_builds import NO_OFFSET, PATH, finish

BERLIN, TOKYO = "Europe/Berlin", "Asia/Tokyo"


async def test_while_one_zone_is_made_no_other_is_begun(org: Tenant) -> None:
    house = org.house
    await finish(house, org.org_id)
    good(await org.send("PUT", PATH, {"timeZone": BERLIN}))
    for other in (TOKYO, "UTC"):
        answer = await org.send("PUT", PATH, {"timeZone": other})
        assert refusal(answer) == "409 RESOURCE_CONFLICT"
        told = answer.json()["error"]
        assert BERLIN in told["message"]
        assert list(told["details"]) == ["timeZone"]
    coming = {"timeZone": "UTC", "nextTimeZone": BERLIN}
    assert good(await org.send("PUT", PATH, {"timeZone": BERLIN}))["data"] == coming
    assert len(await house.rollups.builds(org.org_id)) == 2
    assert [each.facts for each in await zones_told(org)] == [{"zone": BERLIN}]
    await finish(house, org.org_id)
    assert good(await org.send("PUT", PATH, {"timeZone": TOKYO}))["data"]["nextTimeZone"] == TOKYO
    await finish(house, org.org_id)
    assert good(await org.send("PUT", PATH, {"timeZone": TOKYO}))["data"]["timeZone"] == TOKYO
    told = await zones_told(org)
    assert [(each.seq, each.kind, each.what, each.facts) for each in told] == [
        (1, KIND, "set", {"zone": BERLIN}),
        (2, KIND, "set", {"zone": TOKYO}),
    ]
    assert {each.actor for each in told} == {org.caller.actor}


async def test_days_that_are_made_anew_are_finished_first(org: Tenant) -> None:
    await finish(org.house, org.org_id)
    made = await org.house.time_zones.rebuild(org.org_id, offset=NO_OFFSET)
    assert await org.refused("PUT", PATH, {"timeZone": BERLIN}) == "409 RESOURCE_CONFLICT"
    assert good(await org.send("PUT", PATH, {"timeZone": "UTC"}))["data"]["timeZone"] == "UTC"
    assert (await org.house.rollups.builds(org.org_id))[-1].build == made.build
    assert await zones_told(org) == []


@pytest.mark.parametrize("has_builds", [True, False])
async def test_of_many_at_once_one_is_set(org: Tenant, *, has_builds: bool) -> None:
    if has_builds:
        await finish(org.house, org.org_id)
    wanted = [BERLIN, TOKYO] * 4
    answers = await asyncio.gather(*(org.send("PUT", PATH, {"timeZone": each}) for each in wanted))
    builds = await org.house.rollups.builds(org.org_id)
    told = [each.facts for each in await zones_told(org)]
    if not has_builds:
        # The first one was current at once, and the other one was begun behind it.
        assert {each.status_code for each in answers} <= {200, 409}
        assert told == [{"zone": each.zone} for each in builds]
        return
    assert sorted(each.status_code for each in answers) == [200] * 4 + [409] * 4
    assert len(builds) == 2
    assert told == [{"zone": builds[-1].zone}]


async def test_what_is_set_already_is_no_change(org: Tenant) -> None:
    for _ in range(2):
        good(await org.send("PUT", PATH, {"timeZone": "UTC"}))
    assert await zones_told(org) == []


async def test_only_an_admin_sets_the_zone(org: Tenant) -> None:
    zones = org.house.time_zones
    for role in Role:
        caller = replace(org.caller, key_id=None, member=Member(uuid4(), role))
        if role is Role.ADMIN:
            asked = await zones.ask(caller, BERLIN)
            assert BERLIN in (asked.current, asked.coming)
            continue
        with pytest.raises(RoleNotAllowed):
            await zones.ask(caller, TOKYO)


async def zones_told(org: Tenant) -> list[Change]:
    """What the log has of the organisation's zone."""
    key = derived_id(org.org_id, KIND)
    found = await org.house.database.single(lambda tx: history(tx, org.org_id, [key]))
    return list(found.get(key, ()))
