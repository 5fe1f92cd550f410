"""Statements as files: CSV and PDF."""

import csv
import io
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pypdf
import pytest

from landbridge.reporting.file_downloads import SMALL_BYTES
from landbridge.reporting.statements.fonts import PLAIN, runs
from tests.make import Status
from tests.reporting.statements.ledger_entries import account_of, ask, deposit_many, pay, receive
from tests.tenants import Tenant, fund, make_user, refusal

JANUARY = datetime(2026, 1, 1, tzinfo=UTC)

_LONG_METADATA = """
insert into metadata (org_id, object_id, user_id, key, value)
select t.org_id, t.id, t.user_id, 'key' || n, repeat('x', 500)
from transfers t
cross join generate_series(1, 15) n
where t.org_id = $1 and t.user_id = $2
returning key
"""


async def _user_with_a_past(org: Tenant, **changes: str) -> str:
    user = await make_user(org, **changes)
    account = await account_of(org, user)
    await receive(org, account, 12_345_678_900, JANUARY)
    at = [JANUARY + timedelta(days=day) for day in (1, 2)]
    await pay(org, account, 4_500_000, at, Status.SETTLED)
    return user


def _pages(content: bytes) -> list[str]:
    return [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(content)).pages]


async def test_csv_has_a_row_for_each_line_and_for_each_end(org: Tenant) -> None:
    user = await _user_with_a_past(org)
    answer = await ask(
        org,
        user,
        format="csv",
        timeZone="Asia/Kolkata",
        createdAfter="2025-12-31",
        createdBefore="2026-02-01",
    )
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == (
        f'attachment; filename="statement_{user}_2025-12-31_2026-02-01.csv"'
    )
    assert answer.text.endswith("\r\n")
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert [(each["time"], each["type"]) for each in rows] == [
        ("2025-12-31T00:00:00.000000+05:30", "OPENING_BALANCE"),
        ("2026-01-01T05:30:00.000000+05:30", "TEST.PAYMENT"),
        ("2026-01-03T05:30:00.000000+05:30", "TEST.PAYMENT"),
        ("2026-02-01T00:00:00.000000+05:30", "CLOSING_BALANCE"),
    ]
    assert [(each["in"], each["out"], each["balance"]) for each in rows] == [
        ("", "", "0"),
        ("12345.6789", "", "12345.6789"),
        ("", "4.5", "12341.1789"),
        ("12345.6789", "4.5", "12341.1789"),
    ]
    assert {(each["chain"], each["currency"]) for each in rows} == {("POLYGON", "usdc")}


async def test_csv_is_the_same_however_many_pages_it_is_read_in(org: Tenant) -> None:
    user = await make_user(org)
    await deposit_many(org, user, 4_500, JANUARY)
    rows = list(csv.DictReader((await ask(org, user, format="csv")).text.splitlines()))
    assert len(rows) == 4_502
    lines = rows[1:-1]
    assert [Decimal(each["balance"]) for each in lines] == [
        Decimal(number) / 1_000_000 for number in range(1, 4_501)
    ]
    assert [each["time"] for each in lines] == sorted(each["time"] for each in lines)
    assert len({each["recordId"] for each in lines}) == 4_500


async def test_long_reply_is_as_exact_as_a_short_one(org: Tenant) -> None:
    user = await make_user(org)
    await deposit_many(org, user, 1_500, JANUARY)
    answer = await ask(org, user)
    assert answer.headers["content-type"] == "application/json"
    assert len(answer.content) > SMALL_BYTES
    assert len(answer.json()["data"]["accounts"][0]["lines"]) == 1_500


async def test_an_empty_csv_has_a_header(org: Tenant) -> None:
    user = await make_user(org)
    answer = await ask(org, user, format="csv")
    assert answer.text.splitlines() == [
        "walletId,chain,address,currency,time,type,recordId,requestId,status,in,out,balance,metadata"
    ]


