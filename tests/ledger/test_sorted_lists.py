"""Lists by amount and oldest first: in order, complete, and read from indexes."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any, cast
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.ledger import sorted_listing_store as store
from landbridge.ledger.listing import (
    AmountOrder,
    TransferFilter,
    TransferListing,
    TransferListRow,
    TransferScope,
)
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.pagination import BEGINNING, END, PagePosition, PageWindow
from landbridge.platform.db.pool import Database, Tx
from tests import make

KINDS = ("A", "B")
# Worth of a unit: assets have different decimals and prices.
WEIGHTS = {"six:X": 6, "two:X": 35, "eighteen:X": 1}
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
COUNT, LIMIT = 20_000, 50
ADD = """
insert into transfers (org_id, id, kind, user_id, request_id, request, status, version,
    source_asset, source_units, destination_asset, destination_units, details, created_at,
    updated_at, due_at)
select $1, r.id, r.kind, r.user_id, gen_random_uuid(), '{}', 'COMPLETED', 1, r.asset, r.units,
    r.asset, 1, '{}', r.created_at, r.created_at, case when r.is_open then r.created_at end
from unnest($2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::numeric[], $7::timestamptz[],
    $8::boolean[]) as r (id, kind, user_id, asset, units, created_at, is_open)
"""
# Of 20,000, half are of another user and a tenth of another kind; 200 are under way.
FILL = """
insert into transfers (org_id, id, kind, user_id, request_id, request, status, version,
    source_asset, source_units, destination_asset, destination_units, details, created_at,
    updated_at, due_at)
select $1, gen_random_uuid(), case when n % 10 = 0 then 'B' else 'A' end,
    case when n % 2 = 0 then $2::uuid else gen_random_uuid() end, gen_random_uuid(), '{}',
    'COMPLETED', 1, (array['six:X', 'two:X', 'eighteen:X'])[n % 3 + 1], n * 7919 % 20011 + 1,
    'six:X', 1, '{}', $3::timestamptz + n * interval '1 second', $3,
    case when n % 100 = 0 then $3::timestamptz end
