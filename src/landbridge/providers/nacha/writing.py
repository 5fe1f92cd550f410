"""Encode a NACHA file, and validate payments for it.

Guarantees: the same file has the same bytes. Counts, sums and hashes are always computed.
`reading.read` decodes the result to the same file, with texts as `capitals` returns them. Names
and descriptions are cut to their columns; numbers never are.
"""

import re
import unicodedata
from collections.abc import Iterator

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.formats.bank_numbers import check_aba
from landbridge.providers.iso20022.texts import is_writable, transliterate
from landbridge.providers.nacha import records
from landbridge.providers.nacha.messages import (
    BATCH_CENTS_MAX,
    BATCHES_MAX,
    CENTS_MAX,
    ENTRIES_MAX,
    PRENOTES,
    SENT_TRANSACTION_CODES,
    NachaBatch,
    NachaEntry,
    NachaFile,
    SecCode,
)
from landbridge.providers.rails.calendar import NEW_YORK

_BLANKS = re.compile(r"[\s\x00-\x1f\x7f]+")
_FOREIGN = re.compile(r"[^\x20-\x7e]+")


def capitals(text: str) -> str:
    """Return the text in capitals that every bank accepts, on one line; see `has_lost_letters`."""
    line = _BLANKS.sub(" ", unicodedata.normalize("NFC", text)).strip()
    return (
        _BLANKS.sub(" ", _FOREIGN.sub(lambda found: transliterate(found[0]), line)).upper().strip()
    )


def has_lost_letters(text: str) -> bool:
    """Return whether a letter or digit of this text would become a question mark."""
    return not is_writable(text)


ADDENDA_LENGTH_MAX = 80
_ACCOUNT_NUMBER = re.compile(r"[A-Z0-9-]{1,17}")
_INDIVIDUAL_ID = re.compile(r"[A-Za-z0-9-]{0,15}")
_TRACE = re.compile(r"\d{15}")
_MODIFIER = re.compile(r"[A-Z0-9]")
# Service class codes of a batch: only credits, only debits, or both.
_CREDITS, _DEBITS, _MIXED = 220, 225, 200


def rejection_reason(entry: NachaEntry) -> str | None:
    """Return what ACH can't carry of a payment, without personal data; None if it can all.

    Checked before acceptance. The trace number is not validated: it is assigned when the file is
    written.
    """
    checks = (
        (
            entry.transaction_code in SENT_TRANSACTION_CODES,
            "an ACH payment must be a credit or a prenote",
        ),
        (_is_routing_number(entry.routing_number), "the routing number is not a bank's"),
        (
            _ACCOUNT_NUMBER.fullmatch(entry.account_number) is not None,
            "the account number must have 1 to 17 letters, digits or hyphens",
        ),
        (
            _has_right_amount(entry),
            "an ACH payment must be of $0.01 to $99,999,999.99, a prenote of nothing",
        ),
        (
            bool(capitals(entry.name)) and not has_lost_letters(entry.name),
            "the name must be in Latin letters",
        ),
        (
            _INDIVIDUAL_ID.fullmatch(entry.individual_id) is not None,
            "the individual id must have at most 15 letters, digits or hyphens",
        ),
        (len(entry.addenda) <= 1, "an ACH payment has at most one text"),
        (
            all(_is_carried(each) for each in entry.addenda),
            f"the text must have 1 to {ADDENDA_LENGTH_MAX} characters, in Latin letters",
        ),
    )
    return next((reason for is_right, reason in checks if not is_right), None)


