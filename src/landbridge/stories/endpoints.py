"""The story of an endpoint that is sent a test event."""

from collections.abc import Mapping

from landbridge.stories.client import Client
from landbridge.stories.people import Story, Told

_WEBHOOKS = "/v2/webhooks"
# The port that discards: nobody has to listen there.
_ENDPOINT = {"url": "http://127.0.0.1:9/landbridge-trigger", "eventTypes": ["WEBHOOK.TEST"]}


async def _endpoint_is_tested(client: Client) -> Told:
    """The newest endpoint that is active; where there is none, one that is gone afterwards."""
    there = (await client.get(_WEBHOOKS))["webhooks"]
    active = next((str(each["id"]) for each in there if each["status"] == "ACTIVE"), None)
    if active is not None:
        await client.post(f"{_WEBHOOKS}/{active}/test")
        return Told(f"{_WEBHOOKS}/{active}", active)
    made = str((await client.post(_WEBHOOKS, _ENDPOINT))["id"])
    await client.post(f"{_WEBHOOKS}/{made}/test")
    await client.delete(f"{_WEBHOOKS}/{made}")
    return Told(None, made)


# By the event that each leads to.
STORIES: Mapping[str, Story] = {"WEBHOOK.TEST": _endpoint_is_tested}
