"""Makers of endpoints, over HTTP, and what a receiver would do to a delivery."""

from typing import Any
from uuid import UUID

import jwt

from tests.tenants import Tenant, good

WEBHOOKS = "/v2/webhooks"
URL = "https://hooks.example.com/landbridge"


async def make_webhook(org: Tenant, **changes: Any) -> dict[str, Any]:
    """An endpoint as it was answered when it was made; None leaves a member out."""
    body = {"url": URL, **changes}
    return await org.post(WEBHOOKS, {name: each for name, each in body.items() if each is not None})


async def change_webhook(org: Tenant, webhook: str, **changes: Any) -> dict[str, Any]:
    """An endpoint as it was answered when it was changed."""
    return good(await org.send("PATCH", f"{WEBHOOKS}/{webhook}", changes))


async def sign(
    org: Tenant, webhook: str, body: bytes, *, event_id: str = "evt_1"
) -> dict[str, str]:
    """The headers of a delivery to an endpoint, at this moment."""
    endpoints, clock = org.house.endpoints, org.house.clock
    now = await org.house.orgs.now(org.org_id)
    signer = await endpoints.signer(await endpoints.get(org.org_id, UUID(webhook)), now)
    return signer.headers(event_id=event_id, body=body, at=clock.now())


def token_of(headers: dict[str, str]) -> str:
    """The token in a delivery's headers."""
    scheme, _, token = headers["Authorization"].partition(" ")
    assert scheme == "Bearer"
    return token


def claims_of(token: str, public_pem: str, webhook: str, **options: Any) -> dict[str, Any]:
    """What a token claims; raises what PyJWT does for one that is not good."""
    return jwt.decode(token, public_pem, algorithms=["RS256"], audience=webhook, **options)


def kid_of(token: str) -> str:
    """By which key a token says that it was signed."""
    return jwt.get_unverified_header(token)["kid"]
