"""Passkeys: registered, used, refused."""

from base64 import urlsafe_b64encode
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from os import urandom
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

from landbridge.app.container import Container
from landbridge.customers.team.errors import PasskeyRefused
from landbridge.customers.team.login_rate_limit import LoginRateLimit
from landbridge.customers.team.passkeys import Passkeys
from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.core.ids import new_id
from tests.customers.team.authenticator import Authenticator, challenge_of
from tests.customers.team.people import Joined, first_admin, join
from tests.tenants import Tenant

SITE, NAME = "https://pay.example.com", "pay.example.com"
BROWSER = "what ties a challenge to a browser"


def passkeys_of(container: Container, base_url: str = SITE) -> Passkeys:
    return Passkeys(
        container.database,
        container.clock,
        members=container.team,
        sessions=container.sessions,
        throttle=LoginRateLimit(container.database, container.clock),
        base_url=base_url,
    )


async def test_a_passkey_signs_in_with_both_factors(org: Tenant) -> None:
    admin, device = await _with_passkey(org)
    passkeys = passkeys_of(org.container)
    secret, _ = await org.container.mfa.begin(admin.signed.caller)
    assert secret
    for _ in range(2):
        options = await passkeys.authentication(browser=BROWSER, ip_address=f"host-{new_id()}")
        cookie = await _sign_in(passkeys, device.sign(options, admin.id))
        signed = await org.container.sessions.find(cookie)
        assert signed is not None
        assert (signed.person.id, signed.needs_second) == (admin.id, False)
    (found,) = await passkeys.of(admin.signed.caller)
    assert found.last_used_at is not None
    assert (await org.container.team.sign_in_statuses(org.org_id))[admin.id].passkeys == 1


async def test_a_challenge_is_good_once_and_for_one_browser(org: Tenant) -> None:
    admin, device = await _with_passkey(org)
    passkeys = passkeys_of(org.container)
    options = await passkeys.authentication(browser=BROWSER, ip_address=f"host-{new_id()}")
    assert len(challenge_of(options)) == 64
    with pytest.raises(PasskeyRefused):
        await _sign_in(passkeys, device.sign(options, admin.id), browser="another")
    await _sign_in(passkeys, device.sign(options, admin.id))
    with pytest.raises(PasskeyRefused):
        await _sign_in(passkeys, device.sign(options, admin.id))


async def test_other_sites_other_keys_and_sleeping_owners_are_refused(org: Tenant) -> None:
    admin, device = await _with_passkey(org)
    member = await join(org, admin)
    passkeys = passkeys_of(org.container)
    copied = Authenticator(SITE, NAME, credential_id=device.credential_id)
    for wrong, owner in (
        (_like(device, origin="https://evil.example"), admin.id),
        (_like(device, rp_id="evil.example"), admin.id),
        (_like(device, verifies=False), admin.id),
        (copied, admin.id),
        (device, member.id),
    ):
        options = await passkeys.authentication(browser=BROWSER, ip_address=f"host-{new_id()}")
        with pytest.raises(PasskeyRefused):
            await _sign_in(passkeys, wrong.sign(options, owner))


async def test_a_decreased_counter_is_refused(org: Tenant) -> None:
    admin, device = await _with_passkey(org)
    passkeys = passkeys_of(org.container)
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
    "response",
    [{}, {"id": 1}, {"id": "a", "rawId": "b", "type": "x", "response": {}}, {"id": None}],
)
async def test_an_invented_response_is_refused(org: Tenant, response: dict[str, Any]) -> None:
    with pytest.raises(PasskeyRefused):
        await _sign_in(passkeys_of(org.container), response)
    admin = await first_admin(org)
    with pytest.raises(PasskeyRefused):
        await passkeys_of(org.container).register(
            admin.signed.caller, response, name="Phone number", browser=BROWSER
        )


async def test_nested_client_data_are_refused(org: Tenant) -> None:
    nested = b'{"type":"webauthn.get","challenge":' + b"[" * 3_000 + b"]" * 3_000 + b"}"
    client_data = urlsafe_b64encode(nested).decode()
    response = {"clientDataJSON": client_data, "authenticatorData": "", "signature": ""}
    answer = {"id": "YQ", "rawId": "YQ", "type": "public-key", "response": response}
    with pytest.raises(PasskeyRefused):
        await _sign_in(passkeys_of(org.container), answer)


