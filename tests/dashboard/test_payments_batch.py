"""Batches from pages: every line of a file is looked at, and all are paid or none."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.core.errors import FieldInvalid
from landbridge.dashboard.payments.batch_files import Row, rows_of, text_of, why_no_amount
from landbridge.web.caller import Role
from tests.dashboard.browsing import Opened, Visit, visit
from tests.dashboard.payment_forms import NEW, begin, filled
from tests.tenants import BATCHES, Tenant, held, make_user, register, run_due

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


async def people(org: Tenant) -> tuple[str, str, str]:
    """Ada with 100 usdc; Grace and Mary."""
    ada = await make_user(org, funds="100")
    grace = await make_user(org, firstName="Grace", email="grace@example.com")
    return ada, grace, await make_user(org, firstName="Mary", email="mary@example.com")


async def preview(somebody: Visit, user: str, content: str | bytes, **typed: Any) -> Opened:
    """The preview of a file."""
    raw = content.encode() if isinstance(content, str) else content
    fields = await begin(somebody, "batch", user, **typed)
    fields.pop("file", None)
    files = {"file": ("batch.csv", raw, "text/csv")}
    return await somebody.send(f"{NEW}/batch", {**fields, "step": "review"}, files=files)


def wrongs(page: Opened) -> list[str]:
    """The last column of the preview."""
    return [
        " ".join(each.text_content().split())
        for each in page.tree.xpath("//table[.//th[.='What is wrong']]/tbody/tr/td[last()]")
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
async def test_files_of_all_spreadsheets_are_read(org: Tenant, content: str, encoding: str) -> None:
    ada, grace, mary = await people(org)
    admin = await visit(org)
    seen = await preview(admin, ada, content.encode(encoding))
    assert seen.status == 200, seen.text
    assert wrongs(seen) == ["Nothing", "Nothing"]
    assert "12.50 usdc" in seen.text
    assert await count(org) == 0
    where = await admin.done(f"{NEW}/batch", {**filled(seen), "step": "create"})
    assert where.startswith("/dashboard/transactions/")
    await run_due(org)
    assert [await held(org, grace), await held(org, mary)] == ["10.5", "2"]


async def test_every_line_says_what_is_wrong_with_it(org: Tenant) -> None:
    ada, grace, _ = await people(org)
    await make_user(org, email="twice@example.com")
    await make_user(org, email="twice@example.com")
    await register(org, ada, OUTSIDE)
    frozen = await make_user(org, email="frozen@example.com")
    await org.post(f"/v2/users/{frozen}/freeze", {"reason": "test"})
    lines = {
        "grace@example.com;1": "Nothing",
        f"{grace};2;usdc": "Nothing. Line 2 pays the same payee.",
        f"{OUTSIDE};3": "Nothing",
        "nobody@example.com;1": "No user has this e-mail.",
        "twice@example.com;1": "2 users have this e-mail.",
        "0199d5b1-5c1e-7b9a-8a50-3a4f0f6f7b11;1": "No user has this id.",
        "Grace;1": "This is no e-mail, user id or address.",
        ";1": "The payee is missing.",
        "grace@example.com;": "The amount is missing.",
        "grace@example.com;10,50": "with a point",
        "grace@example.com;1.250,50": "without marks between thousands",
        "grace@example.com;ten": "not a number",
        "grace@example.com;-1": "above zero",
        "grace@example.com;0.00": "above zero",
        "grace@example.com;1.1234567": "more than 6 decimals",
        "grace@example.com;1;usdt": "This batch pays usdc",
        "grace@example.com;1;usdc;a;b": "more cells than there are columns",
        "0x00000000000000000000000000000000000000A1;1": "is not registered",
        "frozen@example.com;1": "frozen",
        "ada@example.com;1": "payer",
    }
    content = "\n".join(["payee;amount;currency;note", *lines])
    seen = await preview(await visit(org), ada, content, wallet="POLYGON:usdc")
    assert seen.status == 422
    for found, expected in zip(wrongs(seen), lines.values(), strict=True):
        assert expected in found or (expected == "payer" and found != "Nothing")
    assert "17 lines can't be paid" in seen.text
    assert not seen.tree.xpath("//button[@value='create']")
    # Sent all the same, nothing is made.
    fields = {**filled(seen), "step": "create"}
    assert (await (await visit(org)).send(f"{NEW}/batch", fields)).status == 422
    assert await count(org) == 0


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "The file is empty."),
        (b"\n \n", "There are no lines yet"),
        (b"payee,amount\n", "no payee below it"),
        (b"payee,sum\na@example.com,1", "There is no column sum."),
        (b"payee,payee,amount\na,a,1", "The column payee is there twice."),
        (b"payee,currency\na@example.com,usdc", "The column amount is missing."),
        (b'payee,amount\n"a@example.com,1', "Line 2 can't be read"),
        ("payee,amount\nJosé,1".encode("latin-1"), "not written in UTF-8"),
        (b"PK\x03\x04rest", "This is a spreadsheet"),
        (b"\xd0\xcf\x11\xe0\xa1", "This is a spreadsheet"),
        (b"a\x00b,1", "not a text file"),
        (b"\xff\xfea", "not written in UTF-8"),
        ("\n".join(["a@example.com,1"] * 51).encode(), "at most 50; these are 51 lines"),
    ],
)
async def test_what_is_no_list_is_met_with_a_sentence(
    org: Tenant, content: bytes, says: str
) -> None:
    ada = await make_user(org, funds="10")
    seen = await preview(await visit(org), ada, content)
    assert seen.status == 422
    assert says in seen.text


async def test_a_balance_that_is_too_small_is_said_of_the_whole(org: Tenant) -> None:
    ada, _, _ = await people(org)
    content = "grace@example.com,60\nmary@example.com,60"
    seen = await preview(await visit(org), ada, content)
    assert seen.status == 400
    assert "the wallet holds less than the 120 usdc" in seen.text
    assert wrongs(seen) == ["Nothing", "Nothing"]
    assert not seen.tree.xpath("//button[@value='create']")


async def test_lines_can_be_typed_and_mended(org: Tenant) -> None:
    ada, _, _ = await people(org)
    admin = await visit(org)
    fields = await begin(admin, "batch", ada, lines="grace@example.com 10\nmary@example.com,1,5")
    fields.pop("file", None)
    seen = await admin.send(f"{NEW}/batch", {**fields, "step": "review"})
    assert seen.status == 422
    again = await admin.send(f"{NEW}/batch", {**filled(seen), "step": "edit"})
    assert again.tree.xpath("//textarea[@name='lines']/text()")[0].split("\n")[0].strip() == (
        "grace@example.com 10"
    )
    mended = filled(again, lines="grace@example.com,10\nmary@example.com,1.5")
    mended.pop("file", None)
    seen = await admin.send(f"{NEW}/batch", {**mended, "step": "review"})
    assert wrongs(seen) == ["Nothing", "Nothing"]


async def test_a_member_s_batch_waits_and_an_analyst_s_is_refused(org: Tenant) -> None:
    ada, _, _ = await people(org)
    member, analyst = await visit(org, Role.MEMBER), await visit(org, Role.ANALYST)
    seen = await preview(member, ada, "grace@example.com,1")
    assert "What you start waits for an admin" in seen.text
    fields = {**filled(seen), "step": "create"}
    assert (await analyst.send(f"{NEW}/batch", fields)).status == 403
    first = await member.done(f"{NEW}/batch", fields)
    assert await member.done(f"{NEW}/batch", fields) == first
    made = await org.get(f"{BATCHES}/{first.rpartition('/')[2]}")
    assert made["transferDetails"]["status"] == "PENDING_APPROVAL"
    assert await count(org) == 1


async def test_the_template_is_a_good_file(org: Tenant) -> None:
    admin = await visit(org)
    answer = (await admin.open(f"{NEW}/batch/template.csv")).answer
    assert answer.headers["content-type"].startswith("text/csv")
    rows = rows_of(text_of(answer.content))
    assert [each.wrong for each in rows] == ["", "", ""]


async def test_hostile_lines_are_text(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    evil = "<script>alert(1)</script>"
    seen = await preview(await visit(org), ada, f"{evil},{evil},{evil},{evil}</textarea>{evil}")
    assert "<script>alert" not in seen.answer.text
    assert (await (await visit(org)).open(f"{NEW}/batch")).status == 200


def test_a_decimal_comma_between_commas_is_not_taken_apart() -> None:
    for text in ("payee,amount,note\na@example.com,10,50", "a@example.com,10,50"):
        assert rows_of(text)[0].wrong.startswith("This could be 10 or 10.50.")
    assert not rows_of("payee,amount,note\na@example.com,10.00,50")[0].wrong
    assert not rows_of("payee;amount;note\na@example.com;10;50")[0].wrong


def test_columns_may_stand_in_any_order() -> None:
    text = "note;amount;payee\nhello;1.5;a@example.com"
    assert rows_of(text) == [Row(2, "a@example.com", "1.5", note="hello")]


@given(st.binary(max_size=300))
def test_any_bytes_are_rows_or_a_sentence(content: bytes) -> None:
    try:
        rows = rows_of(text_of(content))
    except FieldInvalid as error:
        assert error.message  # noqa: PT017
    else:
        assert 1 <= len(rows) <= 50


@given(st.text(alphabet="0123456789.,;\t\n\r\"'@ae- \u2212payemount", max_size=200))
def test_any_text_is_rows_or_a_sentence(text: str) -> None:
    try:
        rows = rows_of(text)
    except FieldInvalid as error:
        assert error.message  # noqa: PT017
    else:
        assert all(each.wrong or not why_no_amount(each.amount) for each in rows)


@given(st.decimals(min_value="0.000001", max_value="999999999", places=6))
def test_every_amount_is_taken_with_a_point_and_never_with_a_comma(amount: object) -> None:
    assert not why_no_amount(f"{amount:f}")
    assert why_no_amount(f"{amount:f}".replace(".", ","))
