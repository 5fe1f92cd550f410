"""Sandbox bank: picks up outbound files and responds as a bank would.

It stores nothing but files: a response is named after the file that it answers, and the last
statement holds the account's balance. It is never used in production.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from landbridge.ledger.errors import TransactionNotFound
from landbridge.payments.bank_files import file_store, inbound_file_store, payment_store
from landbridge.payments.bank_files.funding_accounts import FundingAccounts, FundingAccountView
from landbridge.payments.bank_files.model import BankFileFormat
from landbridge.payments.bank_files.simulated_ach import (
    RETURN_REASON,
    SentAch,
    bank_reference,
    booked_entry,
)
from landbridge.payments.bank_files.statement_line_model import StatementHead
from landbridge.payments.bank_files.transports.connect import open_transport
from landbridge.payments.bank_files.transports.port import (
    FileTransport,
    TransportFolder,
    original_name,
)
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import AmountError, Money
from landbridge.platform.db.pool import Database
from landbridge.platform.formats.file_errors import FileRejected
from landbridge.platform.orgs.model import Mode
from landbridge.providers.iso20022 import camt053, pain001, pain002
from landbridge.providers.iso20022.messages import (
    BankStatement,
    ClearingMember,
    Initiation,
    OtherParty,
    StatementEntry,
    StatusReport,
    Transaction,
    TransactionStatus,
)
from landbridge.providers.nacha.reading import read as read_nacha
from landbridge.providers.nacha.writing import write as write_nacha
from landbridge.providers.rails.currencies import FIAT
from landbridge.providers.simulation.errors import SandboxOnly

# Reason of a recalled deposit: the sender's bank reports fraud. Source: ISO 20022 (FRAD).
_RECALLED = "FRAD"
# Opening balance of an account before its first statement, in whole units.
_OPENING = 1_000_000


class BankOutcome(StrEnum):
    """Simulated result of the payments in a file."""

    SETTLE = "settle"
    """The bank books them, ACH in one sum, which settles at the end of the return window."""
    REJECT = "reject"
    """The bank rejects them; ACH entries are returned."""
    RETURN = "return"
    """The bank books them, and returns them later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedCredit:
    """Simulated deposit; `number` is a virtual account number, if it is sent to one."""

    money: Money
    reference: str | None
    number: str | None
    sender: str


