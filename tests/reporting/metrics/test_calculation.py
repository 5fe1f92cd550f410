"""What a calculation answers is what counting the records by hand comes to."""

from datetime import date, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.core.clock import FrozenClock
from landbridge.flows.offramps.model import KIND as OFFRAMP
from landbridge.flows.onramps.model import KIND as ONRAMP
from landbridge.flows.wallet_transfers.model import KIND as TRANSFER
from tests.tenants import Tenant, make_user

from .by_hand import STATUSES, a_past, a_question, by_hand
from .past import Paid, fold, put

PREVIEW = "/v2/reporting/metrics/preview"


async def preview(org: Tenant, template: str = "TRANSACTION_COUNT", **params: Any) -> Any:
    """The answer, which must be good; each day of the first week of November if not told."""
    told = {
        "createdAfter": "2025-11-01",
        "createdBefore": "2025-11-07",
        "calculationInterval": "day",
        **params,
    }
    return await org.post(PREVIEW, {"template": template, "params": told})


def paid(
    at: str, *, kind: str = ONRAMP, status: str = "COMPLETED", user: UUID | None = None
) -> Paid:
    """A record of ten dollars and one cent."""
    moment = datetime.fromisoformat(at)
    return Paid(moment, kind, status, user or uuid4(), 1001)


@pytest.mark.parametrize("seed", range(4))
async def test_any_question_is_answered_as_by_hand(org: Tenant, seed: int) -> None:
    random = Random(seed)  # noqa: S311  what is asked, not a secret
    users = [UUID(await make_user(org)) for _ in range(3)]
    past = a_past(random, users)
    await put(org, past[:150])
    if seed % 2:
        await fold(org)
    await put(org, past[150:])
    found = 0
    for _ in range(40):
        of_volume = random.random() < 0.5
        asked = a_question(random, users, has_statuses=not of_volume)
        template = "GROSS_VOLUME" if of_volume else "TRANSACTION_COUNT"
        answer = await org.send("POST", PREVIEW, {"template": template, "params": asked})
        assert answer.status_code == 200, (asked, answer.text)
        told = answer.json()
        wanted = by_hand(past, asked, of_volume=of_volume)
        for row in wanted:
            row |= {name: float(row[name]) for name in row if name.startswith("gross")}
        assert told["data"] == wanted, asked
        assert told["metadata"]["recordCount"] == len(wanted)
        found += len(wanted) - told["metadata"]["filledCount"]
    assert found


async def test_every_requested_combination_is_filled_with_zeros(org: Tenant) -> None:
    told = await preview(
        org,
        transactionTypes=["onramp", "offramp"],
        transactionStatuses=["COMPLETED", "FAILED"],
        breakdowns=["transactionType", "transactionStatus"],
    )
    # The published sample: six days, two types, two statuses; three types by all statuses behind.
    assert [each["transactionCount"] for each in told["data"]] == [0] * 24
    assert [
        (each["periodStart"], each["transactionType"], each["transactionStatus"])
        for each in told["data"][:5]
    ] == [
        ("2025-11-06", "offramp", "FAILED"),
        ("2025-11-06", "offramp", "COMPLETED"),
        ("2025-11-06", "onramp", "FAILED"),
        ("2025-11-06", "onramp", "COMPLETED"),
        ("2025-11-05", "offramp", "FAILED"),
    ]
    metadata = told["metadata"]
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
    told = {"applied": "subset", "specified": True, "values": value}
    return told if isinstance(value, str) else told | {"count": len(value)}


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
async def test_statuses_of_ours_are_counted_under_those_asked_for(
    org: Tenant, statuses: list[str], count: int
) -> None:
    at = "2025-11-03T12:00:00+00:00"
    unknown = [paid(at, kind=kind, status="UNKNOWN") for kind in (ONRAMP, TRANSFER, TRANSFER)]
    others = ("COMPLETED", "CREATED", "IN_REVIEW", "CRYPTO_PROCESSED")
    await put(org, [*unknown, *(paid(at, kind=OFFRAMP, status=each) for each in others)])
    for _ in range(2):
        told = await preview(org, transactionStatuses=statuses, calculationInterval="week")
        assert sum(each["transactionCount"] for each in told["data"]) == count
        await fold(org)


async def test_without_filters_and_breakdowns_there_is_a_row_for_each_period(org: Tenant) -> None:
    await put(org, [paid("2025-11-03T00:00+00:00"), paid("2025-11-03T23:59:59.999999+00:00")])
    told = await preview(org)
    assert told["data"] == [
        {"periodStart": f"2025-11-0{day}", "transactionCount": 2 if day == 3 else 0}
        for day in (6, 5, 4, 3, 2, 1)
    ]
    metadata = told["metadata"]
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


async def test_a_month_by_the_minute_has_its_first_and_its_last_day(org: Tenant) -> None:
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
    told = await preview(org, createdAfter=after, createdBefore=before)
    counts = {each["periodStart"]: each["transactionCount"] for each in told["data"]}
    assert len(counts) == 31
    assert (counts["2025-10-12"], counts["2025-11-11"], sum(counts.values())) == (1, 1, 2)
    assert told["metadata"]["dateRange"] == {"start": after, "end": before}


@pytest.mark.parametrize(
    ("interval", "starts"),
    [
        ("week", ["2025-11-03", "2025-10-27"]),
        ("month", ["2025-11-01"]),
        ("quarter", ["2025-10-01"]),
        ("year", ["2025-01-01"]),
    ],
)
async def test_a_period_is_told_by_its_first_day(
    org: Tenant, interval: str, starts: list[str]
) -> None:
    told = await preview(org, calculationInterval=interval)
    assert [each["periodStart"] for each in told["data"]] == starts


