"""Delays after failed logins: whom they affect, and whom they must not."""

from datetime import timedelta

import pytest

from landbridge.app.container import Container
from landbridge.customers.team.errors import SignInRefused, TooManyAttempts
from landbridge.customers.team.login_rate_limit import (
    FREE,
    AttemptSubject,
    LoginRateLimit,
    network_of,
)
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.ids import new_id
from tests.customers.team.people import come_in, first_admin
from tests.customers.team.test_passkeys import passkeys_of
from tests.tenants import Tenant

OTHER = "another lantern, another bridge"


async def test_an_office_that_mistypes_now_and_then_never_waits(container: Container) -> None:
    clock, office = FrozenClock(container.clock.now()), f"office-{new_id()}"
    throttle = LoginRateLimit(container.database, clock)
    for _ in range(60):
        for is_right in (True, True, False, True, True, True):
            clock.at += timedelta(hours=1)
            await throttle.take(AttemptSubject.NETWORK, office)
            if is_right:
                await throttle.give_back(AttemptSubject.NETWORK, office)
        clock.at += timedelta(hours=18)


async def test_half_of_the_tries_are_forgotten_in_an_hour(container: Container) -> None:
    clock, office = FrozenClock(container.clock.now()), f"office-{new_id()}"
    throttle = LoginRateLimit(container.database, clock)
    for _ in range(FREE[AttemptSubject.NETWORK]):
        await throttle.take(AttemptSubject.NETWORK, office)
    with pytest.raises(TooManyAttempts):
        await throttle.take(AttemptSubject.NETWORK, office)
    clock.at += timedelta(hours=1)
    for _ in range(FREE[AttemptSubject.NETWORK] // 2):
        await throttle.take(AttemptSubject.NETWORK, office)
    with pytest.raises(TooManyAttempts):
        await throttle.take(AttemptSubject.NETWORK, office)


@pytest.mark.parametrize("days", [46, 4_000])
async def test_attempts_of_long_ago_stop_no_sign_in(container: Container, days: int) -> None:
    clock, office = FrozenClock(container.clock.now()), f"office-{new_id()}"
    throttle = LoginRateLimit(container.database, clock)
    await throttle.take(AttemptSubject.NETWORK, office)
    clock.at += timedelta(days=days)
    for _ in range(FREE[AttemptSubject.NETWORK]):
        await throttle.take(AttemptSubject.NETWORK, office)
    with pytest.raises(TooManyAttempts):
        await throttle.take(AttemptSubject.NETWORK, office)


async def test_a_clock_that_was_set_back_locks_nobody_out(container: Container) -> None:
    clock, office = FrozenClock(container.clock.now()), f"office-{new_id()}"
    ahead = LoginRateLimit(container.database, FrozenClock(clock.at + timedelta(days=365)))
    for _ in range(FREE[AttemptSubject.NETWORK]):
        await ahead.take(AttemptSubject.NETWORK, office)
    with pytest.raises(TooManyAttempts):
        await ahead.take(AttemptSubject.NETWORK, office)
    throttle = LoginRateLimit(container.database, clock)
    await throttle.take(AttemptSubject.NETWORK, office)
    # The attempts still count, and decay from now on.
    with pytest.raises(TooManyAttempts):
        await throttle.take(AttemptSubject.NETWORK, office)
    clock.at += timedelta(hours=1)
    await throttle.take(AttemptSubject.NETWORK, office)


async def test_of_two_at_once_none_waits_for_the_other(container: Container) -> None:
    clock, subject = FrozenClock(container.clock.now()), str(new_id())
    throttle = LoginRateLimit(container.database, clock)
    await throttle.take(AttemptSubject.SECOND, subject)
    clock.at -= timedelta(milliseconds=5)
    await throttle.take(AttemptSubject.SECOND, subject)


@pytest.mark.long
async def test_wrong_passwords_stop_no_passkeys_and_no_links(still_org: Tenant) -> None:
    org, admin, host = still_org, await first_admin(still_org), f"host-{new_id()}"
    for at in range(FREE[AttemptSubject.NETWORK]):
        with pytest.raises(SignInRefused):
            await come_in(org, f"{at}-{org.org_id}@x.test", OTHER, ip_address=host)
    with pytest.raises(TooManyAttempts):
        await come_in(org, admin.email, ip_address=host)
    await org.container.sign_in.request_reset(admin.email, ip_address=host)
    throttle = LoginRateLimit(org.container.database, org.container.clock)
    await throttle.take(AttemptSubject.PASSKEY, network_of(host))
    await passkeys_of(org.container).authentication(browser="x", ip_address=host)


async def test_challenges_are_given_out_only_so_fast(still_org: Tenant) -> None:
    passkeys, host = passkeys_of(still_org.container), f"host-{new_id()}"
    for _ in range(FREE[AttemptSubject.CHALLENGE]):
        await passkeys.authentication(browser="x", ip_address=host)
    with pytest.raises(TooManyAttempts):
        await passkeys.authentication(browser="x", ip_address=host)


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        (None, "unknown"),
    ],
)
def test_a_network_of_ipv6_is_one(host: str | None, network: str) -> None:
    assert network_of(host) == network
