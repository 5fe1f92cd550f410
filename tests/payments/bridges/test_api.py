"""Bridges over HTTP: complete replies, refusals, replays, approvals and lists."""

import json
import re
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from landbridge.ledger.errors import InsufficientBalance
from landbridge.payments.bridges.service import NewBridge
from landbridge.platform.core.errors import ProfileFrozen, RoleNotAllowed
from landbridge.platform.http.caller import MemberRole
from landbridge.platform.http.request_decoding import decode
from tests.payments.bridges.bridge_scenario import ANOTHER, CHAINS, BridgeScenario
from tests.tenants import (
    BRIDGES,
    SWAPS,
    Tenant,
    bridge_body,
    held,
    make_user,
    refusal,
    register,
    run_due,
    sentence,
    swap_body,
)

MISSING = "8d3a7cfe-0000-4000-8000-000000000000"
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00")
NO_OPERATIONS = {"mint": None, "burn": None, "approve": None}


@pytest.fixture
async def ada(org: Tenant) -> str:
    return await make_user(org, funds="10", chains=CHAINS)


async def _make(org: Tenant, user: str, amount: Any = 10, **changes: Any) -> dict[str, Any]:
    return (await org.post(BRIDGES, bridge_body(user, amount, **changes)))["transferDetails"]


