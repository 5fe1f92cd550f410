"""Batches: each line of a file is checked, and all are paid or none."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.dashboard.payments.batch_files import (
    BatchFileRow,
    amount_error,
    decode_file,
    parse_rows,
)
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import DashboardPage, Visitor, visit
from tests.dashboard.payment_forms import NEW, begin, filled
from tests.tenants import BATCHES, Tenant, held, make_user, register, run_due

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


async def make_users(org: Tenant) -> tuple[str, str, str]:
    """Create Ada with 100 usdc, Grace and Mary."""
    ada = await make_user(org, funds="100")
    grace = await make_user(org, firstName="Grace", email="grace@example.com")
    return ada, grace, await make_user(org, firstName="Mary", email="mary@example.com")


async def preview(
    visitor: Visitor, user: str, content: str | bytes, **form_fields: Any
) -> DashboardPage:
    """Upload a file and return its preview."""
    raw = content.encode() if isinstance(content, str) else content
    fields = await begin(visitor, "batch", user, **form_fields)
    fields.pop("file", None)
    files = {"file": ("batch.csv", raw, "text/csv")}
    return await visitor.send(f"{NEW}/batch", {**fields, "step": "review"}, files=files)


def problems(page: DashboardPage) -> list[str]:
    """Return the last column of the preview."""
    return [
        " ".join(each.text_content().split())
        for each in page.tree.xpath("//table[.//th[.='Problem']]/tbody/tr/td[last()]")
    ]


async def count(org: Tenant) -> int:
    return int((await org.get(BATCHES))["count"])


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("payee,amount\ngrace@example.com,10.5\nmary@example.com,2\n", "utf-8"),
        ("payee;amount\r\ngrace@example.com;10.5\r\nmary@example.com;2\r\n", "utf-8-sig"),
        ("payee\tamount\r\ngrace@example.com\t10.5\r\nmary@example.com\t2", "utf-16"),
        ("sep=;\r\nAmount;Payee\r\n10.5;grace@example.com\r\n2;mary@example.com", "utf-8"),
        ('"payee","amount"\n"grace@example.com","10.5"\n\n ,\n"mary@example.com", 2', "utf-8"),
        ("\n\ngrace@example.com,10.5\nmary@example.com,2,usdc,thanks", "utf-8"),
    ],
)
async def test_files_of_common_spreadsheets_are_read(
    org: Tenant, content: str, encoding: str
) -> None:
    ada, grace, mary = await make_users(org)
    admin = await visit(org)
    page = await preview(admin, ada, content.encode(encoding))
    assert page.status == 200, page.text
    assert problems(page) == ["None", "None"]
    assert "12.50 USDC" in page.text
    assert await count(org) == 0
    path = await admin.submit(f"{NEW}/batch", {**filled(page), "step": "create"})
    assert path.startswith("/dashboard/transactions/")
    await run_due(org)
    assert [await held(org, grace), await held(org, mary)] == ["10.5", "2"]


async def test_every_line_shows_its_error(org: Tenant) -> None:
    ada, grace, _ = await make_users(org)
    await make_user(org, email="twice@example.com")
    await make_user(org, email="twice@example.com")
    await register(org, ada, OUTSIDE)
    frozen = await make_user(org, email="frozen@example.com")
    await org.post(f"/v2/users/{frozen}/freeze", {"reason": "test"})
    lines = {
        "grace@example.com;1": "None",
        f"{grace};2;usdc": "None. Line 2 pays the same recipient.",
        f"{OUTSIDE};3": "None",
        "nobody@example.com;1": "No user has this e-mail.",
        "twice@example.com;1": "2 users have this e-mail.",
        "0199d5b1-5c1e-7b9a-8a50-3a4f0f6f7b11;1": "No user has this ID.",
        "Grace;1": "Enter an e-mail, a user ID or an address.",
        ";1": "The recipient is missing.",
        "grace@example.com;": "The amount is missing.",
        "grace@example.com;10,50": "with a decimal point",
        "grace@example.com;1.250,50": "without thousands separators",
        "grace@example.com;ten": "not a number",
        "grace@example.com;-1": "above zero",
        "grace@example.com;0.00": "above zero",
        "grace@example.com;1.1234567": "more than 6 decimals",
        "grace@example.com;1;usdt": "This batch pays usdc",
        "grace@example.com;1;usdc;a;b": "too many cells",
        "0x00000000000000000000000000000000000000A1;1": "is not registered",
        "frozen@example.com;1": "frozen",
        "ada@example.com;1": "payer",
    }
    content = "\n".join(["payee;amount;currency;note", *lines])
    page = await preview(await visit(org), ada, content, wallet="POLYGON:usdc")
    assert page.status == 422
    for found, expected in zip(problems(page), lines.values(), strict=True):
        assert expected in found or (expected == "payer" and found != "None")
    assert "17 lines can't be paid" in page.text
    assert not page.tree.xpath("//button[@value='create']")
    # Submitting it anyway creates nothing.
    fields = {**filled(page), "step": "create"}
    assert (await (await visit(org)).send(f"{NEW}/batch", fields)).status == 422
    assert await count(org) == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "The file is empty."),
        (b"\n \n", "Enter at least one line"),
        (b"payee,amount\n", "no recipients"),
        (b"payee,sum\na@example.com,1", "Unknown column sum."),
        (b"payee,payee,amount\na,a,1", "The column payee appears twice."),
        (b"payee,currency\na@example.com,usdc", "The column amount is missing."),
        (b'payee,amount\n"a@example.com,1', "Line 2 can't be read"),
        ("payee,amount\nJosé,1".encode("latin-1"), "not encoded in UTF-8"),
        (b"PK\x03\x04rest", "This is a spreadsheet"),
        (b"\xd0\xcf\x11\xe0\xa1", "This is a spreadsheet"),
        (b"a\x00b,1", "not a text file"),
        (b"\xff\xfea", "not encoded in UTF-8"),
        ("\n".join(["a@example.com,1"] * 51).encode(), "at most 50 lines; this file has 51"),
    ],
)
async def test_malformed_file_is_refused_with_a_sentence(
    org: Tenant, content: bytes, message: str
) -> None:
    ada = await make_user(org, funds="10")
    page = await preview(await visit(org), ada, content)
    assert page.status == 422
    assert message in page.text


async def test_insufficient_balance_is_reported_for_the_whole_batch(org: Tenant) -> None:
    ada, _, _ = await make_users(org)
    content = "grace@example.com,60\nmary@example.com,60"
    page = await preview(await visit(org), ada, content)
    assert page.status == 400
    assert "the wallet holds less than the 120 usdc" in page.text
    assert problems(page) == ["None", "None"]
    assert not page.tree.xpath("//button[@value='create']")


async def test_lines_can_be_entered_and_corrected(org: Tenant) -> None:
    ada, _, _ = await make_users(org)
    admin = await visit(org)
    fields = await begin(admin, "batch", ada, lines="grace@example.com 10\nmary@example.com,1,5")
    fields.pop("file", None)
    page = await admin.send(f"{NEW}/batch", {**fields, "step": "review"})
    assert page.status == 422
    again = await admin.send(f"{NEW}/batch", {**filled(page), "step": "edit"})
    assert again.tree.xpath("//textarea[@name='lines']/text()")[0].split("\n")[0].strip() == (
        "grace@example.com 10"
    )
    corrected = filled(again, lines="grace@example.com,10\nmary@example.com,1.5")
    corrected.pop("file", None)
    page = await admin.send(f"{NEW}/batch", {**corrected, "step": "review"})
    assert problems(page) == ["None", "None"]


async def test_batch_of_member_awaits_approval_and_of_analyst_is_refused(org: Tenant) -> None:
    ada, _, _ = await make_users(org)
    member, analyst = await visit(org, MemberRole.MEMBER), await visit(org, MemberRole.ANALYST)
    page = await preview(member, ada, "grace@example.com,1")
    assert "Your payments need approval by an admin" in page.text
    fields = {**filled(page), "step": "create"}
    assert (await analyst.send(f"{NEW}/batch", fields)).status == 403
    first = await member.submit(f"{NEW}/batch", fields)
    assert await member.submit(f"{NEW}/batch", fields) == first
    created = await org.get(f"{BATCHES}/{first.rpartition('/')[2]}")
    assert created["transferDetails"]["status"] == "PENDING_APPROVAL"
    assert await count(org) == 1


async def test_template_file_is_valid(org: Tenant) -> None:
    admin = await visit(org)
    response = (await admin.open(f"{NEW}/batch/template.csv")).response
    assert response.headers["content-type"].startswith("text/csv")
    rows = parse_rows(decode_file(response.content))
    assert [each.error for each in rows] == ["", "", ""]


async def test_hostile_lines_are_escaped(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    evil = "<script>alert(1)</script>"
    page = await preview(await visit(org), ada, f"{evil},{evil},{evil},{evil}</textarea>{evil}")
    assert "<script>alert" not in page.response.text
    assert (await (await visit(org)).open(f"{NEW}/batch")).status == 200


def test_decimal_comma_is_not_a_separator() -> None:
    for text in ("payee,amount,note\na@example.com,10,50", "a@example.com,10,50"):
        assert parse_rows(text)[0].error.startswith("This could be 10 or 10.50.")
    assert not parse_rows("payee,amount,note\na@example.com,10.00,50")[0].error
    assert not parse_rows("payee;amount;note\na@example.com;10;50")[0].error


def test_columns_can_be_in_any_order() -> None:
    text = "note;amount;payee\nhello;1.5;a@example.com"
    assert parse_rows(text) == [BatchFileRow(2, "a@example.com", "1.5", note="hello")]


@given(st.binary(max_size=300))
def test_any_bytes_yield_rows_or_a_refusal(content: bytes) -> None:
    try:
        rows = parse_rows(decode_file(content))
    except FieldInvalid as error:
        assert error.message  # noqa: PT017
    else:
        assert 1 <= len(rows) <= 50


@given(st.text(alphabet="0123456789.,;\t\n\r\"'@ae- \u2212payemount", max_size=200))
def test_any_text_yields_rows_or_a_refusal(text: str) -> None:
    try:
        rows = parse_rows(text)
    except FieldInvalid as error:
        assert error.message  # noqa: PT017
    else:
        assert all(each.error or not amount_error(each.amount) for each in rows)


@given(st.decimals(min_value="0.000001", max_value="999999999", places=6))
def test_amounts_need_a_decimal_point(amount: object) -> None:
    assert not amount_error(f"{amount:f}")
    assert amount_error(f"{amount:f}".replace(".", ","))