async def test_volume_is_of_completed_ramps_unless_transfers_are_asked_for(org: Tenant) -> None:
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
    told = await preview(org, "GROSS_VOLUME", **day)
    assert told["data"] == [
        {"periodStart": "2025-11-03", "grossVolume": 20.02, "grossVolumeUsd": 20.02}
    ]
    assert told["metadata"]["filters"]["transactionTypes"] == {
        "applied": "subset",
        "specified": False,
        "values": ["onramp", "offramp"],
        "count": 2,
    }
    # As a published guide sends it; statuses change nothing here.
    told = await preview(
        org,
        "GROSS_VOLUME",
        **day,
        transactionTypes=["onramp", "offramp", "transfer"],
        transactionStatuses=["COMPLETED", "FAILED"],
    )
    assert told["data"][0]["grossVolume"] == 30.03
    told = await preview(org, "GROSS_VOLUME", **day, breakdowns=["transactionType"])
    assert [each["transactionType"] for each in told["data"]] == ["offramp", "onramp"]
    assert told["metadata"]["breakdowns"]["dimensionCounts"] == {"transactionType": 3}


async def test_the_newest_rows_are_kept_within_the_limit(org: Tenant) -> None:
    await put(org, [paid("2025-11-02T12:00+00:00"), paid("2025-11-05T12:00+00:00")])
    asked: dict[str, Any] = {
        "breakdowns": ["transactionType"],
        "transactionTypes": ["onramp", "transfer"],
    }
    everything = (await preview(org, **asked))["data"]
    assert len(everything) == 12
    for limit in (1, 2, 3, 4, 11, 12, 13):
        told = await preview(org, **asked, limit=limit)
        assert told["data"] == everything[:limit]
        assert told["metadata"]["hasMore"] == (limit < 12)


async def test_without_a_limit_there_are_500_rows(org: Tenant) -> None:
    await put(org, [paid("2024-01-01T12:00+00:00")])
    told = await preview(org, createdAfter="2020-01-01", createdBefore="2025-01-01")
    assert (len(told["data"]), told["metadata"]["hasMore"]) == (500, True)
    assert told["data"][366 - 1] == {"periodStart": "2024-01-01", "transactionCount": 1}


async def test_users_without_data_have_rows_only_if_they_are_named(
    org: Tenant, other_org: Tenant
) -> None:
    ada, bob = [UUID(await make_user(org)) for _ in range(2)]
    stranger = UUID(await make_user(other_org))
    at = "2025-11-03T12:00+00:00"
    await put(org, [paid(at, user=ada), paid(at, user=ada)])
    await put(other_org, [paid(at, user=stranger)])
    asked: dict[str, Any] = {
        "breakdowns": ["userId"],
        "createdAfter": "2025-11-03",
        "createdBefore": "2025-11-04",
    }
    told = await preview(org, **asked)
    assert [(each["userId"], each["transactionCount"]) for each in told["data"]] == [(str(ada), 2)]
    assert told["metadata"]["projectedRowCount"] == 2
    told = await preview(org, **asked, userIds=[str(stranger), str(bob).upper(), str(ada)])
    counts = {each["userId"]: each["transactionCount"] for each in told["data"]}
    assert counts == {str(ada): 2, str(bob): 0, str(stranger): 0}
    assert told["metadata"]["projectedRowCount"] == 3
    assert [each["userId"] for each in told["data"]] == sorted(counts, reverse=True)
    assert await preview(other_org, **asked, userIds=[str(ada)]) != told
    told = await preview(org, userIds=[str(stranger)])
    assert [each["transactionCount"] for each in told["data"]] == [0] * 6


async def test_too_many_rows_are_refused_before_they_are_made(org: Tenant) -> None:
    asked: dict[str, Any] = {
        "createdAfter": "2025-01-01",
        "breakdowns": ["transactionType", "transactionStatus"],
        "calculationInterval": "day",
    }
    # 3 types, 17 statuses: 196 days are the most.
    good = await preview(org, **asked, createdBefore="2025-07-16")
    assert good["metadata"]["projectedRowCount"] == 196 * 51
    body = {"template": "TRANSACTION_COUNT", "params": asked | {"createdBefore": "2025-07-17"}}
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
    asked: dict[str, Any] = {
        "createdAfter": begin.isoformat(),
        "createdBefore": f"{begin + timedelta(days=3)}T00:00:00+00:00",
    }
    for _ in range(2):
        told = await preview(still_org, "NEW_USERS", **asked)
        assert told["data"] == [
            {"periodStart": str(begin + timedelta(days=2)), "newUserCount": 1},
            {"periodStart": str(begin + timedelta(days=1)), "newUserCount": 1},
            {"periodStart": str(begin), "newUserCount": 2},
        ]
        assert told["metadata"]["filledCount"] == 0
        await fold(still_org)


@pytest.mark.parametrize("interval", ["day", "year"])
async def test_the_year_one_is_no_trouble(org: Tenant, interval: str) -> None:
    told = await preview(org, createdAfter="0001-01-01", calculationInterval=interval, limit=10_000)
    newest = date(2025, 11, 6) if interval == "day" else date(2025, 1, 1)
    assert told["data"][0]["periodStart"] == newest.isoformat()
    assert len(told["data"]) == (10_000 if interval == "day" else 2025)
    told = await preview(
        org, createdAfter="0001-01-01", createdBefore="0002-01-01", calculationInterval=interval
    )
    assert told["metadata"]["filledCount"] == (365 if interval == "day" else 1)
