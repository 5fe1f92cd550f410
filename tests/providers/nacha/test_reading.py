"""Invalid files are rejected."""

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.platform.formats.file_errors import FileRejected
from landbridge.providers.nacha.messages import SecCode
from landbridge.providers.nacha.reading import FILE_BYTES_MAX, read
from landbridge.providers.nacha.returns import build_return
from landbridge.providers.nacha.writing import write
from tests.providers.nacha.builders import (
    OUR_BANK,
    build_correction,
    make_batch,
    make_entry,
    make_file,
)

GOOD = make_file(make_batch(make_entry(addenda=("INVOICE 7",))))
LINES = write(GOOD).decode("ascii").splitlines()
# Line numbers in GOOD.
HEADER, BATCH, ENTRY, ADDENDA, BATCH_CONTROL, CONTROL = range(6)


def _with(place: int, column: int, text: str) -> bytes:
    """Return GOOD with `text` in one of its lines, from this column (counted from 1)."""
    line = LINES[place]
    changed = line[: column - 1] + text + line[column - 1 + len(text) :]
    return _of([*LINES[:place], changed, *LINES[place + 1 :]])


def _of(lines: list[str]) -> bytes:
    return "".join(f"{each}\n" for each in lines).encode("latin-1")


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"", "Line 1 must have 94 printable characters."),
        (b"<Document/>", "Line 1 must have 94 printable characters."),
        (_of([LINES[0][:-1], *LINES[1:]]), "Line 1 must have 94 printable characters."),
        (_of([LINES[0] + " ", *LINES[1:]]), "Line 1 must have 94 printable characters."),
        (_with(ENTRY, 55, "\t"), "Line 3 must have 94 printable characters."),
        (_with(ENTRY, 55, "\x00"), "Line 3 must have 94 printable characters."),
        (_with(ENTRY, 55, "É"), "Byte 245 is not ASCII."),
        ("\u0661".encode() * 47, "Byte 1 is not ASCII."),
        (_of(LINES[1:6]), "Line 1 must be a file header."),
        (_of(LINES[:1]), "Line 2 must be a file control."),
        (_of(LINES[:3]), "Line 3: the addenda indicator is wrong."),
        (_of(LINES[:4]), "Line 5 must be a batch control."),
        (_of(LINES[:5]), "Line 6 must be a file control."),
        (_of([*LINES[:6], LINES[ENTRY]]), "Line 7: something follows the file control."),
        (_of(LINES[:-1]), "The last block is not filled up with nines"),
        (_of([*LINES, *["9" * 94] * 10]), "The last block is not filled up with nines"),
        (_with(HEADER, 2, "02"), "Line 1: priority code must be '01'."),
        (_with(HEADER, 35, "095"), "Line 1: record size must be '094'."),
        (_with(HEADER, 24, "260230"), "Line 1: the creation date must be YYMMDD."),
        (_with(HEADER, 30, "2460"), "Line 1: the creation time must be HHMM."),
        (_with(HEADER, 34, "a"), "Line 1: the file id modifier must be A to Z or 0 to 9."),
        (_with(BATCH, 2, "999"), "Line 2: the service class must be 200, 220 or 225."),
        (_with(BATCH, 51, "IAT"), "Line 2: batches are read of PPD, CCD, COR, WEB, TEL alone."),
        (_with(BATCH, 70, "261301"), "Line 2: the effective date must be YYMMDD."),
        (_with(BATCH, 80, "0910000A"), "Line 2: odfi must be 8 digits."),
        (_with(ENTRY, 2, "20"), "Line 3: there is no such transaction code."),
        (_with(ENTRY, 2, "23"), "Line 3: a prenote must have no amount."),
        (_with(ENTRY, 12, "2"), "Line 3: the check digit of the routing number is wrong."),
        (_with(ENTRY, 30, "00000I2550"), "Line 3: amount must be 10 digits."),
        (_with(ENTRY, 30, "         1"), "Line 3: amount must be 10 digits."),
        (_with(ENTRY, 30, "-000012550"), "Line 3: amount must be 10 digits."),
        (_with(ENTRY, 79, "0"), "Line 3: the addenda indicator is wrong."),
        (_with(ENTRY, 94, "2"), "Line 4: the entry number is not what"),
        (_with(ADDENDA, 2, "10"), "Line 4: such an addenda has no place here."),
        (_with(ADDENDA, 84, "0002"), "Line 4: the addenda number is not what"),
        (_with(BATCH_CONTROL, 2, "200"), "Line 5: the service class is not that of the batch's"),
        (_with(BATCH_CONTROL, 5, "000001"), "Line 5: the entry and addenda count is not what"),
        (_with(BATCH_CONTROL, 11, "0002100003"), "Line 5: the entry hash is not what"),
        (_with(BATCH_CONTROL, 21, "000000000001"), "Line 5: the total debits is not what"),
        (_with(BATCH_CONTROL, 33, "000000012551"), "Line 5: the total credits is not what"),
        (_with(BATCH_CONTROL, 45, "1234567891"), "Line 5: the company id is not that of"),
        (_with(BATCH_CONTROL, 80, "09100002"), "Line 5: the odfi is not that of"),
        (_with(BATCH_CONTROL, 88, "0000002"), "Line 5: the batch number is not that of"),
        (_with(CONTROL, 2, "000002"), "Line 6: the batch count is not what"),
        (_with(CONTROL, 8, "000002"), "Line 6: the block count is not what"),
        (_with(CONTROL, 14, "00000003"), "Line 6: the entry and addenda count is not what"),
        (_with(CONTROL, 22, "0002100003"), "Line 6: the entry hash is not what"),
        (_with(CONTROL, 32, "000000000001"), "Line 6: the total debits is not what"),
        (_with(CONTROL, 44, "000000012551"), "Line 6: the total credits is not what"),
    ],
)  # fmt: skip
def test_a_file_with_a_mistake_is_refused_and_the_line_is_named(raw: bytes, sentence: str) -> None:
    with pytest.raises(FileRejected) as refused:
        read(raw)
    assert str(refused.value).startswith(sentence)


