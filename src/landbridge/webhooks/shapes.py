"""Endpoints on the wire."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated
from uuid import UUID

import msgspec

from landbridge.events.names import PATTERNS_MAX
from landbridge.web.reply import Moment, WireStruct, moment
from landbridge.webhooks.keys import modulus_and_exponent
from landbridge.webhooks.model import (
    OVERLAP_DEFAULT,
    OVERLAP_MAX,
    Endpoint,
    KeyRing,
    PublicKey,
    Spelling,
    Status,
)

_SECOND = timedelta(seconds=1)

_Patterns = Annotated[list[str], msgspec.Meta(min_length=1, max_length=PATTERNS_MAX)]


class NewWebhook(WireStruct, frozen=True):
    """An endpoint to be made. `eventTypes` are names or patterns; every event if left out."""

    url: str
    description: str | None = None
    event_types: _Patterns | None = None
    create_event_spelling: Spelling = Spelling.CREATE
    standard_webhooks: bool = False


class WebhookChange(WireStruct, frozen=True):
    """What is to be different; what is left out, or null, stays. An empty description removes it.

    `skipMissed` goes with a status of ACTIVE: what happened while the endpoint was paused is not
    told. Deliveries that were tried before are tried again all the same.
    """

    url: str | None = None
    description: str | None = None
    event_types: _Patterns | None = None
    status: Status | None = None
    skip_missed: bool = False
    create_event_spelling: Spelling | None = None
    standard_webhooks: bool | None = None


class Rotation(WireStruct, frozen=True):
    """For how long the present key goes on signing while the new one is shown already."""

    overlap_seconds: Annotated[int, msgspec.Meta(ge=0, le=OVERLAP_MAX // _SECOND)] = (
        OVERLAP_DEFAULT // _SECOND
    )


class KeyReply(WireStruct, frozen=True):
    """A public key in PEM; tokens name it by `kid`.

    It signs from `signsFrom` until a later one does, and is shown until `shownUntil`; null: for as
    long as no other follows.
    """

    kid: UUID
    public_key: str
    signs_from: Moment
    shown_until: Moment | None


class WebhookReply(WireStruct, frozen=True):
    """An endpoint; `publicKey` is the one of `publicKeys` that signs now.

    `flaggedAt` is since when events were given up because nothing got through; null once something
    does.
    """

    id: UUID
    url: str
    description: str | None
    event_types: list[str]
    status: Status
    create_event_spelling: Spelling
    standard_webhooks: bool
    public_key: str
    public_keys: list[KeyReply]
    jwks_url: str
    flagged_at: Moment | None
    flagged_reason: str | None
    created_at: Moment
    updated_at: Moment


class WebhookMade(WebhookReply, frozen=True):
    """The same with the `secret` of Standard Webhooks, if a new one was made: this once."""

    secret: str | None


class WebhookList(WireStruct, frozen=True):
    """All endpoints, newest first."""

    count: int
    webhooks: list[WebhookReply]


class SentTest(WireStruct, frozen=True):
    """The event that is on its way."""

    event_id: str
    event_type: str


class Done(WireStruct, frozen=True):
    """That it was done."""

    message: str


class Jwk(WireStruct, frozen=True):
    """A public key as RFC 7517 has it."""

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
class Shown:
    """An endpoint with its keys, and the secret if it is new."""

    endpoint: Endpoint
    keys: KeyRing
    secret: str | None = None


def webhook_reply(shown: Shown, now: datetime, *, base_url: str) -> WebhookReply:
    """An endpoint as it is at a moment of its organisation; without the secret."""
    each = shown.endpoint
    return WebhookReply(
        id=each.id,
        url=each.url,
        description=each.description,
        event_types=list(each.event_types),
        status=each.status,
        create_event_spelling=each.spelling,
        standard_webhooks=each.has_standard_headers,
        public_key=shown.keys.signing(now).pem,
        public_keys=[_key(key) for key in shown.keys.shown(now)],
        jwks_url=f"{base_url}/v2/webhooks/{each.id}/jwks.json",
        flagged_at=_moment(each.flagged_at),
        flagged_reason=each.flagged_reason,
        created_at=moment(each.created_at),
        updated_at=moment(each.updated_at),
    )


def webhook_made(shown: Shown, now: datetime, *, base_url: str) -> WebhookMade:
    """The same with the secret."""
    reply = msgspec.structs.asdict(webhook_reply(shown, now, base_url=base_url))
    return WebhookMade(**reply, secret=shown.secret)


def jwks(keys: Sequence[PublicKey]) -> Jwks:
    """Keys as a JSON Web Key Set."""
    return Jwks(keys=[_jwk(each) for each in keys])


def _key(key: PublicKey) -> KeyReply:
    return KeyReply(
        kid=key.id,
        public_key=key.pem,
        signs_from=moment(key.signs_from),
        shown_until=_moment(key.shown_until),
    )


def _jwk(key: PublicKey) -> Jwk:
    n, e = modulus_and_exponent(key.pem)
    return Jwk(kty="RSA", use="sig", alg="RS256", kid=key.id, n=n, e=e)


def _moment(at: datetime | None) -> str | None:
    return None if at is None else moment(at)
