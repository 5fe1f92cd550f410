"""Statement events: converts a bank file into statement lines, without I/O.

A line is recognized by its fingerprint. It consists of the bank's reference with day, amount,
direction and the payment's own references, since banks use one reference for several lines. Without
a bank reference it covers the full content, and a count of equal lines in the same statement. A
credit with a reference that differs only in its day from a line of another statement may be the
same money, booked again.
Source: ISO 20022 camt.053 and pain.002, NACHA returns.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256

import msgspec

from landbridge.payments.bank_files.statement_line_model import (
    InboundFileKind,
    StatementHead,
    StatementLineDraft,
    StatementLineKind,
    StatementLineTexts,
)
from landbridge.platform.core.money import Money
from landbridge.platform.formats.file_errors import FileRejected
from landbridge.providers.iso20022 import camt053, pain002
from landbridge.providers.iso20022.messages import (
    BankStatement,
    EntryStatus,
    OtherParty,
    StatementEntry,
    StatusReport,
    Transaction,
)
from landbridge.providers.nacha import messages as nacha
from landbridge.providers.nacha import reading as nacha_reading
from landbridge.providers.nacha.returns import change_sentence
from landbridge.providers.rails.currencies import FIAT

# Bytes in which the root element is searched: declaration, comments and namespaces are shorter.
_HEAD_BYTES = 4096
_ROOTS = (
    (b"BkToCstmrStmt", InboundFileKind.CAMT_053),
    (b"CstmrPmtStsRpt", InboundFileKind.PAIN_002),
)
# Start of a NACHA file.
_NACHA_HEAD = b"101"
# Rail by sub-family of the bank transaction code. Source: ISO 20022 external code sets, bank
# transaction codes (sub-families of received credit transfers).
_RAILS = {
    "ESCT": "sepa",
    "STDO": "sepa",
    "ACDT": "ach",
    "DMCT": "wire",
    "XBCT": "swift",
}
_INSTANT_FAMILY = "RRCT"
# Clearing numbers of banks in the United States. Source: ISO 20022 (clearing systems).
_ABA = "USABA"
_BY_NUMBER = frozenset({"ach", "wire"})
_RAIL_OF = {"usd": "wire", "eur": "sepa"}
_CHARGES = "CHRG"
# Bank transaction code of direct debits, which payees collect and our files never contain. Source:
# ISO 20022 external code sets.
_DIRECT_DEBITS = "RDDT"
# Leading bytes of a page's source that all pages of its statement share.
_STATEMENT_BYTES = 16
# Index of the day among the texts of a fingerprint.
_DAY_PLACE = 2
# Days around its own on which money may be booked again: a weekend away at most.
_DAYS_AROUND = 4
_LAST_DAY = date.max.toordinal()


@dataclass(frozen=True, slots=True)
class ParsedStatement:
    """Statement: its header and booked entries. `omitted_count` entries are not booked."""

    account: str
    currency: str
    head: StatementHead
    is_partial: bool
    drafts: tuple[StatementLineDraft, ...]
    omitted_count: int


def format_of(raw: bytes) -> InboundFileKind:
    """Return the kind of this file; raises `FileRejected` for an unknown one."""
    if raw.startswith(_NACHA_HEAD):
        return InboundFileKind.NACHA
    # Zero bytes are removed, so that the root is found in a UTF-16 file too.
    head = raw[:_HEAD_BYTES].replace(b"\0", b"")
    for root, kind in _ROOTS:
        if root in head:
            return kind
    raise FileRejected("The file is neither a camt.053, nor a pain.002, nor a NACHA file.")


def statements(raw: bytes) -> list[ParsedStatement]:
    """Decode a camt.053; raises `FileRejected`."""
    return [_statement(each) for each in camt053.read(raw)]


def statuses(raw: bytes) -> list[StatementLineDraft]:
    """Decode a pain.002; raises `FileRejected`."""
    report = pain002.read(raw)
    source = _digest("pain.002", report.message_id)
    return list(_counted(_statuses(report, source)))


def ach_lines(raw: bytes) -> list[StatementLineDraft]:
    """Decode a bank's NACHA file, in dollars; raises `FileRejected`."""
    file = nacha_reading.read(raw)
    source = _digest("nacha", file.immediate_origin, file.created_at.isoformat(), file.id_modifier)
    drafts = (_ach_line(entry, source) for batch in file.batches for entry in batch.entries)
    return list(_counted(drafts))


