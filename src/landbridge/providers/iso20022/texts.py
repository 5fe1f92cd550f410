"""Character set of bank messages, and transliteration of other letters into it.

SEPA and SWIFT share one set: Latin letters without accents, digits, the blank and `/-?:().,'+`.
Source: European Payments Council, EPC217-08 (the set and the tables).

Rules of transliteration:
- accents are removed (`é` to `e`); Latin letters that are not an accented base letter are spelled
  out (`ß` to `ss`, `ø` to `o`, `Ł` to `L`, `Þ` to `Th`), Greek and Cyrillic ones are transcribed;
- other punctuation becomes its nearest equivalent (`&` to `+`, `_` to `-`), or a point;
- every other letter or digit, for example Chinese or Arabic, becomes a question mark. It is never
  dropped: `is_writable` reports such letters in advance, and a name with one is not paid;
- blanks, tabs and line ends become one blank.
"""

import re
import unicodedata

_ALLOWED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/-?:().,'+ ")
_UNKNOWN = "?"
_POINT = "."


def _table(letters: str, replacements: str) -> dict[str, str]:
    """Build a table from letters and their replacements, in the same order."""
    return dict(zip(letters.split(), replacements.split(), strict=True))


_LATIN = _table(
    "ß ẞ æ Æ œ Œ ø Ø đ Đ ð Ð þ Þ ł Ł ı ħ Ħ ŋ Ŋ ŧ Ŧ ĸ ə Ə",  # noqa: RUF001  letters as they are
    "ss SS ae AE oe OE o O d D d D th Th l L i h H n N t T k a A",
)
_GREEK = _table(
    "α β γ δ ε ζ η θ ι κ λ μ ν ξ ο π ρ σ ς τ υ φ χ ψ ω",  # noqa: RUF001  as above
    "a v g d e z i th i k l m n x o p r s s t y f ch ps o",
)
# Two letters for one sound, as in the name Papadopoulos.
_GREEK_OU = re.compile("(?<=[οΟ])[υύΥΎ]")  # noqa: RUF001  as above
_CYRILLIC = _table(
    "а б в г ґ ѓ д ђ е є ж з ѕ и і ї й ј к ќ л љ м н њ о п р с т ћ у ў",  # noqa: RUF001  as above
    "a b v g g g d d e e zh z dz i i i y j k k l lj m n nj o p r s t c u u",
) | _table(
    "ф х ц ч џ ш щ ъ ы ь э ю я",  # noqa: RUF001  as above
    "f h ts ch dz sh sht a y y e yu ya",
)
_MARKS = _table(
    '& ; _ ~ [ ] { } < > \\ | ` ´ ʼ ‘ ’ ‛ “ ” „ " « » ‐ ‑ ‒ – — − €',  # noqa: RUF001  as above
    "+ , - - ( ) ( ) ( ) / / ' ' ' ' ' ' ' ' ' ' ' ' - - - - - - E",
)


def _both_cases(small: dict[str, str]) -> dict[str, str]:
    return {
        **small,
        **{each.upper(): replacements.capitalize() for each, replacements in small.items()},
    }


_TABLE = {**_MARKS, **_both_cases(_CYRILLIC), **_both_cases(_GREEK), **_LATIN}


def transliterate(text: str) -> str:
    """Transliterate a text to the bank character set, on one line; see the module's rules."""
    composed = _GREEK_OU.sub("u", unicodedata.normalize("NFC", text))
    return " ".join("".join(_written(each) for each in composed).split())


def is_writable(text: str) -> bool:
    """Return whether every letter and digit of a text can be written in the bank character set."""
    composed = unicodedata.normalize("NFC", text)
    return not any(each != _UNKNOWN and _UNKNOWN in _written(each) for each in composed)


def _written(character: str) -> str:
    if character in _ALLOWED or character.isspace():
        return character
    if found := _TABLE.get(character):
        return found
    # Base letter without accents: NFKD also splits ligatures and full-width letters.
    taken_apart = unicodedata.normalize("NFKD", character)
    written_parts = "".join(_written(each) for each in taken_apart if taken_apart != character)
    # Some Arabic letters decompose to a blank and a vowel mark, of which nothing would be written.
    if written_parts.strip():
        return written_parts
    match unicodedata.category(character)[0]:
        case "M" | "C":
            return ""
        case "L" | "N":
            return _UNKNOWN
        case _:
            return _POINT
