"""Every route for each role of a member: analysts only read, members decide nothing."""

import re
from typing import Any, cast

import msgspec
import pytest
from litestar.routes import HTTPRoute

from landbridge.app.container import Container
from landbridge.platform.core.errors import Busy, Refused, RoleNotAllowed
from landbridge.platform.http.caller import MemberRole
from landbridge.platform.http.internal_client import InternalClient
from tests.applications import app_of
from tests.contract.resources import KINDS, Things, bodies, kind_of, make_things, unknown
from tests.platform.http.member_clients import member_client
from tests.tenants import Tenant

READ_ONLY = {
    "POST /v2/limits/simulate",
    # Writes nothing but its entry in the audit log.
    "POST /v2/users/{userId}/revealed-numbers",
    "POST /v2/reporting/metrics/preview",
    "POST /v2/reporting/metrics/preview/download",
}
# Routes for admins only, whatever the body. Source: contract, dashboard 2.
RULES = "/v2/virtual-accounts/settlement-rules"
ACCOUNT = "/v2/users/{userId}/virtual-accounts/{accountId}"
FOR_ADMINS = {
    "DELETE /v2/users/{userId}/personal-data",
    "POST /v2/reviews/accounts/{accountId}",
    "POST /v2/reviews/kyc/{caseId}",
    "POST /v2/reviews/transfers/{transferId}/rfi",
    "POST /v2/reviews/transfers/{transferId}/rfi/answer",
    "POST /v2/reviews/transfers/{transferId}/rfi/close",
    "POST /v2/reviews/deposits/{incomingPaymentId}/match",
    "POST /v2/reviews/deposits/{incomingPaymentId}/return",
    "POST /v2/reviews/bank-lines/{lineId}/resolve",
    "POST /v2/transfer-approvals/{approvalId}/approve",
    "POST /v2/transfer-approvals/{approvalId}/reject",
    "PUT /v2/reporting/time-zone",
    "PUT /v2/organization/address-policy",
    "PUT /v2/organization/swap-providers",
    "PUT /v2/organization/travel-rule",
    "PUT /v2/organization/travel-rule-exchange",
    f"POST {RULES}",
    f"POST {RULES}/{{ruleId}}/update",
    f"DELETE {RULES}/{{ruleId}}",
    f"POST {ACCOUNT}/settlement-rules/{{ruleId}}",
    f"DELETE {ACCOUNT}/settlement-rules",
    "POST /v2/webhooks",
    "PATCH /v2/webhooks/{webhookId}",
    "DELETE /v2/webhooks/{webhookId}",
    "POST /v2/webhooks/{webhookId}/rotate",
}


def changing(container: Container) -> dict[str, bool]:
    """Return every non-public route that is not a GET, and whether it is declared read-only."""
    found: dict[str, bool] = {}
    for route in app_of(container).routes:
        if not isinstance(route, HTTPRoute) or route.path.startswith("/dashboard"):
            continue
        path = re.sub(r":\w+}", "}", route.path)
        for handler in route.route_handlers:
            methods = cast("set[str]", handler.http_methods) - {"GET", "HEAD", "OPTIONS"}
            if not handler.opt.get("public"):
                found |= {f"{each} {path}": bool(handler.opt.get("is_read")) for each in methods}
    return found


async def call(
    interface: InternalClient, route: str, things: Things, body: Any
) -> Refused | Busy | None:
    """Call a route; return its refusal, if any."""
    method, _, template = route.partition(" ")

    def value(name: str) -> str:
        # A template has no id: one of ours stands for any.
        return "NEW_USERS" if name == "name" else things.by_kind[kind_of(template, name)]

    path = re.sub(r"{(\w+)}", lambda name: value(name[1]), template)
    raw = b"" if body is None else msgspec.json.encode(body)
    headers = {"content-type": "application/json"} if raw else {}
    try:
        await interface.send(method, path, body=raw, headers=headers)
    except (Refused, Busy) as error:
        return error
    return None


def test_exactly_these_routes_are_read_only(container: Container) -> None:
    assert {
        route for route, is_read_only in changing(container).items() if is_read_only
    } == READ_ONLY


def test_admin_routes_exist(container: Container) -> None:
    assert changing(container).keys() >= FOR_ADMINS
    assert {name for route in FOR_ADMINS for name in re.findall(r"{(\w+)}", route)} <= KINDS.keys()


@pytest.mark.parametrize("is_good", [True, False])
async def test_analyst_changes_nothing(org: Tenant, *, is_good: bool) -> None:
    analyst, things = member_client(org, MemberRole.ANALYST), unknown()
    good = bodies(things)
    for route, is_read_only in changing(org.container).items():
        refusal = await call(analyst, route, things, good[route] if is_good else {})
        assert isinstance(refusal, RoleNotAllowed) is not is_read_only, (route, refusal)


async def test_member_is_refused_on_admin_routes(org: Tenant) -> None:
    member, things = member_client(org, MemberRole.MEMBER), await make_things(org)
    good = bodies(things)
    for route in sorted(FOR_ADMINS):
        refusal = await call(member, route, things, good[route])
        assert isinstance(refusal, RoleNotAllowed), (route, refusal)
