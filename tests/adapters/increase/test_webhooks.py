"""Webhooks of Increase: signed, new, and never more than a hint at our own records."""

import base64
import hmac
import json
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from standardwebhooks import Webhook

from landbridge.providers.packages.http_client import NoAnswer
from landbridge.providers.packages.interface import (
    InboundWebhook,
    InboundWebhookNews,
    WebhookInvalid,
)
from landbridge_increase.notification import verify_webhook
from tests.adapters.increase.kit import DEPOSITS, IncreaseWorld, increase_world, order
from tests.adapters.increase.simulation import SECRET
from tests.adapters.served import recorded

NOW = datetime.now(UTC)


@pytest.fixture
async def world() -> AsyncGenerator[IncreaseWorld]:
    async with increase_world() as found:
        yield found


def event(kind: str, identifier: str) -> bytes:
    """Return the body of an event. Source: https://increase.com/documentation/webhooks."""
    return json.dumps(
        {
            "id": "event_1",
            "type": "event",
            "category": f"{kind}.updated",
            "associated_object_type": kind,
            "associated_object_id": identifier,
            "created_at": "2026-11-01T00:00:00Z",
        }
    ).encode()


def standard(body: bytes, *, secret: str = SECRET, at: datetime | None = None) -> InboundWebhook:
    """Sign with the library of Standard Webhooks, as Increase's own libraries verify."""
    signed_at = at or datetime.now(UTC)
    key = Webhook("whsec_" + base64.b64encode(secret.encode()).decode())
    headers = {
        "webhook-id": "event_1",
        "webhook-timestamp": str(int(signed_at.timestamp())),
        "webhook-signature": key.sign("event_1", signed_at, body.decode()),
    }
    return InboundWebhook(headers=headers, body=body)


def older(body: bytes, *, secret: str = SECRET, at: datetime | None = None) -> InboundWebhook:
    """Sign as `Increase-Webhook-Signature` is."""
    moment = (at or datetime.now(UTC)).isoformat()
    signature = hmac.digest(secret.encode(), f"{moment}.".encode() + body, "sha256").hex()
    return InboundWebhook(
        headers={"increase-webhook-signature": f"t={moment},v1={signature}"}, body=body
    )


SIGNERS = [standard, older]


@pytest.mark.parametrize("sign", SIGNERS)
@pytest.mark.parametrize("rail", ["ach", "wire", "rtp"])
async def test_an_event_names_our_payout(world: IncreaseWorld, sign: Any, rail: str) -> None:
    request = order(rail)
    await world.adapter().pay(request)
    transfer = world.increase.only()
    webhook = sign(event(transfer["type"], transfer["id"]))
    # Late, doubled or replayed ones say the same.
    for _ in range(3):
        assert await world.adapter().read_webhook(webhook) == InboundWebhookNews(
            keys=(request.key,)
        )
    assert world.increase.calls["create"] == 1


async def test_payouts_that_were_made_by_other_means_are_none_of_ours(
    world: IncreaseWorld,
) -> None:
    await world.adapter().pay(order())
    transfer = world.increase.only()
    for key in (None, "INVOICE-29"):
        transfer["idempotency_key"] = key
        webhook = standard(event(transfer["type"], transfer["id"]))
        assert await world.adapter().read_webhook(webhook) == InboundWebhookNews()
    unknown = standard(event("ach_transfer", "ach_transfer_unknown"))
    assert await world.adapter().read_webhook(unknown) == InboundWebhookNews()


@pytest.mark.parametrize(
    ("kind", "is_deposit"),
    [
        ("transaction", True),
        ("inbound_ach_transfer", True),
        ("inbound_wire_transfer", True),
        ("card_payment", False),
        ("group", False),
    ],
)
async def test_deposits_are_announced(world: IncreaseWorld, kind: str, *, is_deposit: bool) -> None:
    webhook = standard(event(kind, "an_object_1"))
    news = await world.adapter(deposits=DEPOSITS).read_webhook(webhook)
    assert news == InboundWebhookNews(credits=is_deposit)
    assert await world.adapter().read_webhook(webhook) == InboundWebhookNews()


