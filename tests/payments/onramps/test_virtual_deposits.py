"""Deposits on virtual accounts: each creates an onramp of its own."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from landbridge.app.container import wire
from landbridge.ledger.model import HouseRole
from landbridge.payments.incoming_payments.model import IncomingPayment, IncomingPaymentStatus
from landbridge.payments.incoming_payments.steps import IncomingPaymentSteps
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.money import Rate
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.rates.port import Price
from tests.onramps import (
    ONRAMPS,
    check_books,
    house_units,
    make_onramp,
    make_payer,
    now,
    receive,
    retrieve,
    settle,
    statuses,
)
from tests.payments.virtual_accounts.virtual_account_setup import (
    OUTSIDE,
    at,
    fixed,
    make_account,
    percentage,
    rule_body,
)
from tests.providers.simulation.faulty import FaultyChains, FaultyRails
from tests.tenants import SETTINGS, Tenant, held, make_user, refusal, register

RULES = "/v2/virtual-accounts/settlement-rules"


def _number(account: dict[str, Any]) -> str:
    return str(account["depositInstructions"]["wire"]["accountNumber"])


async def _arrive(
    org: Tenant, account: dict[str, Any], amount: str, **fields: Any
) -> IncomingPayment:
    return await receive(org, account_number=_number(account), amount=amount, **fields)


async def _made_by(org: Tenant, incoming_payment: IncomingPayment) -> dict[str, Any]:
    """Return the details of the onramp that a deposit created."""
    return await retrieve(org, {"id": str(derived_id(incoming_payment.id, "onramp"))})


async def _fate(org: Tenant, incoming_payment: IncomingPayment) -> IncomingPaymentStatus:
    return (await org.container.incoming_payments.get(org.org_id, incoming_payment.id)).status


async def test_virtual_deposit_creates_an_onramp_and_coins(org: Tenant) -> None:
    user = await make_payer(org)
    account = await make_account(org, user)
    incoming_payment = await _arrive(org, account, "250.5", rail="ach", reference="rent")
    await settle(org)
    found = await _made_by(org, incoming_payment)
    assert found["status"] == "COMPLETED"
    assert found["virtualAccountId"] == account["id"]
    assert found["depositInfo"] is None
    assert found["source"]["bankInfo"]["paymentRail"] == "ach"
    assert found["source"]["bankInfo"]["referenceNumber"] == "rent"
    assert found["source"]["amount"] == found["destination"]["amount"] == 250.5
    assert found["quoteInformation"]["rate"] == "1"
    assert found["destination"]["walletAddress"] == account["destination"]["walletAddress"]
    assert await held(org, user) == "250.5"
    assert await statuses(org, found) == [
        *("FIAT_INITIATED", "FIAT_PENDING", "FIAT_PROCESSED", "CRYPTO_INITIATED"),
        *("CRYPTO_PENDING", "COMPLETED"),
    ]
    assert (await org.get(ONRAMPS, userId=user))["count"] == 1
    await check_books(org)


async def test_no_payment_takes_the_request_id_of_a_deposit(org: Tenant) -> None:
    user = await make_payer(org)
    account = await make_account(org, user)
    incoming_payment = await _arrive(org, account, "5")
    await make_onramp(org, user, request_id=str(derived_id(incoming_payment.id, "onramp")))
    await settle(org)
    assert (await _made_by(org, incoming_payment))["status"] == "COMPLETED"
    assert await held(org, user) == "5"
    await check_books(org)


async def test_each_deposit_creates_a_separate_onramp(org: Tenant) -> None:
    user = await make_payer(org)
    account = await make_account(org, user)
    for amount in ("1", "2", "2"):
        await _arrive(org, account, amount)
    await settle(org)
    assert await held(org, user) == "5"
    assert (await org.get(ONRAMPS, userId=user))["count"] == 3


async def test_onramp_reference_is_ignored_on_a_virtual_account(org: Tenant) -> None:
    user = await make_payer(org)
    account, onramp = await make_account(org, user), await make_onramp(org, user)
    incoming_payment = await _arrive(
        org, account, "100", reference=onramp["depositInfo"]["reference"]
    )
    await settle(org)
    assert (await _made_by(org, incoming_payment))["virtualAccountId"] == account["id"]
    assert (await retrieve(org, onramp))["status"] == "AWAITING_FUNDS"


async def test_cents_check_an_account_and_are_not_converted(org: Tenant) -> None:
    user = await make_payer(org)
    account = await make_account(org, user)
    micro, whole = await _arrive(org, account, "0.99"), await _arrive(org, account, "1")
    await settle(org)
    assert await _fate(org, micro) is IncomingPaymentStatus.MATCHED
    assert (await org.get(ONRAMPS, userId=user))["count"] == 1
    assert (await _made_by(org, whole))["status"] == "COMPLETED"
    shown = (await org.get(at(user, account["id"])))["microDeposits"]
    assert (shown["count"], await held(org, user)) == (1, "1")
    assert await house_units(org, HouseRole.LIQUIDITY, "usd:BANK") == 1_99
    await check_books(org)


async def test_deactivated_account_takes_only_deposits_under_way(org: Tenant) -> None:
    user = await make_payer(org)
    account = await make_account(org, user)
    before = await _arrive(org, account, "10", clears_at=await now(org) + timedelta(days=1))
    await settle(org)
    await org.post(at(user, account["id"], "deactivate"))
    after, micro = await _arrive(org, account, "20"), await _arrive(org, account, "0.01")
    await settle(org)
    fates = [await _fate(org, each) for each in (before, after, micro)]
    assert fates == [
        *(
            IncomingPaymentStatus.MATCHED,
            IncomingPaymentStatus.RETURNED,
            IncomingPaymentStatus.RETURNED,
        )
    ]
    await org.post("/v2/sandbox/clock/advance", {"seconds": 86_400})
    assert (await _made_by(org, before))["status"] == "COMPLETED"
    assert await held(org, user) == "10"


async def test_wrong_currency_is_returned(org: Tenant) -> None:
    user = await make_payer(org)
    incoming_payment = await _arrive(org, await make_account(org, user), "10", currency="eur")
    await settle(org)
    assert await _fate(org, incoming_payment) is IncomingPaymentStatus.RETURNED


async def test_rule_splits_the_delivery_in_one_transaction(org: Tenant, database: Database) -> None:
    user, bob = await make_payer(org), await make_user(org)
    account = await make_account(org, user)
    wallet = (await org.get(f"/v2/users/{bob}"))["wallets"]["INDIVIDUAL"]["POLYGON"]["address"]
    settlement_rule = rule_body(percentage("0.01"), fixed("2", wallet), percentage("0.1", wallet))
    rule = await org.post(RULES, settlement_rule)
    await org.post(at(user, account["id"], f"settlement-rules/{rule['id']}"))
    incoming_payment = await _arrive(org, account, "100")
    chains = FaultyChains(org.container.chains)
    container = wire(SETTINGS, database, Clock(await take_node(database)), chains=chains)
    await settle(Tenant(container, org.client, org.caller, org.key))
    found = await _made_by(org, incoming_payment)
    assert found["status"] == "COMPLETED"
    assert found["destination"]["amount"] == 87
    (order,) = chains.orders
    assert [(leg.address, str(leg.money)) for leg in order.legs] == [
        *((OUTSIDE, "1"), (wallet, "2"), (wallet, "10")),
        (account["destination"]["walletAddress"], "87"),
    ]
    assert (await held(org, user), await held(org, bob)) == ("87", "12")
    assert await house_units(org, HouseRole.OUTSIDE, "usdc:POLYGON") == 1_000_000
    await check_books(org)


async def test_rule_may_take_the_whole_deposit(org: Tenant) -> None:
    user = await make_payer(org)
    account = await make_account(org, user)
    rule = await org.post(RULES, rule_body(fixed("50")))
    await org.post(at(user, account["id"], f"settlement-rules/{rule['id']}"))
    incoming_payment = await _arrive(org, account, "10")
    await settle(org)
    assert (await _made_by(org, incoming_payment))["status"] == "COMPLETED"
    assert await held(org, user) == "0"
    await check_books(org)


async def test_coins_go_to_an_external_wallet(org: Tenant) -> None:
    user = await make_payer(org)
    wallet = await register(org, user, OUTSIDE)
    account = await make_account(org, user, chain=None, externalWalletId=wallet)
    incoming_payment = await _arrive(org, account, "10")
    await settle(org)
    found = await _made_by(org, incoming_payment)
    assert (found["status"], found["destination"]["externalWalletId"]) == ("COMPLETED", wallet)
    assert await house_units(org, HouseRole.OUTSIDE, "usdc:POLYGON") == 10_000_000


async def test_frozen_user_gets_the_deposit_back(org: Tenant) -> None:
    user = await make_payer(org)
    account = await make_account(org, user)
    await org.post(f"/v2/users/{user}/freeze", {})
    incoming_payment = await _arrive(org, account, "10")
    await settle(org)
    found = await _made_by(org, incoming_payment)
    assert (found["status"], found["failedReason"]) == (
        "FIAT_RETURNED",
        f"user {user} is frozen",
    )
    await check_books(org)


@pytest.mark.parametrize("when", ["before the deposit", "before it has cleared"])
async def test_a_part_of_the_frozen_sends_the_whole_deposit_back(org: Tenant, when: str) -> None:
    user, bob = await make_payer(org), await make_user(org)
    account = await make_account(org, user)
    wallet = (await org.get(f"/v2/users/{bob}"))["wallets"]["INDIVIDUAL"]["POLYGON"]["address"]
    rule = await org.post(RULES, rule_body(percentage("0.1", wallet)))
    await org.post(at(user, account["id"], f"settlement-rules/{rule['id']}"))
    if when == "before the deposit":
        await org.post(f"/v2/users/{bob}/freeze", {})
    incoming_payment = await _arrive(
        org, account, "10", clears_at=await now(org) + timedelta(hours=1)
    )
    await settle(org)
    if when != "before the deposit":
        assert (await _made_by(org, incoming_payment))["status"] == "FIAT_PENDING"
        await org.post(f"/v2/users/{bob}/freeze", {})
    await org.post("/v2/sandbox/clock/advance", {"seconds": 3600})
    found = await _made_by(org, incoming_payment)
    assert (found["status"], found["failedReason"]) == (
        "FIAT_RETURNED",
        f"user {bob} is frozen",
    )
    assert (await held(org, user), await held(org, bob)) == ("0", "0")
    await check_books(org)


class _Around:
    """Service wrapper with a hook before or after one of its methods."""

    def __init__(self, inner: object, name: str, wrap: Callable[..., Any]) -> None:
        self._inner, self._name, self._wrap = inner, name, wrap

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        return partial(self._wrap, found) if name == self._name else found


async def _erase(org: Tenant, user: str) -> str:
    """Status and name of a refusal, or 200."""
    answer = await org.send("DELETE", f"/v2/users/{user}/personal-data")
    return "200" if answer.status_code == 200 else refusal(answer)


async def test_erasure_before_the_match_returns_the_deposit(
    org: Tenant,
) -> None:
    user = await make_payer(org)
    account = await make_account(org, user)
    deposits = org.container.onramp_deposits

    async def erased_after(found: Any, *args: Any) -> object:
        read = await found(*args)
        await org.post(f"/v2/users/{user}/freeze", {})
        assert await _erase(org, user) == "200"
        return read

    accounts: Any = _Around(deposits.virtual_accounts, "find_by_number", erased_after)
    incoming_payment = await _arrive(org, account, "10")
    with pytest.raises(Busy):
        await replace(deposits, virtual_accounts=accounts).match(incoming_payment)
    assert (await org.get(ONRAMPS, userId=user))["count"] == 0
    rails = FaultyRails(org.container.rails)
    steps = IncomingPaymentSteps(
        org.container.incoming_payments, deposits, rails, org.container.clock
    )
    await steps.run_all({org.org_id: timedelta()})
    assert await _fate(org, incoming_payment) is IncomingPaymentStatus.RETURNED
    (payment,) = rails.orders
    assert payment.payee["accountNumber"] == "000123456789"


@pytest.mark.parametrize("amount", ["10", "0.5"])
async def test_erasure_waits_for_a_match(org: Tenant, amount: str) -> None:
    user = await make_payer(org)
    account = await make_account(org, user)
    await org.post(f"/v2/users/{user}/freeze", {})
    deposits, erasures = org.container.onramp_deposits, list[asyncio.Task[str]]()

    async def erased_meanwhile(match: Any, *args: Any, **named: Any) -> None:
        await match(*args, **named)
        erasures.append(asyncio.create_task(_erase(org, user)))
        await asyncio.wait(erasures, timeout=0.3)
        assert not erasures[0].done()

    incoming_payments: Any = _Around(deposits.incoming_payments, "match", erased_meanwhile)
    incoming_payment = await _arrive(org, account, amount)
    assert await replace(deposits, incoming_payments=incoming_payments).match(incoming_payment)
    # Payments in progress are found; micro-deposits are final, and erased with the user.
    is_under_way = amount == "10"
    assert await erasures[0] == ("409 RESOURCE_CONFLICT" if is_under_way else "200")
    incoming_payment_ = await org.container.incoming_payments.get(org.org_id, incoming_payment.id)
    assert (incoming_payment_.sender is not None) == is_under_way
    await settle(org)
    await check_books(org)


async def test_deposit_without_any_price_is_returned(org: Tenant) -> None:
    account = await make_account(org, await make_payer(org))

    async def nothing(price: Any, *args: Any, **pair: Any) -> None:
        del price, args, pair

    incoming_payment = await _arrive(org, account, "100")
    container = org.container
    rates: Any = _Around(container.onramps.rates, "price", nothing)
    onramps = replace(container.onramps, rates=rates)
    matcher = replace(container.onramp_deposits, onramps=onramps)
    steps = IncomingPaymentSteps(
        container.incoming_payments, matcher, container.rails, container.clock
    )
    await steps.run_all({org.org_id: timedelta()})
    assert await _fate(org, incoming_payment) is IncomingPaymentStatus.RETURNED


async def test_deposit_waits_for_a_price(org: Tenant) -> None:
    user = await make_payer(org)
    account = await make_account(org, user)

    async def price(at_: Any) -> None:
        await org.container.prices.set_price(
            org.org_id,
            source_currency="usd",
            destination_currency="usdc",
            price=Price(Rate(Decimal("0.999")), Decimal("0.001"), None),
            at=at_,
        )

    await price(await now(org) - timedelta(days=2))
    incoming_payment = await _arrive(org, account, "100")
    await settle(org)
    assert await _fate(org, incoming_payment) is IncomingPaymentStatus.NEW
    await price(await now(org))
    await settle(org)
    found = await _made_by(org, incoming_payment)
    assert found["status"] == "COMPLETED"
    quote = found["quoteInformation"]
    assert (quote["sendNet"]["amount"], quote["receiveNet"]["amount"]) == ("99.9", "99.8001")
    await check_books(org)


async def test_a_simulated_deposit_runs_through(org: Tenant) -> None:
    user = await make_payer(org)
    account = await make_account(org, user)
    source = {
        "routingNumber": "021000021",
        "accountNumber": "000123456789",
        "name": "Grace Example",
        "bankName": "Example Bank",
    }
    body = {
        "amount": "12.34",
        "paymentRail": "ACH",
        "requestId": str(uuid4()),
        "source": source,
    }
    await org.post(at(user, account["id"], "simulate-deposit"), body)
    await settle(org)
    (only,) = (await org.get(ONRAMPS, userId=user))["records"]
    found = only["transferDetails"]
    assert (found["status"], found["virtualAccountId"]) == ("COMPLETED", account["id"])
    assert found["source"]["bankInfo"]["senderName"] == "Grace Example"
    assert await held(org, user) == "12.34"
