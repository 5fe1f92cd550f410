"""Invitations, roles, removal; the last admin."""

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from uuid import UUID

import pytest

from landbridge.customers.team.errors import (
    AddressTaken,
    LastAdmin,
    LinkInvalid,
    SignInRefused,
    TooManyAttempts,
)
from landbridge.customers.team.login_rate_limit import FREE, AttemptSubject
from landbridge.customers.team.model import Theme
from landbridge.platform.changes.service import history
from landbridge.platform.core.errors import (
    FieldInvalid,
    ResourceConflict,
    ResourceNotFound,
    RoleNotAllowed,
)
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Tx
from landbridge.platform.http.caller import KeyScope, MemberRole
from landbridge.platform.orgs import store
from landbridge.platform.orgs.model import ApiKey
from tests.customers.team.people import PASSWORD, Joined, come_in, first_admin, join, token_of
from tests.tenants import Tenant
from tests.waiting import holding, waiting


async def test_an_invitation_is_accepted_once(org: Tenant) -> None:
    admin = await first_admin(org)
    members, sign_in = org.container.team, org.container.sign_in
    email = f"Grace-{org.org_id}@Example.com"
    invited = await members.invite(
        admin.signed.caller, email=email, name="Grace Example", role=MemberRole.ANALYST
    )
    assert invited.person.email == email.lower()
    assert invited.person.is_invited
    token = token_of(invited.link)
    invitation = await sign_in.invitation(token)
    assert (invitation.email, invitation.role, invitation.org_name) == (
        email.lower(),
        MemberRole.ANALYST,
        "Test",
    )
    with pytest.raises(SignInRefused):
        await come_in(org, email)
    assert (await members.sign_in_statuses(org.org_id))[
        invited.person.id
    ].invitation_ends_at is not None

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
    assert (await come_in(org, email)).signed.person.role is MemberRole.ANALYST
    with pytest.raises(LinkInvalid):
        await sign_in.invitation(token)
    with pytest.raises(ResourceConflict):
        await members.invite_again(admin.signed.caller, person.id)


async def test_a_new_invitation_voids_the_one_before(org: Tenant) -> None:
    admin = await first_admin(org)
    invited = await org.container.team.invite(
        admin.signed.caller, email=f"a-{org.org_id}@x.test", name="Ada", role=MemberRole.MEMBER
    )
    again = await org.container.team.invite_again(admin.signed.caller, invited.person.id)
    with pytest.raises(LinkInvalid):
        await org.container.sign_in.invitation(token_of(invited.link))
    await org.container.sign_in.invitation(token_of(again.link))


async def test_an_address_is_one_members(org: Tenant, other_org: Tenant) -> None:
    admin, outsider = await first_admin(org), await first_admin(other_org)
    for email in (admin.email, outsider.email.upper()):
        with pytest.raises(AddressTaken) as refused:
            await org.container.team.invite(
                admin.signed.caller, email=email, name="Ada", role=MemberRole.MEMBER
            )
        assert refused.value.field == "email"


async def test_addresses_of_others_are_not_tried_out_by_invitations(
    org: Tenant, other_org: Tenant
) -> None:
    admin, outsider = await first_admin(org), await first_admin(other_org)
    team = org.container.team

    async def invite(email: str) -> None:
        await team.invite(admin.signed.caller, email=email, name="Ada", role=MemberRole.MEMBER)

    # Those that are accepted, or have another fault, do not count.
    for number in range(FREE[AttemptSubject.INVITATION] + 2):
        await invite(f"{number}-{org.org_id}@x.test")
        with pytest.raises(FieldInvalid):
            await invite("no address")
    for _ in range(FREE[AttemptSubject.INVITATION]):
        with pytest.raises(AddressTaken):
            await invite(outsider.email)
    with pytest.raises(TooManyAttempts):
        await invite(outsider.email)


