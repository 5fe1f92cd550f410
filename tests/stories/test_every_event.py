"""Every name of the catalogue, by the story that leads to it, as `landbridge trigger` tells it."""

from typing import Any

import pytest

from landbridge.core.errors import FieldInvalid
from landbridge.events.model import event_key
from landbridge.events.names import CATALOGUE
from landbridge.stories.client import StoryFailed
from landbridge.stories.event_log import EVENTS, Heading
from landbridge.stories.triggering import STORIES, known_patterns, known_type, listed, trigger
from tests.tenants import Tenant

from .playing import client_of

NAMES = {each.type: each for each in CATALOGUE}
# What an event has to say, and the caller of the retrieve has said.
ADDED = {name: {"userId", "rails"} for name in ("KYC.STATUS.CREATE", "KYC.STATUS.UPDATE")}


def test_every_name_has_its_story() -> None:
    assert STORIES.keys() == NAMES.keys()


@pytest.mark.parametrize("type_", NAMES)
async def test_its_story_leads_to_it(org: Tenant, type_: str) -> None:
    client = client_of(org)
    told, event = await trigger(client, type_)
    again = await client.get(f"{EVENTS}/{event.event_id}")
    name = NAMES[type_]
    assert (again["eventType"], again["eventCategory"]) == (type_, name.category)
    assert again["eventAction"] == type_.rpartition(".")[2]
    assert again["data"] == event.data
    if told.path is None:
        assert event.data["id"] == event.object_id == told.about
        return
    retrieved = await client.get(told.path)
    assert event.data.keys() - retrieved.keys() == ADDED.get(type_, set())
    if await _is_last(org, event):
        assert event.data | retrieved == event.data
    else:
        assert event.data.keys() >= retrieved.keys()
    details = event.data.get("transferDetails")
    if details is not None and ".STATUS." in type_:
        assert details["status"] == type_.rpartition(".")[2]


async def _is_last(org: Tenant, event: Heading) -> bool:
    """Whether nothing has happened to the object since."""
    key = event_key(event.event_id)
    assert key is not None
    (last,) = await org.house.database.rows(
        "select max(seq) as seq from changes where org_id = $1 and object_id = $2",
        org.org_id,
        key.object_id,
    )
    return key.seq == last["seq"]


def test_an_event_is_triggered_by_either_spelling_of_its_name() -> None:
    assert known_type("OFFRAMP.TRANSACTION.CREATED") == "OFFRAMP.TRANSACTION.CREATE"


def test_what_is_no_single_event_is_refused() -> None:
    with pytest.raises(StoryFailed, match="more than one type"):
        known_type("ONRAMP.*")
    with pytest.raises(FieldInvalid, match=r"ONRAMP\.TRANSACTION\.CREATE"):
        known_type("ONRAMP.CREATE")
    with pytest.raises(FieldInvalid, match="no type of event"):
        known_type("ONRAMP.STATUS.LOST")


def test_patterns_have_commas_between() -> None:
    assert known_patterns("ONRAMP.*, *.RFI.OPEN") == "ONRAMP.*,*.RFI.OPEN"
    with pytest.raises(FieldInvalid, match=r"WALLET\.SWAP\.STATUS\.\*"):
        known_patterns("SWAP.UPDATE")


def test_every_type_is_listed_with_its_meaning() -> None:
    assert [tuple(line.split(maxsplit=1)) for line in listed()] == [
        (each.type, each.meaning) for each in CATALOGUE
    ]


async def test_a_story_needs_instant_chains_and_banks(org: Tenant) -> None:
    await org.post("/v2/sandbox/pace", {"rails": "real"})
    with pytest.raises(StoryFailed, match="instant"):
        await trigger(client_of(org), "USER.CREATE")


async def test_a_story_tells_its_own_event_from_those_of_others(org: Tenant) -> None:
    client = client_of(org)
    found: list[Any] = [(await trigger(client, "USER.CREATE")) for _ in range(2)]
    assert len({event.event_id for _, event in found}) == 2
    for told, event in found:
        assert event.data["id"] == told.about


async def test_an_endpoint_that_there_is_is_tested(org: Tenant) -> None:
    body = {"url": "http://127.0.0.1:9/webhooks", "eventTypes": ["*"]}
    made = await org.post("/v2/webhooks", body)
    told, event = await trigger(client_of(org), "WEBHOOK.TEST")
    assert event.object_id == made["id"]
    assert event.data == await org.get(told.path or "")
    assert (await org.get("/v2/webhooks"))["count"] == 1
