"""Every error is returned in one of the two envelopes."""

from collections.abc import Callable
from uuid import UUID

import httpx2
import pytest

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from tests.tenants import SETTINGS, SWAPS, Tenant, make_swap, make_user, refusal, sentence, served

BROKEN = "something went wrong on our side; quote the X-Request-Id header when you ask"
MISSING = "8d3a7cfe-0000-4000-8000-000000000000"


async def test_error_has_a_code_a_name_and_a_sentence(org: Tenant) -> None:
    answer = await org.send("GET", f"/v2/users/{MISSING}")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == {
        "code": 300301,
        "error": "USER_NOT_FOUND",
        "errorDetails": f"there is no user {MISSING}",
        "message": f"there is no user {MISSING}",
        "docUrl": f"{SETTINGS.base_url}/docs/errors#user_not_found",
    }


async def test_reporting_responds_in_its_own_envelope_and_names_the_field(org: Tenant) -> None:
    answer = await org.send("GET", "/v2/reporting/metrics/NONE")
    assert answer.status_code == 400
    assert answer.json() == {
        "status": "error",
        "error": {
            "code": "FIELD_VALIDATION_ERROR",
            "message": "metricId must be a UUID",
            "docUrl": f"{SETTINGS.base_url}/docs/errors#field_validation_error",
            "details": {"metricId": "metricId must be a UUID"},
        },
    }


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("templates/NONE", "there is no template NONE"),
        ("params/NONE/options", "there are no options of NONE"),
        (f"metrics/{MISSING}", f"there is no metric {MISSING}"),
    ],
)
async def test_a_404_of_reporting_has_no_details(org: Tenant, path: str, message: str) -> None:
    answer = await org.send("GET", f"/v2/reporting/{path}")
    assert answer.status_code == 404
    assert answer.json() == {
        "status": "error",
        "error": {
            "code": "RESOURCE_NOT_FOUND",
            "message": message,
            "docUrl": f"{SETTINGS.base_url}/docs/errors#resource_not_found",
        },
    }


@pytest.mark.parametrize(
    "path", ["/", "/v1/users", "/v2", "/v2/nothing", "/v3/ping", "//v2/nothing"]
)
async def test_an_unknown_path_is_not_there(client: httpx2.AsyncClient, path: str) -> None:
    assert refusal(await client.get(path)) == "404 INVALID_VERSION"


async def test_a_path_without_its_version_is_led_to_it(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/users/abc")
    assert sentence(answer) == "there is nothing at /users/abc; try /v2/users/abc"
    assert sentence(await client.get("/nobody")) == "there is nothing at /nobody"


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=b"]
)
async def test_a_form_is_named_as_one(org: Tenant, kind: str) -> None:
    headers = {**org.headers, "Content-Type": kind}
    answer = await org.client.post(SWAPS, headers=headers, content=b"a=1&b=2")
    assert sentence(answer).startswith("the request body is form-encoded: send JSON")


async def test_a_ping_works_without_the_version(org: Tenant) -> None:
    assert (await org.send("GET", "/ping")).json() == {"message": "pong"}
    assert refusal(await org.client.get("/ping")) == "401 UNAUTHORIZED"


async def test_an_unknown_path_is_quoted_in_part_only(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/" + "a" * 5000)
    assert len(sentence(answer)) < 300


async def test_callers_input_is_quoted_in_part_only(org: Tenant) -> None:
    fund = f"/v2/sandbox/users/{MISSING}/wallets/fund"
    for chain in ("Q" * 5000, "Q " * 2500):
        body = {"chain": chain, "currency": "usdc", "amount": "1"}
        answer = await org.send("POST", fund, body)
        assert answer.status_code == 400
        assert len(sentence(answer)) <= 501
        assert sentence(answer).startswith("chain: ")


@pytest.mark.parametrize("name", ["%00", "a%00b", "a" * 5000, "..%2f__init__.py", "%FF"])
async def test_missing_asset_is_not_found(client: httpx2.AsyncClient, name: str) -> None:
    assert refusal(await client.get(f"/docs/assets/{name}")) == "404 INVALID_VERSION"


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("DELETE", "/v2/ping", {"GET"}),
        ("PUT", "/v2/users", {"GET", "POST"}),
        ("GET", "/v2/tos-link", {"POST"}),
        ("PATCH", "/v2/wallets/swaps/x", {"GET"}),
        ("BREW", "/v2/ping", {"GET"}),
    ],
)
async def test_wrong_method_response_lists_the_allowed_ones(
    client: httpx2.AsyncClient, method: str, path: str, allow: set[str]
) -> None:
    answer = await client.request(method, path)
    assert refusal(answer) == "405 METHOD_NOT_ALLOWED"
    assert set(answer.headers["allow"].split(", ")) == allow | {"OPTIONS"}


async def test_a_broken_invariant_is_a_500_without_detail_and_is_logged(
    org: Tenant, logged: Callable[[], str]
) -> None:
    swap = await make_swap(org, await make_user(org, funds="1"))
    await org.container.database.rows(
        "update transfers set status = 'NONE' where org_id = $1 and id = $2",
        org.org_id,
        UUID(swap["id"]),
    )
    answer = await org.send("GET", f"{SWAPS}/{swap['id']}")
    assert answer.status_code == 500
    assert answer.json() == {
        "code": 700401,
        "error": "INTERNAL_SERVER_ERROR",
        "errorDetails": BROKEN,
        "message": BROKEN,
        "docUrl": f"{SETTINGS.base_url}/docs/errors#internal_server_error",
    }
    (line,) = [each for each in logged().splitlines() if "http.broken" in each]
    assert answer.headers["x-request-id"] in line
    assert "ValueError at " in line


async def test_responses_without_the_database_have_retry_after(dsn: str) -> None:
    database = await Database.connect(dsn, name="tests", size_max=1)
    await database.close()
    async with served(wire(SETTINGS, database, Clock(node=1))) as client:
        answer = await client.get("/v2/ping", headers={"Authorization": "Bearer " + "a" * 30})
        health = await client.get("/healthz")
    assert refusal(answer) == "503 INTERNAL_SERVER_ERROR"
    assert answer.headers["retry-after"] == "1"
    assert "again" in sentence(answer)
    assert health.status_code == 503
