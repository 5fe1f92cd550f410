from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.platform.orgs.model import Mode
from tests.tenants import (
    SETTINGS,
    Tenant,
    held,
    make_tenant,
    make_user,
    refusal,
    sentence,
    served,
)

ADVANCE = "/v2/sandbox/clock/advance"
CENTURY_S = 3_153_600_000
FIELD = "400 FIELD_VALIDATION_ERROR"


def _coins(**changes: Any) -> dict[str, Any]:
    return {"chain": "POLYGON", "currency": "usdc", "amount": "10", **changes}


async def test_coins_arrive_at_once(org: Tenant) -> None:
    user = await make_user(org)
    path = f"/v2/sandbox/users/{user}/wallets/fund"
    created = await org.post(path, _coins(amount="10.50"))
    wallets = (await org.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"]
    assert UUID(created["id"])
    assert created == {
        "id": created["id"],
        "userId": user,
        "chain": "POLYGON",
        "currency": "usdc",
        "amount": "10.50",
        "balance": "10500000",
        "walletAddress": wallets["POLYGON"]["address"],
        "transactionHash": created["transactionHash"],
        "createdAt": created["createdAt"],
    }
    assert created["transactionHash"].startswith("0x")
    again = await org.post(path, _coins(amount="10.50"))
    assert again["balance"] == "21000000"
    assert again["transactionHash"] != created["transactionHash"]
    assert await held(org, user) == "21"


@pytest.mark.parametrize("amount", ["0.000001", "1000000000000", "999999999999.999999"])
async def test_a_millionth_to_a_million_millions_may_arrive(org: Tenant, amount: str) -> None:
    user = await make_user(org)
    await org.post(f"/v2/sandbox/users/{user}/wallets/fund", _coins(amount=amount))
    assert await held(org, user) == amount


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("amount", {"amount": "0"}),
        ("amount", {"amount": "-1"}),
        ("amount", {"amount": "1000000000000.000001"}),
        ("amount", {"amount": "9" * 60}),
        ("amount", {"amount": "0.0000001"}),
        ("amount", {"amount": "1e3"}),
        ("amount", {"amount": ""}),
        ("amount", {"amount": 10}),
        ("amount", {"amount": None}),
        ("currency", {"currency": "dai"}),
        ("currency", {"currency": "usdg"}),
        ("chain", {"chain": "TRON"}),
    ],
)
async def test_other_fundings_are_refused_and_named(
    org: Tenant, field: str, change: dict[str, Any]
) -> None:
    user = await make_user(org)
    answer = await org.send("POST", f"/v2/sandbox/users/{user}/wallets/fund", _coins(**change))
    assert refusal(answer) == FIELD
    assert field in sentence(answer)
    assert await held(org, user) == "0"


async def test_coins_arrive_at_known_wallets_only(org: Tenant) -> None:
    user = await make_user(org)
    path = "/v2/sandbox/users/{}/wallets/fund"
    assert await org.refused("POST", path.format(uuid4()), _coins()) == "404 USER_NOT_FOUND"
    assert await org.refused("POST", path.format("x"), _coins()) == "404 USER_NOT_FOUND"
    base = _coins(chain="BASE")
    assert await org.refused("POST", path.format(user), base) == "404 WALLET_NOT_FOUND"


async def test_the_clock_answers_the_organisations_time(org: Tenant) -> None:
    first = await org.post(ADVANCE, {"seconds": 0})
    second = await org.post(ADVANCE, {"seconds": 86_400})
    third = await org.post(ADVANCE, {"seconds": 60})
    assert [each["offsetSeconds"] for each in (first, second, third)] == [0, 86_400, 86_460]
    moved = datetime.fromisoformat(third["now"]) - datetime.fromisoformat(first["now"])
    assert timedelta(seconds=86_460) <= moved < timedelta(seconds=86_490)
    user = await make_user(org)
    created = (await org.get(f"/v2/users/{user}"))["createdAt"]
    assert datetime.fromisoformat(created) >= datetime.fromisoformat(third["now"])


@pytest.mark.parametrize(
    "seconds", [-1, 1.5, "1", None, True, CENTURY_S + 1, 10**30, [], "NaN", 9.9e15]
)
async def test_the_clock_takes_whole_seconds_of_a_century_only(org: Tenant, seconds: Any) -> None:
    answer = await org.send("POST", ADVANCE, {"seconds": seconds})
    assert refusal(answer) == FIELD
    assert "seconds" in sentence(answer)


async def test_the_clock_never_gets_further_than_a_century(org: Tenant) -> None:
    await org.post(ADVANCE, {"seconds": CENTURY_S})
    assert await org.refused("POST", ADVANCE, {"seconds": 1}) == FIELD
    # The organisation works, and so does the worker that reads every organisation's time.
    await make_user(org, funds="1", dateOfBirth="2050-01-01")
    assert (await org.get("/v2/users"))["count"] == 1
    await org.container.scheduler.run_once({org.org_id: timedelta(seconds=CENTURY_S)})


async def test_production_refuses_the_sandbox(database: Database) -> None:
    settings = msgspec.structs.replace(SETTINGS, mode=Mode.PRODUCTION)
    container = wire(settings, database, Clock(await take_node(database)))
    async with served(container) as client:
        org = await make_tenant(container, client)
        assert org.key.startswith("lb_live_")
        user = await make_user(org)
        for path, body in (
            (ADVANCE, {"seconds": 1}),
            (f"/v2/sandbox/users/{user}/wallets/fund", _coins()),
            ("/v2/sandbox/latency", {"chains": "real"}),
            (f"/v2/sandbox/onramps/{user}/deposit", {}),
            (f"/v2/sandbox/offramps/{user}/deposit", {}),
        ):
            answer = await org.send("POST", path, body)
            assert refusal(answer) == "403 USER_ACTION_NOT_ALLOWED"
            assert answer.json()["code"] == 300201
        assert await org.refused("GET", "/v2/sandbox/latency") == "403 USER_ACTION_NOT_ALLOWED"
        assert (await container.orgs.clock_offset(org.org_id)) == timedelta()
