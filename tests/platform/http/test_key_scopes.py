"""Every route of the API for a key of each scope."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from uuid import uuid4

import httpx2
import pytest
from litestar.routes import HTTPRoute

from landbridge.app.container import Container
from landbridge.app.route_scopes import SCOPES, check_scopes
from landbridge.platform.changes.service import history
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.http.caller import KeyScope
from landbridge.platform.orgs.model import Mode
from landbridge.platform.orgs.service import Orgs
from tests.applications import app_of
from tests.contract.resources import Things, bodies, kind_of, unknown
from tests.platform.http.test_roles import FOR_ADMINS, READ_ONLY
from tests.tenants import SWAPS, Tenant, make_user

# What a key of one scope may do, in a sandbox.
ALLOWED: Mapping[KeyScope, frozenset[KeyScope]] = {
    KeyScope.READ: frozenset({KeyScope.READ}),
    KeyScope.PAY: frozenset({KeyScope.READ, KeyScope.PAY}),
    KeyScope.APPROVE: frozenset({KeyScope.READ, KeyScope.APPROVE}),
    KeyScope.REVIEW: frozenset({KeyScope.READ, KeyScope.REVIEW}),
    KeyScope.ADMIN: frozenset(KeyScope),
}


@dataclass(frozen=True, slots=True)
class ScopedRoute:
    """A route with the scope that its table names."""

    method: str
    path: str
    scope: KeyScope

    @property
    def name(self) -> str:
        """Return how tests name it."""
        return f"{self.method} {self.path}"


@pytest.mark.parametrize("scope", list(KeyScope))
async def test_key_of_one_scope_on_every_route(org: Tenant, scope: KeyScope) -> None:
    key, things = await make_key(org, scope), unknown()
    good, allowed = bodies(things), ALLOWED[scope]
    has = f"this key has {', '.join(each for each in KeyScope if each in allowed)};"
    for route in routes(org.container):
        answer = await call(org, key, route, things, good.get(route.name))
        needed = f"this needs a key with the scope {route.scope}, and {has}"
        is_refused = needed in answer.text
        assert is_refused is (route.scope not in allowed), (route, answer.text)
        if is_refused:
            assert answer.status_code == 403
            assert "USER_ROLE_NOT_ALLOWED" in answer.text
            assert f"landbridge keys create --scope {route.scope}`" in answer.text


def test_table_follows_what_members_may(container: Container) -> None:
    for route in routes(container):
        is_queue = route.path.startswith(("/v2/reviews", "/v2/transfer-approvals"))
        if route.name in FOR_ADMINS:
            assert route.scope in {KeyScope.ADMIN, KeyScope.REVIEW, KeyScope.APPROVE}, route
        elif route.name in READ_ONLY or (route.method == "GET" and not is_queue):
            assert route.scope is KeyScope.READ, route
        elif route.method != "GET":
            assert route.scope is not KeyScope.READ, route


def test_no_application_without_a_scope_for_each_route(container: Container) -> None:
    app = app_of(container)
    check_scopes(app.routes)
    with pytest.raises(InvariantBroken, match="swaps"):
        check_scopes([each for each in app.routes if "swaps" not in each.path])


async def test_dry_run_needs_only_read(org: Tenant) -> None:
    key, user = await make_key(org, KeyScope.READ), await make_user(org, funds="10")
    body = {
        "requestId": str(uuid4()),
        "source": {"userId": user, "amount": "5", "currency": "usdc", "chain": "POLYGON"},
        "destination": {"userId": user, "currency": "usdt", "chain": "POLYGON"},
    }
    headers = {"Authorization": f"Bearer {key}"}
    dry = await org.client.post(f"{SWAPS}?dryRun=true", headers=headers, json=body)
    assert dry.status_code < 300, dry.text
    for query in ("", "?dryRun=false", "?dryRun=true&dryRun=false", "?dryrun=true"):
        refused = await org.client.post(f"{SWAPS}{query}", headers=headers, json=body)
        assert refused.status_code == 403, query
    accept = f"{SWAPS}/{uuid4()}/accept?dryRun=true"
    assert (await org.client.post(accept, headers=headers, json={})).status_code == 403
    assert (await org.get(SWAPS))["count"] == 0


async def test_key_that_only_reads_gets_no_token_that_accepts_terms(org: Tenant) -> None:
    link = await org.post("/v2/tos-link", {"idempotencyKey": str(uuid4())})
    path = f"/v2/tos-link/{link['signedAgreementId']}"
    tokens: dict[KeyScope, str] = {}
    for scope in KeyScope:
        headers = {"Authorization": f"Bearer {await make_key(org, scope)}"}
        tokens[scope] = (await org.client.get(path, headers=headers)).json()["sessionToken"]
    assert {scope for scope, token in tokens.items() if token} == {KeyScope.PAY, KeyScope.ADMIN}
    assert link["url"].endswith(f"?session={tokens[KeyScope.PAY]}")


async def test_production_key_decides_only_with_these_scopes(org: Tenant) -> None:
    real = Orgs(org.container.database, org.container.clock, Mode.PRODUCTION)
    for scopes in ([KeyScope.ADMIN], [KeyScope.REVIEW], [KeyScope.PAY, KeyScope.APPROVE], []):
        key, secret = await real.create_key(org.org_id, "a", expires_at=None, scopes=scopes)
        caller = await real.authenticate(secret)
        implied = {KeyScope.PAY} if KeyScope.ADMIN in scopes else set[KeyScope]()
        assert caller.scopes == {KeyScope.READ, *scopes, *implied} == set(key.scopes)
        assert not caller.payments_need_approval


async def test_audit_log_names_the_scopes_of_a_new_key(org: Tenant) -> None:
    key, _ = await org.container.orgs.create_key(
        org.org_id, "a", expires_at=None, scopes=[KeyScope.PAY, KeyScope.APPROVE]
    )
    changes = await org.container.database.single(lambda tx: history(tx, org.org_id, [key.id]))
    assert changes[key.id][0].facts == {"scopes": "read, pay, approve"}
    log = await org.get(f"/v2/audit-log?objectId={key.id}")
    assert log["entries"][0]["facts"] == {"scopes": "read, pay, approve"}


def routes(container: Container) -> list[ScopedRoute]:
    """Return every route that requires a key."""
    found: list[ScopedRoute] = []
    for route in app_of(container).routes:
        for handler in route.route_handlers if isinstance(route, HTTPRoute) else ():
            scope = SCOPES.get(str(cast("Any", handler).operation_id))
            methods = cast("set[str]", handler.http_methods) - {"HEAD"}
            path = re.sub(r":\w+}", "}", route.path)
            found += [ScopedRoute(each, path, scope) for each in methods if scope is not None]
    assert len(found) == len(SCOPES)
    return found


async def make_key(org: Tenant, scope: KeyScope) -> str:
    """Create a key of one scope."""
    _, secret = await org.container.orgs.create_key(
        org.org_id, f"only {scope}", expires_at=None, scopes=[scope]
    )
    return secret


async def call(
    org: Tenant, key: str, route: ScopedRoute, things: Things, body: Any
) -> httpx2.Response:
    """Send a request with ids of nothing, so that no state decides."""

    def value(name: str) -> str:
        return "NEW_USERS" if name == "name" else things.by_kind[kind_of(route.path, name)]

    path = re.sub(r"{(\w+)}", lambda name: value(name[1]), route.path)
    headers = {"Authorization": f"Bearer {key}"}
    return await org.client.request(route.method, path, headers=headers, json=body)