@dataclass(frozen=True, slots=True)
class SandboxBank:
    """Plays the bank of an organisation; raises `SandboxOnly` in production."""

    mode: Mode
    database: Database
    accounts: FundingAccounts
    clock: Clock

    async def answer(self, org_id: UUID, outcome: BankOutcome, offset: timedelta) -> Sequence[str]:
        """Respond to each outbound file that has no response; return the names of the responses."""
        self._check_mode()
        file_names: list[str] = []
        for account in await self.accounts.list_all([org_id]):
            transport = open_transport(account.settings.transport)
            known = await _known(transport)
            for name in await transport.names(TransportFolder.OUT):
                raw = await transport.read(TransportFolder.OUT, name)
                if raw is None or not await self._belongs_to(account, name):
                    continue
                answer = f"answer-{name}"
                if _format(raw) is BankFileFormat.NACHA:
                    sent = SentAch(name, read_nacha(raw), known)
                    file_names += await self._answer_ach(account, transport, sent, outcome, offset)
                elif answer not in known:
                    content = await self._content(account, transport, raw, outcome, offset)
                    await transport.write(TransportFolder.IN, answer, content)
                    file_names.append(answer)
        return file_names

    async def _answer_ach(
        self,
        account: FundingAccountView,
        transport: FileTransport,
        sent: SentAch,
        outcome: BankOutcome,
        offset: timedelta,
    ) -> list[str]:
        """Answer an ACH file: book it in one sum and return its entries, each at most once."""
        at, names = self.clock.now(offset), list[str]()
        entries = [] if sent.booking in sent.known else sent.bookings(at)
        if outcome is not BankOutcome.SETTLE and sent.answer not in sent.known:
            returned = sent.returned(account.settings, at)
            await transport.write(TransportFolder.IN, sent.answer, write_nacha(returned))
            names.append(sent.answer)
            entries += sent.returns(at)
        if entries:
            name = sent.booking if sent.booking not in sent.known else sent.returning
            content = await self._statement(account, transport, name, entries, offset)
            await transport.write(TransportFolder.IN, name, content)
            names.append(name)
        return names

    async def deposit(self, org_id: UUID, sent: SimulatedCredit, offset: timedelta) -> str:
        """Simulate a deposit by a statement; return the statement's name.

        Raises `FieldInvalid` for a currency without an account of the organisation.
        """
        name = f"deposit-{new_id().hex}.xml"
        deposit = Transaction(
            money=sent.money,
            is_credit=True,
            bank_reference=bank_reference(name),
            other_party=_sender(sent.sender, sent.money.asset.currency),
            our_account=sent.number,
            remittance=sent.reference,
        )
        return await self._send_entry(org_id, name, deposit, offset)

    async def return_payment(
        self, org_id: UUID, record_id: UUID, *, fee: str, offset: timedelta
    ) -> str:
        """Return a booked payment, less a fee, by a statement; return the statement's name.

        `record_id` is a payout, or a deposit that was returned to its sender. Raises
        `TransactionNotFound` if the record has no payment at the bank, and `FieldInvalid` for a fee
        that leaves nothing.
        """
        self._check_mode()
        payment = await self.database.single(
            lambda tx: payment_store.find_by_record(tx, org_id, record_id)
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
            bank_reference=bank_reference(name),
            end_to_end_id=payment.end_to_end_id,
            instruction_id=payment.end_to_end_id,
            return_code=RETURN_REASON,
        )
        return await self._send_entry(org_id, name, back, offset)

    async def recall(self, org_id: UUID, money: Money, offset: timedelta) -> str:
        """Recall a deposit of this amount by a statement; return the statement's name.

        Raises `FieldInvalid` for a currency without an account of the organisation.
        """
        name = f"recall-{new_id().hex}.xml"
        debit = Transaction(
            money=money,
            is_credit=False,
            bank_reference=bank_reference(name),
            return_code=_RECALLED,
        )
        return await self._send_entry(org_id, name, debit, offset)

    async def _send_entry(
        self, org_id: UUID, name: str, transaction: Transaction, offset: timedelta
    ) -> str:
        """Write a statement with one entry; return its name."""
        self._check_mode()
        currency = transaction.money.asset.currency
        found = await self.accounts.list_all([org_id])
        account = next((each for each in found if each.currency == currency), None)
        if account is None:
            raise FieldInvalid(f"there is no bank account in {currency}", field="currency")
        transport, entry = (
            open_transport(account.settings.transport),
            booked_entry(transaction, self.clock.now(offset)),
        )
        content = await self._statement(account, transport, name, [entry], offset)
        await transport.write(TransportFolder.IN, name, content)
        return name

    async def _belongs_to(self, account: FundingAccountView, name: str) -> bool:
        """Return whether a file belongs to this account: several may share a transport."""
        found = await self.database.single(
            lambda tx: file_store.find_by_name(tx, account.org_id, name)
        )
        return found is not None and found.account_id == account.id

    async def _content(
        self,
        account: FundingAccountView,
        transport: FileTransport,
        raw: bytes,
        outcome: BankOutcome,
        offset: timedelta,
    ) -> bytes:
        """Return the response to a pain.001."""
        at = self.clock.now(offset)
        initiation = pain001.read(raw)
        if outcome is BankOutcome.REJECT:
            return pain002.write(_rejected(initiation, at))
        entries = _entries(initiation, at, is_back=False)
        if outcome is BankOutcome.RETURN:
            entries += _entries(initiation, at, is_back=True)
        return await self._statement(account, transport, initiation.message_id, entries, offset)

    async def _statement(
        self,
        account: FundingAccountView,
        transport: FileTransport,
        name: str,
        entries: Sequence[StatementEntry],
        offset: timedelta,
    ) -> bytes:
        """Build a statement that continues the last one."""
        last = await self._last_statement(account, transport)
        asset = FIAT[account.currency]
        opening = Money(_OPENING * 10**asset.decimals, asset)
        if last is not None and last.closing_units is not None:
            opening = Money(last.closing_units, asset)
        moved = sum(each.money.units * (1 if each.is_credit else -1) for each in entries)
        return camt053.write(
            BankStatement(
                id=bank_reference(name),
                account=account.settings.number,
                currency=account.currency,
                created_at=self.clock.now(offset).replace(microsecond=0),
                entries=tuple(entries),
                number=1 if last is None or last.number is None else last.number + 1,
                opening=opening,
                closing=opening + Money(moved, asset),
            )
        )

    async def _last_statement(
        self, account: FundingAccountView, transport: FileTransport
    ) -> StatementHead | None:
        """Return the header of the account's last statement, even if it was not read yet."""
        last = await self.database.single(
            lambda tx: inbound_file_store.find_latest_statement(tx, account.org_id, account.id)
        )
        for name in await transport.names(TransportFolder.IN):
            for statement in await _read(transport, name):
                number = statement.number or 0
                is_ours = account.settings.is_number(statement.account)
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


async def _known(transport: FileTransport) -> set[str]:
    """Return the names of the bank's files, whether they are new, ingested or refused."""
    folders = (TransportFolder.IN, TransportFolder.DONE, TransportFolder.REFUSED)
    return {original_name(name) for folder in folders for name in await transport.names(folder)}


async def _read(transport: FileTransport, name: str) -> Sequence[BankStatement]:
    """Return the statements of a file; empty if it is not a camt.053."""
    try:
        raw = await transport.read(TransportFolder.IN, name)
        return () if raw is None else camt053.read(raw)
    except FileRejected:
        return ()


def _sender(name: str, currency: str) -> OtherParty:
    """Return the sender of a simulated deposit, with an account to which it can be returned."""
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


def _format(raw: bytes) -> BankFileFormat:
    return BankFileFormat.PAIN_001 if raw.lstrip().startswith(b"<") else BankFileFormat.NACHA


def _entries(initiation: Initiation, at: datetime, *, is_back: bool) -> list[StatementEntry]:
    """Build one statement entry per payment of a file: its debit, or its return if `is_back`."""
    return [
        booked_entry(
            Transaction(
                money=each.money,
                is_credit=is_back,
                bank_reference=bank_reference(f"{each.end_to_end_id}/{is_back}"),
                end_to_end_id=each.end_to_end_id,
                instruction_id=each.end_to_end_id,
                message_id=initiation.message_id,
                return_code=RETURN_REASON if is_back else None,
            ),
            at,
        )
        for each in initiation.transfers
    ]


def _rejected(initiation: Initiation, at: datetime) -> StatusReport:
    return StatusReport(
        message_id=bank_reference(f"rejected/{initiation.message_id}"),
        created_at=at.replace(microsecond=0),
        original_message_id=initiation.message_id,
        group_status="PART",
        transactions=tuple(
            TransactionStatus(
                end_to_end_id=each.end_to_end_id, status="RJCT", reason_codes=(RETURN_REASON,)
            )
            for each in initiation.transfers
        ),
    )
