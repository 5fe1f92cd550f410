"""Changes of sign-in methods require re-authentication and are emailed; admins can end sessions."""

import asyncio
from datetime import timedelta

import pytest

from landbridge.customers.team.errors import RecentSignInRequired, SignInRefused
from landbridge.platform.core.errors import (
    FieldInvalid,
    ResourceConflict,
    ResourceNotFound,
    RoleNotAllowed,
)
from landbridge.platform.core.ids import new_id
from landbridge.platform.http.caller import MemberRole
from tests.customers.team.authenticator import Authenticator
from tests.customers.team.people import PASSWORD, Joined, first_admin, join
from tests.customers.team.test_passkeys import BROWSER, NAME, SITE, passkeys_of
from tests.tenants import Tenant

OTHER = "another lantern, another bridge"


async def test_a_session_is_fresh_for_ten_minutes_and_after_the_password(org: Tenant) -> None:
    admin, container = await first_admin(org), org.container
    container.sessions.check_fresh(admin.signed)
    await age(org, admin)
    stale = await container.sessions.find(admin.secret)
    assert stale is not None
    with pytest.raises(RecentSignInRequired):
        container.sessions.check_fresh(stale)
    with pytest.raises(FieldInvalid) as refused:
        await container.sign_in.prove(stale, OTHER)
    assert refused.value.field == "password"
    assert await container.sessions.find(admin.secret) == stale
    secret = await container.sign_in.prove(stale, PASSWORD)
    fresh = await container.sessions.find(secret)
    assert fresh is not None
    container.sessions.check_fresh(fresh)
    # A copy of the cookie from before gives no access, so it is not fresh either.
    assert await container.sessions.find(admin.secret) is None


async def test_proofs_at_once_leave_one_cookie_in_either_order_of_replies(org: Tenant) -> None:
    admin, container = await first_admin(org), org.container
    twice = (container.sign_in.prove(admin.signed, PASSWORD) for _ in range(2))
    first, second = await asyncio.gather(*twice)
    assert first == second
    # A password change that was sent with the same cookie.
    assert await container.sign_in.change_password(admin.signed, PASSWORD, OTHER) == first
    renewed = await container.sessions.find(first)
    assert renewed is not None
    later = await container.sign_in.prove(renewed, OTHER)
    assert later != first
    # The reply to an older cookie would sign the browser out, so it has none.
    with pytest.raises(SignInRefused):
        await container.sign_in.prove(admin.signed, OTHER)
    assert await container.sessions.find(first) is None
    assert await container.sessions.find(later) is not None


async def test_a_second_factor_is_not_given_by_the_password(org: Tenant) -> None:
    admin, container = await first_admin(org), org.container
    secret = await container.database.transact(
        lambda tx: container.sessions.begin(tx, org.org_id, admin.id, is_verified=False)
    )
    half = await container.sessions.find(secret)
    assert half is not None
    with pytest.raises(SignInRefused):
        await container.sign_in.prove(half, PASSWORD)
    found = await container.sessions.find(secret)
    assert found is not None
    assert found.needs_second


async def test_changes_of_how_one_signs_in_are_mailed(org: Tenant) -> None:
    admin, container = await first_admin(org), org.container
    caller, passkeys = admin.signed.caller, passkeys_of(container)
    device = Authenticator(SITE, NAME, credential_id=new_id().bytes)
    options = await passkeys.registration(caller, browser=BROWSER)
    created = await passkeys.register(
        caller, device.make(options), name="Phone number", browser=BROWSER
    )
    await passkeys.rename(caller, created.id, "Laptop")
    await passkeys.remove(caller, created.id)
    await container.sign_in.change_password(admin.signed, PASSWORD, OTHER)
    await container.outbox.run_once([org.org_id])
    mails = [each.email for each in await container.mailbox.newest(org.caller)]
    assert {each.to for each in mails} == {admin.email}
    text = "\n".join(each.text for each in mails)
    assert len(mails) == 3
    for each in ("passkey was added", "passkey was removed", "Landbridge password was changed"):
        assert each in text


async def test_the_number_of_passkeys_is_bounded_despite_races(org: Tenant) -> None:
    admin, passkeys = await first_admin(org), passkeys_of(org.container)
    caller = admin.signed.caller
    registrations = [await passkeys.registration(caller, browser=BROWSER) for _ in range(21)]
    for at, options in enumerate(registrations):
        created = Authenticator(SITE, NAME, credential_id=new_id().bytes).make(options)
        if at < 20:
            await passkeys.register(caller, created, name=f"Phone {at}", browser=BROWSER)
        else:
            with pytest.raises(ResourceConflict):
                await passkeys.register(caller, created, name="One more", browser=BROWSER)


async def test_an_origin_has_the_form_sent_by_browsers(org: Tenant) -> None:
    admin = await first_admin(org)
    for at, site in enumerate(("HTTPS://Pay.Example.com:443", "https://pay.example.com/")):
        passkeys = passkeys_of(org.container, site)
        device = Authenticator(SITE, NAME, credential_id=new_id().bytes)
        options = await passkeys.registration(admin.signed.caller, browser=BROWSER)
        created = device.make(options)
        await passkeys.register(admin.signed.caller, created, name=f"Phone {at}", browser=BROWSER)


async def test_an_admin_ends_a_members_sessions(org: Tenant, other_org: Tenant) -> None:
    admin, sessions = await first_admin(org), org.container.sessions
    member, outsider = await join(org, admin, MemberRole.MEMBER), await first_admin(other_org)
    which = member.signed.session_id
    caller = admin.signed.caller
    assert [each.id for each in await sessions.of_member(caller, member.id)] == [which]
    for joined in (member.signed.caller,):
        with pytest.raises(RoleNotAllowed):
            await sessions.of_member(joined, admin.id)
        with pytest.raises(RoleNotAllowed):
            await sessions.end_of_member(joined, admin.id, admin.signed.session_id)
        with pytest.raises(RoleNotAllowed):
            await sessions.end_all_of_member(joined, admin.id)
    with pytest.raises(ResourceNotFound):
        await sessions.end_of_member(outsider.signed.caller, member.id, which)
    assert await sessions.end_all_of_member(outsider.signed.caller, member.id) == 0
    await sessions.end_of_member(caller, member.id, which)
    assert await sessions.find(member.secret) is None
    rows = await org.container.database.rows(
        "select actor from changes where org_id = $1 and object_id = $2 and change_type = 'end'",
        *(org.org_id, which),
    )
    assert [row["actor"] for row in rows] == [f"member:{admin.id}"]


async def age(org: Tenant, member: Joined) -> None:
    """Set the sign-in to eleven minutes ago."""
    await org.container.database.rows(
        "update sessions set verified_at = verified_at - $2::interval where member_id = $1",
        *(member.id, timedelta(minutes=11)),
    )
