"""From the quote to the bank: shapes, journals, every kind of bank account."""

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from landbridge.chains.tokens import TOKENS
from landbridge.kyc.model import Rail
from landbridge.ledger.model import Role
from tests.accounts.bodies import Case
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

from .playing import Play

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


async def test_a_payout_goes_through_its_states(play: Play) -> None:
    made = await play.quoted(100)
    assert (made["status"], made["failedReason"]) == ("OPEN_QUOTE", None)
    assert await held(play.org, play.ada) == "1000"
    accepted = await accept(play.org, made)
    assert accepted["status"] == "CRYPTO_INITIATED"
    assert accepted["receipt"] == {"transactionHash": None, "paymentTracking": None}
    assert (await play.of(made)).details.held_units == 100_000_000
    await play.run()
    done = await shown(play.org, made)
    assert done["status"] == "COMPLETED"
    assert done["receipt"]["transactionHash"].startswith("0x")
    assert done["receipt"]["paymentTracking"]["paymentRail"] == "wire"
    assert done["receipt"]["paymentTracking"]["imad"]
    assert await held(play.org, play.ada) == "900"
    told = await play.told(made)
    assert [status for _, status in told] == PATH
    assert [what for what, _ in told[:3]] == ["open", "open", "accept"]
    assert [what for what, _ in told[3:5]] == ["crypto_pending", "crypto_processed"]
    await check_books(play.org)


async def test_the_journals_of_a_payout(play: Play) -> None:
    await play.accepted(100)
    await play.run()
    assert await play.house(Role.LIQUIDITY) == {"usdc:POLYGON": 100_000_000, "usd:BANK": -10_000}
    assert await play.house(Role.OUTSIDE) == {"usdc:POLYGON": -1_000_000_000, "usd:BANK": 10_000}
    assert await play.house(Role.IN_TRANSIT) == {}
    (order,) = play.chains.asked
    assert [(leg.address, str(leg.money)) for leg in order.legs] == [(await play.treasury(), "100")]
    (payment,) = play.rails.asked
    assert (str(payment.money), payment.rail, payment.is_same_day) == ("100", "wire", False)
    assert payment.payee["type"] == "us"
    assert payment.payee["us"]["accountNumber"] == "000123456789"
    assert payment.payee["accountHolder"]["name"] == "Ada Example"


async def test_the_members_of_a_quote(play: Play) -> None:
    made = await play.quoted("100.5")
    assert list(made) == [
        *("id", "requestId", "createdAt", "updatedAt", "status", "failedReason", "source"),
        *("destination", "receipt", "developerFee", "quoteInformation", "depositInformation"),
        *("approval", "amount_in_usd"),
    ]
    wallets = (await play.org.get(f"/v2/users/{play.ada}"))["wallets"]["INDIVIDUAL"]
    card = {
        "email": "ada@example.com",
        "lastName": "Approval",
        "firstName": "Ada",
        "businessName": None,
    }
    assert made["source"] == {
        "userId": play.ada,
        "chain": "POLYGON",
        "currency": "usdc",
        "amount": 100.5,
        "walletAddress": wallets["POLYGON"]["address"],
        "externalWalletId": None,
        "user": card,
    }
    assert made["destination"] == {
        "userId": play.ada,
        "amount": 100.5,
        "currency": "usd",
        "user": card,
        "accountId": play.account,
        "sameDayAch": False,
    }
    sent, got = ({"amount": "100.5", "currency": each} for each in ("usdc", "usd"))
    expires_at = made["quoteInformation"].pop("expiresAt")
    assert made["quoteInformation"] == {
        "sendGross": sent,
        "sendNet": sent,
        "receiveGross": got,
        "receiveNet": got,
        "rate": "1",
    }
    assert expires_at == made["createdAt"].replace("T12:0", "T12:1")
    assert made["depositInformation"] == []
    assert (made["developerFee"], made["approval"]) == (None, None)


async def test_numbers_on_the_wire(play: Play) -> None:
    made = await play.quoted("100.5")
    raw = (await play.org.send("GET", f"{OFFRAMPS}/{made['id']}")).text
    assert '"amount_in_usd":100.50' in raw
    assert '"amount":100.5,"walletAddress"' in raw


@pytest.mark.parametrize(
    ("amount", "worth"), [("1", "1.00"), ("1.999999", "1.99"), (250, "250.00"), (10.25, "10.25")]
)
async def test_every_offramp_has_its_amount_in_usd(play: Play, amount: Any, worth: str) -> None:
    made = await play.quoted(amount)
    raw = (await play.org.send("GET", f"{OFFRAMPS}/{made['id']}")).text
    assert f'"amount_in_usd":{worth}' in raw
    listed = (await play.org.get(OFFRAMPS))["records"][0]["transferDetails"]
    assert listed["amount_in_usd"] == float(worth)


