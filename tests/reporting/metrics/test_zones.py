"""Calculations in the organisation's own zone: days as its people have them."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest

from landbridge.payments.onramps.model import KIND as ONRAMP
from tests.reporting.metrics.record_history import Paid, fold, put
from tests.tenants import Tenant, refusal

PREVIEW = "/v2/reporting/metrics/preview"


async def set_zone(org: Tenant, zone: str) -> None:
    """Start building the days of a zone; folding completes it."""
    await fold(org)
    await org.container.rollup_updater.begin(org.org_id, zone, timedelta(), is_new=False)


def body(zone: str | None, after: str, before: str, interval: str = "day") -> dict[str, Any]:
    """Counts of all transactions."""
    params = {"createdAfter": after, "createdBefore": before, "calculationInterval": interval}
    answer = params if zone is None else params | {"timeZone": zone}
    return {"template": "TRANSACTION_COUNT", "params": answer}


@pytest.mark.parametrize(
    ("zone", "around", "days"),
    [
        ("Europe/Berlin", "2025-10-26", 7),
        ("Europe/Berlin", "2025-03-30", 7),
        ("America/Sao_Paulo", "2018-11-04", 7),  # midnight was skipped
        ("America/Havana", "2025-11-02", 7),  # midnight was there twice
        ("Asia/Kathmandu", "2025-06-01", 7),
        ("Pacific/Apia", "2011-12-30", 6),  # a day that does not exist
    ],
)
async def test_days_are_those_of_the_zone(org: Tenant, zone: str, around: str, days: int) -> None:
    random = Random(zone)  # noqa: S311  moments, not secrets
    own = ZoneInfo(zone)
    middle = datetime.fromisoformat(around).replace(tzinfo=own)
    # In UTC, because Python adds local time within a zone.
    begin = middle.astimezone(UTC)
    moments = [begin + timedelta(minutes=random.randrange(-6000, 6000)) for _ in range(120)]
    moments += [begin + timedelta(minutes=each) for each in (-60, -30, 0, 29, 30, 59, 60, 90)]
    paid = [Paid(each, ONRAMP, "COMPLETED", uuid4(), 1) for each in moments]
    await put(org, paid[::2])
    await set_zone(org, zone)
    await fold(org)
    await put(org, paid[1::2])
    first, last = (str((middle + timedelta(days=each)).date()) for each in (-3, 4))
    answer = await org.post(PREVIEW, body(zone, first, last))
    counts = {each["periodStart"]: each["transactionCount"] for each in answer["data"]}
    expected_rows = Counter(str(each.at.astimezone(own).date()) for each in paid)
    assert len(counts) == days
    assert counts == {day: expected_rows[day] for day in counts}
    assert answer["metadata"]["timeZone"] == zone
    # Unchanged in UTC and for instants.
    inside = body(zone, begin.isoformat(), (begin + timedelta(minutes=90)).isoformat())
    answer = await org.post(PREVIEW, inside)
    expected = sum(begin <= each.at < begin + timedelta(minutes=90) for each in paid)
    assert sum(each["transactionCount"] for each in answer["data"]) == expected
    answer = await org.post(PREVIEW, body(None, first, last))
    expected_rows = Counter(str(each.at.astimezone(UTC).date()) for each in paid)
    counts = {each["periodStart"]: each["transactionCount"] for each in answer["data"]}
    assert counts == {day: expected_rows[day] for day in counts}


async def test_a_new_zone_is_available_once_its_days_are_built(
    org: Tenant, other_org: Tenant
) -> None:
    zone = "Europe/Berlin"
    await put(
        org, [Paid(datetime.fromisoformat("2025-11-03T12:00Z"), ONRAMP, "FAILED", uuid4(), 1)]
    )
    request = body(zone, "2025-11-01", "2025-11-05")
    assert await org.refused("POST", PREVIEW, request) == "400 FIELD_VALIDATION_ERROR"
    await set_zone(org, zone)
    answer = await org.send("POST", PREVIEW, request)
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    assert list(answer.json()["error"]["details"]) == ["timeZone"]
    await fold(org)
    assert (await org.post(PREVIEW, request))["metadata"]["recordCount"] == 4
    # The zone applies to this organisation only.
    answer = await other_org.send("POST", PREVIEW, request)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert list(answer.json()["error"]["details"]) == ["timeZone"]
    elsewhere = body("Asia/Tokyo", "2025-11-01", "2025-11-05")
    assert zone in (await org.send("POST", PREVIEW, elsewhere)).json()["error"]["message"]
