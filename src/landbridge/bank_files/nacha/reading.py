"""A NACHA file out of its bytes: what we wrote, and what a bank answers.

Guarantees: whatever bytes come in, the answer is a file whose every count, sum and hash is right,
or `FileRefused` with a sentence that names the line and nothing of what stands in it. Time and
memory are bounded by `FILE_BYTES_MAX`.

Batches are read whose records look alike (`messages.SecCode`); others, as of international
payments, refuse the file, since nobody may believe that all of it was read.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, time

from landbridge.bank_files.errors import FileRefused
from landbridge.bank_files.nacha import records
from landbridge.bank_files.nacha.messages import (
    PRENOTES,
    Batch,
    Correction,
    Entry,
    NachaFile,
    Return,
    SecCode,
)
from landbridge.formats.banks import check_aba
from landbridge.rails.calendar import NEW_YORK

# A hundred thousand payments.
FILE_BYTES_MAX = 10_000_000

_Values = Mapping[str, str]
# Kind of account, then what is done with it.
_TRANSACTION_CODE = re.compile(r"[2-5][1-9]")
_MODIFIER = re.compile(r"[A-Z0-9]")
_DATE = re.compile(r"[0-9]{6}")
_TIME = re.compile(r"(?:[01][0-9]|2[0-3])[0-5][0-9]")
_RETURN_CODE = re.compile(r"R[0-9]{2}")
_CHANGE_CODE = re.compile(r"C[0-9]{2}")
_SERVICE_CLASSES = {"200", "220", "225"}


def read(raw: bytes) -> NachaFile:
    """The file; raises `FileRefused`."""
    return _Reader(_lines(raw)).file()


def _lines(raw: bytes) -> list[str]:
    """The lines up to the file control, each of 94 printable characters."""
    if len(raw) > FILE_BYTES_MAX:
        raise FileRefused(f"A NACHA file has at most {FILE_BYTES_MAX} bytes.")
    try:
        text = raw.decode("ascii")
    except UnicodeDecodeError as error:
        raise FileRefused(f"Byte {error.start + 1} is not ASCII.") from None
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    for place, line in enumerate(lines, start=1):
        if len(line) != records.WIDTH or not line.isprintable():
            raise FileRefused(f"Line {place} must have {records.WIDTH} printable characters.")
    line_count = len(lines)
    while lines and lines[-1] == records.FILLER:
        lines.pop()
    # Some banks leave the filling out; what is filled is filled as the rules say.
    is_filled = line_count > len(lines)
    if line_count - len(lines) >= records.BLOCK or (is_filled and line_count % records.BLOCK):
        raise FileRefused("The last block is not filled up with nines to ten lines.")
    return lines


class _Reader:
    """Goes through the lines, in the order in which the rules want them."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        # How many lines are behind us: the number of the line that was read last.
        self._place = 0

    def file(self) -> NachaFile:
        """Header, batches, control, and nothing after it."""
        header = self._next("1", records.FILE_HEADER, "a file header")
        if not _MODIFIER.fullmatch(header["id_modifier"]):
            raise self._refused("the file id modifier must be A to Z or 0 to 9")
        created_at = self._created_at(header)
        batches: list[Batch] = []
        while self._ahead == "5":
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
        if self._ahead:
            raise FileRefused(f"Line {self._place + 1}: something follows the file control.")
        return file

    def _batch(self) -> Batch:
        header = self._next("5", records.BATCH_HEADER, "a batch header")
        if header["service_class"] not in _SERVICE_CLASSES:
            raise self._refused("the service class must be 200, 220 or 225")
        if header["sec_code"] not in set(SecCode):
            raise self._refused(f"batches are read of {', '.join(SecCode)} alone")
        effective = header["effective_date"].strip("0")
        batch = Batch(
            company_name=header["company_name"],
            company_id=header["company_id"],
            sec_code=SecCode(header["sec_code"]),
            description=header["entry_description"],
            effective_on=self._date(header, "effective_date") if effective else None,
            odfi=header["odfi"],
            number=int(header["batch_number"]),
            entries=(),
        )
        entries: list[Entry] = []
        while self._ahead == "6":
            entries.append(self._entry(batch.sec_code))
        if not entries:
            raise self._refused("a batch has no entry")
        batch = replace(batch, entries=tuple(entries))
        self._check_batch(header, batch)
        return batch

    def _check_batch(self, header: _Values, batch: Batch) -> None:
        control = self._next("8", records.BATCH_CONTROL, "a batch control")
        self._check_totals(control, batch)
        for name in ("service_class", "company_id", "odfi", "batch_number"):
            if control[name] != header[name]:
                raise self._refused(f"the {_words(name)} is not that of the batch's header")
        is_credit = {each.is_credit for each in batch.entries}
        if {"220": False, "225": True}.get(header["service_class"]) in is_credit:
            raise self._refused("the service class does not allow what is in the batch")

    def _entry(self, sec_code: SecCode) -> Entry:
        values = self._next("6", records.ENTRY, "an entry")
        entry = Entry(
            transaction_code=values["transaction_code"],
            routing_number=values["rdfi"] + values["check_digit"],
            account_number=values["account_number"],
            cents=int(values["amount"]),
            individual_id=values["individual_id"],
            name=values["name"],
            trace_number=values["trace_number"],
        )
        if not _TRANSACTION_CODE.fullmatch(entry.transaction_code):
            raise self._refused("there is no such transaction code")
        if check_aba.why_not(entry.routing_number):
            raise self._refused("the check digit of the routing number is wrong")
        if entry.transaction_code in PRENOTES and entry.cents:
            raise self._refused("a prenote must have no amount")
        place = self._place
        while self._ahead == "7":
            entry = self._with_addenda(entry)
        if values["addenda_indicator"] != str(int(entry.record_count > 1)):
            raise FileRefused(f"Line {place}: the addenda indicator is wrong.")
        if (entry.correction is not None) != (sec_code is SecCode.COR):
            raise FileRefused(f"Line {place}: notifications of change, and they alone, are COR.")
        if entry.correction is not None and entry.cents:
            raise FileRefused(f"Line {place}: a notification of change must have no amount.")
        return entry

    def _with_addenda(self, entry: Entry) -> Entry:
        kind = self._lines[self._place][1:3]
        record = records.ADDENDA.get(kind)
        is_first = entry.record_count == 1
        # Answers stand alone; of texts there may be several.
        has_answer = entry.returned is not None or entry.correction is not None
        if record is None or has_answer or (kind != "05" and not is_first):
            raise FileRefused(f"Line {self._place + 1}: such an addenda has no place here.")
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

    def _correction(self, values: _Values) -> Correction:
        if not _CHANGE_CODE.fullmatch(values["change_code"]):
            raise self._refused("the change code must be C and two digits")
        return Correction(
            code=values["change_code"],
            original_trace=values["original_trace"],
            original_rdfi=values["original_rdfi"],
            corrected=values["corrected_data"],
        )

    def _return(self, values: _Values) -> Return:
        if not _RETURN_CODE.fullmatch(values["return_code"]):
            raise self._refused("the return code must be R and two digits")
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
        told = header["creation_time"] or "0000"
        if not _TIME.fullmatch(told):
            raise self._refused("the creation time must be HHMM")
        return datetime.combine(day, time(int(told[:2]), int(told[2:])), NEW_YORK)

    def _date(self, values: _Values, name: str) -> date:
        told = values[name]
        try:
            if not _DATE.fullmatch(told):
                raise ValueError(name)  # noqa: TRY301  same sentence as for a day that is none
            return date(2000 + int(told[:2]), int(told[2:4]), int(told[4:6]))
        except ValueError:
            raise self._refused(f"the {_words(name)} must be YYMMDD") from None

    def _check_totals(self, control: _Values, of: Batch | NachaFile) -> None:
        self._compare(control, "entry_and_addenda_count", of.record_count)
        self._compare(control, "entry_hash", of.entry_hash)
        self._compare(control, "total_debits", of.debit_cents)
        self._compare(control, "total_credits", of.credit_cents)

    def _compare(self, values: _Values, name: str, right: int) -> None:
        if int(values[name]) != right:
            raise self._refused(f"the {_words(name)} is not what the lines before add up to")

    @property
    def _ahead(self) -> str:
        """What kind of line comes next; nothing at the end."""
        return self._lines[self._place][0] if self._place < len(self._lines) else ""

    def _next(self, record_type: str, record: records.Record, noun: str) -> dict[str, str]:
        if self._ahead != record_type:
            raise FileRefused(f"Line {self._place + 1} must be {noun}.")
        self._place += 1
        return record.read(self._lines[self._place - 1], self._place)

    def _refused(self, reason: str) -> FileRefused:
        """About the line that was read last."""
        return FileRefused(f"Line {self._place}: {reason}.")


def _words(name: str) -> str:
    return name.replace("_", " ")
