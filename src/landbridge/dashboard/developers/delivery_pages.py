"""One endpoint and what was delivered to it: looked at, tried again, held up, tested."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.core.errors import FieldInvalid, Refused, ResourceNotFound
from landbridge.dashboard.developers.event_groups import TYPES
from landbridge.dashboard.developers.event_objects import object_link
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.json_text import pretty
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.queries import PAGE_SIZE, asked, listed
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.web.inside import Interface
from landbridge.webhooks.model import DeliveryStatus

WEBHOOKS: Final = "/v2/webhooks"
HOME: Final = "/dashboard/webhooks"
_PAGE = "developers/deliveries.html"
_UNPROCESSABLE = 422


class DeliveryPages(Controller):
    """`/dashboard/webhooks/{id}`, and its deliveries."""

    path = "/webhooks/{webhook_id:str}"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        webhook_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """The endpoint with its deliveries, newest first."""
        values = await _endpoint(request, interface, webhook_id)
        status = _UNPROCESSABLE if values["wrong"] else 200
        return renderer.page(request, _PAGE, status=status, **values)

    @post("/test")
    async def test(
        self,
        request: PageRequest,
        webhook_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Send the test event."""
        try:
            await interface.post(f"{WEBHOOKS}/{webhook_id}/test")
        except Refused as problem:
            return await _again(request, renderer, interface, webhook_id, problem)
        return go(f"{HOME}/{webhook_id}", said=_("The test event is on its way."))

    @post("/pause")
    async def pause(
        self,
        request: PageRequest,
        webhook_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Hold deliveries up."""
        try:
            await interface.patch(f"{WEBHOOKS}/{webhook_id}", {"status": "PAUSED"})
        except Refused as problem:
            return await _again(request, renderer, interface, webhook_id, problem)
        return go(f"{HOME}/{webhook_id}", said=_("Deliveries are paused."))

    @post("/resume")
    async def resume(
        self,
        request: PageRequest,
        webhook_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Go on where deliveries stopped, or with what happens from now on."""
        skips = (await read_form(request)).is_ticked("skipMissed")
        body = {"status": "ACTIVE", "skipMissed": skips}
        try:
            await interface.patch(f"{WEBHOOKS}/{webhook_id}", body)
        except Refused as problem:
            return await _again(request, renderer, interface, webhook_id, problem)
        return go(f"{HOME}/{webhook_id}", said=_("Deliveries go on."))

    @post("/resend")
    async def resend_since(
        self,
        request: PageRequest,
        webhook_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Deliver again what happened since a time, or what failed since then."""
        form = await read_form(request)
        try:
            since = _moment(form.text("since"), request.user.zone)
            resent = await interface.post(
                f"{WEBHOOKS}/{webhook_id}/resend", {"since": since, "only": form.text("only")}
            )
        except Refused as problem:
            return await _again(request, renderer, interface, webhook_id, problem, form=form)
        return go(f"{HOME}/{webhook_id}", said=_resent(resent))

    @get("/deliveries/{delivery_id:str}")
    async def show(
        self,
        request: PageRequest,
        webhook_id: FromPath[str],
        delivery_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """One delivery with its attempts and what was sent."""
        values = await _delivery(interface, webhook_id, delivery_id)
        return renderer.page(request, "developers/delivery.html", **values)

    @post("/deliveries/{delivery_id:str}/resend")
    async def resend(
        self,
        request: PageRequest,
        webhook_id: FromPath[str],
        delivery_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Try it again now."""
        path = f"{WEBHOOKS}/{webhook_id}/deliveries/{delivery_id}"
        try:
            await interface.post(f"{path}/resend")
        except Refused as problem:
            values = await _delivery(interface, webhook_id, delivery_id)
            return renderer.again(request, "developers/delivery.html", problem, **values)
        return go(f"{HOME}/{webhook_id}/deliveries/{delivery_id}", said=_("It is tried again now."))


async def _again(
    request: PageRequest,
    renderer: Renderer,
    interface: Interface,
    webhook_id: str,
    problem: Refused,
    *,
    form: Form | None = None,
) -> Response[str]:
    values = await _endpoint(request, interface, webhook_id, form)
    return renderer.again(request, _PAGE, problem, **values)


async def _endpoint(
    request: PageRequest, interface: Interface, webhook_id: str, form: Form | None = None
) -> Mapping[str, Any]:
    """What the page of an endpoint shows; `form` is what was typed to send again."""
    told = asked(request, "status", "eventType")
    webhook, (found, wrong) = await asyncio.gather(
        interface.get(f"{WEBHOOKS}/{webhook_id}"),
        listed(
            interface.get(
                f"{WEBHOOKS}/{webhook_id}/deliveries",
                **told.filters,
                limit=PAGE_SIZE,
                cursor=told.cursor,
            ),
            {"deliveries": [], "nextCursor": None},
        ),
    )
    return {
        "webhook": webhook,
        "deliveries": found["deliveries"],
        "older": told.older(found["nextCursor"]),
        "asked": told,
        "here": f"{HOME}/{webhook_id}",
        "statuses": [(each.value, each.value) for each in DeliveryStatus],
        "types": TYPES,
        "wrong": wrong,
        "since": "" if form is None else form.text("since"),
        "only": "failed" if form is None else form.text("only"),
    }


async def _delivery(interface: Interface, webhook_id: str, delivery_id: str) -> Mapping[str, Any]:
    webhook, delivery = await asyncio.gather(
        interface.get(f"{WEBHOOKS}/{webhook_id}"),
        interface.get(f"{WEBHOOKS}/{webhook_id}/deliveries/{delivery_id}"),
    )
    try:
        event = await interface.get(f"/v2/events/{delivery['eventId']}")
    except ResourceNotFound:
        # Older than events are kept.
        return {"webhook": webhook, "delivery": delivery, "text": None, "link": None}
    link = object_link(event)
    del event["deliveries"]
    # As this endpoint has it spelled.
    event["eventType"] = delivery["eventType"]
    return {"webhook": webhook, "delivery": delivery, "text": pretty(event), "link": link}


def _moment(text: str, zone: ZoneInfo) -> str:
    """A time that was typed without a zone, as the interface takes it."""
    try:
        at = datetime.fromisoformat(text)
        return (at if at.tzinfo else at.replace(tzinfo=zone)).astimezone(UTC).isoformat()
    except (ValueError, OverflowError) as error:
        raise FieldInvalid("since must be a date and a time", field="since") from error


def _resent(resent: Mapping[str, Any]) -> str:
    if resent["count"] is None:
        return _("Everything since then is delivered again now.")
    if resent["hasMore"]:
        return _("Ten thousand deliveries are tried again now. Send the form again for the others.")
    if resent["count"]:
        return _("What had failed since then is tried again now.")
    return _("Nothing has failed since then.")
