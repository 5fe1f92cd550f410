"""Notifications of EBANX: signed by the certificate of the settings, and never more than a hint."""

import base64
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID

from landbridge.providers.packages.http_client import NoAnswer
from landbridge.providers.packages.interface import InboundWebhook, WebhookInvalid
from tests.adapters.ebanx.kit import EbanxWorld, ebanx_world, order
from tests.adapters.served import recorded


class Signer:
    """A certificate, and notifications that are signed by its key."""

    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ebanx.example")])
        now = datetime(2026, 1, 1, tzinfo=UTC)
        self.certificate = (
            x509.CertificateBuilder(name, name, self.key.public_key(), 1)
            .not_valid_before(now)
            .not_valid_after(now + timedelta(days=365))
            .sign(self.key, hashes.SHA256())
        )

    @property
    def pem(self) -> str:
        return self.certificate.public_bytes(serialization.Encoding.PEM).decode()

    def notification(self, body: bytes, **changes: str) -> InboundWebhook:
        digest = hashes.SHA1()  # noqa: S303  EBANX's algorithm
        signature = self.key.sign(body, padding.PKCS1v15(), digest)
        headers = {
            "x-signaturetype": "rsa,sha1",
            "x-signaturefingerprint": self.certificate.fingerprint(digest).hex().upper(),
            "x-signaturecontent": base64.b64encode(signature).decode(),
            **{f"x-signature{name}": value for name, value in changes.items()},
        }
        return InboundWebhook(headers=headers, body=body)


@pytest.fixture(scope="module")
def signer() -> Signer:
    return Signer()


@pytest.fixture
async def world() -> AsyncGenerator[EbanxWorld]:
    async with ebanx_world() as found:
        yield found


def body_about(*uids: str) -> bytes:
    return f"operation=payout&hash_codes={','.join(uids)}".encode()


async def test_a_notification_names_payouts_of_ours(world: EbanxWorld, signer: Signer) -> None:
    adapter = world.adapter({"certificate": signer.pem})
    requests = [order(), order()]
    for request in requests:
        await adapter.pay(request)
    uids = [payout.uid for payout in world.ebanx.payouts.values()]
    news = await adapter.read_webhook(signer.notification(body_about(*uids, "0" * 41, uids[0])))
    assert set(news.keys) == {request.key for request in requests}
    assert not news.credits


async def test_payouts_that_were_made_by_other_means_are_none_of_ours(
    world: EbanxWorld, signer: Signer
) -> None:
    adapter = world.adapter({"certificate": signer.pem})
    await adapter.pay(order())
    payout = world.ebanx.only()
    payout.form["external_reference"] = "PAYOUT_EBANX_01"
    assert (await adapter.read_webhook(signer.notification(body_about(payout.uid)))).keys == ()


async def test_a_payout_that_cannot_be_looked_up_is_announced_again(
    world: EbanxWorld, signer: Signer
) -> None:
    adapter = world.adapter({"certificate": signer.pem})
    world.ebanx.broken.add("retrieve")
    with pytest.raises(NoAnswer):
        await adapter.read_webhook(signer.notification(body_about("0" * 41)))


@pytest.mark.parametrize(
    "changes",
    [
        {"content": ""},
        {"content": "AAAA"},
        {"content": "not base64!"},
        {"type": "rsa,sha256"},
        {"type": ""},
        {"fingerprint": "4ABAD89CF66B99998465470550EB15E3E271A246"},
    ],
)
async def test_what_is_not_signed_is_refused(
    world: EbanxWorld, signer: Signer, changes: dict[str, str]
) -> None:
    adapter = world.adapter({"certificate": signer.pem})
    with pytest.raises(WebhookInvalid):
        await adapter.read_webhook(signer.notification(b"hash_codes=", **changes))
    assert world.ebanx.calls.total() == 0


async def test_another_body_or_signer_is_refused(world: EbanxWorld, signer: Signer) -> None:
    adapter, signed = world.adapter({"certificate": signer.pem}), signer.notification(b"a=1")
    with pytest.raises(WebhookInvalid):
        await adapter.read_webhook(InboundWebhook(headers=signed.headers, body=b"a=2"))
    with pytest.raises(WebhookInvalid):
        await adapter.read_webhook(Signer().notification(b"a=1"))


async def test_without_a_certificate_every_notification_is_refused(
    world: EbanxWorld, signer: Signer
) -> None:
    with pytest.raises(WebhookInvalid):
        await world.adapter().read_webhook(signer.notification(b"a=1"))


def test_the_documented_headers_are_read(signer: Signer) -> None:
    example = recorded("ebanx", "notification.json")
    notification = signer.notification(b"")
    assert {name.lower() for name in example["headers"]} == set(notification.headers)
    assert notification.headers["x-signaturetype"] == example["type"]
