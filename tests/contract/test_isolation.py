"""Isolation of organisations: a foreign id is answered exactly like an unknown one.

Covers every route of the application. A route with a new kind of id fails here until the tables
below name its kind.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, cast

import httpx2
import pytest
from litestar.routes import HTTPRoute

from landbridge.app.container import Container
from tests.applications import app_of
from tests.contract.public_routes import PUBLIC
from tests.contract.resources import (
    KINDS,
    QUERIES,
    VIRTUAL_ACCOUNTS,
    Things,
    bodies,
    kind_of,
    make_things,
    unknown,
)
from tests.tenants import (
    BATCHES,
    BRIDGES,
    SWAPS,
    TRANSFERS,
    Tenant,
    batch_body,
    bridge_body,
    refusal,
    swap_body,
    transfer_body,
)

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
CHANGING = re.compile(
    r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00"  # moments
    r"|(?<=session=)[\w-]+|(?<=\"sessionToken\":\")[\w-]+"  # session tokens
    r"|0x[0-9a-fA-F]{40}"  # addresses
    r"|file_[0-9a-f]{32}"  # files
    r"|evt_[0-9a-f]{42}"  # events
)
# Routes without authentication.
FOR_ALL = {"GET /v2/webhooks/{webhookId}/jwks.json"}
# A user may state what any address is, also one of another organisation.
OF_ANY_WALLET = "PUT /v2/users/{userId}/travel-rule-wallets/{walletAddress}"
# Path parameters that belong to no organisation.
# Names and paths; and what other providers have instead of keys.
NO_IDS = {"name", "file_path", "path", "orgId", "secret", "script", "tag"}


@dataclass(frozen=True, slots=True)
class Route:
    """Method of a route."""

    method: str
    path: str
    is_public: bool

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def parameters(self) -> list[str]:
        return [part[1:-1] for part in self.path.split("/") if part.startswith("{")]

    def at(self, values: dict[str, str]) -> str:
        """Return the path with these values; a missing one becomes a template's name."""
        return re.sub(r"{(\w+)}", lambda name: values.get(name[1], "NEW_USERS"), self.path)


def routes(container: Container) -> list[Route]:
    """Return every method of every route, except the generated OPTIONS.

    Pages have the same tests in tests/dashboard.
    """
    found: list[Route] = []
    for route in app_of(container).routes:
        if isinstance(route, HTTPRoute) and not route.path.startswith("/dashboard"):
            for handler in route.route_handlers:
                methods = cast("set[str]", handler.http_methods)
                path = re.sub(r":\w+}", "}", route.path)
                found += [
                    Route(method, path, bool(handler.opt.get("public")))
                    for method in sorted(methods - {"OPTIONS"})
                ]
    return found


def replace_varying(answer: httpx2.Response) -> tuple[int, str, str]:
    """Return a response with varying parts replaced: ids, times, tokens, addresses."""
    text = CHANGING.sub("<changing>", UUID.sub("<id>", answer.text))
    return answer.status_code, answer.headers["content-type"], text


def test_exactly_these_routes_are_public(container: Container) -> None:
    assert {str(route) for route in routes(container) if route.is_public} == PUBLIC


def test_every_path_parameter_is_known_here(container: Container) -> None:
    found = {name for route in routes(container) for name in route.parameters}
    assert found <= KINDS.keys() | NO_IDS, "say in KINDS what the new ids are of"


def test_every_body_is_known_here(container: Container) -> None:
    takers = {str(route) for route in routes(container) if route.method not in {"GET", "HEAD"}}
    assert takers == set(bodies(unknown())), "give the new routes a good body"


async def test_other_routes_require_a_key(
    container: Container, client: httpx2.AsyncClient, org: Tenant
) -> None:
    mine = await make_things(org)
    for route in routes(container):
        if route.is_public:
            continue
        for things in (mine, unknown()):
            values = {name: things.by_kind[kind_of(route.path, name)] for name in KINDS}
            body = bodies(things).get(str(route))
            answer = await client.request(route.method, route.at(values), json=body)
            assert answer.status_code == 401, route
            assert answer.headers["www-authenticate"] == "Bearer", route
            if "/reporting/" not in route.path:
                assert refusal(answer) == "401 UNAUTHORIZED", route


