"""A calculation equals counting the records by brute force."""

from datetime import date, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.payments.offramps.model import KIND as OFFRAMP
from landbridge.payments.onramps.model import KIND as ONRAMP
from landbridge.payments.transfers.model import KIND as TRANSFER
from landbridge.platform.core.clock import FrozenClock
from tests.long import few_of
from tests.reporting.metrics.brute_force import STATUSES, expected_rows, histories, valid_params
from tests.reporting.metrics.record_history import Paid, fold, put
from tests.tenants import Tenant, make_user

PREVIEW = "/v2/reporting/metrics/preview"


async def preview(org: Tenant, template: str = "TRANSACTION_COUNT", **params: Any) -> Any:
    """Return a successful preview, by default of each day of the first week of November."""
    answer = {
        "createdAfter": "2025-11-01",
        "createdBefore": "2025-11-07",
        "calculationInterval": "day",
        **params,
    }
    return await org.post(PREVIEW, {"template": template, "params": answer})


def paid(
    at: str, *, kind: str = ONRAMP, status: str = "COMPLETED", user: UUID | None = None
) -> Paid:
    """Return a record worth ten dollars and one cent."""
    moment = datetime.fromisoformat(at)
    return Paid(moment, kind, status, user or uuid4(), 1001)


@pytest.mark.parametrize("seed", few_of(range(4), 2))
async def test_any_query_equals_brute_force(org: Tenant, seed: int) -> None:
    random = Random(seed)  # noqa: S311  what is params, not a secret
    users = [UUID(await make_user(org)) for _ in range(3)]
    history = histories(random, users)
    await put(org, history[:150])
    if seed % 2:
        await fold(org)
    await put(org, history[150:])
    found = 0
    for _ in range(40):
        of_volume = random.random() < 0.5
        params = valid_params(random, users, has_statuses=not of_volume)
        template = "GROSS_VOLUME" if of_volume else "TRANSACTION_COUNT"
        answer = await org.send("POST", PREVIEW, {"template": template, "params": params})
        assert answer.status_code == 200, (params, answer.text)
        body = answer.json()
        expected = expected_rows(history, params, of_volume=of_volume)
        for row in expected:
            row |= {name: float(row[name]) for name in row if name.startswith("gross")}
        assert body["data"] == expected, params
        assert body["metadata"]["recordCount"] == len(expected)
        found += len(expected) - body["metadata"]["filledCount"]
    assert found


async def test_every_requested_combination_is_filled_with_zeros(org: Tenant) -> None:
    answer = await preview(
        org,
        transactionTypes=["onramp", "offramp"],
        transactionStatuses=["COMPLETED", "FAILED"],
        breakdowns=["transactionType", "transactionStatus"],
    )
    # The published sample: six days, two types, two statuses, all values behind the projection.
    assert [each["transactionCount"] for each in answer["data"]] == [0] * 24
    assert [
        (each["periodStart"], each["transactionType"], each["transactionStatus"])
        for each in answer["data"][:5]
    ] == [
        ("2025-11-06", "offramp", "FAILED"),
        ("2025-11-06", "offramp", "COMPLETED"),
        ("2025-11-06", "onramp", "FAILED"),
        ("2025-11-06", "onramp", "COMPLETED"),
        ("2025-11-05", "offramp", "FAILED"),
    ]
    metadata = answer["metadata"]
    assert metadata == {
        "template": "TRANSACTION_COUNT",
        "recordCount": 24,
        "projectedRowCount": 6 * 3 * 17,
        "filledCount": 24,
        "calculationInterval": "day",
        "dateRange": {"start": "2025-11-01", "end": "2025-11-07"},
        "filters": {
            "createdAfter": _given("2025-11-01"),
            "createdBefore": _given("2025-11-07"),
            "calculationInterval": _given("day"),
            "transactionTypes": _given(["onramp", "offramp"]),
            "transactionStatuses": _given(["COMPLETED", "FAILED"]),
            "userIds": {
                "applied": "all",
                "specified": False,
                "count": 0,
                "note": "the values are too many to be listed",
            },
            "breakdowns": _given(["transactionType", "transactionStatus"]),
        },
        "breakdowns": {
            "dimensions": ["transactionType", "transactionStatus"],
            "dimensionCounts": {"transactionType": 3, "transactionStatus": 17},
        },
        "timeZone": "UTC",
        "hasMore": False,
    }


