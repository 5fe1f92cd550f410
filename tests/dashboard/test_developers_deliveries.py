"""Delivery pages: filters, details, resending, endpoint health."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from landbridge.developers.events.model import EventKey, event_key
from landbridge.developers.webhooks import store
from landbridge.developers.webhooks.model import Delivery, DeliveryStatus
from landbridge.platform.core.ids import new_id
from landbridge.platform.http.caller import MemberRole
from tests.change_log import placed
from tests.dashboard.browsing import visit
from tests.developers.webhooks.rows import add, make_endpoint, row, tried
from tests.tenants import Tenant, make_user

HOME = "/dashboard/webhooks"
HOSTILE = "<script>alert(1)</script>"
PENDING, DELIVERED = DeliveryStatus.PENDING, DeliveryStatus.DELIVERED
REFUSED, GIVEN_UP = DeliveryStatus.REFUSED, DeliveryStatus.GIVEN_UP


async def make_delivery(org: Tenant, hook: str, *, status: DeliveryStatus = DELIVERED) -> Delivery:
    """Create a delivery of an existing event, with a hostile response."""
    await make_user(org)
    await placed(org.container.database)
    (event,) = (await org.get("/v2/events", eventType="USER.CREATE", order="desc", limit=1))[
        "records"
    ]
    key = event_key(event["eventId"])
    assert key is not None
    code = 200 if status is DELIVERED else 422 if status is REFUSED else 500
    attempt = tried(org.container.clock.now(), status=code, answer=HOSTILE)
    created = row(org, hook, key=key, status=status, attempts=(attempt,))
    await add(org, hook, [created])
    return created


@pytest.mark.parametrize("role", list(MemberRole))
async def test_delivery_shows_request_and_response(org: Tenant, role: MemberRole) -> None:
    hook = await make_endpoint(org)
    created = await make_delivery(org, hook)
    visitor = await visit(org, role)
    page = await visitor.load(f"{HOME}/{hook}/deliveries/{created.id}")
    # A receiver may repeat the numbers of an event, which are masked for analysts.
    assert (HOSTILE in page.text) is (role is not MemberRole.ANALYST)
    assert HOSTILE not in page.response.text
    assert f'"eventId": "{created.key.text}"' in page.text
    assert '"email": "ada@example.com"' in page.text
    assert f"/dashboard/users/{created.key.object_id}" in page.links()
    assert f"/dashboard/events/{created.key.text}" in page.links()
    actions = page.tree.xpath("//main//form/@action")
    assert bool(actions) is (role is not MemberRole.ANALYST)


async def test_delivery_outlives_its_event(org: Tenant) -> None:
    hook = await make_endpoint(org)
    created = row(org, hook, key=EventKey(new_id(), 1, 0))
    await add(org, hook, [created])
    page = await (await visit(org)).load(f"{HOME}/{hook}/deliveries/{created.id}")
    assert "can no longer be shown" in page.text


async def test_deliveries_are_filtered_by_status_and_type(org: Tenant) -> None:
    hook, admin = await make_endpoint(org), await visit(org)
    refused = row(org, hook, status=REFUSED, event_type="KYC.DATA.UPDATE")
    good = row(org, hook, event_type="USER.CREATE")
    await add(org, hook, [refused, good])
    path = f"{HOME}/{hook}"
    for query, expected in (
        ({}, {refused, good}),
        ({"status": "REFUSED"}, {refused}),
        ({"eventType": "USER.*"}, {good}),
        ({"eventType": "*.CREATE", "status": "DELIVERED"}, {good}),
        ({"status": "GIVEN_UP"}, set[Delivery]()),
    ):
        links = (await admin.load(path, **query)).links()
        found = {each for each in (refused, good) if f"{path}/deliveries/{each.id}" in links}
        assert found == expected, query
    for query in ({"status": "odd"}, {"eventType": "odd"}, {"cursor": "odd"}):
        page = await admin.open(path, **query)
        assert (page.status, bool(page.tree.xpath('//*[@class="problem"]'))) == (422, True)


async def test_paging_keeps_filters(org: Tenant) -> None:
    hook, admin = await make_endpoint(org), await visit(org)
    await add(org, hook, [row(org, hook) for _ in range(30)])
    first = await admin.load(f"{HOME}/{hook}", status="DELIVERED")
    (older,) = first.tree.xpath('//a[@rel="next"]/@href')
    assert "status=DELIVERED" in older
    second = await admin.load(older)
    assert len(second.tree.xpath("//tbody/tr")) == 5
    assert f"{HOME}/{hook}?status=DELIVERED" in second.links()


async def test_delivery_is_retried(org: Tenant) -> None:
    hook = await make_endpoint(org)
    created = await make_delivery(org, hook, status=REFUSED)
    member, path = await visit(org, MemberRole.MEMBER), f"{HOME}/{hook}/deliveries/{created.id}"
    assert await member.submit(f"{path}/resend") == path
    assert 'title="PENDING"' in (await member.load(path)).response.text
    analyst = await visit(org, MemberRole.ANALYST)
    assert (await analyst.send(f"{path}/resend")).status == 403


async def test_failed_deliveries_since_a_time_are_resent(org: Tenant) -> None:
    hook, member = await make_endpoint(org), await visit(org, MemberRole.MEMBER)
    failed = [row(org, hook, status=each) for each in (REFUSED, GIVEN_UP)]
    await add(org, hook, [*failed, row(org, hook)])
    path = f"{HOME}/{hook}"
    fields = {"since": "2020-01-01T08:00", "only": "failed"}
    assert await member.submit(f"{path}/resend", fields) == path
    found = (await org.get(f"/v2/webhooks/{hook}/deliveries", status="PENDING"))["deliveries"]
    assert {each["id"] for each in found} == {str(each.id) for each in failed}
    assert await member.submit(f"{path}/resend", {**fields, "only": "all"}) == path
    again = await member.send(f"{path}/resend", {**fields, "only": "all"})
    assert (again.status, "wait, and ask once" in again.text) == (409, True)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"since": "", "only": "failed"}, "since"),
        ({"since": "soon", "only": "failed"}, "since"),
        ({"since": "0001-01-01T00:00+23:59", "only": "failed"}, "since"),
        ({"since": "2999-01-01T00:00", "only": "failed"}, "since"),
        ({"since": "2020-01-01T00:00", "only": "odd"}, "only"),
    ],
)
async def test_invalid_resend_shows_errors_and_keeps_values(
    org: Tenant, fields: dict[str, str], field: str
) -> None:
    hook = await make_endpoint(org)
    sent = await (await visit(org)).send(f"{HOME}/{hook}/resend", fields)
    assert (sent.status, f"#f-{field}" in sent.links()) == (422, True)
    assert sent.value("since") == fields["since"]
    assert sent.tree.xpath("//details[@class='more'][@open]")


async def test_list_shows_endpoint_health(org: Tenant) -> None:
    admin = await visit(org)
    good, refusing, trying = [await make_endpoint(org, description=each) for each in "abc"]
    await add(org, good, [row(org, good)])
    await add(org, refusing, [row(org, refusing, status=REFUSED)])
    now = org.container.clock.now()
    failed = row(org, trying, status=PENDING, due_at=now, attempts=(tried(now, status=500),))
    await add(org, trying, [failed, row(org, trying)])
    rows = (await admin.load(HOME)).tree.xpath("//tbody/tr")
    states = [" ".join(str(each.text_content()).split()) for each in rows]
    assert "Retrying" in states[0]
    assert "Failing with 4xx" in states[1]
    assert "Active" in states[2]


async def test_failing_endpoint_shows_since_when(org: Tenant) -> None:
    hook, admin, now = UUID(await make_endpoint(org)), await visit(org), org.container.clock.now()
    await org.container.database.transact(
        lambda tx: store.set_flag(tx, org.org_id, hook, reason=HOSTILE, at=now)
    )
    assert "Failing since" in (await admin.load(HOME)).text
    page = await admin.load(f"{HOME}/{hook}")
    assert "Some events could not be delivered" in page.text
    assert HOSTILE in page.text
    assert HOSTILE not in page.response.text


async def test_deliveries_of_other_organisations_are_not_found(
    org: Tenant, other_org: Tenant
) -> None:
    theirs, hook = await make_endpoint(other_org), await make_endpoint(org)
    created = row(other_org, theirs)
    await add(other_org, theirs, [created])
    admin = await visit(org)
    for endpoint in (theirs, hook):
        for delivery in (str(created.id), str(uuid4()), "nonsense"):
            path = f"{HOME}/{endpoint}/deliveries/{delivery}"
            assert (await admin.open(path)).status == 404
            assert (await admin.send(f"{path}/resend")).status == 404


async def test_overview_shows_endpoints_whose_deliveries_fail_for_an_hour(org: Tenant) -> None:
    admin, now = await visit(org), org.container.clock.now()
    new, failing, responding = [await make_endpoint(org) for _ in range(3)]
    earlier, attempts = now - timedelta(hours=2), (tried(now, status=500),)
    for hook, at in ((new, now), (failing, earlier), (responding, earlier)):
        failed = row(org, hook, status=PENDING, due_at=now, attempts=attempts, created_at=at)
        await add(org, hook, [failed])
    await add(org, responding, [row(org, responding)])
    shown = (await admin.load("/dashboard")).links()
    assert [hook for hook in (new, failing, responding) if f"{HOME}/{hook}" in shown] == [failing]