async def test_ids_in_paths_of_another_organisation_are_unknown(
    container: Container, org: Tenant, other_org: Tenant
) -> None:
    mine, theirs = await make_things(org), await make_things(other_org)
    checked = 0
    for route in routes(container):
        names = [name for name in route.parameters if name in KINDS]
        for of_whom in product("mt", repeat=len(names)):
            if "t" not in of_whom or str(route) in FOR_ALL:
                continue
            if str(route) == OF_ANY_WALLET and of_whom[0] == "m":
                continue
            checked += 1
            answers = [
                await _send(org, route, mine, dict(zip(names, of_whom, strict=True)), other)
                for other in (theirs, unknown())
            ]
            assert replace_varying(answers[0]) == replace_varying(answers[1]), (route, of_whom)
            assert answers[0].status_code == 404, (route, of_whom)
    assert checked >= 12


async def _send(
    org: Tenant, route: Route, mine: Things, of_whom: dict[str, str], other: Things
) -> httpx2.Response:
    """Send a valid request with ids of another organisation."""
    values = {
        name: (mine if whose == "m" else other).by_kind[kind_of(route.path, name)]
        for name, whose in of_whom.items()
    }
    if route.is_public:
        is_form = route.path.startswith("/kyc/")
        path, session = (
            route.at(values),
            {"session": mine.form_session if is_form else mine.session},
        )
        if route.method == "GET":
            return await org.client.get(path, params=session)
        return await org.client.post(path, data=session)
    body = bodies(mine).get(str(route))
    return await org.send(route.method, route.at(values), body, **QUERIES.get(str(route), {}))


async def test_ids_in_queries_of_another_organisation_are_unknown(
    org: Tenant, other_org: Tenant
) -> None:
    await make_things(org)
    theirs, missing = await make_things(other_org), unknown()
    for name, query in QUERIES.items():
        for parameter in query.keys() & KINDS.keys():
            path, kind = name.partition(" ")[2], KINDS[parameter]
            answers = [
                await org.send("GET", path, **{**query, parameter: each.by_kind[kind]})
                for each in (theirs, missing)
            ]
            assert replace_varying(answers[0]) == replace_varying(answers[1]), name


