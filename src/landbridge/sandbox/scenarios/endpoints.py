"""Scenario of a test event for a webhook endpoint."""

from collections.abc import Mapping

from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import Scenario, ScenarioResult

_WEBHOOKS = "/v2/webhooks"
# The discard port: no receiver is needed.
_ENDPOINT = {"url": "http://127.0.0.1:9/landbridge-trigger", "eventTypes": ["WEBHOOK.TEST"]}


async def _endpoint_is_tested(client: ScenarioClient) -> ScenarioResult:
    """Send a test event to the newest active endpoint, or to a temporary one if there is none."""
    there = (await client.get(_WEBHOOKS))["webhooks"]
    active = next((str(each["id"]) for each in there if each["status"] == "ACTIVE"), None)
    if active is not None:
        await client.post(f"{_WEBHOOKS}/{active}/test")
        return ScenarioResult(f"{_WEBHOOKS}/{active}", active)
    webhook_id = str((await client.post(_WEBHOOKS, _ENDPOINT))["id"])
    await client.post(f"{_WEBHOOKS}/{webhook_id}/test")
    await client.delete(f"{_WEBHOOKS}/{webhook_id}")
    return ScenarioResult(None, webhook_id)


# By the event that each produces.
SCENARIOS: Mapping[str, Scenario] = {"WEBHOOK.TEST": _endpoint_is_tested}
