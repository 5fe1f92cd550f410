"""Makers of endpoints and of deliveries as couriers leave them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.core.ids import new_id
from landbridge.db.pool import Row, Tx
from landbridge.events.model import EventKey
from landbridge.webhooks import answers
from landbridge.webhooks.delivering import delivery_store
from landbridge.webhooks.model import PATIENCE, Attempt, Delivery, DeliveryStatus
from tests.tenants import Tenant

# Nobody listens there, and nothing is sent in tests that only look at rows.
URL = "http://127.0.0.1:9/hook"
SECOND = timedelta(seconds=1)


async def make_endpoint(org: Tenant, **told: Any) -> str:
    """The id of a webhook."""
    await org.house.partitions.keep()
    made = await org.post("/v2/webhooks", {"url": URL, **told})
    endpoint_id: str = made["id"]
    return endpoint_id


def tried(at: datetime, *, status: int | None = 200, answer: str = "ok") -> Attempt:
    """An attempt that was answered, or was not."""
    error = None if status is not None else "no answer"
    return Attempt(at=at, took_ms=7, status=status, error=error, answer=answer)


def row(org: Tenant, endpoint_id: str, /, **told: Any) -> Delivery:
    """A delivery that got there at the first try, unless it is told otherwise."""
    at: datetime = told.get("created_at") or org.house.clock.now()
    status = told.get("status", DeliveryStatus.DELIVERED)
    values: dict[str, Any] = {
        "org_id": org.org_id,
        "id": new_id(),
        "day": org.house.clock.now().astimezone(UTC).date(),
        "endpoint_id": UUID(endpoint_id),
        "round": 1,
        "tx": 1,
        "key": EventKey(new_id(), 1, 0),
        "event_type": "USER.CREATE",
        "event_at": at,
        "status": status,
        "due_at": None,
        "gives_up_at": at + PATIENCE,
        "attempt_count": 1,
        "attempts": (tried(at),),
        "created_at": at,
        "updated_at": at,
        # Nobody's events, which tell of nobody: answers are the organisation's.
        "owner_id": org.org_id,
        **told,
    }
    return Delivery(**values)


async def add(org: Tenant, endpoint_id: str, rows: Sequence[Delivery]) -> None:
    """Store them as a courier does."""

    async def work(tx: Tx) -> None:
        sealed = await answers.seal(tx, org.house.vault, org.org_id, rows)
        await delivery_store.add(tx, org.org_id, UUID(endpoint_id), sealed)

    await org.house.database.transact(work)


async def stored(org: Tenant, delivery_id: UUID) -> Row:
    """What of a delivery decides about what comes next."""
    rows = await org.house.database.rows(
        "select status, due_at, gives_up_at, round, attempt_count from webhook_deliveries"
        " where org_id = $1 and id = $2",
        org.org_id,
        delivery_id,
    )
    return rows[0]


async def endpoint(org: Tenant, endpoint_id: str) -> Row:
    """What of an endpoint couriers go by."""
    rows = await org.house.database.rows(
        "select read_tx::text as read_tx, read_object_id, read_seq, round, begins_at, leased_by,"
        " leased_until, version, flagged_at, flagged_reason"
        " from webhook_endpoints where org_id = $1 and id = $2",
        org.org_id,
        UUID(endpoint_id),
    )
    return rows[0]
