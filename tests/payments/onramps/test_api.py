"""Onramps over HTTP: requests, replies and refusals."""

from decimal import Decimal
from typing import Any, cast

import pytest

from landbridge.customers.kyc.model import Rail
from landbridge.payments.onramps.request import KYC_RAILS
from landbridge.platform.core.money import Rate
from landbridge.providers.rates.port import Price
from tests.matrices import part_of
from tests.onramps import (
    ONRAMPS,
    deposit,
    make_african_account,
    make_onramp,
    make_payer,
    now,
    onramp_body,
    retrieve,
    settle,
)
from tests.tenants import Tenant, held, make_user, refusal, register, sentence

ADDRESS = "0x000000000000000000000000000000000000dEaD"
AFRICA = {
    "ngn": "NGA",
    "mwk": "MWI",
    "bwp": "BWA",
    "xaf": "CMR",
    "ghs": "GHA",
    "kes": "KEN",
    "rwf": "RWA",
    "tzs": "TZA",
    "ugx": "UGA",
    "xof": "SEN",
    "zmw": "ZMB",
}
MOBILE = {"ghs", "kes", "xof"}


def _forms(value: Any) -> Any:
    """Return a reply with each value replaced by its type."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {name: _forms(each) for name, each in members.items()}
    return type(value).__name__


async def test_open_quote_has_the_published_shape(org: Tenant) -> None:
    user = await make_payer(org)
    body = onramp_body(user, 100)
    created = await org.post(ONRAMPS, body)
    details = created["transferDetails"]
    assert created["transferType"] == "ONRAMP"
    party = {
        "email": "ada@example.com",
        "lastName": "Approval",
        "firstName": "Ada",
        "businessName": None,
    }
    wallet = details["destination"]["walletAddress"]
    usd, usdc = {"amount": "100", "currency": "usd"}, {"amount": "100", "currency": "usdc"}
    assert details == {
        "id": details["id"],
        "requestId": body["requestId"],
        "createdAt": details["createdAt"],
        "updatedAt": details["createdAt"],
        "status": "OPEN_QUOTE",
        "failedReason": None,
        "amount_in_usd": 100,
        "source": {
            "userId": user,
            "currency": "usd",
            "amount": 100,
            "accountId": None,
            "user": party,
            "bankInfo": None,
        },
        "destination": {
            "userId": user,
            "currency": "usdc",
            "chain": "POLYGON",
            "walletAddress": wallet,
            "externalWalletId": None,
            "amount": 100,
            "user": party,
        },
        "receipt": {"userOpHash": None},
        "developerFee": None,
        "quoteInformation": {
            "sendGross": usd,
            "sendNet": usd,
            "receiveGross": usdc,
            "receiveNet": usdc,
            "railFee": {"amount": "0", "currency": "usd"},
            "rate": "1",
            "expiresAt": details["quoteInformation"]["expiresAt"],
        },
        "depositInfo": None,
        "virtualAccountId": None,
    }
    assert await retrieve(org, details) == details


async def test_accept_returns_the_deposit_instructions_twice(org: Tenant) -> None:
    onramp = await make_onramp(org, await make_payer(org), is_accepted=False)
    answered = await org.post(f"{ONRAMPS}/{onramp['id']}/quote/accept")
    assert list(answered) == ["transferType", "transferDetails", "depositInfo"]
    info = answered["depositInfo"]
    assert answered["transferDetails"]["depositInfo"] == info
    assert answered["transferDetails"]["status"] == "AWAITING_FUNDS"
    numbers = {"routingNumber": "str", "accountNumber": "str"}
    assert _forms(info) == {
        "bankName": "str",
        "bankAddress": "str",
        "swiftCode": "str",
        "beneficiary": {"name": "str", "address": "str"},
        "ach": numbers,
        "wire": numbers,
        "rtp": numbers,
        "reference": "str",
        "depositBy": "str",
        "instruction": "str",
    }
    assert info["depositBy"] == onramp["quoteInformation"]["expiresAt"]
    assert info["reference"] in info["instruction"]
    assert answered["transferDetails"] == await retrieve(org, onramp)
    assert await org.post(f"{ONRAMPS}/{onramp['id']}/quote/accept") == answered


async def test_onramps_of_a_currency_share_an_account_with_separate_references(
    org: Tenant, other_org: Tenant
) -> None:
    ada, bob = await make_payer(org), await make_payer(org)
    infos = [(await make_onramp(org, user))["depositInfo"] for user in (ada, ada, bob)]
    assert len({info["wire"]["accountNumber"] for info in infos}) == 1
    assert len({info["reference"] for info in infos}) == 3
    outsider = await make_onramp(other_org, await make_payer(other_org))
    assert outsider["depositInfo"]["wire"]["accountNumber"] != infos[0]["wire"]["accountNumber"]


async def test_deposit_shows_its_sender(org: Tenant) -> None:
    user = await make_payer(org)
    onramp = await make_onramp(org, user)
    incoming_payment = await deposit(org, onramp, rail="ach")
    await settle(org)
    found = await retrieve(org, onramp)
    assert found["source"]["bankInfo"] == {
        "bankName": "First Example Bank",
        "senderName": "Ada Approval",
        "routingNumber": "021000021",
        "accountNumber": "000123456789",
        "accountType": None,
        "referenceNumber": incoming_payment.reference,
        "imad": None,
        "omad": None,
        "bankAddress": None,
        "description": "savings",
        "paymentRail": "ach",
    }
    assert found["status"] == "COMPLETED"
    assert found["receipt"]["transactionHash"].startswith("0x")
    assert found["receipt"]["userOpHash"].startswith("0x")
    assert await held(org, user) == "100"
    page = await org.get(ONRAMPS, userId=user)
    assert page["records"] == [{"transferType": "ONRAMP", "transferDetails": found}]


@pytest.mark.parametrize("currency", part_of(sorted(set(KYC_RAILS) - {"cop", "ars"}), 0, 3))
async def test_every_currency_is_converted_to_coins(org: Tenant, currency: str) -> None:
    user = await make_payer(org, KYC_RAILS[currency])
    source: dict[str, Any] = {"currency": currency, "transferType": None}
    more: dict[str, Any] = {}
    if currency in AFRICA:
        kind = "momo" if currency in MOBILE else "bank"
        source["accountId"] = await make_african_account(
            org, user, currency, AFRICA[currency], kind=kind
        )
        more["purposeOfPayment"] = "school-fees"
    onramp = await make_onramp(org, user, None, source=source, destination={"amount": 10}, **more)
    quote = onramp["quoteInformation"]
    assert quote["receiveNet"] == {"amount": "10", "currency": "usdc"}
    assert onramp["source"]["accountId"] == source.get("accountId")
    await deposit(org, onramp)
    await settle(org)
    assert (await retrieve(org, onramp))["status"] == "COMPLETED"
    assert await held(org, user) == "10"


@pytest.mark.parametrize("currency", ["cop", "ars", "zar", "hkd", "usdc", "x" * 500])
async def test_unsupported_currency_has_no_route(org: Tenant, currency: str) -> None:
    user = await make_payer(org, Rail.SOUTH_AMERICA_STANDARD)
    body = onramp_body(user, source={"currency": currency})
    assert await org.refused("POST", ONRAMPS, body) == "400 INVALID_TRANSACTION_ROUTE"


@pytest.mark.parametrize("chain", ["POLYGON", "ETHEREUM", "SOLANA", "BASE"])
async def test_every_coin_is_delivered_on_its_chains(org: Tenant, chain: str) -> None:
    user = await make_payer(org)
    await org.post(f"/v2/users/{user}/wallets/add", {"chains": ["SOLANA", "BASE"]})
    for coin in ("usdc", "usdt", "usdHifi", "usdg"):
        destination = {"currency": coin, "chain": chain}
        answer = await org.send("POST", ONRAMPS, onramp_body(user, destination=destination))
        if coin == "usdg" or (coin, chain) == ("usdt", "BASE"):
            assert refusal(answer) == "400 INVALID_TRANSACTION_ROUTE"
        else:
            created = answer.json()["transferDetails"]["destination"]
            assert (created["currency"], created["chain"]) == (coin, chain)


async def test_destination_defaults_to_usdc_on_polygon(org: Tenant) -> None:
    user = await make_payer(org)
    onramp = await make_onramp(org, user, destination={"currency": None, "chain": None})
    created = onramp["destination"]
    assert (created["currency"], created["chain"], created["userId"]) == ("usdc", "POLYGON", user)


async def test_coins_go_to_another_user_or_outside(org: Tenant) -> None:
    ada, bob = await make_payer(org), await make_user(org)
    to_bob = await make_onramp(org, ada, destination={"userId": bob})
    wallet = await register(org, ada, ADDRESS, chain="ETHEREUM")
    outside = await make_onramp(
        org, ada, 40, destination={"externalWalletId": wallet, "chain": None}
    )
    assert outside["destination"]["chain"] == "ETHEREUM"
    assert outside["destination"]["walletAddress"] == ADDRESS
    assert outside["destination"]["externalWalletId"] == wallet
    for each in (to_bob, outside):
        await deposit(org, each)
    await settle(org)
    assert (await retrieve(org, to_bob))["status"] == "COMPLETED"
    assert (await retrieve(org, outside))["status"] == "COMPLETED"
    assert (await held(org, ada), await held(org, bob)) == ("0", "100")


@pytest.mark.parametrize(
    ("fee", "net", "received"),
    [
        ({"type": "FIX", "value": 2.5}, "97.5", "97.5"),
        ({"type": "FIX", "value": 0}, "100", "100"),
        ({"type": "PERCENT", "value": 0.01}, "99", "99"),
        ({"type": "PERCENT", "value": "0.012345"}, "98.76", "98.76"),
        (None, "100", "100"),
    ],
)
async def test_fee_is_deducted_from_the_source_amount(
    org: Tenant, fee: dict[str, Any] | None, net: str, received: str
) -> None:
    user = await make_payer(org)
    onramp = await make_onramp(org, user, fee=fee)
    quote = onramp["quoteInformation"]
    assert quote["sendGross"]["amount"] == "100"
    assert quote["sendNet"]["amount"] == net
    assert quote["receiveNet"]["amount"] == received
    await deposit(org, onramp)
    await settle(org)
    assert await held(org, user) == received


async def test_exact_out_charges_the_least_that_yields_it_with_its_fee(org: Tenant) -> None:
    user = await make_payer(org)
    fees = [({"type": "FIX", "value": 1}, "26"), ({"type": "PERCENT", "value": 0.01}, "25.26")]
    for fee, gross in fees:
        onramp = await make_onramp(org, user, None, destination={"amount": 25}, fee=fee)
        assert onramp["quoteInformation"]["sendGross"]["amount"] == gross
        assert onramp["destination"]["amount"] == 25


async def test_operators_price_and_fee_apply_too(org: Tenant) -> None:
    user = await make_payer(org, Rail.SOUTH_AMERICA_STANDARD)
    await org.container.prices.set_price(
        org.org_id,
        source_currency="brl",
        destination_currency="usdc",
        price=Price(Rate(Decimal("0.2")), Decimal("0.01"), None),
        at=await now(org),
    )
    source = {"currency": "brl", "transferType": None}
    onramp = await make_onramp(org, user, source=source, fee={"type": "PERCENT", "value": 0.01})
    quote = onramp["quoteInformation"]
    assert (quote["sendNet"]["amount"], quote["receiveNet"]["amount"]) == ("98", "19.6")
    assert quote["rate"] == "0.2"


async def test_repeated_request_returns_the_same_onramp(org: Tenant) -> None:
    user = await make_payer(org)
    body = onramp_body(user, 100)
    first = await org.post(ONRAMPS, body)
    assert await org.post(ONRAMPS, body) == first
    body["source"]["amount"] = 101
    answer = await org.send("POST", ONRAMPS, body)
    assert refusal(answer) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"
    assert "source.amount" in sentence(answer)
    assert (await org.get(ONRAMPS))["count"] == 1


async def test_refused_request_does_not_use_its_id(org: Tenant) -> None:
    user = await make_payer(org)
    body = onramp_body(user, destination={"chain": "SOLANA"})
    assert await org.refused("POST", ONRAMPS, body) == "404 WALLET_NOT_FOUND"
    await org.post(f"/v2/users/{user}/wallets/add", {"chains": ["SOLANA"]})
    assert (await org.post(ONRAMPS, body))["transferDetails"]["requestId"] == body["requestId"]


async def test_lists_page_by_cursor_newest_first(org: Tenant) -> None:
    user = await make_payer(org)
    created = [
        (await make_onramp(org, user, is_accepted=index % 2 == 0))["id"] for index in range(5)
    ]
    ids: list[str] = []
    query: dict[str, str | int] = {"limit": 2, "userId": user}
    while (page := await org.get(ONRAMPS, **query))["records"]:
        assert list(page) == ["count", "records", "nextCursor"]
        ids += [each["transferDetails"]["id"] for each in page["records"]]
        query["cursor"] = page["nextCursor"]
    assert ids == created[::-1]
    assert page == {"count": 0, "records": []}
    assert await org.refused("GET", ONRAMPS, userId="7") == "400 FIELD_VALIDATION_ERROR"
