"""Deposits: matched, returned, or waiting."""

import re
from datetime import timedelta
from typing import Any

import pytest

from landbridge.ledger.model import HouseRole
from landbridge.payments.incoming_payments.model import IncomingPaymentStatus
from landbridge.platform.core.clock import FrozenClock
from tests.onramps import (
    ONRAMPS,
    check_books,
    deposit,
    house_units,
    make_onramp,
    make_payer,
    now,
    onramp_of,
    receive,
    retrieve,
    settle,
    statuses,
)
from tests.tenants import Tenant, held

ORDINARY = [
    *("CREATED", "OPEN_QUOTE", "AWAITING_FUNDS", "FIAT_INITIATED", "FIAT_PENDING"),
    *("FIAT_PROCESSED", "CRYPTO_INITIATED", "CRYPTO_PENDING", "COMPLETED"),
]


async def _fate(org: Tenant, incoming_payment: Any) -> IncomingPaymentStatus:
    return (await org.container.incoming_payments.get(org.org_id, incoming_payment.id)).status


async def test_exact_amount_passes_through_every_status(org: Tenant) -> None:
    user = await make_payer(org)
    onramp = await make_onramp(org, user, fee={"type": "FIX", "value": 3})
    incoming_payment = await deposit(org, onramp)
    await settle(org)
    assert await statuses(org, onramp) == ORDINARY
    assert await _fate(org, incoming_payment) is IncomingPaymentStatus.MATCHED
    assert await held(org, user) == "97"
    assert await house_units(org, HouseRole.OUTSIDE, "usd:BANK") == -100_00
    assert await house_units(org, HouseRole.LIQUIDITY, "usd:BANK") == 97_00
    assert await house_units(org, HouseRole.FEES, "usd:BANK") == 3_00
    assert await house_units(org, HouseRole.LIQUIDITY, "usdc:POLYGON") == -97_000_000
    await check_books(org)


@pytest.mark.parametrize("amount", ["99.99", "100.01", "0.01", "1000000"])
async def test_wrong_amount_is_returned_in_full(org: Tenant, amount: str) -> None:
    user = await make_payer(org)
    onramp = await make_onramp(org, user)
    incoming_payment = await deposit(org, onramp, amount=amount)
    await settle(org)
    found = await retrieve(org, onramp)
    assert found["status"] == "FIAT_RETURNED"
    assert found["failedReason"] == f"{amount} usd arrived instead of 100; it is returned"
    assert found["source"]["bankInfo"]["senderName"] == "Ada Approval"
    assert await statuses(org, onramp) == [
        *ORDINARY[:4],
        *("FIAT_FAILED", "FIAT_RETURNED"),
    ]
    assert await _fate(org, incoming_payment) is IncomingPaymentStatus.MATCHED
    assert await held(org, user) == "0"
    assert await house_units(org, HouseRole.OUTSIDE, "usd:BANK") == 0
    await check_books(org)


async def test_spaces_and_case_of_the_reference_are_ignored(org: Tenant) -> None:
    onramp = await make_onramp(org, await make_payer(org))
    reference = onramp["depositInfo"]["reference"]
    await deposit(org, onramp, reference=f" {reference[:4].lower()} {reference[4:].lower()} ")
    await settle(org)
    assert (await retrieve(org, onramp))["status"] == "COMPLETED"


@pytest.mark.parametrize(
    "changes",
    [
        {"reference": None},
        {"reference": ""},
        {"reference": "LB23456789AB"},
        {"reference": "thank you for the fish"},
        {"currency": "eur"},
        {"account_number": "9000000000000000"},
    ],
)
async def test_deposit_without_a_known_reference_is_returned(
    org: Tenant, changes: dict[str, Any]
) -> None:
    onramp = await make_onramp(org, await make_payer(org))
    incoming_payment = await deposit(org, onramp, **changes)
    await settle(org)
    assert await _fate(org, incoming_payment) is IncomingPaymentStatus.RETURNED
    assert (await retrieve(org, onramp))["status"] == "AWAITING_FUNDS"
    # The expected deposit may still arrive.
    await deposit(org, onramp)
    await settle(org)
    assert (await retrieve(org, onramp))["status"] == "COMPLETED"
    await check_books(org)


