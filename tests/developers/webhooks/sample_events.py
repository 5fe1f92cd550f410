"""An endpoint, an event and a delivery, for the tests that walk all routes; and good bodies."""

from typing import Any
from uuid import UUID, uuid4

from landbridge.developers.events.model import EventKey
from tests.developers.webhooks.rows import add, make_endpoint, row
from tests.tenants import Tenant

WEBHOOK = "/v2/webhooks/{webhookId}"

BODIES: dict[str, Any] = {
    "POST /v2/webhooks": {"url": "https://example.com/", "eventTypes": ["*"]},
    f"PATCH {WEBHOOK}": {"description": "a"},
    f"DELETE {WEBHOOK}": {},
    f"POST {WEBHOOK}/test": {},
    f"POST {WEBHOOK}/rotate": {},
    f"POST {WEBHOOK}/deliveries/{{deliveryId}}/resend": {},
    f"POST {WEBHOOK}/resend": {"since": "2026-01-01", "only": "failed"},
}


async def make_webhook_resources(org: Tenant) -> dict[str, str]:
    """Create one of each resource; return their ids."""
    webhook = await make_endpoint(org, eventTypes=["*"])
    delivery = row(org, webhook)
    await add(org, webhook, [delivery])
    event = (await org.get("/v2/events", limit="1", order="desc"))["records"][0]["eventId"]
    return {"webhook": webhook, "event": event, "delivery": str(delivery.id)}


def unknown_webhook_ids() -> dict[str, str]:
    """Return ids of missing resources."""
    event = EventKey(UUID(int=uuid4().int), 1, 0).text
    return {"webhook": str(uuid4()), "event": event, "delivery": str(uuid4())}
