"""Pages of events and their deliveries to endpoints."""

import asyncio

import msgspec
from litestar import Controller, Response, get
from litestar.params import FromPath

from landbridge.dashboard.developers.event_groups import TYPES
from landbridge.dashboard.developers.event_objects import object_link
from landbridge.dashboard.json_text import pretty
from landbridge.dashboard.list_queries import PAGE_SIZE, load_list, read_list_query
from landbridge.dashboard.page_request import Page, PageRequest, redirect
from landbridge.developers.events.envelopes import Envelope
from landbridge.developers.events.model import event_key
from landbridge.developers.webhooks.event_api import EventPage, EventWithDeliveries
from landbridge.developers.webhooks.schemas import WebhookList


class EventPages(Controller):
    """`/dashboard/events`."""

    path = "/events"

    @get("/")
    async def page(self, request: PageRequest) -> Page:
        """List events, newest first, by type and object; an event id redirects to the event."""
        query = read_list_query(request, "eventType", "objectId")
        if event_key(query.text("objectId")):
            return redirect(f"/dashboard/events/{query.text('objectId')}")
        found, filter_error = await load_list(
            request.interface.read(
                EventPage,
                "/v2/events",
                **query.filters,
                order="desc",
                limit=PAGE_SIZE,
                cursor=query.cursor,
            ),
            EventPage(count=0, records=[]),
        )
        return request.page(
            "developers/events.html",
            events=[(each, object_link(each)) for each in found.records],
            older=query.older(found.next_cursor),
            list_query=query,
            types=TYPES,
            filter_error=filter_error,
        )

    @get("/{event_id:str}")
    async def show(self, request: PageRequest, event_id: FromPath[str]) -> Response[str]:
        """Show one event with its payload."""
        event, webhooks = await asyncio.gather(
            request.interface.read(EventWithDeliveries, f"/v2/events/{event_id}"),
            request.interface.read(WebhookList, "/v2/webhooks"),
        )
        return request.page(
            "developers/event.html",
            event=event,
            text=pretty(msgspec.convert(event, Envelope, from_attributes=True)),
            link=object_link(event),
            deliveries=event.deliveries,
            endpoints={each.id: each for each in webhooks.webhooks},
        )
