"""Events: what happened, and what became of it at each endpoint."""

import asyncio

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.dashboard.developers.event_groups import TYPES
from landbridge.dashboard.developers.event_objects import object_link
from landbridge.dashboard.json_text import pretty
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.queries import PAGE_SIZE, asked, listed
from landbridge.dashboard.visitors import PageRequest
from landbridge.events.model import event_key
from landbridge.web.inside import Interface

_UNPROCESSABLE = 422


class EventPages(Controller):
    """`/dashboard/events`."""

    path = "/events"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """All of them, newest first, by type and object; an event's id leads to the event."""
        told = asked(request, "eventType", "objectId")
        if event_key(told.text("objectId")):
            return go(f"/dashboard/events/{told.text('objectId')}")
        found, wrong = await listed(
            interface.get(
                "/v2/events",
                **told.filters,
                order="desc",
                limit=PAGE_SIZE,
                cursor=told.cursor,
            ),
            {"records": [], "nextCursor": None},
        )
        return renderer.page(
            request,
            "developers/events.html",
            status=_UNPROCESSABLE if wrong else 200,
            events=[(each, object_link(each)) for each in found["records"]],
            older=told.older(found["nextCursor"]),
            asked=told,
            types=TYPES,
            wrong=wrong,
        )

    @get("/{event_id:str}")
    async def show(
        self,
        request: PageRequest,
        event_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """One of them, as receivers get it."""
        event, webhooks = await asyncio.gather(
            interface.get(f"/v2/events/{event_id}"), interface.get("/v2/webhooks")
        )
        deliveries = event.pop("deliveries")
        return renderer.page(
            request,
            "developers/event.html",
            event=event,
            text=pretty(event),
            link=object_link(event),
            deliveries=deliveries,
            endpoints={each["id"]: each for each in webhooks["webhooks"]},
        )
