"""Routes of deliveries: their attempts and resending. Our own; the contract has none."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.developers.events.model import EVENT_ID_FORM, EventKey, event_key
from landbridge.developers.events.names import (
    CATALOGUE,
    EVENT_TYPES,
    check_patterns,
    in_spelling,
    matches_any,
)
from landbridge.developers.webhooks.deliveries import Deliveries
from landbridge.developers.webhooks.delivery_schemas import (
    DeliveriesReply,
    DeliveryReply,
    DeliveryWithAttempts,
    ResendReply,
    ResendRequest,
    delivery_reply,
    delivery_with_attempts,
)
from landbridge.developers.webhooks.model import DeliveryFilters, DeliveryStatus
from landbridge.developers.webhooks.repeated_requests import resend_result
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.pagination import parse_moment
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import pattern_schema, query, some_of
from landbridge.platform.http.list_query import (
    CreatedAfter,
    CreatedBefore,
    Limit,
    PositionCursor,
    parse_choices,
    parse_position,
    position_text,
    provide_window,
)
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import reply_of
from landbridge.platform.idempotency.service import IdempotencyKeys

_Status = Annotated[
    list[str] | None,
    query(
        "status",
        some_of(DeliveryStatus),
        description="PENDING, DELIVERED, REFUSED, GIVEN_UP or REPLACED; several with commas.",
    ),
]
_EventType = Annotated[
    list[str] | None,
    query(
        "eventType",
        EVENT_TYPES,
        description="Only these types of events, or patterns as in ONRAMP.STATUS.*; several with "
        "commas.",
    ),
]
_EventId = Annotated[
    str | None,
    query("eventId", pattern_schema(EVENT_ID_FORM), description="Only deliveries of this event."),
]


class DeliveryRoutes(Controller):
    """Deliveries to an endpoint."""

    path = "/v2/webhooks/{webhookId:str}"
    tags = ("Webhooks",)

    @get("/deliveries", summary="List deliveries", operation_id="webhooks.listDeliveries")
    async def page(  # noqa: PLR0917  as many as there are filters
        self,
        request: ApiRequest,
        webhookId: FromPath[str],
        deliveries: NamedDependency[Deliveries],
        status: _Status = None,
        event_type: _EventType = None,
        event_id: _EventId = None,
        limit: Limit = None,
        created_before: CreatedBefore = None,
        created_after: CreatedAfter = None,
        cursor: PositionCursor = None,
    ) -> DeliveriesReply:
        """Newest first, each with its last attempt.

        A long search may end a page early: continue with `nextCursor`.
        """
        window = provide_window(
            limit=limit, created_before=created_before, created_after=created_after
        )
        filters = DeliveryFilters(
            statuses=parse_choices("status", status, DeliveryStatus), event_types=_types(event_type)
        )
        endpoint_id, after = _webhook(webhookId), parse_position(cursor)
        if event_id is None:
            found = await deliveries.page(request.user, endpoint_id, filters, window, after)
        else:
            key = _key(event_id)
            found = await deliveries.page_of_event(
                request.user, endpoint_id, key, filters=filters, window=window, after=after
            )
        return DeliveriesReply(
            count=len(found.deliveries),
            deliveries=[delivery_reply(each) for each in found.deliveries],
            next_cursor=msgspec.UNSET if found.next is None else position_text(found.next),
        )

    @get(
        "/deliveries/{deliveryId:str}",
        summary="Retrieve a delivery",
        operation_id="webhooks.retrieveDelivery",
    )
    async def retrieve(
        self,
        request: ApiRequest,
        webhookId: FromPath[str],
        deliveryId: FromPath[str],
        deliveries: NamedDependency[Deliveries],
    ) -> DeliveryWithAttempts:
        """Includes its last thirty attempts: time, duration, and the beginning of each response."""
        found = await deliveries.get(request.user, _webhook(webhookId), _delivery(deliveryId))
        return delivery_with_attempts(found)

    @post(
        "/deliveries/{deliveryId:str}/resend",
        status_code=200,
        summary="Resend a delivery",
        keyed=True,
        operation_id="webhooks.resendDelivery",
    )
    async def resend(
        self,
        request: ApiRequest,
        webhookId: FromPath[str],
        deliveryId: FromPath[str],
        deliveries: NamedDependency[Deliveries],
        idempotency_keys: NamedDependency[IdempotencyKeys],
    ) -> DeliveryReply:
        """Retries it at once, whatever its status, and for another 24 hours."""
        caller, webhook_id, delivery_id = request.user, _webhook(webhookId), _delivery(deliveryId)
        found = await idempotency_keys.run(
            request,
            None,
            lambda claim: deliveries.resend(caller, webhook_id, delivery_id, claim=claim),
            lambda key: deliveries.get(caller, webhook_id, key.object_id),
        )
        return delivery_reply(found)

    @post(
        "/resend",
        status_code=200,
        summary="Resend everything since a time",
        keyed=True,
        operation_id="webhooks.resendSince",
    )
    async def resend_since(
        self,
        request: ApiRequest,
        webhookId: FromPath[str],
        data: JSONBody[ResendRequest],
        deliveries: NamedDependency[Deliveries],
        idempotency_keys: NamedDependency[IdempotencyKeys],
    ) -> ResendReply:
        """Resends every event since then, or only those whose delivery was refused or given up."""
        webhook_id, since = _webhook(webhookId), _since(data.since)
        found = await idempotency_keys.run(
            request,
            data,
            lambda claim: deliveries.resend_since(
                request.user, webhook_id, since, data.only, claim=claim
            ),
            resend_result,
        )
        return reply_of(found, ResendReply)


def _webhook(text: str) -> UUID:
    return known_id(text, "webhook")


def _delivery(text: str) -> UUID:
    return known_id(text, "delivery")


def _since(text: str) -> datetime:
    try:
        return parse_moment(text)
    except ValueError as error:
        raise FieldInvalid(f"since {error}", field="since") from error


def _types(texts: list[str] | None) -> frozenset[str] | None:
    """Return every type that these patterns match, in both spellings: endpoints choose one."""
    if texts is None:
        return None
    names = [part.strip() for text in texts for part in text.split(",")]
    patterns = check_patterns(names, field="eventType")
    found = [each.type for each in CATALOGUE if matches_any(patterns, each.type)]
    return frozenset(found) | {in_spelling(each, is_created=True) for each in found}


def _key(text: str) -> EventKey:
    key = event_key(text)
    if key is None:
        raise FieldInvalid("eventId is not the id of an event", field="eventId")
    return key
