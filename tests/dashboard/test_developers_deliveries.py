"""Deliveries on their pages: found by filters, looked at, sent again; how endpoints are doing."""

from uuid import UUID, uuid4

import pytest

from landbridge.core.ids import new_id
from landbridge.events.model import EventKey, event_key
from landbridge.web.caller import Role
from landbridge.webhooks import flag_store
from landbridge.webhooks.model import Delivery, DeliveryStatus
from tests.dashboard.browsing import visit
from tests.settled import settled
from tests.tenants import Tenant, make_user
from tests.webhooks.rows import add, make_endpoint, row, tried

HOME = "/dashboard/webhooks"
HOSTILE = "<script>alert(1)</script>"
PENDING, DELIVERED = DeliveryStatus.PENDING, DeliveryStatus.DELIVERED
REFUSED, GIVEN_UP = DeliveryStatus.REFUSED, DeliveryStatus.GIVEN_UP


async def make_delivery(org: Tenant, hook: str, *, status: DeliveryStatus = DELIVERED) -> Delivery:
    """The delivery of an event that there is, answered with something hostile."""
    await make_user(org)
    await settled(org.house.database)
    (event,) = (await org.get("/v2/events", eventType="USER.CREATE", order="desc", limit=1))[
        "records"
    ]
    key = event_key(event["eventId"])
    assert key is not None
    code = 200 if status is DELIVERED else 422 if status is REFUSED else 500
    attempt = tried(org.house.clock.now(), status=code, answer=HOSTILE)
    made = row(org, hook, key=key, status=status, attempts=(attempt,))
    await add(org, hook, [made])
    return made


@pytest.mark.parametrize("role", list(Role))
async def test_a_delivery_shows_what_was_sent_and_answered(org: Tenant, role: Role) -> None:
    hook = await make_endpoint(org)
    made = await make_delivery(org, hook)
    somebody = await visit(org, role)
    page = await somebody.see(f"{HOME}/{hook}/deliveries/{made.id}")
    assert HOSTILE in page.text
    assert HOSTILE not in page.answer.text
    assert f'"eventId": "{made.key.text}"' in page.text
    assert '"email": "ada@example.com"' in page.text
    assert f"/dashboard/users/{made.key.object_id}" in page.links()
    assert f"/dashboard/events/{made.key.text}" in page.links()
    actions = page.tree.xpath("//main//form/@action")
    assert bool(actions) is (role is not Role.ANALYST)


async def test_a_delivery_outlives_its_event(org: Tenant) -> None:
    hook = await make_endpoint(org)
    made = row(org, hook, key=EventKey(new_id(), 1, 0))
    await add(org, hook, [made])
    page = await (await visit(org)).see(f"{HOME}/{hook}/deliveries/{made.id}")
    assert "can't be shown any more" in page.text


async def test_deliveries_are_found_by_status_and_type(org: Tenant) -> None:
    hook, admin = await make_endpoint(org), await visit(org)
    refused = row(org, hook, status=REFUSED, event_type="KYC.DATA.UPDATE")
    good = row(org, hook, event_type="USER.CREATE")
    await add(org, hook, [refused, good])
    at = f"{HOME}/{hook}"
    for query, wanted in (
        ({}, {refused, good}),
        ({"status": "REFUSED"}, {refused}),
        ({"eventType": "USER.*"}, {good}),
        ({"eventType": "*.CREATE", "status": "DELIVERED"}, {good}),
        ({"status": "GIVEN_UP"}, set[Delivery]()),
    ):
        links = (await admin.see(at, **query)).links()
        found = {each for each in (refused, good) if f"{at}/deliveries/{each.id}" in links}
        assert found == wanted, query
    for query in ({"status": "odd"}, {"eventType": "odd"}, {"cursor": "odd"}):
        page = await admin.open(at, **query)
        assert (page.status, bool(page.tree.xpath('//*[@class="problem"]'))) == (422, True)


async def test_pages_lead_on_with_their_filters(org: Tenant) -> None:
    hook, admin = await make_endpoint(org), await visit(org)
    await add(org, hook, [row(org, hook) for _ in range(30)])
    first = await admin.see(f"{HOME}/{hook}", status="DELIVERED")
    (older,) = first.tree.xpath('//a[@rel="next"]/@href')
    assert "status=DELIVERED" in older
    second = await admin.see(older)
    assert len(second.tree.xpath("//tbody/tr")) == 5
    assert f"{HOME}/{hook}?status=DELIVERED" in second.links()


