from collections.abc import Sequence
from pathlib import Path

import pytest

from landbridge.providers.screening import pep
from landbridge.providers.screening.model import (
    ListCategory,
    ListRejected,
    SanctionsEntry,
    SanctionsEntryType,
    category_of,
    is_list_name,
    required_lists,
)
from landbridge.providers.screening.reading import read_list
from tests.providers.screening.golden import LISTED
from tests.providers.screening.lists import as_csv, as_xml, write
from tests.providers.screening.other_lists import EU, PEP, PEP_HEADER, UK, UN, pep_row

INDIVIDUAL, ENTITY = SanctionsEntryType.INDIVIDUAL, SanctionsEntryType.ENTITY


def file(folder: Path, text: str) -> Sequence[Path]:
    # The name of a file does not count.
    return write(folder, {"list.txt": text})


def rejection(folder: Path, text: str, *, pep_name: str | None = None) -> str:
    with pytest.raises(ListRejected) as refused:
        read_list(file(folder, text), pep_name=pep_name)
    return str(refused.value)


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_un_list_is_read(tmp_path: Path, mark: str) -> None:
    found = read_list(file(tmp_path, mark + UN))
    assert (found.name, str(found.published_on)) == ("UN", "2026-11-20")
    assert found.entries == (
        SanctionsEntry(
            "700001",
            INDIVIDUAL,
            ("ALEKSANDR PETROVICH ZORBANOV", "Sasha Zorban"),
            ("Nowhere", "NWi.001"),
            ("1961-12-03", "1962", "1958 to 1960"),
        ),
        SanctionsEntry(
            "700101", ENTITY, ("QUORVEX TRADING", "Quorvex House"), ("Nowhere", "NWe.002"), ()
        ),
    )


def test_the_eu_list_is_read(tmp_path: Path) -> None:
    found = read_list(file(tmp_path, EU))
    assert (found.name, str(found.published_on)) == ("EU", "2026-11-21")
    assert found.entries == (
        SanctionsEntry(
            "13",
            INDIVIDUAL,
            (
                "ZORBANOV, Aleksandr Petrovich",
                "Sasha Zorban",
                "Zorban, Alexander",
                "Sasha the Elder",
            ),
            ("NWH", "EU.1.11"),
            ("1961-12-03", "1958 to 1960", "1962"),
        ),
        SanctionsEntry("14", ENTITY, ("QUORVEX TRADING",), ("NWH", "TST", "EU.2.22"), ()),
    )


def test_the_uk_list_is_read(tmp_path: Path) -> None:
    found = read_list(file(tmp_path, UK))
    assert (found.name, str(found.published_on)) == ("UK", "2026-11-22")
    regime = ("The Nowhere (Sanctions) Regulations 2026",)
    assert found.entries == (
        SanctionsEntry(
            "NWH0001",
            INDIVIDUAL,
            ("ZORBANOV, ALEKSANDR PETROVICH", "Sasha Zorban"),
            regime,
            ("03/12/1961", "dd/mm/1962"),
        ),
        SanctionsEntry("NWH0002", ENTITY, ("Quorvex Trading PJSC",), regime, ()),
        SanctionsEntry("NWH0003", SanctionsEntryType.VESSEL, ("MV NOWHERE",), regime, ()),
    )


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_pep_file_is_read(tmp_path: Path, mark: str) -> None:
    found = read_list(file(tmp_path, mark + PEP), pep_name="Nowhere")
    assert (found.name, found.published_on) == ("PEP Nowhere", None)
    assert found.entries == (
        SanctionsEntry(
            "NK-a1",
            INDIVIDUAL,
            ("Aleksandr Zorbanov", "Zorbanov Aleksandr", "Zorbanov; the Elder"),
            ("nw", "un"),
            ("1961-12-03", "1962"),
        ),
        SanctionsEntry("Q42", ENTITY, ("Ministry of Nowhere",), ("nw",), ()),
        # Without a name in Latin letters, the others stay.
        SanctionsEntry("Q43", INDIVIDUAL, ("Иван Зорбанов",), ("nw",), ()),
    )


