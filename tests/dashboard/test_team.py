"""Team pages: visible to every role, changed by admins; one admin must remain."""

from uuid import uuid4

import pytest

from landbridge.customers.team.errors import LinkInvalid
from landbridge.platform.http.caller import MemberRole
from tests.customers.team.people import token_of
from tests.dashboard.browsing import visit
from tests.tenants import Tenant

TEAM = "/dashboard/team"
HOSTILE = "<script>alert(1)</script>"


@pytest.mark.parametrize("role", list(MemberRole))
async def test_every_role_sees_the_team(org: Tenant, other_org: Tenant, role: MemberRole) -> None:
    await visit(other_org, name="Nobody of ours")
    await visit(org, MemberRole.MEMBER, name=HOSTILE)
    page = await (await visit(org, role)).load(TEAM)
    assert HOSTILE in page.text
    assert HOSTILE not in page.response.text
    assert "Nobody of ours" not in page.text
    assert "Role permissions" in page.text
    assert ("Two-factor authentication" in page.text) is (role is MemberRole.ADMIN)
    assert (f"{TEAM}/invite" in page.links()) is (role is MemberRole.ADMIN)


async def test_invitation_can_be_repeated(org: Tenant) -> None:
    admin = await visit(org)
    await admin.load(f"{TEAM}/invite")
    email = f"grace-{org.org_id}@example.com"
    sent = await admin.send(
        f"{TEAM}/invite", {"email": email, "name": "Grace Example", "role": "analyst"}
    )
    assert sent.status == 200
    assert sent.response.headers["cache-control"] == "no-store"
    link = str(sent.tree.xpath("//pre")[0].text_content())
    invitation = await org.container.sign_in.invitation(token_of(link))
    assert (invitation.email, invitation.role) == (email, MemberRole.ANALYST)
    listed = await admin.load(TEAM)
    assert link not in listed.response.text
    (path,) = [
        each
        for each in listed.links()
        if each.startswith(f"{TEAM}/") and each != f"{TEAM}/{admin.member_id}"
        if not each.endswith("/invite")
    ]
    assert "has not been accepted yet" in (await admin.load(path)).text
    again = await admin.send(f"{path}/invite-again")
    assert again.status == 200
    with pytest.raises(LinkInvalid):
        await org.container.sign_in.invitation(token_of(link))
    await org.container.sign_in.invitation(
        token_of(str(again.tree.xpath("//pre")[0].text_content()))
    )
    refused = await admin.send(f"{TEAM}/{admin.member_id}/invite-again")
    assert "taken the invitation up already" in refused.text


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"email": "nobody"}, "email"),
        ({"email": ""}, "email"),
        ({"name": ""}, "name"),
        ({"role": "owner"}, "role"),
        ({"role": ""}, "role"),
        ({"name": "a\x00"}, "name"),
    ],
)
async def test_invalid_invitation_shows_errors_and_keeps_values(
    org: Tenant, change: dict[str, str], field: str
) -> None:
    admin = await visit(org)
    fields = {"email": f"a-{org.org_id}@example.com", "name": "Ada", "role": "member", **change}
    sent = await admin.send(f"{TEAM}/invite", fields)
    assert sent.status == 422
    assert sent.tree.xpath(f'//*[@id="w-{field}"]')
    if "\x00" not in fields["name"]:
        assert sent.value("email") == fields["email"]
    assert len(await org.container.team.list_members(org.org_id)) == 1


async def test_email_belongs_to_one_member(org: Tenant, other_org: Tenant) -> None:
    admin, other = await visit(org), await visit(other_org)
    fields = {"email": f"{other.member_id}@example.com", "name": "Ada", "role": "member"}
    sent = await admin.send(f"{TEAM}/invite", fields)
    assert sent.status == 422
    assert sent.tree.xpath('//*[@id="w-email"]')


async def test_role_is_changed(org: Tenant) -> None:
    admin, member = await visit(org), await visit(org, MemberRole.MEMBER)
    path = f"{TEAM}/{member.member_id}"
    await admin.load(path)
    assert await admin.submit(f"{path}/role", {"role": "analyst"}) == path
    assert (await member.open("/dashboard/users/new")).status in {200, 403}
    person = await org.container.team.get(org.org_id, member.member_id)
    assert person.role is MemberRole.ANALYST
    wrong = await admin.send(f"{path}/role", {"role": "owner"})
    assert wrong.status == 422


