"""Deposit on a virtual account, from the payer's bank to the wallets that share it."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest

from landbridge.payments.incoming_payments.model import IncomingPaymentStatus
from tests.matrices import part_of
from tests.onramps import ONRAMPS, check_books, settle, statuses
from tests.payments.virtual_accounts.virtual_account_setup import (
    OUTSIDE,
    RULES,
    account_body,
    apply,
    at,
    deposit_body,
    fixed,
    make_account,
    make_receiver,
    make_rule,
    percentage,
    rule_body,
    tiered,
)
from tests.tenants import Tenant, held, make_user


async def deposit(org: Tenant, user: str, account: str, amount: str, **changes: Any) -> None:
    """Deposit fiat, and run all following steps."""
    await org.post(at(user, account, "simulate-deposit"), deposit_body(amount, **changes))
    await settle(org)


async def onramps(org: Tenant, user: str) -> list[dict[str, Any]]:
    """Return the onramps of a user, newest first."""
    found = await org.get(ONRAMPS, userId=user, limit=100)
    return [each["transferDetails"] for each in found["records"]]


async def wallet_of(org: Tenant, chain: str = "POLYGON") -> tuple[str, str]:
    """Create a user; return the address of their wallet."""
    user = await make_user(org, chains=[chain])
    wallets = (await org.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"]
    return user, wallets[chain]["address"]


async def incoming_payment_statuses(org: Tenant) -> list[str]:
    rows = await org.container.database.rows(
        "select status from incoming_payments where org_id = $1 order by received_at", org.org_id
    )
    return [row["status"] for row in rows]


@pytest.mark.parametrize("rail", ["ACH", "WIRE"])
async def test_deposit_creates_an_onramp_that_completes(org: Tenant, rail: str) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    await deposit(org, user, account, "100.50", paymentRail=rail)
    (onramp,) = await onramps(org, user)
    assert onramp["status"] == "COMPLETED"
    assert onramp["virtualAccountId"] == account
    assert (await statuses(org, onramp))[-1] == "COMPLETED"
    assert await held(org, user) == "100.5"
    await check_books(org)


async def test_tether_is_delivered_on_ethereum(org: Tenant) -> None:
    user = await make_receiver(org)
    created = await make_account(org, user, chain="ETHEREUM", destinationCurrency="usdt")
    await deposit(org, user, created["id"], "10")
    assert await held(org, user, "usdt", "ETHEREUM") == "10"
    await check_books(org)


async def test_an_external_wallet_receives_the_coins(org: Tenant) -> None:
    user = await make_receiver(org)
    body = {"address": OUTSIDE, "chain": "BASE", "name": "a", "referenceId": "b"}
    external = (await org.post(f"/v2/users/{user}/wallets/external", body))["id"]
    created = await make_account(org, user, chain=None, externalWalletId=external)
    await deposit(org, user, created["id"], "10")
    (onramp,) = await onramps(org, user)
    assert onramp["status"] == "COMPLETED"
    assert onramp["destination"]["externalWalletId"] == external
    await check_books(org)


TIERS = (("", "100", 0.1), ("100", "1000", 0.05), ("1000", "", 0.01))
# Per deposit: parts of the two platform wallets, amount, what they and the owner receive.
SPLITS: list[tuple[str, Sequence[dict[str, Any]], str, tuple[str, str, str]]] = [
    ("percentages", (percentage(0.1), percentage(0.025)), "200", ("20", "5", "175")),
    ("fixed", (fixed(1.25), fixed("0.000001")), "10", ("1.25", "0.000001", "8.749999")),
    ("in order", (fixed(5), percentage(0.5)), "8", ("5", "3", "0")),
    ("the other order", (percentage(0.5), fixed(5)), "8", ("4", "4", "0")),
    (
        "rounded down",
        (percentage(0.3333), percentage(0.3333)),
        "1.01",
        ("0.336633", "0.336633", "0.336734"),
    ),
    ("low tier", (tiered(*TIERS), fixed(0)), "99.99", ("9.999", "0", "89.991")),
    ("middle tier", (tiered(*TIERS), fixed(0)), "100", ("5", "0", "95")),
    ("high tier", (tiered(*TIERS), fixed(1)), "1000", ("10", "1", "989")),
    (
        "tiers of coins",
        (tiered(("", "50", 1), ("50", "", 2), of="FIXED"), percentage(0.1)),
        "50",
        ("2", "5", "43"),
    ),
]


@pytest.mark.parametrize(
    ("parts", "amount", "shares"), part_of([each[1:] for each in SPLITS], 0, 3)
)
async def test_parts_reach_their_wallets_and_sum_to_the_deposit(
    org: Tenant, parts: Sequence[dict[str, Any]], amount: str, shares: tuple[str, str, str]
) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    inside = [await wallet_of(org) for _ in parts]
    recorded = [
        {**part, "walletAddress": address} for part, (_, address) in zip(parts, inside, strict=True)
    ]
    await apply(org, user, account, (await make_rule(org, *recorded))["id"])
    await deposit(org, user, account, amount)
    received = [await held(org, each) for each, _ in inside] + [await held(org, user)]
    assert sum(map(Decimal, received)) == Decimal(amount)
    assert received == list(shares)
    await check_books(org)


async def test_parts_may_leave_the_platform(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    await apply(org, user, account, (await make_rule(org, percentage(0.5), fixed(1)))["id"])
    await deposit(org, user, account, "10")
    assert await held(org, user) == "4"
    await check_books(org)


async def test_whole_deposit_may_go_elsewhere(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    await apply(org, user, account, (await make_rule(org, percentage(1)))["id"])
    await deposit(org, user, account, "10")
    (onramp,) = await onramps(org, user)
    assert onramp["status"] == "COMPLETED"
    assert await held(org, user) == "0"
    await check_books(org)


async def test_rule_applies_from_its_update_on(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    rule = (await make_rule(org, percentage(0.5)))["id"]
    await apply(org, user, account, rule)
    await deposit(org, user, account, "10")
    await org.post(f"{RULES}/{rule}/update", rule_body(percentage(0.1)))
    await deposit(org, user, account, "10")
    await org.send("DELETE", at(user, account, "settlement-rules"))
    await deposit(org, user, account, "10")
    assert await held(org, user) == "24"
    await check_books(org)


async def test_an_update_moves_later_deposits_only(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    await deposit(org, user, account, "10")
    await org.post(at(user, account, "update"), account_body("ETHEREUM"))
    await deposit(org, user, account, "7")
    assert await held(org, user) == "10"
    assert await held(org, user, chain="ETHEREUM") == "7"


async def test_cents_check_the_account_and_are_not_converted(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    for cents in ("0.32", "0.45"):
        await deposit(org, user, account, cents)
    await deposit(org, user, account, "1.00")
    found = (await org.get(at(user, account)))["microDeposits"]
    assert [each["amount"] for each in found["data"]] == [45, 32]
    assert len(await onramps(org, user)) == 1
    assert await held(org, user) == "1"
    assert await incoming_payment_statuses(org) == [IncomingPaymentStatus.MATCHED] * 3
    await check_books(org)


async def test_deposit_on_a_deactivated_account_is_returned(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    body = deposit_body("10")
    await org.post(at(user, account, "simulate-deposit"), body)
    await org.post(at(user, account, "deactivate"))
    await settle(org)
    assert await onramps(org, user) == []
    assert await incoming_payment_statuses(org) == [IncomingPaymentStatus.RETURNED]
    assert await held(org, user) == "0"
    await check_books(org)


async def test_deposit_under_way_completes_after_deactivation(still_org: Tenant) -> None:
    org = still_org
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    await org.post("/v2/sandbox/latency", {"rails": "real"})
    await deposit(org, user, account, "10")
    (onramp,) = await onramps(org, user)
    assert onramp["status"] == "FIAT_PENDING"
    await org.post(at(user, account, "deactivate"))
    await org.post("/v2/sandbox/clock/advance", {"seconds": 7 * 24 * 3600})
    (onramp,) = await onramps(org, user)
    assert onramp["status"] == "COMPLETED"
    assert await held(org, user) == "10"
    await check_books(org)