async def test_anothers_reference_is_unknown(org: Tenant, other_org: Tenant) -> None:
    onramp = await make_onramp(org, await make_payer(org))
    found = await onramp_of(org, onramp["id"])
    incoming_payment = await receive(
        other_org,
        account_number=found.details.account_number or "",
        reference=found.details.reference,
        amount="100",
    )
    await settle(other_org)
    assert await _fate(other_org, incoming_payment) is IncomingPaymentStatus.RETURNED
    assert (await retrieve(org, onramp))["status"] == "AWAITING_FUNDS"


async def test_second_deposit_is_returned(org: Tenant) -> None:
    user = await make_payer(org)
    onramp = await make_onramp(org, user)
    first, second = await deposit(org, onramp), await deposit(org, onramp)
    await settle(org)
    third = await deposit(org, onramp)
    await settle(org)
    fates = [await _fate(org, each) for each in (first, second, third)]
    assert sorted(fates) == [IncomingPaymentStatus.MATCHED, *[IncomingPaymentStatus.RETURNED] * 2]
    assert fates[2] is IncomingPaymentStatus.RETURNED
    assert await held(org, user) == "100"
    await check_books(org)


async def test_first_of_two_deposits_counts_when_processed_together(
    org: Tenant,
) -> None:
    user = await make_payer(org)
    created = [await make_onramp(org, user) for _ in range(6)]
    for each in created:
        await deposit(org, each)
        await deposit(org, each, amount="1")
    await settle(org)
    assert {(await retrieve(org, each))["status"] for each in created} == {"COMPLETED"}
    await check_books(org)


async def test_second_deposit_after_a_wrong_one_is_returned(org: Tenant) -> None:
    onramp = await make_onramp(org, await make_payer(org))
    await deposit(org, onramp, amount="1")
    await settle(org)
    right = await deposit(org, onramp)
    await settle(org)
    assert await _fate(org, right) is IncomingPaymentStatus.RETURNED
    assert (await retrieve(org, onramp))["status"] == "FIAT_RETURNED"


async def test_late_deposit_is_returned(still_org: Tenant, still_clock: FrozenClock) -> None:
    org = still_org
    onramp = await make_onramp(org, await make_payer(org))
    still_clock.at += timedelta(hours=24, seconds=1)
    incoming_payment = await deposit(org, onramp)
    await settle(org)
    assert await _fate(org, incoming_payment) is IncomingPaymentStatus.RETURNED
    found = await retrieve(org, onramp)
    assert (found["status"], found["failedReason"]) == (
        "QUOTE_FAILED",
        "the quote expired before the deposit arrived",
    )