async def test_last_admin_cannot_be_removed(org: Tenant) -> None:
    admin = await visit(org)
    path = f"{TEAM}/{admin.member_id}"
    for act, fields in (("role", {"role": "member"}), ("remove", {})):
        sent = await admin.send(f"{path}/{act}", fields)
        assert sent.status != 500
        assert "needs at least one admin" in sent.text
    person = await org.container.team.get(org.org_id, admin.member_id)
    assert (person.role, person.removed_at) == (MemberRole.ADMIN, None)
    await visit(org)
    assert await admin.submit(f"{path}/role", {"role": "member"}) == TEAM
    await admin.load(TEAM)
    assert (await admin.open(path)).status == 403


async def test_removed_member_is_signed_out_at_once(org: Tenant) -> None:
    admin, member = await visit(org), await visit(org, MemberRole.MEMBER)
    await member.load(TEAM)
    path = f"{TEAM}/{member.member_id}"
    assert await admin.submit(f"{path}/remove") == TEAM
    assert (await member.open(TEAM)).status == 303
    assert "This member was removed" in (await admin.load(path)).text
    assert "Removed members" in (await admin.load(TEAM)).text
    assert (await admin.send(f"{path}/remove")).status == 404
    assert (await admin.send(f"{path}/role", {"role": "admin"})).status == 404


@pytest.mark.parametrize("role", [MemberRole.MEMBER, MemberRole.ANALYST])
async def test_only_admins_change_the_team(org: Tenant, role: MemberRole) -> None:
    admin, visitor = await visit(org), await visit(org, role)
    path = f"{TEAM}/{admin.member_id}"
    for each in (path, f"{TEAM}/invite"):
        assert (await visitor.open(each)).status == 403
    fields = {"email": "a@example.com", "name": "Ada", "role": "admin"}
    for each in (f"{TEAM}/invite", f"{path}/role", f"{path}/remove", f"{path}/invite-again"):
        assert (await visitor.send(each, fields)).status == 403, each
    person = await org.container.team.get(org.org_id, visitor.member_id)
    assert person.role is role


async def test_members_of_other_organisations_are_not_found(org: Tenant, other_org: Tenant) -> None:
    admin, other = await visit(org), await visit(other_org)
    for member_id in (str(other.member_id), str(uuid4()), "nonsense"):
        path = f"{TEAM}/{member_id}"
        assert (await admin.open(path)).status == 404
        for act in ("role", "remove", "invite-again"):
            assert (await admin.send(f"{path}/{act}", {"role": "member"})).status == 404
    person = await org.container.team.get(other_org.org_id, other.member_id)
    assert person.removed_at is None


async def test_forged_form_changes_nothing(org: Tenant) -> None:
    admin, member = await visit(org), await visit(org, MemberRole.MEMBER)
    sent = await admin.send(f"{TEAM}/{member.member_id}/remove", csrf="forged")
    assert sent.status == 403
    await member.load(TEAM)


async def test_admin_ends_sessions_of_a_member(org: Tenant, other_org: Tenant) -> None:
    admin, outsider = await visit(org), await visit(other_org)
    member = await visit(org, MemberRole.MEMBER)
    path = f"{TEAM}/{member.member_id}"
    page = await admin.load(path)
    (end,) = [
        str(each)
        for each in page.tree.xpath('//form[contains(@action, "/end")]/@action')
        if not str(each).endswith("/end-all")
    ]
    assert (await outsider.send(end)).status == 404
    for act in (end, f"{path}/sessions/end-all"):
        assert (await member.send(act)).status == 403
    assert await admin.submit(end) == path
    assert (await member.open(TEAM)).status == 303
    assert (await admin.send(end)).status == 404
    assert await admin.submit(f"{path}/sessions/end-all") == path
    assert "Sign Test" not in (await admin.load(path)).response.text


async def test_keys_of_removed_admin_are_revoked_unless_retained(org: Tenant) -> None:
    admin, other = await visit(org), await visit(org)
    for name in ("spare", "needed"):
        fields = {"name": name, "expiresAt": "", "requestId": str(uuid4()), "approve": "yes"}
        assert (await other.send("/dashboard/keys/new", fields)).status == 200
    path = f"{TEAM}/{other.member_id}"
    page = await admin.load(path)
    ids = {
        each.name: str(each.id)
        for each in await org.container.orgs.keys(org.org_id)
        if each.name != "test key"
    }
    for key_id in ids.values():
        assert page.tree.xpath(f'//form[@action="{path}/role"]//input[@value="{key_id}"]')
        assert page.tree.xpath(f'//form[@action="{path}/remove"]//input[@value="{key_id}"]')
    assert (await admin.send(f"{path}/remove", {"keptKeys": ids["needed"]})).status == 303
    states = {
        each.name: each.revoked_at is None for each in await org.container.orgs.keys(org.org_id)
    }
    assert states == {"test key": True, "spare": False, "needed": True}
