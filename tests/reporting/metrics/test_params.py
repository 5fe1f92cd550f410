"""Invalid parameters are all named, each with a sentence."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from landbridge.platform.core.clock import FrozenClock
from landbridge.reporting.metrics.templates import TEMPLATES
from tests.tenants import Tenant

PREVIEW = "/v2/reporting/metrics/preview"
GOOD: dict[str, Any] = {
    "createdAfter": "2025-11-01",
    "createdBefore": "2025-11-07",
    "calculationInterval": "day",
}
A_USER = "01980000-0000-7000-8000-000000000001"


async def faults(
    org: Tenant, params: dict[str, Any], template: str = "TRANSACTION_COUNT"
) -> dict[str, str]:
    """Return the problem with each parameter; empty for a successful response."""
    answer = await org.send("POST", PREVIEW, {"template": template, "params": params})
    if answer.status_code == 200:
        return {}
    assert answer.status_code == 400, answer.text
    answer = answer.json()
    assert list(answer) == ["status", "error"]
    assert (answer["status"], answer["error"]["code"]) == ("error", "FIELD_VALIDATION_ERROR")
    details: dict[str, str] = answer["error"]["details"]
    assert answer["error"]["message"] == next(iter(details.values()))
    assert all(sentence.startswith(name) for name, sentence in details.items())
    return details


WRONG: list[tuple[str, Any]] = [
    ("createdAfter", "yesterday"),
    ("createdAfter", "2025-02-29"),
    ("createdAfter", "2025-W01-1"),
    ("createdAfter", "2025-11-01T00:00:00"),
    ("createdAfter", "2125-01-01"),
    ("createdAfter", 20251101),
    ("createdAfter", ["2025-11-01"]),
    ("createdAfter", {"date": "2025-11-01"}),
    ("createdAfter", True),
    ("createdAfter", ""),
    ("createdAfter", "0001-01-01T00:00:00+14:00"),
    ("createdBefore", "9999-12-31T23:59:59-14:00"),
    ("createdBefore", "2025-11-01"),
    ("createdBefore", "2025-10-31T23:59:59.999Z"),
    ("createdBefore", "2125-01-01"),
    ("createdBefore", "x" * 5000),
    ("calculationInterval", "hour"),
    ("calculationInterval", "DAY"),
    ("calculationInterval", ["day"]),
    ("calculationInterval", 1),
    ("transactionTypes", ["swap"]),
    ("transactionTypes", ["ONRAMP"]),
    ("transactionTypes", "onramp"),
    ("transactionTypes", [["onramp"]]),
    ("transactionTypes", [None]),
    ("transactionTypes", {"onramp": True}),
    ("transactionStatuses", ["DONE"]),
    ("transactionStatuses", ["EXPIRED"]),
    ("userIds", ["ada"]),
    ("userIds", [1]),
    ("userIds", A_USER),
    ("userIds", [A_USER.replace("-", "")]),
    ("breakdowns", ["transactionTypes"]),
    ("breakdowns", ["transactionType", "transactionType"]),
    ("breakdowns", ["transactionType", "transactionStatus", "userId"]),
    ("breakdowns", "transactionType"),
    ("limit", 0),
    ("limit", -1),
    ("limit", 10_001),
    ("limit", 1.5),
    ("limit", 1e300),
    ("limit", "10"),
    ("limit", True),
    ("limit", [10]),
    ("timeZone", "Nowhere/Land"),
    ("timeZone", "Europe/Berlin"),
    ("timeZone", "utc"),
    ("timeZone", 1),
    ("timeZone", "../etc/passwd"),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
async def test_invalid_parameters_are_named(org: Tenant, name: str, value: Any) -> None:
    assert list(await faults(org, GOOD | {name: value})) == [name]


@pytest.mark.parametrize("name", list(GOOD))
@pytest.mark.parametrize("value", [None, [], "left out"])
async def test_required_parameters_are_enforced(org: Tenant, name: str, value: Any) -> None:
    params = GOOD | {name: value}
    if value == "left out":
        del params[name]
    assert await faults(org, params) == {name: f"{name} is required"}


async def test_all_invalid_fields_are_reported_at_once(org: Tenant) -> None:
    params = {
        "createdBefore": "tomorrow",
        "calculationInterval": "hour",
        "transactionTypes": ["onramp", "swap"],
        "transactionStatuses": ["DONE"],
        "userIds": ["ada"],
        "breakdowns": ["week"],
        "limit": 0,
        "timeZone": "Nowhere/Land",
    }
    assert set(await faults(org, params)) == {"createdAfter", *params}


@pytest.mark.parametrize("template", ["", "gross_volume", "NONE", "x" * 5000])
async def test_an_unknown_template_is_named(org: Tenant, template: str) -> None:
    details = await faults(org, GOOD, template)
    assert list(details) == ["template"]
    assert "GROSS_VOLUME" in details["template"]


@pytest.mark.parametrize(
    "params",
    [
        {"transactionTypes": [], "transactionStatuses": None, "userIds": [], "breakdowns": []},
        {"limit": 10_000},
        {"limit": 10.0},
        {"limit": None, "timeZone": None},
        {"transactionTypes": ["onramp", "onramp"]},
        {"timeZone": "UTC"},
        {"somethingElse": {"deeply": ["nested"]}, "currency": 7},
    ],
)
async def test_valid_parameters_are_accepted(org: Tenant, params: dict[str, Any]) -> None:
    assert await faults(org, GOOD | params) == {}


async def test_unknown_parameters_are_not_echoed(org: Tenant) -> None:
    body = {"template": "TRANSACTION_COUNT", "params": GOOD | {"somethingElse": 1}}
    assert "somethingElse" not in (await org.send("POST", PREVIEW, body)).text


@pytest.mark.parametrize(
    ("template", "params"),
    [
        ("NEW_USERS", {"breakdowns": ["userId"]}),
        ("NEW_USERS", {"transactionTypes": ["onramp"]}),
        ("NEW_USERS", {"userIds": [A_USER]}),
        ("GROSS_VOLUME", {"breakdowns": ["transactionStatus"]}),
        ("GROSS_VOLUME", {"transactionStatuses": ["DONE"]}),
    ],
)
async def test_parameters_of_other_templates_are_refused(
    org: Tenant, template: str, params: dict[str, Any]
) -> None:
    assert list(await faults(org, GOOD | params, template)) == list(params)


async def test_at_most_a_thousand_users_can_be_filtered(org: Tenant) -> None:
    ids = [str(uuid4()) for _ in range(1001)]
    assert list(await faults(org, GOOD | {"userIds": ids})) == ["userIds"]
    assert await faults(org, GOOD | {"userIds": ids[:-1]}) == {}


async def test_today_is_organisation_time(still_org: Tenant, still_clock: FrozenClock) -> None:
    today = still_clock.at.date()
    begin = GOOD | {"createdAfter": str(today - timedelta(days=2))}
    tomorrow = today + timedelta(days=1)
    midnight = f"{tomorrow}T00:00:00+00:00"
    assert await faults(still_org, begin | {"createdBefore": str(today)}) == {}
    assert await faults(still_org, begin | {"createdBefore": midnight}) == {}
    for bound in (str(tomorrow), f"{tomorrow}T00:00:00.000001+00:00"):
        late = await faults(still_org, begin | {"createdBefore": bound})
        assert list(late) == ["createdBefore"]
    until = GOOD | {"createdBefore": midnight}
    assert await faults(still_org, until | {"createdAfter": str(today)}) == {}
    late = await faults(still_org, until | {"createdAfter": str(tomorrow)})
    assert list(late) == ["createdAfter"]
    await still_org.post("/v2/sandbox/clock/advance", {"seconds": 86_400})
    assert await faults(still_org, begin | {"createdBefore": str(tomorrow)}) == {}


@pytest.mark.parametrize("name", list(TEMPLATES))
async def test_every_template_accepts_its_own_parameters(org: Tenant, name: str) -> None:
    template = (await org.get(f"/v2/reporting/templates/{name}"))["data"]
    params = dict(GOOD)
    for each in template["params"]:
        if each["multiple"] and each["options"] and each["name"] != "breakdowns":
            params[each["name"]] = each["options"][:1]
    for breakdown in [[], *([each] for each in template["breakdownOptions"])]:
        answer = await org.post(
            PREVIEW, {"template": name, "params": params | {"breakdowns": breakdown}}
        )
        fields = {"periodStart", *breakdown, *TEMPLATES[name].fields}
        assert all(set(row) == fields for row in answer["data"])
        assert answer["metadata"]["template"] == name
