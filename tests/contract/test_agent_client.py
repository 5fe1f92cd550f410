"""A public client's story: the calls that it makes, and the members that it reads of replies."""

from typing import Any
from uuid import uuid4

import jwt
from jwt.types import Options

from tests.customers.kyc.samples import person
from tests.customers.kyc.test_inline_files import uri
from tests.developers.webhooks.worker_steps import receiving, running_dispatcher, until
from tests.payments.virtual_accounts.virtual_account_setup import at
from tests.platform.files.sample_files import GOOD
from tests.tenants import Tenant, individual, make_agreement, run_due

# Names that the client's manager has handlers for, as far as they were ever sent.
_HANDLED = ["USER.CREATE", "ONRAMP.CREATE", "ONRAMP.UPDATE", "OFFRAMP.CREATE", "OFFRAMP.UPDATE"]
_ENVELOPE = (
    *("eventId", "eventCategory", "eventType", "eventAction"),
    *("createdAt", "timestamp", "version"),
)
_SENDER = {
    "routingNumber": "021000021",
    "accountNumber": "123456789",
    "name": "Ada Lovelace",
    "bankName": "First Bank",
}


async def test_a_user_is_verified_paid_and_paid_out(org: Tenant) -> None:
    assert (await org.get("/v2/ping"))["message"] == "pong"
    payer, payee = await _make_verified(org), await _make_verified(org)
    account = (await org.post(at(payer), _account()))["accountInfo"]
    instructions = account["depositInstructions"]
    assert all(instructions["ach"][name] for name in ("routingNumber", "accountNumber"))
    assert instructions["bankName"]
    deposit = {"paymentRail": "ach", "source": _SENDER, "amount": "1000", "reference": "first"}
    await org.post(at(payer, account["id"], "simulate-deposit"), {**deposit, **_new()})
    await _pass(org, days=3)

    sent = {"source": {"userId": payer}, "destination": {"userId": payee}, "amount": 5.25}
    chain = {"currency": "usdc", "chain": "POLYGON"}
    transfer = await org.post("/v2/wallets/transfers", {**sent, **chain, **_new()})
    assert transfer["transferDetails"]["amount"] == 5.25
    [listed] = (await org.get("/v2/wallets/transfers", limit=10))["records"]
    ends = [listed["transferDetails"][end]["userId"] for end in ("source", "destination")]
    assert ends == [payer, payee]

    bank = await org.post(f"/v2/users/{payer}/accounts", _bank())
    assert bank["status"] == "ACTIVE"
    assert (await org.get(f"/v2/users/{payer}/accounts", limit=10))["count"] == 1
    source = {"userId": payer, "amount": 50, **chain}
    target = {"userId": payer, "currency": "usd", "accountId": bank["id"]}
    payout = await org.post("/v2/offramps", {"source": source, "destination": target, **_new()})
    path = f"/v2/offramps/{payout['transferDetails']['id']}"
    assert set(payout["transferDetails"]["quoteInformation"]) >= {"rate", "receiveNet"}
    await org.post(f"{path}/quote/accept")
    await _pass(org, days=3)
    assert (await org.get(path))["transferDetails"]["status"] == "COMPLETED"


async def test_an_onramp_is_accepted_without_a_body(org: Tenant) -> None:
    user = await _make_verified(org)
    await org.post(at(user), _account())
    source = {"userId": user, "currency": "usd", "amount": 100}
    target = {"userId": user, "currency": "usdc", "chain": "POLYGON"}
    onramp = await org.post("/v2/onramps", {"source": source, "destination": target, **_new()})
    path = f"/v2/onramps/{onramp['transferDetails']['id']}"
    assert (await org.post(f"{path}/quote/accept"))["transferType"] == "ONRAMP"
    assert (await org.get(path))["transferDetails"]["destination"]["walletAddress"]


