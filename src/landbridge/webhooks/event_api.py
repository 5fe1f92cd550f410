"""Routes of events: what happened, read at one's own pace. Ours; the contract has none."""

from enum import StrEnum
from typing import Annotated

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from landbridge.core.clock import Clock
from landbridge.core.errors import ResourceNotFound
from landbridge.events.envelopes import Envelope, members
from landbridge.events.listing import Filters, Listing, position
from landbridge.events.model import event_key
from landbridge.events.names import check_patterns
from landbridge.events.service import Events
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import (
    CreatedAfter,
    CreatedBefore,
    Limit,
    optional_id,
    provide_window,
    word,
)
from landbridge.webhooks.deliveries import Deliveries
from landbridge.webhooks.delivery_shapes import delivery_reply
from landbridge.webhooks.event_shapes import EventPage, EventWithDeliveries


class Order(StrEnum):
    """Which events come first."""

    ASC = "asc"
    DESC = "desc"


_EventType = Annotated[
    list[str] | None,
    QueryParameter(
        name="eventType",
        description="Only these types, or patterns as in ONRAMP.STATUS.*; several with commas.",
    ),
]
_ObjectId = Annotated[
    str | None, QueryParameter(name="objectId", description="Only events of this object.")
]
_CursorAt = Annotated[
    str | None, QueryParameter(name="cursor", description="The nextCursor of the page before.")
]
_Order = Annotated[
    str | None,
    QueryParameter(name="order", description="asc: oldest first, if left out; or desc."),
]


class EventRoutes(Controller):
    """What happened to the organisation's objects, in the order in which it was committed."""

    path = "/v2/events"
    tags = ("Webhooks",)

    @get(summary="List events")
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
        """Oldest first, so that whoever goes on with `nextCursor` misses nothing, ever.

        A page may have fewer events than its limit, or none, and still lead on: where events of
        these types are rare it ends early, and at the end `nextCursor` is for what is to come. It
        is null only where nothing can.
        """
        org_id, now = request.user.org_id, clock.now(request.user.clock_offset)
        window = provide_window(
            limit=limit, created_before=created_before, created_after=created_after
        )
        filters = Filters(
            patterns=_patterns(event_type),
            object_id=optional_id("objectId", object_id),
            since=window.after,
            until=window.before,
        )
        begin = None if cursor is None else position(cursor, field="cursor")
        is_back = order is not None and word("order", order, Order) is Order.DESC
        listing = Listing(events=events)
        find = listing.newest_first if is_back else listing.oldest_first
        found = await find(org_id, filters, begin, limit=window.limit, now=now)
        shown = await events.shown(org_id, found.events)
        return EventPage(
            count=len(found.events),
            records=[
                Envelope(**members(event, data, type_=event.type, timestamp=now))
                for event, data in zip(found.events, shown, strict=True)
            ],
            next_cursor=None if found.end is None else found.end.text,
        )

    @get("/{eventId:str}", summary="Retrieve an event")
    async def retrieve(
        self,
        request: ApiRequest,
        eventId: FromPath[str],
        events: NamedDependency[Events],
        deliveries: NamedDependency[Deliveries],
        clock: NamedDependency[Clock],
    ) -> EventWithDeliveries:
        """One event, and what became of it at each endpoint that it was for."""
        org_id, now = request.user.org_id, clock.now(request.user.clock_offset)
        key = event_key(eventId)
        event = None if key is None else (await events.find(org_id, [key])).get(key)
        if event is None or event.change.at < now - events.kept:
            raise ResourceNotFound(f"there is no event {eventId[:100]}")
        (data,) = await events.shown(org_id, [event])
        made = await deliveries.of_event(org_id, event)
        return EventWithDeliveries(
            **members(event, data, type_=event.type, timestamp=now),
            deliveries=[delivery_reply(each) for each in made],
        )


def _patterns(texts: list[str] | None) -> tuple[str, ...] | None:
    """Repeated or with commas between them; a blank between two commas is no pattern."""
    if texts is None:
        return None
    parts = [part.strip() for text in texts for part in text.split(",")]
    return check_patterns(parts, field="eventType")
