"""Bridges over HTTP: the record to the letter, what is refused, replays, approvals and lists."""

import json
import re
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from landbridge.core.errors import ProfileFrozen, RoleNotAllowed
from landbridge.flows.bridges.service import Wanted
from landbridge.flows.bridges.shapes import NewBridge, as_wanted
from landbridge.ledger.errors import InsufficientBalance
from landbridge.web.body import as_asked, decode
from landbridge.web.caller import Role
from tests.flows.bridges.bridging import ANOTHER, CHAINS, Play
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


async def test_record_is_as_the_contract_has_it(org: Tenant, ada: str) -> None:
    body = bridge_body(ada, 2.5)
    made = await org.post(BRIDGES, body)
    details = made["transferDetails"]
    expires = details["quoteInformation"]["expiresAt"]
    amount = {"amount": "2.5", "currency": "usdc"}
    assert list(made) == ["transferType", "transferDetails"]
    assert made["transferType"] == "WALLET.BRIDGE"
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
        "receipt": {"transactionHash": None, "operations": NO_OPERATIONS},
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
        "approval": None,
    }
    created = datetime.fromisoformat(details["createdAt"])
    assert datetime.fromisoformat(expires) - created == timedelta(minutes=10)
    assert await org.get(f"{BRIDGES}/{details['id']}") == made


async def test_an_accepted_bridge_is_carried_out_by_the_worker(org: Tenant, ada: str) -> None:
    made = await _make(org, ada)
    accepted = (await org.post(f"{BRIDGES}/{made['id']}/accept"))["transferDetails"]
    assert accepted["status"] == "CREATED"
    assert accepted["receipt"]["operations"] == NO_OPERATIONS
    await run_due(org)
    done = (await org.get(f"{BRIDGES}/{made['id']}"))["transferDetails"]
    assert done["status"] == "COMPLETED"
    operation = done["receipt"]["operations"]["burn"]
    assert list(operation) == ["transactionHash", "userOpHash", "chain"]
    assert (await org.post(f"{BRIDGES}/{made['id']}/accept"))["transferDetails"] == done
    assert (await held(org, ada), await held(org, ada, "usdc", "BASE")) == ("0", "10")


@pytest.mark.parametrize("told", [3, 3.0, "3", "3.000000"])
async def test_an_amount_may_be_written_in_many_ways(org: Tenant, ada: str, told: Any) -> None:
    made = await _make(org, ada, told)
    assert made["amount"] == 3
    request = {"request_id": made["requestId"]}
    assert (await _make(org, ada, 3, **request))["id"] == made["id"]


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
    (WALLET, "nobody has a wallet on OPTIMISM", 1, {}, {"chain": "OPTIMISM"}),
    (USER, MISSING, 1, {"userId": MISSING}, {}),
    (USER, MISSING, 1, {}, {"userId": MISSING}),
    (SHORT, "11 usdc", 11, {}, {}),
    (SHORT, "10.000001 usdc", "10.000001", {}, {}),
]


@pytest.mark.parametrize(("name", "says", "amount", "source", "destination"), REFUSED)
async def test_what_can_not_be_bridged_is_refused_and_named(
    org: Tenant,
    ada: str,
    *,
    name: str,
    says: str,
    amount: Any,
    source: dict[str, Any],
    destination: dict[str, Any],
) -> None:
    body = bridge_body(ada, amount, source=source, destination=destination)
    answer = await org.send("POST", BRIDGES, body)
    assert refusal(answer) == name, answer.text
    assert says in sentence(answer)
    assert len(sentence(answer)) < 300
    # Nothing was made, and the request id is free.
    assert (await org.get(BRIDGES))["count"] == 0
    await _make(org, ada, request_id=body["requestId"])


async def test_a_user_without_the_wallet_is_told_how_to_get_it(org: Tenant) -> None:
    user = await make_user(org, funds="10", chains=["POLYGON"])
    answer = await org.send("POST", BRIDGES, bridge_body(user))
    assert refusal(answer) == WALLET
    assert "destination.chain" in sentence(answer)
    assert f"POST /v2/users/{user}/wallets/add" in sentence(answer)


@pytest.mark.parametrize("registered_on", ["POLYGON", "ETHEREUM", "BASE"])
@pytest.mark.parametrize("network", ["OPTIMISM", "ARBITRUM"])
async def test_an_evm_address_registered_anywhere_will_do_where_nobody_has_a_wallet(
    org: Tenant, ada: str, network: str, registered_on: str
) -> None:
    await register(org, ada, ANOTHER, chain=registered_on)
    made = await _make(org, ada, destination={**TO, "chain": network})
    assert made["destination"]["walletAddress"] == ANOTHER