from generate_series(1, $4::integer) n
"""
ROWS = st.lists(
    st.tuples(
        st.sampled_from([*KINDS, "OTHER"]),
        st.sampled_from([*WEIGHTS]),
        st.integers(1, 40),
        st.booleans(),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=25,
)


class StatementReader:
    """Stands in for a transaction; counts the rows that its statement reads from tables."""

    def __init__(self, tx: Tx) -> None:
        self.tx = tx
        self.rows, self.read = 0, 0

    async def fetch(self, statement: str, *args: Any) -> Sequence[Any]:
        text = await self.tx.fetchval(f"explain (analyze, format json) {statement}", *args)
        (plan,) = msgspec.json.decode(str(text))
        self.rows, self.read = int(plan["Plan"]["Actual Rows"]), _rows_read(plan["Plan"])
        return []


def _rows_read(node: Any) -> int:
    own = 0
    if "Scan" in node["Node Type"] and "Relation Name" in node:
        removed = node.get("Rows Removed by Filter", 0)
        own = round((node["Actual Rows"] + removed) * node["Actual Loops"])
    return own + sum(_rows_read(each) for each in node.get("Plans", ()))


def _worth(row: TransferListRow) -> tuple[int, datetime, UUID]:
    return row.source_units * WEIGHTS[row.source_asset], row.created_at, row.id


@given(rows=ROWS, limit=st.integers(1, 4), sizes=st.sampled_from([(1, 2, 9), (3, 50, 9)]))
async def test_pages_together_are_the_whole_list_in_order(
    database: Database, rows: Sequence[tuple[str, str, int, bool, int]], limit: int,
    sizes: Sequence[int],
) -> None:  # fmt: skip
    org_id, users = await make.make_org(database), (new_id(), new_id())
    # Two records each have the same time.
    times = [BEGAN + timedelta(seconds=index // 2) for index in range(len(rows))]
    ids = [new_id() for _ in rows]
    kinds, assets, units, are_open = ([each[part] for each in rows] for part in range(4))
    user_ids = [users[each[4]] for each in rows]
    await database.rows(ADD, org_id, ids, kinds, user_ids, assets, units, times, are_open)
    listing = TransferListing(database, scan_sizes=sizes)
    window = PageWindow(limit, None, None)
    for user_id in (None, users[0]):
        scope = TransferScope(KINDS, user_id, TransferFilter(), window)
        every = [each for each in await listing.by_ids(org_id, ids) if scope.includes(each)]
        by_time = sorted(every, key=attrgetter("created_at", "id"))
        assert await _pages(listing, org_id, scope, None) == by_time
        for is_largest_first in (True, False):
            order = AmountOrder(weights=WEIGHTS, is_largest_first=is_largest_first)
            found = await _pages(listing, org_id, scope, order)
            assert found == sorted(every, key=_worth, reverse=is_largest_first)


async def _pages(
    listing: TransferListing, org_id: UUID, scope: TransferScope, order: AmountOrder | None
) -> Sequence[TransferListRow]:
    found: list[TransferListRow] = []
    after: TransferListRow | None = None
    while True:
        page = await listing.sorted_page(org_id, scope, order=order, after=after)
        assert len(page.rows) <= scope.window.limit
        found += page.rows
        if page.last is None:
            return found
        (after,) = await listing.by_ids(org_id, [page.last.id])


async def test_filters_and_bounds_apply_to_each_order(database: Database) -> None:
    org_id, ids = await make.make_org(database), [new_id() for _ in range(4)]
    times = [BEGAN + timedelta(seconds=each) for each in range(4)]
    await database.rows(
        *(ADD, org_id, ids, ["A"] * 4, [org_id] * 4, ["six:X"] * 4, [5, 1, 9, 3], times),
        [False, False, True, False],
    )
    listing = TransferListing(database)
    amounts = {"six:X": (2, 8)}
    largest = AmountOrder(weights=WEIGHTS, is_largest_first=True, amounts=amounts)
    for filters, window, kinds, expected in (
        (TransferFilter(amounts=amounts), PageWindow(9, None, None), ["A"], [0, 3]),
        (TransferFilter(amounts=amounts), PageWindow(9, times[1], None), ["A"], [3]),
        (TransferFilter(amounts=amounts), PageWindow(9, None, times[3]), ["A"], [0]),
        (TransferFilter(amounts=amounts), PageWindow(9, None, None), ["B"], []),
        (TransferFilter(statuses=["FAILED"]), PageWindow(9, None, None), ["A"], []),
        (TransferFilter(assets=["two:X"]), PageWindow(9, None, None), ["A"], []),
    ):
        scope = TransferScope(kinds, None, filters, window)
        for order in (None, largest):
            page = await listing.sorted_page(org_id, scope, order=order, after=None)
            assert [ids.index(each.id) for each in page.rows] == expected
            assert page.last is None


@pytest.mark.parametrize("is_largest_first", [True, False])
async def test_a_page_by_amount_reads_few_rows_of_many(
    own_database: Database, *, is_largest_first: bool
) -> None:
    org_id = await make.make_org(own_database)
    order = AmountOrder(weights=WEIGHTS, is_largest_first=is_largest_first)

    async def work(tx: Tx) -> tuple[int, int]:
        await tx.execute(FILL, org_id, new_id(), BEGAN, COUNT)
        await tx.execute("analyze transfers")
        reader = StatementReader(tx)
        middle = TransferListRow(
            id=new_id(), kind="A", user_id=org_id, request_id=org_id, status="COMPLETED",
            source_asset="six:X", source_units=5_000, destination_asset="six:X",
            destination_units=1, created_at=BEGAN, updated_at=BEGAN,
        )  # fmt: skip
        await store.by_amount(cast("Tx", reader), org_id, order, last=middle, limit=LIMIT)
        return reader.rows, reader.read

    rows, read = await own_database.transact(work)
    assert rows == LIMIT
    # Those under way, a page of each asset in its index, and the page itself.
    assert read <= COUNT // 100 + (len(WEIGHTS) + 1) * LIMIT


@pytest.mark.parametrize("of_user", [True, False])
async def test_a_page_of_the_oldest_reads_few_rows_of_many(
    own_database: Database, *, of_user: bool
) -> None:
    org_id, user_id = await make.make_org(own_database), new_id()

    async def work(tx: Tx) -> tuple[int, int]:
        await tx.execute(FILL, org_id, user_id, BEGAN, COUNT)
        await tx.execute("analyze transfers")
        reader = StatementReader(tx)
        await store.oldest(
            *(cast("Tx", reader), org_id, KINDS, user_id if of_user else None),
            after=PagePosition(BEGINNING, UUID(int=0)),
            before=END,
            limit=LIMIT,
        )
        return reader.rows, reader.read

    rows, read = await own_database.transact(work)
    assert rows == LIMIT
    assert read <= len(KINDS) * LIMIT
