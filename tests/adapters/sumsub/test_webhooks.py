"""Webhooks of Sumsub: signed, and never more than a hint at our own applications."""

import hmac
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import msgspec
import pytest

from landbridge.platform.core.ids import new_id
from landbridge.providers.packages.interface import (
    InboundWebhook,
    InboundWebhookNews,
    WebhookInvalid,
)
from landbridge_sumsub.notification import verify_webhook
from tests.adapters.served import recorded
from tests.adapters.sumsub.kit import SumsubWorld, sumsub_world
from tests.adapters.sumsub.simulation import WEBHOOK_SECRET, webhook


@pytest.fixture
async def world() -> AsyncGenerator[SumsubWorld]:
    async with sumsub_world() as found:
        yield found


def inbound(body: bytes, headers: Mapping[str, str]) -> InboundWebhook:
    return InboundWebhook(headers=headers, body=body)


@pytest.mark.parametrize("algorithm", ["sha256", "sha512"])
async def test_a_webhook_names_an_application_of_ours(world: SumsubWorld, algorithm: str) -> None:
    key = new_id()
    signed = inbound(*webhook(str(key), algorithm=algorithm))
    assert await world.adapter().read_webhook(signed) == InboundWebhookNews(keys=(key,))
    # What it says about the result is not read, and nobody is called.
    assert not world.sumsub.calls


@pytest.mark.parametrize(
    "kind", ["applicantPending", "applicantOnHold", "applicantReset", "applicantUnheardOf"]
)
async def test_any_webhook_about_an_applicant_has_it_queried(world: SumsubWorld, kind: str) -> None:
    key = new_id()
    news = await world.adapter().read_webhook(inbound(*webhook(str(key), type=kind)))
    assert news.keys == (key,)


@pytest.mark.parametrize(
    "other",
    [
        "externalUserId",
        "",
        None,
        "copy-4ba4dfa5",
        "{0190a5c1-0000-7000-8000-000000000001}",
        "0190A5C1-0000-7000-8000-000000000001",
    ],
)
async def test_applicants_that_were_made_by_other_means_are_none_of_ours(
    world: SumsubWorld, other: Any
) -> None:
    signed = inbound(*webhook("", externalUserId=other))
    assert (await world.adapter().read_webhook(signed)).keys == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"x-payload-digest": ""},
        {"x-payload-digest": "00" * 32},
        {"x-payload-digest": "ü"},
        {"x-payload-digest-alg": ""},
        {"x-payload-digest-alg": "HMAC_SHA512_HEX"},
        {"x-payload-digest-alg": "HMAC_SHA1_HEX"},
        {"x-payload-digest-alg": "none"},
    ],
)
async def test_what_is_not_signed_is_refused(world: SumsubWorld, changes: dict[str, str]) -> None:
    body, headers = webhook(str(new_id()))
    with pytest.raises(WebhookInvalid):
        await world.adapter().read_webhook(inbound(body, {**headers, **changes}))


async def test_the_older_algorithm_is_refused_also_with_its_digest(world: SumsubWorld) -> None:
    with pytest.raises(WebhookInvalid):
        await world.adapter().read_webhook(inbound(*webhook(str(new_id()), algorithm="sha1")))


async def test_another_body_or_secret_is_refused(world: SumsubWorld) -> None:
    body, headers = webhook(str(new_id()))
    with pytest.raises(WebhookInvalid):
        await world.adapter().read_webhook(inbound(body + b" ", headers))
    with pytest.raises(WebhookInvalid):
        await world.adapter().read_webhook(inbound(*webhook(str(new_id()), secret="another one")))


async def test_without_a_secret_every_webhook_is_refused() -> None:
    for secret in ("", WEBHOOK_SECRET):
        with pytest.raises(WebhookInvalid):
            verify_webhook(inbound(*webhook(str(new_id()), secret=secret)), None)


async def test_a_signed_body_that_is_no_event_can_not_be_read(world: SumsubWorld) -> None:
    for body in (b"", b"[]", b'{"externalUserId": 7}', b"\xff"):
        digest = hmac.digest(WEBHOOK_SECRET.encode(), body, "sha256").hex()
        headers = {"x-payload-digest": digest, "x-payload-digest-alg": "HMAC_SHA256_HEX"}
        with pytest.raises((msgspec.MsgspecError, UnicodeDecodeError)):
            await world.adapter().read_webhook(inbound(body, headers))


def test_the_documented_headers_and_members_are_read() -> None:
    example = recorded("sumsub", "webhook.json")
    for algorithm in ("sha256", "sha512"):
        body, headers = webhook("externalUserId", algorithm=algorithm)
        assert {name.lower() for name in example["headers"]} == set(headers)
        assert headers["x-payload-digest-alg"] in example["algorithms"]
        made = msgspec.json.decode(body)
        assert set(made) - {"createdAtMs"} <= set(example["body"])
        assert made["externalUserId"] == example["body"]["externalUserId"]
