"""The team: seen by everybody, changed by admins; the last admin stays."""

from uuid import uuid4

import pytest

from landbridge.members.errors import LinkInvalid
from landbridge.web.caller import Role
from tests.dashboard.browsing import visit
from tests.members.people import token_of
from tests.tenants import Tenant

TEAM = "/dashboard/team"
HOSTILE = "<script>alert(1)</script>"


@pytest.mark.parametrize("role", list(Role))
async def test_everybody_sees_the_team(org: Tenant, other_org: Tenant, role: Role) -> None:
    await visit(other_org, name="Nobody of ours")
    await visit(org, Role.MEMBER, name=HOSTILE)
    page = await (await visit(org, role)).see(TEAM)
    assert HOSTILE in page.text
    assert HOSTILE not in page.answer.text
    assert "Nobody of ours" not in page.text
    assert "What each role may do" in page.text
    assert ("Second factor" in page.text) is (role is Role.ADMIN)
    assert (f"{TEAM}/invite" in page.links()) is (role is Role.ADMIN)


async def test_somebody_is_invited_again_and_again(org: Tenant) -> None:
    admin = await visit(org)
    await admin.see(f"{TEAM}/invite")
    email = f"grace-{org.org_id}@example.com"
    sent = await admin.send(
        f"{TEAM}/invite", {"email": email, "name": "Grace Example", "role": "analyst"}
    )
    assert sent.status == 200
    assert sent.answer.headers["cache-control"] == "no-store"
    link = str(sent.tree.xpath("//pre")[0].text_content())
    told = await org.house.sign_in.invitation(token_of(link))
    assert (told.email, told.role) == (email, Role.ANALYST)
    listed = await admin.see(TEAM)
    assert link not in listed.answer.text
    (path,) = [
        each
        for each in listed.links()
        if each.startswith(f"{TEAM}/") and each != f"{TEAM}/{admin.member_id}"
        if not each.endswith("/invite")
    ]
    assert "not taken it up yet" in (await admin.see(path)).text
    again = await admin.send(f"{path}/invite-again")
    assert again.status == 200
    with pytest.raises(LinkInvalid):
        await org.house.sign_in.invitation(token_of(link))
    await org.house.sign_in.invitation(token_of(str(again.tree.xpath("//pre")[0].text_content())))
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
async def test_what_is_wrong_is_said_and_stays(
    org: Tenant, change: dict[str, str], field: str
) -> None:
    admin = await visit(org)
    fields = {"email": f"a-{org.org_id}@example.com", "name": "Ada", "role": "member", **change}
    sent = await admin.send(f"{TEAM}/invite", fields)
    assert sent.status == 422
    assert sent.tree.xpath(f'//*[@id="w-{field}"]')
    if "\x00" not in fields["name"]:
        assert sent.value("email") == fields["email"]
    assert len(await org.house.members.everybody(org.org_id)) == 1


async def test_an_address_is_one_members(org: Tenant, other_org: Tenant) -> None:
    admin, other = await visit(org), await visit(other_org)
    fields = {"email": f"{other.member_id}@example.com", "name": "Ada", "role": "member"}
    sent = await admin.send(f"{TEAM}/invite", fields)
    assert sent.status == 422
    assert sent.tree.xpath('//*[@id="w-email"]')


async def test_a_role_is_changed(org: Tenant) -> None:
    admin, member = await visit(org), await visit(org, Role.MEMBER)
    path = f"{TEAM}/{member.member_id}"
    await admin.see(path)
    assert await admin.done(f"{path}/role", {"role": "analyst"}) == path
    assert (await member.open("/dashboard/users/new")).status in {200, 403}
    person = await org.house.members.get(org.org_id, member.member_id)
    assert person.role is Role.ANALYST
    wrong = await admin.send(f"{path}/role", {"role": "owner"})
    assert wrong.status == 422


async def test_the_last_admin_stays(org: Tenant) -> None:
    admin = await visit(org)
    path = f"{TEAM}/{admin.member_id}"
    for act, fields in (("role", {"role": "member"}), ("remove", {})):
        sent = await admin.send(f"{path}/{act}", fields)
        assert sent.status != 500
        assert "needs an admin" in sent.text
    person = await org.house.members.get(org.org_id, admin.member_id)
    assert (person.role, person.removed_at) == (Role.ADMIN, None)
    await visit(org)
    assert await admin.done(f"{path}/role", {"role": "member"}) == TEAM
    await admin.see(TEAM)
    assert (await admin.open(path)).status == 403


