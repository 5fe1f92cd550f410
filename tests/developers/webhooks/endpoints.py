"""Creates endpoints over HTTP, and verifies deliveries as a receiver would."""

from typing import Any
from uuid import UUID

import jwt

from tests.tenants import Tenant, good

WEBHOOKS = "/v2/webhooks"
URL = "https://hooks.example.com/landbridge"


async def make_webhook(org: Tenant, **changes: Any) -> dict[str, Any]:
    """Create an endpoint; return the reply. None omits a member."""
    body = {"url": URL, **changes}
    return await org.post(WEBHOOKS, {name: each for name, each in body.items() if each is not None})


async def change_webhook(org: Tenant, webhook: str, **changes: Any) -> dict[str, Any]:
    """Change an endpoint; return the reply."""
    return good(await org.send("PATCH", f"{WEBHOOKS}/{webhook}", changes))


async def sign(
    org: Tenant, webhook: str, body: bytes, *, event_id: str = "evt_1"
) -> dict[str, str]:
    """Return the headers of a delivery to an endpoint at this time."""
    endpoints, clock = org.container.endpoints, org.container.clock
    now = await org.container.orgs.now(org.org_id)
    signer = await endpoints.signer(await endpoints.get(org.org_id, UUID(webhook)), now)
    return signer.headers(event_id=event_id, body=body, at=clock.now())


def token_of(headers: dict[str, str]) -> str:
    """Return the token in a delivery's headers."""
    scheme, _, token = headers["Authorization"].partition(" ")
    assert scheme == "Bearer"
    return token


def claims_of(token: str, public_pem: str, webhook: str, **options: Any) -> dict[str, Any]:
    """Return the claims of a token; raise PyJWT's error if it is invalid."""
    return jwt.decode(token, public_pem, algorithms=["RS256"], audience=webhook, **options)


def kid_of(token: str) -> str:
    """Return the key id of a token."""
    return jwt.get_unverified_header(token)["kid"]
