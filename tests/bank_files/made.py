"""Makers of accounts at a bank, and of what is paid from them by files."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec

from landbridge.bank_files.accounts import OwnAccounts
from landbridge.bank_files.funding import FolderPlace, FundingAccount, PlaceTold, read_toml
from landbridge.bank_files.model import BankFile, BankPayment
from landbridge.bank_files.payments import BankPayments
from landbridge.bank_files.rails import FileRails
from landbridge.bank_files.writing import Writer
from landbridge.core.clock import FrozenClock
from landbridge.core.money import Money
from landbridge.db.pool import Database
from landbridge.ledger.service import Ledger
from landbridge.orgs.service import take_lane
from landbridge.privacy.service import Vault
from landbridge.rails.currencies import FIAT
from landbridge.rails.port import Payment
from landbridge.wiring import sealer
from tests.make import make_org
from tests.tenants import SETTINGS

# A Wednesday morning in New York, before any cut-off.
AT = datetime(2026, 3, 4, 14, 0, tzinfo=UTC)

USD = """
currency = "usd"
bank_name = "Example Bank"
bank_address = "1 Bank Street, Springfield, NY 10001, USA"
account_number = "000987654321"
routing_number = "021000021"
swift_code = "EXAMUS33"
initiator_id = "EXAMPLE01"
rails = ["ach", "wire", "swift"]

[holder]
name = "Example Payments Inc."
street = "2 Example Street"
postcode = "10001"
town = "New York"
country = "US"

[ach]
destination = "021000021"
destination_name = "EXAMPLE BANK"
origin = "1234567890"
origin_name = "EXAMPLE PAYMENTS"
company_name = "EXAMPLE PAY"
company_id = "1234567890"

[numbers]
prefix = "4001"
digits = 10

[place]
type = "folder"
path = "/tmp/unused"
"""

EUR = """
currency = "eur"
bank_name = "Beispielbank"
bank_address = "Bankstr. 1, 10115 Berlin, Germany"
iban = "DE89 3704 0044 0532 0130 00"
swift_code = "COBADEFF"
rails = ["sepa", "sepaInstant", "swift"]

[holder]
name = "Example Payments GmbH"
street = "Beispielstr. 2"
postcode = "10115"
town = "Berlin"
country = "DE"

[numbers]
prefix = "37040044"
digits = 10
country = "DE"

[place]
type = "folder"
path = "/tmp/unused"
"""

ADDRESS = {
    "addressLine1": "3 Example Street",
    "city": "Springfield",
    "stateProvinceRegion": "NY",
    "postalCode": "10001",
    "country": "USA",
}
ADA = {"type": "INDIVIDUAL", "name": "Ada Example", "address": ADDRESS}


@dataclass(frozen=True, slots=True)
class Bank:
    """An organisation with accounts in dollars and euro, whose files go to `folder`."""

    database: Database
    clock: FrozenClock
    accounts: OwnAccounts
    payments: BankPayments
    rails: FileRails
    writer: Writer
    org_id: UUID
    folder: Path

    async def write(self, *, is_early: bool = False) -> list[BankFile]:
        """What is due goes to the bank."""
        return list(await self.writer.run({self.org_id: timedelta()}, is_early=is_early))

    async def find(self, key: UUID) -> BankPayment:
        """A payment that was taken."""
        found = await self.database.single(lambda tx: self.payments.find(tx, self.org_id, key))
        assert found is not None
        return found

    async def settle(self, key: UUID) -> bool:
        """The bank's statement has it."""
        found = await self.find(key)
        return await self.database.transact(
            lambda tx: self.payments.settle_in(tx, found, at=self.clock.now())
        )

    async def fail(self, key: UUID, reason: str = "the bank returned it") -> bool:
        """The bank gave it back."""
        found = await self.find(key)
        failed = await self.database.transact(
            lambda tx: self.payments.fail_in(tx, found, reason=reason, at=self.clock.now())
        )
        return bool(failed)

    def out(self) -> dict[str, bytes]:
        """What waits for the bank to fetch it."""
        return _files(self.folder / "out")

    def reports(self) -> dict[str, Any]:
        """What stands beside it, by the file's name."""
        found = _files(self.folder / "control")
        return {name.removesuffix(".json"): json.loads(raw) for name, raw in found.items()}


