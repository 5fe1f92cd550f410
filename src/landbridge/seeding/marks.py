"""Marks: what stands in a record that is played once for what differs in each copy of it.

A mark has the type that the flows ask for (an id, a moment, an amount, a text), and is found again
in whatever they make of it, also where they have added to it: `at` + 30 s, or what is sent less
the fee.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from landbridge.core.errors import Broken

_ID_PREFIX = "feedface-cafe-0000-0000-"
_ID = re.compile(_ID_PREFIX + "([0-9a-f]{12})")
_TEXT = re.compile("@@([a-z_0-9]+)@@")
# Each moment has a century's year of its own, long after anything real.
_YEAR = 2200
_MOMENT = re.compile(r"2[2-9]\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}")
_MICROSECOND = timedelta(microseconds=1)
# An amount is one digit of a number in a base that no sum of a few of them fills.
_BASE, _LEAST = 10**4, 10**12
_AMOUNT = re.compile(r"(?<![0-9a-zA-Z.-])-?\d{12,}(?![0-9a-zA-Z.])")
_ANY = re.compile("|".join(f"({each.pattern})" for each in (_ID, _TEXT, _MOMENT, _AMOUNT)))


class Text(NamedTuple):
    """A text or an id, by its name."""

    name: str


class Moment(NamedTuple):
    """So many microseconds after the moment of this number."""

    number: int
    later_us: int


class Amount(NamedTuple):
    """The sum of amounts, each with how often it is in it."""

    parts: tuple[tuple[int, int], ...]


Field = Text | Moment | Amount


class Marks:
    """Makes marks; ids are known by the names that they were given."""

    def __init__(self) -> None:
        self._ids: list[str] = []

    def id(self, name: str) -> UUID:
        """The id of this name."""
        if name not in self._ids:
            self._ids.append(name)
        return UUID(f"{_ID_PREFIX}{self._ids.index(name):012x}")

    def text(self, name: str) -> str:
        """A text of this name."""
        return f"@@{name}@@"

    def moment(self, number: int) -> datetime:
        """The moment of this number, from 0."""
        return datetime(_YEAR + number, 1, 1, microsecond=1, tzinfo=UTC)

    def amount(self, number: int) -> int:
        """The amount of this number, from 0 to 4, in smallest units."""
        return _LEAST * _BASE**number

    def name_of(self, mark: UUID) -> str:
        """The name that an id was given."""
        return self._ids[mark.int & 0xFFFF_FFFF_FFFF]

    def number_of(self, at: datetime) -> int:
        """The number of a moment."""
        return at.year - _YEAR

    def cut(self, line: str) -> tuple[str, list[Field]]:
        """A template for `%`, and what is to be put into it, in order."""
        fields: list[Field] = []

        def put(found: re.Match[str]) -> str:
            fields.append(self._field(found[0]))
            return "\0"

        cut = _ANY.sub(put, line)
        return cut.replace("%", "%%").replace("\0", "%s"), fields

    def _field(self, mark: str) -> Field:
        if found := _ID.fullmatch(mark):
            return Text(self._ids[int(found[1], 16)])
        if found := _TEXT.fullmatch(mark):
            return Text(found[1])
        if _MOMENT.fullmatch(mark):
            at = datetime.fromisoformat(f"{mark}+00:00")
            number = at.year - _YEAR
            return Moment(number, (at - self.moment(number)) // _MICROSECOND)
        return Amount(parts_of(int(mark)))


def parts_of(units: int) -> tuple[tuple[int, int], ...]:
    """The marked amounts that this is the sum of, each (number, how often)."""
    left, rest = divmod(units, _LEAST)
    if rest:
        raise Broken(f"{units} is no sum of marked amounts")
    parts: list[tuple[int, int]] = []
    number = 0
    while left:
        left, digit = divmod(left, _BASE)
        if digit > _BASE // 2:
            digit, left = digit - _BASE, left + 1
        if digit:
            parts.append((number, digit))
        number += 1
    return tuple(parts)
