from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest

from landbridge.reporting.exports.model import ExportFormat
from tests.reporting.exports.downloads import (
    METRICS,
    PREVIEW,
    csv_rows,
    download,
    params,
    parquet_table,
)
from tests.reporting.metrics.custom.templates import create
from tests.tenants import Tenant, make_transfer, make_user, run_due

COUNT_PER_USER = {"left": {"function": "count"}, "right": {"function": "distinctUsers"}}
BY_TYPE = ["transactionType", "transactionStatus"]


async def preview(org: Tenant, template: str, params_: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a preview."""
    body = {"template": template, "params": params_}
    return (await org.post(f"{METRICS}/preview", body))["data"]


async def save(org: Tenant, template: str, params_: dict[str, Any]) -> str:
    """Save a metric and return its id."""
    body = {"template": template, "name": "Saved", "params": params_}
    answer = await org.send("POST", METRICS, body)
    assert answer.status_code == 201, answer.text
    return answer.json()["data"]["id"]


@pytest.mark.parametrize(
    ("template", "more"),
    [
        ("TRANSACTION_COUNT", {"breakdowns": BY_TYPE}),
        ("GROSS_VOLUME", {"transactionTypes": ["transfer"], "breakdowns": ["userId"]}),
        ("NEW_USERS", {}),
        ("OUTCOMES", {"breakdowns": ["transactionType"]}),
    ],
)
async def test_a_file_has_the_rows_of_the_preview(
    org: Tenant, template: str, more: dict[str, Any]
) -> None:
    user = await make_user(org, funds="100")
    await make_transfer(org, user, await make_user(org), "12.25")
    await run_due(org)
    params_ = params(org, **more)
    expected = await preview(org, template, {**params_, "limit": 10_000})
    assert expected
    lines = csv_rows(await download(org, template, params_))
    table = parquet_table((await download(org, template, params_, format="parquet")).content)
    assert list(lines[0]) == table.column_names
    assert len(lines) == table.num_rows == len(expected)
    for row, line, record in zip(expected, lines, table.to_pylist(), strict=True):
        for name, value in line.items():
            if name == "periodStart" or name in more.get("breakdowns", ()):
                assert value == str(record[name]) == row[name]
            elif row[name] is None:
                assert (value, record[name]) == ("", None)
            else:
                assert Decimal(value) == record[name] == Decimal(str(row[name]))


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ({"function": "average", "of": "amountUsd"}, ["3.66666667", None]),
        ({"function": "ratio", "ifZero": "zero", **COUNT_PER_USER}, ["3.00000000", "0E-8"]),
        ({"function": "ratio", "ifZero": "null", **COUNT_PER_USER}, ["3.00000000", None]),
    ],
    ids=["average", "ratio, or zero", "ratio"],
)
async def test_quotients_are_exact_in_parquet_with_all_their_digits(
    org: Tenant, measure: dict[str, Any], expected: list[str | None]
) -> None:
    user, payee = await make_user(org, funds="11"), await make_user(org)
    for amount in ("2", "4", "5"):
        await make_transfer(org, user, payee, amount)
    await run_due(org)
    quotient = {**measure, "digits": 8, "rounding": "halfUp"}
    await create(org, definition={"subject": "transactions", "measure": quotient})
    found = await download(org, "OURS", params(org), format="parquet")
    assert found.status_code == 200, found.text
    values = [each["value"] for each in parquet_table(found.content).to_pylist()]
    assert values[:2] == [None if each is None else Decimal(each) for each in expected]
    lines = csv_rows(await download(org, "OURS", params(org)))
    assert [each["value"] and Decimal(each["value"]) for each in lines] == [
        "" if each is None else each for each in values
    ]


async def test_a_saved_metric_gives_the_same_file(org: Tenant) -> None:
    await make_user(org)
    params_ = params(org)
    metric = await save(org, "NEW_USERS", params_)
    found = await org.send("GET", f"{METRICS}/{metric}/download")
    previewed = await download(org, "NEW_USERS", params_)
    assert found.content == previewed.content
    name = found.headers["content-disposition"]
    assert name.startswith('attachment; filename="new-users-results-2026-01-01-')
    assert name.endswith('-UTC.csv"')
    assert found.headers["cache-control"] == "no-store"


async def test_a_file_has_all_rows_unless_a_limit_is_given(org: Tenant) -> None:
    params_ = params(org, createdAfter="2024-01-01", calculationInterval="day")
    rows = csv_rows(await download(org, "NEW_USERS", params_))
    assert len(rows) > 500  # the default of previews
    assert len(csv_rows(await download(org, "NEW_USERS", {**params_, "limit": 7}))) == 7


async def test_result_file_returns_name_and_content(org: Tenant) -> None:
    name, content = await org.container.exports.result_file(
        org.caller, "NEW_USERS", params(org), ExportFormat.PARQUET
    )
    assert name.endswith(".parquet")
    assert parquet_table(content).column_names == ["periodStart", "newUserCount"]


async def test_all_invalid_query_parameters_are_reported_at_once(org: Tenant) -> None:
    answer = await download(org, "NEW_USERS", format="xlsx", content="everything")
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert set(error["details"]) == {"format", "content"}
    assert "csv, parquet" in error["details"]["format"]


async def test_an_invalid_metric_cannot_be_downloaded(org: Tenant) -> None:
    for content in ("results", "transactions"):
        answer = await download(org, "NONE", content=content)
        assert (answer.status_code, set(answer.json()["error"]["details"])) == (400, {"template"})
        wrong = params(org, createdAfter="no date", limit=0)
        answer = await download(org, "GROSS_VOLUME", wrong, content=content)
        details = answer.json()["error"]["details"]
        assert (answer.status_code, set(details)) == (400, {"createdAfter", "limit"})


async def test_a_foreign_metric_is_not_found(org: Tenant, other_org: Tenant) -> None:
    metric = await save(org, "TRANSACTION_COUNT", params(org))
    for content in ("results", "transactions"):
        path = f"{METRICS}/{metric}/download"
        refused = await other_org.refused("GET", path, content=content)
        assert refused == "404 RESOURCE_NOT_FOUND"
        unknown = f"{METRICS}/{uuid4()}/download"
        assert await org.refused("GET", unknown, content=content) == "404 RESOURCE_NOT_FOUND"
    assert await org.refused("GET", f"{METRICS}/none/download") == "400 FIELD_VALIDATION_ERROR"
    assert (await org.client.post(PREVIEW, json={})).status_code == 401
