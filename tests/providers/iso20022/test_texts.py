import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from landbridge.providers.iso20022.reasons import REASONS, describe, reason_code
from landbridge.providers.iso20022.texts import is_writable, transliterate

ALLOWED = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/-?:().,'+ ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Müller & Söhne", "Muller + Sohne"),
        ("Straße 7", "Strasse 7"),
        ("Søren Ærø Þórsson", "Soren AEro Thorsson"),
        ("Łukasz Żółć", "Lukasz Zolc"),
        ("Đorđević", "Dordevic"),
        ("Γιώργος Παπαδόπουλος", "Giorgos Papadopoulos"),
        ("Θωμάς Ψαρράς", "Thomas Psarras"),
        ("Щерьо Ёлкин", "Shteryo Elkin"),
        ("O’Brien", "O'Brien"),  # noqa: RUF001  as it is written
        ("a_b;c[d]{e}\\f|g", "a-b,c(d)(e)/f/g"),
        ("100 € #1", "100 E .1"),
        ("two\r\nlines\tand   blanks ", "two lines and blanks"),
        ("ﬁne Ａ½", "fine A1.2"),
        ("zero\u200bwidth", "zerowidth"),
        ("王小明", "???"),
        ("e\u0301", "e"),
    ],
)
def test_letters_are_written_with_those_of_the_banks(text: str, expected: str) -> None:
    assert transliterate(text) == expected


@given(st.text())
def test_any_text_becomes_allowed_letters(text: str) -> None:
    expected = transliterate(text)
    assert set(expected) <= ALLOWED
    assert expected == expected.strip()
    assert "  " not in expected
    assert transliterate(expected) == expected


@example("\ufe70")
@given(st.text(st.characters(categories=("L", "Nd")), min_size=1, max_size=20))
def test_no_letter_is_lost(name: str) -> None:
    letters = [
        each for each in unicodedata.normalize("NFC", name) if unicodedata.category(each)[0] in "LN"
    ]
    assert len(transliterate(name)) >= len(letters)
    assert is_writable(name) or "?" in transliterate(name)


def test_a_name_with_unknown_letters_is_known_beforehand() -> None:
    assert is_writable("Élodie?")
    assert is_writable("A & B")
    assert not is_writable("Li 明")
    assert not is_writable("محمد")


def test_reasons_are_our_own_texts() -> None:
    assert describe("AC04") == "AC04, the account is closed"
    assert reason_code("AM05") == "AM05"
    # A name can have the format of a code.
    assert {reason_code(expected) for expected in ("No such person as Jane Doe", "SCHMIDT")} == {
        "NARR"
    }
    assert reason_code("") is None
    assert reason_code(None) is None
    assert all(reason_code(code) == code for code in REASONS)
