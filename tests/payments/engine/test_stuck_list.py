"""GET /v2/stuck: causes, filters, amounts and pages."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from landbridge.payments.engine.stuck_causes import StuckCause, StuckFilter, cause_of
from landbridge.payments.engine.wait_states import WaitParty
from tests.payments.incoming_payments.incoming_payment_setup import make_held
from tests.payouts import OFFRAMPS, make_account, make_payee, offramp_body
from tests.tenants import TRANSFERS, Tenant, good, make_user, run_due, transfer_body


async def make_stuck_transfers(org: Tenant, count: int) -> list[str]:
    """Create transfers that the chain does not confirm, and let an hour pass."""
    user, to = await make_user(org, funds="1000"), await make_user(org)
    headers = {**org.headers, "Landbridge-Sandbox": "chain_send=late:20d"}
    sent = [
        good(
            await org.client.post(
                TRANSFERS, json=transfer_body(user, to, f"{number + 1}.25"), headers=headers
            )
        )
        for number in range(count)
    ]
    await run_due(org)
    await advance(org, timedelta(hours=2))
    return [str(each["transferDetails"]["id"]) for each in sent]


async def advance(org: Tenant, by: timedelta) -> None:
    await org.post("/v2/sandbox/clock/advance", {"seconds": int(by.total_seconds())})


async def test_stuck_records_are_listed_in_pages_of_a_cursor(org: Tenant) -> None:
    created = await make_stuck_transfers(org, 5)
    found: list[Any] = []
    query: dict[str, Any] = {"limit": 2}
    for expected in (2, 2, 1):
        page = await org.get("/v2/stuck", **query)
        assert page["count"] == expected
        found += page["stuck"]
        query["cursor"] = page["nextCursor"]
    assert (await org.get("/v2/stuck", **query)) == {"count": 0, "stuck": []}
    assert sorted(each["id"] for each in found) == sorted(created)
    keys = [(each["waitsSince"], each["id"]) for each in found]
    assert keys == sorted(keys)
    # Without parameters, all of them, as before.
    assert (await org.get("/v2/stuck"))["count"] == 5


async def test_a_stuck_record_says_its_amount_and_its_cause(org: Tenant) -> None:
    (created,) = await make_stuck_transfers(org, 1)
    (found,) = (await org.get("/v2/stuck"))["stuck"]
    assert found["id"] == created
    assert (found["amount"], found["currency"], found["chain"]) == ("1.25", "usdc", "POLYGON")
    assert (found["waitsFor"], found["cause"]) == ("CHAIN", "CHAIN")


async def test_stuck_records_are_filtered_by_cause_and_type(org: Tenant) -> None:
    deposit = str((await make_held(org)).id)
    transfers = await make_stuck_transfers(org, 2)
    await advance(org, timedelta(days=1))
    cases: Sequence[tuple[dict[str, Any], set[str]]] = (
        ({}, {deposit, *transfers}),
        ({"cause": "DECISION"}, {deposit}),
        ({"cause": "CHAIN"}, set(transfers)),
        ({"cause": ["CHAIN", "DECISION"]}, {deposit, *transfers}),
        ({"cause": "BANK"}, set[str]()),
        ({"type": "INCOMING_PAYMENT"}, {deposit}),
        ({"type": "WALLET.TRANSFER"}, set(transfers)),
        ({"type": "WALLET.TRANSFER", "cause": "DECISION"}, set[str]()),
    )
    for query, expected in cases:
        page = await org.get("/v2/stuck", **query)
        assert {each["id"] for each in page["stuck"]} == expected, query
    assert await org.refused("GET", "/v2/stuck", cause="NOBODY") == "400 FIELD_VALIDATION_ERROR"
    assert await org.refused("GET", "/v2/stuck", type="NOTHING") == "400 FIELD_VALIDATION_ERROR"
    assert await org.refused("GET", "/v2/stuck", cursor="x") == "400 FIELD_VALIDATION_ERROR"
    assert await org.refused("GET", "/v2/stuck", limit="101") == "400 FIELD_VALIDATION_ERROR"


async def test_an_open_question_is_a_request_for_information(org: Tenant) -> None:
    user = await make_payee(org)
    body = offramp_body(user, await make_account(org, user))
    created = (await org.post(OFFRAMPS, body))["transferDetails"]
    await org.post(f"/v2/sandbox/transfers/{created['id']}/rfi", {"action": "open"})
    offsets = {org.org_id: timedelta(days=1, minutes=1)}
    for causes, expected in (
        ({StuckCause.INFORMATION}, [created["id"]]),
        ({StuckCause.DECISION}, []),
    ):
        chosen = StuckFilter(causes=causes)
        found = await org.container.timelines.stuck(offsets, limit=10, chosen=chosen)
        assert [str(each.id) for each in found] == expected


def test_coins_that_the_treasury_delivers_wait_for_the_treasury() -> None:
    owed = {("ONRAMP", "CRYPTO_PENDING")}
    assert cause_of("ONRAMP", "CRYPTO_PENDING", WaitParty.CHAIN, owed) is StuckCause.TREASURY
    assert cause_of("OFFRAMP", "CRYPTO_PENDING", WaitParty.CHAIN, owed) is StuckCause.CHAIN
    lost = "TREASURY.DEPOSIT.REVERSAL"
    assert cause_of(lost, "OPEN", WaitParty.REVIEWER, owed) is StuckCause.TREASURY
    assert {cause_of("X", "Y", each, owed) for each in WaitParty} <= set(StuckCause)
