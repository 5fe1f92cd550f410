"""Files of the European Central Bank are decoded exactly; all others are rejected."""

import io
import tracemalloc
import zipfile
from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.providers.rates import ecb
from landbridge.providers.rates.ecb import BYTES_MAX, EcbFixing, read
from landbridge.providers.rates.errors import RatesRejected
from tests.providers.rates.files import csv_of, golden, xml_of, zipped

_DAY = "2026-03-04"


def test_the_daily_file() -> None:
    (fixing,) = read(golden("eurofxref-daily.xml"))
    assert fixing == EcbFixing(
        date(2026, 3, 4),
        {
            "usd": Decimal("1.1712"),
            "jpy": Decimal("183.31"),
            "brl": Decimal("6.3985"),
            "mxn": Decimal("20.9517"),
            "zar": Decimal("19.2875"),
        },
    )


def test_the_file_of_ninety_days_is_read_in_the_order_of_days() -> None:
    found = read(golden("eurofxref-hist-90d.xml"))
    assert [each.on.isoformat() for each in found] == ["2026-02-27", "2026-03-02", "2026-03-03"]
    assert [each.rates["usd"] for each in found] == [
        Decimal("1.1755"),
        Decimal("1.1720"),
        Decimal("1.1698"),
    ]


def test_the_history_has_holes() -> None:
    first, _, last = read(zipped(golden("eurofxref-hist.csv")))
    assert first.on == date(1999, 1, 4)
    assert (first.rates.keys(), last.rates.keys()) == (
        {"usd", "jpy", "cyp"},
        {"usd", "jpy", "brl"},
    )


def test_the_daily_table_is_parsed() -> None:
    (fixing,) = read(zipped(b"Date, USD, JPY, \n04 March 2026, 1.1712, 183.31, \n"))
    assert (fixing.on, fixing.rates["usd"]) == (date(2026, 3, 4), Decimal("1.1712"))


_rates = st.dictionaries(
    st.text("ABCDFGH", min_size=3, max_size=3),
    st.decimals(min_value="0.01", max_value=100_000, places=4),
    max_size=6,
).flatmap(
    lambda rates: st.decimals(min_value="0.5", max_value=2, places=4).map(
        lambda usd: {**rates, "USD": usd}
    )
)


@given(
    st.dictionaries(st.dates(date(1999, 1, 4), date(2060, 1, 1)), _rates, min_size=1, max_size=8)
)
def test_rates_are_decoded_in_every_format(days: dict[date, dict[str, Decimal]]) -> None:
    written = [
        EcbFixing(day, {code.lower(): rate for code, rate in days[day].items()})
        for day in sorted(days)
    ]
    xml = xml_of(
        {
            day.isoformat(): {code: f"{rate:f}" for code, rate in rates.items()}
            for day, rates in days.items()
        }
    )
    assert read(xml) == written
    assert read(csv_of(written)) == written
    assert read(zipped(csv_of(written))) == written


def _with(rate: str, code: str = "USD") -> bytes:
    return xml_of({_DAY: {"USD": "1.17", code: rate}})


@pytest.mark.parametrize(
    "rate",
    ["NaN", "Infinity", "-1.17", "0", "0.0000", "1e3", "1,17", "", " 1.17", "1.17 ", "0x1", "N/A",
     "1.", ".5", "9" * 40, "1" * 13, "0.00001", "1_0"],
)  # fmt: skip
def test_an_invalid_rate_rejects_the_file(rate: str) -> None:
    with pytest.raises(RatesRejected, match="no rate of USD"):
        read(_with(rate))


HOSTILE = {
    "nothing": b"",
    "a page": b"<!doctype html><html><body>Service Unavailable</body></html>",
    "a page that is XML": b"<html><body><p>Bad Gateway</p></body></html>",
    "JSON": b'{"rates": {"USD": 1.17}}',
    "a table of something else": b"Name,USD\nx,1\n",
    "cut off": golden("eurofxref-hist-90d.xml")[:900],
    "a bomb": b'<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]><a>&c;</a>',
    "a reference outside": b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    "an encoding that does not exist": b'<?xml version="1.0" encoding="klingon"?><Cube/>',
    "bytes that are no text": b"Date,USD\n\xff\xfe,1\n",
    "a zip that is none": b"PK\x03\x04" + b"\0" * 40,
    "the euro in itself": _with("1", "EUR"),
    "a code that is none": _with("1", "usd"),
    "no dollar": xml_of({_DAY: {"JPY": "183"}}),
    "no day": xml_of({"2026-02-30": {"USD": "1.17"}}),
    "a long day": xml_of({"9" * 5000: {"USD": "1.17"}}),
    "a day twice": b"Date,USD\n2026-03-04,1.1\n2026-03-04,1.2\n",
    "a currency twice": b"Date,USD,USD\n2026-03-04,1.1,1.2\n",
    "too few columns": b"Date,USD,JPY\n2026-03-04,1.1\n",
    "a quote that never ends": b'Date,USD\n"2026-03-04,1.1\n',
    "rates of no day": b'<a><Cube currency="USD" rate="1.1"/></a>',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_other_files_are_rejected(name: str) -> None:
    with pytest.raises(RatesRejected):
        read(HOSTILE[name])


def test_an_archive_of_several_files_is_refused() -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("eurofxref-hist.csv", golden("eurofxref-hist.csv"))
        file.writestr("readme.txt", "hello")
    with pytest.raises(RatesRejected, match="one file"):
        read(archive.getvalue())


def test_an_archive_that_is_cut_off_is_refused() -> None:
    with pytest.raises(RatesRejected, match="can't be read"):
        read(zipped(golden("eurofxref-hist.csv"))[:-30])


def test_a_zip_bomb_is_rejected_before_it_is_read() -> None:
    raw = zipped(b"Date,USD\n" + b"\n" * (BYTES_MAX * 2))
    assert len(raw) < 200_000
    tracemalloc.start()
    with pytest.raises(RatesRejected, match="holds more"):
        read(raw)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * BYTES_MAX


SWELLING = {
    "elements in elements": b"<a>" * 1_000_000,
    "elements beside elements": b"<a>" + b"<b/>" * 2_000_001,
    "attributes": b"<a " + b" ".join(b"a%d='1'" % each for each in range(300_000)) + b"/>",
    "one attribute": b"<a b='" + b"1" * 3_000_000 + b"'/>",
    "one name": b"<" + b"a" * 3_000_000 + b"/>",
    "a remark": b"<!--" + b" " * 3_000_000 + b"--><a/>",
}


@pytest.mark.long
@pytest.mark.parametrize("name", SWELLING)
def test_expanding_xml_is_rejected_early(name: str) -> None:
    tracemalloc.start()
    with pytest.raises(RatesRejected, match=r"than (in )?a file of reference rates"):
        read(SWELLING[name])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


def test_an_oversized_file_is_rejected_unread() -> None:
    with pytest.raises(RatesRejected, match="too large"):
        read(b" " * (BYTES_MAX + 1))


def test_the_whole_history_is_read_within_its_bounds() -> None:
    first = date(1999, 1, 4)
    codes = [f"{a}{b}X" for a in "abcdef" for b in "abcdef"]
    rates = {code.lower(): Decimal("1.2345") for code in codes} | {"usd": Decimal("1.1")}
    raw = csv_of([EcbFixing(first + timedelta(days=day), rates) for day in range(7_000)])
    assert len(ecb.read(zipped(raw))) == 7_000
