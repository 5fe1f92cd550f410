"""Decode the euro reference rates of the European Central Bank, in its published formats.

- `eurofxref-daily.xml`, `eurofxref-hist-90d.xml` and `eurofxref-hist.xml`: elements `Cube` with a
  `time`, which contain one `Cube` with `currency` and `rate` per rate;
- `eurofxref-hist.zip`, and the CSV file in it: one column per currency, `N/A` for a missing rate,
  dates like `2026-01-02`; and `eurofxref.zip`, with dates like `02 January 2026`.

Guarantees: entities and external references are rejected, no element tree is built, and input is
bounded, also after decompression. A rate is a plain decimal above zero. Each day has the dollar,
since every valuation goes through it.
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

from landbridge.providers.rates.errors import RatesRejected

# The whole history since 1999 has a few million bytes, and fewer than ten thousand days.
BYTES_MAX = 40_000_000
_DAYS_MAX = 30_000
_ELEMENTS_MAX = 2_000_000
# Elements are five levels deep and have two attributes, besides namespace declarations.
_DEPTH_MAX = 16
_ATTRIBUTES_MAX = 16
# Bytes parsed at once. The parser buffers a start tag until it is complete: about fifty bytes, plus
# namespaces.
_CHUNK = 16_384
_SILENT_MAX = 4 * _CHUNK
_CURRENCIES_MAX = 200
# Bounds: no currency is worth less than a billionth of a euro, or more than a thousand euros.
_RATE_MIN, _RATE_MAX = Decimal("0.001"), Decimal(1_000_000_000)
_RATE = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,12})?")
_CODE = re.compile(r"[A-Z]{3}")
_ABSENT = frozenset({"N/A", "-", ""})
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class EcbFixing:
    """Units of each currency per euro, by lower-case code, as fixed on a day."""

    on: date
    rates: Mapping[str, Decimal]


def read(raw: bytes) -> list[EcbFixing]:
    """Return the fixings in a file, earliest first. Raises `RatesRejected`."""
    if len(raw) > BYTES_MAX:
        raise RatesRejected("this is too large for a file of reference rates")
    if raw.startswith(_ZIP):
        raw = _unzipped(raw)
    is_xml = raw.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<"
    found: dict[date, EcbFixing] = {}
    for fixing in _read_xml(raw) if is_xml else _read_csv(raw):
        if fixing.on in found:
            raise RatesRejected(f"{fixing.on} is there twice")
        if "usd" not in fixing.rates:
            raise RatesRejected(f"{fixing.on} has no rate of the dollar")
        found[fixing.on] = fixing
        if len(found) > _DAYS_MAX:
            raise RatesRejected("these are more days than there have been")
    if not found:
        raise RatesRejected("there is no rate in it; this is not a file of reference rates")
    return [found[day] for day in sorted(found)]


def _unzipped(raw: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            names = archive.namelist()
            if len(names) != 1:
                raise RatesRejected("the archive must hold one file")
            # The size stated in an archive can't be trusted, so the read is bounded.
            with archive.open(names[0]) as file:
                content = file.read(BYTES_MAX + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise RatesRejected("the archive can't be read") from error
    if len(content) > BYTES_MAX:
        raise RatesRejected("the archive holds more than a file of reference rates")
    return content


# XML


def _read_xml(raw: bytes) -> Iterator[EcbFixing]:
    rates: dict[str, Decimal] = {}
    for cube in _cubes(raw):
        if "currency" in cube:
            _add(rates, cube["currency"], cube.get("rate", ""))
        elif "time" in cube:
            yield EcbFixing(_day(cube["time"]), rates)
            rates = {}
    if rates:
        raise RatesRejected("there are rates that belong to no day")


def _cubes(raw: bytes) -> Iterator[Mapping[str, str]]:
    """Yield the attributes of each element `Cube` at its end, so after those of its children."""
    elements = _Elements()
    # The content declares its own encoding.
    parser = DefusedXMLParser(target=elements, forbid_dtd=True)
    silent = 0
    try:
        for begin in range(0, len(raw), _CHUNK):
            before = elements.count
            parser.feed(raw[begin : begin + _CHUNK])
            silent = 0 if elements.count > before else silent + _CHUNK
            if silent > _SILENT_MAX:
                raise RatesRejected("an element is longer than in a file of reference rates")
            yield from elements.take()
        parser.close()
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise RatesRejected(f"it is not XML that we read ({type(error).__name__})") from error
    yield from elements.take()


class _Elements:
    """Parser target: builds no tree and stores only the open elements."""

    def __init__(self) -> None:
        self.count = 0
        self._open: list[Mapping[str, str]] = []
        self._cubes: list[Mapping[str, str]] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Open an element and count it."""
        del tag
        self.count += 1
        self._open.append(attributes)
        is_too_much = (
            self.count > _ELEMENTS_MAX
            or len(self._open) > _DEPTH_MAX
            or len(attributes) > _ATTRIBUTES_MAX
        )
        if is_too_much:
            raise RatesRejected("it has more in it than a file of reference rates")

    def end(self, tag: str) -> None:
        """Close an element."""
        attributes = self._open.pop()
        if tag.rpartition("}")[2] == "Cube":
            self._cubes.append(attributes)

    def close(self) -> None:
        """Do nothing; the parser calls this at the end of the file."""

    def take(self) -> Sequence[Mapping[str, str]]:
        """Return the cubes that were completed since the last call."""
        cubes, self._cubes = self._cubes, []
        return cubes


# CSV


def _read_csv(raw: bytes) -> Iterator[EcbFixing]:
    try:
        rows = csv.reader(io.StringIO(raw.decode("utf-8-sig")), strict=True)
        no_line: list[str] = []
        header = [each.strip() for each in next(rows, no_line)]
        if header[:1] != ["Date"] or len(header) > _CURRENCIES_MAX:
            raise RatesRejected("this is not a file of reference rates")
        for row in rows:
            cells = [each.strip() for each in row]
            if not any(cells):
                continue
            if len(cells) != len(header):
                raise RatesRejected(f"line {rows.line_num} has another number of columns")
            rates: dict[str, Decimal] = {}
            for code, rate in zip(header[1:], cells[1:], strict=True):
                if code and rate not in _ABSENT:
                    _add(rates, code, rate)
            yield EcbFixing(_day(cells[0]), rates)
    except (UnicodeDecodeError, csv.Error) as error:
        raise RatesRejected("this is not a file of reference rates") from error


# Fields


def _add(rates: dict[str, Decimal], code: str, text: str) -> None:
    if not _CODE.fullmatch(code):
        raise RatesRejected(f"{code[:20]!r} is no code of a currency")
    if not _RATE.fullmatch(text) or not _RATE_MIN <= Decimal(text) <= _RATE_MAX:
        raise RatesRejected(f"{text[:40]!r} is no rate of {code}")
    currency = code.lower()
    if currency in rates:
        raise RatesRejected(f"{code} is there twice on one day")
    if currency == "eur" or len(rates) >= _CURRENCIES_MAX:
        raise RatesRejected("rates of the euro in itself, or of too many currencies")
    rates[currency] = Decimal(text)


def _day(text: str) -> date:
    for form in ("%Y-%m-%d", "%d %B %Y"):
        try:
            return datetime.strptime(text, form).date()  # noqa: DTZ007  a day, without a time
        except ValueError:
            continue
    raise RatesRejected(f"{text[:40]!r} is no day")