async def test_weak_passwords_are_refused(org: Tenant) -> None:
    admin = await first_admin(org)
    email = f"wilhelmina-{org.org_id}@x.test"
    invited = await org.container.team.invite(
        admin.signed.caller, email=email, name="W", role=MemberRole.MEMBER
    )
    for weak in ("short", "x" * 201, "aaaaaaaaaaaaaaa", "Password1234", email, "123456789012"):
        with pytest.raises(FieldInvalid) as refused:
            await org.container.sign_in.accept(
                token_of(invited.link), name="W", password=weak, ip_address=None, browser=None
            )
        assert refused.value.field == "password"
        assert weak not in refused.value.message


async def test_only_admins_change_the_team(org: Tenant) -> None:
    admin = await first_admin(org)
    for role in (MemberRole.MEMBER, MemberRole.ANALYST):
        member = await join(org, admin, role)
        caller, members = member.signed.caller, org.container.team
        with pytest.raises(RoleNotAllowed):
            await members.invite(caller, email="x@x.test", name="X", role=MemberRole.ADMIN)
        with pytest.raises(RoleNotAllowed):
            await members.change_role(caller, member.id, MemberRole.ADMIN)
        with pytest.raises(RoleNotAllowed):
            await members.remove(caller, admin.id)
        with pytest.raises(RoleNotAllowed):
            await members.invite_again(caller, member.id)


async def test_who_was_removed_is_out_at_once(org: Tenant) -> None:
    admin = await first_admin(org)
    member = await join(org, admin)
    await org.container.team.remove(admin.signed.caller, member.id)
    assert await org.container.sessions.find(member.secret) is None
    with pytest.raises(SignInRefused):
        await come_in(org, member.email)
    person = await org.container.team.get(org.org_id, member.id)
    assert person.removed_at is not None
    with pytest.raises(ResourceNotFound):
        await org.container.team.remove(admin.signed.caller, member.id)
    # The address is free again, and its next member is another person.
    invited = await org.container.team.invite(
        admin.signed.caller, email=member.email, name="Grace", role=MemberRole.MEMBER
    )
    assert invited.person.id != member.id


async def test_a_role_counts_from_the_next_request_on(org: Tenant) -> None:
    admin = await first_admin(org)
    member = await join(org, admin)
    await org.container.team.change_role(admin.signed.caller, member.id, MemberRole.ADMIN)
    signed = await org.container.sessions.find(member.secret)
    assert signed is not None
    assert signed.caller.can_approve
    assert signed.person.role is MemberRole.ADMIN


async def test_the_last_admin_stays(org: Tenant) -> None:
    admin = await first_admin(org)
    caller, members = admin.signed.caller, org.container.team
    # An invited member can't sign in, and so is no second admin.
    await members.invite(caller, email=f"i-{org.org_id}@x.test", name="I", role=MemberRole.ADMIN)
    for change in (
        lambda: members.remove(caller, admin.id),
        lambda: members.change_role(caller, admin.id, MemberRole.MEMBER),
    ):
        with pytest.raises(LastAdmin):
            await change()
    await join(org, admin, MemberRole.ADMIN)
    await members.change_role(caller, admin.id, MemberRole.MEMBER)


@pytest.mark.parametrize("attempt", range(5))
async def test_admins_who_are_removed_at_once_leave_one(org: Tenant, attempt: int) -> None:
    one = await first_admin(org)
    admins = [one, *[await join(org, one, MemberRole.ADMIN) for _ in range(3)]]
    members = org.container.team

    def leave(at: int) -> Awaitable[None]:
        if (at + attempt) % 2:
            return members.remove(org.caller, admins[at].id)
        return members.change_role(org.caller, admins[at].id, MemberRole.ANALYST)

    done = await asyncio.gather(*(leave(at) for at in range(len(admins))), return_exceptions=True)
    assert [type(each) for each in done if each is not None] == [LastAdmin]
    left = [
        each
        for each in await members.list_members(org.org_id)
        if each.role is MemberRole.ADMIN and each.removed_at is None
    ]
    assert len(left) == 1


