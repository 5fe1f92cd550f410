"""Routes of events, for clients that poll. Our own; the contract has none."""

from enum import StrEnum
from typing import Annotated

import msgspec
from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.developers.events.envelopes import Envelope, members
from landbridge.developers.events.listing import CURSOR_FORM, EventFilters, EventListing, position
from landbridge.developers.events.model import event_key
from landbridge.developers.events.names import EVENT_TYPES, check_patterns
from landbridge.developers.events.service import Events
from landbridge.developers.webhooks.deliveries import Deliveries
from landbridge.developers.webhooks.delivery_schemas import DeliveryReply, delivery_reply
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import IDENTIFIER, one_of, pattern_schema, query
from landbridge.platform.http.list_query import (
    CreatedAfter,
    CreatedBefore,
    Limit,
    optional_id,
    parse_choice,
    provide_window,
)
from landbridge.platform.http.responses import WireStruct


class EventWithDeliveries(Envelope, frozen=True):
    """An event with its deliveries, newest first."""

    deliveries: list[DeliveryReply]


class EventPage(WireStruct, frozen=True):
    """A page; send `nextCursor` back as `cursor`, now or later."""

    count: int
    records: list[Envelope]
    next_cursor: str | msgspec.UnsetType = msgspec.UNSET


class EventOrder(StrEnum):
    """Which events come first."""

    ASC = "asc"
    DESC = "desc"


_EventType = Annotated[
    list[str] | None,
    query(
        "eventType",
        EVENT_TYPES,
        description="Only these types, or patterns as in ONRAMP.STATUS.*; several with commas.",
    ),
]
_ObjectId = Annotated[
    str | None, query("objectId", IDENTIFIER, description="Only events of this object.")
]
_CursorAt = Annotated[
    str | None,
    query("cursor", pattern_schema(CURSOR_FORM), description="The nextCursor of the page before."),
]
_Order = Annotated[
    str | None,
    query("order", one_of(EventOrder), description="asc: oldest first, if left out; or desc."),
]


class EventRoutes(Controller):
    """Events of the organisation's objects, in the order in which they were committed."""

    path = "/v2/events"
    tags = ("Webhooks",)

    @get(summary="List events", costly=True, operation_id="events.list")
    async def page(  # noqa: PLR0917  as many as there are filters
        self,
        request: ApiRequest,
        events: NamedDependency[Events],
        clock: NamedDependency[Clock],
        event_type: _EventType = None,
        object_id: _ObjectId = None,
        order: _Order = None,
        limit: Limit = None,
        created_after: CreatedAfter = None,
        created_before: CreatedBefore = None,
        cursor: _CursorAt = None,
    ) -> EventPage:
        """Oldest first: a client that continues with `nextCursor` never misses an event.

        A page may have fewer events than its limit, or none, and still continue: where events of
        these types are rare it ends early, and at the end of the log `nextCursor` is for future
        events. It is null only if nothing can follow.
        """
        org_id, now = request.user.org_id, clock.now(request.user.clock_offset)
        window = provide_window(
            limit=limit, created_before=created_before, created_after=created_after
        )
        filters = EventFilters(
            patterns=_patterns(event_type),
            object_id=optional_id("objectId", object_id),
            since=window.after,
            until=window.before,
        )
        begin = None if cursor is None else position(cursor, field="cursor")
        is_back = order is not None and parse_choice("order", order, EventOrder) is EventOrder.DESC
        listing = EventListing(events=events)
        find = listing.newest_first if is_back else listing.oldest_first
        found = await find(org_id, filters, begin, limit=window.limit, now=now)
        payloads = await events.payloads(org_id, found.events)
        return EventPage(
            count=len(found.events),
            records=[
                Envelope(**members(event, data, type_=event.type, timestamp=now))
                for event, data in zip(found.events, payloads, strict=True)
            ],
            next_cursor=msgspec.UNSET if found.end is None else found.end.text,
        )

    @get("/{eventId:str}", summary="Retrieve an event", operation_id="events.retrieve")
    async def retrieve(
        self,
        request: ApiRequest,
        eventId: FromPath[str],
        events: NamedDependency[Events],
        deliveries: NamedDependency[Deliveries],
        clock: NamedDependency[Clock],
    ) -> EventWithDeliveries:
        """One event, with its deliveries to each endpoint."""
        org_id, now = request.user.org_id, clock.now(request.user.clock_offset)
        key = event_key(eventId)
        event = None if key is None else (await events.find(org_id, [key])).get(key)
        if event is None or event.change.occurred_at < now - events.retention:
            raise ResourceNotFound(f"there is no event {eventId[:100]}")
        (data,) = await events.payloads(org_id, [event])
        found = await deliveries.of_event(org_id, event)
        return EventWithDeliveries(
            **members(event, data, type_=event.type, timestamp=now),
            deliveries=[delivery_reply(each) for each in found],
        )


def _patterns(texts: list[str] | None) -> tuple[str, ...] | None:
    """Repeated or with commas between them; a blank between two commas is no pattern."""
    if texts is None:
        return None
    parts = [part.strip() for text in texts for part in text.split(",")]
    return check_patterns(parts, field="eventType")
