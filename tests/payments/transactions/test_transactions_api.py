"""List of payments of all kinds."""

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

from landbridge.ledger.listing import TransferFilter, TransferListing, TransferScope
from landbridge.ledger.service import Ledger
from landbridge.payments.swaps.model import SwapStatus
from landbridge.payments.transactions.model import KINDS, TransactionFilters, TransactionSort
from landbridge.platform.core.pagination import PageWindow
from landbridge.providers.rails.currencies import FIAT_ASSETS
from tests import make
from tests.tenants import (
    Tenant,
    make_batch,
    make_bridge,
    make_swap,
    make_tenant,
    make_transfer,
    make_user,
)

PATH = "/v2/transactions"


async def _some(org: Tenant) -> tuple[str, str, list[str]]:
    """Two users and the ids of payments, newest first."""
    ada = await make_user(org, funds="100")
    bob = await make_user(org, funds="100", firstName="Bob")
    created = [
        await make_swap(org, ada, "1", status=SwapStatus.COMPLETED),
        await make_transfer(org, ada, bob, 2),
        await make_batch(org, ada, {"userId": bob, "amount": "3"}, {"userId": bob, "amount": "4"}),
        await make_swap(org, bob, "1.5"),
        await make_transfer(org, bob, ada, "0.000001"),
    ]
    return ada, bob, [each["id"] for each in reversed(created)]


async def _ids(org: Tenant, **query: Any) -> list[str]:
    return [each["id"] for each in (await org.get(PATH, **query))["data"]]


async def test_all_kinds_are_in_one_list(org: Tenant) -> None:
    ada, bob, ids = await _some(org)
    found = (await org.get(PATH, limit=100))["data"]
    assert [each["id"] for each in found] == ids
    assert [each["type"] for each in found] == [
        "WALLET.TRANSFER", "WALLET.SWAP", "WALLET.TRANSFER.BATCH", "WALLET.TRANSFER", "WALLET.SWAP"
    ]  # fmt: skip
    assert found[0]["source"] == {"currency": "usdc", "chain": "POLYGON", "amount": "0.000001"}
    assert (found[0]["userId"], found[0]["userName"]) == (bob, "Bob Example")
    assert found[2]["userId"] == ada
    assert found[2]["destination"]["amount"] == "7"
    assert found[1]["destination"]["currency"] == "usdt"


async def test_pages_follow_each_other(org: Tenant) -> None:
    _, _, ids = await _some(org)
    page_ids: list[str] = []
    page = await org.get(PATH, limit=2)
    while page["data"]:
        page_ids += [each["id"] for each in page["data"]]
        if page.get("nextCursor") is None:
            break
        page = await org.get(PATH, limit=2, cursor=page["nextCursor"])
    assert page_ids == ids


async def test_filters_narrow_the_list(org: Tenant) -> None:
    ada, bob, ids = await _some(org)
    assert await _ids(org, userId=bob) == [ids[0], ids[1]]
    assert await _ids(org, userId=ada, type="WALLET.SWAP") == [ids[4]]
    assert await _ids(org, type="WALLET.SWAP,WALLET.TRANSFER.BATCH") == [ids[1], ids[2], ids[4]]
    assert await _ids(org, status="OPEN_QUOTE") == [ids[1]]
    assert await _ids(org, currency="usdt") == [ids[1], ids[4]]
    assert await _ids(org, minAmount="2") == [ids[2], ids[3]]
    assert await _ids(org, maxAmount="0.5", status="CREATED,COMPLETED,PENDING") == [ids[0]]
    assert await _ids(org, minAmount="1.2", maxAmount="1.9", userId=bob) == [ids[1]]
    created = (await org.get(PATH, limit=100))["data"]
    assert await _ids(org, createdAfter=created[1]["createdAt"]) == ids[:2]
    assert await _ids(org, createdBefore=created[1]["createdAt"]) == ids[2:]


async def test_the_list_is_sorted_by_time_and_by_amount(org: Tenant) -> None:
    ada, bob, newest = await _some(org)
    amounts = {"createdAt": newest[::-1], "-createdAt": newest}
    amounts["amountUsd"] = [newest[each] for each in (0, 4, 1, 3, 2)]
    amounts["-amountUsd"] = amounts["amountUsd"][::-1]
    for sort, expected in amounts.items():
        found: list[str] = []
        cursor = {}
        while True:
            page = await org.get(PATH, sort=sort, limit=2, **cursor)
            found += [each["id"] for each in page["data"]]
            if page.get("nextCursor") is None:
                break
            cursor = {"cursor": page["nextCursor"]}
        assert found == expected
    assert await _ids(org, sort="-amountUsd", userId=bob) == [newest[1], newest[0]]
    assert await _ids(org, sort="createdAt", userId=ada, type="WALLET.SWAP") == [newest[4]]
    assert await _ids(org, sort="-amountUsd", minAmount="1.5", maxAmount="2") == [
        newest[3], newest[1]
    ]  # fmt: skip


