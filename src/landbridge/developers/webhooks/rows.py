"""Rows of deliveries, as every store of theirs reads them."""

import msgspec

from landbridge.developers.events.model import EventKey
from landbridge.developers.webhooks.model import Delivery, DeliveryAttempt
from landbridge.platform.db.pool import Row
from landbridge.platform.db.rows import read_row


def as_delivery(row: Row) -> Delivery:
    """Build a delivery from a full row; `tx` and `attempts` are read as text, responses sealed."""
    return read_row(
        row,
        Delivery,
        key=EventKey(row["object_id"], row["seq"], row["part"]),
        attempts=msgspec.json.decode(row["attempts"], type=tuple[DeliveryAttempt, ...]),
    )
