"""Makers of what a bank tells, and of the services that read it."""

import tempfile
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec

from landbridge.bank_files.accounts import OwnAccount
from landbridge.bank_files.applying import Applying
from landbridge.bank_files.iso20022 import camt053, pain002
from landbridge.bank_files.iso20022.messages import (
    Entry,
    EntryStatus,
    OtherParty,
    Statement,
    StatusReport,
    Transaction,
    TransactionStatus,
)
from landbridge.bank_files.line_model import Answer, Line, LineStatus
from landbridge.bank_files.lines import LineReviews
from landbridge.bank_files.model import Status
from landbridge.bank_files.nacha.reading import read as read_nacha
from landbridge.bank_files.nacha.returns import return_of
from landbridge.bank_files.nacha.writing import write as write_nacha
from landbridge.bank_files.reading import Reading
from landbridge.core.money import Money
from landbridge.core.pages import Window
from landbridge.privacy.service import Vault
from landbridge.rails.currencies import FIAT
from landbridge.rails.port import Payment
from landbridge.receipts.model import Receipt
from landbridge.receipts.service import Receipts
from landbridge.web.caller import Caller
from landbridge.wiring import sealer, wire
from tests.tenants import SETTINGS, Tenant

from .made import AT, USD, Bank, funding

ON = date(2026, 3, 4)
EUR_IBAN = "DE89370400440532013000"
USD_NUMBER = "000987654321"
ALL = frozenset(LineStatus)


def reading_of(bank: Bank) -> Reading:
    """What reads this bank's files."""
    vault = Vault(sealer(SETTINGS))
    receipts = Receipts(bank.database, vault)
    applying = Applying(*(bank.database, vault, bank.accounts, bank.payments, receipts, bank.clock))
    return Reading(bank.database, vault, bank.accounts, applying, bank.clock)


def line_reviews_of(bank: Bank) -> LineReviews:
    """What a person resolves this bank's lines by."""
    settings = msgspec.structs.replace(SETTINGS, rails="files")
    return wire(settings, bank.database, bank.clock).line_reviews


def put(bank: Bank, name: str, content: bytes) -> None:
    """A file comes from the bank."""
    folder = bank.folder / "in"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


async def read(bank: Bank, **files: bytes) -> list[Answer]:
    """Files come, and are read."""
    for name, content in files.items():
        put(bank, name, content)
    return list(await reading_of(bank).run({bank.org_id: timedelta()}))


async def lines(bank: Bank, *statuses: LineStatus) -> list[Line]:
    """What was told, the oldest first."""
    caller = Caller(bank.org_id, UUID(int=1), timedelta(), can_review=True)
    reviews = line_reviews_of(bank)
    window = Window(limit=100, after=None, before=None)
    return list(await reviews.queue(caller, frozenset(statuses) or ALL, window))


async def receipts(bank: Bank) -> list[Receipt]:
    """Deposits, in no order."""
    rows = await bank.database.rows("select id from receipts where org_id = $1", bank.org_id)
    service = Receipts(bank.database, Vault(sealer(SETTINGS)))
    found = await service.of(bank.org_id, [row["id"] for row in rows])
    return list(found.values())


async def sent(bank: Bank, *payments: Payment) -> list[UUID]:
    """The keys of payments that are in a file at the bank."""
    for each in payments:
        await bank.rails.pay(each)
    await bank.write(is_early=True)
    return [each.key for each in payments]


async def status(bank: Bank, key: UUID) -> tuple[Status, str | None]:
    """Where a payment is, and why it failed."""
    found = await bank.find(key)
    return found.status, found.reason


async def waiting(bank: Bank) -> list[str | None]:
    """Why lines wait for a person."""
    return [each.reason for each in await lines(bank, LineStatus.UNMATCHED)]


async def own(bank: Bank, currency: str = "eur") -> OwnAccount:
    """The account in this currency."""
    found = await bank.accounts.of([bank.org_id])
    return next(each for each in found if each.currency == currency)


