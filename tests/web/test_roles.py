"""Every route of the interface as each role of a person: analysts look, members decide nothing."""

import re
from typing import Any, cast

import msgspec
import pytest
from litestar.routes import HTTPRoute

from landbridge.app import build_app
from landbridge.core.errors import Busy, Refused, RoleNotAllowed
from landbridge.web.caller import Role
from landbridge.web.inside import Interface
from landbridge.wiring import House
from tests.contract.things import KINDS, Things, bodies, kind_of, make_things, unknown
from tests.tenants import Tenant
from tests.web.asking import asked_by

LOOKS = {
    "POST /v2/limits/rehearse",
    "POST /v2/reporting/metrics/preview",
    "POST /v2/reporting/metrics/preview/download",
}
# What is an admin's alone, whatever stands in the body. Source: contract, dashboard 2.
RULES = "/v2/virtual-accounts/settlement-rules"
ACCOUNT = "/v2/users/{userId}/virtual-accounts/{accountId}"
FOR_ADMINS = {
    "DELETE /v2/users/{userId}/personal-data",
    "POST /v2/reviews/accounts/{accountId}",
    "POST /v2/reviews/kyc/{caseId}",
    "POST /v2/reviews/transfers/{transferId}/rfi",
    "POST /v2/reviews/transfers/{transferId}/rfi/answer",
    "POST /v2/reviews/transfers/{transferId}/rfi/close",
    "POST /v2/reviews/deposits/{receiptId}/match",
    "POST /v2/reviews/deposits/{receiptId}/return",
    "POST /v2/reviews/bank-lines/{lineId}/resolve",
    "POST /v2/transfer-approvals/{approvalId}/approve",
    "POST /v2/transfer-approvals/{approvalId}/reject",
    "PUT /v2/reporting/time-zone",
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


def changing(house: House) -> dict[str, bool]:
    """Every route that isn't public and more than a GET, and whether it says that it only looks."""
    found: dict[str, bool] = {}
    for route in build_app(house).routes:
        if not isinstance(route, HTTPRoute) or route.path.startswith("/dashboard"):
            continue
        path = re.sub(r":\w+}", "}", route.path)
        for handler in route.route_handlers:
            methods = cast("set[str]", handler.http_methods) - {"GET", "HEAD", "OPTIONS"}
            if not handler.opt.get("public"):
                found |= {f"{each} {path}": bool(handler.opt.get("looks")) for each in methods}
    return found


async def ask(interface: Interface, route: str, things: Things, body: Any) -> Refused | Busy | None:
    """The refusal of a route, if it is refused."""
    method, _, template = route.partition(" ")
    path = re.sub(r"{(\w+)}", lambda name: things.by_kind[kind_of(template, name[1])], template)
    raw = b"" if body is None else msgspec.json.encode(body)
    headers = {"content-type": "application/json"} if raw else {}
    try:
        await interface.send(method, path, body=raw, headers=headers)
    except (Refused, Busy) as error:
        return error
    return None


def test_exactly_these_routes_only_look(house: House) -> None:
    assert {route for route, looks in changing(house).items() if looks} == LOOKS


def test_what_is_for_admins_is_there(house: House) -> None:
    assert changing(house).keys() >= FOR_ADMINS
    assert {name for route in FOR_ADMINS for name in re.findall(r"{(\w+)}", route)} <= KINDS.keys()


@pytest.mark.parametrize("is_good", [True, False])
async def test_an_analyst_changes_nothing(org: Tenant, *, is_good: bool) -> None:
    analyst, things = asked_by(org, Role.ANALYST), unknown()
    good = bodies(things)
    for route, looks in changing(org.house).items():
        refusal = await ask(analyst, route, things, good[route] if is_good else {})
        assert isinstance(refusal, RoleNotAllowed) is not looks, (route, refusal)


async def test_a_member_decides_nothing(org: Tenant) -> None:
    member, things = asked_by(org, Role.MEMBER), await make_things(org)
    good = bodies(things)
    for route in sorted(FOR_ADMINS):
        refusal = await ask(member, route, things, good[route])
        assert isinstance(refusal, RoleNotAllowed), (route, refusal)
