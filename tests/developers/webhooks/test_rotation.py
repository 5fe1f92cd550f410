"""Keys and secrets follow each other, and a receiver always finds the one that it needs."""

import json
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import jwt
import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from landbridge.developers.webhooks.model import KEYS_MAX
from landbridge.developers.webhooks.signing import TOKEN_LIFE
from landbridge.platform.core.errors import ResourceNotFound
from tests.developers.webhooks.endpoints import (
    WEBHOOKS,
    claims_of,
    kid_of,
    make_webhook,
    sign,
    token_of,
)
from tests.tenants import Tenant, good, refusal

BODY = json.dumps({"eventId": "evt_1"}).encode()
HOUR_S = 3600
DAY_S = 24 * HOUR_S


async def test_a_delivery_verifies_with_the_published_key(org: Tenant) -> None:
    created = await make_webhook(org, standardWebhooks=True)
    headers = await sign(org, created["id"], BODY)
    token = token_of(headers)
    claims = claims_of(token, created["publicKey"], created["id"], issuer="http://landbridge.test")
    assert claims["sub"] == str(org.org_id)
    assert kid_of(token) == created["publicKeys"][0]["kid"]
    Webhook(created["secret"]).verify(BODY, headers)
    plain = await make_webhook(org)
    assert list(await sign(org, plain["id"], BODY)) == ["Authorization"]


async def test_the_key_set_is_public_and_may_be_kept_for_five_minutes(org: Tenant) -> None:
    created = await make_webhook(org)
    answer = await org.client.get(f"{WEBHOOKS}/{created['id']}/jwks.json")
    assert answer.headers["cache-control"] == "max-age=300, public"
    assert answer.headers["content-type"].startswith("application/json")
    (key,) = good(answer)["keys"]
    assert {name: key[name] for name in ("kty", "use", "alg", "kid", "e")} == {
        "kty": "RSA",
        "use": "sig",
        "alg": "RS256",
        "kid": created["publicKeys"][0]["kid"],
        "e": "AQAB",
    }
    token = token_of(await sign(org, created["id"], BODY))
    assert await verified(org, created["id"], token)


async def test_a_new_key_is_shown_before_it_signs_and_the_old_one_after(org: Tenant) -> None:
    created = await make_webhook(org)
    rotated = await rotate(org, created["id"])
    old, new = rotated["publicKeys"]
    assert rotated["publicKey"] == old["publicKey"] == created["publicKey"]
    assert rotated["updatedAt"] < new["signsFrom"] < old["shownUntil"]
    assert new["shownUntil"] is None
    before = token_of(await sign(org, created["id"], BODY))
    assert kid_of(before) == old["kid"]

    await advance(org, DAY_S)
    after = token_of(await sign(org, created["id"], BODY))
    assert kid_of(after) == new["kid"]
    now = await org.get(f"{WEBHOOKS}/{created['id']}")
    assert now["publicKey"] == new["publicKey"]
    for token in (before, after):
        assert await verified(org, created["id"], token)

    await advance(org, HOUR_S)
    assert await verified(org, created["id"], after)
    assert not await verified(org, created["id"], before)
    assert (await org.get(f"{WEBHOOKS}/{created['id']}"))["publicKeys"] == [new]


