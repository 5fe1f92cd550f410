"""The languages of pages. English is in the pages themselves; each other is one file of gettext.

`languages/<code>.po` is read as it is: nothing is compiled. Sentences with which the interface
refuses something stay in English, as customers' programs get them.
"""

import re
from functools import cache
from gettext import NullTranslations
from io import BytesIO
from pathlib import Path
from typing import Final

from babel.core import negotiate_locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations

ENGLISH: Final = "en"
# What each calls itself.
LANGUAGES: Final = {ENGLISH: "English", "es": "Español"}
_WEIGHT: Final = re.compile(r"0(\.[0-9]{0,3})?|1(\.0{0,3})?")
FOLDER: Final = Path(__file__).parent / "languages"


def later(text: str) -> str:
    """Mark a text for the catalogue; it is translated where it is shown."""
    return text


@cache
def catalogue(language: str) -> NullTranslations:
    """The texts of a language; those that it lacks are in English."""
    if language == ENGLISH or language not in LANGUAGES:
        return NullTranslations()
    with (FOLDER / f"{language}.po").open("rb") as file:
        texts = read_po(file, locale=language)
    compiled = BytesIO()
    write_mo(compiled, texts)
    compiled.seek(0)
    return Translations(compiled)


def best_language(accepted: str) -> str:
    """The one of ours that a browser likes best."""
    weighed = [_weighed(each) for each in accepted.split(",")]
    # A stable order: of equal weight, the first counts.
    wanted = sorted(
        (each for each in weighed if each[0] and each[1] > 0), key=lambda each: -each[1]
    )
    found = negotiate_locale([name for name, _ in wanted], LANGUAGES, sep="-")
    return found or ENGLISH


def _weighed(told: str) -> tuple[str, float]:
    """A language and its weight (RFC 9110, 12.5.4); none is liked where the weight is nonsense."""
    name, _, more = told.partition(";")
    text = more.strip().lower().removeprefix("q=").strip()
    if not text:
        return name.strip(), 1
    return name.strip(), float(text) if _WEIGHT.fullmatch(text) else 0
