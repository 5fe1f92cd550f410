"""What becomes of deliveries of payments that were created with a plan for them."""

from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.core.ids import new_id
from landbridge.db.pool import Database
from landbridge.simulation.forcing import Forcing
from landbridge.simulation.plans import read_plan
from landbridge.webhooks.delivering.forced import ForcedDeliveries, ForcedDelivery
from tests.make import make_org
from tests.simulation.contract import AT
from tests.simulation.made import make_forcing

MINUTE = timedelta(minutes=1)
NO_ANSWER = "no answer, as the sandbox was asked"


@pytest.fixture
async def org_id(database: Database) -> UUID:
    return await make_org(database)


async def _planned(database: Database, org_id: UUID, text: str) -> UUID:
    """The id of a record with this plan."""
    record_id, plan = new_id(), read_plan(text)
    await database.transact(lambda tx: make_forcing(database).keep(tx, org_id, record_id, plan))
    return record_id


@pytest.mark.parametrize(
    ("text", "delivery"),
    [
        ("webhook=fail", ForcedDelivery(fails_until=AT + 10 * MINUTE, error=NO_ANSWER)),
        ("webhook=fail:25h", ForcedDelivery(fails_until=AT + 1500 * MINUTE, error=NO_ANSWER)),
        ("webhook=late:1m", ForcedDelivery(waits_until=AT + MINUTE)),
        ("payout=return;webhook=twice", ForcedDelivery(is_twice=True)),
    ],
    ids=["fail", "fail-long", "late", "twice"],
)
async def test_a_plan_says_what_becomes_of_deliveries(
    database: Database, org_id: UUID, text: str, delivery: ForcedDelivery
) -> None:
    forced = ForcedDeliveries(make_forcing(database))
    record_id = await _planned(database, org_id, text)
    assert await forced.of(org_id, [(record_id, AT)]) == {record_id: delivery}
    # Nobody else's.
    assert await forced.of(await make_org(database), [(record_id, AT)]) == {}


async def test_a_delay_begins_with_the_first_event_and_once(
    database: Database, org_id: UUID
) -> None:
    record_id = await _planned(database, org_id, "webhook=late")
    events = [(record_id, AT + MINUTE), (record_id, AT), (record_id, AT + 2 * MINUTE)]
    for asked in (events, events[:1], [(record_id, AT + timedelta(days=3))]):
        # Another worker, with nothing in its memory.
        found = await ForcedDeliveries(make_forcing(database)).of(org_id, asked)
        assert found[record_id].waits_until == AT + 10 * MINUTE


async def test_most_events_have_no_such_plan(database: Database, org_id: UUID) -> None:
    forced = ForcedDeliveries(make_forcing(database))
    other = await _planned(database, org_id, "payout=return")
    ours = await _planned(database, org_id, "webhook=twice")
    events = [(each, AT) for each in (other, new_id(), ours, new_id())]
    assert await forced.of(org_id, events) == {ours: ForcedDelivery(is_twice=True)}
    assert await forced.of(org_id, []) == {}


async def test_in_production_nothing_is_looked_up(database: Database, org_id: UUID) -> None:
    record_id = await _planned(database, org_id, "webhook=fail")
    production = Forcing(database, is_sandbox=False, has_bank=False)
    assert await ForcedDeliveries(production).of(org_id, [(record_id, AT)]) == {}
