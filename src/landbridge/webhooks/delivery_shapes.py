"""Deliveries on the wire."""

from typing import Any
from uuid import UUID

from landbridge.web.reply import Moment, WireStruct, moment
from landbridge.webhooks.model import (
    Attempt,
    Delivery,
    DeliveryStatus,
    Resending,
    Resent,
)


class AttemptReply(WireStruct, frozen=True):
    """One try. `status` is what the receiver answered, null where it did not, and `error` says why.

    `answer` is the beginning of what it answered.
    """

    at: Moment
    milliseconds: int
    status: int | None
    error: str | None
    answer: str | None


class DeliveryReply(WireStruct, frozen=True):
    """An event on its way to an endpoint, or there.

    `nextAttemptAt` is null for one that is done, and for one that waits for an earlier event of the
    same object; `givesUpAt` is null for one that is done.
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
    """The same with its attempts, oldest first: the last thirty."""

    attempts: list[AttemptReply]


class DeliveriesReply(WireStruct, frozen=True):
    """A page, newest first; `nextCursor` goes back as `cursor`."""

    count: int
    deliveries: list[DeliveryReply]
    next_cursor: str | None


class ResendRequest(WireStruct, frozen=True):
    """What is delivered again: what happened at `since` (a date or a time) or later."""

    since: str
    only: Resending


class ResendReply(WireStruct, frozen=True):
    """What became of it.

    `count` is how many deliveries are tried again; null with `all`, whose events are read from the
    log as they are delivered. With `hasMore` the same request does the rest.
    """

    since: Moment
    only: Resending
    count: int | None
    has_more: bool


def delivery_reply(delivery: Delivery) -> DeliveryReply:
    """A delivery as lists have it."""
    return DeliveryReply(**_shape(delivery))


def delivery_with_attempts(delivery: Delivery) -> DeliveryWithAttempts:
    """A delivery with what was tried."""
    return DeliveryWithAttempts(
        **_shape(delivery), attempts=[_attempt(each) for each in delivery.attempts]
    )


def resend_reply(resent: Resent) -> ResendReply:
    """What is delivered again."""
    return ResendReply(
        since=moment(resent.since),
        only=resent.only,
        count=resent.count,
        has_more=resent.has_more,
    )


def _shape(delivery: Delivery) -> dict[str, Any]:
    is_pending = delivery.status is DeliveryStatus.PENDING
    last = delivery.attempts[-1] if delivery.attempts else None
    return {
        "id": delivery.id,
        "webhook_id": delivery.endpoint_id,
        "event_id": delivery.key.text,
        "event_type": delivery.event_type,
        "object_id": delivery.key.object_id,
        "status": delivery.status,
        "attempt_count": delivery.attempt_count,
        "last_attempt": None if last is None else _attempt(last),
        "next_attempt_at": None if delivery.due_at is None else moment(delivery.due_at),
        "gives_up_at": moment(delivery.gives_up_at) if is_pending else None,
        "created_at": moment(delivery.created_at),
        "updated_at": moment(delivery.updated_at),
    }


def _attempt(attempt: Attempt) -> AttemptReply:
    return AttemptReply(
        at=moment(attempt.at),
        milliseconds=attempt.took_ms,
        status=attempt.status,
        error=attempt.error,
        answer=attempt.answer,
    )