async def _address(org: Tenant, user: str, chain: str) -> str:
    return (await org.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"][chain]["address"]


async def test_reply_matches_the_contract(org: Tenant, ada: str) -> None:
    body = bridge_body(ada, 2.5)
    new = await org.post(BRIDGES, body)
    details = new["transferDetails"]
    expires = details["quoteInformation"]["expiresAt"]
    amount = {"amount": "2.5", "currency": "usdc"}
    assert list(new) == ["transferType", "transferDetails"]
    assert new["transferType"] == "WALLET.BRIDGE"
    for moment in (details["createdAt"], details["updatedAt"], expires):
        assert MOMENT.fullmatch(moment)
    assert details == {
        "id": str(UUID(details["id"])),
        "requestId": body["requestId"],
        "createdAt": details["createdAt"],
        "updatedAt": details["createdAt"],
        "amount": 2.5,
        "status": "OPEN_QUOTE",
        "source": {
            "userId": ada,
            "walletAddress": await _address(org, ada, "POLYGON"),
            "chain": "POLYGON",
            "currency": "usdc",
        },
        "destination": {
            "userId": ada,
            "walletAddress": await _address(org, ada, "BASE"),
            "chain": "BASE",
            "currency": "usdc",
        },
        "receipt": {"operations": NO_OPERATIONS},
        "failedReason": None,
        "fee": None,
        "quoteInformation": {
            "sendGross": amount,
            "sendNet": amount,
            "railFee": {"amount": "0", "currency": "usdc"},
            "receiveGross": amount,
            "receiveNet": amount,
            "rate": "1",
            "expiresAt": expires,
        },
    }
    created = datetime.fromisoformat(details["createdAt"])
    assert datetime.fromisoformat(expires) - created == timedelta(minutes=10)
    assert await org.get(f"{BRIDGES}/{details['id']}") == new


async def test_worker_executes_an_accepted_bridge(org: Tenant, ada: str) -> None:
    created = await _make(org, ada)
    accepted = (await org.post(f"{BRIDGES}/{created['id']}/accept"))["transferDetails"]
    assert accepted["status"] == "CREATED"
    assert accepted["receipt"]["operations"] == NO_OPERATIONS
    await run_due(org)
    done = (await org.get(f"{BRIDGES}/{created['id']}"))["transferDetails"]
    assert done["status"] == "COMPLETED"
    operation = done["receipt"]["operations"]["burn"]
    assert list(operation) == ["transactionHash", "userOpHash", "chain"]
    assert (await org.post(f"{BRIDGES}/{created['id']}/accept"))["transferDetails"] == done
    assert (await held(org, ada), await held(org, ada, "usdc", "BASE")) == ("0", "10")


@pytest.mark.parametrize("amount", [3, 3.0, "3", "3.000000"])
async def test_amount_spellings_are_equivalent(org: Tenant, ada: str, amount: Any) -> None:
    created = await _make(org, ada, amount)
    assert created["amount"] == 3
    request = {"request_id": created["requestId"]}
    assert (await _make(org, ada, 3, **request))["id"] == created["id"]


ROUTE, FIELD = "400 INVALID_TRANSACTION_ROUTE", "400 FIELD_VALIDATION_ERROR"
WALLET, USER = "404 WALLET_NOT_FOUND", "404 USER_NOT_FOUND"
SHORT = "400 INSUFFICIENT_BALANCE"
TO = {"userId": None, "walletAddress": ANOTHER}
REFUSED: list[tuple[str, str, Any, dict[str, Any], dict[str, Any]]] = [
    (ROUTE, "destination.chain", 1, {}, {"chain": "POLYGON"}),
    (ROUTE, "destination.currency", 1, {}, {"currency": "usdt"}),
    (ROUTE, "source.currency", 1, {"currency": "dai"}, {"currency": "dai"}),
    (ROUTE, "source.currency", 1, {"currency": "usdHifi"}, {"currency": "usdHifi"}),
    (ROUTE, "destination.currency", 1, {"currency": "usdt"}, {"currency": "usdt"}),
    (ROUTE, "source.chain", 1, {"chain": "BASE"}, {"chain": "POLYGON"}),
    (FIELD, "source.chain", 1, {"chain": "OPTIMISM"}, {}),
    (FIELD, "destination.chain", 1, {}, {"chain": "TRON"}),
    (FIELD, "destination.chain", 1, {}, {"chain": "base"}),
    (FIELD, "amount", None, {}, {}),
    (FIELD, "amount", 0, {}, {}),
    (FIELD, "amount", -1, {}, {}),
    (FIELD, "amount", 0.0000001, {}, {}),
    (FIELD, "amount", "1.0000001", {}, {}),
    (FIELD, "amount", "NaN", {}, {}),
    (FIELD, "amount", "Infinity", {}, {}),
    (FIELD, "amount", "1e400", {}, {}),
    (FIELD, "amount", "9" * 31, {}, {}),
    (FIELD, "amount", [], {}, {}),
    (FIELD, "destination.walletAddress", 1, {}, {"walletAddress": ANOTHER}),
    (FIELD, "destination", 1, {}, {"userId": None}),
    (FIELD, "destination.walletAddress", 1, {}, {**TO, "walletAddress": "0x12"}),
    (FIELD, "destination.walletAddress", 1, {}, {**TO, "chain": "SOLANA"}),
    (WALLET, "not registered", 1, {}, TO),
    (WALLET, "not registered", 1, {}, {**TO, "chain": "ARBITRUM"}),
    (WALLET, "there are no wallets on OPTIMISM", 1, {}, {"chain": "OPTIMISM"}),
    (USER, MISSING, 1, {"userId": MISSING}, {}),
    (USER, MISSING, 1, {}, {"userId": MISSING}),
    (SHORT, "11 usdc", 11, {}, {}),
    (SHORT, "10.000001 usdc", "10.000001", {}, {}),
]


async def test_invalid_bridge_is_refused_naming_the_field(
    org: Tenant, ada: str, subtests: pytest.Subtests
) -> None:
    body = bridge_body(ada)
    for name, says, amount, source, destination in REFUSED:
        with subtests.test(says=says):
            body = bridge_body(ada, amount, source=source, destination=destination)
            answer = await org.send("POST", BRIDGES, body)
            assert refusal(answer) == name, answer.text
            assert says in sentence(answer)
            assert len(sentence(answer)) < 300
    # Nothing was created, and the request id can be used again.
    assert (await org.get(BRIDGES))["count"] == 0
    await _make(org, ada, request_id=body["requestId"])


async def test_missing_wallet_error_explains_how_to_add_one(org: Tenant) -> None:
    user = await make_user(org, funds="10", chains=["POLYGON"])
    answer = await org.send("POST", BRIDGES, bridge_body(user))
    assert refusal(answer) == WALLET
    assert "destination.chain" in sentence(answer)
    assert f"POST /v2/users/{user}/wallets/add" in sentence(answer)


@pytest.mark.parametrize("registered_on", ["POLYGON", "ETHEREUM", "BASE"])
@pytest.mark.parametrize("network", ["OPTIMISM", "ARBITRUM"])
async def test_any_registered_evm_address_is_accepted_on_a_network_without_wallets(
    org: Tenant, ada: str, network: str, registered_on: str
) -> None:
    await register(org, ada, ANOTHER, chain=registered_on)
    created = await _make(org, ada, destination={**TO, "chain": network})
    assert created["destination"]["walletAddress"] == ANOTHER


async def test_address_must_be_registered_on_a_chain_with_wallets(org: Tenant, ada: str) -> None:
    await register(org, ada, ANOTHER, chain="POLYGON")
    assert await org.refused("POST", BRIDGES, bridge_body(ada, destination=TO)) == WALLET
    await register(org, ada, ANOTHER, chain="BASE")
    created = await _make(org, ada, destination=TO)
    await org.post(f"{BRIDGES}/{created['id']}/accept")
    await run_due(org)
    assert (await held(org, ada), await held(org, ada, "usdc", "BASE")) == ("0", "0")


async def test_internal_address_is_refused_on_a_network_without_wallets(
    org: Tenant, ada: str
) -> None:
    bob = await make_user(org, chains=["BASE"])
    address = await _address(org, bob, "BASE")
    end = {**TO, "walletAddress": address.lower()}
    created = await _make(org, ada, destination=end)
    assert created["destination"]["userId"] == bob
    answer = await org.send(
        "POST", BRIDGES, bridge_body(ada, destination={**end, "chain": "OPTIMISM"})
    )
    assert refusal(answer) == WALLET


async def test_repeated_request_returns_the_bridge_at_any_status(org: Tenant, ada: str) -> None:
    body = bridge_body(ada)
    created = await org.post(BRIDGES, body)
    await org.post(f"{BRIDGES}/{created['transferDetails']['id']}/accept")
    await run_due(org)
    again = (await org.post(BRIDGES, body))["transferDetails"]
    assert (again["id"], again["status"]) == (created["transferDetails"]["id"], "COMPLETED")
    for changes in ({"amount": 9}, {"requireApproval": True}):
        answer = await org.send("POST", BRIDGES, {**body, **changes})
        assert refusal(answer) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"
    assert (await org.get(BRIDGES))["count"] == 1


async def test_request_id_of_a_swap_cannot_be_reused(org: Tenant, ada: str) -> None:
    body = swap_body(ada, "1")
    swap = (await org.post(SWAPS, body))["transferDetails"]
    conflict = await org.send("POST", BRIDGES, bridge_body(ada, request_id=body["requestId"]))
    assert refusal(conflict) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"
    assert await org.refused("GET", f"{BRIDGES}/{swap['id']}") == "404 TRANSACTION_NOT_FOUND"


@pytest.mark.parametrize("known", [MISSING, "x", "%00"])
@pytest.mark.parametrize("verb", ["", "/accept"])
async def test_unknown_bridge_is_not_found(org: Tenant, known: str, verb: str) -> None:
    method = "POST" if verb else "GET"
    assert await org.refused(method, f"{BRIDGES}/{known}{verb}") == "404 TRANSACTION_NOT_FOUND"


async def test_lists_are_newest_first_by_user_and_page_on(org: Tenant, ada: str) -> None:
    created = [(await _make(org, ada, 1))["id"] for _ in range(5)]
    bob = await make_user(org, funds="1", chains=CHAINS)
    other = (await _make(org, bob, 1))["id"]
    first = await org.get(BRIDGES, limit=3)
    assert list(first) == ["count", "data", "nextCursor"]
    assert first["count"] == 3
    assert first["nextCursor"] == first["data"][-1]["transferDetails"]["updatedAt"]
    ids = [each["transferDetails"]["id"] for each in first["data"]]
    assert ids == [other, created[4], created[3]]
    rest = await org.get(BRIDGES, limit=3, createdBefore=first["nextCursor"])
    assert [each["transferDetails"]["id"] for each in rest["data"]] == created[2::-1]
    of_bob = await org.get(BRIDGES, userId=bob)
    assert [each["transferDetails"]["id"] for each in of_bob["data"]] == [other]
    assert await org.get(BRIDGES, userId=str(uuid4())) == {
        "count": 0,
        "data": [],
    }


async def test_accept_without_enough_funds_keeps_the_quote(scenario: BridgeScenario) -> None:
    first, second = await scenario.make(7), await scenario.make(7)
    await scenario.accept(first)
    answer = await scenario.org.send("POST", f"{BRIDGES}/{second}/accept")
    assert refusal(answer) == SHORT
    assert await scenario.status(second) == "OPEN_QUOTE"
    assert await scenario.holds() == ("3", "7", "0")


async def test_accept_after_expiry_fails_the_quote(scenario: BridgeScenario) -> None:
    created = await scenario.make()
    scenario.clock.at += timedelta(minutes=10, seconds=1)
    answer = await scenario.org.send("POST", f"{BRIDGES}/{created}/accept")
    assert refusal(answer) == "400 INVALID_QUOTE"
    assert await scenario.status(created) == "QUOTE_FAILED"


async def test_pending_approval_holds_coins_without_a_quote(scenario: BridgeScenario) -> None:
    created = await scenario.make(requireApproval=True)
    found = await scenario.get(created)
    assert (found["status"], found["quoteInformation"]) == ("PENDING_APPROVAL", None)
    assert found["approval"]["status"] == "PENDING"
    assert found["approval"]["transferType"] == "WALLET.BRIDGE"
    assert found["approval"]["transferId"] == created
    assert await scenario.holds() == ("7", "3", "0")
    refused = await scenario.org.refused("POST", f"{BRIDGES}/{created}/accept")
    assert refused == "404 QUOTE_NOT_FOUND"


async def test_approval_creates_the_quote(scenario: BridgeScenario) -> None:
    created = await scenario.make(requireApproval=True)
    scenario.clock.at += timedelta(days=3)
    await scenario.decide(created, yes=True)
    found = await scenario.get(created)
    assert (found["status"], found["approval"]["status"]) == ("OPEN_QUOTE", "APPROVED")
    expires = datetime.fromisoformat(found["quoteInformation"]["expiresAt"])
    assert expires - datetime.fromisoformat(found["updatedAt"]) == timedelta(minutes=10)
    # The coins are already held: they cannot be spent otherwise, and the accept is covered.
    assert await scenario.holds() == ("7", "3", "0")
    await scenario.accept(created)
    assert await scenario.holds() == ("7", "3", "0")
    await scenario.work()
    assert await scenario.status(created) == "COMPLETED"
    assert await scenario.holds() == ("7", "0", "3")
    kinds = [kind for kind, _ in await scenario.changes(created)]
    assert kinds[:3] == ["open", "approve", "accept"]
    await scenario.check_books()


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("REJECTED", "an approver rejected it"),
        ("EXPIRED", "it was not approved in time"),
        ("QUOTE_FAILED", "the quote expired before it was accepted"),
    ],
)
async def test_unapproved_or_unaccepted_bridge_releases_its_coins(
    scenario: BridgeScenario, status: str, reason: str
) -> None:
    created = await scenario.make(requireApproval=True)
    match status:
        case "REJECTED":
            await scenario.decide(created, yes=False)
        case "EXPIRED":
            await scenario.work(after=timedelta(weeks=1, seconds=1))
        case _:
            await scenario.decide(created, yes=True)
            await scenario.work(after=timedelta(minutes=11))
    found = await scenario.get(created)
    assert (found["status"], found["failedReason"]) == (status, reason)
    assert await scenario.holds() == ("10", "0", "0")
    assert (await scenario.bridge(created)).details.held_units == 0
    await scenario.check_books()