def report(*told: TransactionStatus, original: str = "?", group: str | None = None) -> bytes:
    """A pain.002."""
    return pain002.write(
        StatusReport(
            message_id=f"R{uuid4().hex[:20]}",
            created_at=AT,
            original_message_id=original,
            group_status=group,
            reason_codes=("FF01",) if group == "RJCT" else (),
            transactions=told,
        )
    )


def ach_return(bank: Bank, key: UUID, code: str = "R03") -> bytes:
    """The bank's return of an ACH payment that waits in `out`."""
    for raw in bank.out().values():
        file = read_nacha(raw) if raw.startswith(b"101") else None
        for batch in () if file is None else file.batches:
            for entry in batch.entries:
                if file is not None and entry.individual_id.lower() == key.hex[:15]:
                    told = {"to_routing_number": "021000021", "trace_number": "091000010000001"}
                    back = replace(batch, entries=(return_of(entry, **told, code=code),))
                    return write_nacha(replace(file, batches=(back,)))
    raise AssertionError(f"no file pays {key}")


def debit(key: UUID, units: int = 10_000, currency: str = "eur", **changes: Any) -> Transaction:
    """A payment of ours, booked."""
    return transaction(units, currency, is_credit=False, end_to_end_id=key.hex, **changes)


def back(key: UUID, units: int = 10_000, currency: str = "eur", **changes: Any) -> Transaction:
    """A payment of ours that came back."""
    told = {"return_code": "AC04", **changes}
    return transaction(units, currency, is_credit=True, end_to_end_id=key.hex, **told)


def credit(units: int = 10_000, currency: str = "eur", **changes: Any) -> Transaction:
    """A deposit."""
    told = {
        "other_party": OtherParty(name="Grace Payer", account="NL91ABNA0417164300", bic="ABNANL2A"),
        "remittance": "LB2345",
        **changes,
    }
    return transaction(units, currency, is_credit=True, **told)


def transaction(units: int, currency: str, **changes: Any) -> Transaction:
    """One payment of a statement; its reference is its own."""
    made = Transaction(money=Money(units, FIAT[currency]), **changes)
    reference = f"REF{abs(hash(repr(made))) % 10**12}"
    return made if "bank_reference" in changes else replace(made, bank_reference=reference)


def entry(told: Transaction, **changes: Any) -> Entry:
    """A booked line of a statement with one payment."""
    booked = Entry(
        is_credit=told.is_credit,
        status=EntryStatus.BOOKED,
        money=told.money,
        transactions=(told,),
        booked_on=ON,
        value_on=ON,
    )
    return replace(booked, **changes)


def reversal(key: UUID, units: int = 10_000, **changes: Any) -> Entry:
    """The bank takes back a booking of a payment, and does not say that it was returned."""
    told = transaction(units, "eur", is_credit=True, end_to_end_id=key.hex, **changes)
    return entry(told, is_reversal=True)


def statement(
    *told: Transaction | Entry,
    name: str = "S1",
    currency: str = "eur",
    account: str | None = None,
    opening: int = 1_000_000,
    number: int = 1,
    status: EntryStatus = EntryStatus.BOOKED,
    day: date = ON,
    page: int | None = None,
) -> bytes:
    """A camt.053 of these payments, each an entry of its own; `page` is of one that has several."""
    asset = FIAT[currency]
    entries = tuple(
        each if isinstance(each, Entry) else entry(each, status=status, booked_on=day, value_on=day)
        for each in told
    )
    moved = sum(each.money.units * (1 if each.is_credit else -1) for each in told)
    is_booked = status is EntryStatus.BOOKED
    return camt053.write(
        Statement(
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


async def make_bank_line(org: Tenant) -> str:
    """The id of a line that waits for a person: a file that can't be read."""
    house, offsets = org.house, {org.org_id: timedelta()}
    with tempfile.TemporaryDirectory() as name:
        told, at = funding(USD, Path(name)), house.clock.stamp()
        await house.own_accounts.set(org.org_id, told, actor="test", at=at)
        (Path(name) / "in").mkdir()
        (Path(name) / "in" / "bad").write_bytes(b"bad")
        await house.bank_reading.run(offsets)
    (line,) = (await org.get("/v2/reviews/bank-lines"))["reviews"]
    return str(line["id"])
