"""Webhooks of Increase: HMAC-SHA256 with the shared secret of the event subscription.

Two forms, which differ by their headers: that of Standard Webhooks, and the older
`Increase-Webhook-Signature`. Sources: increase.com/documentation/webhooks, and the tests of
Increase's libraries for the older form.
"""

import base64
import binascii
import hmac
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

import msgspec

from landbridge.providers.packages.interface import InboundWebhook, WebhookInvalid

# Older and newer ones are refused, as by the libraries of Standard Webhooks.
TOLERANCE_S = 300
_VERSION = "v1"
_SIGNATURES_MAX = 10


class IncreaseEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Event: what it is about, and never how that changed. Source: api/events."""

    associated_object_id: str
    associated_object_type: str


def verify_webhook(webhook: InboundWebhook, secret: str | None, now: datetime) -> None:
    """Raise `WebhookInvalid` unless it is signed with the secret, and new."""
    headers = webhook.headers
    read = _standard if "webhook-signature" in headers else _older
    if secret is None:
        raise WebhookInvalid
    try:
        signed_at, signed, signatures = read(headers, webhook.body)
    except (ValueError, OverflowError, OSError):  # OSError: a year that the system can't count
        raise WebhookInvalid from None
    if abs((now - signed_at).total_seconds()) > TOLERANCE_S:
        raise WebhookInvalid
    expected = hmac.digest(secret.encode(), signed, "sha256")
    # All are compared, so that the time says nothing about which one fits.
    if not sum(hmac.compare_digest(expected, each) for each in signatures):
        raise WebhookInvalid


_Signed = tuple[datetime, bytes, list[bytes]]


def _standard(headers: Mapping[str, str], body: bytes) -> _Signed:
    identifier, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not identifier or not (timestamp.isascii() and timestamp.isdigit()):
        raise ValueError("an id and seconds are signed")
    signed_at = datetime.fromtimestamp(int(timestamp), UTC)
    parts = _parts(headers["webhook-signature"].split(" "), ",")
    return (
        signed_at,
        f"{identifier}.{timestamp}.".encode() + body,
        list(_decoded(parts, lambda text: base64.b64decode(text, validate=True))),
    )


def _older(headers: Mapping[str, str], body: bytes) -> _Signed:
    parts = list(_parts(headers.get("increase-webhook-signature", "").split(","), "="))
    timestamp = dict(parts).get("t", "")
    signed_at = datetime.fromisoformat(timestamp)
    if signed_at.tzinfo is None:
        raise ValueError("a time without a zone")
    return signed_at, f"{timestamp}.".encode() + body, list(_decoded(iter(parts), bytes.fromhex))


def _parts(texts: list[str], separator: str) -> Iterator[tuple[str, str]]:
    for text in texts[:_SIGNATURES_MAX]:
        name, _, value = text.partition(separator)
        yield name, value


def _decoded(parts: Iterator[tuple[str, str]], decode: Callable[[str], bytes]) -> Iterator[bytes]:
    """Return the signatures of our version that can be decoded; there may be others."""
    for name, value in parts:
        if name == _VERSION:
            try:
                yield decode(value)
            except (binascii.Error, ValueError):
                continue