def _given(value: str | list[str]) -> dict[str, Any]:
    answer = {"applied": "subset", "specified": True, "values": value}
    return answer if isinstance(value, str) else answer | {"count": len(value)}


@pytest.mark.parametrize(
    ("statuses", "count"),
    [
        (["PENDING"], 3),
        (["CRYPTO_PENDING"], 2),
        (["PENDING", "CRYPTO_PENDING"], 5),
        (["COMPLETED"], 1),
        (["NOT_INITIATED"], 1),
        (["FAILED"], 0),
    ],
)
async def test_unlisted_statuses_are_counted_under_listed_ones(
    org: Tenant, statuses: list[str], count: int
) -> None:
    at = "2025-11-03T12:00:00+00:00"
    unknown = [paid(at, kind=kind, status="UNKNOWN") for kind in (ONRAMP, TRANSFER, TRANSFER)]
    others = ("COMPLETED", "CREATED", "IN_REVIEW", "CRYPTO_PROCESSED")
    await put(org, [*unknown, *(paid(at, kind=OFFRAMP, status=each) for each in others)])
    for _ in range(2):
        answer = await preview(org, transactionStatuses=statuses, calculationInterval="week")
        assert sum(each["transactionCount"] for each in answer["data"]) == count
        await fold(org)


async def test_without_filters_and_breakdowns_there_is_a_row_for_each_period(org: Tenant) -> None:
    await put(org, [paid("2025-11-03T00:00+00:00"), paid("2025-11-03T23:59:59.999999+00:00")])
    answer = await preview(org)
    assert answer["data"] == [
        {"periodStart": f"2025-11-0{day}", "transactionCount": 2 if day == 3 else 0}
        for day in (6, 5, 4, 3, 2, 1)
    ]
    metadata = answer["metadata"]
    assert (metadata["recordCount"], metadata["filledCount"]) == (6, 5)
    assert metadata["projectedRowCount"] is None
    assert metadata["breakdowns"] is None
    assert metadata["filters"]["transactionStatuses"] == {
        "applied": "all",
        "specified": False,
        "values": list(STATUSES),
        "count": 17,
    }
    assert "metric" not in metadata


async def test_a_month_between_minutes_includes_its_first_and_last_day(org: Tenant) -> None:
    after, before = "2025-10-12T18:01:00Z", "2025-11-11T18:01:00Z"
    await put(
        org,
        [
            paid("2025-10-12T18:00:59+00:00"),
            paid("2025-10-12T18:01:00+00:00"),
            paid("2025-11-11T18:00:59+00:00"),
            paid("2025-11-11T18:01:00+00:00"),
        ],
    )
    answer = await preview(org, createdAfter=after, createdBefore=before)
    counts = {each["periodStart"]: each["transactionCount"] for each in answer["data"]}
    assert len(counts) == 31
    assert (counts["2025-10-12"], counts["2025-11-11"], sum(counts.values())) == (1, 1, 2)
    assert answer["metadata"]["dateRange"] == {"start": after, "end": before}


@pytest.mark.parametrize(
    ("interval", "starts"),
    [
        ("week", ["2025-11-03", "2025-10-27"]),
        ("month", ["2025-11-01"]),
        ("quarter", ["2025-10-01"]),
        ("year", ["2025-01-01"]),
    ],
)
async def test_a_period_is_identified_by_its_first_day(
    org: Tenant, interval: str, starts: list[str]
) -> None:
    answer = await preview(org, calculationInterval=interval)
    assert [each["periodStart"] for each in answer["data"]] == starts


