"""Changing how one signs in: proven first, told by mail; sessions that an admin ends."""

from datetime import timedelta

import pytest

from landbridge.core.errors import FieldInvalid, ResourceConflict, ResourceNotFound, RoleNotAllowed
from landbridge.core.ids import new_id
from landbridge.members.errors import ProofMissing
from landbridge.web.caller import Role
from tests.members.authenticator import Authenticator
from tests.members.people import PASSWORD, Joined, first_admin, join
from tests.members.test_passkeys import BROWSER, NAME, SITE, passkeys_of
from tests.tenants import Tenant

OTHER = "another lantern, another bridge"


async def test_a_session_is_fresh_for_ten_minutes_and_after_the_password(org: Tenant) -> None:
    admin, house = await first_admin(org), org.house
    house.sessions.check_fresh(admin.signed)
    await age(org, admin)
    stale = await house.sessions.find(admin.secret)
    assert stale is not None
    with pytest.raises(ProofMissing):
        house.sessions.check_fresh(stale)
    with pytest.raises(FieldInvalid) as refused:
        await house.sign_in.prove(stale, OTHER)
    assert refused.value.field == "password"
    assert await house.sessions.find(admin.secret) == stale
    await house.sign_in.prove(stale, PASSWORD)
    fresh = await house.sessions.find(admin.secret)
    assert fresh is not None
    house.sessions.check_fresh(fresh)


async def test_a_second_factor_is_not_given_by_the_password(org: Tenant) -> None:
    admin, house = await first_admin(org), org.house
    secret = await house.database.transact(
        lambda tx: house.sessions.begin(tx, org.org_id, admin.id, is_verified=False)
    )
    half = await house.sessions.find(secret)
    assert half is not None
    await house.sign_in.prove(half, PASSWORD)
    found = await house.sessions.find(secret)
    assert found is not None
    assert found.needs_second


async def test_changes_of_how_one_signs_in_are_mailed(org: Tenant) -> None:
    admin, house = await first_admin(org), org.house
    caller, passkeys = admin.signed.caller, passkeys_of(house)
    device = Authenticator(SITE, NAME, credential_id=new_id().bytes)
    options = await passkeys.registration(caller, browser=BROWSER)
    made = await passkeys.register(caller, device.make(options), name="Phone", browser=BROWSER)
    await passkeys.rename(caller, made.id, "Laptop")
    await passkeys.remove(caller, made.id)
    await house.sign_in.change_password(caller, admin.signed.session_id, PASSWORD, OTHER)
    await house.outbox.run_once([org.org_id])
    mails = [each.letter for each in await house.mailbox.newest(org.caller)]
    assert {each.to for each in mails} == {admin.email}
    told = "\n".join(each.text for each in mails)
    assert len(mails) == 3
    for each in ("passkey was added", "passkey was removed", "password at Landbridge was changed"):
        assert each in told


async def test_so_many_passkeys_and_no_more_however_many_were_begun(org: Tenant) -> None:
    admin, passkeys = await first_admin(org), passkeys_of(org.house)
    caller = admin.signed.caller
    begun = [await passkeys.registration(caller, browser=BROWSER) for _ in range(21)]
    for at, options in enumerate(begun):
        made = Authenticator(SITE, NAME, credential_id=new_id().bytes).make(options)
        if at < 20:
            await passkeys.register(caller, made, name=f"Phone {at}", browser=BROWSER)
        else:
            with pytest.raises(ResourceConflict):
                await passkeys.register(caller, made, name="One more", browser=BROWSER)


async def test_an_origin_is_as_browsers_say_it(org: Tenant) -> None:
    admin = await first_admin(org)
    for at, site in enumerate(("HTTPS://Pay.Example.com:443", "https://pay.example.com/")):
        passkeys = passkeys_of(org.house, site)
        device = Authenticator(SITE, NAME, credential_id=new_id().bytes)
        options = await passkeys.registration(admin.signed.caller, browser=BROWSER)
        made = device.make(options)
        await passkeys.register(admin.signed.caller, made, name=f"Phone {at}", browser=BROWSER)


async def test_an_admin_ends_somebodys_sessions(org: Tenant, other_org: Tenant) -> None:
    admin, sessions = await first_admin(org), org.house.sessions
    member, stranger = await join(org, admin, Role.MEMBER), await first_admin(other_org)
    which = member.signed.session_id
    caller = admin.signed.caller
    assert [each.id for each in await sessions.of_member(caller, member.id)] == [which]
    for somebody in (member.signed.caller,):
        with pytest.raises(RoleNotAllowed):
            await sessions.of_member(somebody, admin.id)
        with pytest.raises(RoleNotAllowed):
            await sessions.end_of_member(somebody, admin.id, admin.signed.session_id)
        with pytest.raises(RoleNotAllowed):
            await sessions.end_all_of_member(somebody, admin.id)
    with pytest.raises(ResourceNotFound):
        await sessions.end_of_member(stranger.signed.caller, member.id, which)
    assert await sessions.end_all_of_member(stranger.signed.caller, member.id) == 0
    await sessions.end_of_member(caller, member.id, which)
    assert await sessions.find(member.secret) is None
    rows = await org.house.database.rows(
        "select actor from changes where org_id = $1 and object_id = $2 and what = 'end'",
        *(org.org_id, which),
    )
    assert [row["actor"] for row in rows] == [f"member:{admin.id}"]


async def age(org: Tenant, who: Joined) -> None:
    """As if they had signed in eleven minutes ago."""
    await org.house.database.rows(
        "update sessions set verified_at = verified_at - $2::interval where member_id = $1",
        *(who.id, timedelta(minutes=11)),
    )
