"""Records of a NACHA file as tables of fields: 94 columns each, checked at import.

Source: NACHA Operating Rules, appendix on record formats. Numbers are padded with zeros on the
left, texts with blanks on the right.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.formats.file_errors import FileRejected

WIDTH = 94
BLOCK = 10
FILLER = "9" * WIDTH


class NachaFieldKind(Enum):
    """How a field is padded and decoded."""

    FIXED = auto()
    """Always the same text; a file with another text has another format."""
    NUMBER = auto()
    """Digits only."""
    TEXT = auto()
    """Printable ASCII, left-aligned."""
    RIGHT = auto()
    """Printable ASCII, right-aligned: routing numbers of nine digits in ten columns."""
    UNREAD = auto()
    """Written as a fixed text, and ignored on reading."""


@dataclass(frozen=True, slots=True)
class NachaField:
    """Field of a record; columns count from 1."""

    name: str
    start: int
    size: int
    kind: NachaFieldKind
    fixed: str = ""

    def write(self, value: str | int) -> str:
        """Encode a value. Raises `InvariantBroken` if it does not fit: callers validate first."""
        match self.kind:
            case NachaFieldKind.FIXED | NachaFieldKind.UNREAD:
                text = self.fixed.ljust(self.size)
            case NachaFieldKind.NUMBER:
                text = str(value).rjust(self.size, "0")
            case NachaFieldKind.TEXT:
                text = str(value).ljust(self.size)
            case NachaFieldKind.RIGHT:
                text = str(value).rjust(self.size)
        is_whole = len(text) == self.size and text.isascii() and text.isprintable()
        if not is_whole or (self.kind is NachaFieldKind.NUMBER and not text.isdigit()):
            raise InvariantBroken(f"{self.name} does not fit its {self.size} columns")
        return text

    def read(self, line: str, line_number: int) -> str:
        """Return the field's content without padding. Raises `FileRejected`."""
        text = line[self.start - 1 : self.start - 1 + self.size]
        if self.kind is NachaFieldKind.NUMBER and not text.isdigit():
            raise FileRejected(f"Line {line_number}: {self.label} must be {self.size} digits.")
        if self.kind is NachaFieldKind.FIXED and text != self.fixed:
            raise FileRejected(f"Line {line_number}: {self.label} must be {self.fixed!r}.")
        return text.strip() if self.kind in {NachaFieldKind.TEXT, NachaFieldKind.RIGHT} else text

    @property
    def label(self) -> str:
        """Return the field's name for messages."""
        return self.name.replace("_", " ")


@dataclass(frozen=True, slots=True)
class NachaRecord:
    """Record type: its fields in order."""

    fields: tuple[NachaField, ...]

    def write(self, values: Mapping[str, str | int]) -> str:
        """Return the line, without its line end."""
        return "".join(each.write(values.get(each.name, "")) for each in self.fields)

    def read(self, line: str, line_number: int) -> dict[str, str]:
        """Return the values of the line with this number (from 1), by field name."""
        return {
            each.name: each.read(line, line_number)
            for each in self.fields
            if each.kind is not NachaFieldKind.UNREAD
        }


def _record(
    *parts: tuple[str, int, NachaFieldKind] | tuple[str, int, NachaFieldKind, str],
) -> NachaRecord:
    """Build consecutive fields from name, size, kind, and the text of a constant field."""
    fields: list[NachaField] = []
    start = 1
    for part in parts:
        field = NachaField(part[0], start, part[1], part[2], *part[3:])
        assert field.kind is not NachaFieldKind.FIXED or len(field.fixed) == field.size
        fields.append(field)
        start += field.size
    assert start == WIDTH + 1
    return NachaRecord(tuple(fields))


_F, _N, _T, _R, _X = (
    NachaFieldKind.FIXED,
    NachaFieldKind.NUMBER,
    NachaFieldKind.TEXT,
    NachaFieldKind.RIGHT,
    NachaFieldKind.UNREAD,
)