async def test_volume_covers_completed_ramps_and_requested_transfers(org: Tenant) -> None:
    at = "2025-11-03T12:00+00:00"
    await put(
        org,
        [
            paid(at),
            paid(at, kind=OFFRAMP),
            paid(at, kind=TRANSFER),
            paid(at, status="FIAT_PENDING"),
        ],
    )
    day = {"createdAfter": "2025-11-03", "createdBefore": "2025-11-04"}
    answer = await preview(org, "GROSS_VOLUME", **day)
    assert answer["data"] == [
        {"periodStart": "2025-11-03", "grossVolume": 20.02, "grossVolumeUsd": 20.02}
    ]
    assert answer["metadata"]["filters"]["transactionTypes"] == {
        "applied": "subset",
        "specified": False,
        "values": ["onramp", "offramp"],
        "count": 2,
    }
    # As a published guide sends it; statuses have no effect here.
    answer = await preview(
        org,
        "GROSS_VOLUME",
        **day,
        transactionTypes=["onramp", "offramp", "transfer"],
        transactionStatuses=["COMPLETED", "FAILED"],
    )
    assert answer["data"][0]["grossVolume"] == 30.03
    answer = await preview(org, "GROSS_VOLUME", **day, breakdowns=["transactionType"])
    assert [each["transactionType"] for each in answer["data"]] == ["offramp", "onramp"]
    assert answer["metadata"]["breakdowns"]["dimensionCounts"] == {"transactionType": 3}


async def test_the_newest_rows_are_kept_within_the_limit(org: Tenant) -> None:
    await put(org, [paid("2025-11-02T12:00+00:00"), paid("2025-11-05T12:00+00:00")])
    params: dict[str, Any] = {
        "breakdowns": ["transactionType"],
        "transactionTypes": ["onramp", "transfer"],
    }
    everything = (await preview(org, **params))["data"]
    assert len(everything) == 12
    for limit in (1, 2, 3, 4, 11, 12, 13):
        answer = await preview(org, **params, limit=limit)
        assert answer["data"] == everything[:limit]
        assert answer["metadata"]["hasMore"] == (limit < 12)


@pytest.mark.parametrize(
    "breakdowns", [["userId"], ["userId", "transactionType"], ["transactionType", "userId"]]
)
async def test_users_are_kept_within_the_limit(org: Tenant, breakdowns: list[str]) -> None:
    users = [UUID(await make_user(org)) for _ in range(4)]
    days = ("2025-11-02T12:00+00:00", "2025-11-05T12:00+00:00")
    await put(
        org,
        [
            paid(day, user=user, kind=kind)
            for day, user, kind in (
                (days[0], users[0], OFFRAMP),
                (days[1], users[1], OFFRAMP),
                (days[1], users[2], TRANSFER),
            )
        ],
    )
    for is_summed in (False, True):
        if is_summed:
            await fold(org)
        everything = (await preview(org, breakdowns=breakdowns))["data"]
        rows = 6 * 3 * (1 if len(breakdowns) == 1 else 3)
        assert len(everything) == rows
        assert sum(each["transactionCount"] for each in everything) == 3
        for limit in range(1, rows + 2):
            answer = await preview(org, breakdowns=breakdowns, limit=limit)
            assert answer["data"] == everything[:limit]
            assert answer["metadata"]["hasMore"] == (limit < rows)


async def test_without_a_limit_there_are_500_rows(org: Tenant) -> None:
    await put(org, [paid("2024-01-01T12:00+00:00")])
    answer = await preview(org, createdAfter="2020-01-01", createdBefore="2025-01-01")
    assert (len(answer["data"]), answer["metadata"]["hasMore"]) == (500, True)
    assert answer["data"][366 - 1] == {"periodStart": "2024-01-01", "transactionCount": 1}


