"""Nobody learns of another organisation: a foreign id is answered exactly like an unknown one.

Goes over every route that the application has; one with a new kind of id fails here until the
tables below say what that id is.
"""

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, cast
from uuid import uuid4

import httpx2
import pytest
from litestar.routes import HTTPRoute

from landbridge.app import build_app
from landbridge.kyc.model import Rail
from landbridge.verification.model import case_id
from landbridge.wiring import House
from tests.accounts.verified import verify
from tests.contract.things import ACCOUNT, DOCUMENT, make_document, make_owner, send_file
from tests.tenants import (
    SWAPS,
    Tenant,
    individual,
    make_agreement,
    make_swap,
    make_user,
    refusal,
    swap_body,
)

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
CHANGING = re.compile(
    r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00"  # moments
    r"|(?<=session=)[\w-]+|(?<=\"sessionToken\":\")[\w-]+"  # session tokens
    r"|0x[0-9a-fA-F]{40}"  # addresses
    r"|file_[0-9a-f]{32}"  # files
)
PUBLIC = {
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
    "GET /docs",
    "GET /openapi.json",
    "GET /docs/assets/{name}",
    "GET /tos/{signedAgreementId}",
    "POST /tos/{signedAgreementId}/accept",
    "GET /kyc/{linkId}",
    "POST /kyc/{linkId}/terms",
    "POST /kyc/{linkId}/about",
    "POST /kyc/{linkId}/details",
    "POST /kyc/{linkId}/questions",
    "POST /kyc/{linkId}/owners",
    "POST /kyc/{linkId}/owners/remove",
    "POST /kyc/{linkId}/documents",
    "POST /kyc/{linkId}/submit",
}
# Path and query parameters and members of bodies that are ids, and of what.
KINDS = {
    "userId": "user",
    "swapId": "swap",
    "signedAgreementId": "agreement",
    "idempotencyKey": "agreement",
    "linkId": "link",
    "externalWalletId": "external",
    "accountId": "account",
    "fileId": "file",
    "uboId": "owner",
    "documentId": "document",
    "caseId": "case",
    "requestId": "request",
    "walletAddress": "address",
}
# Parameters of paths that are nobody's.
NO_IDS = {"name", "file_path", "path"}
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


@dataclass(frozen=True, slots=True)
class Route:
    """A method of a route."""

    method: str
    path: str
    is_public: bool

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def parameters(self) -> list[str]:
        return [part[1:-1] for part in self.path.split("/") if part.startswith("{")]

    def at(self, values: dict[str, str]) -> str:
        """The path with these values; a template's name where none is given."""
        return re.sub(r"{(\w+)}", lambda name: values.get(name[1], "NEW_USERS"), self.path)


def routes(house: House) -> list[Route]:
    """Every method of every route, but for the OPTIONS that are made for each."""
    found: list[Route] = []
    for route in build_app(house).routes:
        if isinstance(route, HTTPRoute):
            for handler in route.route_handlers:
                methods = cast("set[str]", handler.http_methods)
                path = re.sub(r":\w+}", "}", route.path)
                found += [
                    Route(method, path, bool(handler.opt.get("public")))
                    for method in sorted(methods - {"OPTIONS"})
                ]
    return found


@dataclass(frozen=True, slots=True)
class Things:
    """One of each thing, of one organisation."""

    by_kind: dict[str, str]
    session: str
    form_session: str


