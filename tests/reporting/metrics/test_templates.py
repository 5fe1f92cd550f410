from typing import Any

import pytest

from landbridge.platform.core.clock import FrozenClock
from landbridge.reporting.metrics.templates import TEMPLATES as TEMPLATES_BY_NAME
from tests.tenants import Tenant

TEMPLATES = "/v2/reporting/templates"
PARAMS = {
    "GROSS_VOLUME": ["transactionTypes", "userIds", "breakdowns"],
    "TRANSACTION_COUNT": ["transactionTypes", "transactionStatuses", "userIds", "breakdowns"],
    "NEW_USERS": [],
}
BREAKDOWNS = {
    "GROSS_VOLUME": ["transactionType", "userId"],
    "TRANSACTION_COUNT": ["transactionType", "transactionStatus", "userId"],
    "NEW_USERS": [],
}


async def test_the_list_matches_the_contract(org: Tenant) -> None:
    page = await org.get(TEMPLATES)
    assert list(page) == ["status", "data", "metadata"]
    assert page["status"] == "success"
    assert page["metadata"] == {"count": len(page["data"])}
    assert [each["name"] for each in page["data"]] == list(TEMPLATES_BY_NAME)
    assert [each["name"] for each in page["data"]][:3] == list(PARAMS)
    kinds: dict[str, type] = {
        "name": str,
        "displayName": str,
        "description": str,
        "params": list,
        "supportsBreakdowns": bool,
        "breakdownOptions": list,
    }
    for template in page["data"]:
        assert {name: type(template[name]) for name in kinds} == kinds
        assert template["supportsBreakdowns"] == bool(template["breakdownOptions"])
        for param in template["params"]:
            _check_param(param)


def _check_param(param: dict[str, Any]) -> None:
    kinds = {
        "name": str,
        "type": str,
        "required": bool,
        "description": str,
        "options": list,
        "constraints": dict,
    }
    assert {name: type(param[name]) for name in kinds} == kinds
    assert param["type"] in {"date", "string", "array", "enum", "integer"}


@pytest.mark.parametrize("name", list(PARAMS))
async def test_a_template_has_its_parameters_and_breakdowns(org: Tenant, name: str) -> None:
    answer = await org.get(f"{TEMPLATES}/{name}")
    assert (answer["status"], answer["metadata"]) == ("success", {})
    template = answer["data"]
    assert [each["name"] for each in template["params"]] == [
        *("createdAfter", "createdBefore", "calculationInterval"),
        *PARAMS[name],
        *("limit", "timeZone"),
    ]
    required = [each["name"] for each in template["params"] if each["required"]]
    assert required == ["createdAfter", "createdBefore", "calculationInterval"]
    assert template["breakdownOptions"] == BREAKDOWNS[name]
    listed = (await org.get(TEMPLATES))["data"]
    assert template in listed


async def test_older_member_names_have_the_same_values(org: Tenant) -> None:
    for template in (await org.get(TEMPLATES))["data"]:
        assert template["template"] == template["name"]
        assert template["supportedParams"] == template["params"]
        assert template["rules"] == ["createdBefore must be later than createdAfter"]


async def test_dates_end_with_the_organisations_today(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    await still_org.post("/v2/sandbox/clock/advance", {"seconds": 3 * 86_400})
    template = (await still_org.get(f"{TEMPLATES}/NEW_USERS"))["data"]
    today = still_clock.at.date().toordinal() + 3
    constraint = template["params"][0]["constraints"]["maxDate"]
    assert still_clock.at.date().fromisoformat(constraint).toordinal() == today


@pytest.mark.parametrize("name", ["NONE", "gross_volume", "%00", "x" * 5000])
async def test_an_unknown_template_is_not_found(org: Tenant, name: str) -> None:
    answer = await org.send("GET", f"{TEMPLATES}/{name}")
    assert answer.status_code == 404
    error = answer.json()
    assert (error["status"], error["error"]["code"]) == ("error", "RESOURCE_NOT_FOUND")
    assert len(error["error"]["message"]) < 200
