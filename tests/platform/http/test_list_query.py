from itertools import product
from typing import Any
from urllib.parse import quote

import pytest

from tests.matrices import each_value_once
from tests.tenants import SWAPS, Tenant, make_swap, make_user, refusal, sentence

LISTS = [SWAPS, "/v2/users"]


async def _get(org: Tenant, path: str, query: str) -> Any:
    return await org.client.get(f"{path}?{query}", headers=org.headers)


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize(
    "limit",
    [
        *("0", "-1", "101", "abc", "1.5", "", "%205", "5%20", "+5", "%D9%A3", "1e1", "0x10"),
        *("00010000", "9" * 5000, "null", "%00", "%EF%BC%95", "10%2C20", "1_0"),
    ],
)
async def test_a_limit_outside_of_1_to_100_is_refused(org: Tenant, path: str, limit: str) -> None:
    answer = await _get(org, path, f"limit={limit}")
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    if limit != "%00":
        assert sentence(answer) == "limit must be a whole number from 1 to 100"


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("limit", ["1", "100", "010", "10"])
async def test_limit_of_1_to_100_is_accepted(org: Tenant, path: str, limit: str) -> None:
    assert (await _get(org, path, f"limit={limit}")).status_code == 200


async def test_last_of_two_limits_counts(org: Tenant) -> None:
    for _ in range(3):
        await make_user(org)
    assert (await _get(org, "/v2/users", "limit=1&limit=2")).json()["count"] == 2


NO_MOMENT = [
    *("", "x", "2026", "2026-1-5", "2026-13-01", "2026-02-30", "20260105", "05-01-2026"),
    *("2026-W01-5", "2026-001", "0000-01-01", "10000-01-01", "2026-01-05T10:00:00", "1767571200"),
    *("2026-01-05T25:00:00Z", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "now"),
    *(
        "2026-01-05 ",
        " 2026-01-05",
        "\u0662\u0660\u0662\u0666-01-05",
        "2026-01-05T10:00:00+99:99",
        "null",
        "[]",
    ),
]


@pytest.mark.parametrize(
    ("path", "name", "text"),
    each_value_once(product(LISTS, ["createdAfter", "createdBefore", "cursor"], NO_MOMENT)),
)
async def test_invalid_time_bound_is_refused_by_name(
    org: Tenant, path: str, name: str, text: str
) -> None:
    answer = await _get(org, path, f"{name}={quote(text)}")
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert sentence(answer) == (
        f"{name} is neither a date, as in 2026-01-31, nor a time with an offset, as in "
        "2026-01-31T12:00:00Z"
    )


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize(
    "text",
    [
        *("2026-01-05", "0001-01-01", "9999-12-31", "2024-02-29", "2026-01-05T10:00:00Z"),
        *("2026-01-05T10:00:00.123456%2B00:00", "2026-01-05T10:00:00.5-05:30"),
        *("2026-01-05T10:00:00+00:00", "9999-12-31T23:59:59.999999Z"),
    ],
)
async def test_dates_and_times_with_an_offset_are_accepted(
    org: Tenant, path: str, text: str
) -> None:
    for name in ("createdAfter", "createdBefore", "cursor"):
        answer = await _get(org, path, f"{name}={text}")
        assert answer.status_code == 200, answer.text


async def test_invalid_bound_is_refused_beside_a_cursor_too(org: Tenant) -> None:
    answer = await _get(org, SWAPS, "cursor=2026-01-01&createdBefore=x")
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"


async def test_an_inverted_range_is_empty(org: Tenant) -> None:
    await make_swap(org, await make_user(org, funds="10"))
    query = "createdAfter=9000-01-01&createdBefore=2000-01-01"
    assert (await _get(org, SWAPS, query)).json() == {"count": 0, "data": []}


@pytest.mark.parametrize("text", ["", "x", "1", "%00", "8d3a7cfe000040008000000000000000"])
async def test_malformed_user_filter_is_refused(org: Tenant, text: str) -> None:
    answer = await _get(org, SWAPS, f"userId={text}")
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"


async def test_unknown_parameters_are_ignored(org: Tenant) -> None:
    assert (await _get(org, SWAPS, "page=2&limits=0&%FF=%FF&x")).status_code == 200


@pytest.mark.parametrize("query", ["firstName=%00", "email=a%00b", "x=%00", "%00"])
async def test_a_nul_anywhere_in_the_query_is_refused(org: Tenant, query: str) -> None:
    answer = await _get(org, "/v2/users", query)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
