"""Invitations, roles, removal; the last admin."""

import asyncio
from collections.abc import Awaitable
from uuid import UUID

import pytest

from landbridge.changes.service import history
from landbridge.core.errors import FieldInvalid, ResourceConflict, ResourceNotFound, RoleNotAllowed
from landbridge.core.ids import new_id
from landbridge.members.errors import AddressTaken, LastAdmin, LinkInvalid, SignInRefused
from landbridge.members.model import Theme
from landbridge.web.caller import Role
from tests.members.people import PASSWORD, come_in, first_admin, join, token_of
from tests.tenants import Tenant


async def test_an_invitation_is_taken_up_once(org: Tenant) -> None:
    admin = await first_admin(org)
    members, sign_in = org.house.members, org.house.sign_in
    email = f"Grace-{org.org_id}@Example.com"
    invited = await members.invite(
        admin.signed.caller, email=email, name="Grace Example", role=Role.ANALYST
    )
    assert invited.person.email == email.lower()
    assert invited.person.is_invited
    token = token_of(invited.link)
    told = await sign_in.invitation(token)
    assert (told.email, told.role, told.org_name) == (email.lower(), Role.ANALYST, "Test")
    with pytest.raises(SignInRefused):
        await come_in(org, email)
    assert (await members.standings(org.org_id))[invited.person.id].invitation_ends_at is not None

    both = await asyncio.gather(
        *(
            sign_in.accept(token, name="Grace E.", password=PASSWORD, ip_address=None, browser=None)
            for _ in range(2)
        ),
        return_exceptions=True,
    )
    assert sorted(type(each).__name__ for each in both) == ["LinkInvalid", "str"]
    person = await members.get(org.org_id, invited.person.id)
    assert (person.name, person.is_invited, person.has_password) == ("Grace E.", False, True)
    assert (await come_in(org, email)).signed.person.role is Role.ANALYST
    with pytest.raises(LinkInvalid):
        await sign_in.invitation(token)
    with pytest.raises(ResourceConflict):
        await members.invite_again(admin.signed.caller, person.id)


async def test_a_new_invitation_voids_the_one_before(org: Tenant) -> None:
    admin = await first_admin(org)
    invited = await org.house.members.invite(
        admin.signed.caller, email=f"a-{org.org_id}@x.test", name="Ada", role=Role.MEMBER
    )
    again = await org.house.members.invite_again(admin.signed.caller, invited.person.id)
    with pytest.raises(LinkInvalid):
        await org.house.sign_in.invitation(token_of(invited.link))
    await org.house.sign_in.invitation(token_of(again.link))


async def test_an_address_is_one_members(org: Tenant, other_org: Tenant) -> None:
    admin, stranger = await first_admin(org), await first_admin(other_org)
    for email in (admin.email, stranger.email.upper()):
        with pytest.raises(AddressTaken) as refused:
            await org.house.members.invite(
                admin.signed.caller, email=email, name="Ada", role=Role.MEMBER
            )
        assert refused.value.field == "email"


async def test_weak_passwords_are_refused(org: Tenant) -> None:
    admin = await first_admin(org)
    email = f"wilhelmina-{org.org_id}@x.test"
    invited = await org.house.members.invite(
        admin.signed.caller, email=email, name="W", role=Role.MEMBER
    )
    for weak in ("short", "x" * 201, "aaaaaaaaaaaaaaa", "Password1234", email, "123456789012"):
        with pytest.raises(FieldInvalid) as refused:
            await org.house.sign_in.accept(
                token_of(invited.link), name="W", password=weak, ip_address=None, browser=None
            )
        assert refused.value.field == "password"
        assert weak not in refused.value.message


