"""The envelope of an event. Source: contract, webhooks 3."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec

from landbridge.events.model import Event
from landbridge.web.reply import Moment, WireStruct, encode

VERSION = "v2"


class Envelope(WireStruct, frozen=True):
    """An event.

    `data` is the object as its retrieve answered right after the change, null if nothing of it can
    be shown any more. `createdAt` is when it happened, `timestamp` when it was delivered or read.
    `sequence` grows with each event of the object `objectId`, not without gaps.
    """

    event_id: str
    event_category: str
    event_type: str
    event_action: str
    data: Any
    created_at: Moment
    timestamp: Moment
    version: str
    object_id: UUID
    sequence: int


def envelope(event: Event, data: bytes, *, type_: str, timestamp: datetime) -> bytes:
    """The event as JSON; `data` is JSON already, `type_` the event's type as it is spelled here."""
    return encode(Envelope(**members(event, data, type_=type_, timestamp=timestamp)))


def members(event: Event, data: bytes, *, type_: str, timestamp: datetime) -> dict[str, Any]:
    """What an envelope is made of; `data` stays the JSON that it is."""
    return {
        "event_id": event.key.text,
        "event_category": event.category,
        "event_type": type_,
        "event_action": event.action,
        "data": msgspec.Raw(data),
        "created_at": _moment(event.change.at),
        "timestamp": _moment(timestamp),
        "version": VERSION,
        "object_id": event.change.object_id,
        "sequence": event.sequence,
    }


def _moment(at: datetime) -> str:
    """A time as envelopes have it: ISO 8601, milliseconds, `Z`."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
