"""Saved metrics, as tests make and look at them."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from landbridge.changes.model import Change
from landbridge.changes.service import history
from tests.tenants import Tenant

METRICS = "/v2/reporting/metrics"
JANUARY: Mapping[str, Any] = {
    "createdAfter": "2025-01-01",
    "createdBefore": "2025-02-01",
    "calculationInterval": "day",
}

# For the tests that walk all routes.
BODIES: Mapping[str, Any] = {
    f"POST {METRICS}": {"template": "NEW_USERS", "name": "A", "params": dict(JANUARY)},
    f"POST {METRICS}/preview": {"template": "NEW_USERS", "params": dict(JANUARY)},
    f"POST {METRICS}/{{metricId}}": {"name": "B"},
    f"DELETE {METRICS}/{{metricId}}": {},
}


def metric_body(
    params: Mapping[str, Any] = JANUARY, *, template: str = "TRANSACTION_COUNT", name: str = "A"
) -> dict[str, Any]:
    """The body that saves a metric."""
    return {"template": template, "name": name, "params": dict(params)}


async def save(org: Tenant, params: Mapping[str, Any] = JANUARY, **changes: str) -> dict[str, Any]:
    """A saved metric, as it is answered."""
    answer = await org.send("POST", METRICS, metric_body(params, **changes))
    assert answer.status_code == 201, answer.text
    return answer.json()["data"]


async def told(org: Tenant, metric: str) -> list[Change]:
    """What the log has of a metric."""
    key = UUID(metric)
    found = await org.house.database.single(lambda tx: history(tx, org.org_id, [key]))
    return list(found[key])


async def details(org: Tenant, method: str, path: str, body: Any = None) -> dict[str, str]:
    """What a 400 says of each parameter."""
    answer = await org.send(method, path, body)
    assert answer.status_code == 400, answer.text
    told = answer.json()
    assert told["status"] == "error"
    assert told["error"]["code"] == "FIELD_VALIDATION_ERROR"
    return told["error"]["details"]