async def test_only_admins_change_the_team(org: Tenant) -> None:
    admin = await first_admin(org)
    for role in (Role.MEMBER, Role.ANALYST):
        somebody = await join(org, admin, role)
        caller, members = somebody.signed.caller, org.house.members
        with pytest.raises(RoleNotAllowed):
            await members.invite(caller, email="x@x.test", name="X", role=Role.ADMIN)
        with pytest.raises(RoleNotAllowed):
            await members.change_role(caller, somebody.id, Role.ADMIN)
        with pytest.raises(RoleNotAllowed):
            await members.remove(caller, admin.id)
        with pytest.raises(RoleNotAllowed):
            await members.invite_again(caller, somebody.id)


async def test_who_was_removed_is_out_at_once(org: Tenant) -> None:
    admin = await first_admin(org)
    somebody = await join(org, admin)
    await org.house.members.remove(admin.signed.caller, somebody.id)
    assert await org.house.sessions.find(somebody.secret) is None
    with pytest.raises(SignInRefused):
        await come_in(org, somebody.email)
    person = await org.house.members.get(org.org_id, somebody.id)
    assert person.removed_at is not None
    with pytest.raises(ResourceNotFound):
        await org.house.members.remove(admin.signed.caller, somebody.id)
    # The address is free again, and whoever comes with it is somebody else.
    invited = await org.house.members.invite(
        admin.signed.caller, email=somebody.email, name="Grace", role=Role.MEMBER
    )
    assert invited.person.id != somebody.id


async def test_a_role_counts_from_the_next_request_on(org: Tenant) -> None:
    admin = await first_admin(org)
    somebody = await join(org, admin)
    await org.house.members.change_role(admin.signed.caller, somebody.id, Role.ADMIN)
    signed = await org.house.sessions.find(somebody.secret)
    assert signed is not None
    assert signed.caller.can_approve
    assert signed.person.role is Role.ADMIN


async def test_the_last_admin_stays(org: Tenant) -> None:
    admin = await first_admin(org)
    caller, members = admin.signed.caller, org.house.members
    # Somebody who is only invited can't sign in, and so is no second admin.
    await members.invite(caller, email=f"i-{org.org_id}@x.test", name="I", role=Role.ADMIN)
    for change in (
        lambda: members.remove(caller, admin.id),
        lambda: members.change_role(caller, admin.id, Role.MEMBER),
    ):
        with pytest.raises(LastAdmin):
            await change()
    await join(org, admin, Role.ADMIN)
    await members.change_role(caller, admin.id, Role.MEMBER)


@pytest.mark.parametrize("attempt", range(5))
async def test_admins_who_remove_each_other_at_once_leave_one(org: Tenant, attempt: int) -> None:
    one = await first_admin(org)
    admins = [one, *[await join(org, one, Role.ADMIN) for _ in range(3)]]
    members = org.house.members

    def leave(at: int) -> Awaitable[None]:
        if (at + attempt) % 2:
            return members.remove(one.signed.caller, admins[at].id)
        return members.change_role(one.signed.caller, admins[at].id, Role.ANALYST)

    done = await asyncio.gather(*(leave(at) for at in range(len(admins))), return_exceptions=True)
    assert [type(each) for each in done if each is not None] == [LastAdmin]
    left = [
        each
        for each in await members.everybody(org.org_id)
        if each.role is Role.ADMIN and each.removed_at is None
    ]
    assert len(left) == 1


async def test_strangers_are_unknown(org: Tenant, other_org: Tenant) -> None:
    admin, stranger = await first_admin(org), await first_admin(other_org)
    caller, members = admin.signed.caller, org.house.members
    for member_id in (stranger.id, new_id()):
        for verb in (members.remove(caller, member_id), members.invite_again(caller, member_id)):
            with pytest.raises(ResourceNotFound):
                await verb
        with pytest.raises(ResourceNotFound):
            await members.change_role(caller, member_id, Role.MEMBER)
        with pytest.raises(ResourceNotFound):
            await members.get(org.org_id, member_id)
    with pytest.raises(ResourceNotFound):
        await org.house.sessions.revoke(caller, stranger.signed.session_id)
    assert await org.house.sessions.find(stranger.secret) is not None


