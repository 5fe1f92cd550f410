"""From the quote to the bank: replies, journals, every kind of bank account."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from landbridge.customers.kyc.model import Rail
from landbridge.ledger.model import HouseRole
from landbridge.providers.chains.tokens import TOKENS
from tests.customers.bank_accounts.bodies import Case
from tests.matrices import each_value_once
from tests.payments.offramps.offramp_scenario import OfframpScenario
from tests.payouts import (
    OFFRAMPS,
    WAYS,
    accept,
    check_books,
    make_account,
    make_offramp,
    make_payee,
    shown,
)
from tests.tenants import Tenant, fund, held, run_due

PATH = [
    "CREATED",
    "OPEN_QUOTE",
    "CRYPTO_INITIATED",
    "CRYPTO_PENDING",
    "CRYPTO_PROCESSED",
    "FIAT_INITIATED",
    "FIAT_PENDING",
    "COMPLETED",
]


async def test_payout_passes_through_its_statuses(scenario: OfframpScenario) -> None:
    created = await scenario.quoted(100)
    assert (created["status"], created["failedReason"]) == ("OPEN_QUOTE", None)
    assert await held(scenario.org, scenario.ada) == "1000"
    accepted = await accept(scenario.org, created)
    assert accepted["status"] == "CRYPTO_INITIATED"
    assert accepted["receipt"] == {"transactionHash": None, "paymentTracking": None}
    assert (await scenario.of(created)).details.held_units == 100_000_000
    await scenario.run()
    done = await shown(scenario.org, created)
    assert done["status"] == "COMPLETED"
    assert done["receipt"]["transactionHash"].startswith("0x")
    assert done["receipt"]["paymentTracking"]["paymentRail"] == "wire"
    assert done["receipt"]["paymentTracking"]["imad"]
    assert await held(scenario.org, scenario.ada) == "900"
    changes = await scenario.changes(created)
    assert [status for _, status in changes] == PATH
    assert [change_type for change_type, _ in changes[:3]] == ["open", "open", "accept"]
    assert [change_type for change_type, _ in changes[3:5]] == [
        "crypto_pending",
        "crypto_processed",
    ]
    await check_books(scenario.org)


async def test_the_journals_of_a_payout(scenario: OfframpScenario) -> None:
    await scenario.accepted(100)
    await scenario.run()
    assert await scenario.container(HouseRole.LIQUIDITY) == {
        "usdc:POLYGON": 100_000_000,
        "usd:BANK": -10_000,
    }
    assert await scenario.container(HouseRole.OUTSIDE) == {
        "usdc:POLYGON": -1_000_000_000,
        "usd:BANK": 10_000,
    }
    assert await scenario.container(HouseRole.IN_TRANSIT) == {}
    (order,) = scenario.chains.orders
    assert [(leg.address, str(leg.money)) for leg in order.legs] == [
        (await scenario.treasury(), "100")
    ]
    (payment,) = scenario.rails.orders
    assert (str(payment.money), payment.rail, payment.is_same_day) == ("100", "wire", False)
    assert payment.payee["type"] == "us"
    assert payment.payee["us"]["accountNumber"] == "000123456789"
    assert payment.payee["accountHolder"]["name"] == "Ada Example"


async def test_the_members_of_a_quote(scenario: OfframpScenario) -> None:
    created = await scenario.quoted("100.5")
    assert list(created) == [
        *("id", "requestId", "createdAt", "updatedAt", "status", "failedReason", "source"),
        *("destination", "receipt", "developerFee", "quoteInformation", "depositInformation"),
        "amount_in_usd",
    ]
    wallets = (await scenario.org.get(f"/v2/users/{scenario.ada}"))["wallets"]["INDIVIDUAL"]
    card = {
        "email": "ada@example.com",
        "lastName": "Approval",
        "firstName": "Ada",
        "businessName": None,
    }
    assert created["source"] == {
        "userId": scenario.ada,
        "chain": "POLYGON",
        "currency": "usdc",
        "amount": 100.5,
        "walletAddress": wallets["POLYGON"]["address"],
        "externalWalletId": None,
        "user": card,
    }
    assert created["destination"] == {
        "userId": scenario.ada,
        "amount": 100.5,
        "currency": "usd",
        "user": card,
        "accountId": scenario.account,
        "sameDayAch": False,
    }
    sent, got = ({"amount": "100.5", "currency": each} for each in ("usdc", "usd"))
    expires_at = created["quoteInformation"].pop("expiresAt")
    assert created["quoteInformation"] == {
        "sendGross": sent,
        "sendNet": sent,
        "receiveGross": got,
        "receiveNet": got,
        "rate": "1",
    }
    assert expires_at == created["createdAt"].replace("T12:0", "T12:1")
    assert created["depositInformation"] == []
    assert created["developerFee"] is None


async def test_numbers_on_the_wire(scenario: OfframpScenario) -> None:
    created = await scenario.quoted("100.5")
    raw = (await scenario.org.send("GET", f"{OFFRAMPS}/{created['id']}")).text
    assert '"amount_in_usd":100.50' in raw
    assert '"amount":100.5,"walletAddress"' in raw


@pytest.mark.parametrize(
    ("amount", "worth"), [("1", "1.00"), ("1.999999", "1.99"), (250, "250.00"), (10.25, "10.25")]
)
async def test_every_offramp_has_its_amount_in_usd(
    scenario: OfframpScenario, amount: Any, worth: str
) -> None:
    created = await scenario.quoted(amount)
    raw = (await scenario.org.send("GET", f"{OFFRAMPS}/{created['id']}")).text
    assert f'"amount_in_usd":{worth}' in raw
    listed = (await scenario.org.get(OFFRAMPS))["records"][0]["transferDetails"]
    assert listed["amount_in_usd"] == float(worth)


async def test_exact_out_amount_can_be_requested(scenario: OfframpScenario) -> None:
    created = await scenario.quoted(None, destination={"amount": "250.75"})
    assert created["destination"]["amount"] == 250.75
    assert created["source"]["amount"] == 250.75
    await accept(scenario.org, created)
    await scenario.run()
    assert str(scenario.rails.orders[0].money) == "250.75"
    assert await held(scenario.org, scenario.ada) == "749.25"


async def _pay_to(org: Tenant, case: Case, currency: str) -> dict[str, Any]:
    user = await make_payee(org)
    rail = case.table.kyc_rail(currency)
    if rail is not Rail.USD:
        user = await make_payee(org, rail)
    account = await make_account(org, user, case, currency=currency)
    purpose = "other" if case.table.name == "africa" else None
    created = await make_offramp(
        *(org, user, account, 100), destination={"currency": currency}, purposeOfPayment=purpose
    )
    await accept(org, created)
    await run_due(org)
    return await shown(org, created)


def _dimensions(case: Sequence[Any]) -> tuple[str | None, ...]:
    way = WAYS[case[0]]
    return way.table.name, *(way.words.get(each) for each in ("transferType", "type"))


@pytest.mark.parametrize("name", each_value_once(([each] for each in WAYS), values=_dimensions))
async def test_every_bank_account_is_paid(org: Tenant, name: str) -> None:
    case = WAYS[name]
    kinds = case.table.currencies
    currency = case.words.get("currency", kinds[0])
    done = await _pay_to(org, case, currency)
    assert done["status"] == "COMPLETED"
    assert done["destination"]["currency"] == currency
    quote = done["quoteInformation"]
    assert Decimal(quote["receiveNet"]["amount"]) > 0
    assert quote["receiveNet"]["currency"] == currency
    assert done["receipt"]["paymentTracking"]["paymentRail"]
    assert done["amount_in_usd"] == 100
    await check_books(org)


@pytest.mark.parametrize(
    ("table", "currency", "corridor"),
    [
        ("hongKongGlobalNetwork", "usd", "usd-hka"),
        ("chinaGlobalNetwork", "usd", "usd-chn"),
        ("singaporeGlobalNetwork", "usd", "usd-sgp"),
        ("singaporeGlobalNetwork", "sgd", "sgd"),
        ("chinaGlobalNetwork", "cny", "cny"),
    ],
)
async def test_corridor_has_a_separate_price(
    org: Tenant, table: str, currency: str, corridor: str
) -> None:
    case = next(each for each in WAYS.values() if each.table.name == table)
    user = await make_payee(org, Rail.GLOBAL_NETWORK)
    account = await make_account(org, user, case, currency=currency)
    created = await make_offramp(org, user, account, destination={"currency": currency})
    price = await org.container.prices.price(
        org.org_id, source_currency="usdc", destination_currency=corridor
    )
    assert price is not None
    assert created["quoteInformation"]["rate"] == str(price.rate)
    if currency == "usd":
        assert price.rate.value != 1


@pytest.mark.parametrize(("chain", "currency"), each_value_once([(str(a), b) for a, b in TOKENS]))
async def test_every_coin_on_every_chain_is_paid_out(
    org: Tenant, chain: str, currency: str
) -> None:
    chains = ["POLYGON", "ETHEREUM", "SOLANA", "BASE"]
    user = await make_payee(org, funds=None, chains=chains)
    await fund(org, user, "50", currency=currency, chain=chain)
    account = await make_account(org, user)
    created = await make_offramp(
        *(org, user, account, 20), source={"chain": chain, "currency": currency}
    )
    await accept(org, created)
    await run_due(org)
    done = await shown(org, created)
    assert done["status"] == "COMPLETED"
    assert await held(org, user, currency, chain) == "30"


async def test_another_users_account_can_be_paid(org: Tenant) -> None:
    ada = await make_payee(org)
    bob = await make_payee(org, funds=None, firstName="Bob")
    account = await make_account(org, bob)
    created = await make_offramp(org, ada, account, destination={"userId": bob})
    assert created["destination"]["userId"] == bob
    assert created["destination"]["user"]["firstName"] == "Bob"
    await accept(org, created)
    await run_due(org)
    assert (await shown(org, created))["status"] == "COMPLETED"
    assert await held(org, ada) == "900"


async def test_price_fee_of_the_organisation_is_part_of_the_conversion(
    scenario: OfframpScenario,
) -> None:
    await scenario.set_price("0.99", "0.01")
    created = await scenario.accepted(100)
    quote = created["quoteInformation"]
    assert (quote["sendGross"]["amount"], quote["sendNet"]["amount"]) == ("100", "100")
    assert (quote["receiveGross"]["amount"], quote["receiveNet"]["amount"]) == ("99", "98.01")
    scenario.rails.fail_next = "closed"
    await scenario.run()
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    assert await held(scenario.org, scenario.ada) == "1000"
    assert await scenario.container(HouseRole.FEES) == {}
    await scenario.accepted(100)
    await scenario.run()
    assert await scenario.container(HouseRole.FEES) == {"usdc:POLYGON": 1_000_000}
    await check_books(scenario.org)


async def test_unknown_offramp_is_not_found(org: Tenant) -> None:
    for path in (UUID(int=1), "nothing"):
        assert await org.refused("GET", f"{OFFRAMPS}/{path}") == "404 TRANSACTION_NOT_FOUND"
        for verb in ("quote/accept", "cancel"):
            refused = await org.refused("POST", f"{OFFRAMPS}/{path}/{verb}")
            assert refused == "404 TRANSACTION_NOT_FOUND"