async def test_one_is_sent_again(org: Tenant) -> None:
    hook = await make_endpoint(org)
    made = await make_delivery(org, hook, status=REFUSED)
    member, at = await visit(org, Role.MEMBER), f"{HOME}/{hook}/deliveries/{made.id}"
    assert await member.done(f"{at}/resend") == at
    assert "PENDING" in (await member.see(at)).text
    analyst = await visit(org, Role.ANALYST)
    assert (await analyst.send(f"{at}/resend")).status == 403


async def test_what_failed_since_a_time_is_sent_again(org: Tenant) -> None:
    hook, member = await make_endpoint(org), await visit(org, Role.MEMBER)
    failed = [row(org, hook, status=each) for each in (REFUSED, GIVEN_UP)]
    await add(org, hook, [*failed, row(org, hook)])
    at = f"{HOME}/{hook}"
    told = {"since": "2020-01-01T08:00", "only": "failed"}
    assert await member.done(f"{at}/resend", told) == at
    found = (await org.get(f"/v2/webhooks/{hook}/deliveries", status="PENDING"))["deliveries"]
    assert {each["id"] for each in found} == {str(each.id) for each in failed}
    assert await member.done(f"{at}/resend", {**told, "only": "all"}) == at
    again = await member.send(f"{at}/resend", {**told, "only": "all"})
    assert (again.status, "wait, and ask once" in again.text) == (409, True)


@pytest.mark.parametrize(
    ("told", "field"),
    [
        ({"since": "", "only": "failed"}, "since"),
        ({"since": "soon", "only": "failed"}, "since"),
        ({"since": "0001-01-01T00:00+23:59", "only": "failed"}, "since"),
        ({"since": "2999-01-01T00:00", "only": "failed"}, "since"),
        ({"since": "2020-01-01T00:00", "only": "odd"}, "only"),
    ],
)
async def test_what_is_wrong_is_said_and_what_was_typed_stays(
    org: Tenant, told: dict[str, str], field: str
) -> None:
    hook = await make_endpoint(org)
    sent = await (await visit(org)).send(f"{HOME}/{hook}/resend", told)
    assert (sent.status, f"#f-{field}" in sent.links()) == (422, True)
    assert sent.value("since") == told["since"]
    assert sent.tree.xpath("//details[@class='more'][@open]")


async def test_the_list_tells_how_endpoints_are_doing(org: Tenant) -> None:
    admin = await visit(org)
    good, refusing, trying = [await make_endpoint(org, description=each) for each in "abc"]
    await add(org, good, [row(org, good)])
    await add(org, refusing, [row(org, refusing, status=REFUSED)])
    now = org.house.clock.now()
    failed = row(org, trying, status=PENDING, due_at=now, attempts=(tried(now, status=500),))
    await add(org, trying, [failed, row(org, trying)])
    rows = (await admin.see(HOME)).tree.xpath("//tbody/tr")
    states = [" ".join(str(each.text_content()).split()) for each in rows]
    assert "Trying again" in states[0]
    assert "Refusing" in states[1]
    assert "ACTIVE" in states[2]


async def test_an_endpoint_that_was_given_up_says_since_when(org: Tenant) -> None:
    hook, admin, now = UUID(await make_endpoint(org)), await visit(org), org.house.clock.now()
    await org.house.database.transact(
        lambda tx: flag_store.put_up(tx, org.org_id, hook, reason=HOSTILE, at=now)
    )
    assert "Failing since" in (await admin.see(HOME)).text
    page = await admin.see(f"{HOME}/{hook}")
    assert "Events were given up here" in page.text
    assert HOSTILE in page.text
    assert HOSTILE not in page.answer.text


async def test_deliveries_of_others_are_not_there(org: Tenant, other_org: Tenant) -> None:
    theirs, hook = await make_endpoint(other_org), await make_endpoint(org)
    made = row(other_org, theirs)
    await add(other_org, theirs, [made])
    admin = await visit(org)
    for endpoint in (theirs, hook):
        for delivery in (str(made.id), str(uuid4()), "nonsense"):
            path = f"{HOME}/{endpoint}/deliveries/{delivery}"
            assert (await admin.open(path)).status == 404
            assert (await admin.send(f"{path}/resend")).status == 404