FILE_HEADER = _record(
    ("record_type", 1, _F, "1"),
    ("priority_code", 2, _F, "01"),
    ("immediate_destination", 10, _R),
    ("immediate_origin", 10, _R),
    ("creation_date", 6, _N),
    ("creation_time", 4, _T),
    ("id_modifier", 1, _T),
    ("record_size", 3, _F, "094"),
    ("blocking_factor", 2, _F, "10"),
    ("format_code", 1, _F, "1"),
    ("destination_name", 23, _T),
    ("origin_name", 23, _T),
    ("reference_code", 8, _X),
)

BATCH_HEADER = _record(
    ("record_type", 1, _F, "5"),
    ("service_class", 3, _N),
    ("company_name", 16, _T),
    ("company_discretionary_data", 20, _X),
    ("company_id", 10, _T),
    ("sec_code", 3, _T),
    ("entry_description", 10, _T),
    ("descriptive_date", 6, _X),
    ("effective_date", 6, _T),
    # Settlement date as the day of the year, which the network fills in.
    ("settlement_date", 3, _X),
    # Originator status 1: a bank bound by the rules.
    ("originator_status", 1, _X, "1"),
    ("odfi", 8, _N),
    ("batch_number", 7, _N),
)

ENTRY = _record(
    ("record_type", 1, _F, "6"),
    ("transaction_code", 2, _N),
    ("rdfi", 8, _N),
    ("check_digit", 1, _N),
    ("account_number", 17, _T),
    ("amount", 10, _N),
    ("individual_id", 15, _T),
    ("name", 22, _T),
    ("discretionary_data", 2, _X),
    ("addenda_indicator", 1, _N),
    ("trace_number", 15, _N),
)

# Addendum with a payment text.
ADDENDA_05 = _record(
    ("record_type", 1, _F, "7"),
    ("addenda_type", 2, _F, "05"),
    ("payment_information", 80, _T),
    ("addenda_number", 4, _N),
    ("entry_number", 7, _N),
)

# Addendum with a correction that a bank requests.
ADDENDA_98 = _record(
    ("record_type", 1, _F, "7"),
    ("addenda_type", 2, _F, "98"),
    ("change_code", 3, _T),
    ("original_trace", 15, _N),
    ("reserved", 6, _X),
    ("original_rdfi", 8, _N),
    ("corrected_data", 29, _T),
    ("reserved_too", 15, _X),
    ("trace_number", 15, _N),
)

# Addendum with a return reason.
ADDENDA_99 = _record(
    ("record_type", 1, _F, "7"),
    ("addenda_type", 2, _F, "99"),
    ("return_code", 3, _T),
    ("original_trace", 15, _N),
    ("date_of_death", 6, _T),
    ("original_rdfi", 8, _N),
    ("addenda_information", 44, _T),
    ("trace_number", 15, _N),
)

BATCH_CONTROL = _record(
    ("record_type", 1, _F, "8"),
    ("service_class", 3, _N),
    ("entry_and_addenda_count", 6, _N),
    ("entry_hash", 10, _N),
    ("total_debits", 12, _N),
    ("total_credits", 12, _N),
    ("company_id", 10, _T),
    ("message_authentication", 19, _X),
    ("reserved", 6, _X),
    ("odfi", 8, _N),
    ("batch_number", 7, _N),
)

FILE_CONTROL = _record(
    ("record_type", 1, _F, "9"),
    ("batch_count", 6, _N),
    ("block_count", 6, _N),
    ("entry_and_addenda_count", 8, _N),
    ("entry_hash", 10, _N),
    ("total_debits", 12, _N),
    ("total_credits", 12, _N),
    ("reserved", 39, _X),
)

ADDENDA = {"05": ADDENDA_05, "98": ADDENDA_98, "99": ADDENDA_99}