async def test_what_one_likes_is_kept(org: Tenant) -> None:
    admin = await first_admin(org)
    caller = admin.signed.caller
    await org.house.members.rename(caller, "Ada Example")
    await org.house.members.prefer(
        caller, language="es", theme=Theme.DARK, wants_approval_mails=False
    )
    signed = await org.house.sessions.find(admin.secret)
    assert signed is not None
    person = signed.person
    assert (person.name, person.language, person.theme) == ("Ada Example", "es", Theme.DARK)
    assert not person.wants_approval_mails
    with pytest.raises(FieldInvalid):
        await org.house.members.rename(caller, "<b>")


async def test_every_change_is_told_without_names(org: Tenant) -> None:
    admin = await first_admin(org)
    somebody = await join(org, admin)
    await org.house.members.change_role(admin.signed.caller, somebody.id, Role.ANALYST)
    await org.house.members.remove(admin.signed.caller, somebody.id)
    rows = await org.house.database.rows(
        "select kind, what, actor, seq, coalesce(facts::text, '') as facts, object_id"
        " from changes where org_id = $1 order by tx, seq",
        org.org_id,
    )
    told = [
        (row["what"], row["actor"], row["seq"]) for row in rows if row["object_id"] == somebody.id
    ]
    mine, theirs = f"member:{admin.id}", f"member:{somebody.id}"
    assert told == [
        ("invite", mine, 1), ("accept", theirs, 2), ("role", mine, 3), ("remove", mine, 4)
    ]  # fmt: skip
    sessions = [row["what"] for row in rows if row["kind"] == "SESSION"]
    assert sorted(sessions) == ["end", "sign_in", "sign_in"]
    assert "example" not in " ".join(row["facts"] for row in rows).lower()


@pytest.mark.parametrize("is_removed", [True, False])
async def test_keys_that_decide_end_with_their_maker(org: Tenant, *, is_removed: bool) -> None:
    house, admin = org.house, await first_admin(org)
    gone = await join(org, admin, Role.ADMIN)
    made: dict[str, UUID] = {}
    for name, maker, can_review, can_approve in (
        ("reviewer", gone, True, False),
        ("approver", gone, False, True),
        ("kept", gone, True, True),
        ("plain", gone, False, False),
        ("other's", admin, True, False),
    ):
        key, _ = await house.orgs.create_key_for(
            maker.signed.caller,
            name=name,
            expires_at=None,
            can_review=can_review,
            can_approve=can_approve,
        )
        made[name] = key.id
    # Somebody else's can't be named, and does not end.
    kept = [made["kept"], new_id()]
    if is_removed:
        await house.members.remove(admin.signed.caller, gone.id, kept_keys=kept)
    else:
        change = house.members.change_role
        await change(admin.signed.caller, gone.id, Role.ADMIN)
        assert not await _revoked(org)
        await change(admin.signed.caller, gone.id, Role.MEMBER, kept_keys=kept)
    assert await _revoked(org) == {"reviewer", "approver"}
    told = await house.database.single(lambda tx: history(tx, org.org_id, list(made.values())))
    for name, key_id in made.items():
        assert ("revoke" in [each.what for each in told[key_id]]) is (
            name in {"reviewer", "approver"}
        )
    assert told[made["approver"]][-1].actor == admin.signed.caller.actor


async def test_whoever_was_no_admin_takes_no_key_along(org: Tenant) -> None:
    admin = await first_admin(org)
    gone = await join(org, admin, Role.ADMIN)
    members, caller = org.house.members, admin.signed.caller
    key, _ = await org.house.orgs.create_key_for(
        gone.signed.caller, name="kept", expires_at=None, can_review=True
    )
    await members.change_role(caller, gone.id, Role.MEMBER, kept_keys=[key.id])
    await members.change_role(caller, gone.id, Role.ANALYST)
    assert not await _revoked(org)


async def _revoked(org: Tenant) -> set[str]:
    keys = await org.house.orgs.keys(org.org_id)
    return {each.name for each in keys if each.revoked_at is not None}
