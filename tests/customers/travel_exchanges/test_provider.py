"""Exchanges by a connected provider: only an explicit answer decides, whatever else it says."""

import json
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from msgspec import structs

from landbridge.app.container import wire
from landbridge.app.settings import SettingsInvalid
from landbridge.platform.core.clock import ReadingClock
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.sidecar.signing import SignedPurpose, SigningSecret, sign
from tests.customers.travel_exchanges.exchange_world import (
    COIN,
    DTI,
    ORIGINATOR,
    SETTING,
    ExchangeWorld,
    LoopVasps,
)
from tests.customers.travel_rule.travel_world import APPLIED, HOSTED, travel_world
from tests.platform.http.listeners import listening
from tests.providers.sidecar.kit import KEY, answering
from tests.tenants import SETTINGS

VASP = {"host": "other.example.com", "name": "Example Exchange", "amountUnit": "WHOLE"}


@dataclass
class MadeUpProvider:
    """Sidecar that answers inquiries as `answer` says, and gives `inbox`."""

    answer: dict[str, Any] = field(default_factory=lambda: {"state": "pending"})
    status: int = 200
    inbox: dict[str, Any] = field(default_factory=dict[str, Any])
    now: Callable[[], float] = time.time
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, Any]])

    def time(self) -> float:
        return self.now()

    def behave(self, path: str, message: dict[str, Any]) -> tuple[int, Any]:
        self.calls.append((path, message))
        if path == "/v1/travel-rule/inbox":
            self.inbox = {
                kind: [each for each in found if each["id"] not in message.get(kind, [])]
                for kind, found in self.inbox.items()
            }
            return 200, {kind: found[: message["limit"]] for kind, found in self.inbox.items()}
        if path != "/v1/travel-rule/inquiries":
            return 200, {"id": message.get("key") or message["id"]}
        return self.status, {"key": message["key"], **self.answer}

    def of(self, path: str) -> list[dict[str, Any]]:
        return [message for each, message in self.calls if each.endswith(path)]


def providers_file(folder: Path, port: int) -> str:
    (folder / "secret").write_bytes(KEY.secret)
    path = folder / "providers.toml"
    path.write_text(
        f'[providers.acme]\nurl = "http://127.0.0.1:{port}"\n'
        f'keys = [{{ id = "{KEY.id}", secret_file = "secret" }}]\n'
        '[travel_rule]\nprovider = "acme"\n'
    )
    return str(path)


@asynccontextmanager
async def provider_world(
    database: Database, folder: Path
) -> AsyncGenerator[tuple[ExchangeWorld, MadeUpProvider]]:
    provider = MadeUpProvider()
    async with listening(answering(provider.behave, now=provider.time)) as found:
        settings = structs.replace(APPLIED, providers_file=providers_file(folder, found.port))
        async with travel_world(database, settings=settings) as payments:
            setting = {"isOn": True, "assets": [COIN], "counterparties": [VASP]}
            assert (await payments.org.send("PUT", SETTING, setting)).is_success
            world = ExchangeWorld(payments, LoopVasps())
            provider.now = lambda: payments.clock.now().timestamp()
            await payments.org.send("PUT", world.wallet, HOSTED)
            yield world, provider


async def test_a_payment_waits_for_the_approval_and_is_confirmed(
    database: Database, tmp_path: Path
) -> None:
    async with provider_world(database, tmp_path) as (world, provider):
        payment = await world.payments.transfer("10")
        await world.deliver()
        await world.payments.work(minutes=10)
        assert await world.missing() == ["exchange.answer"]
        assert world.payments.sent_to() == 0
        provider.answer = {"state": "approved"}
        await world.settle()
        assert await world.payments.transfer_status(payment) == "COMPLETED"
        exchange = await world.exchange()
        assert exchange["status"] == "CONFIRMED"
        first, *others = provider.of("/inquiries")
        assert all(each == first for each in others)
        assert (first["key"], first["counterparty"]) == (exchange["id"], VASP["host"])
        (confirmed,) = provider.of("/confirmations")
        assert confirmed == {
            "key": exchange["id"],
            "transactionHash": exchange["transactionHash"],
        }
        (acme, *_) = (await world.org.get("/v2/providers"))["providers"]
        assert [each["service"] for each in acme["serves"]] == ["TRAVEL_RULE"]
        await world.payments.check()


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (200, {"state": "refused"}),
        (200, {"state": "unknown_counterparty"}),
        (200, {"state": "sent"}),
        (200, {"state": "approved", "key": str(UUID(int=7))}),
        (503, {"code": "not_done"}),
        (409, {"code": "key_conflict"}),
        (500, {}),
    ],
)
async def test_what_is_no_answer_sends_no_payment(
    database: Database, tmp_path: Path, status: int, answer: dict[str, Any]
) -> None:
    async with provider_world(database, tmp_path) as (world, provider):
        provider.status, provider.answer = status, answer
        await world.payments.transfer("10")
        for _ in range(3):
            await world.deliver(minutes=10)
            await world.payments.work(minutes=10)
        assert await world.missing() == ["exchange.delivery"]
        assert (await world.exchange())["problem"]
        assert world.payments.sent_to() == 0
        assert len(provider.of("/inquiries")) > 1


