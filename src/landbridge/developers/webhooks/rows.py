"""Rows of deliveries, as every store of theirs reads them."""

import msgspec

from landbridge.developers.events.model import EventKey
from landbridge.developers.webhooks.model import Delivery, DeliveryAttempt, DeliveryStatus
from landbridge.platform.db.pool import Row


def as_delivery(row: Row) -> Delivery:
    """Build a delivery from a full row; `tx` and `attempts` are read as text, responses sealed."""
    return Delivery(
        org_id=row["org_id"],
        id=row["id"],
        day=row["day"],
        endpoint_id=row["endpoint_id"],
        round=row["round"],
        place=row["place"],
        key=EventKey(row["object_id"], row["seq"], row["part"]),
        event_type=row["event_type"],
        event_at=row["event_at"],
        status=DeliveryStatus(row["status"]),
        due_at=row["due_at"],
        deadline_at=row["deadline_at"],
        attempt_count=row["attempt_count"],
        attempts=msgspec.json.decode(row["attempts"], type=tuple[DeliveryAttempt, ...]),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        owner_id=row["owner_id"],
        sealed_responses=row["sealed_responses"],
    )
