"""Invented lists in the published formats. No person in them exists."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from landbridge.providers.screening.model import SanctionsEntry, SanctionsEntryType, SanctionsList

NAMESPACE = "https://sanctions.example/exports/XML"


def person(entry_id: int, name: str, *aliases: str, born: Sequence[str] = ()) -> SanctionsEntry:
    """Build an individual, for example `person(7, "LAST, First")`."""
    return SanctionsEntry(
        str(entry_id), SanctionsEntryType.INDIVIDUAL, (name, *aliases), ("TEST",), tuple(born)
    )


def entity(entry_id: int, name: str, *aliases: str) -> SanctionsEntry:
    """Build an entity."""
    return SanctionsEntry(
        str(entry_id), SanctionsEntryType.ENTITY, (name, *aliases), ("TEST", "OTHER"), ()
    )


def sanctions_list(entries: Iterable[SanctionsEntry], digest: str = "0" * 64) -> SanctionsList:
    """Build a decoded list."""
    return SanctionsList("OFAC SDN", digest, None, tuple(entries))


def as_xml(
    entries: Sequence[SanctionsEntry], *, count: int | None = None, namespace: str = NAMESPACE
) -> str:
    """Encode the list as SDN.XML."""
    total = len(entries) if count is None else count
    return (
        '<?xml version="1.0" standalone="yes"?>\n'
        f'<sdnList xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="{namespace}">\n'
        "  <publshInformation>\n    <Publish_Date>11/20/2026</Publish_Date>\n"
        f"    <Record_Count>{total}</Record_Count>\n  </publshInformation>\n"
        + "".join(_xml_entry(each) for each in entries)
        + "</sdnList>\n"
    )


def _xml_entry(entry: SanctionsEntry) -> str:
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
        + _xml_ids(entry)
        + "<addressList><address><uid>1</uid><city>Nowhere</city></address></addressList>"
        + (f"<dateOfBirthList>{born}</dateOfBirthList>" if born else "")
        + "\n  </sdnEntry>\n"
    )


def _xml_ids(entry: SanctionsEntry) -> str:
    ids = "".join(
        f"<id><uid>{entry.id}{at}</uid><idType>Digital Currency Address - ETH</idType>"
        f"<idNumber>{address}</idNumber></id>"
        for at, address in enumerate(entry.addresses)
    )
    passport = "<id><uid>9</uid><idType>Passport</idType><idNumber>0xabc</idNumber></id>"
    return f"<idList>{passport}{ids}</idList>" if ids else ""


def _xml_name(name: str) -> str:
    last, comma, first = name.partition(", ")
    first_name = f"<firstName>{escape(first)}</firstName>" if comma else ""
    return f"{first_name}<lastName>{escape(last)}</lastName>"


def as_csv(entries: Sequence[SanctionsEntry]) -> dict[str, str]:
    """Encode the list as CSV files, by name. The last alias of three or more is a weak one."""
    main = [
        [
            *(each.id, each.names[0]),
            "-0- " if each.type is SanctionsEntryType.ENTITY else each.type,
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


def _strong(entry: SanctionsEntry) -> tuple[str, ...]:
    return entry.names[1:-1] if len(entry.names) > 3 else entry.names[1:]


def _remarks(entry: SanctionsEntry) -> str:
    parts = [f"{'alt. ' if at else ''}DOB {each}" for at, each in enumerate(entry.birth_dates)]
    if len(entry.names) > 3:
        parts.append(f"a.k.a. '{entry.names[-1]}'")
    parts += [
        f"{'alt. ' if at else ''}Digital Currency Address - ETH {each}"
        for at, each in enumerate(entry.addresses)
    ]
    return "; ".join([*parts, "nationality Nowhere"]) + "."


def _csv(rows: Iterable[Sequence[str]]) -> str:
    written = io.StringIO(newline="")
    csv.writer(written).writerows(rows)
    return written.getvalue() + "\x1a\r\n"


def write(folder: Path, files: dict[str, str]) -> list[Path]:
    """Write the files."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return [folder / name for name in files]
