"""Routes of deliveries: what was tried, and trying it again. Ours; the contract has none."""

from datetime import UTC, datetime, timedelta
from typing import Annotated
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from landbridge.core.errors import FieldInvalid
from landbridge.core.pages import parse_moment
from landbridge.events.model import EventKey, event_key
from landbridge.events.names import CATALOGUE, check_patterns, is_wanted, spelled
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import CreatedAfter, CreatedBefore, Limit, provide_window, words
from landbridge.web.paths import known_id
from landbridge.webhooks.deliveries import Deliveries
from landbridge.webhooks.delivery_shapes import (
    DeliveriesReply,
    DeliveryReply,
    DeliveryWithAttempts,
    ResendReply,
    ResendRequest,
    delivery_reply,
    delivery_with_attempts,
    resend_reply,
)
from landbridge.webhooks.model import DeliveryFilters, DeliveryPosition, DeliveryStatus

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MOMENT_DIGITS, _ID_DIGITS = 16, 32
_HEX = frozenset("0123456789abcdef")

_Status = Annotated[
    list[str] | None,
    QueryParameter(
        name="status",
        description="PENDING, DELIVERED, REFUSED, GIVEN_UP or REPLACED; several with commas.",
    ),
]
_EventType = Annotated[
    list[str] | None,
    QueryParameter(
        name="eventType",
        description="Only these types of events, or patterns as in ONRAMP.STATUS.*; several with "
        "commas.",
    ),
]
_EventId = Annotated[
    str | None, QueryParameter(name="eventId", description="Only deliveries of this event.")
]
_Cursor = Annotated[
    str | None, QueryParameter(name="cursor", description="The nextCursor of the page before.")
]


class DeliveryRoutes(Controller):
    """What was delivered to an endpoint."""

    path = "/v2/webhooks/{webhookId:str}"
    tags = ("Webhooks",)

    @get("/deliveries", summary="List deliveries")
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
        cursor: _Cursor = None,
    ) -> DeliveriesReply:
        """Newest first, each with its last attempt.

        A search through very many may end a page early: go on with `nextCursor`.
        """
        window = provide_window(
            limit=limit, created_before=created_before, created_after=created_after
        )
        filters = DeliveryFilters(
            statuses=words("status", status, DeliveryStatus), event_types=_types(event_type)
        )
        endpoint_id, after = _webhook(webhookId), _position(cursor)
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
            next_cursor=None if found.next is None else _cursor(found.next),
        )

    @get("/deliveries/{deliveryId:str}", summary="Retrieve a delivery")
    async def retrieve(
        self,
        request: ApiRequest,
        webhookId: FromPath[str],
        deliveryId: FromPath[str],
        deliveries: NamedDependency[Deliveries],
    ) -> DeliveryWithAttempts:
        """With its last thirty attempts: when, how long, and the beginning of each answer."""
        found = await deliveries.get(request.user, _webhook(webhookId), _delivery(deliveryId))
        return delivery_with_attempts(found)

    @post(
        "/deliveries/{deliveryId:str}/resend",
        status_code=200,
        summary="Resend a delivery",
        unkeyed=True,
    )
    async def resend(
        self,
        request: ApiRequest,
        webhookId: FromPath[str],
        deliveryId: FromPath[str],
        deliveries: NamedDependency[Deliveries],
    ) -> DeliveryReply:
        """Whatever became of it, it is tried again at once, and for another 24 hours."""
        found = await deliveries.resend(request.user, _webhook(webhookId), _delivery(deliveryId))
        return delivery_reply(found)

    @post("/resend", status_code=200, summary="Resend everything since a time", unkeyed=True)
    async def resend_since(
        self,
        request: ApiRequest,
        webhookId: FromPath[str],
        data: JSONBody[ResendRequest],
        deliveries: NamedDependency[Deliveries],
    ) -> ResendReply:
        """Every event since then, or those only whose delivery was refused or given up."""
        found = await deliveries.resend_since(
            request.user, _webhook(webhookId), _since(data.since), data.only
        )
        return resend_reply(found)


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
    """Every type that these patterns are for, in both spellings: endpoints choose one."""
    if texts is None:
        return None
    named = [part.strip() for text in texts for part in text.split(",")]
    patterns = check_patterns(named, field="eventType")
    found = [each.type for each in CATALOGUE if is_wanted(patterns, each.type)]
    return frozenset(found) | {spelled(each, is_created=True) for each in found}


def _key(text: str) -> EventKey:
    key = event_key(text)
    if key is None:
        raise FieldInvalid("eventId is not the id of an event", field="eventId")
    return key


def _cursor(position: DeliveryPosition) -> str:
    microseconds = (position.created_at - _EPOCH) // _MICROSECOND
    return f"{microseconds:0{_MOMENT_DIGITS}x}{position.id.hex}"


def _position(cursor: str | None) -> DeliveryPosition | None:
    if cursor is None:
        return None
    digits, id_digits = cursor[:_MOMENT_DIGITS], cursor[_MOMENT_DIGITS:]
    if len(cursor) == _MOMENT_DIGITS + _ID_DIGITS and _HEX.issuperset(cursor):
        try:
            at = _EPOCH + int(digits, 16) * _MICROSECOND
        except OverflowError:
            pass
        else:
            return DeliveryPosition(at, UUID(id_digits))
    raise FieldInvalid("cursor is no nextCursor of this list", field="cursor")