async def test_without_an_overlap_the_new_key_signs_at_once(org: Tenant) -> None:
    created = await make_webhook(org, standardWebhooks=True)
    before = token_of(await sign(org, created["id"], BODY))
    rotated = await rotate(org, created["id"], overlapSeconds=0)
    old, new = rotated["publicKeys"]
    assert rotated["publicKey"] == new["publicKey"]
    headers = await sign(org, created["id"], BODY)
    assert kid_of(token_of(headers)) == new["kid"] != old["kid"]
    for token in (before, token_of(headers)):
        assert await verified(org, created["id"], token)
    # A leaked key is published no longer than its signatures are valid.
    assert shown_for(rotated, old) == TOKEN_LIFE
    await advance(org, TOKEN_LIFE // timedelta(seconds=1))
    assert not await verified(org, created["id"], before)
    assert await verified(org, created["id"], token_of(headers))
    Webhook(rotated["secret"]).verify(BODY, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(created["secret"]).verify(BODY, headers)


async def test_rotation_without_overlap_removes_earlier_keys(org: Tenant) -> None:
    created = await make_webhook(org)
    await rotate(org, created["id"], overlapSeconds=60)
    await advance(org, 60)
    rotated = await rotate(org, created["id"], overlapSeconds=0)
    assert len(rotated["publicKeys"]) == 3
    assert [shown_for(rotated, each) for each in rotated["publicKeys"][:2]] == [TOKEN_LIFE] * 2
    # A longer overlap of a later rotation does not lengthen the time a key is shown.
    again = await rotate(org, created["id"], overlapSeconds=HOUR_S)
    assert again["publicKeys"][:2] == rotated["publicKeys"][:2]


async def test_both_secrets_are_good_during_the_overlap(org: Tenant) -> None:
    created = await make_webhook(org, standardWebhooks=True)
    rotated = await rotate(org, created["id"], overlapSeconds=HOUR_S)
    during = await sign(org, created["id"], BODY)
    for secret in (created["secret"], rotated["secret"]):
        Webhook(secret).verify(BODY, during)
    await advance(org, HOUR_S)
    after = await sign(org, created["id"], BODY)
    Webhook(rotated["secret"]).verify(BODY, after)
    with pytest.raises(WebhookVerificationError):
        Webhook(created["secret"]).verify(BODY, after)


async def test_a_rotation_in_progress_starts_over(org: Tenant) -> None:
    created = await make_webhook(org, standardWebhooks=True)
    first = await rotate(org, created["id"], overlapSeconds=HOUR_S)
    second = await rotate(org, created["id"], overlapSeconds=2 * HOUR_S)
    old, new = second["publicKeys"]
    assert old["kid"] == created["publicKeys"][0]["kid"]
    # The old key signs for longer than the first rotation would have shown it.
    assert shown_for(second, old) == timedelta(hours=3)
    assert new["kid"] != first["publicKeys"][1]["kid"]
    await advance(org, HOUR_S)
    headers = await sign(org, created["id"], BODY)
    assert kid_of(token_of(headers)) == old["kid"]
    # A client that lost the first response is still served with the previous secret, and so is a
    # receiver that was given the first one.
    for secret in (created["secret"], first["secret"], second["secret"]):
        Webhook(secret).verify(BODY, headers)
    await advance(org, HOUR_S)
    after = await sign(org, created["id"], BODY)
    Webhook(second["secret"]).verify(BODY, after)
    for secret in (created["secret"], first["secret"]):
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(BODY, after)


async def test_secrets_of_repeated_rotations_are_bounded(org: Tenant) -> None:
    """A daily rotation with the overlap of a day may begin a moment before the last one ends."""
    created = await make_webhook(org, standardWebhooks=True)
    secrets = [created["secret"]]
    for _ in range(KEYS_MAX):
        secrets.append((await rotate(org, created["id"], overlapSeconds=DAY_S))["secret"])
        await advance(org, DAY_S - 1)
    headers = await sign(org, created["id"], BODY)
    for secret in secrets[1:]:
        Webhook(secret).verify(BODY, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(created["secret"]).verify(BODY, headers)


async def test_a_signer_has_an_expiry(org: Tenant) -> None:
    created = await make_webhook(org, standardWebhooks=True)
    assert (await signer_of(org, created["id"])).good_until is None
    rotated = await rotate(org, created["id"], overlapSeconds=HOUR_S)
    found = await signer_of(org, created["id"])
    assert found.good_until is not None
    assert (
        found.good_until.isoformat(timespec="microseconds") == rotated["publicKeys"][1]["signsFrom"]
    )
    await advance(org, HOUR_S)
    assert (await signer_of(org, created["id"])).good_until is None


async def test_a_deleted_endpoint_has_no_signer(org: Tenant) -> None:
    created = await make_webhook(org)
    endpoint = await org.container.endpoints.get(org.org_id, UUID(created["id"]))
    good(await org.send("DELETE", f"{WEBHOOKS}/{created['id']}"))
    with pytest.raises(ResourceNotFound):
        await org.container.endpoints.signer(endpoint, org.container.clock.now())


async def test_keys_that_are_shown_still_are_bounded(org: Tenant) -> None:
    created = await make_webhook(org)
    for _ in range(KEYS_MAX - 1):
        await rotate(org, created["id"], overlapSeconds=0)
    path = f"{WEBHOOKS}/{created['id']}/rotate"
    answer = await org.send("POST", path, {"overlapSeconds": 0})
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    await advance(org, HOUR_S)
    rotated = await rotate(org, created["id"], overlapSeconds=0)
    assert len(rotated["publicKeys"]) == 2
    key_count = "select count(*) from webhook_keys where org_id = $1"
    (row,) = await org.container.database.rows(key_count, org.org_id)
    assert row["count"] == 2


@pytest.mark.parametrize("overlap", [-1, 604_801, "1h", 0.5], ids=str)
async def test_an_overlap_is_a_week_at_most(org: Tenant, overlap: Any) -> None:
    created = await make_webhook(org)
    path = f"{WEBHOOKS}/{created['id']}/rotate"
    refused = await org.refused("POST", path, {"overlapSeconds": overlap})
    assert refused == "400 FIELD_VALIDATION_ERROR"


async def test_private_keys_and_secrets_are_sealed_at_rest(org: Tenant) -> None:
    created = await make_webhook(org, standardWebhooks=True)
    await rotate(org, created["id"])
    rows = await org.container.database.rows(
        "select sealed_secret, sealed_previous_secret, k.sealed_private_key"
        " from webhook_endpoints e"
        " join webhook_keys k on k.org_id = e.org_id and k.endpoint_id = e.id where e.org_id = $1",
        org.org_id,
    )
    assert len(rows) == 2
    for row in rows:
        for column in ("sealed_secret", "sealed_previous_secret", "sealed_private_key"):
            # Version, key, nonce; a key in DER would begin as a sequence does.
            assert row[column][:1] == b"\x01"
            assert b"*\x86H\x86\xf7\r\x01\x01\x01" not in row[column]


async def rotate(org: Tenant, webhook: str, **body: int) -> dict[str, Any]:
    """Rotate the keys of an endpoint; return the reply."""
    return await org.post(f"{WEBHOOKS}/{webhook}/rotate", body or None)


def shown_for(rotated: Any, key: Any) -> timedelta:
    """Return how long a key is published after a rotation."""
    return datetime.fromisoformat(key["shownUntil"]) - datetime.fromisoformat(rotated["updatedAt"])


async def advance(org: Tenant, seconds: int) -> None:
    """Let the organisation's time pass."""
    await org.post("/v2/sandbox/clock/advance", {"seconds": seconds})


async def signer_of(org: Tenant, webhook: str) -> Any:
    """Return the current signer."""
    endpoint = await org.container.endpoints.get(org.org_id, UUID(webhook))
    return await org.container.endpoints.signer(endpoint, await org.container.orgs.now(org.org_id))


async def verified(org: Tenant, webhook: str, token: str) -> bool:
    """Return whether a receiver that reads keys from the endpoint's address accepts a token."""
    found = jwt.PyJWKSet.from_dict(good(await org.client.get(f"{WEBHOOKS}/{webhook}/jwks.json")))
    key = next((each for each in found.keys if each.key_id == kid_of(token)), None)
    if key is None:
        return False
    return bool(jwt.decode(token, key, algorithms=["RS256"], audience=webhook))
