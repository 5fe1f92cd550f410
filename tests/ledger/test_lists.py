"""Lists: pages are lossless while records change under the reader."""

import random
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from landbridge.core.ids import new_id
from landbridge.core.pages import Window
from landbridge.db.pool import Database
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from tests import make
from tests.make import MOVES, PAYMENT, Status

ALL = Window(limit=100, after=None, before=None)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 2), min_size=1, max_size=12),
    st.integers(1, 5),
    st.randoms(use_true_random=False),
)
async def test_pages_put_together_are_the_list_as_it_was_at_the_start(
    database: Database, users: list[int], limit: int, dice: random.Random
) -> None:
    org_id, ledger = await make.make_org(database), Ledger(database)
    user_ids = [new_id() for _ in range(3)]
    for user in users:
        await ledger.open(make.opening(org_id, user_id=user_ids[user]), MOVES)
        await ledger.open(make.opening(org_id, kind="OTHER"), MOVES)
    of_user = dice.choice([None, *user_ids])
    at_start = ids(await ledger.page(org_id, PAYMENT, of_user, ALL))
    read: list[UUID] = []
    cursor = None
    for _ in range(len(users) + 1):
        page = await ledger.page(org_id, PAYMENT, of_user, Window(limit, None, cursor))
        read += ids(page)
        if len(page) < limit:
            break
        cursor = page[-1].updated_at
        await disturb(ledger, org_id, user_ids, dice)
    assert read == at_start


async def disturb(
    ledger: Ledger, org_id: UUID, user_ids: Sequence[UUID], dice: random.Random
) -> None:
    """Move some records, also those that the cursor stands on, and open new ones."""
    for record in await ledger.page(org_id, PAYMENT, None, ALL):
        following = sorted(MOVES.table[Status(record.status)])
        if following and dice.random() < 0.7:
            await ledger.advance(make.move(record, dice.choice(following)), MOVES)
    await ledger.open(make.opening(org_id, user_id=dice.choice(user_ids)), MOVES)


async def test_newest_come_first_and_bounds_are_inclusive_below_and_exclusive_above(
    database: Database, ledger: Ledger
) -> None:
    org_id = await make.make_org(database)
    records = [make.opened(await ledger.open(make.opening(org_id), MOVES)) for _ in range(4)]
    newest_first = ids(records)[::-1]
    assert ids(await ledger.page(org_id, PAYMENT, None, ALL)) == newest_first
    created = [record.created_at for record in records]
    window = Window(10, after=created[1], before=None)
    assert ids(await ledger.page(org_id, PAYMENT, None, window)) == newest_first[:3]
    # The moment of a record is its cursor; one beside it is a bound. Both leave the record out.
    window = Window(10, after=None, before=created[2])
    assert ids(await ledger.page(org_id, PAYMENT, None, window)) == newest_first[2:]
    window = Window(10, after=None, before=created[2] + timedelta(microseconds=1))
    assert ids(await ledger.page(org_id, PAYMENT, None, window)) == newest_first[1:]
    window = Window(10, after=created[1], before=created[2])
    assert ids(await ledger.page(org_id, PAYMENT, None, window)) == [records[1].id]


async def test_a_list_knows_no_other_organisation_kind_or_user(
    database: Database, ledger: Ledger
) -> None:
    org_id, stranger = await make.make_org(database), await make.make_org(database)
    user_id = new_id()
    record = make.opened(await ledger.open(make.opening(org_id, user_id=user_id), MOVES))
    assert ids(await ledger.page(org_id, PAYMENT, user_id, ALL)) == [record.id]
    assert ids(await ledger.page(org_id, PAYMENT, new_id(), ALL)) == []
    assert ids(await ledger.page(org_id, "OTHER", user_id, ALL)) == []
    assert ids(await ledger.page(stranger, PAYMENT, user_id, ALL)) == []
    # Another organisation's moment is no cursor here, only a bound.
    window = Window(10, None, before=record.updated_at)
    assert ids(await ledger.page(stranger, PAYMENT, None, window)) == []


async def test_a_record_that_was_moved_along_a_path_is_found_by_where_it_came_to_rest(
    database: Database, ledger: Ledger
) -> None:
    org_id = await make.make_org(database)
    older, newer = [make.opened(await ledger.open(make.opening(org_id), MOVES)) for _ in range(2)]
    path = (Status.HELD, Status.SETTLED)
    record = make.moved(await ledger.advance(make.move(newer, *path), MOVES))
    window = Window(10, None, before=record.updated_at)
    assert ids(await ledger.page(org_id, PAYMENT, None, window)) == [older.id]


def ids(records: Sequence[Transfer]) -> list[UUID]:
    return [record.id for record in records]