def test_a_pep_file_may_have_more_columns_in_another_order(tmp_path: Path) -> None:
    text = "id,schema,name,program_ids,countries,birth_date,aliases\nQ1,Person,Ada,,nw,1961,Adah\n"
    (entry,) = read_list(file(tmp_path, text), pep_name="x").entries
    assert (entry.names, entry.birth_dates) == (("Ada", "Adah"), ("1961",))


def test_only_a_pep_list_is_named(tmp_path: Path) -> None:
    assert "--name" in rejection(tmp_path, PEP)
    assert "--name" in rejection(tmp_path, UN, pep_name="x")
    for name in ("", " x", "a,b", "a;b", "x" * 41, "ñ"):
        assert "The name of a PEP list" in rejection(tmp_path, PEP, pep_name=name), name


def test_list_names() -> None:
    for name in ("OFAC SDN", "UN", "EU", "UK", "PEP a", "PEP Nowhere 2"):
        assert is_list_name(name), name
    for name in ("", "OFAC", "PEP", "PEP ", "un", "PEP a,b", "PEP  a"):
        assert not is_list_name(name), name
    assert category_of("PEP a") is ListCategory.POLITICALLY_EXPOSED_PERSON
    assert category_of("UN") is ListCategory.SANCTIONS
    assert required_lists("OFAC SDN, UN,UN ,PEP a") == ("OFAC SDN", "UN", "PEP a")
    for text in ("", "OFAC SDN,", "sdn"):
        with pytest.raises(ValueError, match="names no list"):
            required_lists(text)


# Each with the position or the reason in the refusal.
_XML = {"un": UN, "eu": EU, "uk": UK}


