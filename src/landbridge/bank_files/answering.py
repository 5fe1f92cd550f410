"""The sandbox's bank: fetches the files that go to it, and answers as a bank would.

It keeps nothing but the files themselves: what it has answered is seen by the answer's name, what
is on an account by the last statement. Nothing here is ever used in production.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from uuid import UUID

from landbridge.bank_files import answer_store, file_store, payment_store
from landbridge.bank_files.accounts import OwnAccount, OwnAccounts
from landbridge.bank_files.errors import FileRefused
from landbridge.bank_files.iso20022 import camt053, pain001, pain002
from landbridge.bank_files.iso20022.messages import (
    ClearingMember,
    Entry,
    EntryStatus,
    Initiation,
    OtherParty,
    Statement,
    StatusReport,
    Transaction,
    TransactionStatus,
)
from landbridge.bank_files.line_model import StatementHead
from landbridge.bank_files.model import Format
from landbridge.bank_files.nacha.messages import Batch, NachaFile
from landbridge.bank_files.nacha.reading import read as read_nacha
from landbridge.bank_files.nacha.returns import return_of
from landbridge.bank_files.nacha.writing import write as write_nacha
from landbridge.bank_files.places.opening import open_place
from landbridge.bank_files.places.port import Folder, Place, plain_name
from landbridge.core.clock import Clock
from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import new_id
from landbridge.core.money import AmountError, Money
from landbridge.db.pool import Database
from landbridge.ledger.errors import TransactionNotFound
from landbridge.orgs.model import Mode
from landbridge.rails.currencies import FIAT
from landbridge.simulation.errors import SandboxOnly

# Why this bank refuses and returns: the account is closed, and there is no such account.
_REASON, _RETURN_CODE = "AC04", "R03"
# Why it takes a deposit back: its sender's bank says that it was fraud. Source: ISO 20022 (FRAD).
_RECALLED = "FRAD"
# What is on an account before the first statement, in whole units.
_OPENING = 1_000_000
_RUNNING_DIGITS = 7


class Outcome(StrEnum):
    """What the bank makes of the payments of a file."""

    SETTLE = "settle"
    """They are booked. Of ACH it says nothing: they settle when the time for returns is over."""
    REJECT = "reject"
    """It refuses them. Of ACH it returns them."""
    RETURN = "return"
    """They are booked, and come back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """Money that somebody sends to an account; `number` is a virtual one, if it goes there."""

    money: Money
    reference: str | None
    number: str | None
    sender: str