async def test_strangers_are_unknown(org: Tenant, other_org: Tenant) -> None:
    admin, outsider = await first_admin(org), await first_admin(other_org)
    caller, members = admin.signed.caller, org.container.team
    for member_id in (outsider.id, new_id()):
        for verb in (members.remove(caller, member_id), members.invite_again(caller, member_id)):
            with pytest.raises(ResourceNotFound):
                await verb
        with pytest.raises(ResourceNotFound):
            await members.change_role(caller, member_id, MemberRole.MEMBER)
        with pytest.raises(ResourceNotFound):
            await members.get(org.org_id, member_id)
    with pytest.raises(ResourceNotFound):
        await org.container.sessions.revoke(caller, outsider.signed.session_id)
    assert await org.container.sessions.find(outsider.secret) is not None


async def test_preferences_are_stored(org: Tenant) -> None:
    admin = await first_admin(org)
    caller = admin.signed.caller
    await org.container.team.rename(caller, "Ada Example")
    await org.container.team.prefer(
        caller, language="es", theme=Theme.DARK, receives_approval_emails=False
    )
    signed = await org.container.sessions.find(admin.secret)
    assert signed is not None
    person = signed.person
    assert (person.name, person.language, person.theme) == ("Ada Example", "es", Theme.DARK)
    assert not person.receives_approval_emails
    with pytest.raises(FieldInvalid):
        await org.container.team.rename(caller, "<b>")


async def test_every_change_is_recorded_without_names(org: Tenant) -> None:
    admin = await first_admin(org)
    member = await join(org, admin)
    await org.container.team.change_role(admin.signed.caller, member.id, MemberRole.ANALYST)
    await org.container.team.remove(admin.signed.caller, member.id)
    rows = await org.container.database.rows(
        "select kind, change_type, actor, seq, coalesce(facts::text, '') as facts, object_id"
        " from changes where org_id = $1 order by batch, seq",
        org.org_id,
    )
    recorded = [
        (row["change_type"], row["actor"], row["seq"])
        for row in rows
        if row["object_id"] == member.id
    ]
    mine, theirs = f"member:{admin.id}", f"member:{member.id}"
    assert recorded == [
        ("invite", mine, 1), ("accept", theirs, 2), ("role", mine, 3), ("remove", mine, 4)
    ]  # fmt: skip
    sessions = [row["change_type"] for row in rows if row["kind"] == "SESSION"]
    assert sorted(sessions) == ["end", "sign_in", "sign_in"]
    assert "example" not in " ".join(row["facts"] for row in rows).lower()


@pytest.mark.parametrize("is_removed", [True, False])
async def test_keys_that_decide_end_with_their_maker(org: Tenant, *, is_removed: bool) -> None:
    container, admin = org.container, await first_admin(org)
    removed = await join(org, admin, MemberRole.ADMIN)
    created: dict[str, UUID] = {}
    for name, maker, scopes in (
        ("reviewer", removed, [KeyScope.REVIEW]),
        ("approver", removed, [KeyScope.APPROVE]),
        ("kept", removed, [KeyScope.REVIEW, KeyScope.APPROVE]),
        ("plain", removed, [KeyScope.ADMIN]),
        ("other's", admin, [KeyScope.REVIEW]),
    ):
        key, _ = await container.orgs.create_key_for(
            maker.signed.caller,
            name=name,
            expires_at=None,
            scopes=scopes,
        )
        created[name] = key.id
    # Another member's key can't be named, and is not revoked.
    member_ids = [created["kept"], new_id()]
    if is_removed:
        await container.team.remove(admin.signed.caller, removed.id, kept_keys=member_ids)
    else:
        change = container.team.change_role
        await change(admin.signed.caller, removed.id, MemberRole.ADMIN)
        assert not await _revoked(org)
        await change(admin.signed.caller, removed.id, MemberRole.MEMBER, kept_keys=member_ids)
    assert await _revoked(org) == {"reviewer", "approver"}
    changes = await container.database.single(
        lambda tx: history(tx, org.org_id, list(created.values()))
    )
    for name, key_id in created.items():
        assert ("revoke" in [each.change_type for each in changes[key_id]]) is (
            name in {"reviewer", "approver"}
        )
    assert changes[created["approver"]][-1].actor == admin.signed.caller.actor


