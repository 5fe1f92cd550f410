"""Snapshots: earlier versions of records, rebuilt from their changes."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.ledger.snapshots import amount_facts, find_at_moments, find_at_versions
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from tests import make
from tests.make import TRANSITIONS, USDC, USDT, Status

SECOND = timedelta(seconds=1)


def _without_due(record: Transfer) -> Transfer:
    return replace(record, due_at=None)


async def _walked(database: Database, *facts: dict[str, Any]) -> list[Transfer]:
    """Return a payment after its creation and after each of two advances."""
    ledger, org_id = Ledger(database), new_id()
    account = await make.make_account(database, org_id, units=10)
    created = make.opened(
        await ledger.create(make.opening(org_id, Status.OPEN, account_id=account), TRANSITIONS)
    )
    held = make.moved(
        await ledger.advance(make.move(created, Status.HELD, facts=facts[0]), TRANSITIONS)
    )
    done = make.moved(
        await ledger.advance(make.move(held, Status.SETTLED, facts=facts[1]), TRANSITIONS)
    )
    return [created, held, done]


_FACTS = st.dictionaries(st.sampled_from("abc"), st.none() | st.integers(0, 9), max_size=3)


@settings(max_examples=20, deadline=None)
@given(_FACTS, _FACTS)
async def test_every_version_equals_the_returned_record(
    database: Database, first: dict[str, Any], second: dict[str, Any]
) -> None:
    versions = await _walked(database, first, second)
    org_id, record_id = versions[0].org_id, versions[0].id
    found = await find_at_versions(database, org_id, [(record_id, seq) for seq in (3, 1, 2, 1)])
    assert found == [_without_due(versions[index]) for index in (2, 0, 1, 0)]
    moments = [each.updated_at for each in versions]
    expected = [(record_id, at) for at in (*moments, moments[-1] + SECOND)]
    assert await find_at_moments(database, org_id, expected) == [
        _without_due(each) for each in (*versions, versions[-1])
    ]


async def test_postponement_is_in_no_version(database: Database) -> None:
    ledger, org_id = Ledger(database), new_id()
    created = make.opened(
        await ledger.create(make.opening(org_id, Status.OPEN, due_in=SECOND), TRANSITIONS)
    )
    assert created.due_at is not None
    assert await ledger.postpone(created, created.due_at + SECOND, {"attempts": 1})
    (found,) = await find_at_versions(database, org_id, [(created.id, 1)])
    assert found == _without_due(created)


async def test_replaced_amounts_belong_to_their_version(database: Database) -> None:
    ledger, org_id = Ledger(database), new_id()
    before, after = (Money(5, USDC), Money(4, USDT)), (Money(7, USDC), Money(9, USDT))
    opening = replace(
        make.opening(org_id, Status.OPEN),
        source=before[0],
        destination=before[1],
        details={"account_id": None, **amount_facts(*before)},
    )
    created = make.opened(await ledger.create(opening, TRANSITIONS))
    move = make.move(created, Status.HELD, facts=amount_facts(*after), journals={})
    held = make.moved(
        await ledger.advance(replace(move, source=after[0], destination=after[1]), TRANSITIONS)
    )
    assert (held.source_units, held.destination_units) == (7, 9)
    found = await find_at_versions(database, org_id, [(created.id, 1), (created.id, 2)])
    assert found == [_without_due(created), _without_due(held)]


async def test_intermediate_status_has_no_facts_of_the_last(
    database: Database,
) -> None:
    ledger, org_id = Ledger(database), new_id()
    created = make.opened(await ledger.create(make.opening(org_id, Status.OPEN), TRANSITIONS))
    path = (Status.HELD, Status.SETTLED)
    done = make.moved(
        await ledger.advance(
            make.move(created, *path, facts={"hash": "0x1"}, journals={}), TRANSITIONS
        )
    )
    found = [
        each
        for each in await find_at_versions(
            database, org_id, [(created.id, seq) for seq in (1, 2, 3)]
        )
        if each is not None
    ]
    assert [each.status for each in found] == [Status.OPEN, Status.HELD, Status.SETTLED]
    assert [each.facts for each in found] == [{}, {}, {"hash": "0x1"}]
    assert [each.updated_at for each in found] == [created.updated_at, *[done.updated_at] * 2]


async def test_missing_record_has_no_snapshot(database: Database) -> None:
    ledger, org_id = Ledger(database), new_id()
    created = make.opened(await ledger.create(make.opening(org_id, Status.OPEN), TRANSITIONS))
    assert await find_at_versions(database, org_id, []) == []
    assert await find_at_versions(database, org_id, [(new_id(), 1), (created.id, 0)]) == [
        None,
        None,
    ]
    assert await find_at_versions(database, new_id(), [(created.id, 1)]) == [None]
    assert await find_at_moments(database, org_id, [(created.id, created.created_at - SECOND)]) == [
        None
    ]
