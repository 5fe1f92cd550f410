"""Exchanges by a connected provider: only an explicit answer decides, whatever else it says."""

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
            received = message.get("inquiries", [])
            left = [each for each in self.inbox.get("inquiries", []) if each["id"] not in received]
            self.inbox = {"inquiries": left}
            return 200, self.inbox
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


async def test_a_rejection_and_another_wallet_wait_for_people(
    database: Database, tmp_path: Path
) -> None:
    async with provider_world(database, tmp_path) as (world, provider):
        provider.answer = {"state": "rejected", "comment": "unknown name"}
        await world.payments.transfer("10")
        await world.settle()
        assert await world.missing() == ["exchange.rejection"]
        assert world.payments.sent_to() == 0


async def test_inquiries_of_others_are_stored_once_and_for_served_organisations(
    database: Database, tmp_path: Path
) -> None:
    async with provider_world(database, tmp_path) as (world, provider):
        inquiry = {
            "id": "in-1",
            "orgId": str(world.org.org_id),
            "counterparty": VASP["host"],
            "token": DTI,
            "amount": "5",
            "ivms101": {"originator": ORIGINATOR},
        }
        lies = [{**inquiry, "id": "in-2", "orgId": str(UUID(int=9))}, {"id": "in-3"}]
        inbox = world.org.container.provider_inbox
        assert inbox is not None
        for _ in range(2):
            provider.inbox = {"inquiries": [inquiry, *lies]}
            await inbox.run_once()
            world.payments.clock.at += inbox.every
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
