"""Keys and secrets follow each other, and a receiver always finds the one that it needs."""

import json
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import jwt
import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from landbridge.core.errors import ResourceNotFound
from landbridge.webhooks.model import KEYS_MAX
from landbridge.webhooks.signing import TOKEN_LIFE
from tests.tenants import Tenant, good, refusal
from tests.webhooks.endpoints import WEBHOOKS, claims_of, kid_of, make_webhook, sign, token_of

BODY = json.dumps({"eventId": "evt_1"}).encode()
HOUR_S = 3600
DAY_S = 24 * HOUR_S


async def test_what_is_delivered_verifies_with_the_key_that_is_shown(org: Tenant) -> None:
    made = await make_webhook(org, standardWebhooks=True)
    headers = await sign(org, made["id"], BODY)
    token = token_of(headers)
    claims = claims_of(token, made["publicKey"], made["id"], issuer="http://landbridge.test")
    assert claims["sub"] == str(org.org_id)
    assert kid_of(token) == made["publicKeys"][0]["kid"]
    Webhook(made["secret"]).verify(BODY, headers)
    plain = await make_webhook(org)
    assert list(await sign(org, plain["id"], BODY)) == ["Authorization"]


async def test_the_key_set_is_public_and_may_be_kept_for_five_minutes(org: Tenant) -> None:
    made = await make_webhook(org)
    answer = await org.client.get(f"{WEBHOOKS}/{made['id']}/jwks.json")
    assert answer.headers["cache-control"] == "max-age=300, public"
    assert answer.headers["content-type"].startswith("application/json")
    (key,) = good(answer)["keys"]
    assert {name: key[name] for name in ("kty", "use", "alg", "kid", "e")} == {
        "kty": "RSA",
        "use": "sig",
        "alg": "RS256",
        "kid": made["publicKeys"][0]["kid"],
        "e": "AQAB",
    }
    token = token_of(await sign(org, made["id"], BODY))
    assert await verified(org, made["id"], token)


async def test_a_new_key_is_shown_before_it_signs_and_the_old_one_after(org: Tenant) -> None:
    made = await make_webhook(org)
    rotated = await rotate(org, made["id"])
    old, new = rotated["publicKeys"]
    assert rotated["publicKey"] == old["publicKey"] == made["publicKey"]
    assert rotated["updatedAt"] < new["signsFrom"] < old["shownUntil"]
    assert new["shownUntil"] is None
    before = token_of(await sign(org, made["id"], BODY))
    assert kid_of(before) == old["kid"]

    await advance(org, DAY_S)
    after = token_of(await sign(org, made["id"], BODY))
    assert kid_of(after) == new["kid"]
    now = await org.get(f"{WEBHOOKS}/{made['id']}")
    assert now["publicKey"] == new["publicKey"]
    for token in (before, after):
        assert await verified(org, made["id"], token)

    await advance(org, HOUR_S)
    assert await verified(org, made["id"], after)
    assert not await verified(org, made["id"], before)
    assert (await org.get(f"{WEBHOOKS}/{made['id']}"))["publicKeys"] == [new]