async def test_amounts_of_other_currencies_are_sorted_by_their_worth(org: Tenant) -> None:
    """100 pesos are worth less than 10 dollars, and more than 5."""
    ada = await make_user(org, funds="100")
    ten, five = [(await make_swap(org, ada, each))["id"] for each in ("10", "5")]
    pesos = make.opening(
        org.org_id, kind="ONRAMP", units=100_00, asset=FIAT_ASSETS["mxn:BANK"], user_id=UUID(ada)
    )
    await Ledger(org.container.database).create(pesos, make.TRANSITIONS)
    found = await org.container.transactions.sorted_page(
        org.caller,
        TransactionFilters(),
        PageWindow(2, None, None),
        sort=TransactionSort.LARGEST,
        cursor=None,
    )
    assert [each.id for each in found.lines] == [UUID(ten), pesos.id]
    assert found.last is not None
    rest = await org.container.transactions.sorted_page(
        org.caller,
        TransactionFilters(),
        PageWindow(2, None, None),
        sort=TransactionSort.LARGEST,
        cursor=str(found.last.id),
    )
    assert [each.id for each in rest.lines] == [UUID(five)]


async def test_refused_sorting(org: Tenant, other_org: Tenant) -> None:
    _, _, ids = await _some(org)
    await _some(other_org)
    (foreign,) = await _ids(other_org, limit=1)
    missing = "cursor is no nextCursor of a list with this sort"
    for query, sentence in (
        ({"sort": "amount"}, "sort must be one of -createdAt, createdAt, -amountUsd, amountUsd"),
        ({"sort": "createdAt", "cursor": "2026-01-31"}, missing),
        ({"cursor": ids[0]}, missing),
        ({"sort": "createdAt", "cursor": foreign}, missing),
        ({"sort": "-amountUsd", "cursor": str(uuid4())}, missing),
        ({"sort": "-amountUsd", "metadata": "a:b"}, "sort can't be combined with metadata"),
        ({"sort": "createdAt", "id": ids[0]}, "sort can't be combined with id"),
    ):
        answer = await org.send("GET", PATH, **query)
        assert answer.status_code == 400
        assert sentence in answer.text


async def test_sparse_search_ends_a_page_early_and_continues(org: Tenant) -> None:
    _, _, ids = await _some(org)
    few = TransferListing(org.container.database, scan_sizes=(1, 2))
    kinds, filter_ = list(KINDS), TransferFilter(statuses=["COMPLETED"], assets=["usdt:POLYGON"])
    first = await few.page(org.org_id, kinds, None, filter_, PageWindow(1, None, None))
    assert first.rows == []
    assert first.last is not None
    onward = PageWindow(1, None, first.last.created_at)
    second = await few.page(org.org_id, kinds, None, filter_, onward)
    assert [str(each.id) for each in second.rows] == [ids[4]]


async def test_invalid_filter_is_refused(org: Tenant) -> None:
    for query in (
        {"type": "GIFT"},
        {"status": "LOST"},
        {"userId": "x"},
        {"currency": "gold"},
        {"minAmount": "1e3"},
        {"maxAmount": "much"},
        {"limit": "0"},
    ):
        assert await org.refused("GET", PATH, **query) == "400 FIELD_VALIDATION_ERROR"


async def test_list_excludes_other_organisations(org: Tenant) -> None:
    ada, _, _ = await _some(org)
    other = await make_tenant(org.container, org.client, name="Other")
    assert await _ids(other) == []
    assert await _ids(other, userId=ada) == []
    assert await _ids(org, userId=str(uuid4())) == []


async def test_bridges_are_listed(org: Tenant) -> None:
    ada = await make_user(org, funds="10", chains=["POLYGON", "BASE"])
    created = await make_bridge(org, ada, ada)
    (found,) = (await org.get(PATH))["data"]
    assert (found["id"], found["destination"]["chain"]) == (created["id"], "BASE")


async def test_unfinished_payments_are_found_beyond_the_search_among_ended_ones(
    org: Tenant,
) -> None:
    ada, bob = await make_user(org, funds="100"), await make_user(org, firstName="Bob")
    waiting = [(await make_swap(org, ada, "1"))["id"] for _ in range(3)]
    for _ in range(4):
        await make_swap(org, ada, "1", status=SwapStatus.COMPLETED)
    few = TransferListing(org.container.database, scan_sizes=(1, 1))
    transactions = replace(org.container.transactions, listing=few)

    async def page(limit: int, before: Any = None, **filters: Any) -> tuple[list[str], Any]:
        chosen = TransactionFilters(statuses=frozenset({"OPEN_QUOTE"}), **filters)
        window = PageWindow(limit=limit, after=None, before=before)
        found = await transactions.page(org.org_id, chosen, window)
        return [str(each.id) for each in found.lines], found.last

    assert await page(10) == (waiting[::-1], None)
    first, last = await page(2)
    assert first == waiting[:0:-1]
    assert await page(2, last.created_at) == (waiting[:1], None)
    assert await page(10, user_id=UUID(bob)) == ([], None)
    assert await page(10, kinds=frozenset({"ONRAMP"})) == ([], None)
    # With more under way than one statement reads, the search is as for all others.
    assert await few.unfinished_page(org.org_id, _SCOPE, limit=3) is None


_SCOPE = TransferScope(list(KINDS), None, TransferFilter(), PageWindow(10, None, None))
