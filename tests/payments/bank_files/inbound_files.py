"""Builders of bank files, and of the services that read them."""

import tempfile
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec

from landbridge.app.container import sealer, wire
from landbridge.payments.bank_files.funding_accounts import FundingAccountView
from landbridge.payments.bank_files.inbox import InboxReader
from landbridge.payments.bank_files.model import BankPaymentStatus
from landbridge.payments.bank_files.reconciliation import Reconciliation
from landbridge.payments.bank_files.statement_line_model import (
    InboundFile,
    StatementLine,
    StatementLineStatus,
)
from landbridge.payments.bank_files.statement_lines import StatementLineReviews
from landbridge.payments.incoming_payments.model import IncomingPayment
from landbridge.payments.incoming_payments.service import IncomingPayments
from landbridge.platform.core.money import Money
from landbridge.platform.core.pagination import queue_window
from landbridge.platform.encryption.service import Vault
from landbridge.platform.http.caller import Caller
from landbridge.providers.iso20022 import camt053, pain002
from landbridge.providers.iso20022.messages import (
    BankStatement,
    EntryStatus,
    OtherParty,
    StatementEntry,
    StatusReport,
    Transaction,
    TransactionStatus,
)
from landbridge.providers.nacha.reading import read as read_nacha
from landbridge.providers.nacha.returns import build_return
from landbridge.providers.nacha.writing import write as write_nacha
from landbridge.providers.rails.currencies import FIAT
from landbridge.providers.rails.port import RailPayment
from tests.payments.bank_files.builders import AT, USD, Bank, funding
from tests.tenants import SETTINGS, Tenant

ON = date(2026, 3, 4)
EUR_IBAN = "DE89370400440532013000"
USD_NUMBER = "000987654321"
ALL = frozenset(StatementLineStatus)


def reading_of(bank: Bank) -> InboxReader:
    """Return the inbox reader of this bank."""
    vault = Vault(sealer(SETTINGS))
    incoming_payments = IncomingPayments(bank.database, vault)
    applying = Reconciliation(
        *(bank.database, vault, bank.accounts, bank.payments, incoming_payments, bank.clock)
    )
    return InboxReader(bank.database, vault, bank.accounts, applying, bank.clock)


def line_reviews_of(bank: Bank) -> StatementLineReviews:
    """Return the line reviews of this bank."""
    settings = msgspec.structs.replace(SETTINGS, rails="files")
    return wire(settings, bank.database, bank.clock).statement_line_reviews


def put(bank: Bank, name: str, content: bytes) -> None:
    """Deliver a file from the bank."""
    folder = bank.folder / "in"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


async def read(bank: Bank, **files: bytes) -> list[InboundFile]:
    """Deliver files and read them."""
    for name, content in files.items():
        put(bank, name, content)
    return list(await reading_of(bank).run({bank.org_id: timedelta()}))


async def lines(bank: Bank, *statuses: StatementLineStatus) -> list[StatementLine]:
    """Return all lines, the oldest first."""
    caller = Caller(bank.org_id, UUID(int=1), timedelta(), can_review=True)
    reviews = line_reviews_of(bank)
    window = queue_window(100)
    return list(await reviews.queue(caller, frozenset(statuses) or ALL, window))


async def incoming_payments(bank: Bank) -> list[IncomingPayment]:
    """Return all incoming payments, in no order."""
    rows = await bank.database.rows(
        "select id from incoming_payments where org_id = $1", bank.org_id
    )
    service = IncomingPayments(bank.database, Vault(sealer(SETTINGS)))
    found = await service.of(bank.org_id, [row["id"] for row in rows])
    return list(found.values())


async def sent(bank: Bank, *payments: RailPayment) -> list[UUID]:
    """Return the keys of payments in a delivered file."""
    for each in payments:
        await bank.rails.pay(each)
    await bank.write(is_early=True)
    return [each.key for each in payments]


async def status(bank: Bank, key: UUID) -> tuple[BankPaymentStatus, str | None]:
    """Return a payment's status and failure reason."""
    found = await bank.find(key)
    return found.status, found.reason


async def waiting(bank: Bank) -> list[str | None]:
    """Return the review reasons of waiting lines."""
    return [each.reason for each in await lines(bank, StatementLineStatus.UNMATCHED)]


async def own(bank: Bank, currency: str = "eur") -> FundingAccountView:
    """Return the account in this currency."""
    found = await bank.accounts.list_all([bank.org_id])
    return next(each for each in found if each.currency == currency)


def report(*statuses: TransactionStatus, original: str = "?", group: str | None = None) -> bytes:
    """Build a pain.002."""
    return pain002.write(
        StatusReport(
            message_id=f"R{uuid4().hex[:20]}",
            created_at=AT,
            original_message_id=original,
            group_status=group,
            reason_codes=("FF01",) if group == "RJCT" else (),
            transactions=statuses,
        )
    )