def test_a_batch_of_credits_has_no_debit() -> None:
    lines = write(make_file(make_batch(make_entry()))).decode("ascii")
    swapped = lines.replace("\n622", "\n627")
    totals = f"{0:012d}{12_550:012d}"
    raw = swapped.replace(totals, f"{12_550:012d}{0:012d}").encode("ascii")
    with pytest.raises(FileRejected, match="the service class does not allow"):
        read(raw)


def _returned() -> bytes:
    entry = build_return(
        make_entry(), to_routing_number=OUR_BANK, trace_number="021000020000009", code="R03"
    )
    return write(make_file(make_batch(entry)))


def _corrected() -> bytes:
    entry = build_correction(
        make_entry(),
        to_routing_number=OUR_BANK,
        trace_number="021000020000009",
        code="C01",
        corrected="987654321",
    )
    return write(make_file(make_batch(entry, sec_code=SecCode.COR)))


@pytest.mark.parametrize(
    ("make", "old", "new", "sentence"),
    [
        (_returned, "799R03", "799X03", "Line 4: the return code must be R and two digits."),
        (_returned, "799R03", "798C01", "Line 3: notifications of change, and they"),
        (_returned, "799R03091", "799R0309A", "Line 4: original trace must be 15 digits."),
        (_corrected, "798C01", "798R01", "Line 4: the change code must be C and two digits."),
        (_corrected, "798C01", "799R01", "Line 3: notifications of change, and they"),
        (_corrected, "0000000000", "0000000001", "Line 3: a notification of change must have no"),
    ],
)  # fmt: skip
def test_an_answer_with_a_mistake_is_refused(
    make: Callable[[], bytes], old: str, new: str, sentence: str
) -> None:
    text = make().decode("ascii")
    assert old in text
    with pytest.raises(FileRejected) as refused:
        read(text.replace(old, new, 1).encode("ascii"))
    assert str(refused.value).startswith(sentence)


def test_a_second_answer_to_one_entry_is_refused() -> None:
    lines = _returned().decode("ascii").splitlines()
    with pytest.raises(FileRejected, match="Line 5: such an addenda has no place here"):
        read(_of([*lines[:4], lines[3], *lines[4:9]]))


def test_a_date_of_death_counts_for_those_who_died_alone() -> None:
    text = _returned().decode("ascii")
    index = "R03091000010000001" + " " * 6
    assert index in text
    decoded = read(text.replace(index, "R03091000010000001260101").encode("ascii"))
    returned = decoded.batches[0].entries[0].returned
    assert returned is not None
    assert returned.died_on is None
    with pytest.raises(FileRejected, match="the date of death must be YYMMDD"):
        read(text.replace(index, "R14091000010000001261301").encode("ascii"))


def test_sentences_have_nothing_personal() -> None:
    sentences: set[str] = set()
    for index in range(len(LINES)):
        for column in range(1, 95):
            try:
                read(_with(index, column, "?"))
            except FileRejected as error:
                sentences.add(str(error))
    assert len(sentences) > 30
    assert not [each for each in sentences if "LOVELACE" in each or "123456789" in each]


@given(st.data())
def test_any_change_of_a_byte_is_read_or_refused(data: st.DataObject) -> None:
    raw = bytearray(_of(LINES))
    for _ in range(data.draw(st.integers(1, 5))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        read(bytes(raw))
    except FileRejected:
        return


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    try:
        read(raw)
    except FileRejected:
        return


def test_a_huge_file_is_refused_at_once() -> None:
    started = time.process_time()
    with pytest.raises(FileRejected, match="at most"):
        read(b"1" * (FILE_BYTES_MAX + 1))
    with pytest.raises(FileRejected):
        read(b"\n" * FILE_BYTES_MAX)
    with pytest.raises(FileRejected):
        read(_of([*LINES[:3], *[LINES[ENTRY]] * 1000, *["9" * 94] * 100_000]))
    assert time.process_time() - started < 5
