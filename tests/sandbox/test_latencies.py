"""Latencies of an organisation's simulated chains and banks."""

from datetime import datetime
from typing import Any

import pytest

from tests.payouts import accept, make_account, make_offramp, make_payee, shown
from tests.tenants import Tenant, make_transfer, make_user, refusal, run_due, sentence

LATENCY = "/v2/sandbox/latency"
ADVANCE = "/v2/sandbox/clock/advance"
TRANSFERS = "/v2/wallets/transfers"


async def test_latencies_are_instant_by_default(org: Tenant) -> None:
    assert await org.get(LATENCY) == {"chains": "instant", "rails": "instant"}
    assert await org.post(LATENCY, {"chains": "real"}) == {"chains": "real", "rails": "instant"}
    assert await org.post(LATENCY, {"rails": "real"}) == {"chains": "real", "rails": "real"}
    assert await org.post(LATENCY, {}) == {"chains": "real", "rails": "real"}
    both = {"chains": "instant", "rails": "instant"}
    assert await org.post(LATENCY, both) == both
    assert await org.get(LATENCY) == both


async def test_latencies_are_per_organisation(org: Tenant, other_org: Tenant) -> None:
    await org.post(LATENCY, {"chains": "real", "rails": "real"})
    assert await other_org.get(LATENCY) == {"chains": "instant", "rails": "instant"}


@pytest.mark.parametrize("latency", ["slow", "REAL", "", 1, True, []])
@pytest.mark.parametrize("part", ["chains", "rails"])
async def test_there_are_two_latency_profiles(org: Tenant, part: str, latency: Any) -> None:
    answer = await org.send("POST", LATENCY, {part: latency})
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert part in sentence(answer)


async def test_a_transfer_waits_for_its_chain_at_the_real_latency(org: Tenant) -> None:
    ada, grace = await make_user(org, funds="10"), await make_user(org, email="g@example.com")
    await org.post(LATENCY, {"chains": "real"})
    created = await make_transfer(org, ada, grace, 1)
    await run_due(org)
    path = f"{TRANSFERS}/{created['id']}"
    waiting = (await org.get(path))["transferDetails"]
    assert waiting["status"] == "PENDING"
    assert waiting["receipt"]["transactionHash"].startswith("0x")
    # Accepted orders keep their latency.
    await org.post(LATENCY, {"chains": "instant"})
    await run_due(org)
    assert (await org.get(path))["transferDetails"]["status"] == "PENDING"
    await org.post(ADVANCE, {"seconds": 6})
    assert (await org.get(path))["transferDetails"]["status"] == "COMPLETED"


async def test_slow_bank_steps_finish_after_advancing_days(org: Tenant) -> None:
    user = await make_payee(org)
    account = await make_account(org, user)
    await org.post(LATENCY, {"chains": "real", "rails": "real"})
    offramp = await make_offramp(org, user, account, 10)
    assert (await accept(org, offramp))["status"] == "CRYPTO_INITIATED"
    await org.post(ADVANCE, {"seconds": 7 * 24 * 3600})
    assert (await shown(org, offramp))["status"] == "COMPLETED"


async def test_an_advance_stops_at_each_deadline_in_order(still_org: Tenant) -> None:
    org = still_org
    ada, grace = await make_user(org, funds="10"), await make_user(org, email="g@example.com")
    first = await make_transfer(org, ada, grace, 1, requireApproval=True)
    await org.post(ADVANCE, {"seconds": 60})
    second = await make_transfer(org, ada, grace, 1, requireApproval=True)
    await org.post(ADVANCE, {"seconds": 14 * 24 * 3600})
    ends = [
        (await org.get(f"{TRANSFERS}/{each['id']}"))["transferDetails"] for each in (first, second)
    ]
    assert [each["status"] for each in ends] == ["EXPIRED", "EXPIRED"]
    gaps = [_seconds(each["createdAt"], each["updatedAt"]) for each in ends]
    week = 7 * 24 * 3600
    assert all(week <= gap < week + 5 for gap in gaps)


def _seconds(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
