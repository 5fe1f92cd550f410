"""Saved metrics over HTTP and in the log."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from landbridge.platform.changes.model import Change
from landbridge.platform.changes.service import history
from tests.tenants import Tenant

METRICS = "/v2/reporting/metrics"
JANUARY: Mapping[str, Any] = {
    "createdAfter": "2025-01-01",
    "createdBefore": "2025-02-01",
    "calculationInterval": "day",
}

# For the tests that cover all routes.
BODIES: Mapping[str, Any] = {
    f"POST {METRICS}": {"template": "NEW_USERS", "name": "A", "params": dict(JANUARY)},
    f"POST {METRICS}/preview": {"template": "NEW_USERS", "params": dict(JANUARY)},
    f"POST {METRICS}/{{metricId}}": {"name": "B"},
    f"DELETE {METRICS}/{{metricId}}": {},
}


def metric_body(
    params: Mapping[str, Any] = JANUARY, *, template: str = "TRANSACTION_COUNT", name: str = "A"
) -> dict[str, Any]:
    """Return the body that saves a metric."""
    return {"template": template, "name": name, "params": dict(params)}


async def save(org: Tenant, params: Mapping[str, Any] = JANUARY, **changes: str) -> dict[str, Any]:
    """Save a metric and return it."""
    answer = await org.send("POST", METRICS, metric_body(params, **changes))
    assert answer.status_code == 201, answer.text
    return answer.json()["data"]


async def changes_of(org: Tenant, metric: str) -> list[Change]:
    """Return the log's changes of a metric."""
    key = UUID(metric)
    found = await org.container.database.single(lambda tx: history(tx, org.org_id, [key]))
    return list(found[key])


async def details(org: Tenant, method: str, path: str, body: Any = None) -> dict[str, str]:
    """Return the details of a 400 by parameter."""
    answer = await org.send(method, path, body)
    assert answer.status_code == 400, answer.text
    body = answer.json()
    assert body["status"] == "error"
    assert body["error"]["code"] == "FIELD_VALIDATION_ERROR"
    return body["error"]["details"]