async def test_where_wallets_are_an_address_is_registered_on_that_chain(
    org: Tenant, ada: str
) -> None:
    await register(org, ada, ANOTHER, chain="POLYGON")
    assert await org.refused("POST", BRIDGES, bridge_body(ada, destination=TO)) == WALLET
    await register(org, ada, ANOTHER, chain="BASE")
    made = await _make(org, ada, destination=TO)
    await org.post(f"{BRIDGES}/{made['id']}/accept")
    await run_due(org)
    assert (await held(org, ada), await held(org, ada, "usdc", "BASE")) == ("0", "0")


async def test_an_address_of_ours_is_its_users_wallet_and_nothing_on_other_networks(
    org: Tenant, ada: str
) -> None:
    bob = await make_user(org, chains=["BASE"])
    address = await _address(org, bob, "BASE")
    end = {**TO, "walletAddress": address.lower()}
    made = await _make(org, ada, destination=end)
    assert made["destination"]["userId"] == bob
    answer = await org.send(
        "POST", BRIDGES, bridge_body(ada, destination={**end, "chain": "OPTIMISM"})
    )
    assert refusal(answer) == WALLET


async def test_the_same_request_is_the_same_bridge_whatever_has_happened_since(
    org: Tenant, ada: str
) -> None:
    body = bridge_body(ada)
    made = await org.post(BRIDGES, body)
    await org.post(f"{BRIDGES}/{made['transferDetails']['id']}/accept")
    await run_due(org)
    again = (await org.post(BRIDGES, body))["transferDetails"]
    assert (again["id"], again["status"]) == (made["transferDetails"]["id"], "COMPLETED")
    for changes in ({"amount": 9}, {"requireApproval": True}):
        answer = await org.send("POST", BRIDGES, {**body, **changes})
        assert refusal(answer) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"
    assert (await org.get(BRIDGES))["count"] == 1


async def test_a_request_id_of_a_swap_is_taken(org: Tenant, ada: str) -> None:
    body = swap_body(ada, "1")
    swap = (await org.post(SWAPS, body))["transferDetails"]
    taken = await org.send("POST", BRIDGES, bridge_body(ada, request_id=body["requestId"]))
    assert refusal(taken) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"
    assert await org.refused("GET", f"{BRIDGES}/{swap['id']}") == "404 TRANSACTION_NOT_FOUND"


@pytest.mark.parametrize("known", [MISSING, "x", "%00"])
@pytest.mark.parametrize("verb", ["", "/accept"])
async def test_an_unknown_bridge_is_not_there(org: Tenant, known: str, verb: str) -> None:
    method = "POST" if verb else "GET"
    assert await org.refused(method, f"{BRIDGES}/{known}{verb}") == "404 TRANSACTION_NOT_FOUND"


async def test_lists_are_newest_first_by_user_and_page_on(org: Tenant, ada: str) -> None:
    made = [(await _make(org, ada, 1))["id"] for _ in range(5)]
    bob = await make_user(org, funds="1", chains=CHAINS)
    other = (await _make(org, bob, 1))["id"]
    first = await org.get(BRIDGES, limit=3)
    assert list(first) == ["count", "data", "nextCursor"]
    assert first["count"] == 3
    assert first["nextCursor"] == first["data"][-1]["transferDetails"]["updatedAt"]
    ids = [each["transferDetails"]["id"] for each in first["data"]]
    assert ids == [other, made[4], made[3]]
    rest = await org.get(BRIDGES, limit=3, createdBefore=first["nextCursor"])
    assert [each["transferDetails"]["id"] for each in rest["data"]] == made[2::-1]
    of_bob = await org.get(BRIDGES, userId=bob)
    assert [each["transferDetails"]["id"] for each in of_bob["data"]] == [other]
    assert await org.get(BRIDGES, userId=str(uuid4())) == {
        "count": 0,
        "data": [],
        "nextCursor": None,
    }


async def test_an_accept_that_the_balance_does_not_cover_leaves_the_quote_open(
    play: Play,
) -> None:
    first, second = await play.make(7), await play.make(7)
    await play.accept(first)
    answer = await play.org.send("POST", f"{BRIDGES}/{second}/accept")
    assert refusal(answer) == SHORT
    assert await play.status(second) == "OPEN_QUOTE"
    assert await play.holds() == ("3", "7", "0")


async def test_an_accept_that_comes_too_late_ends_the_quote(play: Play) -> None:
    made = await play.make()
    play.clock.at += timedelta(minutes=10, seconds=1)
    answer = await play.org.send("POST", f"{BRIDGES}/{made}/accept")
    assert refusal(answer) == "400 INVALID_QUOTE"
    assert await play.status(made) == "QUOTE_FAILED"


