"""The letters that banks take in these messages, and how other letters are written with them.

SEPA and SWIFT share one set: Latin letters without accents, digits, the blank and `/-?:().,'+`.
Source: European Payments Council, EPC217-08 (the set and the tables).

What becomes of a text:
- accents go (`é` to `e`); letters of the Latin family that are no letter with an accent are spelled
  out (`ß` to `ss`, `ø` to `o`, `Ł` to `L`, `Þ` to `Th`), Greek and Cyrillic ones are transcribed;
- other punctuation becomes its nearest neighbour (`&` to `+`, `_` to `-`), or a point;
- every other letter or digit, as in Chinese or Arabic, becomes a question mark. So it is never
  dropped: `is_writable` says beforehand whether there is one, and a name with one is not paid;
- blanks, tabs and line ends become one blank.
"""

import re
import unicodedata

_ALLOWED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/-?:().,'+ ")
_UNKNOWN = "?"
_POINT = "."


def _table(letters: str, told: str) -> dict[str, str]:
    """Each letter, and what is written in its place, in the same order."""
    return dict(zip(letters.split(), told.split(), strict=True))


_LATIN = _table(
    "ß ẞ æ Æ œ Œ ø Ø đ Đ ð Ð þ Þ ł Ł ı ħ Ħ ŋ Ŋ ŧ Ŧ ĸ ə Ə",  # noqa: RUF001  letters as they are
    "ss SS ae AE oe OE o O d D d D th Th l L i h H n N t T k a A",
)
_GREEK = _table(
    "α β γ δ ε ζ η θ ι κ λ μ ν ξ ο π ρ σ ς τ υ φ χ ψ ω",  # noqa: RUF001  as above
    "a v g d e z i th i k l m n x o p r s s t y f ch ps o",
)
# Two letters that are one sound, in Papadopoulos.
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
    return {**small, **{each.upper(): told.capitalize() for each, told in small.items()}}


_TABLE = {**_MARKS, **_both_cases(_CYRILLIC), **_both_cases(_GREEK), **_LATIN}


def written(text: str) -> str:
    """The text in the letters that every bank takes, on one line; see above for what changes."""
    composed = _GREEK_OU.sub("u", unicodedata.normalize("NFC", text))
    return " ".join("".join(_written(each) for each in composed).split())


def is_writable(text: str) -> bool:
    """Whether every letter and digit of a text can be told to a bank."""
    composed = unicodedata.normalize("NFC", text)
    return not any(each != _UNKNOWN and _UNKNOWN in _written(each) for each in composed)


def _written(character: str) -> str:
    if character in _ALLOWED or character.isspace():
        return character
    if found := _TABLE.get(character):
        return found
    # The letter below its accents: NFKD also undoes ligatures and letters of double width.
    taken_apart = unicodedata.normalize("NFKD", character)
    if taken_apart != character:
        return "".join(_written(each) for each in taken_apart)
    match unicodedata.category(character)[0]:
        case "M" | "C":
            return ""
        case "L" | "N":
            return _UNKNOWN
        case _:
            return _POINT
