"""Endpoints on the wire."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated
from uuid import UUID

import msgspec

from landbridge.developers.events.names import PATTERNS_MAX, SUBSCRIPTION
from landbridge.developers.webhooks.keys import modulus_and_exponent
from landbridge.developers.webhooks.model import (
    DESCRIPTION_LENGTH_MAX,
    OVERLAP_DEFAULT,
    OVERLAP_MAX,
    Endpoint,
    EventNameSpelling,
    KeyRing,
    PublicKey,
    WebhookStatus,
)
from landbridge.platform.formats.schemas import DESTINATION, line
from landbridge.platform.http.constraints import or_empty, with_schema
from landbridge.platform.http.responses import Moment, WireStruct, reply_of

_SECOND = timedelta(seconds=1)

_Patterns = Annotated[
    list[Annotated[str, with_schema(SUBSCRIPTION)]],
    msgspec.Meta(min_length=1, max_length=PATTERNS_MAX),
]

_Url = Annotated[str, with_schema(DESTINATION)]
_Description = Annotated[str, with_schema(or_empty(line(DESCRIPTION_LENGTH_MAX)))]


class NewWebhook(WireStruct, frozen=True):
    """An endpoint to create. `eventTypes` are names or patterns; every event if left out."""

    url: _Url
    description: _Description | None = None
    event_types: _Patterns | None = None
    create_event_spelling: EventNameSpelling = EventNameSpelling.CREATE
    standard_webhooks: bool = False


class WebhookChange(WireStruct, frozen=True):
    """Fields to change; omitted or null fields stay. An empty description removes it.

    `skipMissed` goes with a status of ACTIVE: events that happened while the endpoint was paused
    are not sent. Deliveries attempted before are still retried.
    """

    url: _Url | None = None
    description: _Description | None = None
    event_types: _Patterns | None = None
    status: WebhookStatus | None = None
    skip_missed: bool = False
    create_event_spelling: EventNameSpelling | None = None
    standard_webhooks: bool | None = None


class KeyRotation(WireStruct, frozen=True):
    """How long the present key goes on signing while the new one is already published."""

    overlap_seconds: Annotated[int, msgspec.Meta(ge=0, le=OVERLAP_MAX // _SECOND)] = (
        OVERLAP_DEFAULT // _SECOND
    )


class KeyReply(WireStruct, frozen=True):
    """A public key in PEM; tokens name it by `kid`.

    It signs from `signsFrom` until a later one does, and is published until `shownUntil`; null:
    until another key follows.
    """

    kid: UUID
    public_key: str
    signs_from: Moment
    shown_until: Moment | None


class WebhookReply(WireStruct, frozen=True):
    """An endpoint; `publicKey` is the one of `publicKeys` that signs now.

    `flaggedAt` is since when deliveries were given up because all attempts failed; null once one
    succeeds.
    """

    id: UUID
    url: str
    description: str | None
    event_types: list[str]
    status: WebhookStatus
    create_event_spelling: EventNameSpelling
    standard_webhooks: bool
    public_key: str
    public_keys: list[KeyReply]
    jwks_url: str
    flagged_at: Moment | None
    flagged_reason: str | None
    created_at: Moment
    updated_at: Moment


class WebhookCreatedReply(WebhookReply, frozen=True):
    """An endpoint with the `secret` of Standard Webhooks, if it is new: shown only once."""

    secret: str | None


class WebhookList(WireStruct, frozen=True):
    """All endpoints, newest first."""

    count: int
    webhooks: list[WebhookReply]


class TestEventReply(WireStruct, frozen=True):
    """The test event being delivered."""

    event_id: str
    event_type: str


class WebhookDeletedReply(WireStruct, frozen=True):
    """That it was done."""

    message: str


class Jwk(WireStruct, frozen=True):
    """A public key in the form of RFC 7517."""

    kty: str
    use: str
    alg: str
    kid: UUID
    n: str
    e: str


class Jwks(WireStruct, frozen=True):
    """Every key that a token may name."""

    keys: list[Jwk]


@dataclass(frozen=True, slots=True)
class EndpointView:
    """An endpoint with its keys, and the secret if it is new."""

    endpoint: Endpoint
    keys: KeyRing
    secret: str | None = None


def webhook_reply(view: EndpointView, now: datetime, *, base_url: str) -> WebhookReply:
    """Return an endpoint at a time of its organisation; without the secret."""
    each = view.endpoint
    return reply_of(
        each,
        WebhookReply,
        event_types=list(each.event_types),
        create_event_spelling=each.event_name_spelling,
        standard_webhooks=each.has_standard_headers,
        public_key=view.keys.signing(now).pem,
        public_keys=[_key(key) for key in view.keys.published(now)],
        jwks_url=f"{base_url}/v2/webhooks/{each.id}/jwks.json",
    )


def webhook_created_reply(
    view: EndpointView, now: datetime, *, base_url: str
) -> WebhookCreatedReply:
    """Return an endpoint with the secret."""
    reply = msgspec.structs.asdict(webhook_reply(view, now, base_url=base_url))
    return WebhookCreatedReply(**reply, secret=view.secret)


def jwks(keys: Sequence[PublicKey]) -> Jwks:
    """Keys as a JSON Web Key Set."""
    return Jwks(keys=[_jwk(each) for each in keys])


def _key(key: PublicKey) -> KeyReply:
    return reply_of(key, KeyReply, kid=key.id, public_key=key.pem)


def _jwk(key: PublicKey) -> Jwk:
    n, e = modulus_and_exponent(key.pem)
    return Jwk(kty="RSA", use="sig", alg="RS256", kid=key.id, n=n, e=e)
