"""Records as they were, read back from what was told of them."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from landbridge.core.ids import new_id
from landbridge.core.money import Money
from landbridge.db.pool import Database
from landbridge.ledger.model import Transfer
from landbridge.ledger.past import amounts_told, as_at, as_of
from landbridge.ledger.service import Ledger
from tests import make
from tests.make import MOVES, USDC, USDT, Status

SECOND = timedelta(seconds=1)


def _without_due(record: Transfer) -> Transfer:
    return replace(record, due_at=None)


async def _walked(database: Database, *facts: dict[str, Any]) -> list[Transfer]:
    """A payment as it was after its opening and each of two moves."""
    ledger, org_id = Ledger(database), new_id()
    account = await make.make_account(database, org_id, units=10)
    opened = make.opened(
        await ledger.open(make.opening(org_id, Status.OPEN, account_id=account), MOVES)
    )
    held = make.moved(await ledger.advance(make.move(opened, Status.HELD, facts=facts[0]), MOVES))
    done = make.moved(await ledger.advance(make.move(held, Status.SETTLED, facts=facts[1]), MOVES))
    return [opened, held, done]


_FACTS = st.dictionaries(st.sampled_from("abc"), st.none() | st.integers(0, 9), max_size=3)


@settings(max_examples=20, deadline=None)
@given(_FACTS, _FACTS)
async def test_every_version_is_what_the_verbs_answered(
    database: Database, first: dict[str, Any], second: dict[str, Any]
) -> None:
    versions = await _walked(database, first, second)
    org_id, record_id = versions[0].org_id, versions[0].id
    found = await as_of(database, org_id, [(record_id, seq) for seq in (3, 1, 2, 1)])
    assert found == [_without_due(versions[place]) for place in (2, 0, 1, 0)]
    moments = [each.updated_at for each in versions]
    wanted = [(record_id, at) for at in (*moments, moments[-1] + SECOND)]
    assert await as_at(database, org_id, wanted) == [
        _without_due(each) for each in (*versions, versions[-1])
    ]


async def test_what_only_puts_a_record_off_is_in_no_version_of_it(database: Database) -> None:
    ledger, org_id = Ledger(database), new_id()
    opened = make.opened(await ledger.open(make.opening(org_id, Status.OPEN, due_in=SECOND), MOVES))
    assert opened.due_at is not None
    assert await ledger.postpone(opened, opened.due_at + SECOND, {"tries": 1})
    (found,) = await as_of(database, org_id, [(opened.id, 1)])
    assert found == _without_due(opened)


async def test_amounts_that_a_move_replaces_are_those_of_their_version(database: Database) -> None:
    ledger, org_id = Ledger(database), new_id()
    before, after = (Money(5, USDC), Money(4, USDT)), (Money(7, USDC), Money(9, USDT))
    opening = replace(
        make.opening(org_id, Status.OPEN),
        source=before[0],
        destination=before[1],
        details={"account_id": None, **amounts_told(*before)},
    )
    opened = make.opened(await ledger.open(opening, MOVES))
    move = make.move(opened, Status.HELD, facts=amounts_told(*after), journals={})
    held = make.moved(
        await ledger.advance(replace(move, source=after[0], destination=after[1]), MOVES)
    )
    assert (held.source_units, held.destination_units) == (7, 9)
    found = await as_of(database, org_id, [(opened.id, 1), (opened.id, 2)])
    assert found == [_without_due(opened), _without_due(held)]


async def test_a_station_on_the_way_has_its_own_status_and_nothing_of_the_end(
    database: Database,
) -> None:
    ledger, org_id = Ledger(database), new_id()
    opened = make.opened(await ledger.open(make.opening(org_id, Status.OPEN), MOVES))
    path = (Status.HELD, Status.SETTLED)
    done = make.moved(
        await ledger.advance(make.move(opened, *path, facts={"hash": "0x1"}, journals={}), MOVES)
    )
    found = [
        each
        for each in await as_of(database, org_id, [(opened.id, seq) for seq in (1, 2, 3)])
        if each is not None
    ]
    assert [each.status for each in found] == [Status.OPEN, Status.HELD, Status.SETTLED]
    assert [each.facts for each in found] == [{}, {}, {"hash": "0x1"}]
    assert [each.updated_at for each in found] == [opened.updated_at, *[done.updated_at] * 2]


async def test_there_is_nothing_of_what_is_not_there(database: Database) -> None:
    ledger, org_id = Ledger(database), new_id()
    opened = make.opened(await ledger.open(make.opening(org_id, Status.OPEN), MOVES))
    assert await as_of(database, org_id, []) == []
    assert await as_of(database, org_id, [(new_id(), 1), (opened.id, 0)]) == [None, None]
    assert await as_of(database, new_id(), [(opened.id, 1)]) == [None]
    assert await as_at(database, org_id, [(opened.id, opened.created_at - SECOND)]) == [None]
