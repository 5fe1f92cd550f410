"""Code samples that verify the signature of a delivery."""

from typing import Final

from landbridge.developers.webhooks.schemas import WebhookReply

_PYTHON: Final = '''\
import hashlib

import jwt  # pip install 'pyjwt[crypto]'

keys = jwt.PyJWKClient("%(jwks_url)s")


def is_genuine(authorization: str, body: bytes) -> bool:
    """True: answer 200. False: answer 401. An error: answer 503, and it comes again."""
    token = authorization.removeprefix("Bearer ")
    try:
        key = keys.get_signing_key_from_jwt(token).key
        claims = jwt.decode(
            token,
            key,
            algorithms=["RS256"],
            audience="%(id)s",
            options={"require": ["exp", "aud"]},
        )
    except jwt.InvalidTokenError:
        return False
    return claims.get("bodySha256") == hashlib.sha256(body).hexdigest()
'''


def python_sample(webhook: WebhookReply) -> str:
    """Return the Python sample for this endpoint."""
    return _PYTHON % {"jwks_url": webhook.jwks_url, "id": webhook.id}