@pytest.mark.parametrize("sign", SIGNERS)
@pytest.mark.parametrize("seconds", [-301, 301, 10**6])
async def test_what_is_not_new_is_refused(world: IncreaseWorld, sign: Any, seconds: int) -> None:
    body = event("transaction", "transaction_1")
    at = datetime.now(UTC) + timedelta(seconds=seconds)
    with pytest.raises(WebhookInvalid):
        await world.adapter().read_webhook(sign(body, at=at))
    near = datetime.now(UTC) - timedelta(seconds=200)
    await world.adapter().read_webhook(sign(body, at=near))


@pytest.mark.parametrize("sign", SIGNERS)
async def test_another_secret_or_body_is_refused(world: IncreaseWorld, sign: Any) -> None:
    body = event("ach_transfer", "ach_transfer_1")
    signed = sign(body)
    for webhook in (
        sign(body, secret="another-webhook-secret"),
        InboundWebhook(headers=signed.headers, body=body + b" "),
        InboundWebhook(headers={}, body=body),
    ):
        with pytest.raises(WebhookInvalid):
            await world.adapter().read_webhook(webhook)
    assert world.increase.calls.total() == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("webhook-id", ""),
        ("webhook-id", "event_2"),
        ("webhook-timestamp", ""),
        ("webhook-timestamp", "soon"),
        ("webhook-timestamp", "9" * 30),
        ("webhook-timestamp", "9" * 17),
        ("webhook-timestamp", "\u0661"),
        ("webhook-signature", ""),
        ("webhook-signature", "v1,"),
        ("webhook-signature", "v1,not base64!"),
        ("webhook-signature", "v1"),
        ("webhook-signature", "v2,AAAA"),
        ("increase-webhook-signature", "t=2026-11-01T00:00:00,v1=00"),
        ("increase-webhook-signature", "t=soon,v1=00"),
        ("increase-webhook-signature", "v1=zz"),
    ],
)
async def test_malformed_signatures_are_refused(
    world: IncreaseWorld, name: str, value: str
) -> None:
    webhook = standard(event("transaction", "transaction_1"))
    headers = {**webhook.headers, name: value}
    if name == "increase-webhook-signature":
        headers = {name: value}
    with pytest.raises(WebhookInvalid):
        await world.adapter().read_webhook(InboundWebhook(headers=headers, body=webhook.body))


async def test_one_of_several_signatures_is_enough(world: IncreaseWorld) -> None:
    webhook = standard(event("group", "group_1"))
    signature = webhook.headers["webhook-signature"]
    headers = {**webhook.headers, "webhook-signature": f"v1a,AA== v1,AAAA {signature}"}
    changed = InboundWebhook(headers=headers, body=webhook.body)
    assert await world.adapter().read_webhook(changed) == InboundWebhookNews()


async def test_without_a_secret_every_webhook_is_refused(world: IncreaseWorld) -> None:
    settings = world.adapter()
    settings._settings = msgspec.structs.replace(settings._settings, webhook_secret=None)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(WebhookInvalid):
        await settings.read_webhook(standard(event("group", "group_1")))


async def test_a_transfer_that_cannot_be_looked_up_is_announced_again(
    world: IncreaseWorld,
) -> None:
    await world.adapter().pay(order())
    transfer = world.increase.only()
    world.increase.broken.add("get")
    with pytest.raises(NoAnswer):
        await world.adapter().read_webhook(standard(event(transfer["type"], transfer["id"])))


def test_the_documented_signature_is_valid() -> None:
    example = recorded("increase", "older_webhook.json")
    headers = {name.lower(): value for name, value in example["headers"].items()}
    webhook = InboundWebhook(headers=headers, body=example["body"].encode())
    verify_webhook(webhook, example["secret"], datetime(2022, 1, 31, 23, 59, 59, tzinfo=UTC))
    with pytest.raises(WebhookInvalid):
        verify_webhook(webhook, example["secret"], datetime(2022, 2, 1, 0, 5, tzinfo=UTC))