async def test_users_without_data_have_rows_only_if_filtered(
    org: Tenant, other_org: Tenant
) -> None:
    ada, bob = [UUID(await make_user(org)) for _ in range(2)]
    stranger = UUID(await make_user(other_org))
    at = "2025-11-03T12:00+00:00"
    await put(org, [paid(at, user=ada), paid(at, user=ada)])
    await put(other_org, [paid(at, user=stranger)])
    params: dict[str, Any] = {
        "breakdowns": ["userId"],
        "createdAfter": "2025-11-03",
        "createdBefore": "2025-11-04",
    }
    answer = await preview(org, **params)
    assert [(each["userId"], each["transactionCount"]) for each in answer["data"]] == [
        (str(ada), 2)
    ]
    assert answer["metadata"]["projectedRowCount"] == 2
    answer = await preview(org, **params, userIds=[str(stranger), str(bob).upper(), str(ada)])
    counts = {each["userId"]: each["transactionCount"] for each in answer["data"]}
    assert counts == {str(ada): 2, str(bob): 0, str(stranger): 0}
    assert answer["metadata"]["projectedRowCount"] == 3
    assert [each["userId"] for each in answer["data"]] == sorted(counts, reverse=True)
    assert await preview(other_org, **params, userIds=[str(ada)]) != answer
    answer = await preview(org, userIds=[str(stranger)])
    assert [each["transactionCount"] for each in answer["data"]] == [0] * 6


async def test_too_many_rows_are_refused_before_they_are_made(org: Tenant) -> None:
    params: dict[str, Any] = {
        "createdAfter": "2025-01-01",
        "breakdowns": ["transactionType", "transactionStatus"],
        "calculationInterval": "day",
    }
    # 3 types, 17 statuses: 196 days are the most.
    good = await preview(org, **params, createdBefore="2025-07-16")
    assert good["metadata"]["projectedRowCount"] == 196 * 51
    body = {"template": "TRANSACTION_COUNT", "params": params | {"createdBefore": "2025-07-17"}}
    answer = await org.send("POST", PREVIEW, body)
    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]) == ["breakdowns"]


async def test_new_users_are_counted_by_the_organisations_time(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    still_clock.at = still_clock.at.replace(hour=22, minute=0) + timedelta(days=1)
    begin = still_clock.at.date()
    for _ in range(2):
        await make_user(still_org)
    still_clock.at += timedelta(hours=4)
    await make_user(still_org)
    await still_org.post("/v2/sandbox/clock/advance", {"seconds": 86_400})
    await make_user(still_org)
    params: dict[str, Any] = {
        "createdAfter": begin.isoformat(),
        "createdBefore": f"{begin + timedelta(days=3)}T00:00:00+00:00",
    }
    for _ in range(2):
        answer = await preview(still_org, "NEW_USERS", **params)
        assert answer["data"] == [
            {"periodStart": str(begin + timedelta(days=2)), "newUserCount": 1},
            {"periodStart": str(begin + timedelta(days=1)), "newUserCount": 1},
            {"periodStart": str(begin), "newUserCount": 2},
        ]
        assert answer["metadata"]["filledCount"] == 0
        await fold(still_org)


@pytest.mark.parametrize("interval", ["day", "year"])
async def test_the_year_one_is_a_valid_start(org: Tenant, interval: str) -> None:
    answer = await preview(
        org, createdAfter="0001-01-01", calculationInterval=interval, limit=10_000
    )
    newest = date(2025, 11, 6) if interval == "day" else date(2025, 1, 1)
    assert answer["data"][0]["periodStart"] == newest.isoformat()
    assert len(answer["data"]) == (10_000 if interval == "day" else 2025)
    answer = await preview(
        org, createdAfter="0001-01-01", createdBefore="0002-01-01", calculationInterval=interval
    )
    assert answer["metadata"]["filledCount"] == (365 if interval == "day" else 1)
