"""Events on the wire. The envelope itself is `events.envelopes`."""

from landbridge.events.envelopes import Envelope
from landbridge.web.reply import WireStruct
from landbridge.webhooks.delivery_shapes import DeliveryReply


class EventWithDeliveries(Envelope, frozen=True):
    """An event with its deliveries, newest first."""

    deliveries: list[DeliveryReply]


class EventPage(WireStruct, frozen=True):
    """A page; `nextCursor` goes back as `cursor`, now or whenever more is wanted."""

    count: int
    records: list[Envelope]
    next_cursor: str | None
