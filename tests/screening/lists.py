"""Made-up lists in the formats that the real one is published in. Nobody in them exists."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from landbridge.screening.model import Entry, EntryType, SanctionsList

NAMESPACE = "https://sanctions.example/exports/XML"


def person(entry_id: int, name: str, *aliases: str, born: Sequence[str] = ()) -> Entry:
    """Somebody, as in `person(7, "LAST, First")`."""
    return Entry(str(entry_id), EntryType.INDIVIDUAL, (name, *aliases), ("TEST",), tuple(born))


def entity(entry_id: int, name: str, *aliases: str) -> Entry:
    """An organisation."""
    return Entry(str(entry_id), EntryType.ENTITY, (name, *aliases), ("TEST", "OTHER"), ())


def sanctions_list(entries: Iterable[Entry], digest: str = "0" * 64) -> SanctionsList:
    """A list as it is read."""
    return SanctionsList("OFAC SDN", digest, None, tuple(entries))


def as_xml(
    entries: Sequence[Entry], *, count: int | None = None, namespace: str = NAMESPACE
) -> str:
    """The list as SDN.XML."""
    total = len(entries) if count is None else count
    return (
        '<?xml version="1.0" standalone="yes"?>\n'
        f'<sdnList xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="{namespace}">\n'
        "  <publshInformation>\n    <Publish_Date>11/20/2026</Publish_Date>\n"
        f"    <Record_Count>{total}</Record_Count>\n  </publshInformation>\n"
        + "".join(_xml_entry(each) for each in entries)
        + "</sdnList>\n"
    )


def _xml_entry(entry: Entry) -> str:
    programs = "".join(f"<program>{escape(each)}</program>" for each in entry.programs)
    aliases = "".join(
        f"<aka><uid>{entry.id}{at}</uid><type>a.k.a.</type><category>strong</category>"
        f"{_xml_name(name)}</aka>"
        for at, name in enumerate(entry.names[1:])
    )
    born = "".join(
        f"<dateOfBirthItem><uid>{entry.id}{at}</uid><dateOfBirth>{each}</dateOfBirth>"
        "<mainEntry>true</mainEntry></dateOfBirthItem>"
        for at, each in enumerate(entry.birth_dates)
    )
    return (
        f"  <sdnEntry>\n    <uid>{entry.id}</uid>{_xml_name(entry.names[0])}"
        f"<sdnType>{entry.type.capitalize()}</sdnType>"
        f"<programList>{programs}</programList>"
        + (f"<akaList>{aliases}</akaList>" if aliases else "")
        + "<addressList><address><uid>1</uid><city>Nowhere</city></address></addressList>"
        + (f"<dateOfBirthList>{born}</dateOfBirthList>" if born else "")
        + "\n  </sdnEntry>\n"
    )


def _xml_name(name: str) -> str:
    last, comma, first = name.partition(", ")
    told = f"<firstName>{escape(first)}</firstName>" if comma else ""
    return f"{told}<lastName>{escape(last)}</lastName>"


def as_csv(entries: Sequence[Entry]) -> dict[str, str]:
    """The list as the CSV files, by their names. The last alias of three or more is a weak one."""
    main = [
        [
            *(each.id, each.names[0]),
            "-0- " if each.type is EntryType.ENTITY else each.type,
            "] [".join(each.programs),
            *["-0- "] * 7,
            _remarks(each),
        ]
        for each in entries
    ]
    aliases = [
        [each.id, f"{each.id}{at}", "aka", name, "-0- "]
        for each in entries
        for at, name in enumerate(_strong(each))
    ]
    addresses = [[each.id, "1", "-0- ", "Nowhere", "-0- ", "-0- "] for each in entries]
    return {"sdn.csv": _csv(main), "alt.csv": _csv(aliases), "add.csv": _csv(addresses)}


def _strong(entry: Entry) -> tuple[str, ...]:
    return entry.names[1:-1] if len(entry.names) > 3 else entry.names[1:]


def _remarks(entry: Entry) -> str:
    told = [f"{'alt. ' if at else ''}DOB {each}" for at, each in enumerate(entry.birth_dates)]
    if len(entry.names) > 3:
        told.append(f"a.k.a. '{entry.names[-1]}'")
    return "; ".join([*told, "nationality Nowhere"]) + "."


def _csv(rows: Iterable[Sequence[str]]) -> str:
    written = io.StringIO(newline="")
    csv.writer(written).writerows(rows)
    return written.getvalue() + "\x1a\r\n"


def write(folder: Path, files: dict[str, str]) -> list[Path]:
    """The files, written."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return [folder / name for name in files]
