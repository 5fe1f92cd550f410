"""A scripted sidecar that takes deposits, and an organisation with deposits there."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from landbridge.app.container import Container, wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.sidecar import credit_store
from landbridge.providers.sidecar.credits import StoredCredit
from landbridge.providers.sidecar.signing import SignedPurpose, sign
from tests.payments.virtual_accounts.virtual_account_setup import make_account, make_receiver
from tests.platform.http.listeners import listening
from tests.providers.sidecar.kit import KEY, accepted, answering
from tests.tenants import SETTINGS, Tenant, make_tenant, run_due, served

RECEIVED_AT = "2026-03-04T12:00:00Z"


def deposits_file(folder: Path, port: int, name: str = "acme", more: str = "") -> Path:
    """Write a providers file that sends all deposits in dollars to a sidecar on this machine."""
    (folder / "secret").write_bytes(KEY.secret)
    path = folder / "providers.toml"
    path.write_text(
        f"""
[providers.{name}]
url = "http://127.0.0.1:{port}"
keys = [{{ id = "{KEY.id}", secret_file = "secret" }}]
timeout_s = 5
poll_s = 1
{more}

[[deposits]]
provider = "{name}"
currencies = ["usd"]
"""
    )
    return path


@dataclass
class ScriptedBank:
    """Sidecar with a log of credits; its cursor is the number of entries before it.

    `page` replaces the answer to a query of credits, `account` changes that to a new account.
    """

    prefix: str = field(default_factory=lambda: new_id().hex[-8:])
    log: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    accounts: dict[str, str] = field(default_factory=dict[str, str])
    orders: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    calls: list[str] = field(default_factory=list[str])
    queries: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    account: dict[str, Any] = field(default_factory=dict[str, Any])
    page: Any = None
    endless: bool = False
    status: int = 200
    return_state: str = "settled"

    def answer(self, path: str, message: dict[str, Any]) -> tuple[int, Any]:
        """Answer a call."""
        self.calls.append(path)
        match path:
            case "/v1/accounts":
                return self.status, self.open(message) | self.account
            case "/v1/credits/query":
                self.queries.append(message)
                return self.status, self.page or self.credits(message)
            case "/v1/payouts":
                self.orders.setdefault(message["key"], message)
            case _:
                pass
        if message["key"] not in self.orders:
            return 404, {"code": "unknown_key"}
        order = self.orders[message["key"]]
        if self.return_state == "refused":
            return 422, {"key": message["key"], "failureCode": "credit_gone"}
        return 200, accepted(order, self.return_state)

    def open(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the account of a key."""
        new = f"{self.prefix}{len(self.accounts):04d}"
        number = self.accounts.setdefault(message["key"], new)
        return {
            "key": message["key"],
            "currency": message["currency"],
            "accountNumber": number,
            "bankName": "Acme Bank",
            "bankAddress": "3 Example Street",
            "beneficiaryName": "Ada Example",
            "beneficiaryAddress": "4 Example Street",
            "rails": {"ach": {"routingNumber": "123456780", "accountNumber": number}},
        }

    def credits(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the page behind a cursor."""
        start = int(message.get("after", "0"))
        entries = self.log[start : start + message["limit"]]
        return {
            "credits": [each for each in entries if "reversed" not in each],
            "reversed": [each["reversed"] for each in entries if "reversed" in each],
            "next": str(start + (len(entries) or int(self.endless))),
        }

    def add(self, number: str, amount: str = "100", **changes: Any) -> dict[str, Any]:
        """Put a credit into the log."""
        credit = {
            "id": f"C{len(self.log) + 1}",
            "accountNumber": number,
            "amount": amount,
            "currency": "usd",
            "rail": "ach",
            "receivedAt": RECEIVED_AT,
            "sender": {"name": "Payer-Marker Name", "accountNumber": "000111"},
            **changes,
        }
        self.log.append({name: each for name, each in credit.items() if each is not None})
        return credit


@dataclass(frozen=True)
class DepositScenario:
    """An organisation that gets dollars through the sidecar `name`."""

    org: Tenant
    bank: ScriptedBank
    name: str

    async def poll(self) -> None:
        """Have the provider polled now, and process what came of it."""
        container = self.org.container
        assert container.provider_credits is not None
        await self.container_poll(container)
        offsets = await container.orgs.clock_offsets()
        await container.incoming_payment_steps.run_all({self.org.org_id: offsets[self.org.org_id]})
        await run_due(self.org)

    async def container_poll(self, container: Container) -> None:
        """Have the provider polled now by this container."""
        assert container.provider_credits is not None
        at = container.clock.now()
        await container.database.single(lambda tx: credit_store.poll_soon(tx, self.name, at))
        offsets = await container.orgs.clock_offsets()
        await container.provider_credits.run_once(self.name, offsets)

    async def deposits(self) -> list[dict[str, Any]]:
        """Return the incoming payments of the organisation, in their order."""
        rows = await self.org.container.database.rows(
            "select bank_reference, account_number, asset, units, rail, status, arrived_at"
            " from incoming_payments where org_id = $1 order by received_at",
            self.org.org_id,
        )
        names = ("bank_reference", "account_number", "asset", "units", "rail", "status")
        return [{name: row[name] for name in names} for row in rows]

    async def problems(self) -> list[StoredCredit]:
        """Return the listed problems of this provider."""
        org_id = self.org.org_id
        found = await self.org.container.database.single(
            lambda tx: credit_store.problems(tx, org_id, limit=1000)
        )
        return [each for each in found if each.provider == self.name]

    async def announce(self, message: dict[str, Any], webhook_id: str = "w1") -> int:
        """Send a webhook; return the status of the answer."""
        body, at_s = msgspec.json.encode(message), int(time.time())
        headers = sign(KEY, SignedPurpose.WEBHOOK, webhook_id, body, at_s=at_s)
        answer = await self.org.client.post(
            f"/providers/{self.name}/webhooks",
            content=body,
            headers={**headers, "landbridge-webhook-id": webhook_id},
        )
        return answer.status_code


@asynccontextmanager
async def deposit_scenario(database: Database, folder: Path) -> AsyncGenerator[DepositScenario]:
    """Yield an organisation of the sandbox that gets dollars through a scripted sidecar."""
    bank, name = ScriptedBank(), f"acme-{new_id().hex}"[:40]
    async with listening(answering(bank.answer)) as found:
        path = deposits_file(folder, found.port, name)
        settings = structs.replace(SETTINGS, providers_file=str(path))
        container = wire(settings, database, Clock(await take_node(database)))
        async with served(container) as client:
            org = await make_tenant(container, client)
            yield DepositScenario(org, bank, name)
        assert container.providers is not None
        await container.providers.close()
        await asyncio.sleep(0)


async def account_of(world: DepositScenario) -> tuple[str, str]:
    """Return a user with a virtual account at the provider, and its number."""
    user = await make_receiver(world.org)
    await make_account(world.org, user)
    return user, [*world.bank.accounts.values()][-1]
