"""Health of a webhook endpoint, from its latest deliveries."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from landbridge.developers.webhooks.delivery_schemas import DeliveriesReply, DeliveryReply
from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.http.internal_client import InternalClient

WEBHOOKS: Final = "/v2/webhooks"

_LATEST = 10


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
