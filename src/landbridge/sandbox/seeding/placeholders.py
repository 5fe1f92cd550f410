"""Placeholders: values in a template record that differ in each copy of it.

A placeholder has the type that the flows expect: an id, a time, an amount or a text. It is also
recognised in values that the flows compute from it, such as `at` + 30 s or the sent amount less
the fee.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from landbridge.platform.core.errors import InvariantBroken

_ID_PREFIX = "feedface-cafe-0000-0000-"
_ID = re.compile(_ID_PREFIX + "([0-9a-f]{12})")
_TEXT = re.compile("@@([a-z_0-9]+)@@")
# Each time placeholder has a year of its own, long after any real time.
_YEAR = 2200
_MOMENT = re.compile(r"2[2-9]\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}")
_MICROSECOND = timedelta(microseconds=1)
# An amount is one digit of a number, in a base that no sum of a few of them overflows.
_BASE, _LEAST = 10**4, 10**12
_AMOUNT = re.compile(r"(?<![0-9a-zA-Z.-])-?\d{12,}(?![0-9a-zA-Z.])")
_ANY = re.compile("|".join(f"({each.pattern})" for each in (_ID, _TEXT, _MOMENT, _AMOUNT)))


class TextPlaceholder(NamedTuple):
    """Placeholder of a text or an id, identified by its name."""

    name: str


class TimePlaceholder(NamedTuple):
    """Placeholder of a time: `later_us` microseconds after the time with this number."""

    number: int
    later_us: int


class AmountPlaceholder(NamedTuple):
    """Placeholder of an amount: a sum of numbered amounts, each with its multiplicity."""

    parts: tuple[tuple[int, int], ...]


Field = TextPlaceholder | TimePlaceholder | AmountPlaceholder


class Placeholders:
    """Creates placeholders; ids are identified by their names."""

    def __init__(self) -> None:
        self._ids: list[str] = []

    def id(self, name: str) -> UUID:
        """Return the id of this name."""
        if name not in self._ids:
            self._ids.append(name)
        return UUID(f"{_ID_PREFIX}{self._ids.index(name):012x}")

    def text(self, name: str) -> str:
        """Return a text of this name."""
        return f"@@{name}@@"

    def moment(self, number: int) -> datetime:
        """Return the time with this number, from 0."""
        return datetime(_YEAR + number, 1, 1, microsecond=1, tzinfo=UTC)

    def amount(self, number: int) -> int:
        """Return the amount with this number, from 0 to 4, in smallest units."""
        return _LEAST * _BASE**number

    def name_of(self, placeholder: UUID) -> str:
        """Return the name of an id."""
        return self._ids[placeholder.int & 0xFFFF_FFFF_FFFF]

    def number_of(self, at: datetime) -> int:
        """Return the number of a time."""
        return at.year - _YEAR

    def cut(self, line: str) -> tuple[str, list[Field]]:
        """Split a text into a template for `%` and its placeholders, in order."""
        fields: list[Field] = []

        def put(found: re.Match[str]) -> str:
            fields.append(self._field(found[0]))
            return "\0"

        cut = _ANY.sub(put, line)
        return cut.replace("%", "%%").replace("\0", "%s"), fields

    def _field(self, placeholder: str) -> Field:
        if found := _ID.fullmatch(placeholder):
            return TextPlaceholder(self._ids[int(found[1], 16)])
        if found := _TEXT.fullmatch(placeholder):
            return TextPlaceholder(found[1])
        if _MOMENT.fullmatch(placeholder):
            at = datetime.fromisoformat(f"{placeholder}+00:00")
            number = at.year - _YEAR
            return TimePlaceholder(number, (at - self.moment(number)) // _MICROSECOND)
        return AmountPlaceholder(parts_of(int(placeholder)))


def parts_of(units: int) -> tuple[tuple[int, int], ...]:
    """Decompose a sum into its placeholder amounts, each as (number, multiplicity)."""
    quotient, remainder = divmod(units, _LEAST)
    if remainder:
        raise InvariantBroken(f"{units} is no sum of marked amounts")
    parts: list[tuple[int, int]] = []
    number = 0
    while quotient:
        quotient, digit = divmod(quotient, _BASE)
        if digit > _BASE // 2:
            digit, quotient = digit - _BASE, quotient + 1
        if digit:
            parts.append((number, digit))
        number += 1
    return tuple(parts)