async def test_a_public_key_of_the_wrong_type_is_refused(org: Tenant) -> None:
    admin, passkeys = await first_admin(org), passkeys_of(org.container)
    options = await passkeys.registration(admin.signed.caller, browser=BROWSER)
    device = Authenticator(SITE, NAME)
    answer = device.make(options, public_key=[])
    with pytest.raises(PasskeyRefused):
        await passkeys.register(admin.signed.caller, answer, name="Phone number", browser=BROWSER)


async def test_a_credential_id_longer_than_the_standard_allows_is_refused(org: Tenant) -> None:
    admin, passkeys = await first_admin(org), passkeys_of(org.container)
    for length, is_accepted in ((1023, True), (1024, False), (5000, False)):
        device = Authenticator(SITE, NAME, credential_id=urandom(length))
        options = await passkeys.registration(admin.signed.caller, browser=BROWSER)
        registration = passkeys.register(
            admin.signed.caller, device.make(options), name="Phone number", browser=BROWSER
        )
        with nullcontext() if is_accepted else pytest.raises(PasskeyRefused):
            await registration


# DER of a certificate: its version, the type of its public key, and that key's curve.
@pytest.mark.parametrize(
    ("original", "invalid"),
    [
        ("a003020102", "a003020104"),
        ("2a8648ce3d0201", "2a8648ce3d0209"),
        ("2a8648ce3d030107", "2a8648ce3d030177"),
    ],
)
async def test_an_unknown_kind_of_certificate_is_refused(
    org: Tenant, original: str, invalid: str
) -> None:
    admin, passkeys = await first_admin(org), passkeys_of(org.container)
    certificate = _certificate().replace(bytes.fromhex(original), bytes.fromhex(invalid), 1)
    statement = {"alg": -7, "sig": b"signature", "x5c": [certificate]}
    options = await passkeys.registration(admin.signed.caller, browser=BROWSER)
    answer = Authenticator(SITE, NAME).make(options, statement=statement)
    with pytest.raises(PasskeyRefused):
        await passkeys.register(admin.signed.caller, answer, name="Phone number", browser=BROWSER)


async def test_one_changes_only_ones_own(org: Tenant) -> None:
    admin, device = await _with_passkey(org)
    passkeys, member = passkeys_of(org.container), await join(org, admin)
    (found,) = await passkeys.of(admin.signed.caller)
    with pytest.raises(ResourceNotFound):
        await passkeys.remove(member.signed.caller, found.id)
    with pytest.raises(ResourceNotFound):
        await passkeys.rename(member.signed.caller, found.id, "Mine")
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
    member = await join(org, admin)
    device = await _register(org, member)
    await org.container.team.remove(admin.signed.caller, member.id)
    passkeys = passkeys_of(org.container)
    with pytest.raises(PasskeyRefused):
        await _sign_in(
            passkeys,
            device.sign(
                await passkeys.authentication(browser=BROWSER, ip_address=f"host-{new_id()}"),
                member.id,
            ),
        )


def test_they_take_a_name_and_https(container: Container) -> None:
    for site, are_possible in (
        (SITE, True),
        ("http://localhost:8080", True),
        ("http://127.0.0.1:8080", False),
        ("https://192.0.2.1", False),
        ("http://pay.example.com", False),
    ):
        assert passkeys_of(container, site).are_possible is are_possible


async def _with_passkey(org: Tenant) -> tuple[Joined, Authenticator]:
    admin = await first_admin(org)
    return admin, await _register(org, admin)


async def _register(org: Tenant, owner: Joined) -> Authenticator:
    passkeys = passkeys_of(org.container)
    device = Authenticator(SITE, NAME, credential_id=new_id().bytes)
    options = await passkeys.registration(owner.signed.caller, browser=BROWSER)
    await passkeys.register(
        owner.signed.caller, device.make(options), name="Phone number", browser=BROWSER
    )
    return device


async def _sign_in(passkeys: Passkeys, response: dict[str, Any], *, browser: str = BROWSER) -> str:
    return await passkeys.sign_in(
        response, browser=browser, ip_address=f"host-{new_id()}", browser_name="Test"
    )


def _certificate() -> bytes:
    """Return a certificate of a made-up maker of authenticators, as DER."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + timedelta(days=1))
        .sign(key, SHA256())
        .public_bytes(Encoding.DER)
    )


def _like(device: Authenticator, **changes: Any) -> Authenticator:
    created = Authenticator(device.origin, device.rp_id, credential_id=device.credential_id)
    created.__dict__.update(device.__dict__ | changes)
    return created
