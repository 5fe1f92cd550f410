"""`landbridge trigger`: runs the scenario that produces an event, in a sandbox."""

import asyncio
from collections.abc import Mapping, Sequence

from landbridge.developers.events.names import CATALOGUE, check_patterns
from landbridge.sandbox.scenarios import endpoints, payments, people, reports, travel_rule
from landbridge.sandbox.scenarios.client import ScenarioClient, ScenarioFailed
from landbridge.sandbox.scenarios.event_log import EventHeader, EventLogCursor, heading
from landbridge.sandbox.scenarios.people import Scenario, ScenarioResult

# By the event that each produces; every event name of the catalogue has one.
SCENARIOS: Mapping[str, Scenario] = {
    **people.SCENARIOS,
    **payments.SCENARIOS,
    **reports.SCENARIOS,
    **endpoints.SCENARIOS,
    **travel_rule.SCENARIOS,
}

# A slow transaction anywhere in the database delays the log this long.
_POLLS_MAX, _PAUSE_S = 300, 0.1


def known_type(text: str) -> str:
    """Return the event type in the spelling of the catalogue.

    Raises `FieldInvalid` for an unknown name (an old name is answered with the new one), and
    `ScenarioFailed` for a pattern.
    """
    (type_,) = check_patterns([text], field="the type of event")
    if type_ not in SCENARIOS:
        raise ScenarioFailed(f"{text} is more than one type of event; `--list` has them all")
    return type_


def known_patterns(text: str) -> str:
    """Parse event types and patterns, separated by commas; raises `FieldInvalid` as above."""
    parts = [each.strip() for each in text.split(",")]
    return ",".join(check_patterns(parts, field="--events"))


def listed() -> Sequence[str]:
    """Return a line for each event type."""
    width = max(len(each.type) for each in CATALOGUE)
    return [f"{each.type:<{width}}  {each.meaning}" for each in CATALOGUE]


async def trigger(client: ScenarioClient, type_: str) -> tuple[ScenarioResult, EventHeader]:
    """Run the scenario of an event type; return its subject and the event.

    The subject's id separates this event from other events of the organisation.
    """
    await _check_latency(client)
    reading = EventLogCursor(client, type_)
    await reading.go_to_end()
    result = await SCENARIOS[type_](client)
    for _ in range(_POLLS_MAX):
        for event in await reading.next():
            if result.subject_id.encode() in event:
                return result, heading(event)
        await asyncio.sleep(_PAUSE_S)
    raise ScenarioFailed(f"the scenario ran, but produced no {type_}")


async def _check_latency(client: ScenarioClient) -> None:
    profiles = await client.get("/v2/sandbox/latency")
    if set(profiles.values()) != {"instant"}:
        raise ScenarioFailed(
            "scenarios need instant chains and banks: change their latency with "
            "POST /v2/sandbox/latency"
        )
