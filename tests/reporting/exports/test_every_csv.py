"""Every CSV file is written by `csv_lines`, which escapes formulas."""

import ast
import csv
import io
from collections.abc import Awaitable, Callable, Iterator
from uuid import UUID

import httpx2
import pytest

from landbridge.payments.swaps.model import SwapStatus
from landbridge.reporting.exports import csv_lines
from landbridge.reporting.exports.model import Batch, ExportHeader
from tests.dashboard.browsing import visit
from tests.payouts import OUTSIDE
from tests.reporting.exports.downloads import FORMULA, download
from tests.reporting.schedules.schedule_steps import RUNS, make_run
from tests.reporting.statements.ledger_entries import ask
from tests.sources import PACKAGE, sources
from tests.tenants import Tenant, make_swap, make_transfer, make_user

# Modules that name the CSV media type. Each has a test below.
MODULES = {
    "dashboard/lists/list_pages.py",
    "dashboard/organisation/audit_pages.py",
    "dashboard/payments/new_pages.py",
    "dashboard/reports/fee_pages.py",
    "dashboard/transactions/export_pages.py",
    "reporting/exports/api.py",
    "reporting/exports/model.py",
    "reporting/statements/api.py",
}
TEXT = '=1;a;=2\t@3;"=4'
Made = Callable[[Tenant], Awaitable[httpx2.Response]]


async def results(org: Tenant) -> httpx2.Response:
    return await download(org, "TRANSACTION_COUNT", None)


async def transactions(org: Tenant) -> httpx2.Response:
    return await download(org, "TRANSACTION_COUNT", None, content="transactions")


async def scheduled(org: Tenant) -> httpx2.Response:
    run = await make_run(org)
    return await org.send("GET", f"{RUNS}/{run['run']}/download")


async def statement(org: Tenant) -> httpx2.Response:
    users = (await org.get("/v2/users"))["users"]
    return await ask(org, users[-1]["id"], format="csv")


async def audit_log(org: Tenant) -> httpx2.Response:
    admin = await visit(org, name=TEXT)
    await admin.submit("/dashboard/settings", {"name": "A"})
    return (await admin.load("/dashboard/audit-log/csv")).response


async def listed(org: Tenant) -> httpx2.Response:
    return (await (await visit(org)).load("/dashboard/transactions/csv")).response


async def fees(org: Tenant) -> httpx2.Response:
    users = (await org.get("/v2/users"))["users"]
    await make_swap(org, users[-1]["id"], "5", status=SwapStatus.COMPLETED)
    return (await (await visit(org)).load("/dashboard/fees/csv")).response


async def wallets(org: Tenant) -> httpx2.Response:
    return (await (await visit(org)).load("/dashboard/external-wallets/csv")).response


EXPORTS: list[Made] = [
    *(results, transactions, scheduled, statement, audit_log, listed, wallets, fees)
]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Return what `csv_lines` wrote."""
    found: list[bytes] = []
    real_header, real_lines = csv_lines.header, csv_lines.lines

    def header(heading: ExportHeader) -> bytes:
        found.append(real_header(heading))
        return found[-1]

    def lines(heading: ExportHeader, batch: Batch) -> bytes:
        found.append(real_lines(heading, batch))
        return found[-1]

    monkeypatch.setattr(csv_lines, "header", header)
    monkeypatch.setattr(csv_lines, "lines", lines)
    return found


@pytest.mark.parametrize("export", EXPORTS)
async def test_every_byte_comes_from_the_one_writer(
    org: Tenant, written: list[bytes], export: Made
) -> None:
    await make_hostile_records(org)
    answer = await export(org)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.content == b"".join(written)
    assert answer.content.count(b"\r\n") > 1


@pytest.mark.parametrize("export", [transactions, statement, audit_log])
async def test_third_party_text_is_no_formula(org: Tenant, export: Made) -> None:
    await make_hostile_records(org)
    found = (await export(org)).text
    # Whole, but for the apostrophes.
    assert TEXT.replace('"', '""') in found.replace("'", "")
    for delimiter in ",;\t":
        cells = list(_cells(found, delimiter))
        assert not [each for each in cells if FORMULA.match(each)]


async def test_the_example_of_a_batch_has_no_formula(org: Tenant) -> None:
    answer = (await (await visit(org)).load("/dashboard/new/batch/template.csv")).response
    assert not [each for each in _cells(answer.text, ",") if FORMULA.match(each)]


def test_no_other_module_writes_csv() -> None:
    modules = [each for each in sources("src") if "csv" in each.text]
    found = {
        str(each.path.relative_to(PACKAGE)) for each in modules if any(map(_names_csv, each.nodes))
    }
    assert found == MODULES
    for each in modules:
        calls = {node.attr for node in each.nodes if isinstance(node, ast.Attribute)}
        assert not calls & {"DictWriter"}, each.name
        assert "csv.writer" not in each.text, each.name


async def make_hostile_records(org: Tenant) -> None:
    """Create a rejected transfer with a hostile reason, and wallets with hostile texts."""
    payer, payee = await make_user(org, funds="100"), await make_user(org, funds="1")
    created = await make_transfer(org, payer, payee, "1")
    label = {"chain": "POLYGON", "address": OUTSIDE, "name": "=1", "referenceId": "1"}
    await org.post(f"/v2/users/{payer}/wallets/external", label)
    database = org.container.database
    await database.rows(
        "update transfers set facts = facts || jsonb_build_object('failed_reason', $3::text)"
        " where org_id = $1 and id = $2",
        *(org.org_id, UUID(created["id"]), TEXT),
    )
    await database.rows(
        "update wallets set address = $2 || address where org_id = $1", org.org_id, TEXT
    )


def _cells(text: str, delimiter: str) -> Iterator[str]:
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
        yield from row


def _names_csv(node: ast.AST) -> bool:
    """Return whether this node is a literal with the media type of CSV."""
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.startswith("text/csv")
    )
