"""An attacker who guesses passwords does not delay a browser that the member has used before."""

import pytest

from landbridge.customers.team.errors import SignInRefused, TooManyAttempts
from landbridge.customers.team.login_rate_limit import FREE, AttemptSubject
from tests.customers.team.people import Joined, come_in, first_admin, join, token_of
from tests.tenants import Tenant

OTHER = "another lantern, another bridge"


async def remember(org: Tenant, joined: Joined) -> str:
    return await org.container.sign_in.remember_browser(joined.signed)


async def guess(org: Tenant, email: str, *, known_browser: str | None = None) -> None:
    """Use up the attempts without a delay."""
    for _ in range(FREE[AttemptSubject.ADDRESS]):
        with pytest.raises(SignInRefused):
            await come_in(org, email, OTHER, ip_address="guesser", known_browser=known_browser)


async def test_a_known_browser_does_not_wait_for_a_stranger(still_org: Tenant) -> None:
    org, admin = still_org, await first_admin(still_org)
    token = await remember(org, admin)
    await guess(org, admin.email)
    with pytest.raises(TooManyAttempts):
        await come_in(org, admin.email)
    await come_in(org, admin.email, known_browser=token)
    # The attacker gains no attempts by it.
    with pytest.raises(TooManyAttempts):
        await come_in(org, admin.email, OTHER)


async def test_a_known_browser_guesses_no_more_than_others(still_org: Tenant) -> None:
    org, admin = still_org, await first_admin(still_org)
    token = await remember(org, admin)
    await guess(org, admin.email, known_browser=token)
    with pytest.raises(TooManyAttempts):
        await come_in(org, admin.email, known_browser=token)
    # Only this browser waits.
    await come_in(org, admin.email)


async def test_a_token_is_good_for_one_member(still_org: Tenant) -> None:
    org, admin = still_org, await first_admin(still_org)
    member = await join(org, admin)
    token = await remember(org, admin)
    await guess(org, member.email)
    browser_id, _, proof = token.partition(".")
    for wrong in (token, "", ".", "x", f"{browser_id}.", f"x.{proof}", "\N{SNOWMAN}.\ud800"):
        with pytest.raises(TooManyAttempts):
            await come_in(org, member.email, known_browser=wrong)


async def test_a_token_ends_with_its_password(still_org: Tenant) -> None:
    org, admin = still_org, await first_admin(still_org)
    token = await remember(org, admin)
    link = await org.container.team.reset_by_operator(
        org.org_id, admin.signed.caller.clock_offset, email=admin.email, drops_factors=False
    )
    await org.container.sign_in.reset(token_of(link), password="a third lantern, a third bridge")
    await guess(org, admin.email)
    with pytest.raises(TooManyAttempts):
        await come_in(org, admin.email, known_browser=token)


async def test_an_unknown_address_has_no_known_browser(still_org: Tenant) -> None:
    org, admin = still_org, await first_admin(still_org)
    token = await remember(org, admin)
    email = f"nobody-{org.org_id}@x.test"
    await guess(org, email, known_browser=token)
    with pytest.raises(TooManyAttempts):
        await come_in(org, email, known_browser=token)
