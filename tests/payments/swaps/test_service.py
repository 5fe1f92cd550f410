"""Actions on swaps: replays, expiry, insufficient balance, and price changes."""

from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.ledger.model import HouseRole
from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.money import Rate
from landbridge.providers.rates.port import Price
from tests.house_accounts import house_balance
from tests.make import USDC, USDT
from tests.tenants import (
    SWAPS,
    Tenant,
    fund,
    held,
    make_swap,
    make_user,
    refusal,
    run_due,
    sentence,
    swap_body,
    swap_of,
)


async def _set_price(
    org: Tenant, rate: str, fee: str = "0", *, age: timedelta | None = None
) -> None:
    now = org.container.clock.now(await org.container.orgs.clock_offset(org.org_id))
    await org.container.prices.set_price(
        org.org_id,
        source_currency="usdc",
        destination_currency="usdt",
        price=Price(Rate(Decimal(rate)), Decimal(fee), None),
        at=now - (age or timedelta()),
    )


async def _accept(org: Tenant, swap: dict[str, Any]) -> dict[str, Any]:
    return (await org.post(f"{SWAPS}/{swap['id']}/accept"))["transferDetails"]


async def test_repeated_accept_returns_the_same_result(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    swap = await make_swap(org, user, "10")
    assert await _accept(org, swap) == await _accept(org, swap)
    assert await held(org, user, "usdt") == "9.99"


async def test_accept_after_expiry_fails_the_quote(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org, user = still_org, await make_user(still_org, funds="10")
    swap = await make_swap(org, user)
    still_clock.at += timedelta(seconds=31)
    assert await org.refused("POST", f"{SWAPS}/{swap['id']}/accept") == "400 INVALID_QUOTE"
    found = await swap_of(org, swap["id"])
    assert found.status is SwapStatus.QUOTE_FAILED
    assert found.details.error == "INVALID_QUOTE"
    assert await org.refused("POST", f"{SWAPS}/{swap['id']}/accept") == "400 INVALID_QUOTE"
    assert await held(org, user) == "10"


async def test_accept_just_in_time_succeeds(still_org: Tenant, still_clock: FrozenClock) -> None:
    org, user = still_org, await make_user(still_org, funds="10")
    swap = await make_swap(org, user)
    still_clock.at += timedelta(seconds=29, microseconds=900_000)
    assert (await _accept(org, swap))["status"] == "COMPLETED"


async def test_accept_with_insufficient_balance_keeps_the_quote_open(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    first, second = await make_swap(org, user, "6"), await make_swap(org, user, "6")
    await _accept(org, first)
    answer = await org.send("POST", f"{SWAPS}/{second['id']}/accept")
    assert refusal(answer) == "400 INSUFFICIENT_BALANCE"
    assert "6 usdc" in sentence(answer)
    assert (await org.get(f"{SWAPS}/{second['id']}"))["transferDetails"] == second
    await fund(org, user, "2")
    assert (await _accept(org, second))["status"] == "COMPLETED"
    assert await held(org, user) == "0"


@pytest.mark.parametrize(
    "status", [SwapStatus.OPEN_QUOTE, SwapStatus.COMPLETED, SwapStatus.QUOTE_FAILED]
)
async def test_replay_returns_the_current_swap(org: Tenant, status: SwapStatus) -> None:
    user = await make_user(org, funds="10")
    swap = await make_swap(org, user, "10", status=status)
    body = swap_body(user, "10", request_id=swap["requestId"])
    assert (await org.post(SWAPS, body))["transferDetails"] == swap


async def test_replay_succeeds_with_an_empty_wallet(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    swap = await make_swap(org, user, "4")
    await make_swap(org, user, "10", status=SwapStatus.COMPLETED)
    body = swap_body(user, "4", request_id=swap["requestId"])
    assert (await org.post(SWAPS, body))["transferDetails"] == swap


async def test_replay_succeeds_with_a_stale_or_changed_price(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    await _set_price(org, "2")
    swap = await make_swap(org, user, "4")
    body = swap_body(user, "4", request_id=swap["requestId"])
    await _set_price(org, "3")
    assert (await org.post(SWAPS, body))["transferDetails"] == swap
    await _set_price(org, "3", age=timedelta(days=1))
    assert (await org.post(SWAPS, body))["transferDetails"] == swap


async def test_ignored_members_and_member_order_do_not_change_the_request(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    body = swap_body(user)
    swap = await org.post(SWAPS, body)
    again = {"note": "x", **dict(reversed(body.items()))}
    again["source"] = dict(reversed(body["source"].items())) | {"extra": 1}
    assert await org.post(SWAPS, again) == swap
    assert await org.post(SWAPS, {**body, "requestId": body["requestId"].upper()}) == swap


OTHER: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("source.amount", {"amount": "9"}, {}),
    ("source.amount", {"amount": "1000"}, {}),
    ("destination.currency", {"currency": "usdt"}, {"currency": "usdc"}),
    ("destination.amount", {"amount": None}, {"amount": "10"}),
    ("destination.userId", {}, {"userId": "8d3a7cfe-0000-4000-8000-000000000000"}),
    (
        "destination.walletAddress",
        {},
        {"walletAddress": "0x8ba1f109551bD432803012645Ac136ddd64DBA72"},
    ),
]


@pytest.mark.parametrize(("field", "source", "destination"), OTHER)
async def test_another_body_with_the_same_request_id_is_refused_naming_a_field(
    org: Tenant, field: str, source: dict[str, Any], destination: dict[str, Any]
) -> None:
    user = await make_user(org, funds="10")
    first = swap_body(user)
    await org.post(SWAPS, first)
    other = swap_body(user, source=source, destination=destination, request_id=first["requestId"])
    answer = await org.send("POST", SWAPS, other)
    assert refusal(answer) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"
    assert answer.json()["code"] == 400003
    assert f"already used with another {field};" in sentence(answer)
    assert (await org.get(SWAPS))["count"] == 1


async def test_request_id_is_scoped_to_the_organisation(org: Tenant, other_org: Tenant) -> None:
    request_id = str(uuid4())
    created: list[str] = []
    for each in (org, other_org):
        user = await make_user(each, funds="10")
        swap = await each.post(SWAPS, swap_body(user, request_id=request_id))
        created.append(swap["transferDetails"]["id"])
        assert (await each.get(SWAPS))["count"] == 1
    assert created[0] != created[1]


async def test_refused_request_does_not_use_its_request_id(org: Tenant) -> None:
    user = await make_user(org)
    body = swap_body(user, "10")
    assert await org.refused("POST", SWAPS, body) == "400 INSUFFICIENT_BALANCE"
    await fund(org, user, "10")
    assert (await org.post(SWAPS, body))["transferDetails"]["status"] == "OPEN_QUOTE"


async def test_organisations_price_and_fee_are_quoted(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    await _set_price(org, "1.25", "0.02")
    swap = await make_swap(org, user, "10")
    quote = swap["quoteInformation"]
    assert quote["rate"] == "1.25"
    assert quote["sendGross"]["amount"] == "10"
    assert quote["sendNet"]["amount"] == "9.8"
    assert quote["receiveGross"]["amount"] == quote["receiveNet"]["amount"] == "12.25"
    assert swap["billingInformation"]["fees"][0]["amount"] == 0.2
    await _accept(org, swap)
    assert await held(org, user, "usdt") == "12.25"


async def test_swap_without_a_fee_bills_nothing(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    await _set_price(org, "1")
    swap = await make_swap(org, user, "10")
    assert swap["billingInformation"] == {"fees": []}
    assert (await _accept(org, swap))["status"] == "COMPLETED"


async def test_rate_shows_all_its_digits(org: Tenant) -> None:
    user = await make_user(org, funds="1")
    await _set_price(org, "12345678901.123456789012345678")
    swap = await make_swap(org, user, "1")
    assert swap["quoteInformation"]["rate"] == "12345678901.123456789012345678"
    await _set_price(org, "100")
    assert (await make_swap(org, user, "1"))["quoteInformation"]["rate"] == "100"


async def test_a_stale_price_is_not_quoted(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    age_max = org.container.settings.price_age_max
    await _set_price(org, "1", age=age_max - timedelta(minutes=1))
    await make_swap(org, user)
    await _set_price(org, "1", age=age_max + timedelta(seconds=1))
    answer = await org.send("POST", SWAPS, swap_body(user))
    assert refusal(answer) == "409 QUOTE_NOT_READY"
    assert "usdc in usdt" in sentence(answer)


async def test_quote_keeps_its_price(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    await _set_price(org, "2")
    swap = await make_swap(org, user, "10")
    await _set_price(org, "1")
    await _accept(org, swap)
    assert await held(org, user, "usdt") == "20"


@pytest.mark.parametrize("rate", ["0.3", "1.01", "0.999999", "7", "0.000001234"])
@pytest.mark.parametrize("amount", ["1", "0.000001", "3.333333"])
async def test_exact_out_takes_at_most_one_unit_more_than_needed(
    org: Tenant, rate: str, amount: str
) -> None:
    user = await make_user(org, funds="1000000000")
    await _set_price(org, rate, "0.003")
    body = swap_body(user, None, destination={"amount": amount})
    sent = (await org.post(SWAPS, body))["transferDetails"]["quoteInformation"]["sendGross"]
    assert sent["currency"] == "usdc"
    less = Decimal(sent["amount"]) - 2 * Decimal("0.000001")
    if less > 0:
        answer = await org.send("POST", SWAPS, swap_body(user, f"{less:f}"))
        created = answer.json()
        got = (
            created["transferDetails"]["quoteInformation"]["receiveNet"]["amount"]
            if answer.status_code == 200
            else "0"
        )
        assert Decimal(got) < Decimal(amount)


async def test_customers_debit_equals_house_accounts_credit(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    swap = await make_swap(org, user, "10", status=SwapStatus.COMPLETED)
    assert swap["status"] == "COMPLETED"
    database = org.container.database
    found = [
        str(await house_balance(database, org.org_id, role, asset))
        for role, asset in (
            (HouseRole.FEES, USDC),
            (HouseRole.LIQUIDITY, USDC),
            (HouseRole.LIQUIDITY, USDT),
            (HouseRole.OUTSIDE, USDC),
        )
    ]
    assert found == ["0.01", "9.99", "-9.99", "-100"]


async def test_swap_to_an_external_address_leaves_the_platform(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    address = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
    body = swap_body(user, "10", destination={"walletAddress": address})
    await _accept(org, (await org.post(SWAPS, body))["transferDetails"])
    await run_due(org)
    outside = await house_balance(org.container.database, org.org_id, HouseRole.OUTSIDE, USDT)
    assert str(outside) == "9.99"


async def test_every_change_has_its_actor(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    done = await make_swap(org, user, status=SwapStatus.COMPLETED)
    failed = await make_swap(org, user, status=SwapStatus.QUOTE_FAILED)
    rows = await org.container.database.rows(
        "select object_id, change_type, status_before, status_after, actor from changes"
        " where org_id = $1 and kind = 'WALLET.SWAP' order by occurred_at, seq",
        org.org_id,
    )
    key = f"key:{org.caller.key_id}"
    body = {
        swap["id"]: [
            (row["change_type"], row["status_after"], row["actor"])
            for row in rows
            if row["object_id"] == UUID(swap["id"])
        ]
        for swap in (done, failed)
    }
    assert [status for _, status, _ in body[done["id"]]] == [
        *("OPEN_QUOTE", "CREATED", "PENDING", "COMPLETED")
    ]
    assert {actor for _, _, actor in body[done["id"]]} == {key}
    assert body[failed["id"]][-1] == ("expire", "QUOTE_FAILED", "test")


@pytest.mark.parametrize("rate", ["1000000", "0.000001"])
async def test_amount_beyond_the_ledgers_digits_is_refused(org: Tenant, rate: str) -> None:
    await _set_price(org, rate)
    user = await make_user(org)
    huge = "9" * 32
    for end in ("source", "destination"):
        ends: dict[str, Any] = {end: {"amount": huge}}
        body = swap_body(user, None, **ends)
        answer = await org.send("POST", SWAPS, body)
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
        assert sentence(answer) == f"{end}.amount is too large"


async def test_wallet_older_than_a_token_gets_its_account(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    await org.container.database.rows(
        "delete from accounts where org_id = $1 and asset in ('usdt:POLYGON', 'usdHifi:POLYGON')",
        org.org_id,
    )
    assert await held(org, user, "usdHifi") == "0"
    swap = await make_swap(org, user, "10")
    await _accept(org, swap)
    assert await held(org, user, "usdt") == "9.99"
