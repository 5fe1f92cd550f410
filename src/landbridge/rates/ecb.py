"""Reading the euro reference rates of the European Central Bank, in the formats it publishes.

- `eurofxref-daily.xml`, `eurofxref-hist-90d.xml` and `eurofxref-hist.xml`: elements `Cube` with a
  `time`, and within them one with `currency` and `rate` for each;
- `eurofxref-hist.zip`, and the CSV file in it: a column for each currency, `N/A` where there was no
  rate, days as in `2026-01-02`; and `eurofxref.zip`, whose days are as in `02 January 2026`.

Guarantees: entities and external references are refused, no tree is made of elements, and what is
read is bounded, also where it is compressed. A rate is a plain decimal above
zero; each day has the dollar, since nothing is worth anything to us without it.
"""

import csv
import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from landbridge.rates.errors import RatesRefused

# The whole history since 1999 is a few million bytes, and below ten thousand days.
BYTES_MAX = 40_000_000
_DAYS_MAX = 30_000
_ELEMENTS_MAX = 2_000_000
# Their elements are five deep and have two attributes, besides the names of their spaces.
_DEPTH_MAX = 16
_ATTRIBUTES_MAX = 16
# The parser holds an element's beginning until it is whole: some fifty bytes, and room for spaces.
_CHUNK = 16_384
_SILENT_MAX = 4 * _CHUNK
_CURRENCIES_MAX = 200
# Nobody's currency is worth less than a billionth of a euro, nor more than a thousand of them.
_RATE_MIN, _RATE_MAX = Decimal("0.001"), Decimal(1_000_000_000)
_RATE = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,12})?")
_CODE = re.compile(r"[A-Z]{3}")
_ABSENT = frozenset({"N/A", "-", ""})
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Fixing:
    """Units of each currency per euro, by lower-case code, as fixed on a day."""

    on: date
    rates: Mapping[str, Decimal]


def read(raw: bytes) -> list[Fixing]:
    """The fixings in a file, the earliest first. Raises `RatesRefused`."""
    if len(raw) > BYTES_MAX:
        raise RatesRefused("this is too large for a file of reference rates")
    if raw.startswith(_ZIP):
        raw = _unzipped(raw)
    is_xml = raw.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<"
    found: dict[date, Fixing] = {}
    for fixing in _read_xml(raw) if is_xml else _read_csv(raw):
        if fixing.on in found:
            raise RatesRefused(f"{fixing.on} is there twice")
        if "usd" not in fixing.rates:
            raise RatesRefused(f"{fixing.on} has no rate of the dollar")
        found[fixing.on] = fixing
        if len(found) > _DAYS_MAX:
            raise RatesRefused("these are more days than there have been")
    if not found:
        raise RatesRefused("there is no rate in it; this is not a file of reference rates")
    return [found[day] for day in sorted(found)]


def _unzipped(raw: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            names = archive.namelist()
            if len(names) != 1:
                raise RatesRefused("the archive must hold one file")
            # What an archive says of its own size is not to be believed.
            with archive.open(names[0]) as file:
                content = file.read(BYTES_MAX + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise RatesRefused("the archive can't be read") from error
    if len(content) > BYTES_MAX:
        raise RatesRefused("the archive holds more than a file of reference rates")
    return content


# XML


def _read_xml(raw: bytes) -> Iterator[Fixing]:
    rates: dict[str, Decimal] = {}
    for cube in _cubes(raw):
        if "currency" in cube:
            _add(rates, cube["currency"], cube.get("rate", ""))
        elif "time" in cube:
            yield Fixing(_day(cube["time"]), rates)
            rates = {}
    if rates:
        raise RatesRefused("there are rates that belong to no day")


def _cubes(raw: bytes) -> Iterator[Mapping[str, str]]:
    """The attributes of each element `Cube` when it ends, so after those of what is in it."""
    elements = _Elements()
    # The bytes say themselves which encoding they are in.
    parser = DefusedXMLParser(target=elements, forbid_dtd=True)
    silent = 0
    try:
        for begin in range(0, len(raw), _CHUNK):
            before = elements.count
            parser.feed(raw[begin : begin + _CHUNK])
            silent = 0 if elements.count > before else silent + _CHUNK
            if silent > _SILENT_MAX:
                raise RatesRefused("an element is longer than in a file of reference rates")
            yield from elements.take()
        parser.close()
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise RatesRefused(f"it is not XML that we read ({type(error).__name__})") from error
    yield from elements.take()


class _Elements:
    """What the parser meets: no tree is kept, only which elements are open."""

    def __init__(self) -> None:
        self.count = 0
        self._open: list[Mapping[str, str]] = []
        self._cubes: list[Mapping[str, str]] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins, and is counted."""
        del tag
        self.count += 1
        self._open.append(attributes)
        is_too_much = (
            self.count > _ELEMENTS_MAX
            or len(self._open) > _DEPTH_MAX
            or len(attributes) > _ATTRIBUTES_MAX
        )
        if is_too_much:
            raise RatesRefused("it has more in it than a file of reference rates")

    def end(self, tag: str) -> None:
        """An element ends."""
        attributes = self._open.pop()
        if tag.rpartition("}")[2] == "Cube":
            self._cubes.append(attributes)

    def close(self) -> None:
        """The parser wants somebody to tell that the file ends."""

    def take(self) -> Sequence[Mapping[str, str]]:
        """The cubes that ended since this was asked last."""
        taken, self._cubes = self._cubes, []
        return taken


# CSV


def _read_csv(raw: bytes) -> Iterator[Fixing]:
    try:
        rows = csv.reader(io.StringIO(raw.decode("utf-8-sig")), strict=True)
        no_line: list[str] = []
        header = [each.strip() for each in next(rows, no_line)]
        if header[:1] != ["Date"] or len(header) > _CURRENCIES_MAX:
            raise RatesRefused("this is not a file of reference rates")
        for row in rows:
            cells = [each.strip() for each in row]
            if not any(cells):
                continue
            if len(cells) != len(header):
                raise RatesRefused(f"line {rows.line_num} has another number of columns")
            rates: dict[str, Decimal] = {}
            for code, rate in zip(header[1:], cells[1:], strict=True):
                if code and rate not in _ABSENT:
                    _add(rates, code, rate)
            yield Fixing(_day(cells[0]), rates)
    except (UnicodeDecodeError, csv.Error) as error:
        raise RatesRefused("this is not a file of reference rates") from error


# Fields


def _add(rates: dict[str, Decimal], code: str, text: str) -> None:
    if not _CODE.fullmatch(code):
        raise RatesRefused(f"{code[:20]!r} is no code of a currency")
    if not _RATE.fullmatch(text) or not _RATE_MIN <= Decimal(text) <= _RATE_MAX:
        raise RatesRefused(f"{text[:40]!r} is no rate of {code}")
    currency = code.lower()
    if currency in rates:
        raise RatesRefused(f"{code} is there twice on one day")
    if currency == "eur" or len(rates) >= _CURRENCIES_MAX:
        raise RatesRefused("rates of the euro in itself, or of too many currencies")
    rates[currency] = Decimal(text)


def _day(text: str) -> date:
    for form in ("%Y-%m-%d", "%d %B %Y"):
        try:
            return datetime.strptime(text, form).date()  # noqa: DTZ007  a day, without a time
        except ValueError:
            continue
    raise RatesRefused(f"{text[:40]!r} is no day")