def _places(body: Any, under: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    # Arrays of resources have their own tests (tests/customers/kyc/test_documents.py).
    members = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    for name, value in members.items():
        if isinstance(value, dict):
            yield from _places(value, (*under, name))
        elif name in KINDS:
            yield (*under, name)


def _with(body: dict[str, Any], path: tuple[str, ...], value: str) -> dict[str, Any]:
    name, *rest = path
    return {**body, name: _with(body[name], tuple(rest), value) if rest else value}


async def test_ids_in_bodies_of_another_organisation_are_unknown(
    container: Container, org: Tenant, other_org: Tenant
) -> None:
    mine, theirs = await make_things(org), await make_things(other_org)
    checked: set[str] = set()
    for route in routes(container):
        for path in _places(bodies(mine).get(str(route), {})):
            answers: list[httpx2.Response] = []
            for other in (theirs, unknown()):
                body = _with(
                    bodies(mine)[str(route)], path, other.by_kind[kind_of(route.path, path[-1])]
                )
                values = {name: mine.by_kind[kind_of(route.path, name)] for name in KINDS}
                answers.append(await org.send(route.method, route.at(values), body))
            assert replace_varying(answers[0]) == replace_varying(answers[1]), (route, path)
            checked.add(f"{route} {'.'.join(path)}")
    assert checked == {
        "POST /v2/users signedAgreementId",
        "POST /v2/users requestId",
        "POST /v2/users/{userId}/accounts requestId",
        "POST /v2/tos-link idempotencyKey",
        "POST /v2/kyc-link userId",
        "POST /v2/users/{userId}/revealed-numbers recordId",
        "POST /v2/wallets/swaps requestId",
        "POST /v2/wallets/swaps source.userId",
        "POST /v2/wallets/swaps destination.userId",
        f"POST {VIRTUAL_ACCOUNTS}/{{accountId}}/simulate-deposit requestId",
        "POST /v2/virtual-accounts/settlement-rules requestId",
        "POST /v2/virtual-accounts/settlement-rules/{ruleId}/update requestId",
        "POST /v2/wallets/transfers requestId",
        "POST /v2/wallets/transfers source.userId",
        "POST /v2/wallets/transfers destination.userId",
        "POST /v2/wallets/transfers/batches requestId",
        "POST /v2/wallets/transfers/batches source.userId",
        "POST /v2/wallets/bridges requestId",
        "POST /v2/wallets/bridges source.userId",
        "POST /v2/wallets/bridges destination.userId",
        "POST /v2/reviews/deposits/{incomingPaymentId}/match transferId",
        "POST /v2/reviews/resolutions requestId",
        "POST /v2/reviews/resolutions transferId",
        "POST /v2/onramps requestId",
        "POST /v2/onramps source.userId",
        "POST /v2/onramps destination.userId",
        "POST /v2/offramps requestId",
        "POST /v2/offramps source.userId",
        "POST /v2/offramps destination.userId",
        "POST /v2/offramps destination.accountId",
    }


@pytest.mark.long
@pytest.mark.parametrize("end", ["externalWalletId", "walletAddress"])
async def test_a_swap_to_another_organisations_wallet_is_one_to_a_strangers(
    org: Tenant, other_org: Tenant, end: str
) -> None:
    mine, theirs = await make_things(org), await make_things(other_org)
    kind = KINDS[end]
    answers = [
        await org.send(
            "POST",
            SWAPS,
            swap_body(mine.by_kind["user"], "1", destination={end: each.by_kind[kind]}),
        )
        for each in (theirs, unknown())
    ]
    assert replace_varying(answers[0]) == replace_varying(answers[1])


@pytest.mark.parametrize(("end", "kind"), [("userId", "user"), ("walletAddress", "address")])
async def test_a_payee_of_another_organisation_is_a_stranger(
    org: Tenant, other_org: Tenant, end: str, kind: str
) -> None:
    mine, theirs = await make_things(org), await make_things(other_org)
    for path in (TRANSFERS, BATCHES, BRIDGES):
        answers: list[httpx2.Response] = []
        for each in (theirs, unknown()):
            to, payer = {end: each.by_kind[kind]}, mine.by_kind["user"]
            bodies_by_path = {
                TRANSFERS: transfer_body(payer, to, 1),
                BATCHES: batch_body(payer, {**to, "amount": "1"}),
                BRIDGES: bridge_body(payer, 1, destination={"userId": None, **to}),
            }
            answers.append(await org.send("POST", path, bodies_by_path[path]))
        assert replace_varying(answers[0]) == replace_varying(answers[1]), path
        assert answers[0].status_code == 404, path


async def test_lists_exclude_other_organisations(
    container: Container, org: Tenant, other_org: Tenant
) -> None:
    await make_things(other_org)
    queried: set[str] = set()
    for route in routes(container):
        if route.method == "GET" and not route.parameters and not route.is_public:
            query = {name: value for name, value in QUERIES.get(str(route), {}).items() if value}
            answer = await org.send("GET", route.path, **query)
            assert answer.status_code in {200, 404}, route
            queried.add(answer.headers["x-request-id"])
            if route.path == "/v2/audit-log":
                # Only the setup of this organisation is listed.
                assert {each["kind"] for each in answer.json()["entries"]} <= {"ORG", "API_KEY"}
            elif route.path == "/v2/request-log":
                # Requests of this test may have been logged by now.
                assert {each["xRequestId"] for each in answer.json()["requests"]} <= queried
            elif route.path == "/v2/providers":
                # The installation's providers; what waits for them is the organisation's.
                assert not any(each["waitingCount"] for each in answer.json()["providers"])
            elif route.path.startswith("/v2/") and "count" in answer.json():
                assert answer.json()["count"] == 0, route
            assert route.path != "/v2/kyc/status" or answer.json() == []
