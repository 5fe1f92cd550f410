"""Valid requests: parties, amounts, minimums, accounts. Refusals name the field."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from msgspec import convert

from landbridge.customers.kyc.model import Rail
from landbridge.customers.verification.model import case_id
from landbridge.payments.offramps.api import NewOfframp, parse_request
from landbridge.payments.quotes.errors import RouteInvalid
from landbridge.platform.http.request_decoding import request_values
from landbridge.providers.chains.none import NoChains
from tests.customers.bank_accounts.bodies import whole
from tests.payouts import (
    OFFRAMPS,
    OUTSIDE,
    WAYS,
    make_account,
    make_offramp,
    make_payee,
    offramp_body,
    way,
)
from tests.tenants import Tenant, fund, make_user, refusal, register, sentence

FIELD = "400 FIELD_VALIDATION_ERROR"
ROUTE = "400 INVALID_TRANSACTION_ROUTE"
UNFIT = "400 INVALID_ACCOUNT_FOR_TRANSACTION"


async def _refused(org: Tenant, body: Mapping[str, Any]) -> tuple[str, str]:
    answer = await org.send("POST", OFFRAMPS, dict(body))
    return refusal(answer), sentence(answer)


@pytest.fixture
async def ada(org: Tenant) -> tuple[str, str]:
    """Ada and her bank account."""
    user = await make_payee(org)
    return user, await make_account(org, user)


BAD_ENDS: list[tuple[dict[str, Any], str, str]] = [
    ({"source": {"userId": None}}, FIELD, "source.userId"),
    ({"source": {"externalWalletId": str(uuid4())}}, FIELD, "source.userId"),
    ({"source": {"returnAddress": OUTSIDE}}, FIELD, "source.returnAddress"),
    ({"source": {"amount": None}}, FIELD, "source.amount"),
    ({"destination": {"amount": 10}}, FIELD, "source.amount"),
    ({"source": {"amount": 0}}, FIELD, "source.amount"),
    ({"source": {"amount": -1}}, FIELD, "source.amount"),
    ({"source": {"amount": "1.0000001"}}, FIELD, "source.amount"),
    ({"source": {"amount": "ten"}}, FIELD, "source.amount"),
    ({"source": {"amount": "NaN"}}, FIELD, "source.amount"),
    ({"source": {"amount": "1e400"}}, FIELD, "source.amount"),
    ({"source": {"amount": "1e-400"}}, FIELD, "source.amount"),
    ({"source": {"amount": "9" * 31}}, FIELD, "source.amount"),
    ({"source": {"amount": None}, "destination": {"amount": "1.001"}}, FIELD, "destination.amount"),
    ({"source": {"amount": None}, "destination": {"amount": 0}}, FIELD, "destination.amount"),
    (
        {"source": {"amount": None}, "destination": {"amount": "9" * 30}},
        FIELD,
        "destination.amount",
    ),
    ({"source": {"currency": "usdg"}}, ROUTE, "source.currency"),
    ({"source": {"currency": "eur"}}, ROUTE, "source.currency"),
    ({"source": {"chain": "BASE"}}, "404 WALLET_NOT_FOUND", "source.chain"),
    ({"source": {"chain": "OPTIMISM"}}, FIELD, "source.chain"),
    ({"source": {"userId": "ada"}}, FIELD, "source.userId"),
    ({"destination": {"currency": "gbp"}}, ROUTE, "destination.currency"),
    ({"destination": {"currency": "brl"}}, UNFIT, "destination.accountId"),
    ({"destination": {"accountId": "x"}}, FIELD, "destination.accountId"),
    ({"requestId": "x"}, FIELD, "requestId"),
    ({"requireApproval": "yes"}, FIELD, "requireApproval"),
]


async def test_invalid_request_is_refused(
    org: Tenant, ada: tuple[str, str], subtests: pytest.Subtests
) -> None:
    for changes, name, field in BAD_ENDS:
        with subtests.test(changes=changes):
            ends = {key: each for key, each in changes.items() if key != "requestId"}
            body = offramp_body(*ada, **ends)
            body |= {key: each for key, each in changes.items() if key == "requestId"}
            refused, message = await _refused(org, body)
            assert refused == name
            assert field in message


async def test_unknown_party_is_not_found(org: Tenant, ada: tuple[str, str]) -> None:
    user, account = ada
    unknown_id = str(uuid4())
    for body, name in (
        (offramp_body(unknown_id, account), "404 USER_NOT_FOUND"),
        (offramp_body(user, unknown_id), "404 ACCOUNT_NOT_FOUND"),
        (offramp_body(user, account, destination={"userId": unknown_id}), "404 USER_NOT_FOUND"),
        (
            offramp_body(None, account, source={"externalWalletId": unknown_id}),
            "404 WALLET_NOT_FOUND",
        ),
    ):
        assert (await _refused(org, body))[0] == name


async def test_account_of_another_user_is_not_found(org: Tenant, ada: tuple[str, str]) -> None:
    bob = await make_payee(org, funds="100")
    assert (await _refused(org, offramp_body(bob, ada[1])))[0] == "404 ACCOUNT_NOT_FOUND"


async def test_onramp_account_is_refused(org: Tenant, ada: tuple[str, str]) -> None:
    user, _ = ada
    body = {**whole(way("us", "wire")), "rail": "onramp"}
    account = (await org.post(f"/v2/users/{user}/accounts", body))["id"]
    refused, message = await _refused(org, offramp_body(user, account))
    assert refused == UNFIT
    assert message.startswith("destination.accountId")


async def test_a_deleted_account_is_inactive(org: Tenant, ada: tuple[str, str]) -> None:
    user, account = ada
    await org.send("DELETE", f"/v2/users/{user}/accounts/{account}")
    assert (await _refused(org, offramp_body(user, account)))[0] == "409 INACTIVE_ACCOUNT"


async def test_account_without_payout_data_is_refused(org: Tenant) -> None:
    user = await make_payee(org, Rail.GLOBAL_NETWORK)
    body = whole(way("nigeriaGlobalNetwork"))
    del body["nigeriaGlobalNetwork"]["accountNumber"]
    account = (await org.post(f"/v2/users/{user}/accounts", body))["id"]
    request = offramp_body(user, account, destination={"currency": "ngn"})
    assert (await _refused(org, request))[0] == "400 INVALID_ACCOUNT_DATA"


async def test_account_owner_must_be_verified_for_its_rail(
    org: Tenant, ada: tuple[str, str]
) -> None:
    user, account = ada
    await org.post(f"/v2/reviews/kyc/{case_id(UUID(user), Rail.USD)}", {"decision": "revoke"})
    body = offramp_body(user, account)
    assert (await _refused(org, body))[0] == "403 USER_COMPLIANCE_VERIFICATION_FAILED"


@pytest.mark.parametrize("side", ["source", "destination"])
async def test_a_frozen_user_neither_pays_nor_is_paid(org: Tenant, side: str) -> None:
    ada, bob = await make_payee(org), await make_payee(org, funds=None)
    account = await make_account(org, bob)
    await org.post(f"/v2/users/{ada if side == 'source' else bob}/freeze", {"reason": "a"})
    body = offramp_body(ada, account, destination={"userId": bob})
    assert (await _refused(org, body))[0] == "403 USER_FROZEN"


async def test_frozen_organisation_pays_nothing(org: Tenant, ada: tuple[str, str]) -> None:
    created = await make_offramp(org, *ada)
    await org.container.orgs.freeze(org.org_id)
    assert (await _refused(org, offramp_body(*ada)))[0] == "403 PROFILE_FROZEN"
    path = f"{OFFRAMPS}/{created['id']}/quote/accept"
    assert await org.refused("POST", path) == "403 PROFILE_FROZEN"
    assert (await org.get(f"{OFFRAMPS}/{created['id']}"))["transferDetails"] == created


async def test_amount_above_the_balance_is_refused(org: Tenant, ada: tuple[str, str]) -> None:
    refused, message = await _refused(org, offramp_body(*ada, 1001))
    assert refused == "400 INSUFFICIENT_BALANCE"
    assert "1001 usdc" in message
    assert (await org.get(OFFRAMPS))["count"] == 0


# Rail of the account, coin, the least that is paid out.
MINIMUMS = [
    ("ach", "usdc", 1),
    ("wire", "usdc", 1),
    ("rtp", "usdc", 1),
    ("swift", "usdc", 5),
    ("swift", "usdHifi", 5),
    ("ach", "usdt", 10),
    ("wire", "usdt", 10),
    ("swift", "usdt", 10),
]


@pytest.mark.parametrize(("rail", "currency", "least"), MINIMUMS)
async def test_amount_below_the_minimum_is_refused(
    org: Tenant, rail: str, currency: str, least: int
) -> None:
    user = await make_payee(org, funds=None)
    await fund(org, user, "100", currency=currency)
    account = await make_account(org, user, way("us", rail))
    source = {"currency": currency}
    just_less = f"{least - 1}.999999"
    refused, message = await _refused(org, offramp_body(user, account, just_less, source=source))
    assert refused == FIELD
    assert message.startswith("source.amount is too small")
    assert f"the minimum is {least} USD" in message
    by_receipt = offramp_body(
        user, account, None, source=source, destination={"amount": f"{least - 1}.99"}
    )
    refused, message = await _refused(org, by_receipt)
    assert (refused, message[:18]) == (FIELD, "destination.amount")
    assert (await make_offramp(org, user, account, least, source=source))["amount_in_usd"] == least


async def test_the_minimum_is_without_the_fees_on_top(org: Tenant, ada: tuple[str, str]) -> None:
    fees = {"fees": [{"type": "FLAT", "value": "5", "walletAddress": OUTSIDE}]}
    refused, _ = await _refused(org, offramp_body(*ada, "0.5", developerFee=fees))
    assert refused == FIELD


async def test_a_wallet_outside_of_another_chain_is_no_source(
    org: Tenant, ada: tuple[str, str]
) -> None:
    wallet = await register(org, ada[0], OUTSIDE, chain="ETHEREUM")
    body = offramp_body(None, ada[1], source={"externalWalletId": wallet})
    refused, message = await _refused(org, body)
    assert refused == "404 WALLET_NOT_FOUND"
    assert "source.externalWalletId" in message


async def test_offramp_needs_a_chain_and_a_bank(org: Tenant, ada: tuple[str, str]) -> None:
    """As in production, where none is connected yet."""
    offramps = org.container.offramps
    parties = replace(offramps.drafting.parties, chains=NoChains())
    alone = replace(offramps, drafting=replace(offramps.drafting, parties=parties))
    body = convert(offramp_body(*ada), NewOfframp, strict=False)
    with pytest.raises(RouteInvalid):
        await alone.create(org.caller, body.request_id, parse_request(body), request_values(body))


async def test_replays(org: Tenant, ada: tuple[str, str]) -> None:
    body = offramp_body(*ada, destination={"wireMessage": "Invoice 1"}, description="A boat")
    created = await org.post(OFFRAMPS, body)
    assert await org.post(OFFRAMPS, body) == created
    for amount in ("100", "100.0", 100.0):
        same = {**body, "source": {**body["source"], "amount": amount}}
        assert await org.post(OFFRAMPS, same) == created
    for changes, field in (
        ({"description": "A ship"}, "description"),
        ({"destination": {**body["destination"], "wireMessage": "Invoice 2"}}, "wireMessage"),
        ({"source": {**body["source"], "amount": 101}}, "source.amount"),
        ({"requireApproval": True}, "requireApproval"),
    ):
        refused, message = await _refused(org, {**body, **changes})
        assert refused == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"
        assert field in message
    assert (await org.get(OFFRAMPS))["count"] == 1


async def test_replay_is_answered_whatever_happened_to_account_and_balance(
    org: Tenant, ada: tuple[str, str]
) -> None:
    user, account = ada
    body = offramp_body(user, account, 900, description="A boat")
    created = await org.post(OFFRAMPS, body)
    await org.send("DELETE", f"/v2/users/{user}/accounts/{account}")
    assert await org.post(OFFRAMPS, body) == created


async def test_refused_request_does_not_use_its_id(org: Tenant, ada: tuple[str, str]) -> None:
    user, account = ada
    body = offramp_body(user, account, 2000)
    assert await org.refused("POST", OFFRAMPS, body) == "400 INSUFFICIENT_BALANCE"
    await fund(org, user, "1000")
    assert (await org.post(OFFRAMPS, body))["transferDetails"]["status"] == "OPEN_QUOTE"


async def test_lists(org: Tenant, ada: tuple[str, str]) -> None:
    assert await org.get(OFFRAMPS) == {"count": 0, "records": []}
    created = [(await make_offramp(org, *ada, 10))["id"] for _ in range(3)]
    first = await org.get(OFFRAMPS, limit=2)
    assert list(first) == ["count", "records", "nextCursor"]
    assert [each["transferDetails"]["id"] for each in first["records"]] == created[:0:-1]
    rest = await org.get(OFFRAMPS, createdBefore=first["nextCursor"])
    assert [each["transferDetails"]["id"] for each in rest["records"]] == created[:1]
    other = await make_user(org)
    assert (await org.get(OFFRAMPS, userId=other))["count"] == 0
    assert (await org.get(OFFRAMPS, userId=ada[0]))["count"] == 3
    assert await org.refused("GET", OFFRAMPS, userId="x") == FIELD


def test_every_published_currency_has_a_route() -> None:
    published = (
        "usd eur brl hkd mxn cop ars ngn ugx kes zmw mwk rwf tzs xaf xof bwp ghs zar cny sgd"
    )
    found = {currency for case in WAYS.values() for currency in case.table.currencies}
    # The contract lists cdf, but no account type in cdf.
    assert set(published.split()) <= found
