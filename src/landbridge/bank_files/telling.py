"""What a file of a bank's says, as lines: pure.

A line is known again by its fingerprint. The bank's own reference makes it, with day, amount,
direction and the payment's own names, since banks give one reference to several lines. Where there
is none, everything that was said does, and a count of lines alike in the same statement. Source:
ISO 20022 camt.053 and pain.002, NACHA returns.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256

import msgspec

from landbridge.bank_files.errors import FileRefused
from landbridge.bank_files.iso20022 import camt053, pain002
from landbridge.bank_files.iso20022.messages import (
    Entry,
    EntryStatus,
    OtherParty,
    Statement,
    StatusReport,
    Transaction,
)
from landbridge.bank_files.line_model import Draft, LineKind, LineWords, StatementHead, Told
from landbridge.bank_files.nacha import messages as nacha
from landbridge.bank_files.nacha import reading as nacha_reading
from landbridge.bank_files.nacha.returns import change_sentence
from landbridge.core.money import Money
from landbridge.rails.currencies import FIAT

# An XML declaration, comments and a root with its namespaces take less.
_HEAD_BYTES = 4096
_ROOTS = ((b"BkToCstmrStmt", Told.CAMT_053), (b"CstmrPmtStsRpt", Told.PAIN_002))
# How a NACHA file begins.
_NACHA_HEAD = b"101"
# What the kinds of the bank's own codes say of the rail. Source: ISO 20022 external code sets, bank
# transaction codes (sub-families of received credit transfers).
_RAILS = {
    "ESCT": "sepa",
    "STDO": "sepa",
    "ACDT": "ach",
    "DMCT": "wire",
    "XBCT": "swift",
}
_INSTANT_FAMILY = "RRCT"
# Banks of the United States have numbers there. Source: ISO 20022 (clearing systems).
_ABA = "USABA"
_BY_NUMBER = frozenset({"ach", "wire"})
_RAIL_OF = {"usd": "wire", "eur": "sepa"}
_CHARGES = "CHRG"


@dataclass(frozen=True, slots=True)
class ToldStatement:
    """A statement: its head, and what was booked. `left_out` entries are not."""

    account: str
    currency: str
    head: StatementHead
    is_partial: bool
    drafts: tuple[Draft, ...]
    left_out: int


def format_of(raw: bytes) -> Told:
    """What kind of file this is; raises `FileRefused` for one that is nothing of what we read."""
    if raw.startswith(_NACHA_HEAD):
        return Told.NACHA
    # Also of a file in UTF-16.
    head = raw[:_HEAD_BYTES].replace(b"\0", b"")
    for root, told in _ROOTS:
        if root in head:
            return told
    raise FileRefused("The file is neither a camt.053, nor a pain.002, nor a NACHA file.")


def statements(raw: bytes) -> list[ToldStatement]:
    """What a camt.053 says; raises `FileRefused`."""
    return [_statement(each) for each in camt053.read(raw)]


def statuses(raw: bytes) -> list[Draft]:
    """What a pain.002 says; raises `FileRefused`."""
    report = pain002.read(raw)
    source = _digest("pain.002", report.message_id)
    return list(_counted(_statuses(report, source)))


def answers(raw: bytes) -> list[Draft]:
    """What a NACHA file of the bank's says, in dollars; raises `FileRefused`."""
    file = nacha_reading.read(raw)
    source = _digest("nacha", file.immediate_origin, file.created_at.isoformat(), file.id_modifier)
    drafts = (_answer(entry, source) for batch in file.batches for entry in batch.entries)
    return list(_counted(drafts))


def refused(digest: bytes, name: str, reason: str) -> Draft:
    """The one line of a file that can't be read."""
    return Draft(
        kind=LineKind.FILE,
        fingerprint=_digest("file", digest.hex()),
        source=_digest("file", digest.hex()),
        words=LineWords(file_name=name),
        reason=reason,
    )


def about(told: ToldStatement, reason: str, *, note: str | None = None) -> Draft:
    """A line for a person about a whole statement."""
    head = told.head
    return Draft(
        kind=LineKind.STATEMENT,
        fingerprint=_digest("statement", told.account, head.statement_id, reason),
        source=_source(told.account, head.statement_id),
        words=LineWords(statement_id=head.statement_id, account_number=told.account, note=note),
        reason=reason,
    )


def alike(draft: Draft) -> Draft:
    """The line for a person about one without a reference, as another statement had it too."""
    return replace(
        draft,
        fingerprint=_digest("alike", draft.fingerprint.hex(), draft.source.hex()),
        reason="another statement or page has a line like this, and the bank gave neither a "
        "reference",
    )


def _statement(told: Statement) -> ToldStatement:
    booked = [each for each in told.entries if each.status is EntryStatus.BOOKED]
    page = "" if told.page is None else str(told.page)
    source = _source(told.account, told.id, page)
    drafts = (
        _booked(told, entry, transaction, source)
        for entry in booked
        for transaction in entry.transactions
        if transaction.money.units
    )
    head = StatementHead(
        statement_id=told.id,
        number=told.number,
        opening_units=told.opening and told.opening.units,
        closing_units=told.closing and told.closing.units,
        created_at=told.created_at,
    )
    return ToldStatement(
        account=told.account,
        currency=told.currency,
        head=head,
        is_partial=told.page is not None,
        drafts=tuple(_counted(drafts)),
        left_out=len(told.entries) - len(booked),
    )