def refused(digest: bytes, name: str, reason: str) -> StatementLineDraft:
    """Build the only line of a rejected file, for manual review."""
    return StatementLineDraft(
        kind=StatementLineKind.FILE,
        fingerprint=_digest("file", digest.hex()),
        source=_digest("file", digest.hex()),
        texts=StatementLineTexts(file_name=name),
        reason=reason,
    )


def statement_review(
    statement: ParsedStatement, reason: str, *, note: str | None = None
) -> StatementLineDraft:
    """Build a line for manual review of a whole statement."""
    head = statement.head
    return StatementLineDraft(
        kind=StatementLineKind.STATEMENT,
        fingerprint=_digest("statement", statement.account, head.statement_id, reason),
        source=_source(statement.account, head.statement_id),
        texts=StatementLineTexts(
            statement_id=head.statement_id, account_number=statement.account, note=note
        ),
        reason=reason,
    )


def alike(draft: StatementLineDraft) -> StatementLineDraft:
    """Build the review line of a draft without a reference that another statement contains too."""
    return replace(
        draft,
        fingerprint=_digest("alike", draft.fingerprint.hex(), draft.source.hex()),
        reason="another statement or page has a line like this, and the bank gave neither a "
        "reference",
    )


def is_on_other_page(source: bytes, other: bytes) -> bool:
    """Return whether two sources are different pages of one statement."""
    return source != other and source[:_STATEMENT_BYTES] == other[:_STATEMENT_BYTES]


def repeated(draft: StatementLineDraft) -> StatementLineDraft:
    """Build the review line of a draft that another page of its statement contains too."""
    return replace(
        draft,
        fingerprint=_digest("alike", draft.fingerprint.hex(), draft.source.hex()),
        reason="another page of the statement has a line like this, with its references",
    )


def on_other_days(draft: StatementLineDraft) -> list[bytes]:
    """Return the fingerprints that a credit would have on the days around its own."""
    if draft.booked_on is None or not draft.identity:
        return []
    day = draft.booked_on.toordinal()
    return [
        _digest(*_dated(draft.identity, date.fromordinal(each)))
        for each in range(max(day - _DAYS_AROUND, 1), min(day + _DAYS_AROUND, _LAST_DAY) + 1)
        if each != day
    ]


def rebooked(draft: StatementLineDraft) -> StatementLineDraft:
    """Build the review line of a credit that another statement contains on another day."""
    return replace(
        draft, reason="another statement has a line like this, with its references, on another day"
    )


def _dated(identity: tuple[str, ...], day: date) -> tuple[str, ...]:
    return (*identity[:_DAY_PLACE], str(day), *identity[_DAY_PLACE + 1 :])


def _statement(statement: BankStatement) -> ParsedStatement:
    booked = [each for each in statement.entries if each.status is EntryStatus.BOOKED]
    page = "" if statement.page is None else str(statement.page)
    source = _source(statement.account, statement.id, page)
    drafts = (
        _booked(statement, entry, transaction, source)
        for entry in booked
        for transaction in entry.transactions
        if transaction.money.units
    )
    head = StatementHead(
        statement_id=statement.id,
        number=statement.number,
        opening_units=statement.opening and statement.opening.units,
        closing_units=statement.closing and statement.closing.units,
        created_at=statement.created_at,
        closing_on=statement.closing_on,
    )
    return ParsedStatement(
        account=statement.account,
        currency=statement.currency,
        head=head,
        is_partial=statement.page is not None,
        drafts=tuple(_counted(drafts)),
        omitted_count=len(statement.entries) - len(booked),
    )


