"""Rows of deliveries, as every store of theirs reads them."""

import msgspec

from landbridge.db.pool import Row
from landbridge.events.model import EventKey
from landbridge.webhooks.model import Attempt, Delivery, DeliveryStatus


def as_delivery(row: Row) -> Delivery:
    """A row with all columns; `tx` and `attempts` are read as text. Its answers are sealed."""
    return Delivery(
        org_id=row["org_id"],
        id=row["id"],
        day=row["day"],
        endpoint_id=row["endpoint_id"],
        round=row["round"],
        tx=int(row["tx"]),
        key=EventKey(row["object_id"], row["seq"], row["part"]),
        event_type=row["event_type"],
        event_at=row["event_at"],
        status=DeliveryStatus(row["status"]),
        due_at=row["due_at"],
        gives_up_at=row["gives_up_at"],
        attempt_count=row["attempt_count"],
        attempts=msgspec.json.decode(row["attempts"], type=tuple[Attempt, ...]),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        owner_id=row["owner_id"],
        sealed_answers=row["sealed_answers"],
    )
