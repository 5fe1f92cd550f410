"""Inquiries of other providers: stored once, answered by people, and matched with deposits."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any
from uuid import UUID

import httpx2
import pytest
from msgspec import structs

from landbridge.customers.travel_exchanges import vasp_messages
from landbridge.customers.travel_exchanges.service import forget
from landbridge.customers.travel_exchanges.vasp_messages import (
    CLIENT_HEADER,
    PROXY_SECRET_HEADER,
)
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.chains.tokens import ASSETS, Chain
from landbridge.providers.kyt.port import ScreenedTransfer, ScreeningDirection
from tests.customers.travel_exchanges.exchange_world import (
    EXCHANGES,
    HOST,
    LOCAL,
    ON,
    SETTING,
    VASP,
    ExchangeWorld,
    exchange_world,
    inquiry,
)
from tests.tenants import make_tenant, refusal

SECRET = "the-secret-of-the-proxy-0001"
HASH = "0x" + "ab" * 32
PROVEN = {CLIENT_HEADER: HOST, PROXY_SECRET_HEADER: SECRET}


def nested(levels: int) -> Any:
    """Return lists in lists."""
    found: list[Any] = []
    for _ in range(levels - 1):
        found = [found]
    return found


@pytest.fixture
async def world(database: Database) -> AsyncGenerator[ExchangeWorld]:
    settings = structs.replace(LOCAL, trp_proxy_secret=SECRET)
    async with exchange_world(database, settings) as found:
        yield found


async def test_people_approve_and_the_confirmed_deposit_has_its_originator(
    world: ExchangeWorld,
) -> None:
    wallet = await _wallet(world)
    replied = await _inquire(world, inquiry(wallet.lower()))
    assert replied.json() == {"version": "3.2.1"}
    assert replied.headers["request-identifier"] == "key-1"
    exchange = await world.exchange()
    assert (exchange["status"], exchange["direction"]) == ("OPEN", "INCOMING")
    assert (exchange["userId"], exchange["isAuthenticated"]) == (world.payments.ada, False)
    message = (await world.org.get(f"{EXCHANGES}/{exchange['id']}/message"))["ivms101"]
    assert "Olga" in json.dumps(message)
    assert await _missing(world, wallet) == ("kind",)
    await world.org.post(f"{EXCHANGES}/{exchange['id']}/approve", {})
    await world.deliver()
    ((key, body),) = world.vasps.of_kind("resolution")
    approved = json.loads(body)["approved"]
    assert (key, approved["address"].lower()) == ("key-1", wallet.lower())
    assert b"Olga" not in body
    assert await _missing(world, wallet) == ("kind",)
    confirmed = await _call_back(
        world, approved["callback"], {"txid": HASH.upper().replace("X", "x", 1)}
    )
    assert confirmed.status_code == 204, confirmed.text
    again = await _call_back(world, approved["callback"], {"txid": HASH})
    assert again.status_code == 204
    other = await _call_back(world, approved["callback"], {"canceled": "no"})
    assert other.status_code == 409
    # Another amount, wallet or transaction is another deposit.
    assert await _missing(world, wallet, amount="6") == ("kind",)
    assert await _missing(world, wallet, hash_="0x" + "cd" * 32) == ("kind",)
    key_1 = new_id()
    assert await _missing(world, wallet, key=key_1) == ()
    assert await _missing(world, wallet, key=key_1) == ()
    # One inquiry is of one deposit.
    assert await _missing(world, wallet) == ("kind",)
    stored = (await world.org.get(f"/v2/travel-rule/messages/{key_1}"))["ivms101"]
    assert "Sender" in json.dumps(stored["originator"])
    assert "Simulated VASP" in json.dumps(stored["originatingVASP"])


async def test_an_inquiry_that_is_sent_again_is_the_same(world: ExchangeWorld) -> None:
    wallet = await _wallet(world)
    for _ in range(3):
        assert (await _inquire(world, inquiry(wallet))).status_code == 200
    assert len(await world.exchanges()) == 1
    assert (await _inquire(world, inquiry(wallet, "6"))).status_code == 409
    assert (await _inquire(world, inquiry(wallet), key="key-2")).status_code == 200
    assert len(await world.exchanges()) == 2


async def test_people_reject(world: ExchangeWorld) -> None:
    await _inquire(world, inquiry(None))
    exchange = await world.exchange()
    refused = await world.org.send("POST", f"{EXCHANGES}/{exchange['id']}/approve", {})
    assert "walletAddress" in refused.text
    await world.org.post(f"{EXCHANGES}/{exchange['id']}/reject", {"comment": "not here"})
    again = await world.org.send("POST", f"{EXCHANGES}/{exchange['id']}/approve", {})
    assert again.status_code == 409
    await world.deliver()
    ((_, body),) = world.vasps.of_kind("resolution")
    assert json.loads(body) == {"rejected": "not here"}


async def test_a_setting_approves_only_what_a_certificate_proved(world: ExchangeWorld) -> None:
    wallet = await _wallet(world)
    await world.org.send("PUT", SETTING, ON | {"counterparties": [VASP | {"policy": "APPROVE"}]})
    await _inquire(world, inquiry(wallet))
    await _inquire(world, inquiry(wallet), key="key-2", **(PROVEN | {PROXY_SECRET_HEADER: "other"}))
    await _inquire(
        world, inquiry(wallet), key="key-3", **(PROVEN | {CLIENT_HEADER: "other.example"})
    )
    await _inquire(world, inquiry(wallet), key="key-4", **PROVEN)
    await _inquire(world, inquiry("0x" + "2" * 40), key="key-5", **PROVEN)
    found = {each["requestIdentifier"]: each["status"] for each in await world.exchanges()}
    assert found.pop("key-4") == "APPROVED"
    assert set(found.values()) == {"OPEN"}
    await world.deliver()
    assert [key for key, _ in world.vasps.of_kind("resolution")] == ["key-4"]


async def test_a_setting_approves_no_other_organisation_here(world: ExchangeWorld) -> None:
    """All organisations of an installation show one certificate."""
    other = await make_tenant(world.org.container, world.org.client)
    await world.org.send("PUT", SETTING, ON | {"counterparties": [VASP | {"policy": "APPROVE"}]})
    callback = f"http://{HOST}/trp/{other.org_id}/callbacks/secret"
    await _inquire(world, inquiry(await _wallet(world), callback=callback), **PROVEN)
    exchange = await world.exchange()
    assert (exchange["status"], exchange["isAuthenticated"]) == ("OPEN", False)


async def test_an_unknown_provider_is_not_approved(world: ExchangeWorld) -> None:
    await world.org.send("PUT", SETTING, ON | {"counterparties": []})
    await _inquire(world, inquiry(await _wallet(world)))
    exchange = await world.exchange()
    refused = await world.org.send("POST", f"{EXCHANGES}/{exchange['id']}/approve", {})
    assert refused.status_code == 409
    assert HOST in refused.text


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"{", {}),
        (b"[" * 60_000, {}),
        (b'{"amount": "1"}', {}),
        (b"\xff\xfe", {}),
        (inquiry(None, amount="-1"), {}),
        (inquiry(None, asset={}), {}),
        (inquiry(None, asset={"dti": 5}), {}),
        # What a database does not store, and what no identifier is as long as.
        (inquiry(None, asset={"dti": "4H95J\x00"}), {}),
        (inquiry(None, asset={"dti": "4" * 101}), {}),
        (inquiry(None, IVMS101={"a": nested(17)}), {}),
        (inquiry(None, IVMS101={"a": nested(940)}), {}),
        (inquiry(None, callback="http://10.0.0.1/x"), {}),
        (inquiry(None, callback="https://169.254.169.254/x"), {}),
        (inquiry(None, IVMS101=[]), {}),
        (inquiry(None), {"api-version": "2.1.0"}),
        (inquiry(None), {"request-identifier": ""}),
        (inquiry(None), {"request-identifier": "x" * 101}),
        (inquiry(None), {"content-type": "text/plain"}),
    ],
)
async def test_what_is_no_inquiry_is_refused_and_stored_nowhere(
    world: ExchangeWorld, body: bytes, headers: dict[str, str]
) -> None:
    replied = await _inquire(world, body, **headers)
    assert replied.status_code == 400, replied.text
    assert await world.exchanges() == []


async def test_many_inquiries_at_once_leave_connections_for_each_other(
    world: ExchangeWorld,
) -> None:
    """None holds a connection while it waits for another one: here there are twelve."""
    body = inquiry(await _wallet(world))
    async with asyncio.timeout(30):
        replied = await asyncio.gather(
            *(_inquire(world, body, key=f"key-{at}") for at in range(60))
        )
    assert {each.status_code for each in replied} == {200}
    assert len(await world.exchanges()) == 60


async def test_strangers_leave_room_for_a_counterparty(
    world: ExchangeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vasp_messages, "OPEN_MAX", 2)
    stranger = inquiry(None, callback="http://127.0.0.1:9001/resolutions")
    for at, status in enumerate((200, 200, 503)):
        replied = await _inquire(world, stranger, key=f"stranger-{at}")
        assert replied.status_code == status
    for at, status in enumerate((200, 200, 503)):
        replied = await _inquire(world, inquiry(None), key=f"key-{at}")
        assert replied.status_code == status
    # What is known already is the same again, however many wait.
    assert (await _inquire(world, inquiry(None), key="key-0")).status_code == 200


async def test_a_certificate_gives_a_stranger_no_more_room(
    world: ExchangeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vasp_messages, "OPEN_MAX", 2)
    stranger = inquiry(None, callback="http://127.0.0.1:9001/resolutions")
    proven = PROVEN | {CLIENT_HEADER: "127.0.0.1:9001"}
    for at, status in enumerate((200, 200, 503)):
        replied = await _inquire(world, stranger, key=f"stranger-{at}", **proven)
        assert replied.status_code == status
    for at in range(3):
        assert (await _inquire(world, inquiry(None), key=f"key-{at}", **PROVEN)).is_success


async def test_a_huge_inquiry_is_refused(world: ExchangeWorld) -> None:
    replied = await _inquire(world, inquiry(None, IVMS101={"a": "x" * 70_000}))
    assert replied.status_code == 413
    assert await world.exchanges() == []


async def test_strange_members_are_data_that_are_missing(world: ExchangeWorld) -> None:
    wallet = await _wallet(world)
    strange: dict[str, Any] = {"originator": 5, "beneficiary": {"accountNumber": [wallet, {}]}}
    assert (await _inquire(world, inquiry(None, IVMS101=strange))).status_code == 200
    exchange = await world.exchange()
    assert exchange["walletAddress"] is None
    await world.org.post(f"{EXCHANGES}/{exchange['id']}/approve", {"walletAddress": wallet})
    await world.deliver()
    ((_, body),) = world.vasps.of_kind("resolution")
    await _call_back(world, json.loads(body)["approved"]["callback"], {"txid": HASH})
    assert await _missing(world, wallet) == ("kind",)


async def test_callbacks_count_for_their_exchange_alone(world: ExchangeWorld) -> None:
    wallet = await _wallet(world)
    for key in ("key-1", "key-2"):
        await _inquire(world, inquiry(wallet), key=key)
    for each in await world.exchanges():
        await world.org.post(f"{EXCHANGES}/{each['id']}/approve", {})
    await world.deliver()
    urls = {
        key: json.loads(body)["approved"]["callback"]
        for key, body in world.vasps.of_kind("resolution")
    }
    found = await _call_back(world, urls["key-1"], {"txid": HASH}, key="key-2")
    assert found.status_code == 404
    unproven = await _call_back(world, urls["key-1"], {"txid": HASH}, **{CLIENT_HEADER: "other"})
    assert unproven.status_code == 404
    guessed = await _call_back(world, urls["key-1"][:-1] + "_", {"txid": HASH})
    assert guessed.status_code == 404
    for body in ({"txid": HASH, "canceled": "yes"}, {"txid": HASH + "\x00"}, {"txid": ""}):
        wrong = await _call_back(world, urls["key-1"], body)
        assert wrong.status_code == 400, wrong.text
    assert {each["status"] for each in await world.exchanges()} == {"APPROVED"}


async def test_data_of_any_depth_that_is_taken_can_be_read_and_rejected(
    world: ExchangeWorld,
) -> None:
    await _inquire(world, inquiry(None, IVMS101={"a": nested(14)}))
    exchange = await world.exchange()
    read = await world.org.get(f"{EXCHANGES}/{exchange['id']}/message")
    assert read["ivms101"] == {"a": nested(14)}
    rejected = await world.org.post(f"{EXCHANGES}/{exchange['id']}/reject", {"comment": "unknown"})
    assert rejected["status"] == "REJECTED"


async def test_another_organisation_sees_and_answers_nothing(world: ExchangeWorld) -> None:
    await _inquire(world, inquiry(await _wallet(world)))
    exchange = await world.exchange()
    other = await make_tenant(world.org.container, world.org.client)
    assert (await other.get(EXCHANGES))["count"] == 0
    for path in ("", "/message"):
        assert (await other.send("GET", f"{EXCHANGES}/{exchange['id']}{path}")).status_code == 404
    refused = await other.send("POST", f"{EXCHANGES}/{exchange['id']}/reject", {"comment": "x"})
    assert refused.status_code == 404
    # Without the setting an organisation takes nothing.
    headers = {"api-version": "3.2.1", "request-identifier": "key-1"}
    path = f"/trp/{other.org_id}/inquiries?t=i"
    sent = await other.client.post(path, content=inquiry(None), headers=headers)
    assert sent.status_code == 404


async def test_an_erasure_takes_the_data_of_the_users_exchanges(world: ExchangeWorld) -> None:
    await _inquire(world, inquiry(await _wallet(world)))
    exchange = await world.exchange()
    await world.org.container.database.transact(lambda tx: _forget(tx, world))
    found = await world.org.send("GET", f"{EXCHANGES}/{exchange['id']}/message")
    assert found.status_code == 404
    assert refusal(found).startswith("404")


async def test_an_erasure_ends_inquiries_that_wait_for_people(world: ExchangeWorld) -> None:
    await _inquire(world, inquiry(await _wallet(world)))
    await world.org.container.database.transact(lambda tx: _forget(tx, world))
    exchange = await world.exchange()
    assert exchange["status"] == "REJECTED"
    assert (await world.org.get(EXCHANGES, status="OPEN"))["count"] == 0
    query = {"objectId": exchange["id"], "actorType": "worker"}
    entries = (await world.org.get("/v2/audit-log", **query))["entries"]
    assert {each["what"] for each in entries} == {"reject", "create"}


async def test_two_inquiries_about_one_deposit_hold_it_up_never(world: ExchangeWorld) -> None:
    wallet, key = await _wallet(world), new_id()
    for each in ("key-1", "key-2"):
        await _inquire(world, inquiry(wallet), key=each)
    for each in await world.exchanges():
        await world.org.post(f"{EXCHANGES}/{each['id']}/approve", {})
    await world.deliver()
    urls = {
        each: json.loads(body)["approved"]["callback"]
        for each, body in world.vasps.of_kind("resolution")
    }
    for each in ("key-2", "key-1"):
        await _call_back(world, urls[each], {"txid": HASH}, key=each)
        assert await _missing(world, wallet, key=key) == ()


async def _forget(tx: Tx, world: ExchangeWorld) -> None:
    await forget(tx, world.org.org_id, UUID(world.payments.ada), world.org.container.clock.now())


async def _wallet(world: ExchangeWorld) -> str:
    """Return Ada's address on POLYGON."""
    wallets = world.org.container.wallets
    found = await wallets.find(world.org.org_id, UUID(world.payments.ada), Chain.POLYGON)
    assert found is not None
    return found.address