def _booked(
    statement: BankStatement, entry: StatementEntry, transaction: Transaction, source: bytes
) -> StatementLineDraft:
    money, party = transaction.money, transaction.other_party
    rail = _rail(transaction.code, statement.currency)
    texts = StatementLineTexts(
        statement_id=statement.id,
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
    kind = StatementLineKind.CREDIT if transaction.is_credit else StatementLineKind.DEBIT
    names = (texts.end_to_end_id or "", texts.instruction_id or "", str(transaction.uetr))
    fingerprint_fields = (kind, str(money), str(entry.booked_on or entry.value_on), *names)
    if transaction.bank_reference is None:
        # Personal data can't be guessed from a digest of many values.
        fingerprint_fields += (str(entry.value_on), *_texts(texts))
    else:
        fingerprint_fields += (transaction.bank_reference,)
    has_identity = transaction.is_credit and transaction.bank_reference is not None
    is_back = entry.is_reversal or transaction.return_code is not None
    return StatementLineDraft(
        kind=kind,
        fingerprint=_digest(*fingerprint_fields),
        source=source,
        texts=texts,
        money=money,
        booked_on=entry.booked_on or entry.value_on,
        has_reference=transaction.bank_reference is not None,
        is_back=is_back,
        reason=_review_reason(transaction, is_back=is_back),
        identity=fingerprint_fields if has_identity else (),
    )


def _review_reason(transaction: Transaction, *, is_back: bool) -> str | None:
    """Return why a transaction can't be a payment of ours, by the bank's code; otherwise None.

    A payee who collects by direct debit chooses its references, and may repeat ours.
    """
    families = (transaction.code or "").split("/")
    names = transaction.end_to_end_id, transaction.instruction_id
    if _CHARGES in families and not any(names):
        return "the bank's charges for a payment"
    if _DIRECT_DEBITS in families and (is_back or not transaction.is_credit):
        return "a direct debit, or its return: no payment of ours"
    return None


def _statuses(report: StatusReport, source: bytes) -> Iterator[StatementLineDraft]:
    if report.group_status is not None:
        texts = StatementLineTexts(
            message_id=report.original_message_id,
            codes=(report.group_status, *report.reason_codes),
        )
        yield _status(texts, source, is_back=report.is_rejected)
    for each in report.transactions:
        texts = StatementLineTexts(
            end_to_end_id=each.end_to_end_id, codes=(each.status, *each.reason_codes)
        )
        yield _status(texts, source, is_back=each.is_rejected)


def _status(texts: StatementLineTexts, source: bytes, *, is_back: bool) -> StatementLineDraft:
    return StatementLineDraft(
        kind=StatementLineKind.STATUS,
        fingerprint=_digest("status", source.hex(), *_texts(texts)),
        source=source,
        texts=texts,
        is_back=is_back,
    )


def _ach_line(entry: nacha.NachaEntry, source: bytes) -> StatementLineDraft:
    returned, correction = entry.returned, entry.correction
    answer = returned or correction
    texts = StatementLineTexts(
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
        kind, reason = StatementLineKind.RETURN, None
    elif correction is not None:
        kind, reason = StatementLineKind.CHANGE, change_sentence(correction.code)
    else:
        kind, reason = StatementLineKind.CHANGE, "an entry that is neither a return nor a change"
    identity = (entry.trace_number, texts.trace_number or "", *texts.codes, str(entry.cents))
    return StatementLineDraft(
        kind=kind,
        fingerprint=_digest("ach", *identity),
        source=source,
        texts=texts,
        money=Money(entry.cents, FIAT["usd"]),
        is_back=returned is not None,
        reason=reason,
    )


def _counted(drafts: Iterable[StatementLineDraft]) -> Iterator[StatementLineDraft]:
    """Yield the drafts of one source; a count in the fingerprint distinguishes equal ones."""
    counts: dict[bytes, int] = {}
    for draft in drafts:
        repetition = counts.get(draft.fingerprint, 0)
        counts[draft.fingerprint] = repetition + 1
        fingerprint = draft.fingerprint
        if repetition:
            fingerprint = _digest("again", draft.fingerprint.hex(), str(repetition))
        yield replace(draft, fingerprint=fingerprint)


def _bank(party: OtherParty, rail: str) -> str | None:
    """Return the sender's bank by the identifier that a return needs (ABA or BIC), or the other."""
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


def _texts(texts: StatementLineTexts) -> list[str]:
    """Return all texts that identify a transaction in any statement."""
    values = (
        texts.end_to_end_id,
        texts.instruction_id,
        texts.message_id,
        texts.account_number,
        texts.party_account,
        texts.remittance,
        *texts.codes,
    )
    return [each or "" for each in values]


def _source(account: str, statement_id: str, page: str = "") -> bytes:
    whole = _digest("statement", account, statement_id, "")
    if not page:
        return whole
    return whole[:_STATEMENT_BYTES] + _digest("page", page)[_STATEMENT_BYTES:]


def _digest(*texts: str) -> bytes:
    """Return a digest of texts, which differs if their boundaries differ."""
    return sha256(msgspec.json.encode(texts)).digest()
