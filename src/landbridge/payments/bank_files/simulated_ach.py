"""ACH responses of the sandbox bank: books an ACH file in one sum, and returns its entries."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256

from landbridge.payments.bank_files.funding_account import FundingAccount
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import Money
from landbridge.providers.iso20022.messages import EntryStatus, StatementEntry, Transaction
from landbridge.providers.nacha.messages import NachaBatch, NachaFile
from landbridge.providers.nacha.returns import build_return
from landbridge.providers.rails.currencies import FIAT

# Return reasons: in NACHA files, no such account (R03); in statements, a closed account (AC04).
_RETURN_CODE, RETURN_REASON = "R03", "AC04"
_RUNNING_DIGITS = 7


@dataclass(frozen=True, slots=True)
class SentAch:
    """ACH file that the sandbox bank received, and the names of all files that the bank sent."""

    name: str
    file: NachaFile
    known: Collection[str]

    @property
    def answer(self) -> str:
        """Return the name of the file of returns."""
        return f"answer-{self.name}"

    @property
    def booking(self) -> str:
        """Return the name of the statement with the file's sum."""
        return f"booked-{self.name}.xml"

    @property
    def returning(self) -> str:
        """Return the name of a later statement with the returned entries."""
        return f"returned-{self.name}.xml"

    def bookings(self, at: datetime) -> list[StatementEntry]:
        """Return one entry with the sum of the file; none if the file has only prenotes."""
        cents = sum(entry.cents for batch in self.file.batches for entry in batch.entries)
        if not cents:
            return []
        debit = Transaction(
            money=Money(cents, FIAT["usd"]),
            is_credit=False,
            bank_reference=bank_reference(self.booking),
        )
        return [booked_entry(debit, at)]

    def returns(self, at: datetime) -> list[StatementEntry]:
        """Return one credit per returned entry, which names its trace number."""
        return [
            booked_entry(
                Transaction(
                    money=Money(entry.cents, FIAT["usd"]),
                    is_credit=True,
                    bank_reference=bank_reference(f"{self.answer}/{entry.trace_number}"),
                    end_to_end_id=entry.trace_number,
                    return_code=RETURN_REASON,
                ),
                at,
            )
            for batch in self.file.batches
            for entry in batch.entries
            if entry.cents
        ]

    def returned(self, settings: FundingAccount, at: datetime) -> NachaFile:
        """Return the file that returns every entry."""
        if settings.ach is None:
            raise InvariantBroken(f"{self.name} is an ACH file of an account without ACH")
        to_routing_number, sent = settings.ach.destination, self.file
        return NachaFile(
            immediate_destination=sent.immediate_origin,
            immediate_origin=sent.immediate_destination,
            destination_name=sent.origin_name,
            origin_name=sent.destination_name,
            created_at=at,
            id_modifier="A",
            batches=tuple(_returned_batch(each, to_routing_number) for each in sent.batches),
        )


def booked_entry(transaction: Transaction, at: datetime) -> StatementEntry:
    """Return an entry of a statement with one transaction."""
    return StatementEntry(
        is_credit=transaction.is_credit,
        status=EntryStatus.BOOKED,
        money=transaction.money,
        transactions=(transaction,),
        booked_on=at.date(),
        value_on=at.date(),
    )


def bank_reference(name: str) -> str:
    """Return a bank reference, the same for the same name."""
    return f"SB{sha256(name.encode()).hexdigest()[:20].upper()}"


def _returned_batch(batch: NachaBatch, to_routing_number: str) -> NachaBatch:
    entries = tuple(
        build_return(
            entry,
            to_routing_number=to_routing_number,
            trace_number=entry.routing_number[:8] + entry.trace_number[-_RUNNING_DIGITS:],
            code=_RETURN_CODE,
        )
        for entry in batch.entries
    )
    return replace(batch, entries=entries, effective_on=None)