@dataclass(frozen=True, slots=True)
class SandboxBank:
    """Refuses everything in production."""

    mode: Mode
    database: Database
    accounts: OwnAccounts
    clock: Clock

    async def answer(self, org_id: UUID, outcome: Outcome, offset: timedelta) -> Sequence[str]:
        """Answer each file that was not answered yet; the names of the answers."""
        self._check_mode()
        written: list[str] = []
        for account in await self.accounts.of([org_id]):
            place = open_place(account.told.place)
            known = await _known(place)
            for name in await place.names(Folder.OUT):
                answer = f"answer-{name}"
                if answer not in known and await self._is_of(account, name):
                    raw = await place.read(Folder.OUT, name)
                    content = await self._content(account, place, raw, outcome, offset)
                    if content is not None:
                        await place.write(Folder.IN, answer, content)
                        written.append(answer)
        return written

    async def deposit(self, org_id: UUID, sent: Sent, offset: timedelta) -> str:
        """Let money arrive on an account, told by a statement; the statement's name.

        Raises `FieldInvalid` for a currency that the organisation has no account in.
        """
        name = f"deposit-{new_id().hex}.xml"
        deposit = Transaction(
            money=sent.money,
            is_credit=True,
            bank_reference=_reference(name),
            other_party=_sender(sent.sender, sent.money.asset.currency),
            our_account=sent.number,
            remittance=sent.reference,
        )
        return await self._tell(org_id, name, deposit, offset)

    async def return_payment(
        self, org_id: UUID, record_id: UUID, *, fee: str, offset: timedelta
    ) -> str:
        """Give back a payment that was booked before, less a fee; the statement's name.

        `record_id` is a payout, or a deposit that was returned to its sender. Raises
        `TransactionNotFound` for one of which no payment is at the bank, and `FieldInvalid` for a
        fee that leaves nothing.
        """
        self._check_mode()
        payment = await self.database.single(
            lambda tx: payment_store.of_record(tx, org_id, record_id)
        )
        if payment is None:
            raise TransactionNotFound(f"no payment of {record_id} is at the bank")
        try:
            money = payment.money - Money.parse(fee, payment.money.asset)
        except AmountError as error:
            raise FieldInvalid(f"the fee {error}", field="fee") from error
        if not 0 < money.units <= payment.money.units:
            raise FieldInvalid(f"of {payment.money} a fee leaves nothing", field="fee")
        name = f"return-{new_id().hex}.xml"
        back = Transaction(
            money=money,
            is_credit=True,
            bank_reference=_reference(name),
            end_to_end_id=payment.end_to_end_id,
            instruction_id=payment.end_to_end_id,
            return_code=_REASON,
        )
        return await self._tell(org_id, name, back, offset)

    async def recall(self, org_id: UUID, money: Money, offset: timedelta) -> str:
        """Take back a deposit of this amount; the statement's name.

        Raises `FieldInvalid` for a currency that the organisation has no account in.
        """
        name = f"recall-{new_id().hex}.xml"
        taken = Transaction(
            money=money,
            is_credit=False,
            bank_reference=_reference(name),
            return_code=_RECALLED,
        )
        return await self._tell(org_id, name, taken, offset)

    async def _tell(self, org_id: UUID, name: str, told: Transaction, offset: timedelta) -> str:
        """Write a statement with one entry; its name."""
        self._check_mode()
        currency = told.money.asset.currency
        found = await self.accounts.of([org_id])
        account = next((each for each in found if each.currency == currency), None)
        if account is None:
            raise FieldInvalid(f"there is no bank account in {currency}", field="currency")
        place, entry = open_place(account.told.place), _entry(told, self.clock.now(offset))
        content = await self._statement(account, place, name, [entry], offset)
        await place.write(Folder.IN, name, content)
        return name

    async def _is_of(self, account: OwnAccount, name: str) -> bool:
        """Whether a file is one of this account's; several may share a place."""
        found = await self.database.single(lambda tx: file_store.by_name(tx, account.org_id, name))
        return found is not None and found.account_id == account.id

    async def _content(
        self,
        account: OwnAccount,
        place: Place,
        raw: bytes | None,
        outcome: Outcome,
        offset: timedelta,
    ) -> bytes | None:
        """The answer to a file; None if there is nothing to say."""
        at = self.clock.now(offset)
        if raw is None:
            return None
        if _format(raw) is Format.NACHA:
            returned = None if outcome is Outcome.SETTLE else _returned(account, raw, at)
            return None if returned is None else write_nacha(returned)
        initiation = pain001.read(raw)
        if outcome is Outcome.REJECT:
            return pain002.write(_rejected(initiation, at))
        entries = _entries(initiation, at, is_back=False)
        if outcome is Outcome.RETURN:
            entries += _entries(initiation, at, is_back=True)
        return await self._statement(account, place, initiation.message_id, entries, offset)

    async def _statement(
        self,
        account: OwnAccount,
        place: Place,
        name: str,
        entries: Sequence[Entry],
        offset: timedelta,
    ) -> bytes:
        """A statement that follows on the last one."""
        last = await self._last(account, place)
        asset = FIAT[account.currency]
        opening = Money(_OPENING * 10**asset.decimals, asset)
        if last is not None and last.closing_units is not None:
            opening = Money(last.closing_units, asset)
        moved = sum(each.money.units * (1 if each.is_credit else -1) for each in entries)
        return camt053.write(
            Statement(
                id=_reference(name),
                account=account.told.number,
                currency=account.currency,
                created_at=self.clock.now(offset).replace(microsecond=0),
                entries=tuple(entries),
                number=1 if last is None or last.number is None else last.number + 1,
                opening=opening,
                closing=opening + Money(moved, asset),
            )
        )

    async def _last(self, account: OwnAccount, place: Place) -> StatementHead | None:
        """The last statement, read already or not."""
        last = await self.database.single(
            lambda tx: answer_store.latest(tx, account.org_id, account.id)
        )
        for name in await place.names(Folder.IN):
            for statement in await _read(place, name):
                number = statement.number or 0
                is_ours = account.told.is_number(statement.account)
                if is_ours and (last is None or number > (last.number or 0)):
                    last = StatementHead(
                        statement_id=statement.id,
                        number=number,
                        opening_units=None,
                        closing_units=statement.closing and statement.closing.units,
                        created_at=statement.created_at,
                    )
        return last

    def _check_mode(self) -> None:
        if self.mode is not Mode.SANDBOX:
            raise SandboxOnly