@pytest.mark.parametrize("text", _XML.values(), ids=_XML)
def test_hostile_xml_is_rejected(tmp_path: Path, text: str) -> None:
    text = text.rstrip()
    declaration, _, rest = text.partition("?>")
    bomb = '<!DOCTYPE a [<!ENTITY b "cccc"><!ENTITY d "&b;&b;&b;">]>'
    for document_type in (bomb, '<!DOCTYPE a SYSTEM "file:///etc/hostname">', "<!DOCTYPE a>"):
        assert "not readable XML" in rejection(tmp_path, f"{declaration}?>{document_type}{rest}")
    for length in (1, len(text) // 4, len(text) // 2, len(text) - 5):
        assert "not readable XML" in rejection(tmp_path, text[:-length]), length
    assert "column" in rejection(tmp_path, text[:-5])
    assert "no known list" in rejection(tmp_path, "<a>" + rest.strip() + "</a>")
    assert "Give one XML" in refusal_of_two(tmp_path, text)


def refusal_of_two(folder: Path, text: str) -> str:
    with pytest.raises(ListRejected) as refused:
        read_list(write(folder, {"a": text, "b": text}))
    return str(refused.value)


@pytest.mark.parametrize(
    ("text", "old", "new", "reason"),
    [
        (UN, "<DATAID>700101<", "<DATAID>700001<", "Entry 2 (id '700001') is there twice"),
        (UN, "<DATAID>700101<", "<DATAID>x<", "Entry 2 (id 'x') has no valid id"),
        (UN, "<DATAID>700001</DATAID>", "", "Entry 1 (id '') has no valid id"),
        (UN, "FIRST_NAME>QUORVEX TRADING</FIRST", "X>y</X", "not readable XML"),
        (UN, "2026-11-20T", "20 November", "dateGenerated is not a date"),
        (UN, "2026-11-20T", "2026-13-20T", "dateGenerated is not a date"),
        (EU, 'logicalId="14"', 'logicalId="13"', "Entry 2 (id '13') is there twice"),
        (EU, 'wholeName="QUORVEX TRADING"', "", "Entry 2 (id '14') has no name"),
        (EU, 'code="person"', 'code="robot"', "Entry '13' has no known subjectType"),
        (EU, '<subjectType code="enterprise" classificationCode="E"/>', "", "subjectType"),
        (EU, "2026-11-21T", "yesterday", "generationDate is not a date"),
        (UK, "NWH0002", "NWH0001", "Entry 2 (id 'NWH0001') is there twice"),
        (UK, "NWH0002", "", "Entry 2 (id '') has no valid id"),
        (UK, "NWH0002", "NWH 2", "Entry 2 (id 'NWH 2') has no valid id"),
        (UK, ">Entity<", ">Robot<", "Entry 'NWH0002' has no known IndividualEntityShip"),
        (UK, "22/11/2026", "2026-11-22", "DateGenerated is not a date"),
    ],
)
def test_what_does_not_fit_the_format_is_rejected_with_its_position(
    tmp_path: Path, text: str, old: str, new: str, reason: str
) -> None:
    assert old in text
    assert reason in rejection(tmp_path, text.replace(old, new, 1))


def test_an_incomplete_un_list_is_rejected(tmp_path: Path) -> None:
    without = UN[: UN.index("<ENTITIES>")] + "</CONSOLIDATED_LIST>"
    assert "no ENTITIES" in rejection(tmp_path, without)


@pytest.mark.parametrize(
    "text", ["<export/>", "<Designations/>", "<sdnList/>", PEP_HEADER, "<CONSOLIDATED_LIST/>"]
)
def test_a_list_without_entries_is_rejected(tmp_path: Path, text: str) -> None:
    assert rejection(tmp_path, text, pep_name="x" if text == PEP_HEADER else None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PEP + pep_row("Q42", "Twice"), "Entry 4 (id 'Q42') is there twice"),
        (PEP + pep_row("", "None"), "Entry 4 (id '') has no valid id"),
        (PEP + pep_row("Q 4", "Blank"), "Entry 4 (id 'Q 4') has no valid id"),
        (PEP + pep_row("Q44", ""), "Entry 4 (id 'Q44') has no name"),
        (PEP + '"Q44","Person"\n', "Row 5 has 2 columns"),
        (PEP[:-90], "Row 4"),
        (PEP + '"Q44","Per"son"\n', "Row 5 is not CSV"),
        (PEP.replace('"birth_date"', '"born"'), "no column birth_date"),
        (PEP.replace('"phones"', '"name"'), "no column name, or two"),
        (PEP + pep_row("Q44", "Long " + "x" * 1_000_001), "field larger than field limit"),
    ],
)
def test_other_pep_files_are_rejected_with_the_row(tmp_path: Path, text: str, reason: str) -> None:
    assert reason in rejection(tmp_path, text, pep_name="Nowhere")


def test_a_pep_file_in_another_encoding_is_rejected(tmp_path: Path) -> None:
    (path,) = file(tmp_path, PEP_HEADER + pep_row("Q44", "Zoë"))
    path.write_bytes(path.read_text("utf-8").encode("cp1252"))
    with pytest.raises(ListRejected, match="not UTF-8"):
        read_list([path], pep_name="Nowhere")


def test_more_entries_than_the_maximum_are_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pep.PEP_ENTRIES_MAX >= 200_000
    monkeypatch.setattr(pep, "PEP_ENTRIES_MAX", 3)
    read_list(file(tmp_path, PEP), pep_name="x")
    assert "more than 3 entries" in rejection(tmp_path, PEP + pep_row("Q9", "Ada"), pep_name="x")


def test_a_politician_has_at_most_fifty_names(tmp_path: Path) -> None:
    aliases = ";".join(f"Ada{each}" for each in range(200))
    text = PEP_HEADER + pep_row("Q1", "Ada", aliases=aliases)
    (entry,) = read_list(file(tmp_path, text), pep_name="x").entries
    assert (len(entry.names), entry.names[0]) == (pep.PEP_NAMES_MAX, "Ada")


def test_a_pep_file_beside_another_file_is_rejected(tmp_path: Path) -> None:
    paths = write(tmp_path, {**as_csv(LISTED), "pep.csv": PEP, "sdn.xml": as_xml(LISTED)})
    with pytest.raises(ListRejected, match="Give one"):
        read_list(paths, pep_name="x")
