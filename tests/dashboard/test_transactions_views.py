"""Tabs, chips, totals, export and drawer of the transaction list."""

import csv
import io
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow.parquet
import pytest

from landbridge.dashboard.list_queries import ListQuery
from landbridge.dashboard.transactions.list_filters import list_periods
from landbridge.dashboard.transactions.list_views import (
    filter_chips,
    list_views,
    view_statuses,
    view_totals,
)
from landbridge.payments.swaps.model import SwapStatus
from landbridge.payments.transactions.model import STATUSES
from landbridge.payments.transactions.schemas import StatusTotalReply, TransactionSummaryReply
from landbridge.platform.http.caller import MemberRole
from landbridge.sandbox.scenarios.trigger import SCENARIOS
from tests.dashboard.browsing import Visitor, visit
from tests.dashboard.world import in_process_client
from tests.tenants import Tenant, make_swap, make_tenant, make_transfer, make_user, run_due

LIST = "/dashboard/transactions"


async def _tabs(visitor: Visitor, **query: str) -> dict[str, str]:
    page = await visitor.load(LIST, **query)
    tabs = page.tree.xpath("//nav[@id='views']//a")
    return {each.text.strip(): each.xpath("string(span)") for each in tabs}


def _query(**filters: str) -> ListQuery:
    return ListQuery(LIST, filters, None)


def test_each_status_has_one_tab() -> None:
    names = ("attention", "progress", "failed", "completed")
    found = [each for name in names for each in view_statuses(_query(view=name)) or ()]
    assert sorted(found) == sorted(STATUSES)
    assert view_statuses(_query()) is None
    assert view_statuses(_query(view="odd")) is None
    assert view_statuses(_query(view="failed", status="PENDING")) == ["PENDING"]


@pytest.mark.parametrize(
    ("is_complete", "is_open_complete", "counts"),
    [
        (True, True, ["99+", "1", "0", "100", "7"]),
        (False, True, ["99+", "1", "0", "99+", "7+"]),
        (False, False, ["99+", "1+", "0+", "99+", "7+"]),
    ],
)
def test_counts_say_where_they_are_cut(
    *, is_complete: bool, is_open_complete: bool, counts: list[str]
) -> None:
    def total(status: str, count: int) -> StatusTotalReply:
        return StatusTotalReply(
            status=status, currency="usdc", chain="POLYGON", count=count, amount=str(count)
        )

    summary = TransactionSummaryReply(
        totals=[total("OPEN_QUOTE", 1), total("FAILED", 100), total("COMPLETED", 7)],
        is_complete=is_complete,
        is_open_complete=is_open_complete,
    )
    expected = ["99+" if each == "100" else each for each in counts]
    assert [each.count for each in list_views(_query(), summary)] == expected
    completed = view_totals(_query(view="completed"), summary)
    assert (completed.count, completed.is_complete) == (7, is_complete)
    assert view_totals(_query(view="attention"), summary).is_complete is is_open_complete


async def test_headings_sort_the_list_and_keep_the_filters(org: Tenant) -> None:
    ada = await make_user(org, funds="100")
    ids = [(await make_swap(org, ada, each))["id"] for each in ("5", "7", "6")]
    admin = await visit(org)

    async def read(path: str) -> tuple[list[str], dict[str, tuple[str | None, str]]]:
        page = await admin.load(path)
        headings = page.tree.xpath("//div[@id='transactions']//th[@scope='col'][a]")
        links = page.tree.xpath("//div[@id='transactions']//tbody/tr/th/a/@href")
        return [each.rpartition("/")[2] for each in links], {
            each.xpath("string(a)"): (each.get("aria-sort"), each.xpath("a/@href")[0])
            for each in headings
        }

    shown, headings = await read(f"{LIST}?type=WALLET.SWAP")
    assert shown == ids[::-1]
    assert headings["Created"] == ("descending", f"{LIST}?type=WALLET.SWAP&sort=createdAt")
    order, path = headings["Payment"]
    assert order is None
    shown, headings = await read(path)
    assert shown == [ids[1], ids[2], ids[0]]
    assert headings["Payment"] == ("descending", f"{LIST}?type=WALLET.SWAP&sort=amountUsd")
    assert headings["Created"] == (None, f"{LIST}?type=WALLET.SWAP")
    shown, headings = await read(headings["Payment"][1])
    assert shown == [ids[0], ids[2], ids[1]]
    assert headings["Payment"] == ("ascending", path)
    # Tabs, the form and the export keep the order.
    page = await admin.load(path)
    assert all("sort=-amountUsd" in each for each in page.tree.xpath("//nav[@id='views']//a/@href"))
    assert page.tree.xpath("//form[@action='/dashboard/transactions']/input[@name='sort']/@value")
    exported = await admin.open(f"{LIST}/csv", type="WALLET.SWAP", sort="-amountUsd")
    assert [line.split(",")[0] for line in exported.response.text.splitlines()[1:]] == [
        ids[1], ids[2], ids[0]
    ]  # fmt: skip


