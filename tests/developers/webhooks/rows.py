"""Makers of endpoints and of deliveries as couriers leave them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.developers.events.model import EventKey
from landbridge.developers.webhooks import receiver_responses
from landbridge.developers.webhooks.delivery import delivery_store
from landbridge.developers.webhooks.model import (
    RETRY_WINDOW,
    Delivery,
    DeliveryAttempt,
    DeliveryStatus,
)
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Row, Tx
from tests.tenants import Tenant

# Nothing listens there, and tests of rows send nothing.
URL = "http://127.0.0.1:9/hook"
SECOND = timedelta(seconds=1)


async def make_endpoint(org: Tenant, **fields: Any) -> str:
    """Create a webhook; return its id."""
    await org.container.partitions.maintain()
    created = await org.post("/v2/webhooks", {"url": URL, **fields})
    endpoint_id: str = created["id"]
    return endpoint_id


def tried(at: datetime, *, status: int | None = 200, answer: str = "ok") -> DeliveryAttempt:
    """Build an attempt with or without a response."""
    error = None if status is not None else "no answer"
    return DeliveryAttempt(at=at, took_ms=7, status=status, error=error, answer=answer)


def row(org: Tenant, endpoint_id: str, /, **fields: Any) -> Delivery:
    """Build a delivery that succeeded at the first attempt, unless changed."""
    at: datetime = fields.get("created_at") or org.container.clock.now()
    status = fields.get("status", DeliveryStatus.DELIVERED)
    values: dict[str, Any] = {
        "org_id": org.org_id,
        "id": new_id(),
        "day": org.container.clock.now().astimezone(UTC).date(),
        "endpoint_id": UUID(endpoint_id),
        "round": 1,
        "place": 1,
        "key": EventKey(new_id(), 1, 0),
        "event_type": "USER.CREATE",
        "event_at": at,
        "status": status,
        "due_at": None,
        "deadline_at": at + RETRY_WINDOW,
        "attempt_count": 1,
        "attempts": (tried(at),),
        "created_at": at,
        "updated_at": at,
        # Events without an owner: responses belong to the organisation.
        "owner_id": org.org_id,
        **fields,
    }
    return Delivery(**values)


async def add(org: Tenant, endpoint_id: str, rows: Sequence[Delivery]) -> None:
    """Store deliveries as an endpoint worker does."""

    async def work(tx: Tx) -> None:
        sealed = await receiver_responses.seal(tx, org.container.vault, org.org_id, rows)
        await delivery_store.add(tx, org.org_id, UUID(endpoint_id), sealed)

    await org.container.database.transact(work)


async def stored(org: Tenant, delivery_id: UUID) -> Row:
    """Return the fields of a delivery that decide about its next step."""
    rows = await org.container.database.rows(
        "select status, due_at, deadline_at, round, attempt_count from webhook_deliveries"
        " where org_id = $1 and id = $2",
        org.org_id,
        delivery_id,
    )
    return rows[0]


async def endpoint(org: Tenant, endpoint_id: str) -> Row:
    """Return the fields of an endpoint that workers use."""
    rows = await org.container.database.rows(
        "select read_place, read_object_id, read_seq, round, starts_at, leased_by,"
        " leased_until, version, flagged_at, flagged_reason"
        " from webhook_endpoints where org_id = $1 and id = $2",
        org.org_id,
        UUID(endpoint_id),
    )
    return rows[0]
