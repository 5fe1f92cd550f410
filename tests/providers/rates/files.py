"""Reference rate files in the published formats, with invented rates."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from landbridge.providers.rates.ecb import EcbFixing

GOLDEN = Path(__file__).parent / "golden"


def golden(name: str) -> bytes:
    return (GOLDEN / name).read_bytes()


def zipped(content: bytes, name: str = "eurofxref-hist.csv") -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, content)
    return archive.getvalue()


def xml_of(days: Mapping[str, Mapping[str, str]]) -> bytes:
    """Build XML from rates by upper-case code, by day."""
    cubes = "".join(
        f'<Cube time="{day}">'
        + "".join(f'<Cube currency="{code}" rate="{rate}"/>' for code, rate in rates.items())
        + "</Cube>"
        for day, rates in days.items()
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" '
        'xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">'
        f"<Cube>{cubes}</Cube></gesmes:Envelope>"
    ).encode()


def csv_of(fixings: list[EcbFixing]) -> bytes:
    """Build CSV, newest first, with a column per currency and a trailing comma on each line."""
    codes = sorted({code for each in fixings for code in each.rates})
    lines = [",".join(["Date", *(code.upper() for code in codes), ""])]
    lines += [
        ",".join(
            [
                each.on.isoformat(),
                *(f"{each.rates[c]:f}" if c in each.rates else "N/A" for c in codes),
                "",
            ]
        )
        for each in reversed(fixings)
    ]
    return ("\n".join(lines) + "\n").encode()
