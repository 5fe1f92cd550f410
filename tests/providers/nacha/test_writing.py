"""Encoded files equal the golden files, and contain nothing that ACH can't carry."""

from dataclasses import replace
from pathlib import Path

import pytest

from landbridge.platform.core.errors import InvariantBroken
from landbridge.providers.nacha.messages import NachaEntry, NachaFile, SecCode
from landbridge.providers.nacha.reading import read
from landbridge.providers.nacha.returns import build_return
from landbridge.providers.nacha.writing import capitals, has_lost_letters, rejection_reason, write
from tests.providers.nacha.builders import (
    OUR_BANK,
    THEIR_BANK,
    build_correction,
    make_batch,
    make_entry,
    make_file,
)

GOLDEN = Path(__file__).parents[1] / "golden"


def _payments() -> NachaFile:
    return make_file(
        make_batch(
            make_entry(),
            make_entry(
                transaction_code="32",
                cents=99_999_999_99,
                name="Zoë Łukasiewicz-Straße de la Fuente",
                addenda=("Invoice 7 \u2013 März",),
                trace_number="091000010000002",
            ),
        ),
        make_batch(
            make_entry(transaction_code="23", cents=0, trace_number="091000010000003"),
            sec_code=SecCode.CCD,
            description="PRENOTE",
            number=2,
        ),
    )


def _answers() -> NachaFile:
    their_traces = [f"{THEIR_BANK[:8]}{index:07d}" for index in range(1, 3)]
    sent = _payments().batches
    return make_file(
        make_batch(
            build_return(
                sent[0].entries[0],
                to_routing_number=OUR_BANK,
                trace_number=their_traces[0],
                code="R03",
            ),
            odfi=THEIR_BANK[:8],
        ),
        make_batch(
            build_correction(
                sent[1].entries[0],
                to_routing_number=OUR_BANK,
                trace_number=their_traces[1],
                code="C01",
                corrected="987654321",
            ),
            odfi=THEIR_BANK[:8],
            sec_code=SecCode.COR,
            number=2,
        ),
        immediate_destination="1234567890",
        immediate_origin=OUR_BANK,
    )


@pytest.mark.parametrize(
    ("name", "file"), [("nacha-payments.ach", _payments()), ("nacha-answers.ach", _answers())]
)
def test_a_file_is_as_in_its_golden_file(name: str, file: NachaFile) -> None:
    assert write(file).decode("ascii") == (GOLDEN / name).read_text(encoding="ascii")
    assert write(read(write(file))) == write(file)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (make_entry(), None),
        (make_entry(name="Łukasz Ø'Brien-Müller"), None),
        (make_entry(transaction_code="33", cents=0), None),
        (make_entry(transaction_code="27"), "must be a credit or a prenote"),
        (make_entry(routing_number="021000022"), "the routing number is not a bank's"),
        (make_entry(routing_number="990000013"), "the routing number is not a bank's"),
        (make_entry(routing_number=""), "the routing number is not a bank's"),
        (make_entry(account_number=""), "the account number must have"),
        (make_entry(account_number="1" * 18), "the account number must have"),
        (make_entry(account_number="12 34"), "the account number must have"),
        (make_entry(account_number="١٢٣"), "the account number must have"),
        (make_entry(cents=0), "must be of $0.01 to"),
        (make_entry(cents=-1), "must be of $0.01 to"),
        (make_entry(cents=10**10), "must be of $0.01 to"),
        (make_entry(transaction_code="23", cents=1), "a prenote of nothing"),
        (make_entry(name=""), "the name must be in Latin letters"),
        (make_entry(name="山田太郎"), "the name must be in Latin letters"),
        (make_entry(name="Иван Παπαδόπουλος"), None),
        (make_entry(name="Ada 山"), "the name must be in Latin letters"),
        (make_entry(individual_id="0" * 16), "the individual id must have at most 15"),
        (make_entry(addenda=("a", "b")), "has at most one text"),
        (make_entry(addenda=("",)), "the text must have 1 to 80"),
        (make_entry(addenda=("x" * 81,)), "the text must have 1 to 80"),
        (make_entry(addenda=("請求書",)), "the text must have 1 to 80"),
    ],
)
def test_unsupported_payments_are_detected_in_advance(
    entry: NachaEntry, reason: str | None
) -> None:
    found = rejection_reason(entry)
    assert (reason is None) == (found is None)
    assert (reason or "") in (found or "")


def test_unsupported_payments_are_never_written() -> None:
    with pytest.raises(InvariantBroken):
        write(make_file(make_batch(make_entry(cents=10**10))))
    with pytest.raises(InvariantBroken):
        write(make_file(make_batch(make_entry(trace_number="1"))))
    with pytest.raises(InvariantBroken, match="company_id"):
        write(make_file(make_batch(company_id="12345678901")))


def test_trace_numbers_are_unique_and_ascending() -> None:
    entry = make_entry()
    second = replace(entry, trace_number="091000010000002")
    for entries in ([entry, entry], [second, entry]):
        with pytest.raises(AssertionError):
            write(make_file(make_batch(*entries)))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Zoë", "ZOE"),
        ("Straße", "STRASSE"),
        ("Þór Æði", "THOR AEDI"),
        ("Łódź", "LODZ"),
        ("O\u2019Neil", "O'NEIL"),
        ("a\tb\n c", "A B C"),
        ("ﬁne 🎉 №", "FINE . NO"),
        ("Миша Παπαδόπουλος", "MISHA PAPADOPOULOS"),
        ("A & B_C [d]", "A & B_C [D]"),
        ("\uff34\uff4f\uff4b\uff59\uff4f", "TOKYO"),
    ],
)
def test_texts_are_written_in_plain_capitals(text: str, written: str) -> None:
    assert capitals(text) == written
    assert not has_lost_letters(text)