def _booked(told: Statement, entry: Entry, transaction: Transaction, source: bytes) -> Draft:
    money, party = transaction.money, transaction.other_party
    rail = _rail(transaction.code, told.currency)
    words = LineWords(
        statement_id=told.id,
        bank_reference=transaction.bank_reference,
        end_to_end_id=transaction.end_to_end_id,
        instruction_id=transaction.instruction_id,
        message_id=transaction.message_id,
        account_number=transaction.our_account,
        party_name=party.name,
        party_account=party.account,
        party_bank=_bank(party, rail),
        remittance=transaction.remittance,
        rail=rail,
        codes=() if transaction.return_code is None else (transaction.return_code,),
    )
    kind = LineKind.CREDIT if transaction.is_credit else LineKind.DEBIT
    names = (words.end_to_end_id or "", words.instruction_id or "", str(transaction.uetr))
    marks = (kind, str(money), str(entry.booked_on or entry.value_on), *names)
    if transaction.bank_reference is None:
        # What is personal in it stays a digest of many things.
        marks += (str(entry.value_on), *_texts(words))
    else:
        marks += (transaction.bank_reference,)
    is_charge = _CHARGES in (transaction.code or "").split("/") and not any(names[:2])
    return Draft(
        kind=kind,
        fingerprint=_digest(*marks),
        source=source,
        words=words,
        money=money,
        booked_on=entry.booked_on or entry.value_on,
        has_reference=transaction.bank_reference is not None,
        is_back=entry.is_reversal or transaction.return_code is not None,
        reason="the bank's charges for a payment" if is_charge else None,
    )


def _statuses(report: StatusReport, source: bytes) -> Iterator[Draft]:
    if report.group_status is not None:
        words = LineWords(
            message_id=report.original_message_id,
            codes=(report.group_status, *report.reason_codes),
        )
        yield _status(words, source, is_back=report.is_rejected)
    for each in report.transactions:
        words = LineWords(end_to_end_id=each.end_to_end_id, codes=(each.status, *each.reason_codes))
        yield _status(words, source, is_back=each.is_rejected)


def _status(words: LineWords, source: bytes, *, is_back: bool) -> Draft:
    return Draft(
        kind=LineKind.STATUS,
        fingerprint=_digest("status", source.hex(), *_texts(words)),
        source=source,
        words=words,
        is_back=is_back,
    )


def _answer(entry: nacha.Entry, source: bytes) -> Draft:
    returned, correction = entry.returned, entry.correction
    answer = returned or correction
    words = LineWords(
        bank_reference=entry.trace_number,
        trace_number=None if answer is None else answer.original_trace,
        end_to_end_id=entry.individual_id or None,
        party_name=entry.name or None,
        party_account=entry.account_number or None,
        party_bank=entry.routing_number,
        codes=() if answer is None else (answer.code,),
        corrected=None if correction is None else correction.corrected,
    )
    if returned is not None:
        kind, reason = LineKind.RETURN, None
    elif correction is not None:
        kind, reason = LineKind.CHANGE, change_sentence(correction.code)
    else:
        kind, reason = LineKind.CHANGE, "an entry that is neither a return nor a change"
    told = (entry.trace_number, words.trace_number or "", *words.codes, str(entry.cents))
    return Draft(
        kind=kind,
        fingerprint=_digest("ach", *told),
        source=source,
        words=words,
        money=Money(entry.cents, FIAT["usd"]),
        is_back=returned is not None,
        reason=reason,
    )


def _counted(drafts: Iterable[Draft]) -> Iterator[Draft]:
    """The drafts of one source; those alike are told apart by their count."""
    counts: dict[bytes, int] = {}
    for draft in drafts:
        place = counts.get(draft.fingerprint, 0)
        counts[draft.fingerprint] = place + 1
        fingerprint = draft.fingerprint
        if place:
            fingerprint = _digest("again", draft.fingerprint.hex(), str(place))
        yield replace(draft, fingerprint=fingerprint)


def _bank(party: OtherParty, rail: str) -> str | None:
    """Their bank, by the number that money goes back to by this rail, or what else there is."""
    member = party.clearing_member
    number = member.id if member is not None and member.system == _ABA else None
    first, second = (number, party.bic) if rail in _BY_NUMBER else (party.bic, number)
    return first or second


def _rail(code: str | None, currency: str) -> str:
    parts = (code or "").split("/")
    if _INSTANT_FAMILY in parts and currency == "eur":
        return "sepaInstant"
    found = next((_RAILS[each] for each in parts if each in _RAILS), None)
    return found or _RAIL_OF.get(currency, "swift")


def _texts(words: LineWords) -> list[str]:
    """All that identifies, whatever statement it stands in."""
    told = (
        words.end_to_end_id,
        words.instruction_id,
        words.message_id,
        words.account_number,
        words.party_account,
        words.remittance,
        *words.codes,
    )
    return [each or "" for each in told]


def _source(account: str, statement_id: str, page: str = "") -> bytes:
    return _digest("statement", account, statement_id, page)


def _digest(*texts: str) -> bytes:
    """A digest of texts, none of which can run into the next."""
    return sha256(msgspec.json.encode(texts)).digest()
