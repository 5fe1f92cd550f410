"""One-time codes and recovery codes."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pyotp
import pytest
from pyotp.totp import TOTP

from landbridge.customers.team.errors import CodeRefused, SignInRefused, TooManyAttempts
from landbridge.platform.core.errors import ResourceConflict
from tests.customers.team.people import PASSWORD, Joined, come_in, first_admin, token_of
from tests.tenants import Tenant

OTHER = "another lantern, another bridge"


async def test_a_code_is_required_once_the_factor_is_confirmed(org: Tenant) -> None:
    admin = await first_admin(org)
    other = await come_in(org, admin.email)
    caller, factors = admin.signed.caller, org.container.mfa
    secret, uri = await factors.begin(caller)
    assert pyotp.parse_uri(uri).secret == secret
    # Not yet.
    assert not (await come_in(org, admin.email)).signed.needs_second
    assert await factors.begun(caller) == (secret, uri)
    with pytest.raises(CodeRefused):
        await factors.confirm(admin.signed, "000000")
    codes, cookie = await factors.confirm(admin.signed, _code(org, secret))
    assert len(set(codes)) == 10
    # Neither other sessions nor a copy of this one's cookie go on without a code.
    assert await org.container.sessions.find(admin.secret) is None
    confirmed = await org.container.sessions.find(cookie)
    assert confirmed is not None
    assert confirmed.session_id == admin.signed.session_id
    assert await factors.begun(caller) is None
    assert await org.container.sessions.find(other.secret) is None
    with pytest.raises(ResourceConflict):
        await factors.begin(caller)
    enrolled = await factors.factors(caller)
    assert (enrolled.has_totp, enrolled.recovery_codes) == (True, 10)

    back = await come_in(org, admin.email)
    assert back.signed.needs_second
    new_secret = await factors.verify(back.signed, _code(org, secret, steps=1))
    assert await org.container.sessions.find(back.secret) is None
    signed = await org.container.sessions.find(new_secret)
    assert signed is not None
    assert not signed.needs_second
    assert signed.session_id == back.signed.session_id
    assert (await org.container.team.sign_in_statuses(org.org_id))[admin.id].has_second_factor


async def test_a_code_opens_once(org: Tenant) -> None:
    admin, secret, _ = await _with_codes(org)
    code = _code(org, secret, steps=1)
    sessions = [await come_in(org, admin.email) for _ in range(4)]
    done = await asyncio.gather(
        *(org.container.mfa.verify(each.signed, code) for each in sessions),
        return_exceptions=True,
    )
    assert [type(each) for each in done].count(str) == 1
    assert {type(each) for each in done} == {str, CodeRefused}


async def test_a_recovery_code_opens_once_however_it_is_typed(org: Tenant) -> None:
    admin, _, codes = await _with_codes(org)
    factors = org.container.mfa
    back = await come_in(org, admin.email)
    await factors.verify(back.signed, f" {codes[3].upper().replace('-', ' ')} ")
    again = await come_in(org, admin.email)
    with pytest.raises(CodeRefused):
        await factors.verify(again.signed, codes[3])
    assert (await factors.factors(admin.signed.caller)).recovery_codes == 9
    anew = await factors.new_recovery_codes(admin.signed.caller, codes[4])
    with pytest.raises(CodeRefused):
        await factors.verify(again.signed, codes[5])
    await factors.verify(again.signed, anew[0])
    rows = await org.container.database.rows(
        "select t::text as line from recovery_codes t where org_id = $1", org.org_id
    )
    assert not any(each in row["line"] for row in rows for each in (*codes, *anew))


async def test_the_use_of_a_recovery_code_is_mailed(org: Tenant) -> None:
    admin, secret, codes = await _with_codes(org)
    factors, container = org.container.mfa, org.container
    back = [await come_in(org, admin.email) for _ in range(2)]
    await factors.verify(back[0].signed, codes[0])
    await factors.verify(back[1].signed, _code(org, secret, steps=1))
    await container.outbox.run_once([org.org_id])
    mails = [each.email for each in await container.mailbox.newest(org.caller)]
    used = [each for each in mails if "A recovery code of your Landbridge account" in each.text]
    assert [each.to for each in used] == [admin.email]
    assert codes[0] not in used[0].text


async def test_codes_are_not_guessed(still_org: Tenant) -> None:
    org = still_org
    admin, secret, _ = await _with_codes(org)
    back = await come_in(org, admin.email)
    for code in ("000000", "abcdef", "", "²²²²²²"):
        with pytest.raises(CodeRefused):
            await org.container.mfa.verify(back.signed, code)
    with pytest.raises(TooManyAttempts):
        await org.container.mfa.verify(back.signed, _code(org, secret, steps=1))


async def test_the_factor_is_removed_with_a_code_only(org: Tenant) -> None:
    admin, secret, _ = await _with_codes(org)
    factors, caller = org.container.mfa, admin.signed.caller
    with pytest.raises(CodeRefused):
        await factors.remove(caller, "000000")
    await factors.remove(caller, _code(org, secret, steps=1))
    assert not (await come_in(org, admin.email)).signed.needs_second
    assert (await factors.factors(caller)).recovery_codes == 0


async def test_a_reset_skips_it_only_on_the_operators_request(org: Tenant) -> None:
    admin, _, _ = await _with_codes(org)
    for drops_factors in (False, True):
        link = await org.container.team.reset_by_operator(
            org.org_id, timedelta(), email=admin.email, drops_factors=drops_factors
        )
        await org.container.sign_in.reset(token_of(link), password=PASSWORD)
        back = await come_in(org, admin.email)
        assert back.signed.needs_second is not drops_factors


async def test_dropped_factors_leave_the_account_to_the_link_only(org: Tenant) -> None:
    admin, _, _ = await _with_codes(org)
    container, back = org.container, await come_in(org, admin.email)
    token = await container.sign_in.remember_browser(back.signed)
    link = await container.team.reset_by_operator(
        org.org_id, timedelta(), email=admin.email, drops_factors=True
    )
    # The password may be known to others, and the second factor no longer stops them.
    for known_browser in (None, token):
        with pytest.raises(SignInRefused):
            await come_in(org, admin.email, known_browser=known_browser)
    assert await container.sessions.find(back.secret) is None
    await container.sign_in.reset(token_of(link), password=OTHER)
    assert not (await come_in(org, admin.email, OTHER)).signed.needs_second


async def test_another_members_session_is_of_no_use(org: Tenant, other_org: Tenant) -> None:
    admin, secret, _ = await _with_codes(org)
    outsider = await first_admin(other_org)
    back = await come_in(org, admin.email)
    mixed = replace(outsider.signed, session_id=back.signed.session_id)
    with pytest.raises(CodeRefused):
        await org.container.mfa.verify(mixed, _code(org, secret, steps=1))


async def _with_codes(org: Tenant) -> tuple[Joined, str, list[str]]:
    admin = await first_admin(org)
    secret, _ = await org.container.mfa.begin(admin.signed.caller)
    codes, _ = await org.container.mfa.confirm(admin.signed, _code(org, secret))
    return admin, secret, list(codes)


def _code(org: Tenant, secret: str, *, steps: int = 0) -> str:
    """Return the code of an authenticator app now, or this many half minutes later."""
    now = int(org.container.clock.now().timestamp())
    return TOTP(secret).generate_otp(now // 30 + steps)
