"""Pages of events, of an endpoint and its deliveries: list, resend, pause, resume and test."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

import msgspec
from litestar import Controller, Response, get, post
from litestar.params import FromPath
from msgspec.structs import replace

from landbridge.dashboard.developers.endpoint_health import WEBHOOKS, endpoint_health
from landbridge.dashboard.developers.event_groups import TYPES
from landbridge.dashboard.developers.event_objects import object_link
from landbridge.dashboard.json_text import pretty
from landbridge.dashboard.list_queries import PAGE_SIZE, load_list, read_list_query
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.developers.events.envelopes import Envelope
from landbridge.developers.events.model import event_key
from landbridge.developers.webhooks.delivery_schemas import (
    DeliveriesReply,
    DeliveryWithAttempts,
    ResendReply,
)
from landbridge.developers.webhooks.event_api import EventPage, EventWithDeliveries
from landbridge.developers.webhooks.model import DeliveryStatus
from landbridge.developers.webhooks.schemas import WebhookList, WebhookReply
from landbridge.platform.core.errors import FieldInvalid, Refused, ResourceNotFound
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient

HOME: Final = "/dashboard/webhooks"
_PAGE = "developers/deliveries.html"


class DeliveryPages(Controller):
    """`/dashboard/webhooks/{id}`, and its deliveries."""

    path = "/webhooks/{webhook_id:str}"

    @get("/")
    async def page(self, request: PageRequest, webhook_id: FromPath[str]) -> Response[str]:
        """Show the endpoint with its deliveries, newest first."""
        return request.page(_PAGE, **await _endpoint(request, webhook_id))

    @post("/test")
    async def test(self, request: PageRequest, webhook_id: FromPath[str]) -> Page:
        """Send the test event."""
        try:
            await request.interface.post(f"{WEBHOOKS}/{webhook_id}/test")
        except Refused as problem:
            return await _with_problem(request, webhook_id, problem)
        return redirect(f"{HOME}/{webhook_id}", notice=_("Test event sent"))

    @post("/pause")
    async def pause(self, request: PageRequest, webhook_id: FromPath[str]) -> Page:
        """Hold deliveries up."""
        try:
            await request.interface.patch(f"{WEBHOOKS}/{webhook_id}", {"status": "PAUSED"})
        except Refused as problem:
            return await _with_problem(request, webhook_id, problem)
        return redirect(f"{HOME}/{webhook_id}", notice=_("Deliveries paused"))

    @post("/resume")
    async def resume(self, request: PageRequest, webhook_id: FromPath[str]) -> Page:
        """Resume deliveries where they were paused, or with new events only."""
        skips = (await read_form(request)).is_ticked("skipMissed")
        body = {"status": "ACTIVE", "skipMissed": skips}
        try:
            await request.interface.patch(f"{WEBHOOKS}/{webhook_id}", body)
        except Refused as problem:
            return await _with_problem(request, webhook_id, problem)
        return redirect(f"{HOME}/{webhook_id}", notice=_("Deliveries resumed"))

    @post("/resend")
    async def resend_since(self, request: PageRequest, webhook_id: FromPath[str]) -> Page:
        """Resend events since a time, all or only failed ones."""
        form = await read_form(request)
        try:
            since = _moment(form.text("since"), request.user.zone)
            result = await request.interface.submit(
                ResendReply,
                f"{WEBHOOKS}/{webhook_id}/resend",
                {"since": since, "only": form.text("only")},
            )
        except Refused as problem:
            return await _with_problem(request, webhook_id, problem, form=form)
        return redirect(f"{HOME}/{webhook_id}", notice=_resend_notice(result))

    @get("/deliveries/{delivery_id:str}")
    async def show(
        self, request: PageRequest, webhook_id: FromPath[str], delivery_id: FromPath[str]
    ) -> Response[str]:
        """Show one delivery with its attempts and its payload."""
        values = await _delivery(request.interface, webhook_id, delivery_id)
        return request.page("developers/delivery.html", **values)

    @post("/deliveries/{delivery_id:str}/resend")
    async def resend(
        self, request: PageRequest, webhook_id: FromPath[str], delivery_id: FromPath[str]
    ) -> Page:
        """Try it again now."""
        path = f"{WEBHOOKS}/{webhook_id}/deliveries/{delivery_id}"
        try:
            await request.interface.post(f"{path}/resend")
        except Refused as problem:
            values = await _delivery(request.interface, webhook_id, delivery_id)
            return request.with_problem("developers/delivery.html", problem, **values)
        return redirect(
            f"{HOME}/{webhook_id}/deliveries/{delivery_id}", notice=_("Resend requested")
        )


async def _with_problem(
    request: PageRequest, webhook_id: str, problem: Refused, *, form: Form | None = None
) -> Response[str]:
    return request.with_problem(_PAGE, problem, **await _endpoint(request, webhook_id, form))


async def _endpoint(
    request: PageRequest, webhook_id: str, form: Form | None = None
) -> Mapping[str, object]:
    """Return the values of an endpoint's page; `form` holds the submitted resend form."""
    query = read_list_query(request, "status", "eventType")
    webhook, health, (found, filter_error) = await asyncio.gather(
        request.interface.read(WebhookReply, f"{WEBHOOKS}/{webhook_id}"),
        endpoint_health(request.interface, webhook_id),
        load_list(
            request.interface.read(
                DeliveriesReply,
                f"{WEBHOOKS}/{webhook_id}/deliveries",
                **query.filters,
                limit=PAGE_SIZE,
                cursor=query.cursor,
            ),
            DeliveriesReply(count=0, deliveries=[]),
        ),
    )
    return {
        "webhook": webhook,
        "health": health,
        "deliveries": found.deliveries,
        "older": query.older(found.next_cursor),
        "list_query": query,
        "here": f"{HOME}/{webhook_id}",
        "statuses": [(each.value, each.value) for each in DeliveryStatus],
        "types": TYPES,
        "filter_error": filter_error,
        "since": "" if form is None else form.text("since"),
        "only": "failed" if form is None else form.text("only"),
    }


async def _delivery(
    interface: InternalClient, webhook_id: str, delivery_id: str
) -> Mapping[str, object]:
    webhook, delivery = await asyncio.gather(
        interface.read(WebhookReply, f"{WEBHOOKS}/{webhook_id}"),
        interface.read(DeliveryWithAttempts, f"{WEBHOOKS}/{webhook_id}/deliveries/{delivery_id}"),
    )
    try:
        event = await interface.read(Envelope, f"/v2/events/{delivery.event_id}")
    except ResourceNotFound:
        # The event is older than the retention time of events.
        return {"webhook": webhook, "delivery": delivery, "text": None, "link": None}
    link = object_link(event)
    # The payload in the version of this endpoint.
    text = pretty(replace(event, event_type=delivery.event_type))
    return {"webhook": webhook, "delivery": delivery, "text": text, "link": link}


def _moment(text: str, zone: ZoneInfo) -> str:
    """Return a time submitted without a zone as the API expects it."""
    try:
        at = datetime.fromisoformat(text)
        return (at if at.tzinfo else at.replace(tzinfo=zone)).astimezone(UTC).isoformat()
    except (ValueError, OverflowError) as error:
        raise FieldInvalid("Enter a date and a time.", field="since") from error


def _resend_notice(result: ResendReply) -> str:
    if result.count is None:
        return _("All events since then are being delivered again.")
    if result.has_more:
        return _("Retrying 10,000 deliveries. Submit the form again to retry the rest.")
    if result.count:
        return _("Failed deliveries since then are being retried.")
    return _("No failed deliveries since then")


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
