"""Outcomes of deliveries of payments with scripted delivery outcomes."""

from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.developers.webhooks.delivery.scripted_outcomes import (
    ScriptedDeliveries,
    ScriptedDelivery,
)
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.providers.simulation.outcome_plans import read_plan
from landbridge.providers.simulation.scripted_outcomes import ScriptedOutcomes
from tests.make import make_org
from tests.providers.simulation.builders import make_scripted_outcomes
from tests.providers.simulation.contract import AT

MINUTE = timedelta(minutes=1)
NO_ANSWER = "no answer, as scripted in the sandbox"


@pytest.fixture
async def org_id(database: Database) -> UUID:
    return await make_org(database)


async def _planned(database: Database, org_id: UUID, text: str) -> UUID:
    """Create a record with this plan; return its id."""
    record_id, plan = new_id(), read_plan(text)
    await database.transact(
        lambda tx: make_scripted_outcomes(database).store_plan(tx, org_id, record_id, plan)
    )
    return record_id


@pytest.mark.parametrize(
    ("text", "delivery"),
    [
        ("webhook=fail", ScriptedDelivery(fails_until=AT + 10 * MINUTE, error=NO_ANSWER)),
        ("webhook=fail:25h", ScriptedDelivery(fails_until=AT + 1500 * MINUTE, error=NO_ANSWER)),
        ("webhook=late:1m", ScriptedDelivery(waits_until=AT + MINUTE)),
        ("payout=return;webhook=twice", ScriptedDelivery(is_twice=True)),
    ],
    ids=["fail", "fail-long", "late", "twice"],
)
async def test_a_plan_determines_the_outcome_of_deliveries(
    database: Database, org_id: UUID, text: str, delivery: ScriptedDelivery
) -> None:
    scripted = ScriptedDeliveries(make_scripted_outcomes(database))
    record_id = await _planned(database, org_id, text)
    assert await scripted.of(org_id, [(record_id, AT)]) == {record_id: delivery}
    # No other organisation's.
    assert await scripted.of(await make_org(database), [(record_id, AT)]) == {}


async def test_a_delay_begins_with_the_first_event_and_once(
    database: Database, org_id: UUID
) -> None:
    record_id = await _planned(database, org_id, "webhook=late")
    events = [(record_id, AT + MINUTE), (record_id, AT), (record_id, AT + 2 * MINUTE)]
    for deliveries in (events, events[:1], [(record_id, AT + timedelta(days=3))]):
        # Another worker, with an empty memory.
        found = await ScriptedDeliveries(make_scripted_outcomes(database)).of(org_id, deliveries)
        assert found[record_id].waits_until == AT + 10 * MINUTE


async def test_most_events_have_no_such_plan(database: Database, org_id: UUID) -> None:
    scripted = ScriptedDeliveries(make_scripted_outcomes(database))
    other = await _planned(database, org_id, "payout=return")
    ours = await _planned(database, org_id, "webhook=twice")
    events = [(each, AT) for each in (other, new_id(), ours, new_id())]
    assert await scripted.of(org_id, events) == {ours: ScriptedDelivery(is_twice=True)}
    assert await scripted.of(org_id, []) == {}


async def test_production_has_no_scripted_deliveries(database: Database, org_id: UUID) -> None:
    record_id = await _planned(database, org_id, "webhook=fail")
    production = ScriptedOutcomes(database, is_sandbox=False, has_bank=False)
    assert await ScriptedDeliveries(production).of(org_id, [(record_id, AT)]) == {}