async def test_its_webhook_manager_reads_the_event_from_the_token(org: Tenant) -> None:
    handled: list[dict[str, Any]] = []
    async with receiving() as receiver, running_dispatcher(org):
        created = await org.post("/v2/webhooks", {"url": receiver.url, "eventTypes": _HANDLED})
        user = await _make_verified(org)
        source = {"userId": user, "currency": "usd", "amount": 100}
        target = {"userId": user, "currency": "usdc", "chain": "POLYGON"}
        onramp = await org.post("/v2/onramps", {"source": source, "destination": target, **_new()})
        path = f"/v2/onramps/{onramp['transferDetails']['id']}"
        await org.post(f"{path}/quote/accept")
        accepted = await org.get(path)
        await until(lambda: len(receiver.of(accepted["transferDetails"]["id"])) == 3)
    for each in receiver.received:
        scheme, token = each.headers["authorization"].split(" ")
        assert scheme == "Bearer"
        # As the client does: with the endpoint's key, and without an audience.
        options: Options = {"verify_aud": False}
        claims = jwt.decode(token, created["publicKey"], algorithms=["RS256"], options=options)
        body = each.event
        envelope = {name: claims[name] for name in set(body) & set(claims) - {"data"}}
        assert envelope == {name: body[name] for name in _ENVELOPE}
        handled.append(claims)
    # Requests of different objects are in progress at once.
    types = [claims["eventType"] for claims in handled]
    assert sorted(types) == ["ONRAMP.CREATE", "ONRAMP.UPDATE", "ONRAMP.UPDATE", "USER.CREATE"]
    [created_user] = [each for each in handled if each["eventType"] == "USER.CREATE"]
    assert created_user["data"]["id"] == user
    onramps = [each for each in handled if each["eventCategory"] == "ONRAMP"]
    ids = {each["data"]["transferDetails"]["id"] for each in onramps}
    assert ids == {accepted["transferDetails"]["id"]}
    assert receiver.received[-1].event["data"] == accepted


async def _make_verified(org: Tenant) -> str:
    """Create a person by the client's own calls; return their id once the rail can be used."""
    chains = ["POLYGON", "ETHEREUM"]
    asked = individual(await make_agreement(org), lastName="Approval", chains=chains, **_new())
    created = await org.post("/v2/users", asked)
    user = str(created["id"])
    assert sorted(created["wallets"]["INDIVIDUAL"]) == sorted(chains)
    assert await org.get(f"/v2/users/{user}") == created
    assert (await org.get("/v2/users", limit=10))["users"][0] == created
    link = await org.post("/v2/kyc-link", {"userId": user, "rails": ["USD"]})
    assert link["kycLinkUrl"].startswith("http")
    photo = uri(GOOD["photo.png"], "image/png")
    await org.post(f"/v2/users/{user}/kyc", person(lastName="Approval", govIdFrontUrl=photo))
    await org.post(f"/v2/users/{user}/kyc/submit")
    status = await org.get(f"/v2/users/{user}/kyc/status", rails="USD")
    assert (status["status"], bool(status["message"])) == ("ACTIVE", True)
    return user


async def _pass(org: Tenant, *, days: int) -> None:
    """Advance the organisation's clock, and do what is due by then."""
    await org.post("/v2/sandbox/clock/advance", {"seconds": days * 86_400})
    await run_due(org)


def _new() -> dict[str, str]:
    return {"requestId": str(uuid4())}


def _account() -> dict[str, str]:
    return {
        "sourceCurrency": "usd",
        "destinationCurrency": "usdc",
        "destinationChain": "POLYGON",
    }


def _bank() -> dict[str, Any]:
    """Build a bank account in the United States; `accountType` is in small letters."""
    address = {
        "addressLine1": "123 Main St",
        "city": "San Francisco",
        "stateProvinceRegion": "CA",
        "postalCode": "94102",
        "country": "USA",
    }
    bank = {
        "transferType": "wire",
        "accountType": "checking",
        "accountNumber": "123456789012",
        "routingNumber": "021000021",
        "bankName": "First Bank",
        "currency": "usd",
    }
    holder = {"type": "individual", "name": "Ada Lovelace", "address": address}
    return {"rail": "offramp", "type": "us", "accountHolder": holder, "us": bank}
