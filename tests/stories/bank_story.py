"""Makers of an organisation whose rails are files in a folder, and of what its bank does."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

from landbridge.bank_files.answering import Outcome, Sent
from landbridge.core.clock import Clock
from landbridge.core.money import Money
from landbridge.db.pool import Database
from landbridge.kyc.model import Rail
from landbridge.orgs.service import take_lane
from landbridge.rails.currencies import FIAT
from landbridge.wiring import House, wire
from tests.bank_files.made import EUR, USD, funding
from tests.payouts import accept, make_account, make_offramp, make_payee, shown, way
from tests.tenants import SETTINGS, Tenant, make_tenant, sentence, served

LINES, DEPOSITS = "/v2/reviews/bank-lines", "/v2/reviews/deposits"
DAY_S = 24 * 3600
WHY = {"comment": "the bank said so"}


@dataclass(frozen=True, slots=True)
class Story:
    """An organisation that pays and is paid by files in `folder`."""

    org: Tenant
    folder: Path

    @property
    def house(self) -> House:
        return self.org.house

    async def offset(self) -> timedelta:
        return await self.house.orgs.clock_offset(self.org.org_id)

    async def write(self) -> list[Path]:
        """All that is queued goes to the bank; the files that wait there."""
        await self.house.bank_writer.run({self.org.org_id: await self.offset()}, is_early=True)
        return sorted((self.folder / "out").iterdir())

    async def answer(self, outcome: Outcome) -> None:
        """The bank answers, and everything follows from it."""
        await self.house.sandbox_bank.answer(self.org.org_id, outcome, await self.offset())
        await self.pass_time(1)

    async def pay_in(self, amount: str, currency: str = "usd", **told: str | None) -> None:
        """Money arrives at the bank, and everything follows from it."""
        sent = Sent(
            money=Money.parse(amount, FIAT[currency]),
            reference=told.get("reference"),
            number=told.get("number"),
            sender="Grace Payer",
        )
        await self.house.sandbox_bank.deposit(self.org.org_id, sent, await self.offset())
        await self.pass_time(1)

    async def give_back(self, record_id: str, *, fee: str = "0") -> dict[str, Any]:
        """The bank gives back what it has paid; the line that waits for a person."""
        bank, offset = self.house.sandbox_bank, await self.offset()
        await bank.return_payment(self.org.org_id, UUID(record_id), fee=fee, offset=offset)
        await self.pass_time(1)
        return await self.last_line()

    async def take_back(self, amount: str, currency: str = "usd") -> dict[str, Any]:
        """The bank takes a deposit back; the line that waits for a person."""
        money = Money.parse(amount, FIAT[currency])
        await self.house.sandbox_bank.recall(self.org.org_id, money, await self.offset())
        await self.pass_time(1)
        return await self.last_line()

    async def last_line(self) -> dict[str, Any]:
        """The line that has waited for the shortest time."""
        return (await self.org.get(LINES))["reviews"][-1]

    async def resolve(self, line: Mapping[str, Any], resolution: str, **of: Any) -> Any:
        """A line that a person has resolved."""
        body = {"resolution": resolution, **WHY, **of}
        return await self.org.post(f"{LINES}/{line['id']}/resolve", body)

    async def why_not(self, line: Mapping[str, Any], resolution: str, **of: Any) -> str:
        """Why a line can't be resolved so, as the answer tells it."""
        body = {"resolution": resolution, **WHY, **of}
        answer = await self.org.send("POST", f"{LINES}/{line['id']}/resolve", body)
        return f"{answer.status_code} {sentence(answer)}"

    def put(self, content: bytes) -> None:
        """A file comes from the bank."""
        (self.folder / "in").mkdir(exist_ok=True)
        (self.folder / "in" / "a").write_bytes(content)

    async def pass_time(self, seconds: int) -> None:
        """What falls due meanwhile is done."""
        await self.org.post("/v2/sandbox/clock/advance", {"seconds": seconds})

    async def again(self) -> None:
        """Every file of the bank's is there once more, under another name."""
        for path in list((self.folder / "in" / "done").iterdir()):
            path.rename(self.folder / "in" / f"again-{path.name}")
        await self.pass_time(1)

    async def reasons(self) -> list[str]:
        """Why lines wait for a person."""
        return [each["reason"] for each in (await self.org.get(LINES))["reviews"]]


@asynccontextmanager
async def paying_by_files(database: Database, folder: Path) -> AsyncGenerator[Story]:
    """An organisation of its own, with accounts in dollars and euro."""
    settings = msgspec.structs.replace(SETTINGS, rails="files")
    house = wire(settings, database, Clock(await take_lane(database)))
    async with served(house) as client:
        org = await make_tenant(house, client)
        for text in (USD, EUR):
            told, at = funding(text, folder), house.clock.stamp()
            await house.own_accounts.set(org.org_id, told, actor="test", at=at)
        yield Story(org, folder)


async def paying(
    story: Story, table: str, rail: str, currency: str = "usd", *rails: Rail
) -> tuple[str, Mapping[str, Any]]:
    """A person, and their payout of a hundred dollars' worth, which is with the bank's adapter."""
    org = story.org
    user = await make_payee(org, *rails)
    account = await make_account(org, user, way(table, rail))
    made = await make_offramp(org, user, account, 100, destination={"currency": currency})
    await accept(org, made)
    await story.pass_time(1)
    assert (await shown(org, made))["status"] == "FIAT_PENDING"
    return user, made
