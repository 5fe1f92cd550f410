"""Lists: pages are lossless while records change under the reader."""

import random
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Database
from tests import make
from tests.make import PAYMENT, TRANSITIONS, Status

ALL = PageWindow(limit=100, after=None, before=None)


@given(
    st.lists(st.integers(0, 2), min_size=1, max_size=12),
    st.integers(1, 5),
    st.randoms(use_true_random=False),
)
async def test_pages_together_equal_the_initial_list(
    database: Database, users: list[int], limit: int, dice: random.Random
) -> None:
    org_id, ledger = await make.make_org(database), Ledger(database)
    user_ids = [new_id() for _ in range(3)]
    for user in users:
        await ledger.create(make.opening(org_id, user_id=user_ids[user]), TRANSITIONS)
        await ledger.create(make.opening(org_id, kind="OTHER"), TRANSITIONS)
    of_user = dice.choice([None, *user_ids])
    at_start = ids(await ledger.page(org_id, PAYMENT, of_user, ALL))
    read: list[UUID] = []
    cursor = None
    for _ in range(len(users) + 1):
        page = await ledger.page(org_id, PAYMENT, of_user, PageWindow(limit, None, cursor))
        read += ids(page)
        if len(page) < limit:
            break
        cursor = page[-1].updated_at
        await disturb(ledger, org_id, user_ids, dice)
    assert read == at_start


async def disturb(
    ledger: Ledger, org_id: UUID, user_ids: Sequence[UUID], dice: random.Random
) -> None:
    """Advance some records, including those at the cursor, and create new ones."""
    for record in await ledger.page(org_id, PAYMENT, None, ALL):
        following = sorted(TRANSITIONS.table[Status(record.status)])
        if following and dice.random() < 0.7:
            await ledger.advance(make.move(record, dice.choice(following)), TRANSITIONS)
    await ledger.create(make.opening(org_id, user_id=dice.choice(user_ids)), TRANSITIONS)


async def test_newest_first_with_inclusive_lower_and_exclusive_upper_bound(
    database: Database, ledger: Ledger
) -> None:
    org_id = await make.make_org(database)
    records = [
        make.opened(await ledger.create(make.opening(org_id), TRANSITIONS)) for _ in range(4)
    ]
    newest_first = ids(records)[::-1]
    assert ids(await ledger.page(org_id, PAYMENT, None, ALL)) == newest_first
    created = [record.created_at for record in records]
    window = PageWindow(10, after=created[1], before=None)
    assert ids(await ledger.page(org_id, PAYMENT, None, window)) == newest_first[:3]
    # A record's time is its cursor; another time is a bound. Both exclude the record.
    window = PageWindow(10, after=None, before=created[2])
    assert ids(await ledger.page(org_id, PAYMENT, None, window)) == newest_first[2:]
    window = PageWindow(10, after=None, before=created[2] + timedelta(microseconds=1))
    assert ids(await ledger.page(org_id, PAYMENT, None, window)) == newest_first[1:]
    window = PageWindow(10, after=created[1], before=created[2])
    assert ids(await ledger.page(org_id, PAYMENT, None, window)) == [records[1].id]


async def test_list_excludes_other_organisations_kinds_and_users(
    database: Database, ledger: Ledger
) -> None:
    org_id, outsider = await make.make_org(database), await make.make_org(database)
    user_id = new_id()
    record = make.opened(await ledger.create(make.opening(org_id, user_id=user_id), TRANSITIONS))
    assert ids(await ledger.page(org_id, PAYMENT, user_id, ALL)) == [record.id]
    assert ids(await ledger.page(org_id, PAYMENT, new_id(), ALL)) == []
    assert ids(await ledger.page(org_id, "OTHER", user_id, ALL)) == []
    assert ids(await ledger.page(outsider, PAYMENT, user_id, ALL)) == []
    # Another organisation's time is only a bound here, not a cursor.
    window = PageWindow(10, None, before=record.updated_at)
    assert ids(await ledger.page(outsider, PAYMENT, None, window)) == []


async def test_record_is_found_by_the_settled_change_of_a_path(
    database: Database, ledger: Ledger
) -> None:
    org_id = await make.make_org(database)
    older, newer = [
        make.opened(await ledger.create(make.opening(org_id), TRANSITIONS)) for _ in range(2)
    ]
    path = (Status.HELD, Status.SETTLED)
    record = make.moved(await ledger.advance(make.move(newer, *path), TRANSITIONS))
    window = PageWindow(10, None, before=record.updated_at)
    assert ids(await ledger.page(org_id, PAYMENT, None, window)) == [older.id]


def ids(records: Sequence[Transfer]) -> list[UUID]:
    return [record.id for record in records]
