from typing import Any

import pytest

from tests.reporting.metrics.brute_force import STATUSES, TYPES
from tests.reporting.metrics.record_history import fold
from tests.tenants import Tenant, make_user

PARAMS = "/v2/reporting/params"


@pytest.mark.parametrize(
    ("name", "values"), [("transactionTypes", TYPES), ("transactionStatuses", STATUSES)]
)
async def test_options_are_texts_by_pages(org: Tenant, name: str, values: tuple[str, ...]) -> None:
    answer = await org.get(f"{PARAMS}/{name}/options")
    assert answer == {
        "status": "success",
        "data": list(values),
        "metadata": {
            "count": len(values),
            "page": 1,
            "limit": 100,
            "total": len(values),
            "totalPages": 1,
            "hasMore": False,
        },
    }
    second = await org.get(f"{PARAMS}/{name}/options", page=2, limit=2)
    assert second["data"] == list(values[2:4])
    assert second["metadata"] == {
        "count": len(second["data"]),
        "page": 2,
        "limit": 2,
        "total": len(values),
        "totalPages": -(-len(values) // 2),
        "hasMore": len(values) > 4,
    }


async def test_users_are_the_organisations_own_oldest_first(org: Tenant, other_org: Tenant) -> None:
    path = f"{PARAMS}/userIds/options"
    nobody = await org.get(path)
    assert (nobody["data"], nobody["metadata"]["total"]) == ([], 0)
    assert (nobody["metadata"]["totalPages"], nobody["metadata"]["hasMore"]) == (0, False)
    users = [await make_user(org) for _ in range(3)]
    await make_user(other_org)
    await fold(org)
    users += [await make_user(org) for _ in range(2)]
    assert (await org.get(path))["data"] == users
    pages = [await org.get(path, page=number, limit=2) for number in (1, 2, 3, 4)]
    assert [each["data"] for each in pages] == [users[:2], users[2:4], users[4:], []]
    assert [each["metadata"]["hasMore"] for each in pages] == [True, True, False, False]
    assert {each["metadata"]["total"] for each in pages} == {5}


@pytest.mark.parametrize("name", ["nothing", "userId", "breakdowns", "%00", "x" * 5000])
async def test_parameters_without_options_are_not_found(org: Tenant, name: str) -> None:
    answer = await org.send("GET", f"{PARAMS}/{name}/options")
    assert answer.status_code in {400, 404}
    assert answer.json()["status"] == "error"


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ({"page": 0}, ["page"]),
        ({"page": -1}, ["page"]),
        ({"page": "one"}, ["page"]),
        ({"page": "9" * 5000}, ["page"]),
        ({"page": ""}, ["page"]),
        ({"page": "\u0661"}, ["page"]),
        ({"limit": 0}, ["limit"]),
        ({"limit": 1001}, ["limit"]),
        ({"limit": "1e2"}, ["limit"]),
        ({"page": 0, "limit": 0}, ["page", "limit"]),
    ],
)
async def test_an_invalid_page_is_refused(
    org: Tenant, query: dict[str, Any], named: list[str]
) -> None:
    answer = await org.send("GET", f"{PARAMS}/userIds/options", **query)
    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]) == named


async def test_the_last_allowed_page_is_empty(org: Tenant) -> None:
    await make_user(org)
    answer = await org.get(f"{PARAMS}/userIds/options", page=1_000_000_000, limit=1000)
    assert answer["data"] == []
