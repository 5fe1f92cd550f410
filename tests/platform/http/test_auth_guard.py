import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta
from uuid import UUID, uuid4

import httpx2
import pytest

from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.http.auth_guard import STALE_AFTER_S
from tests.platform.files.sample_files import encoded
from tests.platform.files.uploads import head, rows_of, send_raw
from tests.tenants import SETTINGS, Tenant, good, refusal

PING = "/v2/ping"


async def _ping(client: httpx2.AsyncClient, **headers: str) -> httpx2.Response:
    return await client.get(PING, headers=headers)


async def test_a_good_key_is_served(org: Tenant) -> None:
    assert await org.get(PING) == {"message": "pong"}


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer    ",
        "Basic dXNlcjpwYXNz",
        "Token abc",
        "abc",
        "BearerX abc",
    ],
)
async def test_a_header_without_a_bearer_key_is_unauthorized(
    client: httpx2.AsyncClient, header: str | None
) -> None:
    answer = await _ping(client, **({} if header is None else {"Authorization": header}))
    assert refusal(answer) == "401 UNAUTHORIZED"
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json() == {
        "code": 200203,
        "error": "UNAUTHORIZED",
        "errorDetails": "Send your API key as `Authorization: Bearer <key>`.",
        "message": "Send your API key as `Authorization: Bearer <key>`.",
        "docUrl": f"{SETTINGS.base_url}/docs/errors#unauthorized",
    }


@pytest.mark.parametrize("key", ["abc", "lb_sandbox_" + "A" * 43, "é" * 30, "a" * 5000, "a b", "%"])
async def test_an_unknown_key_is_invalid(client: httpx2.AsyncClient, key: str) -> None:
    answer = await client.get(PING, headers={b"Authorization": b"Bearer " + key.encode("latin-1")})
    assert refusal(answer) == "401 INVALID_API_KEY"
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["code"] == 200001


async def test_a_key_with_one_letter_changed_is_invalid(org: Tenant) -> None:
    wrong = org.key[:-1] + ("A" if org.key[-1] != "A" else "B")
    assert refusal(await _ping(org.client, Authorization=f"Bearer {wrong}")) == (
        "401 INVALID_API_KEY"
    )


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "bEaReR", "Bearer  "])
async def test_the_scheme_is_read_in_any_case(org: Tenant, scheme: str) -> None:
    good(await _ping(org.client, Authorization=f"{scheme} {org.key}"))


async def test_revoked_key_fails_with_the_next_request_and_the_other_stays(org: Tenant) -> None:
    second, secret = await org.container.orgs.create_key(org.org_id, "second", expires_at=None)
    good(await _ping(org.client, Authorization=f"Bearer {secret}"))
    await org.get(PING)
    await org.container.orgs.revoke_key(org.org_id, org.caller.id)
    assert await org.refused("GET", PING) == "401 INVALID_API_KEY"
    good(await _ping(org.client, Authorization=f"Bearer {secret}"))
    await org.container.orgs.revoke_key(org.org_id, second.id)
    assert refusal(await _ping(org.client, Authorization=f"Bearer {secret}")) == (
        "401 INVALID_API_KEY"
    )


async def test_key_expires_at_its_time(still_org: Tenant, still_clock: FrozenClock) -> None:
    expires_at = still_clock.at + timedelta(minutes=1)
    _, secret = await still_org.container.orgs.create_key(
        still_org.org_id, "short", expires_at=expires_at
    )
    header = f"Bearer {secret}"
    good(await _ping(still_org.client, Authorization=header))
    still_clock.at = expires_at - timedelta(microseconds=1)
    good(await _ping(still_org.client, Authorization=header))
    still_clock.at = expires_at
    answer = await _ping(still_org.client, Authorization=header)
    assert answer.status_code == 401
    assert answer.json()["errorDetails"] == "the API key has expired"


async def test_a_keys_last_use_is_noted(org: Tenant) -> None:
    (before,) = await org.container.orgs.keys(org.org_id)
    assert before.last_used_at is None
    await org.get(PING)
    await org.container.orgs.note_use()
    (after,) = await org.container.orgs.keys(org.org_id)
    assert after.last_used_at is not None
    assert after.last_used_at >= before.created_at


async def test_a_refused_key_is_not_noted_as_used(org: Tenant) -> None:
    await org.container.orgs.revoke_key(org.org_id, org.caller.id)
    await org.refused("GET", PING)
    await org.container.orgs.note_use()
    (key,) = await org.container.orgs.keys(org.org_id)
    assert key.last_used_at is None


async def test_reporting_has_its_own_envelope_for_a_missing_key(
    client: httpx2.AsyncClient,
) -> None:
    answer = await client.get("/v2/reporting/templates")
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.status_code == 401
    assert answer.json() == {
        "status": "error",
        "error": {
            "code": "UNAUTHORIZED",
            "message": "Send your API key as `Authorization: Bearer <key>`.",
            "docUrl": f"{SETTINGS.base_url}/docs/errors#unauthorized",
            "details": {},
        },
    }


async def test_reporting_details_a_404_only_when_a_parameter_is_at_fault(org: Tenant) -> None:
    nothing = UUID(int=0)
    answer = await org.send("GET", f"/v2/reporting/metrics/{nothing}")
    assert answer.status_code == 404
    assert answer.json() == {
        "status": "error",
        "error": {
            "code": "RESOURCE_NOT_FOUND",
            "message": f"there is no metric {nothing}",
            "docUrl": f"{SETTINGS.base_url}/docs/errors#resource_not_found",
        },
    }
    answer = await org.send("GET", "/v2/reporting/nothing")
    assert answer.status_code == 404
    assert list(answer.json()["error"]) == ["code", "message", "docUrl"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/docs", "/openapi.json"])
async def test_pages_about_the_service_need_no_key(client: httpx2.AsyncClient, path: str) -> None:
    assert (await client.get(path)).status_code == 200


@pytest.mark.parametrize("size", [0, 40_000])
async def test_key_revoked_while_its_body_arrives_creates_nothing(org: Tenant, size: int) -> None:
    link_id = uuid4()

    async def body() -> AsyncGenerator[bytes]:
        yield b'{"idempotencyKey": ' + b" " * size
        await org.container.orgs.revoke_key(org.org_id, org.caller.id)
        await asyncio.sleep(STALE_AFTER_S + 0.1)
        yield f'"{link_id}"}}'.encode()

    answer = await org.client.post("/v2/tos-link", content=body(), headers=org.headers)
    assert refusal(answer) == "401 INVALID_API_KEY"
    links = await org.container.database.rows(
        "select id from agreements where org_id = $1", org.org_id
    )
    assert links == []


async def test_key_revoked_while_its_file_arrives_stores_nothing(org: Tenant) -> None:
    async def body() -> AsyncGenerator[bytes]:
        yield head("scan.png") + encoded("PNG")
        await org.container.orgs.revoke_key(org.org_id, org.caller.id)
        await asyncio.sleep(STALE_AFTER_S + 0.1)
        yield b"\r\n--x--\r\n"

    answer = await send_raw(org, body(), "multipart/form-data; boundary=x")
    assert refusal(answer) == "401 INVALID_API_KEY"
    assert await rows_of(org) == []


async def test_slow_body_of_a_valid_key_is_accepted(org: Tenant) -> None:
    async def body() -> AsyncGenerator[bytes]:
        yield b'{"idempotencyKey": '
        await asyncio.sleep(STALE_AFTER_S + 0.1)
        yield f'"{uuid4()}"}}'.encode()

    answer = await org.client.post("/v2/tos-link", content=body(), headers=org.headers)
    assert answer.status_code == 200, answer.text
