"""Deliveries on the wire."""

from typing import Annotated, Any, TypeVar
from uuid import UUID

import msgspec

from landbridge.developers.webhooks.model import (
    Delivery,
    DeliveryAttempt,
    DeliveryStatus,
    ResendSelection,
)
from landbridge.platform.http.constraints import DATE_OR_TIME, with_schema
from landbridge.platform.http.responses import Moment, WireStruct, reply_of

T = TypeVar("T", bound="DeliveryReply")


class AttemptReply(WireStruct, frozen=True):
    """One attempt. `status` is the receiver's HTTP status, null without a response; `error` is why.

    `answer` is the beginning of the response body.
    """

    at: Moment
    milliseconds: int
    status: int | None
    error: str | None
    answer: str | None


class DeliveryReply(WireStruct, frozen=True):
    """Delivery of an event to an endpoint.

    `nextAttemptAt` is null for a finished delivery, and while it waits for an earlier event of the
    same object. `givesUpAt` is null for a finished delivery.
    """

    id: UUID
    webhook_id: UUID
    event_id: str
    event_type: str
    object_id: UUID
    status: DeliveryStatus
    attempt_count: int
    last_attempt: AttemptReply | None
    next_attempt_at: Moment | None
    gives_up_at: Moment | None
    created_at: Moment
    updated_at: Moment


class DeliveryWithAttempts(DeliveryReply, frozen=True):
    """A delivery with its last thirty attempts, oldest first."""

    attempts: list[AttemptReply]


class DeliveriesReply(WireStruct, frozen=True):
    """A page, newest first; send `nextCursor` back as `cursor`."""

    count: int
    deliveries: list[DeliveryReply]
    next_cursor: str | msgspec.UnsetType = msgspec.UNSET


class ResendRequest(WireStruct, frozen=True):
    """What to resend: events that happened at or after `since` (a date or a time)."""

    since: Annotated[str, with_schema(DATE_OR_TIME)]
    only: ResendSelection


class ResendReply(WireStruct, frozen=True):
    """Result of a resend.

    `count` is how many deliveries are retried; null with `all`, whose events are read from the log
    as they are delivered. With `hasMore`, repeat the same request for the rest.
    """

    since: Moment
    only: ResendSelection
    count: int | None
    has_more: bool


def delivery_reply(delivery: Delivery) -> DeliveryReply:
    """Return a delivery as shown in lists."""
    return _reply(delivery, DeliveryReply)


def delivery_with_attempts(delivery: Delivery) -> DeliveryWithAttempts:
    """Return a delivery with its attempts."""
    attempts = [_attempt(each) for each in delivery.attempts]
    return _reply(delivery, DeliveryWithAttempts, attempts=attempts)


def _reply(delivery: Delivery, kind: type[T], **more: Any) -> T:
    is_pending = delivery.status is DeliveryStatus.PENDING
    return reply_of(
        delivery,
        kind,
        webhook_id=delivery.endpoint_id,
        event_id=delivery.key.text,
        object_id=delivery.key.object_id,
        last_attempt=_attempt(delivery.attempts[-1]) if delivery.attempts else None,
        next_attempt_at=delivery.due_at,
        gives_up_at=delivery.deadline_at if is_pending else None,
        **more,
    )


def _attempt(attempt: DeliveryAttempt) -> AttemptReply:
    return reply_of(attempt, AttemptReply, milliseconds=attempt.took_ms)