async def test_an_unknown_order_is_newest_first(org: Tenant) -> None:
    page = await (await visit(org)).load(LIST, sort="odd")
    assert page.tree.xpath("//th/@aria-sort") == []  # no rows yet, and no refusal


async def test_tabs_filter_by_what_a_status_means(org: Tenant) -> None:
    ada = await make_user(org, funds="100")
    bob = await make_user(org, firstName="Bob")
    quote = (await make_swap(org, ada, "5"))["id"]
    ended = (await make_swap(org, ada, "6", status=SwapStatus.COMPLETED))["id"]
    sent = (await make_transfer(org, ada, bob, 2))["id"]
    admin = await visit(org)
    assert await _tabs(admin) == {
        "All": "3",
        "Needs action": "1",
        "In progress": "1",
        "Failed": "0",
        "Completed": "1",
    }
    for view, payment in (("attention", quote), ("progress", sent), ("completed", ended)):
        links = (await admin.load(LIST, view=view)).links()
        assert [each for each in (quote, ended, sent) if f"{LIST}/{each}" in links] == [payment]
    await run_due(org)
    assert (await _tabs(admin))["Completed"] == "2"
    assert (await _tabs(admin, type="WALLET.SWAP"))["Completed"] == "1"


async def test_filters_are_chips_that_can_be_removed(org: Tenant) -> None:
    ada = await make_user(org, funds="100")
    await make_swap(org, ada, "5")
    admin = await visit(org)
    query = {"view": "attention", "type": "WALLET.SWAP", "minimum": "1"}
    page = await admin.load(LIST, **query)
    chips = page.tree.xpath("//ul[@aria-label='Filters']/li")
    assert [" ".join(each.text_content().split()[:2]) for each in chips] == [
        "Type Swap",
        "Minimum 1",
        "Clear filters",
    ]
    (without,) = chips[0].xpath("a/@href")
    assert without == f"{LIST}?view=attention&minimum=1"
    (cleared,) = chips[2].xpath("a/@href")
    assert cleared == f"{LIST}?view=attention"
    assert not (await admin.load(LIST)).tree.xpath("//ul[@aria-label='Filters']")


def test_dates_are_written_in_the_language_of_the_reader() -> None:
    query = _query(**{"from": "2026-11-16", "until": "odd"})
    assert [value for _name, value, _without in filter_chips(query, "en")] == ["16 Nov 2026", "odd"]
    assert [value for _name, value, _without in filter_chips(query, "es")] == ["16 nov 2026", "odd"]


def test_common_periods_keep_the_other_filters() -> None:
    query = _query(view="failed", **{"from": "2026-11-16", "until": "2026-11-22"})
    # A Sunday, the last day of its week.
    found = {each.title: each for each in list_periods(query, date(2026, 11, 29))}
    assert [each.title for each in found.values() if each.is_current] == ["Last week"]
    expected = {
        "Today": ("2026-11-29", "2026-11-29"),
        "7 days": ("2026-11-23", "2026-11-29"),
        "Last week": ("2026-11-16", "2026-11-22"),
        "This month": ("2026-11-01", "2026-11-29"),
        "Last month": ("2026-10-01", "2026-10-31"),
    }
    assert {title: each.path for title, each in found.items()} == {
        title: f"{LIST}?view=failed&from={first}&until={last}"
        for title, (first, last) in expected.items()
    }