def write(file: NachaFile) -> bytes:
    """Return the file. Raises `InvariantBroken` if it exceeds a limit or is incomplete."""
    _check(file)
    lines = [_file_header(file)]
    for batch in file.batches:
        lines += _batch_lines(batch)
    block_count = -(-(len(lines) + 1) // records.BLOCK)
    lines.append(_file_control(file, block_count))
    lines += [records.FILLER] * (block_count * records.BLOCK - len(lines))
    return "".join(f"{each}\n" for each in lines).encode("ascii")


def _check(file: NachaFile) -> None:
    assert 1 <= len(file.batches) <= BATCHES_MAX
    assert _MODIFIER.fullmatch(file.id_modifier)
    assert file.created_at.tzinfo is not None
    for batch in file.batches:
        assert 1 <= batch.record_count <= ENTRIES_MAX
        assert max(batch.credit_cents, batch.debit_cents) <= BATCH_CENTS_MAX
        traces = [each.trace_number for each in batch.entries]
        assert traces == sorted(set(traces))
    assert max(file.credit_cents, file.debit_cents) <= BATCH_CENTS_MAX


def _file_header(file: NachaFile) -> str:
    created_at = file.created_at.astimezone(NEW_YORK)
    return records.FILE_HEADER.write(
        {
            "immediate_destination": file.immediate_destination,
            "immediate_origin": file.immediate_origin,
            "creation_date": f"{created_at:%y%m%d}",
            "creation_time": f"{created_at:%H%M}",
            "id_modifier": file.id_modifier,
            "destination_name": capitals(file.destination_name)[:23].rstrip(),
            "origin_name": capitals(file.origin_name)[:23].rstrip(),
        }
    )


def _batch_lines(batch: NachaBatch) -> Iterator[str]:
    service_class = _service_class(batch)
    yield records.BATCH_HEADER.write(
        {
            "service_class": service_class,
            "company_name": capitals(batch.company_name)[:16].rstrip(),
            "company_id": batch.company_id,
            "sec_code": batch.sec_code,
            "entry_description": capitals(batch.description)[:10].rstrip(),
            "effective_date": f"{batch.effective_on:%y%m%d}" if batch.effective_on else "",
            "odfi": batch.odfi,
            "batch_number": batch.number,
        }
    )
    for entry in batch.entries:
        yield from _entry_lines(entry, batch.sec_code)
    yield records.BATCH_CONTROL.write(
        {
            "service_class": service_class,
            "entry_and_addenda_count": batch.record_count,
            "entry_hash": batch.entry_hash,
            "total_debits": batch.debit_cents,
            "total_credits": batch.credit_cents,
            "company_id": batch.company_id,
            "odfi": batch.odfi,
            "batch_number": batch.number,
        }
    )


def _service_class(batch: NachaBatch) -> int:
    if all(each.is_credit for each in batch.entries):
        return _CREDITS
    return _MIXED if any(each.is_credit for each in batch.entries) else _DEBITS


def _entry_lines(entry: NachaEntry, sec_code: SecCode) -> Iterator[str]:
    is_answer = entry.returned is not None or entry.correction is not None
    reason = None if is_answer else rejection_reason(entry)
    if reason is not None or not _TRACE.fullmatch(entry.trace_number):
        raise InvariantBroken(reason or "a trace number has 15 digits")
    assert (entry.correction is not None) == (sec_code is SecCode.COR)
    yield records.ENTRY.write(
        {
            "transaction_code": entry.transaction_code,
            "rdfi": entry.routing_number[:8],
            "check_digit": entry.routing_number[8:],
            "account_number": entry.account_number,
            "amount": entry.cents,
            "individual_id": entry.individual_id.upper(),
            "name": capitals(entry.name)[:22].rstrip(),
            "addenda_indicator": int(entry.record_count > 1),
            "trace_number": entry.trace_number,
        }
    )
    for number, text in enumerate(entry.addenda, start=1):
        yield records.ADDENDA_05.write(
            {
                "payment_information": capitals(text),
                "addenda_number": number,
                "entry_number": entry.trace_number[-7:],
            }
        )
    yield from _answer_lines(entry)


def _answer_lines(entry: NachaEntry) -> Iterator[str]:
    if (correction := entry.correction) is not None:
        yield records.ADDENDA_98.write(
            {
                "change_code": correction.code,
                "original_trace": correction.original_trace,
                "original_rdfi": correction.original_rdfi,
                "corrected_data": capitals(correction.corrected),
                "trace_number": entry.trace_number,
            }
        )
    if (returned := entry.returned) is not None:
        yield records.ADDENDA_99.write(
            {
                "return_code": returned.code,
                "original_trace": returned.original_trace,
                "date_of_death": f"{returned.died_on:%y%m%d}" if returned.died_on else "",
                "original_rdfi": returned.original_rdfi,
                "addenda_information": capitals(returned.information),
                "trace_number": entry.trace_number,
            }
        )


def _file_control(file: NachaFile, block_count: int) -> str:
    return records.FILE_CONTROL.write(
        {
            "batch_count": len(file.batches),
            "block_count": block_count,
            "entry_and_addenda_count": file.record_count,
            "entry_hash": file.entry_hash,
            "total_debits": file.debit_cents,
            "total_credits": file.credit_cents,
        }
    )


def _is_routing_number(text: str) -> bool:
    return check_aba.read(text) == text and check_aba.why_not(text) is None


def _has_right_amount(entry: NachaEntry) -> bool:
    if entry.transaction_code in PRENOTES:
        return entry.cents == 0
    return 0 < entry.cents <= CENTS_MAX


def _is_carried(text: str) -> bool:
    return 1 <= len(capitals(text)) <= ADDENDA_LENGTH_MAX and not has_lost_letters(text)
