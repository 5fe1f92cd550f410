"""Hostile XML: each input is rejected, in bounded time and memory."""

import contextlib
import time
import tracemalloc
from resource import RUSAGE_SELF, getrusage

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from landbridge.platform.formats.file_errors import FileRejected
from landbridge.providers.iso20022 import camt053, pain001, pain002
from landbridge.providers.iso20022.xml import (
    ATTRIBUTES_MAX,
    BYTES_MAX,
    DEPTH_MAX,
    ELEMENTS_MAX,
    TEXT_LENGTH_MAX,
    read_document,
)
from tests.long import examples
from tests.providers.iso20022.builders import golden

# Attributes of a tag that is just short enough.
PREFIXED = b" ".join(b'p:a%d=""' % each for each in range(400))
HEAD = b'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">'
TAIL = b"</Document>"
READERS = (camt053.read, pain002.read, pain001.read)
LAUGHS = b"".join(
    b'<!ENTITY l%d "%s">' % (each, b"&l%d;" % (each - 1) * 10) for each in range(1, 10)
)


def refused(raw: bytes, match: str) -> None:
    with pytest.raises(FileRejected, match=match):
        camt053.read(raw)


def document(inside: bytes) -> bytes:
    return HEAD + b"<BkToCstmrStmt>" + inside + b"</BkToCstmrStmt>" + TAIL


@pytest.mark.parametrize(
    "prologue",
    [
        b'<!DOCTYPE Document [<!ENTITY l0 "lol">' + LAUGHS + b"]>",
        b'<!DOCTYPE Document [<!ENTITY l0 SYSTEM "file:///etc/passwd">]>',
        b'<!DOCTYPE Document [<!ENTITY % l0 SYSTEM "http://127.0.0.1:9/x.dtd"> %l0;]>',
        b'<!DOCTYPE Document SYSTEM "http://127.0.0.1:9/x.dtd">',
        b'<!DOCTYPE Document PUBLIC "-//X//X" "http://127.0.0.1:9/x.dtd">',
        b"<!DOCTYPE Document>",
        b'<!DOCTYPE Document [<!ENTITY l0 "' + b"a" * 100_000 + b'">]>',
    ],
)
def test_document_types_and_entities_are_refused(prologue: bytes) -> None:
    started = time.process_time()
    refused(prologue + document(b"<Stmt>&l0;</Stmt>"), "document type")
    assert time.process_time() - started < 1


def test_an_entity_that_is_not_declared_is_refused() -> None:
    refused(document(b"&l9;"), "line 1")


def test_external_inclusion_is_only_an_element_of_another_namespace() -> None:
    include = b'<x:include xmlns:x="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/>'
    refused(document(include), "no statement")
    # Elements of another namespace do not count as the message's own either.
    raw = golden("camt053-08.xml").replace(b"<Ntry>", b'<Ntry xmlns="urn:x">')
    refused(raw, "lead from one balance")


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "no XML"),
        (b"\x00" * 100, "no XML"),
        (b"hello", "no XML"),
        (b"<!-- nothing -->", "no XML"),
        (b"<a/>", "no camt.053"),
        (b"<Document/>", "no camt.053"),
        (b'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"/>', "without"),
        (HEAD.replace(b"001.08", b"001.99") + TAIL, "version 99"),
        (HEAD.replace(b"Document", b"Doc") + b"</Doc>", "no camt.053"),
        (document(b"text <GrpHdr/>"), "both text and elements"),
        (document(b"<GrpHdr/> text"), "both text and elements"),
        (document(b"<GrpHdr/><Stmt/>"), "its number is missing|currency"),
        (b"<a" * 1000, "no XML"),
        (b'<?xml version="1.0" encoding="no-such"?><a/>', "no XML|encoding"),
        (b'<?xml version="1.0" encoding="utf-7"?><a/>', "no XML|encoding|no camt"),
        (b'<?xml version="1.0" encoding="utf-16"?><a/>', "no XML"),
        (b'<?xml version="1.0" encoding="shift_jis"?><a/>', "no XML|encoding"),
        (b'<?xml version="1.0" encoding="rot13"?><a/>', "no XML|encoding"),
        (document(b"<Id>\xff\xfe\x00</Id>"), "no XML"),
        (document(b"<Id>\xc3\x28</Id>"), "no XML"),
        (document(b"<Id>&#0;</Id>"), "no XML"),
        (HEAD + b"<Stmt>", "no XML"),
        (document(b"") + document(b""), "no XML"),
    ],
)
def test_other_messages_are_rejected(raw: bytes, reason: str) -> None:
    refused(raw, reason)


