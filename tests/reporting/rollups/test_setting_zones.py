"""Setting the reporting zone: roles, log entries, and concurrent requests."""

import asyncio
from dataclasses import replace
from uuid import uuid4

import pytest

from landbridge.platform.changes.model import Change
from landbridge.platform.changes.service import history
from landbridge.platform.core.errors import RoleNotAllowed
from landbridge.platform.core.ids import derived_id
from landbridge.platform.http.caller import MemberRole, SignedInMember
from landbridge.reporting.rollups.time_zones import KIND
from tests.reporting.rollups.test_builds import NO_OFFSET, PATH, finish
from tests.tenants import Tenant, good, refusal

BERLIN, TOKYO = "Europe/Berlin", "Asia/Tokyo"


async def test_one_zone_is_built_at_a_time(org: Tenant) -> None:
    container = org.container
    await finish(container, org.org_id)
    good(await org.send("PUT", PATH, {"timeZone": BERLIN}))
    for other in (TOKYO, "UTC"):
        answer = await org.send("PUT", PATH, {"timeZone": other})
        assert refusal(answer) == "409 RESOURCE_CONFLICT"
        error = answer.json()["error"]
        assert BERLIN in error["message"]
        assert list(error["details"]) == ["timeZone"]
    coming = {"timeZone": "UTC", "nextTimeZone": BERLIN}
    assert good(await org.send("PUT", PATH, {"timeZone": BERLIN}))["data"] == coming
    assert len(await container.rollups.builds(org.org_id)) == 2
    assert [each.facts for each in await zone_changes(org)] == [{"zone": BERLIN}]
    await finish(container, org.org_id)
    assert good(await org.send("PUT", PATH, {"timeZone": TOKYO}))["data"]["nextTimeZone"] == TOKYO
    await finish(container, org.org_id)
    assert good(await org.send("PUT", PATH, {"timeZone": TOKYO}))["data"]["timeZone"] == TOKYO
    changes = await zone_changes(org)
    assert [(each.seq, each.kind, each.change_type, each.facts) for each in changes] == [
        (1, KIND, "set", {"zone": BERLIN}),
        (2, KIND, "set", {"zone": TOKYO}),
    ]
    assert {each.actor for each in changes} == {org.caller.actor}


async def test_a_rebuild_finishes_before_a_zone_change(org: Tenant) -> None:
    await finish(org.container, org.org_id)
    created = await org.container.time_zones.rebuild(org.org_id, offset=NO_OFFSET)
    assert await org.refused("PUT", PATH, {"timeZone": BERLIN}) == "409 RESOURCE_CONFLICT"
    assert good(await org.send("PUT", PATH, {"timeZone": "UTC"}))["data"]["timeZone"] == "UTC"
    assert (await org.container.rollups.builds(org.org_id))[-1].build == created.build
    assert await zone_changes(org) == []


@pytest.mark.parametrize("has_builds", [True, False])
async def test_one_of_many_concurrent_changes_is_applied(org: Tenant, *, has_builds: bool) -> None:
    if has_builds:
        await finish(org.container, org.org_id)
    zones = [BERLIN, TOKYO] * 4
    answers = await asyncio.gather(*(org.send("PUT", PATH, {"timeZone": each}) for each in zones))
    builds = await org.container.rollups.builds(org.org_id)
    changes = [each.facts for each in await zone_changes(org)]
    if not has_builds:
        # The first was current at once, and the second was started after it.
        assert {each.status_code for each in answers} <= {200, 409}
        assert changes == [{"zone": each.zone} for each in builds]
        return
    assert sorted(each.status_code for each in answers) == [200] * 4 + [409] * 4
    assert len(builds) == 2
    assert changes == [{"zone": builds[-1].zone}]


async def test_setting_the_same_zone_changes_nothing(org: Tenant) -> None:
    for _ in range(2):
        good(await org.send("PUT", PATH, {"timeZone": "UTC"}))
    assert await zone_changes(org) == []


async def test_only_an_admin_sets_the_zone(org: Tenant) -> None:
    zones = org.container.time_zones
    for role in MemberRole:
        caller = replace(org.caller, key_id=None, member=SignedInMember(uuid4(), role))
        if role is MemberRole.ADMIN:
            state = await zones.set_for(caller, BERLIN)
            assert BERLIN in (state.current, state.coming)
            continue
        with pytest.raises(RoleNotAllowed):
            await zones.set_for(caller, TOKYO)


async def zone_changes(org: Tenant) -> list[Change]:
    """Return the log entries of the organisation's zone."""
    key = derived_id(org.org_id, KIND)
    found = await org.container.database.single(lambda tx: history(tx, org.org_id, [key]))
    return list(found.get(key, ()))
