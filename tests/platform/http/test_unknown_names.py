"""Unknown members and parameters are named in a header, or refused, as the installation has it."""

from collections.abc import AsyncGenerator
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from tests.customers.kyc.samples import make_business
from tests.tenants import (
    SETTINGS,
    SWAPS,
    Tenant,
    individual,
    make_agreement,
    make_tenant,
    make_user,
    refusal,
    sentence,
    served,
    swap_body,
)

WARNING = "landbridge-warning"


async def warning(org: Tenant, method: str, path: str, body: Any = None) -> str | None:
    """Return the header of a response that must succeed."""
    answer = await org.send(method, path, body)
    assert answer.status_code == 200, answer.text
    return answer.headers.get(WARNING)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", None),
        ("?limit=5&userId=8d3a7cfe-0000-4000-8000-000000000000", None),
        ("?page=2", "parameter page"),
        ("?page=2&page=3", "parameter page"),
        ("?userID=8d3a7cfe-0000-4000-8000-000000000000", "parameter userID (write userId)"),
        (
            "?created_after=2026-01-01&x",
            "parameter created_after (write createdAfter), parameter x",
        ),
        ("?%0D%0Aa%C3%A4=1", "parameter ??a?"),
        ("?" + "n" * 100 + "=1", "parameter " + "n" * 60),
    ],
)
async def test_an_unknown_parameter_is_named(org: Tenant, query: str, expected: str | None) -> None:
    assert await warning(org, "GET", f"{SWAPS}{query}") == expected


async def test_at_most_ten_names_are_listed(org: Tenant) -> None:
    found = await warning(
        org, "GET", SWAPS + "?" + "&".join(f"x{each:03}=1" for each in range(900))
    )
    assert found == ", ".join(f"parameter x{each:03}" for each in range(10))


async def test_an_unknown_member_is_named_with_its_path(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    body = swap_body(user)
    assert await warning(org, "POST", SWAPS, body) is None
    body = swap_body(user, source={"Amount": 1})
    body |= {"request_id": str(uuid4()), "note": {"deep": 1}}
    assert await warning(org, "POST", SWAPS, body) == (
        "member source.Amount (write amount), member request_id (write requestId), member note"
    )


async def test_a_member_of_another_type_of_body_is_unknown(org: Tenant) -> None:
    body = individual(await make_agreement(org), businessName="x", requestId=str(uuid4()))
    assert await warning(org, "POST", "/v2/users", body) == "member businessName"


async def test_members_of_metadata_are_free(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    body = {**swap_body(user), "metadata": {"order": "5"}}
    assert await warning(org, "POST", SWAPS, body) is None


async def test_unknown_kyc_fields_are_named(org: Tenant) -> None:
    user = await make_user(org)
    path = f"/v2/users/{user}/kyc"
    known = {"phone": "+14155550123", "sofEuQuestionnaire": {"sourceOfFunds": "salary"}}
    assert await warning(org, "POST", path, known) is None
    wrong: dict[str, Any] = {
        "Phone": "1",
        "sofEuQuestionnaire": {"income": 1},
        "ultimateBeneficialOwners": [],
    }
    assert await warning(org, "POST", path, wrong) == (
        "member Phone (write phone), member sofEuQuestionnaire.income, "
        "member ultimateBeneficialOwners"
    )
    document = {"type": "PASSPORT", "subType": "SINGLE_SIDE", "issuedCountry": "USA"}
    body = [{**document, "url": "https://example.com/x", "side": 1}]
    assert await warning(org, "POST", f"{path}/documents", body) == "member side"


async def test_unknown_fields_of_owners_are_named(org: Tenant) -> None:
    path = f"/v2/users/{await make_business(org)}/kyc"
    owner = {"firstName": "Ada", "title": "x"}
    assert await warning(org, "POST", path, {"ultimateBeneficialOwners": [owner]}) == (
        "member ultimateBeneficialOwners[0].title"
    )
    assert await warning(org, "POST", f"{path}/ubos", owner) == "member title"


@pytest.fixture
async def strict(database: Database, clock: Clock) -> AsyncGenerator[Tenant]:
    """A tenant of a server that refuses unknown names."""
    settings = msgspec.structs.replace(SETTINGS, unknown_names="refuse")
    container = wire(settings, database, clock)
    async with served(container) as client:
        yield await make_tenant(container, client)


async def test_a_strict_server_refuses_what_it_does_not_know(strict: Tenant) -> None:
    user = await make_user(strict, funds="10")
    assert (await strict.send("GET", SWAPS, userId=user)).status_code == 200
    assert (await strict.send("POST", SWAPS, swap_body(user))).status_code == 200
    body = {**swap_body(user), "requestID": 1}
    for answer, expected in (
        (
            await strict.send("GET", SWAPS, userID=user),
            "there is no parameter userID (write userId)",
        ),
        (
            await strict.send("POST", SWAPS, body),
            "there is no member requestID (write requestId)",
        ),
        (
            await strict.send("POST", f"/v2/users/{user}/kyc", {"surname": "x"}),
            "there is no member surname",
        ),
    ):
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
        assert sentence(answer) == expected
    # Nothing was done: the id is free.
    body.pop("requestID")
    assert (await strict.send("POST", SWAPS, body)).headers.get("idempotent-replayed") is None