async def test_a_bridge_that_waits_for_an_approval_holds_and_has_no_quote(play: Play) -> None:
    made = await play.make(requireApproval=True)
    found = await play.get(made)
    assert (found["status"], found["quoteInformation"]) == ("PENDING_APPROVAL", None)
    assert found["approval"]["status"] == "PENDING"
    assert found["approval"]["transferType"] == "WALLET.BRIDGE"
    assert found["approval"]["transferId"] == made
    assert await play.holds() == ("7", "3", "0")
    assert await play.org.refused("POST", f"{BRIDGES}/{made}/accept") == "404 QUOTE_NOT_FOUND"


async def test_the_quote_is_made_when_it_is_approved(play: Play) -> None:
    made = await play.make(requireApproval=True)
    play.clock.at += timedelta(days=3)
    await play.decide(made, yes=True)
    found = await play.get(made)
    assert (found["status"], found["approval"]["status"]) == ("OPEN_QUOTE", "APPROVED")
    expires = datetime.fromisoformat(found["quoteInformation"]["expiresAt"])
    assert expires - datetime.fromisoformat(found["updatedAt"]) == timedelta(minutes=10)
    # What it takes is held already: nothing else can be spent of it, and the accept is covered.
    assert await play.holds() == ("7", "3", "0")
    await play.accept(made)
    assert await play.holds() == ("7", "3", "0")
    await play.work()
    assert await play.status(made) == "COMPLETED"
    assert await play.holds() == ("7", "0", "3")
    assert [what for what, _ in await play.told(made)][:3] == ["open", "approve", "accept"]
    await play.check_books()


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("REJECTED", "an approver rejected it"),
        ("EXPIRED", "nobody approved it in time"),
        ("QUOTE_FAILED", "the quote expired before it was accepted"),
    ],
)
async def test_what_is_not_approved_or_not_accepted_lets_its_coins_go(
    play: Play, status: str, reason: str
) -> None:
    made = await play.make(requireApproval=True)
    match status:
        case "REJECTED":
            await play.decide(made, yes=False)
        case "EXPIRED":
            await play.work(after=timedelta(weeks=1, seconds=1))
        case _:
            await play.decide(made, yes=True)
            await play.work(after=timedelta(minutes=11))
    found = await play.get(made)
    assert (found["status"], found["failedReason"]) == (status, reason)
    assert await play.holds() == ("10", "0", "0")
    assert (await play.bridge(made)).details.held_units == 0
    await play.check_books()


def _wanted(play: Play) -> tuple[UUID, Wanted, dict[str, Any]]:
    raw = json.dumps(bridge_body(play.ada, 3, destination={"userId": play.bob})).encode()
    data = decode(raw, msgspec.json.Decoder(NewBridge))
    return data.request_id, as_wanted(data), as_asked(data)


async def test_a_members_bridge_always_asks_for_an_approval(play: Play) -> None:
    made = await play.house.bridges.create(play.member(), *_wanted(play))
    assert made.status == "PENDING_APPROVAL"
    admins = await play.house.bridges.create(play.member(Role.ADMIN), *_wanted(play))
    assert admins.status == "OPEN_QUOTE"
    with pytest.raises(RoleNotAllowed):
        await play.house.bridges.create(play.member(Role.ANALYST), *_wanted(play))


async def test_a_member_accepts_what_was_approved_and_nothing_else(play: Play) -> None:
    quoted = await play.make()
    with pytest.raises(RoleNotAllowed):
        await play.house.bridges.accept(play.member(), UUID(quoted))
    asked = await play.make(requireApproval=True)
    await play.decide(asked, yes=True)
    accepted = await play.house.bridges.accept(play.member(), UUID(asked))
    assert accepted.status == "CREATED"


async def test_who_is_frozen_neither_quotes_nor_accepts(play: Play) -> None:
    made = await play.make()
    await play.org.post(f"/v2/users/{play.bob}/freeze", {"reason": "a"})
    for path, body in (
        (BRIDGES, bridge_body(play.ada, destination={"userId": play.bob})),
        (f"{BRIDGES}/{made}/accept", None),
    ):
        answer = await play.org.send("POST", path, body)
        assert refusal(answer).endswith("FROZEN"), answer.text
    assert await play.status(made) == "OPEN_QUOTE"


async def test_a_frozen_organisation_neither_quotes_nor_accepts(play: Play) -> None:
    made = await play.make()
    await play.house.orgs.freeze(play.org.org_id)
    for path, body in ((BRIDGES, bridge_body(play.ada)), (f"{BRIDGES}/{made}/accept", None)):
        assert await play.org.refused("POST", path, body) == f"403 {ProfileFrozen.name}"
    await play.house.orgs.unfreeze(play.org.org_id)
    await play.accept(made)


async def test_held_coins_can_not_be_spent_twice(play: Play) -> None:
    await play.make(8, requireApproval=True)
    with pytest.raises(InsufficientBalance):
        await play.house.bridges.create(play.org.caller, *_wanted(play))
