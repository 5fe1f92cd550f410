"""Decode a NACHA file: one that we wrote, or one that a bank sends back.

Guarantees: for any bytes, the result is a file in which every count, sum and hash is right, or
`FileRejected` with a sentence that names the line and quotes none of its content. Time and memory
are bounded by `FILE_BYTES_MAX`.

Only batches of the classes in `messages.SecCode` are read, which share one layout. Any other class,
for example of international payments, rejects the file: a partly read file must not pass as
complete.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, time

from landbridge.platform.formats.bank_numbers import check_aba
from landbridge.platform.formats.file_errors import FileRejected
from landbridge.providers.nacha import records
from landbridge.providers.nacha.messages import (
    PRENOTES,
    NachaBatch,
    NachaEntry,
    NachaFile,
    NotificationOfChange,
    Return,
    SecCode,
)
from landbridge.providers.rails.calendar import NEW_YORK

# Maximum size of a file: a hundred thousand payments.
FILE_BYTES_MAX = 10_000_000

_Values = Mapping[str, str]
# First digit: kind of account; second digit: kind of transaction.
_TRANSACTION_CODE = re.compile(r"[2-5][1-9]")
_MODIFIER = re.compile(r"[A-Z0-9]")
_DATE = re.compile(r"[0-9]{6}")
_TIME = re.compile(r"(?:[01][0-9]|2[0-3])[0-5][0-9]")
_RETURN_CODE = re.compile(r"R[0-9]{2}")
_CHANGE_CODE = re.compile(r"C[0-9]{2}")
_SERVICE_CLASSES = {"200", "220", "225"}


def read(raw: bytes) -> NachaFile:
    """Return the file; raises `FileRejected`."""
    return _NachaReader(_lines(raw)).file()


def _lines(raw: bytes) -> list[str]:
    """Return the lines up to the file control, each of 94 printable characters."""
    if len(raw) > FILE_BYTES_MAX:
        raise FileRejected(f"A NACHA file has at most {FILE_BYTES_MAX} bytes.")
    try:
        text = raw.decode("ascii")
    except UnicodeDecodeError as error:
        raise FileRejected(f"Byte {error.start + 1} is not ASCII.") from None
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    for line_number, line in enumerate(lines, start=1):
        if len(line) != records.WIDTH or not line.isprintable():
            raise FileRejected(
                f"Line {line_number} must have {records.WIDTH} printable characters."
            )
    line_count = len(lines)
    while lines and lines[-1] == records.FILLER:
        lines.pop()
    # Some banks omit the filler lines; if present, they must follow the rules.
    is_filled = line_count > len(lines)
    if line_count - len(lines) >= records.BLOCK or (is_filled and line_count % records.BLOCK):
        raise FileRejected("The last block is not filled up with nines to ten lines.")
    return lines


class _NachaReader:
    """Parses the lines in the order that the rules require."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        # Number of lines read so far, which is the number of the last one.
        self._place = 0

    def file(self) -> NachaFile:
        """Parse header, batches and control; nothing may follow."""
        header = self._next("1", records.FILE_HEADER, "a file header")
        if not _MODIFIER.fullmatch(header["id_modifier"]):
            raise self._error("the file id modifier must be A to Z or 0 to 9")
        created_at = self._created_at(header)
        batches: list[NachaBatch] = []
        while self._next_type == "5":
            batches.append(self._batch())
        file = NachaFile(
            immediate_destination=header["immediate_destination"],
            immediate_origin=header["immediate_origin"],
            destination_name=header["destination_name"],
            origin_name=header["origin_name"],
            created_at=created_at,
            id_modifier=header["id_modifier"],
            batches=tuple(batches),
        )
        control = self._next("9", records.FILE_CONTROL, "a file control")
        self._check_totals(control, file)
        self._compare(control, "batch_count", len(batches))
        self._compare(control, "block_count", -(-len(self._lines) // records.BLOCK))
        if self._next_type:
            raise FileRejected(f"Line {self._place + 1}: something follows the file control.")
        return file

    def _batch(self) -> NachaBatch:
        header = self._next("5", records.BATCH_HEADER, "a batch header")
        if header["service_class"] not in _SERVICE_CLASSES:
            raise self._error("the service class must be 200, 220 or 225")
        if header["sec_code"] not in set(SecCode):
            raise self._error(f"batches are read of {', '.join(SecCode)} alone")
        effective = header["effective_date"].strip("0")
        batch = NachaBatch(
            company_name=header["company_name"],
            company_id=header["company_id"],
            sec_code=SecCode(header["sec_code"]),
            description=header["entry_description"],
            effective_on=self._date(header, "effective_date") if effective else None,
            odfi=header["odfi"],
            number=int(header["batch_number"]),
            entries=(),
        )
        entries: list[NachaEntry] = []
        while self._next_type == "6":
            entries.append(self._entry(batch.sec_code))
        if not entries:
            raise self._error("a batch has no entry")
        batch = replace(batch, entries=tuple(entries))
        self._check_batch(header, batch)
        return batch

    def _check_batch(self, header: _Values, batch: NachaBatch) -> None:
        control = self._next("8", records.BATCH_CONTROL, "a batch control")
        self._check_totals(control, batch)
        for name in ("service_class", "company_id", "odfi", "batch_number"):
            if control[name] != header[name]:
                raise self._error(f"the {_words(name)} is not that of the batch's header")
        is_credit = {each.is_credit for each in batch.entries}
        if {"220": False, "225": True}.get(header["service_class"]) in is_credit:
            raise self._error("the service class does not allow what is in the batch")

    def _entry(self, sec_code: SecCode) -> NachaEntry:
        values = self._next("6", records.ENTRY, "an entry")
        entry = NachaEntry(
            transaction_code=values["transaction_code"],
            routing_number=values["rdfi"] + values["check_digit"],
            account_number=values["account_number"],
            cents=int(values["amount"]),
            individual_id=values["individual_id"],
            name=values["name"],
            trace_number=values["trace_number"],
        )
        if not _TRANSACTION_CODE.fullmatch(entry.transaction_code):
            raise self._error("there is no such transaction code")
        if check_aba.why_not(entry.routing_number):
            raise self._error("the check digit of the routing number is wrong")
        if entry.transaction_code in PRENOTES and entry.cents:
            raise self._error("a prenote must have no amount")
        line_number = self._place
        while self._next_type == "7":
            entry = self._with_addenda(entry)
        if values["addenda_indicator"] != str(int(entry.record_count > 1)):
            raise FileRejected(f"Line {line_number}: the addenda indicator is wrong.")
        if (entry.correction is not None) != (sec_code is SecCode.COR):
            raise FileRejected(
                f"Line {line_number}: notifications of change, and they alone, are COR."
            )
        if entry.correction is not None and entry.cents:
            raise FileRejected(f"Line {line_number}: a notification of change must have no amount.")
        return entry

    def _with_addenda(self, entry: NachaEntry) -> NachaEntry:
        kind = self._lines[self._place][1:3]
        record = records.ADDENDA.get(kind)
        is_first = entry.record_count == 1
        # A return or correction has one addendum; a payment may have several.
        has_answer = entry.returned is not None or entry.correction is not None
        if record is None or has_answer or (kind != "05" and not is_first):
            raise FileRejected(f"Line {self._place + 1}: such an addenda has no place here.")
        values = self._next("7", record, "an addenda")
        match kind:
            case "05":
                self._compare(values, "addenda_number", len(entry.addenda) + 1)
                self._compare(values, "entry_number", int(entry.trace_number[-7:]))
                return replace(entry, addenda=(*entry.addenda, values["payment_information"]))
            case "98":
                return replace(entry, correction=self._correction(values))
            case _:
                return replace(entry, returned=self._return(values))

    def _correction(self, values: _Values) -> NotificationOfChange:
        if not _CHANGE_CODE.fullmatch(values["change_code"]):
            raise self._error("the change code must be C and two digits")
        return NotificationOfChange(
            code=values["change_code"],
            original_trace=values["original_trace"],
            original_rdfi=values["original_rdfi"],
            corrected=values["corrected_data"],
        )

    def _return(self, values: _Values) -> Return:
        if not _RETURN_CODE.fullmatch(values["return_code"]):
            raise self._error("the return code must be R and two digits")
        has_died = values["return_code"] in {"R14", "R15"} and values["date_of_death"].strip("0")
        return Return(
            code=values["return_code"],
            original_trace=values["original_trace"],
            original_rdfi=values["original_rdfi"],
            died_on=self._date(values, "date_of_death") if has_died else None,
            information=values["addenda_information"],
        )

    def _created_at(self, header: _Values) -> datetime:
        day = self._date(header, "creation_date")
        digits = header["creation_time"] or "0000"
        if not _TIME.fullmatch(digits):
            raise self._error("the creation time must be HHMM")
        return datetime.combine(day, time(int(digits[:2]), int(digits[2:])), NEW_YORK)

    def _date(self, values: _Values, name: str) -> date:
        digits = values[name]
        try:
            if not _DATE.fullmatch(digits):
                raise ValueError(name)  # noqa: TRY301  same sentence as for a day that is none
            return date(2000 + int(digits[:2]), int(digits[2:4]), int(digits[4:6]))
        except ValueError:
            raise self._error(f"the {_words(name)} must be YYMMDD") from None

    def _check_totals(self, control: _Values, of: NachaBatch | NachaFile) -> None:
        self._compare(control, "entry_and_addenda_count", of.record_count)
        self._compare(control, "entry_hash", of.entry_hash)
        self._compare(control, "total_debits", of.debit_cents)
        self._compare(control, "total_credits", of.credit_cents)

    def _compare(self, values: _Values, name: str, right: int) -> None:
        if int(values[name]) != right:
            raise self._error(f"the {_words(name)} is not what the lines before add up to")

    @property
    def _next_type(self) -> str:
        """Return the record type of the next line; '' at the end."""
        return self._lines[self._place][0] if self._place < len(self._lines) else ""

    def _next(self, record_type: str, record: records.NachaRecord, noun: str) -> dict[str, str]:
        if self._next_type != record_type:
            raise FileRejected(f"Line {self._place + 1} must be {noun}.")
        self._place += 1
        return record.read(self._lines[self._place - 1], self._place)

    def _error(self, reason: str) -> FileRejected:
        """Build an error that names the last line read."""
        return FileRejected(f"Line {self._place}: {reason}.")


def _words(name: str) -> str:
    return name.replace("_", " ")
