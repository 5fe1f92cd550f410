"""Webhooks: verify that a request comes from your installation, and read its event.

    event = webhooks.unwrap(body, headers, endpoint_id=ENDPOINT, keys={kid: pem})

Both kinds of signature are verified where they can be: the token in `Authorization` (RS256, by the
public keys of the endpoint), and Standard Webhooks (HMAC, by its secret). Without a key and without
a secret nothing is accepted.
"""

from __future__ import annotations

import base64
import hmac
import time
from collections import OrderedDict
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Protocol

import jwt
import msgspec

from landbridge_sdk._errors import LandbridgeError
from landbridge_sdk.replies import EVENTS, Envelope, WebhookReply

TOLERANCE_S = 300
# Digits of a Unix time until the year 5138.
_DIGITS_MAX = 11
_SECRET_PREFIX = "whsec_"  # noqa: S105  how every such secret begins


class NotGenuine(LandbridgeError):
    """The request is forged, altered, too old, or for another endpoint.

    Answer 401, which is final. If `is_key_unknown`, read the endpoint's keys again and answer 503:
    the event is sent again.
    """

    def __init__(self, reason: str, *, is_key_unknown: bool = False) -> None:
        self.is_key_unknown = is_key_unknown
        super().__init__(reason)


class AlreadySeen(LandbridgeError):
    """The event was handled before; answer 200 and do nothing."""


class SeenEvents(Protocol):
    """Remembers events; a table with a unique key serves several processes."""

    def add(self, event_id: str) -> bool:
        """Remember an event; return False if it was known."""
        ...


class RecentEvents:
    """Events that this process has handled, the most recent ones.

    Test `event.event_id in recent` before the work, and `add` it after: then an event is
    handled when it is sent again after a failure.
    """

    def __init__(self, size: int = 10_000) -> None:
        self._size = size
        self._ids: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, event_id: object) -> bool:
        """Return whether an event is among them."""
        return event_id in self._ids

    def add(self, event_id: str) -> bool:
        """Remember an event; return False if it was known."""
        if event_id in self._ids:
            return False
        self._ids[event_id] = None
        if len(self._ids) > self._size:
            self._ids.popitem(last=False)
        return True


def keys_of(webhook: WebhookReply) -> dict[str, str]:
    """Return the published keys of an endpoint, PEM by `kid`, for `unwrap`."""
    return {str(each.kid): each.public_key for each in webhook.public_keys}


def unwrap(
    body: bytes,
    headers: Mapping[str, str],
    *,
    endpoint_id: str,
    keys: Mapping[str, str] | None = None,
    secret: str | None = None,
    tolerance_s: float = TOLERANCE_S,
    seen: SeenEvents | None = None,
) -> Any:
    """Return the event of a request: `replies.SwapEvent` and so on, by its `event_type`.

    `body` are the bytes as received. With `keys` the token must be valid; with `secret` the
    signature of Standard Webhooks; with both, both. Raises `NotGenuine`, and `AlreadySeen` for an
    event in `seen`.

    `seen` remembers the event here, before your work. That is right for a table in the transaction
    of the work, which forgets the event if the work fails; otherwise see `RecentEvents`.
    """
    given = {name.lower(): value for name, value in headers.items()}
    if not keys and not secret:
        raise NotGenuine("there is neither a key nor a secret to verify with")
    if keys:
        _verify_token(body, given, endpoint_id, keys, tolerance_s)
    if secret:
        _verify_signature(body, given, secret, tolerance_s)
    event = _event(body)
    if seen is not None and not seen.add(event.event_id):
        raise AlreadySeen(event.event_id)
    return event


def _verify_token(
    body: bytes,
    headers: Mapping[str, str],
    endpoint_id: str,
    keys: Mapping[str, str],
    tolerance_s: float,
) -> None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise NotGenuine("the request has no token")
    try:
        kid = jwt.get_unverified_header(token).get("kid", "")
        if kid not in keys:
            raise NotGenuine(f"key {kid} is unknown", is_key_unknown=True)
        claims = jwt.decode(
            token,
            keys[kid],
            # Never what the token itself names.
            algorithms=["RS256"],
            audience=endpoint_id,
            leeway=tolerance_s,
            options={"require": ["exp", "iat", "aud", "jti"]},
        )
    except jwt.InvalidTokenError as error:
        raise NotGenuine(f"the token is not valid: {error}") from error
    if not hmac.compare_digest(str(claims.get("bodySha256")), sha256(body).hexdigest()):
        raise NotGenuine("the token is for another body")


def _verify_signature(
    body: bytes, headers: Mapping[str, str], secret: str, tolerance_s: float
) -> None:
    """Verify by standardwebhooks.com."""
    message_id, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    is_number = at.isascii() and at.isdigit() and len(at) <= _DIGITS_MAX
    if not is_number or abs(time.time() - int(at)) > tolerance_s:
        raise NotGenuine("the time of the signature is missing, or too far away")
    key = base64.b64decode(secret.removeprefix(_SECRET_PREFIX))
    # Frameworks decode bytes that are no text to surrogates, which can't be encoded back.
    signed = b".".join((message_id.encode(errors="replace"), at.encode(), body))
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256"))
    found = headers.get("webhook-signature", "").encode(errors="replace").split()
    if not any(hmac.compare_digest(each, expected) for each in found):
        raise NotGenuine("no signature is of this body with this secret")


def _event(body: bytes) -> Any:
    try:
        envelope = msgspec.json.decode(body, type=Envelope)
        # Endpoints may choose the second spelling of two names.
        type_ = envelope.event_type.replace(".CREATED", ".CREATE")
        # A type of a newer server is an envelope whose data are not typed.
        return msgspec.json.decode(body, type=EVENTS.get(type_, Envelope))
    except msgspec.DecodeError as error:
        raise NotGenuine(f"the body is no event: {error}") from error
