"""Events on the wire. The envelope itself is `events.envelopes`."""

import msgspec

from landbridge.developers.events.envelopes import Envelope
from landbridge.developers.webhooks.delivery_schemas import DeliveryReply
from landbridge.platform.http.responses import WireStruct


class EventWithDeliveries(Envelope, frozen=True):
    """An event with its deliveries, newest first."""

    deliveries: list[DeliveryReply]


class EventPage(WireStruct, frozen=True):
    """A page; send `nextCursor` back as `cursor`, now or later."""

    count: int
    records: list[Envelope]
    next_cursor: str | msgspec.UnsetType = msgspec.UNSET
