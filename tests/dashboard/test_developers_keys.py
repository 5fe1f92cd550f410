"""API keys on their pages: looked at, made once shown, revoked, by admins alone."""

import asyncio
from uuid import uuid4

import pytest

from landbridge.changes.service import history
from landbridge.web.caller import Role
from tests.dashboard.browsing import visit
from tests.tenants import Tenant

KEYS = "/dashboard/keys"
HOSTILE = "<script>alert(1)</script>"


@pytest.mark.parametrize("role", list(Role))
async def test_everybody_sees_the_keys_and_never_a_secret(org: Tenant, role: Role) -> None:
    page = await (await visit(org, role)).see(KEYS)
    assert "test key" in page.text
    assert f"…{org.key[-4:]}" in page.text
    assert org.key not in page.answer.text
    assert (f"{KEYS}/new" in page.links()) is (role is Role.ADMIN)


async def test_an_admin_makes_a_key_that_is_shown_once(org: Tenant) -> None:
    admin = await visit(org)
    form = await admin.see(f"{KEYS}/new")
    assert len(form.value("expiresAt")) == len("2030-12-31")
    told = {name: form.value(name) for name in ("expiresAt", "requestId")}
    made = await admin.send(f"{KEYS}/new", {**told, "name": HOSTILE, "canReview": "yes"})
    assert made.status == 200
    assert HOSTILE not in made.answer.text
    assert made.answer.headers["cache-control"] == "no-store"
    secret = str(made.tree.xpath("//pre")[0].text_content())
    caller = await org.house.orgs.authenticate(secret)
    assert caller.org_id == org.org_id
    listed = await admin.see(KEYS)
    assert HOSTILE in listed.text
    assert secret not in listed.answer.text
    (key,) = [each for each in await org.house.orgs.keys(org.org_id) if each.id == caller.id]
    assert (key.can_review, key.can_approve) == (True, False)
    assert key.expires_at is not None


async def test_a_key_may_be_good_for_ever(org: Tenant) -> None:
    admin = await visit(org)
    told = {"name": "a", "expiresAt": "", "requestId": str(uuid4())}
    assert (await admin.send(f"{KEYS}/new", told)).status == 200
    assert [each.expires_at for each in await org.house.orgs.keys(org.org_id)] == [None, None]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": "", "expiresAt": ""}, "name"),
        ({"name": "x" * 201, "expiresAt": ""}, "name"),
        ({"name": "a", "expiresAt": "soon"}, "expiresAt"),
        ({"name": "a", "expiresAt": "2001-01-01"}, "expiresAt"),
        ({"name": "a", "expiresAt": "9999-12-31"}, "expiresAt"),
        ({"name": "a", "expiresAt": "0001-01-01"}, "expiresAt"),
    ],
)
async def test_what_is_wrong_is_said_and_what_was_typed_stays(
    org: Tenant, fields: dict[str, str], field: str
) -> None:
    told = {"canApprove": "yes", "requestId": str(uuid4()), **fields}
    sent = await (await visit(org)).send(f"{KEYS}/new", told)
    assert sent.status == 422
    assert sent.value("requestId") == told["requestId"]
    assert sent.tree.xpath(f'//*[@id="w-{field}"]')
    assert sent.value("expiresAt") == fields["expiresAt"]
    assert len(await org.house.orgs.keys(org.org_id)) == 1


async def test_a_key_is_replaced_by_one_like_it(org: Tenant) -> None:
    admin = await visit(org)
    form = await admin.see(f"{KEYS}/new", replaces=str(org.caller.id))
    assert form.value("name") == "test key"
    assert "stays good until you revoke it" in form.text
    fields = {name: form.value(name) for name in ("name", "expiresAt", "replaces", "requestId")}
    made = await admin.send(f"{KEYS}/new", fields)
    assert "revoke it in the list" in made.text
    await org.get("/v2/ping")


async def test_a_form_that_is_sent_twice_makes_one_key(org: Tenant) -> None:
    admin = await visit(org)
    form = await admin.see(f"{KEYS}/new")
    told = {name: form.value(name) for name in ("expiresAt", "requestId")} | {"name": "billing"}
    sent = await asyncio.gather(*(admin.send(f"{KEYS}/new", told) for _ in range(3)))
    sent = [*sent, await admin.send(f"{KEYS}/new", {**told, "name": "other"})]
    assert {each.status for each in sent} == {200}
    secrets = [each.tree.xpath("//pre") for each in sent]
    assert sum(bool(each) for each in secrets) == 1
    again = sent[-1]
    assert "billing" in again.text
    assert "was sent before" in again.text
    (secret,) = [str(each[0].text_content()) for each in secrets if each]
    keys = [each for each in await org.house.orgs.keys(org.org_id) if each.name != "test key"]
    assert [(each.name, each.made_by) for each in keys] == [("billing", admin.member_id)]
    assert (await org.house.orgs.authenticate(secret)).id == keys[0].id
    assert (await admin.see(f"{KEYS}/new")).value("requestId") != told["requestId"]
    assert (await admin.send(f"{KEYS}/new", {**told, "requestId": "x"})).status == 422


async def test_a_revoked_key_opens_nothing(org: Tenant) -> None:
    admin = await visit(org)
    assert await admin.done(f"{KEYS}/{org.caller.id}/revoke") == KEYS
    assert await org.refused("GET", "/v2/ping") == "401 INVALID_API_KEY"
    assert "revoked" in (await admin.see(KEYS)).text


@pytest.mark.parametrize("role", [Role.MEMBER, Role.ANALYST])
async def test_others_than_admins_make_and_revoke_none(org: Tenant, role: Role) -> None:
    somebody = await visit(org, role)
    assert (await somebody.open(f"{KEYS}/new")).status == 403
    told = {"name": "a", "expiresAt": "", "requestId": str(uuid4())}
    made = await somebody.send(f"{KEYS}/new", told)
    assert (made.status, "only an admin" in made.text) == (403, True)
    revoked = await somebody.send(f"{KEYS}/{org.caller.id}/revoke")
    assert (revoked.status, "only an admin" in revoked.text) == (403, True)
    await org.get("/v2/ping")
    assert len(await org.house.orgs.keys(org.org_id)) == 1


async def test_keys_of_others_are_not_there(org: Tenant, other_org: Tenant) -> None:
    admin = await visit(org)
    for key in (other_org.caller.id, uuid4(), "nonsense"):
        assert (await admin.send(f"{KEYS}/{key}/revoke")).status == 404
    form = await admin.see(f"{KEYS}/new", replaces=str(other_org.caller.id))
    assert form.value("name") == ""
    await other_org.get("/v2/ping")


async def test_who_did_it_is_told(org: Tenant) -> None:
    admin = await visit(org)
    await admin.done(f"{KEYS}/{org.caller.id}/revoke")

    told = await org.house.database.transact(lambda tx: history(tx, org.org_id, [org.caller.id]))
    assert [(each.what, each.actor) for each in told[org.caller.id]] == [
        ("create", "cli"),
        ("revoke", f"member:{admin.member_id}"),
    ]
