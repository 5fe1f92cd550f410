"""An organisation that exchanges travel rule data with the sandbox's simulated provider."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx2
from msgspec import structs

from landbridge.app.settings import Settings
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.db.pool import Database
from landbridge.platform.http.egress import Egress
from landbridge.providers.trp import protocol
from landbridge.providers.trp.port import (
    InquiryResolution,
    TransferConfirmation,
    TransferInquiry,
    VaspUnreachable,
)
from landbridge.providers.trp.travel_addresses import encode_travel_address
from tests.customers.payment_screening.payment_world import PaymentWorld
from tests.customers.travel_rule.travel_world import APPLIED, HOSTED, travel_world, wallet_path
from tests.tenants import Tenant

SETTING = "/v2/organization/travel-rule-exchange"
EXCHANGES = "/v2/travel-rule/exchanges"
HOST = "127.0.0.1:8080"
BASE = f"http://{HOST}"
DTI = "4H95J0R2X"
COIN = {"chain": "POLYGON", "currency": "usdc", "identifier": DTI}
VASP = {"host": HOST, "name": "Simulated VASP", "amountUnit": "WHOLE", "policy": "REVIEW"}
ON = {"isOn": True, "assets": [COIN], "counterparties": [VASP]}
LOCAL = structs.replace(APPLIED, public_url=BASE)
# The dates of the tests' people are complete for the European Union.
ORIGINATOR = {
    "originatorPersons": [
        {
            "naturalPerson": {
                "name": {
                    "nameIdentifier": [
                        {
                            "primaryIdentifier": "Sender",
                            "secondaryIdentifier": "Olga",
                            "nameIdentifierType": "LEGL",
                        }
                    ]
                },
                "dateAndPlaceOfBirth": {"dateOfBirth": "1980-05-06", "placeOfBirth": "Oslo"},
            }
        }
    ]
}


class WorkerKilled(BaseException):
    """The process of the worker ends here."""


@dataclass
class LoopVasps:
    """Adapter of the port that sends to this process's own application, and can fail.

    `loses` has the kinds of messages whose answers are lost, once for each entry; `kills` those
    whose sender is killed before it gets the answer.
    """

    client: httpx2.AsyncClient | None = None
    sent: list[tuple[str, str, bytes]] = field(default_factory=list[tuple[str, str, bytes]])
    loses: list[str] = field(default_factory=list[str])
    kills: list[str] = field(default_factory=list[str])
    is_down: bool = False
    # Hosts that never answer, the messages that wait for them, and whether they hang up.
    silent_hosts: set[str] = field(default_factory=set[str])
    waiting: list[str] = field(default_factory=list[str])
    hangs_up: asyncio.Event = field(default_factory=asyncio.Event)

    def check_url(self, field: str, url: str) -> str:
        return Egress(allows_loopback=True).check(field, url)

    async def inquire(self, url: str, key: str, inquiry: TransferInquiry) -> InquiryResolution:
        content = await self._send("inquiry", url, key, protocol.write_inquiry(inquiry))
        try:
            return protocol.read_resolution(content)
        except FieldInvalid as error:
            raise VaspUnreachable("the answer was not valid") from error

    async def resolve(self, url: str, key: str, resolution: InquiryResolution) -> None:
        await self._send("resolution", url, key, protocol.write_resolution(resolution))

    async def confirm(self, url: str, key: str, confirmation: TransferConfirmation) -> None:
        await self._send("confirmation", url, key, protocol.write_confirmation(confirmation))

    def of_kind(self, kind: str) -> list[tuple[str, bytes]]:
        """Return key and body of each message of a kind."""
        return [(key, body) for each, key, body in self.sent if each == kind]

    async def _send(self, kind: str, url: str, key: str, body: bytes) -> bytes:
        if self.is_down or self.client is None:
            raise VaspUnreachable("no connection could be made")
        parts = urlsplit(url)
        if parts.netloc in self.silent_hosts:
            self.waiting.append(parts.netloc)
            await self.hangs_up.wait()
            raise VaspUnreachable("the connection was closed without an answer")
        assert parts.netloc == HOST, url
        self.sent.append((kind, key, body))
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        found = await self.client.post(path, content=body, headers=protocol.headers(key))
        if kind in self.kills:
            self.kills.remove(kind)
            raise WorkerKilled
        if kind in self.loses:
            self.loses.remove(kind)
            raise VaspUnreachable("the connection was broken off")
        if not found.is_success:
            raise VaspUnreachable(f"the answer was HTTP {found.status_code}")
        return found.content


@dataclass(frozen=True)
class ExchangeWorld:
    """Ada's organisation, and the messages that it exchanges."""

    payments: PaymentWorld
    vasps: LoopVasps

    @property
    def org(self) -> Tenant:
        return self.payments.org

    async def pay(self, script: str, amount: str = "10") -> str:
        """Pay to a wallet at the simulated provider, and run the worker; return the payment."""
        await self.state(script)
        return await self.payments.transfer(amount)

    async def state(self, script: str) -> None:
        """State that the counterparty wallet is at the simulated provider, with this script."""
        await self.org.send("PUT", self.wallet, HOSTED | {"travelAddress": travel_address(script)})

    @property
    def wallet(self) -> str:
        return wallet_path(self.payments.ada)

    async def deliver(self, **passed: float) -> None:
        """Let time pass, and run the worker of exchanges once."""
        self.payments.clock.at += timedelta(**passed or {"seconds": 1})
        dispatcher = self.org.container.exchange_dispatcher
        await dispatcher.run_once([self.org.org_id])
        await dispatcher.finish()

    async def settle(self) -> None:
        """Run all workers until nothing changes any more."""
        for _ in range(6):
            await self.deliver(minutes=10)
            await self.payments.work(minutes=10)
        await self.deliver(minutes=10)

    async def exchanges(self, **query: str) -> list[dict[str, Any]]:
        return (await self.org.get(EXCHANGES, **query))["exchanges"]

    async def exchange(self) -> dict[str, Any]:
        """Return the only exchange."""
        (found,) = await self.exchanges()
        return found

    async def missing(self) -> list[str]:
        """Return what the only waiting payment waits for."""
        (found,) = (await self.org.get("/v2/travel-rule/waiting"))["transfers"]
        return found["missing"]


@asynccontextmanager
async def exchange_world(
    database: Database, settings: Settings = LOCAL
) -> AsyncGenerator[ExchangeWorld]:
    """Yield an organisation of the European Union with the exchange switched on."""
    vasps = LoopVasps()
    async with travel_world(database, settings=settings, vasps=vasps) as payments:
        vasps.client = payments.org.client
        replied = await payments.org.send("PUT", SETTING, ON)
        assert replied.status_code == 200, replied.text
        yield ExchangeWorld(payments, vasps)


def travel_address(script: str) -> str:
    return encode_travel_address(f"{BASE}/sandbox/vasp/{script}/inquiries?t=i")


def inquiry(wallet: str | None, amount: str = "5", **changed: Any) -> bytes:
    """Return the body of another provider's inquiry."""
    beneficiary: dict[str, Any] = {} if wallet is None else {"accountNumber": [wallet]}
    body = {
        "asset": {"dti": DTI},
        "amount": float(amount),
        "callback": f"{BASE}/sandbox/vasp/approves/resolutions",
        "IVMS101": {"originator": ORIGINATOR, "beneficiary": beneficiary},
    }
    return json.dumps(body | changed).encode()