async def test_who_was_removed_is_out_at_once(org: Tenant) -> None:
    admin, member = await visit(org), await visit(org, Role.MEMBER)
    await member.see(TEAM)
    path = f"{TEAM}/{member.member_id}"
    assert await admin.done(f"{path}/remove") == TEAM
    assert (await member.open(TEAM)).status == 303
    assert "This member was removed" in (await admin.see(path)).text
    assert "Removed members" in (await admin.see(TEAM)).text
    assert (await admin.send(f"{path}/remove")).status == 404
    assert (await admin.send(f"{path}/role", {"role": "admin"})).status == 404


@pytest.mark.parametrize("role", [Role.MEMBER, Role.ANALYST])
async def test_only_admins_act(org: Tenant, role: Role) -> None:
    admin, somebody = await visit(org), await visit(org, role)
    path = f"{TEAM}/{admin.member_id}"
    for each in (path, f"{TEAM}/invite"):
        assert (await somebody.open(each)).status == 403
    fields = {"email": "a@example.com", "name": "Ada", "role": "admin"}
    for each in (f"{TEAM}/invite", f"{path}/role", f"{path}/remove", f"{path}/invite-again"):
        assert (await somebody.send(each, fields)).status == 403, each
    person = await org.house.members.get(org.org_id, somebody.member_id)
    assert person.role is role


async def test_others_members_are_not_there(org: Tenant, other_org: Tenant) -> None:
    admin, other = await visit(org), await visit(other_org)
    for member_id in (str(other.member_id), str(uuid4()), "nonsense"):
        path = f"{TEAM}/{member_id}"
        assert (await admin.open(path)).status == 404
        for act in ("role", "remove", "invite-again"):
            assert (await admin.send(f"{path}/{act}", {"role": "member"})).status == 404
    person = await org.house.members.get(other_org.org_id, other.member_id)
    assert person.removed_at is None


async def test_a_forged_form_changes_nothing(org: Tenant) -> None:
    admin, member = await visit(org), await visit(org, Role.MEMBER)
    sent = await admin.send(f"{TEAM}/{member.member_id}/remove", csrf="forged")
    assert sent.status == 403
    await member.see(TEAM)


async def test_an_admin_signs_somebody_out(org: Tenant, other_org: Tenant) -> None:
    admin, stranger = await visit(org), await visit(other_org)
    member = await visit(org, Role.MEMBER)
    path = f"{TEAM}/{member.member_id}"
    page = await admin.see(path)
    (end,) = [
        str(each)
        for each in page.tree.xpath('//form[contains(@action, "/end")]/@action')
        if not str(each).endswith("/end-all")
    ]
    assert (await stranger.send(end)).status == 404
    for act in (end, f"{path}/sessions/end-all"):
        assert (await member.send(act)).status == 403
    assert await admin.done(end) == path
    assert (await member.open(TEAM)).status == 303
    assert (await admin.send(end)).status == 404
    assert await admin.done(f"{path}/sessions/end-all") == path
    assert "Sign Test" not in (await admin.see(path)).answer.text


async def test_keys_of_an_admin_are_listed_and_end_unless_kept(org: Tenant) -> None:
    admin, other = await visit(org), await visit(org)
    for name in ("spare", "needed"):
        told = {"name": name, "expiresAt": "", "requestId": str(uuid4()), "canApprove": "yes"}
        assert (await other.send("/dashboard/keys/new", told)).status == 200
    path = f"{TEAM}/{other.member_id}"
    page = await admin.see(path)
    ids = {
        each.name: str(each.id)
        for each in await org.house.orgs.keys(org.org_id)
        if each.name != "test key"
    }
    for key_id in ids.values():
        assert page.tree.xpath(f'//form[@action="{path}/role"]//input[@value="{key_id}"]')
        assert page.tree.xpath(f'//form[@action="{path}/remove"]//input[@value="{key_id}"]')
    assert (await admin.send(f"{path}/remove", {"keptKeys": ids["needed"]})).status == 303
    states = {each.name: each.revoked_at is None for each in await org.house.orgs.keys(org.org_id)}
    assert states == {"test key": True, "spare": False, "needed": True}
