"""Slowing down: whom it meets, and whom it must not."""

from datetime import timedelta

import pytest

from landbridge.core.clock import FrozenClock
from landbridge.core.ids import new_id
from landbridge.members.errors import SignInRefused, TooManyTries
from landbridge.members.throttle import FREE, Subject, Throttle, network_of
from landbridge.wiring import House
from tests.members.people import come_in, first_admin
from tests.members.test_passkeys import passkeys_of
from tests.tenants import Tenant

OTHER = "another lantern, another bridge"


async def test_an_office_that_mistypes_now_and_then_never_waits(house: House) -> None:
    clock, office = FrozenClock(house.clock.now()), f"office-{new_id()}"
    throttle = Throttle(house.database, clock)
    for _ in range(60):
        for is_right in (True, True, False, True, True, True):
            clock.at += timedelta(hours=1)
            await throttle.take(Subject.NETWORK, office)
            if is_right:
                await throttle.give_back(Subject.NETWORK, office)
        clock.at += timedelta(hours=18)


async def test_half_of_the_tries_are_forgotten_in_an_hour(house: House) -> None:
    clock, office = FrozenClock(house.clock.now()), f"office-{new_id()}"
    throttle = Throttle(house.database, clock)
    for _ in range(FREE[Subject.NETWORK]):
        await throttle.take(Subject.NETWORK, office)
    with pytest.raises(TooManyTries):
        await throttle.take(Subject.NETWORK, office)
    clock.at += timedelta(hours=1)
    for _ in range(FREE[Subject.NETWORK] // 2):
        await throttle.take(Subject.NETWORK, office)
    with pytest.raises(TooManyTries):
        await throttle.take(Subject.NETWORK, office)


async def test_of_two_at_once_none_waits_for_the_other(house: House) -> None:
    clock, whose = FrozenClock(house.clock.now()), str(new_id())
    throttle = Throttle(house.database, clock)
    await throttle.take(Subject.SECOND, whose)
    clock.at -= timedelta(milliseconds=5)
    await throttle.take(Subject.SECOND, whose)


async def test_wrong_passwords_stop_no_passkeys_and_no_links(still_org: Tenant) -> None:
    org, admin, host = still_org, await first_admin(still_org), f"host-{new_id()}"
    for at in range(FREE[Subject.NETWORK]):
        with pytest.raises(SignInRefused):
            await come_in(org, f"{at}-{org.org_id}@x.test", OTHER, ip_address=host)
    with pytest.raises(TooManyTries):
        await come_in(org, admin.email, ip_address=host)
    await org.house.sign_in.ask_reset(admin.email, ip_address=host)
    throttle = Throttle(org.house.database, org.house.clock)
    await throttle.take(Subject.PASSKEY, network_of(host))
    await passkeys_of(org.house).authentication(browser="x", ip_address=host)


async def test_challenges_are_given_out_only_so_fast(still_org: Tenant) -> None:
    passkeys, host = passkeys_of(still_org.house), f"host-{new_id()}"
    for _ in range(FREE[Subject.CHALLENGE]):
        await passkeys.authentication(browser="x", ip_address=host)
    with pytest.raises(TooManyTries):
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
