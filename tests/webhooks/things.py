"""An endpoint, an event and a delivery, for the tests that walk all routes; and good bodies."""

from typing import Any
from uuid import UUID, uuid4

from landbridge.events.model import EventKey
from tests.tenants import Tenant
from tests.webhooks.rows import add, make_endpoint, row

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


async def make_told(org: Tenant) -> dict[str, str]:
    """The ids of one of each."""
    webhook = await make_endpoint(org, eventTypes=["*"])
    delivery = row(org, webhook)
    await add(org, webhook, [delivery])
    event = (await org.get("/v2/events", limit="1", order="desc"))["records"][0]["eventId"]
    return {"webhook": webhook, "event": event, "delivery": str(delivery.id)}


def nothing_told() -> dict[str, str]:
    """Ids of nothing."""
    event = EventKey(UUID(int=uuid4().int), 1, 0).text
    return {"webhook": str(uuid4()), "event": event, "delivery": str(uuid4())}