def ach_return(bank: Bank, key: UUID, code: str = "R03") -> bytes:
    """Build the bank's return of an ACH payment in `out`."""
    for raw in bank.out().values():
        file = read_nacha(raw) if raw.startswith(b"101") else None
        for batch in () if file is None else file.batches:
            for entry in batch.entries:
                if file is not None and entry.individual_id.lower() == key.hex[:15]:
                    routing = {"to_routing_number": "021000021", "trace_number": "091000010000001"}
                    back = replace(batch, entries=(build_return(entry, **routing, code=code),))
                    return write_nacha(replace(file, batches=(back,)))
    raise AssertionError(f"no file pays {key}")


def debit(key: UUID, units: int = 10_000, currency: str = "eur", **changes: Any) -> Transaction:
    """Build a booked debit for an outgoing payment."""
    return transaction(units, currency, is_credit=False, end_to_end_id=key.hex, **changes)


def back(key: UUID, units: int = 10_000, currency: str = "eur", **changes: Any) -> Transaction:
    """Build a return of an outgoing payment."""
    fields = {"return_code": "AC04", **changes}
    return transaction(units, currency, is_credit=True, end_to_end_id=key.hex, **fields)


def credit(units: int = 10_000, currency: str = "eur", **changes: Any) -> Transaction:
    """Build a deposit."""
    fields = {
        "other_party": OtherParty(name="Grace Payer", account="NL91ABNA0417164300", bic="ABNANL2A"),
        "remittance": "LB2345",
        **changes,
    }
    return transaction(units, currency, is_credit=True, **fields)


def transaction(units: int, currency: str, **changes: Any) -> Transaction:
    """Build one payment of a statement, with its own reference."""
    created = Transaction(money=Money(units, FIAT[currency]), **changes)
    reference = f"REF{abs(hash(repr(created))) % 10**12}"
    return created if "bank_reference" in changes else replace(created, bank_reference=reference)


def entry(payment: Transaction, **changes: Any) -> StatementEntry:
    """Build a booked entry with one payment."""
    booked = StatementEntry(
        is_credit=payment.is_credit,
        status=EntryStatus.BOOKED,
        money=payment.money,
        transactions=(payment,),
        booked_on=ON,
        value_on=ON,
    )
    return replace(booked, **changes)


def reversal(key: UUID, units: int = 10_000, **changes: Any) -> StatementEntry:
    """Build a reversal of a booking, without a statement that the payment was returned."""
    booking = transaction(units, "eur", is_credit=True, end_to_end_id=key.hex, **changes)
    return entry(booking, is_reversal=True)


def statement(
    *items: Transaction | StatementEntry,
    name: str = "S1",
    currency: str = "eur",
    account: str | None = None,
    opening: int = 1_000_000,
    number: int = 1,
    status: EntryStatus = EntryStatus.BOOKED,
    day: date = ON,
    page: int | None = None,
) -> bytes:
    """Build a camt.053 with one entry per payment; `page` makes it a page of several."""
    asset = FIAT[currency]
    entries = tuple(
        each
        if isinstance(each, StatementEntry)
        else entry(each, status=status, booked_on=day, value_on=day)
        for each in items
    )
    moved = sum(each.money.units * (1 if each.is_credit else -1) for each in items)
    is_booked = status is EntryStatus.BOOKED
    return camt053.write(
        BankStatement(
            id=name,
            account=account or (EUR_IBAN if currency == "eur" else USD_NUMBER),
            currency=currency,
            created_at=datetime(2026, 3, 5, 6, tzinfo=UTC) + timedelta(days=number),
            entries=entries,
            number=number,
            opening=Money(opening, asset),
            closing=Money(opening + (moved if is_booked else 0), asset),
            page=page,
        )
    )


def joined(*statements: bytes) -> bytes:
    """Return one file with the statements of several."""
    start, end = b"<Stmt>", b"</Stmt>"
    head, tail = statements[0].split(start)[0], statements[-1].split(end)[-1]
    parts = [each[each.index(start) : each.rindex(end) + len(end)] for each in statements]
    return head + b"".join(parts) + tail


async def make_bank_line(org: Tenant) -> str:
    """Create a line in manual review, an unreadable file, and return its id."""
    container, offsets = org.container, {org.org_id: timedelta()}
    with tempfile.TemporaryDirectory() as name:
        settings, at = funding(USD, Path(name)), container.clock.stamp()
        await container.funding_accounts.set(org.org_id, settings, actor="test", at=at)
        (Path(name) / "in").mkdir()
        (Path(name) / "in" / "bad").write_bytes(b"bad")
        await container.inbox_reader.run(offsets)
    (line,) = (await org.get("/v2/reviews/bank-lines"))["reviews"]
    return str(line["id"])