async def _known(place: Place) -> set[str]:
    """The names of files that were written for us, wherever they are now."""
    folders = (Folder.IN, Folder.DONE, Folder.REFUSED)
    return {plain_name(name) for folder in folders for name in await place.names(folder)}


async def _read(place: Place, name: str) -> Sequence[Statement]:
    """The statements of a file, if it is one of statements."""
    try:
        raw = await place.read(Folder.IN, name)
        return () if raw is None else camt053.read(raw)
    except FileRefused:
        return ()


def _sender(name: str, currency: str) -> OtherParty:
    """Who sends, with an account to which it can go back."""
    match currency:
        case "usd":
            return OtherParty(
                name=name,
                account="000123456789",
                clearing_member=ClearingMember("USABA", "091000019"),
            )
        case "eur":
            return OtherParty(name=name, account="NL91ABNA0417164300", bic="ABNANL2A")
        case _:
            return OtherParty(name=name, account="000123456789", bic="EXAMUS33")


def _format(raw: bytes) -> Format:
    return Format.PAIN_001 if raw.lstrip().startswith(b"<") else Format.NACHA


def _entries(initiation: Initiation, at: datetime, *, is_back: bool) -> list[Entry]:
    """The payments of a file as they are booked, or come back."""
    return [
        _entry(
            Transaction(
                money=each.money,
                is_credit=is_back,
                bank_reference=_reference(f"{each.end_to_end_id}/{is_back}"),
                end_to_end_id=each.end_to_end_id,
                instruction_id=each.end_to_end_id,
                message_id=initiation.message_id,
                return_code=_REASON if is_back else None,
            ),
            at,
        )
        for each in initiation.transfers
    ]


def _entry(transaction: Transaction, at: datetime) -> Entry:
    return Entry(
        is_credit=transaction.is_credit,
        status=EntryStatus.BOOKED,
        money=transaction.money,
        transactions=(transaction,),
        booked_on=at.date(),
        value_on=at.date(),
    )


def _rejected(initiation: Initiation, at: datetime) -> StatusReport:
    return StatusReport(
        message_id=_reference(f"rejected/{initiation.message_id}"),
        created_at=at.replace(microsecond=0),
        original_message_id=initiation.message_id,
        group_status="PART",
        transactions=tuple(
            TransactionStatus(
                end_to_end_id=each.end_to_end_id, status="RJCT", reason_codes=(_REASON,)
            )
            for each in initiation.transfers
        ),
    )


def _returned(account: OwnAccount, raw: bytes, at: datetime) -> NachaFile | None:
    """The file by which all that is in a file comes back."""
    sent, ach = read_nacha(raw), account.told.ach
    if ach is None:
        return None
    batches = [_returned_batch(batch, ach.destination) for batch in sent.batches]
    return NachaFile(
        immediate_destination=sent.immediate_origin,
        immediate_origin=sent.immediate_destination,
        destination_name=sent.origin_name,
        origin_name=sent.destination_name,
        created_at=at,
        id_modifier="A",
        batches=tuple(batches),
    )


def _returned_batch(batch: Batch, to_routing_number: str) -> Batch:
    entries = tuple(
        return_of(
            entry,
            to_routing_number=to_routing_number,
            trace_number=entry.routing_number[:8] + entry.trace_number[-_RUNNING_DIGITS:],
            code=_RETURN_CODE,
        )
        for entry in batch.entries
    )
    return replace(batch, entries=entries, effective_on=None)


def _reference(name: str) -> str:
    """A bank's own reference: the same for the same name."""
    return f"SB{sha256(name.encode()).hexdigest()[:20].upper()}"
