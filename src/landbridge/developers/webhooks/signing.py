"""Signatures of deliveries: a token (RS256) and, if enabled, Standard Webhooks.

Guarantees, so that a receiver can reject all requests that are forged, altered or not for it:
- A token names one endpoint (`aud`), one event (`jti`, `eventId`) and one body (`bodySha256`, of
  the bytes as sent), and is valid for five minutes.
- Its algorithm is always RS256, and its `kid` is that of a key that the endpoint publishes.

Source: contract, webhooks 2; RFC 7515 and 7519; standardwebhooks.com.
"""

import base64
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from uuid import UUID

import msgspec
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256

from landbridge.developers.webhooks.keys import base64url
from landbridge.platform.core.fields import copy_fields

# A delivery takes ten seconds at most; the rest allows for clock differences. Source: contract,
# webhooks 2.
TOKEN_LIFE = timedelta(minutes=5)
SECRET_PREFIX = "whsec_"  # noqa: S105  how every such secret begins

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PADDING, _HASH = PKCS1v15(), SHA256()


class _SignedPayment(msgspec.Struct, rename="camel"):
    """Identifier of the payment in an event's data."""

    id: str | msgspec.UnsetType = msgspec.UNSET


class _SignedData(msgspec.Struct, rename="camel"):
    """Identifiers of the object in an event's data; a token has no other part of the data.

    Headers are limited in size and are written to logs, so names, addresses and amounts stay in the
    body.
    """

    id: str | msgspec.UnsetType = msgspec.UNSET
    user_id: str | msgspec.UnsetType = msgspec.UNSET
    transfer_details: _SignedPayment | msgspec.UnsetType = msgspec.UNSET


class _SignedMembers(msgspec.Struct, rename="camel"):
    """Members of an event, which receivers of the reference read from the token."""

    event_type: str | msgspec.UnsetType = msgspec.UNSET
    event_action: str | msgspec.UnsetType = msgspec.UNSET
    event_category: str | msgspec.UnsetType = msgspec.UNSET
    created_at: str | msgspec.UnsetType = msgspec.UNSET
    timestamp: str | msgspec.UnsetType = msgspec.UNSET
    version: str | msgspec.UnsetType = msgspec.UNSET


class _Body(_SignedMembers, rename="camel"):
    """An event, with its data as it was sent."""

    data: msgspec.Raw = msgspec.Raw()


class _Claims(_SignedMembers, rename="camel", kw_only=True):
    """Claims of a token."""

    iss: str
    sub: UUID
    aud: UUID
    iat: int
    exp: int
    jti: str
    event_id: str
    body_sha256: str
    data: _SignedData | msgspec.UnsetType = msgspec.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """Signs deliveries to one endpoint with keys that sign until `good_until` (None: no end).

    `issuer` is the base URL of the installation. `secrets` are those of Standard Webhooks: none if
    disabled, several during a rotation. `good_until` is an organisation time: from then on a new
    signer must be fetched.
    """

    issuer: str
    org_id: UUID
    endpoint_id: UUID
    key_id: UUID
    key: RSAPrivateKey = field(repr=False)
    secrets: tuple[bytes, ...] = field(default=(), repr=False)
    good_until: datetime | None = None

    def headers(self, *, event_id: str, body: bytes, at: datetime) -> dict[str, str]:
        """Return the headers that authenticate a body; `at` is the real time.

        Takes a quarter of a millisecond of CPU, during which other threads run: call it from a
        thread.
        """
        seconds = (at - _EPOCH) // timedelta(seconds=1)
        token = self._token(event_id, body, seconds)
        return {"Authorization": f"Bearer {token}", **self._standard(event_id, body, seconds)}

    def _token(self, event_id: str, body: bytes, seconds: int) -> str:
        event = _event(body)
        claims = copy_fields(
            event,
            _Claims,
            iss=self.issuer,
            sub=self.org_id,
            aud=self.endpoint_id,
            iat=seconds,
            exp=seconds + TOKEN_LIFE // timedelta(seconds=1),
            jti=event_id,
            event_id=event_id,
            body_sha256=sha256(body).hexdigest(),
            data=_identifiers(event.data),
        )
        header = {"alg": "RS256", "typ": "JWT", "kid": self.key_id}
        signed = ".".join(base64url(msgspec.json.encode(each)) for each in (header, claims))
        return f"{signed}.{base64url(self.key.sign(signed.encode(), _PADDING, _HASH))}"

    def _standard(self, event_id: str, body: bytes, seconds: int) -> Mapping[str, str]:
        if not self.secrets:
            return {}
        signed = f"{event_id}.{seconds}.".encode() + body
        digests = [hmac.digest(secret, signed, "sha256") for secret in self.secrets]
        return {
            "webhook-id": event_id,
            "webhook-timestamp": str(seconds),
            "webhook-signature": " ".join(
                f"v1,{base64.b64encode(each).decode()}" for each in digests
            ),
        }


def _event(body: bytes) -> _Body:
    """Return the event in this body; an empty one if it is not the JSON of an event."""
    try:
        return _body_decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _Body()


def _identifiers(data: msgspec.Raw) -> _SignedData | msgspec.UnsetType:
    """Return the identifiers in an event's data; none if they are no texts or there is no data."""
    try:
        return _data_decoder.decode(data)
    except msgspec.MsgspecError:
        return msgspec.UNSET


def secret_text(secret: bytes) -> str:
    """Return a secret of Standard Webhooks in the form given to receivers."""
    return SECRET_PREFIX + base64.b64encode(secret).decode()


_body_decoder = msgspec.json.Decoder(_Body)
_data_decoder = msgspec.json.Decoder(_SignedData)
