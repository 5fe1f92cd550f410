"""Organisation whose rails are files in a folder, and the actions of its simulated bank."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

from landbridge.app.container import Container, wire
from landbridge.customers.kyc.model import Rail
from landbridge.payments.bank_files.bank_simulator import BankOutcome, SimulatedCredit
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.rails.currencies import FIAT
from tests.payments.bank_files.builders import EUR, USD, funding
from tests.payouts import accept, make_account, make_offramp, make_payee, shown, way
from tests.tenants import SETTINGS, Tenant, make_tenant, sentence, served

LINES, DEPOSITS = "/v2/reviews/bank-lines", "/v2/reviews/deposits"
DAY_S = 24 * 3600
WHY = {"comment": "the bank said so"}


@dataclass(frozen=True, slots=True)
class BankScenario:
    """An organisation that pays and is paid by files in `folder`."""

    org: Tenant
    folder: Path

    @property
    def container(self) -> Container:
        return self.org.container

    async def offset(self) -> timedelta:
        return await self.container.orgs.clock_offset(self.org.org_id)

    async def write(self) -> list[Path]:
        """Write all queued payments to the bank; return the files."""
        await self.container.bank_file_writer.run(
            {self.org.org_id: await self.offset()}, is_early=True
        )
        return sorted((self.folder / "out").iterdir())

    async def answer(self, outcome: BankOutcome) -> None:
        """Answer as the bank, and run all following steps."""
        await self.container.sandbox_bank.answer(self.org.org_id, outcome, await self.offset())
        await self.pass_time(1)

    async def pay_in(self, amount: str, currency: str = "usd", **fields: str | None) -> None:
        """Money arrives at the bank, and everything follows from it."""
        sent = SimulatedCredit(
            money=Money.parse(amount, FIAT[currency]),
            reference=fields.get("reference"),
            number=fields.get("number"),
            sender="Grace Payer",
        )
        await self.container.sandbox_bank.deposit(self.org.org_id, sent, await self.offset())
        await self.pass_time(1)

    async def give_back(self, record_id: str, *, fee: str = "0") -> dict[str, Any]:
        """Return a paid payment by the bank; return the line that waits for review."""
        bank, offset = self.container.sandbox_bank, await self.offset()
        await bank.return_payment(self.org.org_id, UUID(record_id), fee=fee, offset=offset)
        await self.pass_time(1)
        return await self.last_line()

    async def take_back(self, amount: str, currency: str = "usd") -> dict[str, Any]:
        """Reverse a deposit by the bank; return the line that waits for review."""
        money = Money.parse(amount, FIAT[currency])
        await self.container.sandbox_bank.recall(self.org.org_id, money, await self.offset())
        await self.pass_time(1)
        return await self.last_line()

    async def last_line(self) -> dict[str, Any]:
        """Return the newest line in review."""
        return (await self.org.get(LINES))["reviews"][-1]

    async def resolve(self, line: Mapping[str, Any], resolution: str, **of: Any) -> Any:
        """Resolve a line as a reviewer; return it."""
        body = {"resolution": resolution, **WHY, **of}
        return await self.org.post(f"{LINES}/{line['id']}/resolve", body)

    async def why_not(self, line: Mapping[str, Any], resolution: str, **of: Any) -> str:
        """Return the refusal of a resolution."""
        body = {"resolution": resolution, **WHY, **of}
        answer = await self.org.send("POST", f"{LINES}/{line['id']}/resolve", body)
        return f"{answer.status_code} {sentence(answer)}"

    def put(self, content: bytes) -> None:
        """Put a file from the bank into the folder."""
        (self.folder / "in").mkdir(exist_ok=True)
        (self.folder / "in" / "a").write_bytes(content)

    async def pass_time(self, seconds: int) -> None:
        """Advance the clock and run due steps."""
        await self.org.post("/v2/sandbox/clock/advance", {"seconds": seconds})

    async def again(self) -> None:
        """Repeat every file of the bank under another name."""
        for path in list((self.folder / "in" / "done").iterdir()):
            path.rename(self.folder / "in" / f"again-{path.name}")
        await self.pass_time(1)

    async def reasons(self) -> list[str]:
        """Return the reasons of the lines in review."""
        return [each["reason"] for each in (await self.org.get(LINES))["reviews"]]


@asynccontextmanager
async def paying_by_files(database: Database, folder: Path) -> AsyncGenerator[BankScenario]:
    """Yield an organisation with accounts in dollars and euro."""
    settings = msgspec.structs.replace(SETTINGS, rails="files")
    container = wire(settings, database, Clock(await take_node(database)))
    async with served(container) as client:
        org = await make_tenant(container, client)
        for text in (USD, EUR):
            account, at = funding(text, folder), container.clock.stamp()
            await container.funding_accounts.set(org.org_id, account, actor="test", at=at)
        yield BankScenario(org, folder)


async def paying(
    scenario: BankScenario, table: str, rail: str, currency: str = "usd", *rails: Rail
) -> tuple[str, Mapping[str, Any]]:
    """Return a person and their payout of a hundred dollars, pending at the bank adapter."""
    org = scenario.org
    user = await make_payee(org, *rails)
    account = await make_account(org, user, way(table, rail))
    created = await make_offramp(org, user, account, 100, destination={"currency": currency})
    await accept(org, created)
    await scenario.pass_time(1)
    assert (await shown(org, created))["status"] == "FIAT_PENDING"
    return user, created


async def only_key(scenario: BankScenario) -> UUID:
    """Return the key of the organisation's only payment."""
    (row,) = await scenario.container.database.rows(
        "select key from bank_payments where org_id = $1", scenario.org.org_id
    )
    return row["key"]