async def _inquire(
    world: ExchangeWorld, body: bytes, key: str = "key-1", **headers: str
) -> httpx2.Response:
    sent = {
        "content-type": "application/json",
        "api-version": "3.2.0",
        "request-identifier": key,
    } | headers
    path = f"/trp/{world.org.org_id}/inquiries?t=i"
    return await world.org.client.post(path, content=body, headers=sent)


async def _call_back(
    world: ExchangeWorld, url: str, body: dict[str, Any], key: str = "key-1", **headers: str
) -> httpx2.Response:
    sent = {"api-version": "3.2.1", "request-identifier": key} | PROVEN | headers
    path = url.removeprefix(f"http://{HOST}")
    return await world.org.client.post(path, json=body, headers=sent)


async def _missing(
    world: ExchangeWorld, wallet: str, *, amount: str = "5", hash_: str = HASH, key: Any = None
) -> tuple[str, ...]:
    """Return what a deposit of usdc lacks, as its screening checks it."""
    now = world.org.container.clock.now()
    checks = world.org.container.deposit_screenings.screener
    assert checks is not None
    report = await checks.screen(
        ScreenedTransfer(
            org_id=world.org.org_id,
            key=key or new_id(),
            user_id=UUID(world.payments.ada),
            money=Money.parse(amount, ASSETS["usdc:POLYGON"]),
            at=now,
            now=now,
            direction=ScreeningDirection.DEPOSIT,
            chain="POLYGON",
            transaction_hash=hash_,
            source_address="0x" + "9" * 40,
            destination_address=wallet,
        )
    )
    return report.missing