async def test_role_changes_below_admin_revoke_no_key(org: Tenant) -> None:
    admin = await first_admin(org)
    removed = await join(org, admin, MemberRole.ADMIN)
    members, caller = org.container.team, admin.signed.caller
    key, _ = await org.container.orgs.create_key_for(
        removed.signed.caller, name="kept", expires_at=None, scopes=[KeyScope.REVIEW]
    )
    await members.change_role(caller, removed.id, MemberRole.MEMBER, kept_keys=[key.id])
    await members.change_role(caller, removed.id, MemberRole.ANALYST)
    assert not await _revoked(org)


_REMOVE = "update team_members set removed_at = now() where org_id = $1 and id = $2"
_DEMOTE = "update team_members set role = 'member' where org_id = $1 and id = $2"


@pytest.mark.parametrize("leaving", [_REMOVE, _DEMOTE])
async def test_a_key_created_during_its_creators_removal_is_refused(
    org: Tenant, leaving: str
) -> None:
    admin = await first_admin(org)
    removed = await join(org, admin, MemberRole.ADMIN)
    database = org.container.database
    # The removal has locked the member, and has revoked the keys that it found.
    async with holding(database, leaving, org.org_id, removed.id):
        making = asyncio.create_task(
            org.container.orgs.create_key_for(
                removed.signed.caller, name="late", expires_at=None, scopes=[KeyScope.APPROVE]
            )
        )
        await waiting(database, 1)
    with pytest.raises(RoleNotAllowed):
        await making
    assert "late" not in {each.name for each in await org.container.orgs.keys(org.org_id)}


@pytest.mark.parametrize("leaving", [_REMOVE, _DEMOTE])
async def test_an_admin_who_leaves_meanwhile_changes_no_team(org: Tenant, leaving: str) -> None:
    admin = await first_admin(org)
    leaver, other = await join(org, admin, MemberRole.ADMIN), await join(org, admin)
    team, caller, database = org.container.team, leaver.signed.caller, org.container.database
    email = f"late-{org.org_id}@x.test"
    async with holding(database, leaving, org.org_id, leaver.id):
        changes = [
            asyncio.create_task(each)
            for each in (
                team.invite(caller, email=email, name="Late", role=MemberRole.ADMIN),
                team.change_role(caller, other.id, MemberRole.ADMIN),
                team.remove(caller, admin.id),
            )
        ]
        await waiting(database, len(changes))
    results = await asyncio.gather(*changes, return_exceptions=True)
    assert [type(each) for each in results] == [RoleNotAllowed] * len(changes)
    members = {each.id: each for each in await team.list_members(org.org_id)}
    assert email not in {each.email for each in members.values()}
    assert members[other.id].role is not MemberRole.ADMIN
    assert members[admin.id].removed_at is None


async def test_a_removal_waits_for_a_key_that_is_being_made_and_ends_it(org: Tenant) -> None:
    admin = await first_admin(org)
    removed = await join(org, admin, MemberRole.ADMIN)
    database = org.container.database
    is_made, may_end = asyncio.Event(), asyncio.Event()
    key = replace(await _approver(org, removed), id=new_id(), name="just made")

    async def make(tx: Tx) -> None:
        # As the service creates one, with a delayed commit.
        assert await store.lock_creating_admin(tx, org.org_id, removed.id)
        assert await store.add_key(tx, key, new_id().bytes * 2)
        is_made.set()
        await may_end.wait()

    making = asyncio.create_task(database.transact(make))
    await is_made.wait()
    removing = asyncio.create_task(org.container.team.remove(admin.signed.caller, removed.id))
    await waiting(database, 1)
    may_end.set()
    await making
    await removing
    assert await _revoked(org) == {"approver", "just made"}


async def _approver(org: Tenant, maker: Joined) -> ApiKey:
    key, _ = await org.container.orgs.create_key_for(
        maker.signed.caller, name="approver", expires_at=None, scopes=[KeyScope.APPROVE]
    )
    return key


async def _revoked(org: Tenant) -> set[str]:
    keys = await org.container.orgs.keys(org.org_id)
    return {each.name for each in keys if each.revoked_at is not None}