async def test_a_period_is_one_link_of_the_list(org: Tenant) -> None:
    admin = await visit(org)
    page = await admin.load(LIST, view="failed")
    (today,) = page.tree.xpath("//ul[@aria-label='Periods']//a[text()='Today']/@href")
    chosen = await admin.load(today)
    assert chosen.tree.xpath("string(//ul[@aria-label='Periods']//a[@aria-current])") == "Today"
    assert chosen.tree.xpath("//nav[@id='views']//a[@aria-current]/text()")[0].strip() == "Failed"


async def test_a_failed_payment_says_why_in_the_list(org: Tenant) -> None:
    client = in_process_client(org)
    await SCENARIOS["OFFRAMP.STATUS.FIAT_FAILED"](client)
    await SCENARIOS["OFFRAMP.STATUS.COMPLETED"](client)
    page = await (await visit(org)).load(LIST)
    shown = "//tbody//small[@class='reason']/text()"
    refused = "the bank refused the payment, as scripted in the sandbox"
    assert page.tree.xpath(shown) == [refused]
    # A sentence also for a swap, which has a code besides.
    await SCENARIOS["WALLET.SWAP.STATUS.QUOTE_FAILED"](client)
    again = await (await visit(org)).load(LIST)
    assert again.tree.xpath(shown) == ["the quote expired before it was accepted", refused]


async def test_totals_are_of_what_is_filtered(org: Tenant) -> None:
    ada = await make_user(org, funds="100")
    bob = await make_user(org, firstName="Bob")
    for amount in ("5", "7.5"):
        await make_swap(org, ada, amount)
    await make_transfer(org, ada, bob, 2)
    admin = await visit(org)
    assert "3 payments, sent in total 14.50 USDC" in (await admin.load(LIST)).text
    swaps = await admin.load(LIST, type="WALLET.SWAP")
    assert "2 payments, sent in total 12.50 USDC" in swaps.text
    assert "Only the newest" not in swaps.text
    other = await visit(await make_tenant(org.container, org.client, name="Other"))
    assert "sent in total" not in (await other.load(LIST)).text


async def test_export_has_exactly_the_list(org: Tenant) -> None:
    ada = await make_user(org, funds="100")
    bob = await make_user(org, firstName="Bob")
    swap = (await make_swap(org, ada, "5"))["id"]
    transfer = (await make_transfer(org, ada, bob, "2.25"))["id"]
    for role in MemberRole:
        visitor = await visit(org, role)
        page = await visitor.load(LIST, type="WALLET.TRANSFER")
        path, parquet = page.tree.xpath("//a[@download]/@href")
        untyped: Any = pyarrow.parquet
        table = untyped.read_table(io.BytesIO((await visitor.open(parquet)).response.content))
        (row,) = table.to_pylist()
        assert (row["id"], row["sent"], row["feeCurrency"]) == (transfer, Decimal("2.25"), None)
        rows = list(csv.DictReader(io.StringIO((await visitor.open(str(path))).response.text)))
        assert [each["id"] for each in rows] == [transfer]
        assert (rows[0]["sent"], rows[0]["sentCurrency"]) == ("2.25", "usdc")
        assert (rows[0]["userName"], rows[0]["recipientName"]) == ("Ada Example", "Bob Example")
        everything = (await visitor.open(f"{LIST}/csv")).response
        assert everything.headers["content-type"].startswith("text/csv")
        ids = [each["id"] for each in csv.DictReader(io.StringIO(everything.text))]
        assert ids == [transfer, swap]
        assert (await visitor.open(f"{LIST}/csv", user="nobody@example.com")).status == 400