async def test_without_an_overlap_the_new_key_signs_at_once(org: Tenant) -> None:
    made = await make_webhook(org, standardWebhooks=True)
    before = token_of(await sign(org, made["id"], BODY))
    rotated = await rotate(org, made["id"], overlapSeconds=0)
    old, new = rotated["publicKeys"]
    assert rotated["publicKey"] == new["publicKey"]
    headers = await sign(org, made["id"], BODY)
    assert kid_of(token_of(headers)) == new["kid"] != old["kid"]
    for token in (before, token_of(headers)):
        assert await verified(org, made["id"], token)
    # What leaked is shown for no longer than what it has signed is good for.
    assert shown_for(rotated, old) == TOKEN_LIFE
    await advance(org, TOKEN_LIFE // timedelta(seconds=1))
    assert not await verified(org, made["id"], before)
    assert await verified(org, made["id"], token_of(headers))
    Webhook(rotated["secret"]).verify(BODY, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(made["secret"]).verify(BODY, headers)


async def test_without_an_overlap_what_was_rotated_before_goes_as_well(org: Tenant) -> None:
    made = await make_webhook(org)
    await rotate(org, made["id"], overlapSeconds=60)
    await advance(org, 60)
    rotated = await rotate(org, made["id"], overlapSeconds=0)
    assert len(rotated["publicKeys"]) == 3
    assert [shown_for(rotated, each) for each in rotated["publicKeys"][:2]] == [TOKEN_LIFE] * 2
    # Nor does anything lengthen that.
    again = await rotate(org, made["id"], overlapSeconds=HOUR_S)
    assert again["publicKeys"][:2] == rotated["publicKeys"][:2]


async def test_both_secrets_are_good_during_the_overlap(org: Tenant) -> None:
    made = await make_webhook(org, standardWebhooks=True)
    rotated = await rotate(org, made["id"], overlapSeconds=HOUR_S)
    during = await sign(org, made["id"], BODY)
    for secret in (made["secret"], rotated["secret"]):
        Webhook(secret).verify(BODY, during)
    await advance(org, HOUR_S)
    after = await sign(org, made["id"], BODY)
    Webhook(rotated["secret"]).verify(BODY, after)
    with pytest.raises(WebhookVerificationError):
        Webhook(made["secret"]).verify(BODY, after)


async def test_a_rotation_that_is_under_way_begins_anew(org: Tenant) -> None:
    made = await make_webhook(org, standardWebhooks=True)
    first = await rotate(org, made["id"], overlapSeconds=HOUR_S)
    second = await rotate(org, made["id"], overlapSeconds=2 * HOUR_S)
    old, new = second["publicKeys"]
    assert old["kid"] == made["publicKeys"][0]["kid"]
    # It signs for longer than the first rotation would have had it shown.
    assert shown_for(second, old) == timedelta(hours=3)
    assert new["kid"] != first["publicKeys"][1]["kid"]
    await advance(org, HOUR_S)
    headers = await sign(org, made["id"], BODY)
    assert kid_of(token_of(headers)) == old["kid"]
    # Who never heard the answer to the first attempt is still served by the secret of before.
    for secret in (made["secret"], second["secret"]):
        Webhook(secret).verify(BODY, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(first["secret"]).verify(BODY, headers)


async def test_a_signer_says_until_when_it_is_good(org: Tenant) -> None:
    made = await make_webhook(org, standardWebhooks=True)
    assert (await signer_of(org, made["id"])).good_until is None
    rotated = await rotate(org, made["id"], overlapSeconds=HOUR_S)
    found = await signer_of(org, made["id"])
    assert found.good_until is not None
    assert (
        found.good_until.isoformat(timespec="microseconds") == rotated["publicKeys"][1]["signsFrom"]
    )
    await advance(org, HOUR_S)
    assert (await signer_of(org, made["id"])).good_until is None


async def test_a_deleted_endpoint_has_no_signer(org: Tenant) -> None:
    made = await make_webhook(org)
    endpoint = await org.house.endpoints.get(org.org_id, UUID(made["id"]))
    good(await org.send("DELETE", f"{WEBHOOKS}/{made['id']}"))
    with pytest.raises(ResourceNotFound):
        await org.house.endpoints.signer(endpoint, org.house.clock.now())


async def test_keys_that_are_shown_still_are_bounded(org: Tenant) -> None:
    made = await make_webhook(org)
    for _ in range(KEYS_MAX - 1):
        await rotate(org, made["id"], overlapSeconds=0)
    path = f"{WEBHOOKS}/{made['id']}/rotate"
    answer = await org.send("POST", path, {"overlapSeconds": 0})
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    await advance(org, HOUR_S)
    rotated = await rotate(org, made["id"], overlapSeconds=0)
    assert len(rotated["publicKeys"]) == 2
    kept = "select count(*) from webhook_keys where org_id = $1"
    (row,) = await org.house.database.rows(kept, org.org_id)
    assert row["count"] == 2


@pytest.mark.parametrize("overlap", [-1, 604_801, "1h", 0.5], ids=str)
async def test_an_overlap_is_a_week_at_most(org: Tenant, overlap: Any) -> None:
    made = await make_webhook(org)
    path = f"{WEBHOOKS}/{made['id']}/rotate"
    refused = await org.refused("POST", path, {"overlapSeconds": overlap})
    assert refused == "400 FIELD_VALIDATION_ERROR"


async def test_private_keys_and_secrets_are_sealed_at_rest(org: Tenant) -> None:
    made = await make_webhook(org, standardWebhooks=True)
    await rotate(org, made["id"])
    rows = await org.house.database.rows(
        "select sealed_secret, sealed_secret_before, k.sealed_private_key from webhook_endpoints e"
        " join webhook_keys k on k.org_id = e.org_id and k.endpoint_id = e.id where e.org_id = $1",
        org.org_id,
    )
    assert len(rows) == 2
    for row in rows:
        for column in ("sealed_secret", "sealed_secret_before", "sealed_private_key"):
            # Version, key, nonce; a key in DER would begin as a sequence does.
            assert row[column][:1] == b"\x01"
            assert b"*\x86H\x86\xf7\r\x01\x01\x01" not in row[column]


async def rotate(org: Tenant, webhook: str, **body: int) -> dict[str, Any]:
    """An endpoint as it was answered when its keys were rotated."""
    return await org.post(f"{WEBHOOKS}/{webhook}/rotate", body or None)


def shown_for(rotated: Any, key: Any) -> timedelta:
    """For how long after a rotation a key is shown."""
    return datetime.fromisoformat(key["shownUntil"]) - datetime.fromisoformat(rotated["updatedAt"])


async def advance(org: Tenant, seconds: int) -> None:
    """Let the organisation's time pass."""
    await org.post("/v2/sandbox/clock/advance", {"seconds": seconds})


async def signer_of(org: Tenant, webhook: str) -> Any:
    """What signs at this moment."""
    endpoint = await org.house.endpoints.get(org.org_id, UUID(webhook))
    return await org.house.endpoints.signer(endpoint, await org.house.orgs.now(org.org_id))


async def verified(org: Tenant, webhook: str, token: str) -> bool:
    """Whether a receiver that looks keys up at the endpoint's address takes a token."""
    found = jwt.PyJWKSet.from_dict(good(await org.client.get(f"{WEBHOOKS}/{webhook}/jwks.json")))
    key = next((each for each in found.keys if each.key_id == kid_of(token)), None)
    if key is None:
        return False
    return bool(jwt.decode(token, key, algorithms=["RS256"], audience=webhook))
