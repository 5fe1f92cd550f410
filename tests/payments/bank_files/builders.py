"""Builders of bank accounts, and of payments from them by files."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec

from landbridge.app.container import sealer
from landbridge.ledger.service import Ledger
from landbridge.payments.bank_files.file_writer import BankFileWriter
from landbridge.payments.bank_files.funding_account import (
    FolderSettings,
    FundingAccount,
    TransportSettings,
    parse_toml,
)
from landbridge.payments.bank_files.funding_accounts import FundingAccounts
from landbridge.payments.bank_files.model import BankFile, BankPayment
from landbridge.payments.bank_files.payments import BankPayments
from landbridge.payments.bank_files.rails import FileRails
from landbridge.payments.limits.service import Limits
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.platform.encryption.service import Vault
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.rails.currencies import FIAT
from landbridge.providers.rails.port import RailPayment
from tests.make import make_org
from tests.tenants import SETTINGS

# A Wednesday morning in New York, before every cut-off.
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

[transport]
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

[transport]
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
    """Organisation with accounts in dollars and euro, whose files are written to `folder`."""

    database: Database
    clock: FrozenClock
    accounts: FundingAccounts
    payments: BankPayments
    rails: FileRails
    writer: BankFileWriter
    org_id: UUID
    folder: Path

    async def write(self, *, is_early: bool = False) -> list[BankFile]:
        """Write and deliver the files that are due."""
        return list(await self.writer.run({self.org_id: timedelta()}, is_early=is_early))

    async def find(self, key: UUID) -> BankPayment:
        """Return a queued payment."""
        found = await self.database.single(lambda tx: self.payments.find(tx, self.org_id, key))
        assert found is not None
        return found

    async def settle(self, key: UUID) -> bool:
        """Settle it, as by the bank's statement."""
        found = await self.find(key)
        return await self.database.transact(
            lambda tx: self.payments.settle_in(tx, found, at=self.clock.now())
        )

    async def fail(self, key: UUID, reason: str = "the bank returned it") -> bool:
        """Fail it, as by the bank's return."""
        found = await self.find(key)
        failed = await self.database.transact(
            lambda tx: self.payments.fail_in(tx, found, reason=reason, at=self.clock.now())
        )
        return bool(failed)

    def out(self) -> dict[str, bytes]:
        """Return the files that wait for the bank."""
        return _files(self.folder / "out")

    def reports(self) -> dict[str, Any]:
        """Return the control reports, by file name."""
        found = _files(self.folder / "control")
        return {name.removesuffix(".json"): json.loads(raw) for name, raw in found.items()}


async def make_bank(database: Database, folder: Path, *, is_prenoted: bool = False) -> Bank:
    """Create an organisation with both accounts, and its clock at `AT`."""
    clock = FrozenClock(AT, node=await take_node(database))
    org_id = await make_org(database)
    bank = connect_bank(database, org_id, clock, folder)
    for text in (USD, EUR):
        settings = funding(text, folder, is_prenoted=is_prenoted)
        await bank.accounts.set(org_id, settings, actor="test", at=clock.stamp())
    return bank


def connect_bank(database: Database, org_id: UUID, clock: FrozenClock, folder: Path) -> Bank:
    """Build the services on existing data: another worker of the same organisation."""
    vault = Vault(sealer(SETTINGS))
    accounts, payments = FundingAccounts(database, vault), BankPayments(Ledger(database))
    return Bank(
        database=database,
        clock=clock,
        accounts=accounts,
        payments=payments,
        rails=FileRails(database, vault, accounts, payments),
        writer=BankFileWriter(database, vault, accounts, clock, Limits(database, vault)),
        org_id=org_id,
        folder=folder,
    )


def funding(
    text: str,
    folder: Path,
    *,
    is_prenoted: bool = False,
    transport: TransportSettings | None = None,
) -> FundingAccount:
    """Build account settings in TOML, with their transport."""
    account = parse_toml(text)
    ach = account.ach and msgspec.structs.replace(account.ach, prenotes=is_prenoted)
    return msgspec.structs.replace(
        account, ach=ach, transport=transport or FolderSettings(path=str(folder))
    )


def by_ach(org_id: UUID, **changes: Any) -> RailPayment:
    """Build a payment of a hundred dollars to a checking account."""
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


def by_wire(org_id: UUID, **changes: Any) -> RailPayment:
    """Build a wire of a hundred dollars."""
    fields: dict[str, Any] = {"rail": "wire", **changes}
    return by_ach(org_id, **fields)


def by_sepa(org_id: UUID, **changes: Any) -> RailPayment:
    """Build a payment of a hundred euro to an IBAN."""
    return _payment(
        org_id,
        {
            "type": "europeGlobalNetwork",
            "accountHolder": ADA,
            "europeGlobalNetwork": {"transferType": "sepa", "iban": "NL91ABNA0417164300"},
        },
        {"rail": "sepa", "currency": "eur", **changes},
    )


def by_swift(org_id: UUID, **changes: Any) -> RailPayment:
    """Build a payment of a hundred dollars to Singapore."""
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


def _payment(org_id: UUID, payee: Mapping[str, Any], fields: Mapping[str, Any]) -> RailPayment:
    units, currency = fields.get("units", 10_000), fields.get("currency", "usd")
    return RailPayment(
        org_id=org_id,
        key=fields.get("key") or uuid4(),
        record_id=fields.get("record_id") or uuid4(),
        money=Money(units, FIAT[currency]),
        rail=fields["rail"],
        is_same_day=fields.get("is_same_day", False),
        payee=payee,
        texts=fields.get("texts", {}),
        at=fields.get("at", AT),
        returns=fields.get("returns"),
    )


def _files(folder: Path) -> dict[str, bytes]:
    if not folder.exists():
        return {}
    return {each.name: each.read_bytes() for each in sorted(folder.iterdir()) if each.is_file()}
