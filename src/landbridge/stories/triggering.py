"""`landbridge trigger`: the real story that leads to an event, told in a sandbox."""

import asyncio
from collections.abc import Mapping, Sequence

from landbridge.events.names import CATALOGUE, check_patterns
from landbridge.stories import endpoints, payments, people, reports
from landbridge.stories.client import Client, StoryFailed
from landbridge.stories.event_log import Heading, Reading, heading
from landbridge.stories.people import Story, Told

# By the event that each leads to: every name of the catalogue has one.
STORIES: Mapping[str, Story] = {
    **people.STORIES,
    **payments.STORIES,
    **reports.STORIES,
    **endpoints.STORIES,
}

# Whatever is committed late anywhere in the database holds up the log meanwhile.
_LOOKS, _PAUSE_S = 300, 0.1


def known_type(text: str) -> str:
    """The type of event that this is, in the spelling of the catalogue.

    Raises `FieldInvalid`, for an older name with the newer, and `StoryFailed` for a pattern.
    """
    (type_,) = check_patterns([text], field="the type of event")
    if type_ not in STORIES:
        raise StoryFailed(f"{text} is more than one type of event; `--list` has them all")
    return type_


def known_patterns(text: str) -> str:
    """Types of events and patterns, with commas between; raises `FieldInvalid` as above."""
    parts = [each.strip() for each in text.split(",")]
    return ",".join(check_patterns(parts, field="--events"))


def listed() -> Sequence[str]:
    """A line for each type of event."""
    width = max(len(each.type) for each in CATALOGUE)
    return [f"{each.type:<{width}}  {each.meaning}" for each in CATALOGUE]


async def trigger(client: Client, type_: str) -> tuple[Told, Heading]:
    """Tell the story of a type of event; answers what it was about, and the event.

    What else happens in the organisation meanwhile is told apart by what the story was about.
    """
    await _check_pace(client)
    reading = Reading(client, type_)
    await reading.go_to_end()
    told = await STORIES[type_](client)
    for _ in range(_LOOKS):
        for event in await reading.next():
            if _is_about(told, event):
                return told, heading(event)
        await asyncio.sleep(_PAUSE_S)
    raise StoryFailed(f"the story was told, but {type_} did not come of it")


async def _check_pace(client: Client) -> None:
    paces = await client.get("/v2/sandbox/pace")
    if set(paces.values()) != {"instant"}:
        raise StoryFailed(
            "stories need chains and banks that are instant, and these are not: see "
            "POST /v2/sandbox/pace"
        )


def _is_about(told: Told, event: bytes) -> bool:
    return told.about.encode() in event
