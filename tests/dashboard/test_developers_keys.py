"""API key pages: listed, created and shown once, revoked, by admins only."""

import asyncio
from uuid import uuid4

import pytest

from landbridge.platform.changes.service import history
from landbridge.platform.http.caller import KeyScope, MemberRole
from tests.dashboard.browsing import visit
from tests.tenants import Tenant

KEYS = "/dashboard/keys"
HOSTILE = "<script>alert(1)</script>"


@pytest.mark.parametrize("role", list(MemberRole))
async def test_every_role_sees_keys_without_secrets(org: Tenant, role: MemberRole) -> None:
    page = await (await visit(org, role)).load(KEYS)
    assert "test key" in page.text
    assert f"…{org.key[-4:]}" in page.text
    assert org.key not in page.response.text
    assert (f"{KEYS}/new" in page.links()) is (role is MemberRole.ADMIN)


async def test_admin_creates_a_key_shown_once(org: Tenant) -> None:
    admin = await visit(org)
    form = await admin.load(f"{KEYS}/new")
    assert len(form.value("expiresAt")) == len("2030-12-31")
    fields = {name: form.value(name) for name in ("expiresAt", "requestId")}
    created = await admin.send(f"{KEYS}/new", {**fields, "name": HOSTILE, "review": "yes"})
    assert created.status == 200
    assert HOSTILE not in created.response.text
    assert created.response.headers["cache-control"] == "no-store"
    secret = str(created.tree.xpath("//pre")[0].text_content())
    caller = await org.container.orgs.authenticate(secret)
    assert caller.org_id == org.org_id
    listed = await admin.load(KEYS)
    assert HOSTILE in listed.text
    assert secret not in listed.response.text
    (key,) = [each for each in await org.container.orgs.keys(org.org_id) if each.id == caller.id]
    assert key.scopes == [KeyScope.READ, KeyScope.REVIEW]
    assert "Read, Reviews" in listed.text
    assert key.expires_at is not None


async def test_a_new_key_is_offered_the_payments_scope_alone(org: Tenant) -> None:
    form = await (await visit(org)).load(f"{KEYS}/new")
    assert form.tree.xpath("//input[@type='checkbox'][@checked]/@name") == ["pay"]


async def test_key_can_have_no_expiry(org: Tenant) -> None:
    admin = await visit(org)
    fields = {"name": "a", "expiresAt": "", "requestId": str(uuid4())}
    assert (await admin.send(f"{KEYS}/new", fields)).status == 200
    assert [each.expires_at for each in await org.container.orgs.keys(org.org_id)] == [None, None]


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
async def test_invalid_key_shows_errors_and_keeps_values(
    org: Tenant, fields: dict[str, str], field: str
) -> None:
    submitted = {"approve": "yes", "requestId": str(uuid4()), **fields}
    sent = await (await visit(org)).send(f"{KEYS}/new", submitted)
    assert sent.status == 422
    assert sent.value("requestId") == submitted["requestId"]
    assert sent.tree.xpath(f'//*[@id="w-{field}"]')
    assert sent.value("expiresAt") == fields["expiresAt"]
    assert len(await org.container.orgs.keys(org.org_id)) == 1


async def test_key_is_rotated_with_the_same_settings(org: Tenant) -> None:
    admin = await visit(org)
    form = await admin.load(f"{KEYS}/new", replaces=str(org.caller.id))
    assert form.value("name") == "test key"
    assert "stays valid until you revoke it" in form.text
    fields = {name: form.value(name) for name in ("name", "expiresAt", "replaces", "requestId")}
    created = await admin.send(f"{KEYS}/new", fields)
    assert "revoke it in the list" in created.text
    await org.get("/v2/ping")


async def test_resubmitted_form_creates_one_key(org: Tenant) -> None:
    admin = await visit(org)
    form = await admin.load(f"{KEYS}/new")
    fields = {name: form.value(name) for name in ("expiresAt", "requestId")} | {"name": "billing"}
    sent = await asyncio.gather(*(admin.send(f"{KEYS}/new", fields) for _ in range(3)))
    sent = [*sent, await admin.send(f"{KEYS}/new", {**fields, "name": "other"})]
    assert {each.status for each in sent} == {200}
    secrets = [each.tree.xpath("//pre") for each in sent]
    assert sum(bool(each) for each in secrets) == 1
    again = sent[-1]
    assert "billing" in again.text
    assert "was already submitted" in again.text
    (secret,) = [str(each[0].text_content()) for each in secrets if each]
    keys = [each for each in await org.container.orgs.keys(org.org_id) if each.name != "test key"]
    assert [(each.name, each.created_by) for each in keys] == [("billing", admin.member_id)]
    assert (await org.container.orgs.authenticate(secret)).id == keys[0].id
    assert (await admin.load(f"{KEYS}/new")).value("requestId") != fields["requestId"]
    assert (await admin.send(f"{KEYS}/new", {**fields, "requestId": "x"})).status == 422


async def test_revoked_key_is_rejected(org: Tenant) -> None:
    admin = await visit(org)
    assert await admin.submit(f"{KEYS}/{org.caller.id}/revoke") == KEYS
    assert await org.refused("GET", "/v2/ping") == "401 INVALID_API_KEY"
    assert 'title="revoked"' in (await admin.load(KEYS)).response.text


@pytest.mark.parametrize("role", [MemberRole.MEMBER, MemberRole.ANALYST])
async def test_only_admins_create_and_revoke_keys(org: Tenant, role: MemberRole) -> None:
    visitor = await visit(org, role)
    assert (await visitor.open(f"{KEYS}/new")).status == 403
    fields = {"name": "a", "expiresAt": "", "requestId": str(uuid4())}
    created = await visitor.send(f"{KEYS}/new", fields)
    assert (created.status, "only an admin" in created.text) == (403, True)
    revoked = await visitor.send(f"{KEYS}/{org.caller.id}/revoke")
    assert (revoked.status, "only an admin" in revoked.text) == (403, True)
    await org.get("/v2/ping")
    assert len(await org.container.orgs.keys(org.org_id)) == 1


async def test_keys_of_other_organisations_are_not_found(org: Tenant, other_org: Tenant) -> None:
    admin = await visit(org)
    for key in (other_org.caller.id, uuid4(), "nonsense"):
        assert (await admin.send(f"{KEYS}/{key}/revoke")).status == 404
    form = await admin.load(f"{KEYS}/new", replaces=str(other_org.caller.id))
    assert form.value("name") == ""
    await other_org.get("/v2/ping")


async def test_audit_log_names_who_changed_keys(org: Tenant) -> None:
    admin = await visit(org)
    await admin.submit(f"{KEYS}/{org.caller.id}/revoke")

    changes = await org.container.database.transact(
        lambda tx: history(tx, org.org_id, [org.caller.id])
    )
    assert [(each.change_type, each.actor) for each in changes[org.caller.id]] == [
        ("create", "cli"),
        ("revoke", f"member:{admin.member_id}"),
    ]
