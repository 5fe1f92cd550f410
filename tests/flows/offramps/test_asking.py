"""What can be asked for: ends, amounts, minimums, accounts. Refusals name the field."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from msgspec import convert

from landbridge.flows.offramps.api import NewOfframp, wanted_of
from landbridge.kyc.model import Rail
from landbridge.quotes.errors import RouteInvalid
from landbridge.verification.model import case_id
from landbridge.web.body import as_asked
from tests.accounts.bodies import whole
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


@pytest.mark.parametrize(("changes", "name", "field"), BAD_ENDS)
async def test_what_is_asked_wrongly_is_refused(
    org: Tenant, ada: tuple[str, str], changes: dict[str, Any], name: str, field: str
) -> None:
    body = offramp_body(*ada, **{key: each for key, each in changes.items() if key != "requestId"})
    body |= {key: each for key, each in changes.items() if key == "requestId"}
    refused, said = await _refused(org, body)
    assert refused == name
    assert field in said


async def test_unknown_ends_are_not_found(org: Tenant, ada: tuple[str, str]) -> None:
    user, account = ada
    nobody = str(uuid4())
    for body, name in (
        (offramp_body(nobody, account), "404 USER_NOT_FOUND"),
        (offramp_body(user, nobody), "404 ACCOUNT_NOT_FOUND"),
        (offramp_body(user, account, destination={"userId": nobody}), "404 USER_NOT_FOUND"),
        (
            offramp_body(None, account, source={"externalWalletId": nobody}),
            "404 WALLET_NOT_FOUND",
        ),
    ):
        assert (await _refused(org, body))[0] == name


async def test_an_account_of_somebody_else_is_not_found(org: Tenant, ada: tuple[str, str]) -> None:
    bob = await make_payee(org, funds="100")
    assert (await _refused(org, offramp_body(bob, ada[1])))[0] == "404 ACCOUNT_NOT_FOUND"


async def test_an_account_for_onramps_does_not_fit(org: Tenant, ada: tuple[str, str]) -> None:
    user, _ = ada
    body = {**whole(way("us", "wire")), "rail": "onramp"}
    account = (await org.post(f"/v2/users/{user}/accounts", body))["id"]
    refused, said = await _refused(org, offramp_body(user, account))
    assert refused == UNFIT
    assert said.startswith("destination.accountId")


async def test_a_deleted_account_is_inactive(org: Tenant, ada: tuple[str, str]) -> None:
    user, account = ada
    await org.send("DELETE", f"/v2/users/{user}/accounts/{account}")
    assert (await _refused(org, offramp_body(user, account)))[0] == "409 INACTIVE_ACCOUNT"


async def test_an_account_that_lacks_what_paying_takes_is_refused(org: Tenant) -> None:
    user = await make_payee(org, Rail.GLOBAL_NETWORK)
    body = whole(way("nigeriaGlobalNetwork"))
    del body["nigeriaGlobalNetwork"]["accountNumber"]
    account = (await org.post(f"/v2/users/{user}/accounts", body))["id"]
    asked = offramp_body(user, account, destination={"currency": "ngn"})
    assert (await _refused(org, asked))[0] == "400 INVALID_ACCOUNT_DATA"


async def test_the_owner_of_the_account_must_be_verified_on_its_rail(
    org: Tenant, ada: tuple[str, str]
) -> None:
    user, account = ada
    await org.post(f"/v2/reviews/kyc/{case_id(UUID(user), Rail.USD)}", {"decision": "revoke"})
    asked = offramp_body(user, account)
    assert (await _refused(org, asked))[0] == "403 USER_COMPLIANCE_VERIFICATION_FAILED"


@pytest.mark.parametrize("whose", ["source", "destination"])
async def test_a_frozen_user_neither_pays_nor_is_paid(org: Tenant, whose: str) -> None:
    ada, bob = await make_payee(org), await make_payee(org, funds=None)
    account = await make_account(org, bob)
    await org.post(f"/v2/users/{ada if whose == 'source' else bob}/freeze", {"reason": "a"})
    asked = offramp_body(ada, account, destination={"userId": bob})
    assert (await _refused(org, asked))[0] == "403 USER_FROZEN"


async def test_a_frozen_organisation_pays_nothing(org: Tenant, ada: tuple[str, str]) -> None:
    made = await make_offramp(org, *ada)
    await org.house.orgs.freeze(org.org_id)
    assert (await _refused(org, offramp_body(*ada)))[0] == "403 PROFILE_FROZEN"
    path = f"{OFFRAMPS}/{made['id']}/quote/accept"
    assert await org.refused("POST", path) == "403 PROFILE_FROZEN"
    assert (await org.get(f"{OFFRAMPS}/{made['id']}"))["transferDetails"] == made


async def test_more_than_the_wallet_has_is_refused(org: Tenant, ada: tuple[str, str]) -> None:
    refused, said = await _refused(org, offramp_body(*ada, 1001))
    assert refused == "400 INSUFFICIENT_BALANCE"
    assert "1001 usdc" in said
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
async def test_too_little_is_not_paid_out(
    org: Tenant, rail: str, currency: str, least: int
) -> None:
    user = await make_payee(org, funds=None)
    await fund(org, user, "100", currency=currency)
    account = await make_account(org, user, way("us", rail))
    source = {"currency": currency}
    just_less = f"{least - 1}.999999"
    refused, said = await _refused(org, offramp_body(user, account, just_less, source=source))
    assert refused == FIELD
    assert said.startswith("source.amount is too small")
    assert f"at least {least} USD" in said
    by_receipt = offramp_body(
        user, account, None, source=source, destination={"amount": f"{least - 1}.99"}
    )
    refused, said = await _refused(org, by_receipt)
    assert (refused, said[:18]) == (FIELD, "destination.amount")
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
    refused, said = await _refused(org, body)
    assert refused == "404 WALLET_NOT_FOUND"
    assert "source.externalWalletId" in said


async def test_without_a_chain_and_a_bank_nothing_is_paid_out(
    org: Tenant, ada: tuple[str, str]
) -> None:
    """As in production, where none is connected yet."""
    offramps = org.house.offramps
    ends = replace(offramps.drafting.ends, can_leave=False)
    alone = replace(offramps, drafting=replace(offramps.drafting, ends=ends))
    body = convert(offramp_body(*ada), NewOfframp, strict=False)
    with pytest.raises(RouteInvalid):
        await alone.create(org.caller, body.request_id, wanted_of(body), as_asked(body))


async def test_replays(org: Tenant, ada: tuple[str, str]) -> None:
    body = offramp_body(*ada, destination={"wireMessage": "Invoice 1"}, description="A boat")
    made = await org.post(OFFRAMPS, body)
    assert await org.post(OFFRAMPS, body) == made
    for amount in ("100", "100.0", 100.0):
        same = {**body, "source": {**body["source"], "amount": amount}}
        assert await org.post(OFFRAMPS, same) == made
    for changes, field in (
        ({"description": "A ship"}, "description"),
        ({"destination": {**body["destination"], "wireMessage": "Invoice 2"}}, "wireMessage"),
        ({"source": {**body["source"], "amount": 101}}, "source.amount"),
        ({"requireApproval": True}, "requireApproval"),
    ):
        refused, said = await _refused(org, {**body, **changes})
        assert refused == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"
        assert field in said
    assert (await org.get(OFFRAMPS))["count"] == 1


async def test_a_replay_is_answered_whatever_has_become_of_account_and_balance(
    org: Tenant, ada: tuple[str, str]
) -> None:
    user, account = ada
    body = offramp_body(user, account, 900, description="A boat")
    made = await org.post(OFFRAMPS, body)
    await org.send("DELETE", f"/v2/users/{user}/accounts/{account}")
    assert await org.post(OFFRAMPS, body) == made


async def test_a_refused_request_does_not_burn_its_id(org: Tenant, ada: tuple[str, str]) -> None:
    user, account = ada
    body = offramp_body(user, account, 2000)
    assert await org.refused("POST", OFFRAMPS, body) == "400 INSUFFICIENT_BALANCE"
    await fund(org, user, "1000")
    assert (await org.post(OFFRAMPS, body))["transferDetails"]["status"] == "OPEN_QUOTE"


async def test_lists(org: Tenant, ada: tuple[str, str]) -> None:
    assert await org.get(OFFRAMPS) == {"count": 0, "records": [], "nextCursor": None}
    made = [(await make_offramp(org, *ada, 10))["id"] for _ in range(3)]
    first = await org.get(OFFRAMPS, limit=2)
    assert list(first) == ["count", "records", "nextCursor"]
    assert [each["transferDetails"]["id"] for each in first["records"]] == made[:0:-1]
    rest = await org.get(OFFRAMPS, createdBefore=first["nextCursor"])
    assert [each["transferDetails"]["id"] for each in rest["records"]] == made[:1]
    other = await make_user(org)
    assert (await org.get(OFFRAMPS, userId=other))["count"] == 0
    assert (await org.get(OFFRAMPS, userId=ada[0]))["count"] == 3
    assert await org.refused("GET", OFFRAMPS, userId="x") == FIELD


def test_there_is_a_way_for_each_published_currency() -> None:
    published = (
        "usd eur brl hkd mxn cop ars ngn ugx kes zmw mwk rwf tzs xaf xof bwp ghs zar cny sgd"
    )
    found = {currency for case in WAYS.values() for currency in case.table.currencies}
    # The contract lists cdf, and no kind of account that is in cdf.
    assert set(published.split()) <= found