async def make_things(org: Tenant) -> Things:
    user = await make_user(org, funds="100", chains=["POLYGON"], lastName="Approval")
    await verify(org, user, Rail.SOUTH_AMERICA_STANDARD)
    account = await org.post(f"/v2/users/{user}/accounts", ACCOUNT)
    swap = await make_swap(org, user)
    agreement = await make_agreement(org)
    body = {"address": OUTSIDE, "chain": "POLYGON", "name": "a", "referenceId": "b"}
    external = await org.post(f"/v2/users/{user}/wallets/external", body)
    wallets = (await org.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"]
    form = await org.post("/v2/kyc-link", {"userType": "INDIVIDUAL", "rails": ["USD"]})
    link, _, form_session = form["kycLinkUrl"].rpartition("/")[2].partition("?session=")
    return Things(
        {
            "user": user,
            "swap": swap["id"],
            "agreement": agreement,
            "external": external["id"],
            "account": account["id"],
            "file": await send_file(org),
            "owner": await make_owner(org),
            "document": await make_document(org, user),
            "request": swap["requestId"],
            "address": wallets["POLYGON"]["address"],
            "link": link,
            "case": str(case_id(uuid.UUID(user), Rail.SOUTH_AMERICA_STANDARD)),
        },
        (await org.get(f"/v2/tos-link/{agreement}"))["sessionToken"],
        form_session,
    )


def unknown() -> Things:
    """Ids of nothing."""
    kinds = ("user", "owner", "document", "swap", "agreement", "external", "account", "request")
    nothing = {kind: str(uuid4()) for kind in kinds}
    nothing["file"] = f"file_{uuid4().hex}"
    nothing["link"] = str(uuid4())
    nothing["case"] = str(uuid4())
    return Things({**nothing, "address": "0x" + uuid4().hex + "0" * 8}, "x" * 43, "x" * 43)


def bodies(mine: Things) -> dict[str, Any]:
    """A good body for each route that takes one."""
    user = mine.by_kind["user"]
    address = {"address": "0x" + uuid4().hex + "1" * 8, "chain": "BASE"}
    return {
        "POST /v2/users": {
            **individual(mine.by_kind["agreement"]),
            "requestId": str(uuid4()),
        },
        "POST /v2/files": {},
        "DELETE /v2/files/{fileId}": {},
        "POST /v2/users/{userId}": {"email": "new@example.com"},
        "POST /v2/users/{userId}/freeze": {"reason": "a"},
        "POST /v2/users/{userId}/unfreeze": {},
        "DELETE /v2/users/{userId}/personal-data": {},
        "POST /v2/users/{userId}/accounts": {**ACCOUNT, "requestId": str(uuid4())},
        "DELETE /v2/users/{userId}/accounts/{accountId}": {},
        "POST /v2/reviews/accounts/{accountId}": {"decision": "approve"},
        "POST /v2/users/{userId}/kyc": {"phone": "+14155550123"},
        "POST /v2/users/{userId}/kyc/submissions": {"rails": "USD"},
        "POST /v2/reviews/kyc/{caseId}": {"decision": "revoke"},
        "POST /v2/users/{userId}/kyc/ubos": {"firstName": "Ada"},
        "POST /v2/users/{userId}/kyc/ubos/{uboId}": {"firstName": "Ada"},
        "POST /v2/users/{userId}/kyc/documents/{documentId}": {"number": "1"},
        "POST /v2/users/{userId}/kyc/documents": [DOCUMENT],
        "POST /v2/users/{userId}/wallets/add": {"chains": ["BASE"]},
        "POST /v2/users/{userId}/wallets/external": {**address, "name": "a", "referenceId": "b"},
        "POST /v2/tos-link": {"idempotencyKey": str(uuid4())},
        "POST /v2/tos-link/{signedAgreementId}/accept": {"sessionToken": mine.session},
        "POST /v2/wallets/swaps": swap_body(user, "1", destination={"userId": user}),
        "POST /v2/wallets/swaps/{swapId}/accept": {},
        "POST /v2/sandbox/clock/advance": {"seconds": 0},
        "POST /v2/sandbox/users/{userId}/wallets/fund": {
            "chain": "POLYGON",
            "currency": "usdc",
            "amount": "1",
        },
        "POST /tos/{signedAgreementId}/accept": {},
        "POST /v2/kyc-link": {"userId": user, "rails": ["USD"]},
        **{name: {} for name in PUBLIC if name.startswith("POST /kyc/")},
    }


QUERIES = {
    "GET /v2/users/{userId}/wallets/balance": {"chain": "POLYGON", "currency": "usdc"},
    "GET /v2/wallets/swaps": {"userId": ""},
    "GET /v2/kyc/status": {"userId": ""},
    "GET /v2/users/{userId}/kyc/requirements": {"rails": "USD"},
}


def told(answer: httpx2.Response) -> tuple[int, str, str]:
    """An answer without what is another each time: ids, moments, tokens, addresses."""
    text = CHANGING.sub("<changing>", UUID.sub("<id>", answer.text))
    return answer.status_code, answer.headers["content-type"], text


def test_exactly_these_routes_are_public(house: House) -> None:
    assert {str(route) for route in routes(house) if route.is_public} == PUBLIC


def test_every_parameter_of_a_path_is_known_here(house: House) -> None:
    found = {name for route in routes(house) for name in route.parameters}
    assert found <= KINDS.keys() | NO_IDS, "say in KINDS what the new ids are of"


def test_every_body_is_known_here(house: House) -> None:
    takers = {str(route) for route in routes(house) if route.method not in {"GET", "HEAD"}}
    assert takers == set(bodies(unknown())), "give the new routes a good body"


async def test_without_a_key_nothing_else_is_served(
    house: House, client: httpx2.AsyncClient, org: Tenant
) -> None:
    mine = await make_things(org)
    for route in routes(house):
        if route.is_public:
            continue
        for things in (mine, unknown()):
            values = {name: things.by_kind[kind] for name, kind in KINDS.items()}
            body = bodies(things).get(str(route))
            answer = await client.request(route.method, route.at(values), json=body)
            assert answer.status_code == 401, route
            assert answer.headers["www-authenticate"] == "Bearer", route
            if "/reporting/" not in route.path:
                assert refusal(answer) == "401 UNAUTHORIZED", route


async def test_ids_in_paths_of_another_organisation_are_unknown(
    house: House, org: Tenant, other_org: Tenant
) -> None:
    mine, theirs = await make_things(org), await make_things(other_org)
    checked = 0
    for route in routes(house):
        names = [name for name in route.parameters if name in KINDS]
        for of_whom in product("mt", repeat=len(names)):
            if "t" not in of_whom:
                continue
            checked += 1
            answers = [
                await _ask(org, route, mine, dict(zip(names, of_whom, strict=True)), other)
                for other in (theirs, unknown())
            ]
            assert told(answers[0]) == told(answers[1]), (route, of_whom)
            assert answers[0].status_code == 404, (route, of_whom)
    assert checked >= 12


async def _ask(
    org: Tenant, route: Route, mine: Things, of_whom: dict[str, str], other: Things
) -> httpx2.Response:
    """A good request but for the ids that are another's."""
    values = {
        name: (mine if whose == "m" else other).by_kind[KINDS[name]]
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
    theirs, nobody = await make_things(other_org), unknown()
    for name, query in QUERIES.items():
        for parameter in query.keys() & KINDS.keys():
            path, kind = name.partition(" ")[2], KINDS[parameter]
            answers = [
                await org.send("GET", path, **{**query, parameter: each.by_kind[kind]})
                for each in (theirs, nobody)
            ]
            assert told(answers[0]) == told(answers[1]), name


def _places(body: Any, under: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    # Arrays of things have tests of their own (tests/kyc/test_documents.py).
    members = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    for name, value in members.items():
        if isinstance(value, dict):
            yield from _places(value, (*under, name))
        elif name in KINDS:
            yield (*under, name)


def _with(body: dict[str, Any], place: tuple[str, ...], value: str) -> dict[str, Any]:
    name, *rest = place
    return {**body, name: _with(body[name], tuple(rest), value) if rest else value}


async def test_ids_in_bodies_of_another_organisation_are_unknown(
    house: House, org: Tenant, other_org: Tenant
) -> None:
    mine, theirs = await make_things(org), await make_things(other_org)
    checked: set[str] = set()
    for route in routes(house):
        for place in _places(bodies(mine).get(str(route), {})):
            answers: list[httpx2.Response] = []
            for other in (theirs, unknown()):
                body = _with(bodies(mine)[str(route)], place, other.by_kind[KINDS[place[-1]]])
                values = {name: mine.by_kind[kind] for name, kind in KINDS.items()}
                answers.append(await org.send(route.method, route.at(values), body))
            assert told(answers[0]) == told(answers[1]), (route, place)
            checked.add(f"{route} {'.'.join(place)}")
    assert checked == {
        "POST /v2/users signedAgreementId",
        "POST /v2/users requestId",
        "POST /v2/users/{userId}/accounts requestId",
        "POST /v2/tos-link idempotencyKey",
        "POST /v2/kyc-link userId",
        "POST /v2/wallets/swaps requestId",
        "POST /v2/wallets/swaps source.userId",
        "POST /v2/wallets/swaps destination.userId",
    }


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
    assert told(answers[0]) == told(answers[1])


async def test_lists_have_nothing_of_another_organisation(
    house: House, org: Tenant, other_org: Tenant
) -> None:
    await make_things(other_org)
    for route in routes(house):
        if route.method == "GET" and not route.parameters and not route.is_public:
            answer = await org.send("GET", route.path)
            assert answer.status_code in {200, 404}, route
            if route.path.startswith("/v2/") and "count" in answer.json():
                assert answer.json()["count"] == 0, route
            assert route.path != "/v2/kyc/status" or answer.json() == []
