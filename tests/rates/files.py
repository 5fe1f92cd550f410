"""Files of reference rates in the shapes that are published; their rates are made up."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from landbridge.rates.ecb import Fixing

GOLDEN = Path(__file__).parent / "golden"


def golden(name: str) -> bytes:
    return (GOLDEN / name).read_bytes()


def zipped(content: bytes, name: str = "eurofxref-hist.csv") -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, content)
    return archive.getvalue()


def xml_of(days: Mapping[str, Mapping[str, str]]) -> bytes:
    """Rates by upper-case code, by day."""
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


def csv_of(fixings: list[Fixing]) -> bytes:
    """The newest first, with a column for each currency and a comma at the end of each line."""
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
