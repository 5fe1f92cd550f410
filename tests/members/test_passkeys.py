"""Passkeys: made, used, refused."""

from typing import Any

import pytest

from landbridge.core.errors import ResourceNotFound
from landbridge.core.ids import new_id
from landbridge.members.errors import PasskeyRefused
from landbridge.members.passkeys import Passkeys
from landbridge.members.throttle import Throttle
from landbridge.wiring import House
from tests.members.authenticator import Authenticator, challenge_of
from tests.members.people import Joined, first_admin, join
from tests.tenants import Tenant

SITE, NAME = "https://pay.example.com", "pay.example.com"
BROWSER = "what ties a challenge to a browser"


def passkeys_of(house: House, base_url: str = SITE) -> Passkeys:
    return Passkeys(
        house.database,
        house.clock,
        members=house.members,
        sessions=house.sessions,
        throttle=Throttle(house.database, house.clock),
        base_url=base_url,
    )


async def test_a_passkey_signs_in_with_both_factors(org: Tenant) -> None:
    admin, device = await _with_passkey(org)
    passkeys = passkeys_of(org.house)
    secret, _ = await org.house.second_factors.begin(admin.signed.caller)
    assert secret
    for _ in range(2):
        options = await passkeys.authentication(browser=BROWSER, ip_address=f"host-{new_id()}")
        cookie = await _sign_in(passkeys, device.sign(options, admin.id))
        signed = await org.house.sessions.find(cookie)
        assert signed is not None
        assert (signed.person.id, signed.needs_second) == (admin.id, False)
    (found,) = await passkeys.of(admin.signed.caller)
    assert found.last_used_at is not None
    assert (await org.house.members.standings(org.org_id))[admin.id].passkeys == 1


async def test_a_challenge_is_good_once_and_for_one_browser(org: Tenant) -> None:
    admin, device = await _with_passkey(org)
    passkeys = passkeys_of(org.house)
    options = await passkeys.authentication(browser=BROWSER, ip_address=f"host-{new_id()}")
    assert len(challenge_of(options)) == 64
    with pytest.raises(PasskeyRefused):
        await _sign_in(passkeys, device.sign(options, admin.id), browser="another")
    await _sign_in(passkeys, device.sign(options, admin.id))
    with pytest.raises(PasskeyRefused):
        await _sign_in(passkeys, device.sign(options, admin.id))


async def test_other_sites_other_keys_and_sleeping_owners_are_refused(org: Tenant) -> None:
    admin, device = await _with_passkey(org)
    somebody = await join(org, admin)
    passkeys = passkeys_of(org.house)
    copied = Authenticator(SITE, NAME, credential_id=device.credential_id)
    for wrong, owner in (
        (_like(device, origin="https://evil.example"), admin.id),
        (_like(device, rp_id="evil.example"), admin.id),
        (_like(device, verifies=False), admin.id),
        (copied, admin.id),
        (device, somebody.id),
    ):
        options = await passkeys.authentication(browser=BROWSER, ip_address=f"host-{new_id()}")
        with pytest.raises(PasskeyRefused):
            await _sign_in(passkeys, wrong.sign(options, owner))


async def test_a_counter_that_goes_back_is_refused(org: Tenant) -> None:
    admin, device = await _with_passkey(org)
    passkeys = passkeys_of(org.house)
    await _sign_in(
        passkeys,
        device.sign(
            await passkeys.authentication(browser=BROWSER, ip_address=f"host-{new_id()}"), admin.id
        ),
    )
    device.count -= 1
    with pytest.raises(PasskeyRefused):
        await _sign_in(
            passkeys,
            device.sign(
                await passkeys.authentication(browser=BROWSER, ip_address=f"host-{new_id()}"),
                admin.id,
            ),
        )


@pytest.mark.parametrize(
    "told", [{}, {"id": 1}, {"id": "a", "rawId": "b", "type": "x", "response": {}}, {"id": None}]
)
async def test_what_somebody_made_up_is_refused(org: Tenant, told: dict[str, Any]) -> None:
    with pytest.raises(PasskeyRefused):
        await _sign_in(passkeys_of(org.house), told)
    admin = await first_admin(org)
    with pytest.raises(PasskeyRefused):
        await passkeys_of(org.house).register(
            admin.signed.caller, told, name="Phone", browser=BROWSER
        )


async def test_one_changes_only_ones_own(org: Tenant) -> None:
    admin, device = await _with_passkey(org)
    passkeys, somebody = passkeys_of(org.house), await join(org, admin)
    (found,) = await passkeys.of(admin.signed.caller)
    with pytest.raises(ResourceNotFound):
        await passkeys.remove(somebody.signed.caller, found.id)
    with pytest.raises(ResourceNotFound):
        await passkeys.rename(somebody.signed.caller, found.id, "Mine")
    await passkeys.rename(admin.signed.caller, found.id, "Laptop")
    assert [each.name for each in await passkeys.of(admin.signed.caller)] == ["Laptop"]
    await passkeys.remove(admin.signed.caller, found.id)
    with pytest.raises(PasskeyRefused):
        await _sign_in(
            passkeys,
            device.sign(
                await passkeys.authentication(browser=BROWSER, ip_address=f"host-{new_id()}"),
                admin.id,
            ),
        )


async def test_with_a_removed_member_their_passkeys_go(org: Tenant) -> None:
    admin = await first_admin(org)
    somebody = await join(org, admin)
    device = await _register(org, somebody)
    await org.house.members.remove(admin.signed.caller, somebody.id)
    passkeys = passkeys_of(org.house)
    with pytest.raises(PasskeyRefused):
        await _sign_in(
            passkeys,
            device.sign(
                await passkeys.authentication(browser=BROWSER, ip_address=f"host-{new_id()}"),
                somebody.id,
            ),
        )


def test_they_take_a_name_and_https(house: House) -> None:
    for site, are_possible in (
        (SITE, True),
        ("http://localhost:8080", True),
        ("http://127.0.0.1:8080", False),
        ("https://192.0.2.1", False),
        ("http://pay.example.com", False),
    ):
        assert passkeys_of(house, site).are_possible is are_possible


async def _with_passkey(org: Tenant) -> tuple[Joined, Authenticator]:
    admin = await first_admin(org)
    return admin, await _register(org, admin)


async def _register(org: Tenant, owner: Joined) -> Authenticator:
    passkeys = passkeys_of(org.house)
    device = Authenticator(SITE, NAME, credential_id=new_id().bytes)
    options = await passkeys.registration(owner.signed.caller, browser=BROWSER)
    await passkeys.register(
        owner.signed.caller, device.make(options), name="Phone", browser=BROWSER
    )
    return device


async def _sign_in(passkeys: Passkeys, told: dict[str, Any], *, browser: str = BROWSER) -> str:
    return await passkeys.sign_in(
        told, browser=browser, ip_address=f"host-{new_id()}", browser_name="Test"
    )


def _like(device: Authenticator, **changes: Any) -> Authenticator:
    made = Authenticator(device.origin, device.rp_id, credential_id=device.credential_id)
    made.__dict__.update(device.__dict__ | changes)
    return made