@pytest.mark.parametrize(
    ("answer", "waits_for"),
    [
        ({"state": "rejected", "comment": "unknown name"}, "exchange.rejection"),
        # The other VASP writes the comment: no text hides its answer.
        ({"state": "rejected", "comment": "two\nlines"}, "exchange.rejection"),
        ({"state": "rejected", "comment": "cut \ud83d"}, "exchange.rejection"),
        ({"state": "rejected", "comment": "x" * 501}, "exchange.rejection"),
        ({"state": "rejected", "comment": ""}, "exchange.rejection"),
        ({"state": "approved", "walletAddress": "0x" + "ab" * 20}, "exchange.otherWallet"),
    ],
)
async def test_a_rejection_and_another_wallet_wait_for_people(
    database: Database, tmp_path: Path, answer: dict[str, Any], waits_for: str
) -> None:
    async with provider_world(database, tmp_path) as (world, provider):
        provider.answer = answer
        await world.payments.transfer("10")
        await world.settle()
        assert await world.missing() == [waits_for]
        assert world.payments.sent_to() == 0


async def test_a_webhook_has_the_answer_read_at_once(database: Database, tmp_path: Path) -> None:
    async with provider_world(database, tmp_path) as (world, provider):
        await world.payments.transfer("10")
        await world.deliver()
        asked = len(provider.of("/inquiries"))
        provider.answer = {"state": "rejected"}
        key = (await world.exchange())["id"]
        # A webhook says nothing of the answer, and counts only with our key and a signature.
        assert await announce(world, str(UUID(int=7))) == 404
        assert await announce(world, key, signer=SigningSecret("k1", b"x" * 32)) == 401
        await world.deliver()
        assert len(provider.of("/inquiries")) == asked
        for _ in range(2):
            assert await announce(world, key) == 204
        await world.deliver()
        assert len(provider.of("/inquiries")) == asked + 1
        assert (await world.exchange())["status"] == "REJECTED"


async def test_a_confirmation_waits_for_our_answer_and_is_stored_once(
    database: Database, tmp_path: Path
) -> None:
    async with provider_world(database, tmp_path) as (world, provider):
        wallet = await address_of(world)
        inquiry = {**inquiry_of(world), "walletAddress": wallet}
        names = {each: inquiry[each] for each in ("id", "orgId", "counterparty")}
        confirmation = names | {"transactionHash": "0x" + "ab" * 32}
        other = names | {"id": "in-9", "transactionHash": None}
        await read_inbox(world, provider, {"inquiries": [inquiry], "confirmations": [other]})
        (exchange,) = await world.exchanges(direction="INCOMING")
        await read_inbox(world, provider, {"confirmations": [confirmation]})
        assert (await world.exchange())["status"] == "OPEN"
        await world.org.post(f"/v2/travel-rule/exchanges/{exchange['id']}/approve", {})
        await world.deliver()
        (resolution,) = provider.of("/resolutions")
        assert (resolution["id"], resolution["isApproved"]) == ("in-1", True)
        assert resolution["walletAddress"].lower() == wallet.lower()
        for _ in range(2):
            await read_inbox(world, provider, {"confirmations": [confirmation]})
        assert (await world.exchange())["transactionHash"] == confirmation["transactionHash"]
        # Another transaction of the same inquiry changes nothing.
        await read_inbox(world, provider, {"confirmations": [names | {"transactionHash": "0x1"}]})
        assert (await world.exchange())["transactionHash"] == confirmation["transactionHash"]


async def test_inquiries_of_others_are_stored_once_and_for_served_organisations(
    database: Database, tmp_path: Path
) -> None:
    async with provider_world(database, tmp_path) as (world, provider):
        inquiry = inquiry_of(world)
        lies = [{**inquiry, "id": "in-2", "orgId": str(UUID(int=9))}, {"id": "in-3"}]
        for _ in range(2):
            await read_inbox(world, provider, {"inquiries": [inquiry, *lies]})
        (found,) = await world.exchanges(direction="INCOMING")
        assert (found["host"], found["requestIdentifier"]) == (VASP["host"], "in-1")
        await world.org.post(f"/v2/travel-rule/exchanges/{found['id']}/reject", {"comment": "no"})
        await world.deliver()
        assert provider.of("/resolutions") == [{"id": "in-1", "isApproved": False, "comment": "no"}]


async def test_a_provider_without_the_travel_rule_is_refused(
    database: Database, tmp_path: Path
) -> None:
    settings = structs.replace(SETTINGS, providers_file=providers_file(tmp_path, 1))
    with pytest.raises(SettingsInvalid, match="LANDBRIDGE_TRAVEL_RULE is not on"):
        wire(settings, database, ReadingClock())


def inquiry_of(world: ExchangeWorld) -> dict[str, Any]:
    """Return an inquiry of another VASP."""
    return {
        "id": "in-1",
        "orgId": str(world.org.org_id),
        "counterparty": VASP["host"],
        "token": DTI,
        "amount": "5",
        "ivms101": {"originator": ORIGINATOR},
    }


async def address_of(world: ExchangeWorld) -> str:
    """Return the address of Ada's wallet."""
    user = UUID(world.payments.ada)
    wallet = await world.org.container.wallets.find(world.org.org_id, user, Chain.POLYGON)
    assert wallet is not None
    return wallet.address


async def read_inbox(world: ExchangeWorld, provider: MadeUpProvider, inbox: dict[str, Any]) -> None:
    """Have the worker read these messages, at its next time."""
    reader = world.org.container.provider_inbox
    assert reader is not None
    world.payments.clock.at += reader.every
    provider.inbox = inbox
    await reader.run_once()


async def announce(world: ExchangeWorld, key: str, signer: SigningSecret = KEY) -> int:
    """Send a webhook of the provider about a key; return the status of the answer."""
    body, at_s = json.dumps({"key": key}).encode(), int(world.payments.clock.now().timestamp())
    headers = sign(signer, SignedPurpose.WEBHOOK, "w1", body, at_s=at_s)
    answer = await world.org.client.post(
        "/providers/acme/webhooks",
        content=body,
        headers={**headers, "landbridge-webhook-id": "w1"},
    )
    return answer.status_code