def _params(scenario: BridgeScenario) -> NewBridge:
    raw = json.dumps(bridge_body(scenario.ada, 3, destination={"userId": scenario.bob})).encode()
    return decode(raw, msgspec.json.Decoder(NewBridge))


async def test_members_bridge_always_needs_an_approval(scenario: BridgeScenario) -> None:
    created = await scenario.container.bridges.create(scenario.member(), _params(scenario))
    assert created.status == "PENDING_APPROVAL"
    admins = await scenario.container.bridges.create(
        scenario.member(MemberRole.ADMIN), _params(scenario)
    )
    assert admins.status == "OPEN_QUOTE"
    with pytest.raises(RoleNotAllowed):
        await scenario.container.bridges.create(
            scenario.member(MemberRole.ANALYST), _params(scenario)
        )


async def test_member_accepts_only_approved_bridges(scenario: BridgeScenario) -> None:
    quoted = await scenario.make()
    with pytest.raises(RoleNotAllowed):
        await scenario.container.bridges.accept(scenario.member(), UUID(quoted))
    pending = await scenario.make(requireApproval=True)
    await scenario.decide(pending, yes=True)
    accepted = await scenario.container.bridges.accept(scenario.member(), UUID(pending))
    assert accepted.status == "CREATED"


async def test_frozen_user_neither_quotes_nor_accepts(scenario: BridgeScenario) -> None:
    created = await scenario.make()
    await scenario.org.post(f"/v2/users/{scenario.bob}/freeze", {"reason": "a"})
    for path, body in (
        (BRIDGES, bridge_body(scenario.ada, destination={"userId": scenario.bob})),
        (f"{BRIDGES}/{created}/accept", None),
    ):
        answer = await scenario.org.send("POST", path, body)
        assert refusal(answer).endswith("FROZEN"), answer.text
    assert await scenario.status(created) == "OPEN_QUOTE"


async def test_a_frozen_organisation_neither_quotes_nor_accepts(scenario: BridgeScenario) -> None:
    created = await scenario.make()
    await scenario.container.orgs.freeze(scenario.org.org_id)
    for path, body in ((BRIDGES, bridge_body(scenario.ada)), (f"{BRIDGES}/{created}/accept", None)):
        assert await scenario.org.refused("POST", path, body) == f"403 {ProfileFrozen.name}"
    await scenario.container.orgs.unfreeze(scenario.org.org_id)
    await scenario.accept(created)


async def test_held_coins_can_not_be_spent_twice(scenario: BridgeScenario) -> None:
    await scenario.make(8, requireApproval=True)
    with pytest.raises(InsufficientBalance):
        await scenario.container.bridges.create(scenario.org.caller, _params(scenario))