async def make_bank(database: Database, folder: Path, *, is_prenoted: bool = False) -> Bank:
    """An organisation of its own, with both accounts set; its clock stands at `AT`."""
    clock = FrozenClock(AT, lane=await take_lane(database))
    org_id = await make_org(database)
    bank = connect_bank(database, org_id, clock, folder)
    for text in (USD, EUR):
        told = funding(text, folder, is_prenoted=is_prenoted)
        await bank.accounts.set(org_id, told, actor="test", at=clock.stamp())
    return bank


def connect_bank(database: Database, org_id: UUID, clock: FrozenClock, folder: Path) -> Bank:
    """The services over what is there: another worker of the same organisation."""
    vault = Vault(sealer(SETTINGS))
    accounts, payments = OwnAccounts(database, vault), BankPayments(Ledger(database))
    return Bank(
        database=database,
        clock=clock,
        accounts=accounts,
        payments=payments,
        rails=FileRails(database, vault, accounts, payments),
        writer=Writer(database, vault, accounts, clock),
        org_id=org_id,
        folder=folder,
    )


def funding(
    text: str, folder: Path, *, is_prenoted: bool = False, place: PlaceTold | None = None
) -> FundingAccount:
    """An account as told in TOML, with its place."""
    told = read_toml(text)
    ach = told.ach and msgspec.structs.replace(told.ach, prenotes=is_prenoted)
    return msgspec.structs.replace(told, ach=ach, place=place or FolderPlace(path=str(folder)))


def by_ach(org_id: UUID, **changes: Any) -> Payment:
    """A hundred dollars to a checking account."""
    return _payment(
        org_id,
        {
            "type": "us",
            "accountHolder": ADA,
            "us": {
                "transferType": "ach",
                "accountType": "Checking",
                "accountNumber": "000123456789",
                "routingNumber": "091000019",
                "bankName": "Other Bank",
            },
        },
        {"rail": "ach", **changes},
    )


def by_wire(org_id: UUID, **changes: Any) -> Payment:
    """A hundred dollars by wire."""
    told: dict[str, Any] = {"rail": "wire", **changes}
    return by_ach(org_id, **told)


def by_sepa(org_id: UUID, **changes: Any) -> Payment:
    """A hundred euro to an IBAN."""
    return _payment(
        org_id,
        {
            "type": "europeGlobalNetwork",
            "accountHolder": ADA,
            "europeGlobalNetwork": {"transferType": "sepa", "iban": "NL91ABNA0417164300"},
        },
        {"rail": "sepa", "currency": "eur", **changes},
    )


def by_swift(org_id: UUID, **changes: Any) -> Payment:
    """A hundred dollars to Singapore."""
    return _payment(
        org_id,
        {
            "type": "singaporeGlobalNetwork",
            "accountHolder": ADA,
            "singaporeGlobalNetwork": {
                "accountNumber": "0011223344",
                "swiftCode": "DBSSSGSG",
                "bankName": "Bank of Singapore",
            },
        },
        {"rail": "swift", **changes},
    )


def _payment(org_id: UUID, payee: Mapping[str, Any], told: Mapping[str, Any]) -> Payment:
    units, currency = told.get("units", 10_000), told.get("currency", "usd")
    return Payment(
        org_id=org_id,
        key=told.get("key") or uuid4(),
        record_id=told.get("record_id") or uuid4(),
        money=Money(units, FIAT[currency]),
        rail=told["rail"],
        is_same_day=told.get("is_same_day", False),
        payee=payee,
        texts=told.get("texts", {}),
        at=told.get("at", AT),
        returns=told.get("returns"),
    )


def _files(folder: Path) -> dict[str, bytes]:
    if not folder.exists():
        return {}
    return {each.name: each.read_bytes() for each in sorted(folder.iterdir()) if each.is_file()}
