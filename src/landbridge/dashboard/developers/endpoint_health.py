"""Health of a webhook endpoint, from its latest deliveries."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from landbridge.developers.webhooks.delivery_schemas import DeliveriesReply, DeliveryReply
from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.http.internal_client import InternalClient

WEBHOOKS: Final = "/v2/webhooks"

_LATEST = 10
# Deliveries that fail for less are usual while a receiver is deployed.
_FAILING_AFTER: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class EndpointHealth:
    """Health of an endpoint; `last` is the latest attempted delivery, otherwise the latest one."""

    last: DeliveryReply | None
    is_retrying: bool
    is_refusing: bool


async def endpoint_health(interface: InternalClient, webhook_id: UUID | str) -> EndpointHealth:
    """Return an endpoint's health from its latest deliveries."""
    try:
        path = f"{WEBHOOKS}/{webhook_id}/deliveries"
        found = (await interface.read(DeliveriesReply, path, limit=_LATEST)).deliveries
    except ResourceNotFound:
        # Ended just now.
        found = []
    attempted = [each for each in found if each.last_attempt]
    return EndpointHealth(
        last=next(iter(attempted or found), None),
        is_retrying=any(each.status == "PENDING" for each in attempted),
        is_refusing=bool(attempted) and attempted[0].status == "REFUSED",
    )


async def failing_since(
    interface: InternalClient, webhook_id: UUID | str, now: datetime
) -> str | None:
    """Return since when all deliveries fail, if that is an hour or more, otherwise None."""
    path, before = f"{WEBHOOKS}/{webhook_id}/deliveries", (now - _FAILING_AFTER).isoformat()
    try:
        retried = await interface.read(
            DeliveriesReply, path, status="PENDING", createdBefore=before, limit=1
        )
        if not retried.deliveries or retried.deliveries[0].last_attempt is None:
            return None
        delivered = await interface.read(DeliveriesReply, path, status="DELIVERED", limit=1)
    except ResourceNotFound:
        # Deleted just now.
        return None
    since = retried.deliveries[0].created_at
    last = delivered.deliveries[0].last_attempt if delivered.deliveries else None
    return None if last is not None and _moment(last.at) > _moment(since) else since


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
