from dataclasses import replace
from pathlib import Path

import pytest

from landbridge.providers.screening.model import ListRejected, SanctionsEntry, SanctionsEntryType
from landbridge.providers.screening.reading import read_list
from tests.providers.screening.golden import LISTED
from tests.providers.screening.lists import as_csv, as_xml, entity, person, write

VESSEL = SanctionsEntry("900", SanctionsEntryType.VESSEL, ("MV NOWHERE",), ("TEST",), ())


def xml(folder: Path, text: str) -> list[Path]:
    return write(folder, {"sdn.xml": text})


@pytest.mark.parametrize(
    "namespace",
    ["http://tempuri.org/sdnList.xsd", "https://sanctions.example/exports/XML", "urn:x"],
)
def test_xml_is_parsed_with_any_namespace(tmp_path: Path, namespace: str) -> None:
    decoded = read_list(xml(tmp_path, as_xml([*LISTED, VESSEL], namespace=namespace)))
    assert decoded.entries == (*LISTED, VESSEL)
    assert str(decoded.published_on) == "2026-11-20"
    assert decoded.name == "OFAC SDN"


def test_xml_without_a_namespace_is_read(tmp_path: Path) -> None:
    text = as_xml(LISTED).replace(' xmlns="https://sanctions.example/exports/XML"', "")
    assert read_list(xml(tmp_path, "\ufeff" + text)).entries == LISTED


def test_csv_files_are_equal_in_any_order(tmp_path: Path) -> None:
    paths = write(tmp_path, as_csv([*LISTED, VESSEL]))
    for order in (paths, paths[::-1], paths[:2]):
        decoded = read_list(order)
        assert decoded.entries == (*LISTED, VESSEL)
        assert decoded.published_on is None


def test_a_weak_alias_and_long_remarks_are_read(tmp_path: Path) -> None:
    listed = person(1, "LAST, First", "OTHER, First", "THIRD, First", "THE ELDER", born=("1950",))
    files = as_csv([listed])
    assert "a.k.a. 'THE ELDER'" in files["sdn.csv"]
    files["sdn_comments.csv"] = '1,"; alt. DOB 3 Mar 1951; POB Nowhere."\r\n\x1a\r\n'
    (decoded,) = read_list(write(tmp_path, files)).entries
    assert set(decoded.names) == set(listed.names)
    assert decoded.birth_dates == ("1950", "3 Mar 1951")


def test_old_csv_is_not_utf_8(tmp_path: Path) -> None:
    paths = write(tmp_path, as_csv([entity(1, "Plain", "Café Nowhere")]))
    for path in paths:
        path.write_bytes(path.read_text("utf-8").encode("cp1252"))
    assert read_list(paths).entries[0].names == ("Plain", "Café Nowhere")


def test_the_digest_does_not_depend_on_the_order_of_files(tmp_path: Path) -> None:
    paths = write(tmp_path, as_csv(LISTED))
    assert read_list(paths).digest == read_list(paths[::-1]).digest
    other = read_list(xml(tmp_path, as_xml(LISTED)))
    assert other.digest != read_list(paths).digest


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing",
        "<html></html>",
        as_xml([]),
        as_xml(LISTED)[:-200],
        as_xml(LISTED, count=5),
        as_xml(LISTED).replace("<Record_Count>", "<Record_Count>" + "9" * 5_000),
        as_xml([LISTED[0], LISTED[0]]),
        as_xml(LISTED).replace("<uid>1</uid>", "<uid>one</uid>", 1),
        as_xml([LISTED[0]]).replace("lastName>", "otherName>").replace("firstName>", "x>"),
        '<!DOCTYPE a [<!ENTITY b "c">]>' + as_xml(LISTED),
        '<!DOCTYPE a SYSTEM "file:///etc/passwd"><sdnList/>',
    ],
)
def test_other_files_are_rejected(tmp_path: Path, text: str) -> None:
    with pytest.raises(ListRejected):
        read_list(xml(tmp_path, text))


def test_incomplete_or_mixed_files_are_refused(tmp_path: Path) -> None:
    main, aliases, addresses = write(tmp_path, as_csv(LISTED))
    (whole,) = xml(tmp_path, as_xml(LISTED))
    empty = write(tmp_path, {"empty.csv": "\x1a\r\n"})[0]
    ragged = write(tmp_path, {"ragged.csv": "1,2,3,4,5\r\n1,2,3\r\n"})[0]
    for paths in (
        [main],
        [aliases, addresses],
        [main, main, aliases],
        [main, aliases, whole],
        [main, aliases, empty],
        [main, ragged],
        [tmp_path / "missing.csv"],
    ):
        with pytest.raises(ListRejected):
            read_list(paths)


def test_addresses_are_read_from_both_formats(tmp_path: Path) -> None:
    listed = replace(
        person(1, "LAST, First", "OTHER, First"),
        addresses=("0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "1BitcoinAddressOfNobody"),
    )
    for paths in (
        write(tmp_path, as_csv([listed, entity(2, "Plain")])),
        xml(tmp_path, as_xml([listed, entity(2, "Plain")])),
    ):
        first, second = read_list(paths).entries
        assert first.addresses == (listed.addresses[0].lower(), listed.addresses[1])
        assert second.addresses == ()


def test_the_last_address_of_remarks_has_no_full_stop(tmp_path: Path) -> None:
    files = as_csv([person(1, "LAST, First", "OTHER, First")])
    remark = "Digital Currency Address - XBT 1First; alt. Digital Currency Address - USDT TSecond."
    files["sdn_comments.csv"] = f'1,"{remark}"\r\n\x1a\r\n'
    (decoded,) = read_list(write(tmp_path, files)).entries
    assert decoded.addresses == ("1First", "TSecond")
