"""Our sentences for the network's codes."""

from pathlib import Path

import pytest

from landbridge.providers.nacha.returns import (
    CHANGES,
    RETURNS,
    build_return,
    change_sentence,
    return_sentence,
)
from tests.providers.nacha.builders import OUR_BANK, build_correction, make_entry

TRACE = "021000020000009"
REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "nacha.md"


def test_a_return_has_a_sentence() -> None:
    assert return_sentence("R03") == "the bank returned it: R03, no such account"
    assert return_sentence("R99") == "the bank returned it: R99, a reason that we do not know"


def test_a_correction_has_a_sentence() -> None:
    assert change_sentence("C01") == "the bank requests a correction: C01, the account number"
    assert change_sentence("C99") == "the bank requests a correction: C99, unknown code"


def test_every_code_has_its_own_sentence() -> None:
    for codes in (RETURNS, CHANGES):
        assert len(set(codes.values())) == len(codes)


@pytest.mark.parametrize(
    ("sent", "answer"), [("22", "21"), ("23", "21"), ("32", "31"), ("33", "31")]
)
def test_a_return_keeps_the_account_kind(sent: str, answer: str) -> None:
    cents = 0 if sent in {"23", "33"} else 500
    entry = make_entry(transaction_code=sent, cents=cents)
    returned = build_return(entry, to_routing_number=OUR_BANK, trace_number=TRACE, code="R02")
    assert (returned.transaction_code, returned.cents) == (answer, cents)
    assert returned.returned is not None
    assert returned.returned.original_trace == entry.trace_number
    corrected = build_correction(
        entry, to_routing_number=OUR_BANK, trace_number=TRACE, code="C02", corrected="021000021"
    )
    assert (corrected.transaction_code, corrected.cents) == (answer, 0)


@pytest.mark.parametrize(("name", "codes"), [("returns", RETURNS), ("changes", CHANGES)])
def test_the_reference_has_the_same_sentences(name: str, codes: dict[str, str]) -> None:
    _, _, rest = REFERENCE.read_text(encoding="utf-8").partition(f"<!-- {name}:begin -->")
    rows = rest.partition(f"<!-- {name}:end -->")[0].strip().splitlines()[2:]
    assert rows == [f"| `{code}` | {words} |" for code, words in codes.items()]