async def test_what_is_to_arrive_can_be_asked_for(play: Play) -> None:
    made = await play.quoted(None, destination={"amount": "250.75"})
    assert made["destination"]["amount"] == 250.75
    assert made["source"]["amount"] == 250.75
    await accept(play.org, made)
    await play.run()
    assert str(play.rails.asked[0].money) == "250.75"
    assert await held(play.org, play.ada) == "749.25"


async def _pay_to(org: Tenant, case: Case, currency: str) -> dict[str, Any]:
    user = await make_payee(org)
    rail = case.table.kyc_rail(currency)
    if rail is not Rail.USD:
        user = await make_payee(org, rail)
    account = await make_account(org, user, case, currency=currency)
    purpose = "other" if case.table.name == "africa" else None
    made = await make_offramp(
        *(org, user, account, 100), destination={"currency": currency}, purposeOfPayment=purpose
    )
    await accept(org, made)
    await run_due(org)
    return await shown(org, made)


@pytest.mark.parametrize("name", WAYS)
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
async def test_a_corridor_has_its_own_price(
    org: Tenant, table: str, currency: str, corridor: str
) -> None:
    case = next(each for each in WAYS.values() if each.table.name == table)
    user = await make_payee(org, Rail.GLOBAL_NETWORK)
    account = await make_account(org, user, case, currency=currency)
    made = await make_offramp(org, user, account, destination={"currency": currency})
    price = await org.house.prices.price(
        org.org_id, source_currency="usdc", destination_currency=corridor
    )
    assert price is not None
    assert made["quoteInformation"]["rate"] == str(price.rate)
    if currency == "usd":
        assert price.rate.value != 1


@pytest.mark.parametrize(("chain", "currency"), [(str(a), b) for a, b in TOKENS])
async def test_every_coin_on_every_chain_is_paid_out(
    org: Tenant, chain: str, currency: str
) -> None:
    chains = ["POLYGON", "ETHEREUM", "SOLANA", "BASE"]
    user = await make_payee(org, funds=None, chains=chains)
    await fund(org, user, "50", currency=currency, chain=chain)
    account = await make_account(org, user)
    made = await make_offramp(
        *(org, user, account, 20), source={"chain": chain, "currency": currency}
    )
    await accept(org, made)
    await run_due(org)
    done = await shown(org, made)
    assert done["status"] == "COMPLETED"
    assert await held(org, user, currency, chain) == "30"


async def test_another_users_account_can_be_paid(org: Tenant) -> None:
    ada = await make_payee(org)
    bob = await make_payee(org, funds=None, firstName="Bob")
    account = await make_account(org, bob)
    made = await make_offramp(org, ada, account, destination={"userId": bob})
    assert made["destination"]["userId"] == bob
    assert made["destination"]["user"]["firstName"] == "Bob"
    await accept(org, made)
    await run_due(org)
    assert (await shown(org, made))["status"] == "COMPLETED"
    assert await held(org, ada) == "900"


async def test_the_organisations_own_fee_of_a_price_is_part_of_what_is_converted(
    play: Play,
) -> None:
    await play.set_price("0.99", "0.01")
    made = await play.accepted(100)
    quote = made["quoteInformation"]
    assert (quote["sendGross"]["amount"], quote["sendNet"]["amount"]) == ("100", "100")
    assert (quote["receiveGross"]["amount"], quote["receiveNet"]["amount"]) == ("99", "98.01")
    play.rails.fail_next = "closed"
    await play.run()
    assert await play.status(made) == "CRYPTO_RETURNED"
    assert await held(play.org, play.ada) == "1000"
    assert await play.house(Role.FEES) == {}
    await play.accepted(100)
    await play.run()
    assert await play.house(Role.FEES) == {"usdc:POLYGON": 1_000_000}
    await check_books(play.org)


async def test_an_unknown_offramp_is_not_found(org: Tenant) -> None:
    for path in (UUID(int=1), "nothing"):
        assert await org.refused("GET", f"{OFFRAMPS}/{path}") == "404 TRANSACTION_NOT_FOUND"
        for verb in ("quote/accept", "cancel"):
            refused = await org.refused("POST", f"{OFFRAMPS}/{path}/{verb}")
            assert refused == "404 TRANSACTION_NOT_FOUND"
