"""Every event type of the catalogue, by its scenario, as `landbridge trigger` runs it."""

from typing import Any

import pytest

from landbridge.app.container import wire
from landbridge.developers.events.model import event_key
from landbridge.developers.events.names import CATALOGUE
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.db.pool import Database
from landbridge.sandbox.scenarios import travel_rule
from landbridge.sandbox.scenarios.client import ScenarioFailed
from landbridge.sandbox.scenarios.event_log import EVENTS, EventHeader
from landbridge.sandbox.scenarios.trigger import (
    SCENARIOS,
    known_patterns,
    known_type,
    listed,
    trigger,
)
from tests.customers.travel_rule.travel_world import APPLIED, SETTING
from tests.sandbox.scenarios.in_process_client import client_of
from tests.tenants import Tenant, make_tenant, served

NAMES = {each.type: each for each in CATALOGUE}
# Happens only where the operator has switched the travel rule on.
(TRAVEL_RULE,) = travel_rule.SCENARIOS
# Members that an event does not show: an endpoint needs no person's session.
HIDDEN = {"TOS_LINK.UPDATE": {"sessionToken": ""}}
# Members that an event states, and that the caller of the retrieve already knows.
ADDED = {name: {"userId", "rails"} for name in ("KYC.STATUS.CREATE", "KYC.STATUS.UPDATE")}


def test_every_event_type_has_a_scenario() -> None:
    assert SCENARIOS.keys() == NAMES.keys()


@pytest.mark.parametrize("type_", [each for each in NAMES if each != TRAVEL_RULE])
async def test_scenario_produces_its_event(org: Tenant, type_: str) -> None:
    client = client_of(org)
    text, event = await trigger(client, type_)
    again = await client.get(f"{EVENTS}/{event.event_id}")
    name = NAMES[type_]
    assert (again["eventType"], again["eventCategory"]) == (type_, name.category)
    assert again["eventAction"] == type_.rpartition(".")[2]
    assert again["data"] == event.data
    if text.path is None:
        assert event.data["id"] == event.object_id == text.subject_id
        return
    retrieved = await client.get(text.path) | HIDDEN.get(type_, {})
    assert event.data.keys() - retrieved.keys() == ADDED.get(type_, set())
    if await _is_last(org, event):
        assert event.data | retrieved == event.data
    else:
        assert event.data.keys() >= retrieved.keys()
    details = event.data.get("transferDetails")
    if details is not None and ".STATUS." in type_:
        assert details["status"] == type_.rpartition(".")[2]


async def test_data_of_the_travel_rule_are_missing_where_it_is_on(
    org: Tenant, own_database: Database
) -> None:
    with pytest.raises(ScenarioFailed, match="LANDBRIDGE_TRAVEL_RULE=on"):
        await trigger(client_of(org), TRAVEL_RULE)
    container = wire(APPLIED, own_database, Clock(node=1))
    async with served(container) as client:
        enforcing = client_of(await make_tenant(container, client))
        before = await enforcing.get(SETTING)
        result, event = await trigger(enforcing, TRAVEL_RULE)
        assert event.data["transferId"] == result.subject_id
        assert event.data["missing"]
        # Later payments do not wait.
        assert (await enforcing.get(SETTING))["jurisdiction"] == before["jurisdiction"] is None


async def _is_last(org: Tenant, event: EventHeader) -> bool:
    """Return whether the object has not changed since."""
    key = event_key(event.event_id)
    assert key is not None
    (last,) = await org.container.database.rows(
        "select max(seq) as seq from changes where org_id = $1 and object_id = $2",
        org.org_id,
        key.object_id,
    )
    return key.seq == last["seq"]


def test_an_event_is_triggered_by_either_spelling_of_its_name() -> None:
    assert known_type("OFFRAMP.TRANSACTION.CREATED") == "OFFRAMP.TRANSACTION.CREATE"


def test_a_pattern_of_several_event_types_is_refused() -> None:
    with pytest.raises(ScenarioFailed, match="more than one type"):
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


async def test_scenarios_require_instant_chains_and_banks(org: Tenant) -> None:
    await org.post("/v2/sandbox/latency", {"rails": "real"})
    with pytest.raises(ScenarioFailed, match="instant"):
        await trigger(client_of(org), "USER.CREATE")


async def test_a_scenario_recognises_its_own_event(org: Tenant) -> None:
    client = client_of(org)
    found: list[Any] = [(await trigger(client, "USER.CREATE")) for _ in range(2)]
    assert len({event.event_id for _, event in found}) == 2
    for text, event in found:
        assert event.data["id"] == text.subject_id


async def test_an_existing_endpoint_is_tested(org: Tenant) -> None:
    body = {"url": "http://127.0.0.1:9/webhooks", "eventTypes": ["*"]}
    created = await org.post("/v2/webhooks", body)
    text, event = await trigger(client_of(org), "WEBHOOK.TEST")
    assert event.object_id == created["id"]
    assert event.data == await org.get(text.path or "")
    assert (await org.get("/v2/webhooks"))["count"] == 1
