"""An organisation that pays and is paid by files, and a bank of its own that plants differences."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.providers.iso20022 import camt053
from landbridge.providers.iso20022.messages import (
    BankStatement,
    EntryStatus,
    OtherParty,
    StatementEntry,
    Transaction,
)
from landbridge.providers.rails.currencies import FIAT
from landbridge.reporting.reconciliation.model import ComparedPosition, Difference, ReconSource
from landbridge.reporting.reconciliation.service import ReconStatus
from landbridge.reporting.reconciliation.sources import ReconSourceName
from tests.payments.bank_files.inbound_files import EUR_IBAN, USD_NUMBER
from tests.reporting.reconciliation.compared import compared
from tests.sandbox.scenarios.bank_setup import DAY_S, BankScenario, paying_by_files
from tests.tenants import Tenant

_ACCOUNTS = {"usd": USD_NUMBER, "eur": EUR_IBAN}
_OPENING = 1_000_000_00


@dataclass(slots=True)
class PlantingBank:
    """Bank with one account: each statement continues the last one."""

    scenario: BankScenario
    currency: str = "usd"
    balance: int = _OPENING
    number: int = 0

    @property
    def org(self) -> Tenant:
        return self.scenario.org

    async def now(self) -> datetime:
        return self.org.container.clock.now(await self.scenario.offset())

    async def state(
        self, *moved: Transaction, is_sent: bool = True, made_at: datetime | None = None
    ) -> None:
        """Write a statement of these movements; one that is not sent is lost on its way."""
        at = (made_at or await self.now()).replace(microsecond=0)
        opening, self.number = self.balance, self.number + 1
        self.balance += sum(each.money.units * (1 if each.is_credit else -1) for each in moved)
        if not is_sent:
            return
        asset = FIAT[self.currency]
        content = camt053.write(
            BankStatement(
                id=f"S{self.number}-{self.currency}",
                account=_ACCOUNTS[self.currency],
                currency=self.currency,
                created_at=at,
                entries=tuple(_entry(each, at.date()) for each in moved),
                number=self.number,
                opening=Money(opening, asset),
                closing=Money(self.balance, asset),
            )
        )
        folder = self.scenario.folder / "in"
        folder.mkdir(exist_ok=True)
        (folder / f"{uuid4().hex}.xml").write_bytes(content)
        await self.scenario.pass_time(1)

    def paid(self, key: UUID, units: int = 10_000) -> Transaction:
        """Return the debit of a payment."""
        return self.debit(units, end_to_end_id=key.hex, instruction_id=key.hex)

    def back(self, key: UUID, units: int = 10_000) -> Transaction:
        """Return a payment that came back."""
        return self._moved(units, is_credit=True, end_to_end_id=key.hex, return_code="AC04")

    def debit(self, units: int, **names: str) -> Transaction:
        """Return a debit."""
        return self._moved(units, is_credit=False, **names)

    def credit(self, units: int, **names: str) -> Transaction:
        """Return a deposit of a known sender."""
        party = OtherParty(name="Grace Payer", account="NL91ABNA0417164300", bic="ABNANL2A")
        return self._moved(units, is_credit=True, other_party=party, **names)

    def _moved(self, units: int, *, is_credit: bool, **names: Any) -> Transaction:
        return Transaction(
            money=Money(units, FIAT[self.currency]),
            is_credit=is_credit,
            bank_reference=uuid4().hex[:16],
            **names,
        )

    async def wait_days(self, days: int) -> None:
        """Let days pass; each ends with a statement, also without movements."""
        for _ in range(days):
            await self.scenario.pass_time(DAY_S)
            await self.state()


def _entry(moved: Transaction, on: date) -> StatementEntry:
    return StatementEntry(
        is_credit=moved.is_credit,
        status=EntryStatus.BOOKED,
        money=moved.money,
        transactions=(moved,),
        booked_on=on,
        value_on=on,
    )


@asynccontextmanager
async def planting_bank(
    database: Database, folder: Path, currency: str = "usd"
) -> AsyncGenerator[PlantingBank]:
    """Yield a bank that has been compared once."""
    async with paying_by_files(database, folder) as scenario:
        bank = PlantingBank(scenario, currency)
        await bank.state()
        await compared(bank.org)
        yield bank


async def found(org: Tenant) -> list[Difference]:
    """Compare, and return the differences at banks, by kind."""
    status = await compared(org)
    at_banks = [each for each in status.differences if each.source.is_bank]
    return sorted(at_banks, key=lambda each: (each.kind, each.reference))


async def all_found(org: Tenant) -> Sequence[Difference]:
    """Return all differences at banks that there ever were."""
    every = await org.container.reconciliation.differences(org.org_id, is_resolved_included=True)
    return [each for each in every if each.source.is_bank]


def bank_position(
    status: ReconStatus, source: ReconSourceName = ReconSourceName.BANK_USD
) -> ComparedPosition:
    """Return the position of an account."""
    return next(each for on, each in status.positions if on is source)


def bank_state(
    status: ReconStatus, source: ReconSourceName = ReconSourceName.BANK_USD
) -> ReconSource:
    """Return an account as a source."""
    return next(each for each in status.sources if each.source is source)


async def keys(org: Tenant) -> list[UUID]:
    """Return the keys of all payments by file, oldest first."""
    rows = await org.container.database.rows(
        "select key from bank_payments where org_id = $1 and not is_prenote order by queued_at",
        org.org_id,
    )
    return [row["key"] for row in rows]
