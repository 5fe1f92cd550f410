"""Envelopes of events. Source: contract, webhooks 3."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec

from landbridge.developers.events.model import Event
from landbridge.platform.http.responses import Moment, WireStruct, encode

VERSION = "v2"


class Envelope(WireStruct, frozen=True):
    """An event.

    `data` is the object as its retrieve route returned it right after the change, null if it can no
    longer be shown. `createdAt` is when it happened, `timestamp` when it was delivered or read.
    `sequence` grows with each event of the object `objectId`, possibly with gaps.
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
    """Return the event as JSON; `data` is already JSON, `type_` is in the caller's spelling."""
    return encode(Envelope(**members(event, data, type_=type_, timestamp=timestamp)))


def members(event: Event, data: bytes, *, type_: str, timestamp: datetime) -> dict[str, Any]:
    """Return the fields of an envelope; `data` stays raw JSON."""
    return {
        "event_id": event.key.text,
        "event_category": event.category,
        "event_type": type_,
        # A retired name covers events of many statuses, so it does not show their action.
        "event_action": "UPDATE" if type_.endswith(".UPDATE") else event.action,
        "data": msgspec.Raw(data),
        "created_at": _moment(event.change.occurred_at),
        "timestamp": _moment(timestamp),
        "version": VERSION,
        "object_id": event.change.object_id,
        "sequence": event.sequence,
    }


def _moment(at: datetime) -> str:
    """Format a time for envelopes: ISO 8601, milliseconds, `Z`."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
