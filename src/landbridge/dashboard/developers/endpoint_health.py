"""Health of a webhook endpoint, from its latest deliveries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.http.internal_client import InternalClient

WEBHOOKS: Final = "/v2/webhooks"

Deliveries: TypeAlias = Sequence[Mapping[str, Any]]
_LATEST = 10


@dataclass(frozen=True, slots=True)
class EndpointHealth:
    """Health of an endpoint; `last` is the latest attempted delivery, otherwise the latest one."""

    last: Mapping[str, Any] | None
    is_retrying: bool
    is_refusing: bool


async def endpoint_health(interface: InternalClient, webhook_id: str) -> EndpointHealth:
    """Return an endpoint's health from its latest deliveries."""
    try:
        path = f"{WEBHOOKS}/{webhook_id}/deliveries"
        found: Deliveries = (await interface.get(path, limit=_LATEST))["deliveries"]
    except ResourceNotFound:
        # Ended just now.
        found = []
    attempted: Deliveries = [each for each in found if each["lastAttempt"]]
    return EndpointHealth(
        last=next(iter(attempted or found), None),
        is_retrying=any(each["status"] == "PENDING" for each in attempted),
        is_refusing=bool(attempted) and attempted[0]["status"] == "REFUSED",
    )
