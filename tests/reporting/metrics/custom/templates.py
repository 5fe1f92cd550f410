"""Templates of an organisation's own, over HTTP."""

from collections.abc import Mapping
from typing import Any

from tests.tenants import Tenant

TEMPLATES = "/v2/reporting/templates"
COUNT: Mapping[str, Any] = {"subject": "transactions", "measure": {"function": "count"}}
# "What share of our payouts to Mexico fails, per week, by user type?"
FAILURES: Mapping[str, Any] = {
    "subject": "transactions",
    "measure": {"function": "failureShare"},
    "filters": {"transactionTypes": ["offramp"], "countries": ["MEX"]},
    "breakdowns": ["userType"],
    "intervals": ["week"],
    "params": ["rails"],
}
# For the tests that cover all routes.
BODIES: Mapping[str, Any] = {
    f"POST {TEMPLATES}": {"name": "OURS", "displayName": "Ours", "definition": dict(COUNT)},
    f"POST {TEMPLATES}/{{name}}": {"displayName": "Other"},
    f"DELETE {TEMPLATES}/{{name}}": {},
}


def template_body(name: str = "OURS", **changes: Any) -> dict[str, Any]:
    """Return the body that creates a template."""
    return {"name": name, "displayName": "Ours", "definition": dict(COUNT), **changes}


async def create(org: Tenant, name: str = "OURS", **changes: Any) -> dict[str, Any]:
    """Create a template and return it."""
    answer = await org.send("POST", TEMPLATES, template_body(name, **changes))
    assert answer.status_code == 201, answer.text
    return answer.json()["data"]


async def refusal(org: Tenant, method: str, path: str, content: Any = None) -> dict[str, Any]:
    """Return the error of a refused request, in the reporting envelope."""
    answer = await org.send(method, path, content)
    assert answer.status_code in {400, 403, 404, 409}, answer.text
    body = answer.json()
    assert body["status"] == "error"
    return body["error"]