@pytest.mark.long
@pytest.mark.parametrize(
    ("inside", "reason"),
    [
        (b"<A>" * DEPTH_MAX + b"</A>" * DEPTH_MAX, "nested deeper"),
        (b"<A>" * 1_000_000, "nested deeper"),
        pytest.param(b"<A/>" * ELEMENTS_MAX, "more than 1000000", marks=pytest.mark.long),
        (b"<A>" + b"x" * (TEXT_LENGTH_MAX + 1) + b"</A>", "more than 10000 characters"),
        (b"<A>" + b"x" * 20_000_000 + b"</A>", "more than 10000 characters"),
        (b"<A>" + b" " * (TEXT_LENGTH_MAX + 1) + b"</A>", "more than 10000 characters"),
        (b'<A a="' + b"x" * 20_000_000 + b'"/>', "A tag"),
        (b"<" + b"A" * 20_000_000 + b"/>", "A tag"),
        (
            b"<A " + b" ".join(b'a%d=""' % each for each in range(ATTRIBUTES_MAX + 1)) + b"/>",
            "attributes",
        ),
        (b"<!--" + b"x" * 20_000_000 + b"-->", "a comment"),
        (b"<?pi " + b"x" * 20_000_000 + b"?>", "a comment"),
        (b"<A>&#120;</A>" * 100_000, "no statement"),
    ],
)
def test_bounds_hold_in_time_and_memory(inside: bytes, reason: str) -> None:
    raw = document(inside)
    started = time.process_time()
    refused(raw, reason)
    assert time.process_time() - started < 60


@pytest.mark.parametrize(
    ("inside", "reason"),
    [
        (b'<A xmlns:p="' + b"u" * 10_000 + b'" ' + PREFIXED + b"/>", "A namespace"),
        (b'<A xmlns:p="' + b"u" * 10_000 + b'"><B ' + PREFIXED + b"/></A>", "A namespace"),
        (b'<A xmlns:p="' + b"u" * 100_000 + b'" ' + PREFIXED + b"/>", "A tag"),
        (b'<A xmlns:p="u" ' + PREFIXED + b"/>", "attributes"),
        (b"<A " + b" ".join(b'a%d=""' % each for each in range(100_000)) + b"/>", "A tag"),
    ],
)
def test_a_namespace_does_not_multiply_with_its_attributes(inside: bytes, reason: str) -> None:
    raw = document(inside)
    before = getrusage(RUSAGE_SELF).ru_maxrss
    refused(raw, reason)
    # The parser's own memory, which is not traced: a namespace of 100 KB took more than a gigabyte.
    assert getrusage(RUSAGE_SELF).ru_maxrss - before < 100_000


def test_a_tag_and_a_namespace_of_the_longest_length_are_read() -> None:
    head = b'<A xmlns:p="' + b"u" * 999 + b'" b="'
    refused(document(head + b"x" * 900 + b'"' + b" " * 14_000 + b"/>"), "no statement")
    refused(document(b"<!--" + b"x" * 16_000 + b"-->" + b"<A>  </A>" * 10_000), "no statement")


def test_an_oversized_file_is_not_parsed() -> None:
    started = time.process_time()
    refused(b"<" * (BYTES_MAX + 1), "bytes")
    assert time.process_time() - started < 1


def test_memory_stays_bounded_where_elements_are_many() -> None:
    raw = document(b"<Ntry><Amt>1</Amt></Ntry>" * 50_000)
    tracemalloc.start()
    refused(raw, "no statement")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # 100 000 elements: the limit of a million thus needs about 400 MB at most.
    assert peak < 60_000_000


def test_numbers_may_be_as_long_as_a_text_and_cost_nothing() -> None:
    raw = golden("camt053-08.xml").replace(b">45.00000<", b">" + b"9" * 10_000 + b"<")
    started = time.process_time()
    refused(raw, "entry 1: its amount")
    assert time.process_time() - started < 1


def test_declared_encodings_are_decoded() -> None:
    text = golden("camt053-08.xml").decode().replace("Payee One", "Payée Øne")
    for encoding in ("utf-16", "iso-8859-1"):
        raw = text.replace("UTF-8", encoding).encode(encoding)
        party = camt053.read(raw)[0].entries[0].transactions[0].other_party
        assert party.name == "Payée Øne"
    assert camt053.read(b"\xef\xbb\xbf" + text.encode())


@pytest.mark.parametrize("read", READERS, ids=["camt053", "pain002", "pain001"])
@pytest.mark.parametrize(
    "name", ["camt053-02.xml", "camt053-08.xml", "pain001-swift.xml", "pain002-written.xml"]
)
def test_a_truncated_file_is_refused_wherever_it_ends(read: object, name: str) -> None:
    assert callable(read)
    raw = golden(name)
    for end in range(0, len(raw) - 20, 97):
        with pytest.raises(FileRejected):
            read(raw[:end])


@given(st.data())
@settings(max_examples=examples(300, 60), deadline=None)
def test_any_bytes_raise_no_other_error(data: st.DataObject) -> None:
    raw = bytearray(golden(data.draw(st.sampled_from(["camt053-02.xml", "pain001-sepa.xml"]))))
    for _ in range(data.draw(st.integers(1, 8))):
        start = data.draw(st.integers(0, len(raw)))
        length = data.draw(st.integers(0, 12))
        raw[start : start + length] = data.draw(st.binary(max_size=12))
    for read in READERS:
        with contextlib.suppress(FileRejected):
            read(bytes(raw))


@given(st.binary(max_size=200))
def test_a_rejection_never_repeats_input(raw: bytes) -> None:
    with pytest.raises(FileRejected):
        read_document(raw, "camt.053", range(2, 14), "BkToCstmrStmt")