async def test_pdf_shows_owner_period_and_every_line(org: Tenant) -> None:
    user = await _user_with_a_past(org)
    answer = await ask(
        org,
        user,
        format="pdf",
        timeZone="Europe/Berlin",
        createdAfter="2025-12-31",
        createdBefore="2026-02-01",
    )
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["content-disposition"].endswith('_2026-02-01.pdf"')
    (text,) = _pages(answer.content)
    for shown in (
        "Test",
        "Account statement",
        "User: Ada Example",
        f"User id: {user}",
        "Period: 2025-12-31 00:00:00+01:00 to before 2026-02-01 00:00:00+01:00",
        "times of Europe/Berlin",
        "USDC on Polygon, wallet 0x",
        "Opening balance",
        "2026-01-01 01:00:00+01:00",
        "12,345.678900",
        "4.500000",
        "12,341.178900",
        "Closing balance",
        "Page 1 of 1",
    ):
        assert shown in text, shown


async def test_metadata_of_many_lines_are_not_one_reply(org: Tenant) -> None:
    user = await make_user(org)
    await deposit_many(org, user, 500, JANUARY)
    rows = await org.container.database.rows(_LONG_METADATA, org.org_id, UUID(user))
    assert len(rows) == 500 * 15
    answer = await ask(org, user)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert "request csv" in answer.json()["error"]["message"]
    assert (await ask(org, user, format="csv")).text.count("x" * 500) == len(rows)
    pages = _pages((await ask(org, user, format="pdf")).content)
    assert "".join(pages).count("TEST.PAYMENT") == 500


async def test_pdf_is_reproducible(org: Tenant) -> None:
    user = await _user_with_a_past(org)
    query = {"format": "pdf", "createdBefore": "2026-02-01"}
    first, second = await ask(org, user, **query), await ask(org, user, **query)
    assert first.content == second.content


async def test_pdf_of_many_lines_has_numbered_pages_with_headings(org: Tenant) -> None:
    user = await make_user(org)
    await deposit_many(org, user, 150, JANUARY)
    await fund(org, user, "3", currency="usdt")
    pages = _pages((await ask(org, user, format="pdf")).content)
    assert len(pages) > 3
    for number, page in enumerate(pages, start=1):
        assert f"Page {number} of {len(pages)}" in page
        assert "Reference" in page
    assert "USDC on Polygon (continued)" in pages[1]
    assert "USDT on Polygon, wallet" in pages[-1]
    assert "Deposit" in pages[-1]
    assert "WALLET.DEPOSIT" not in pages[-1]
    assert "".join(pages).count("TEST.PAYMENT") == 150
    assert "0.000150" in "".join(pages)


async def test_an_empty_pdf_says_so(org: Tenant) -> None:
    user = await make_user(org)
    (page,) = _pages((await ask(org, user, format="pdf")).content)
    assert "nothing moved" in page


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("Zoë Müller-Łukasz", "Zoë Müller-Łukasz"),
        ("Nguyễn Thị", "Nguyen Thi"),
        ("Αλέξανδρος", "Alexandros"),
        ("Владимир", "Vladimir"),
        ("山田たなか", "山田たなか"),
        ("김철수", "김철수"),
        ("مريم", "[U+0645][U+0631][U+064A][U+0645]"),
    ],
    ids=["latin", "vietnamese", "greek", "cyrillic", "japanese", "korean", "arabic"],
)
async def test_any_name_can_be_printed(org: Tenant, name: str, printed: str) -> None:
    user = await make_user(org, firstName=name)
    (page,) = _pages((await ask(org, user, format="pdf")).content)
    assert f"User: {printed} Example" in page


async def test_a_long_name_is_printed_on_several_lines(org: Tenant) -> None:
    user = await make_user(org, firstName="W" * 180)
    (page,) = _pages((await ask(org, user, format="pdf")).content)
    assert "W" * 180 in page.replace("\n", "")


def test_letters_without_a_font_are_printed_as_code_points() -> None:
    assert list(runs("Ada \U0001f600\u200d", PLAIN)) == [(PLAIN, "Ada [U+1F600]")]