async def test_timely_deposit_processed_late_counts(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    onramp = await make_onramp(org, await make_payer(org))
    still_clock.at += timedelta(hours=23, minutes=59)
    await deposit(org, onramp)
    still_clock.at += timedelta(hours=1)
    await settle(org)
    assert (await retrieve(org, onramp))["status"] == "COMPLETED"


async def test_timely_deposit_counts_when_expiry_runs_first(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    onramp, other = [await make_onramp(org, await make_payer(org)) for _ in range(2)]
    still_clock.at += timedelta(hours=23, minutes=59)
    await deposit(org, onramp)
    still_clock.at += timedelta(hours=1)
    await org.container.scheduler.run_all({org.org_id: timedelta()})
    for each in (onramp, other):
        assert (await retrieve(org, each))["status"] == "AWAITING_FUNDS"
    assert org.container.scheduler.failing == 0
    await settle(org)
    assert (await retrieve(org, onramp))["status"] == "COMPLETED"
    assert (await retrieve(org, other))["status"] == "QUOTE_FAILED"


async def test_unrelated_and_late_deposits_do_not_prevent_expiry(
    still_org: Tenant, still_clock: FrozenClock, other_org: Tenant
) -> None:
    org = still_org
    onramp = await make_onramp(org, await make_payer(org))
    number = (await onramp_of(org, onramp["id"])).details.account_number or ""
    # Neither one of another organisation, nor one on another account.
    await receive(other_org, account_number=number, amount="100", at=await now(org))
    await deposit(org, onramp, account_number="9000000000000000")
    still_clock.at += timedelta(hours=24, seconds=1)
    await deposit(org, onramp)
    await org.container.scheduler.run_all({org.org_id: timedelta()})
    assert (await retrieve(org, onramp))["status"] == "QUOTE_FAILED"


async def test_deposit_before_the_accept_matches_nothing(org: Tenant) -> None:
    onramp = await make_onramp(org, await make_payer(org), is_accepted=False)
    accepted = await make_onramp(org, await make_payer(org))
    number = accepted["depositInfo"]["wire"]["accountNumber"]
    incoming_payment = await receive(org, account_number=number, amount="100")
    await settle(org)
    assert await _fate(org, incoming_payment) is IncomingPaymentStatus.RETURNED
    assert (await retrieve(org, onramp))["status"] == "OPEN_QUOTE"


async def test_coins_wait_for_the_deposit_to_clear(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org, user = still_org, await make_payer(still_org)
    onramp = await make_onramp(org, user)
    await deposit(org, onramp, clears_at=still_clock.at + timedelta(days=2))
    still_clock.at += timedelta(days=1)
    await settle(org)
    found = await retrieve(org, onramp)
    assert found["status"] == "FIAT_PENDING"
    assert found["source"]["bankInfo"]["senderName"] == "Ada Approval"
    assert await held(org, user) == "0"
    still_clock.at += timedelta(days=1)
    await settle(org)
    assert (await retrieve(org, onramp))["status"] == "COMPLETED"


async def test_repeated_deposit_is_taken_once(org: Tenant) -> None:
    onramp = await make_onramp(org, await make_payer(org))
    incoming_payment = await deposit(org, onramp)
    matcher = org.container.onramp_deposits
    assert await matcher.match(incoming_payment)
    assert await matcher.match(incoming_payment)
    await settle(org)
    assert await matcher.match(incoming_payment)
    assert (await statuses(org, onramp)).count("FIAT_PENDING") == 1


async def test_the_sandbox_plays_the_payers_bank(org: Tenant) -> None:
    user = await make_payer(org)
    onramp = await make_onramp(org, user, is_accepted=False)
    path = f"/v2/sandbox/onramps/{onramp['id']}/deposit"
    assert await org.refused("POST", path, {}) == "409 RESOURCE_CONFLICT"
    await org.post(f"{ONRAMPS}/{onramp['id']}/quote/accept")
    await org.post(path, {"paymentRail": "ach"})
    await settle(org)
    found = await retrieve(org, onramp)
    assert found["status"] == "COMPLETED"
    assert found["source"]["bankInfo"]["paymentRail"] == "ach"


async def test_no_record_contains_the_sender_of_a_deposit(org: Tenant) -> None:
    onramp = await make_onramp(org, await make_payer(org))
    incoming_payment = await deposit(org, onramp, description="for the boat")
    await deposit(org, onramp, description="for the boat", amount="3")
    await settle(org)
    rows = await org.container.database.rows(
        "select request::text || details::text || facts::text as told from transfers "
        "where org_id = $1 union all select facts::text from changes where org_id = $1",
        org.org_id,
    )
    text = " ".join(row["told"] or "" for row in rows)
    assert str(incoming_payment.id) in text
    # Addresses are in hex of both cases, and one in some hundreds spells Ada.
    text = re.sub("0x[0-9A-Fa-f]{40}", "", text)
    for secret in ("Ada", "First Example Bank", "000123456789", "boat"):
        assert secret not in text
