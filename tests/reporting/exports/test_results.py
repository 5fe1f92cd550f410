from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest

from landbridge.reporting.exports.model import Format
from tests.reporting.exports.things import (
    METRICS,
    PREVIEW,
    csv_rows,
    download,
    params,
    parquet_table,
)
from tests.tenants import Tenant, make_transfer, make_user, run_due

BY_TYPE = ["transactionType", "transactionStatus"]


async def preview(org: Tenant, template: str, told: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a preview."""
    body = {"template": template, "params": told}
    return (await org.post(f"{METRICS}/preview", body))["data"]


async def save(org: Tenant, template: str, told: dict[str, Any]) -> str:
    """The id of a saved metric."""
    body = {"template": template, "name": "Saved", "params": told}
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
    told = params(org, **more)
    expected = await preview(org, template, {**told, "limit": 10_000})
    assert expected
    lines = csv_rows(await download(org, template, told))
    table = parquet_table((await download(org, template, told, format="parquet")).content)
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


async def test_a_saved_metric_gives_the_same_file(org: Tenant) -> None:
    await make_user(org)
    told = params(org)
    metric = await save(org, "NEW_USERS", told)
    found = await org.send("GET", f"{METRICS}/{metric}/download")
    previewed = await download(org, "NEW_USERS", told)
    assert found.content == previewed.content
    name = found.headers["content-disposition"]
    assert name.startswith('attachment; filename="new-users-results-2026-01-01-')
    assert name.endswith('-UTC.csv"')
    assert found.headers["cache-control"] == "no-store"


async def test_a_file_has_all_rows_unless_a_limit_is_given(org: Tenant) -> None:
    told = params(org, createdAfter="2024-01-01", calculationInterval="day")
    rows = csv_rows(await download(org, "NEW_USERS", told))
    assert len(rows) > 500  # the default of previews
    assert len(csv_rows(await download(org, "NEW_USERS", {**told, "limit": 7}))) == 7


async def test_the_verb_answers_name_and_content(org: Tenant) -> None:
    name, content = await org.house.exports.result_file(
        org.caller, "NEW_USERS", params(org), Format.PARQUET
    )
    assert name.endswith(".parquet")
    assert parquet_table(content).column_names == ["periodStart", "newUserCount"]


async def test_everything_wrong_in_the_query_is_said_at_once(org: Tenant) -> None:
    answer = await download(org, "NEW_USERS", format="xlsx", content="everything")
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert set(error["details"]) == {"format", "content"}
    assert "csv, parquet" in error["details"]["format"]


async def test_what_can_not_be_calculated_can_not_be_downloaded(org: Tenant) -> None:
    for content in ("results", "transactions"):
        answer = await download(org, "NONE", content=content)
        assert (answer.status_code, set(answer.json()["error"]["details"])) == (400, {"template"})
        wrong = params(org, createdAfter="no date", limit=0)
        answer = await download(org, "GROSS_VOLUME", wrong, content=content)
        details = answer.json()["error"]["details"]
        assert (answer.status_code, set(details)) == (400, {"createdAfter", "limit"})


async def test_a_stranger_finds_no_metric(org: Tenant, other_org: Tenant) -> None:
    metric = await save(org, "TRANSACTION_COUNT", params(org))
    for content in ("results", "transactions"):
        path = f"{METRICS}/{metric}/download"
        refused = await other_org.refused("GET", path, content=content)
        assert refused == "404 RESOURCE_NOT_FOUND"
        unknown = f"{METRICS}/{uuid4()}/download"
        assert await org.refused("GET", unknown, content=content) == "404 RESOURCE_NOT_FOUND"
    assert await org.refused("GET", f"{METRICS}/none/download") == "400 FIELD_VALIDATION_ERROR"
    assert (await org.client.post(PREVIEW, json={})).status_code == 401
