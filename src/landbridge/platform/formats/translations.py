"""Languages of pages. English texts are in the pages; each other language is a gettext file.

`languages/<code>.po` is read directly, without a compiled form. Error messages of the API are
always English, because customers' programs receive them.
"""

import re
from collections.abc import Callable
from functools import cache
from gettext import NullTranslations
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from babel.core import negotiate_locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations
from jinja2 import Environment
from markupsafe import Markup, escape

ENGLISH: Final = "en"
# Languages, each with its name in that language.
LANGUAGES: Final = {ENGLISH: "English", "es": "Español"}
_WEIGHT: Final = re.compile(r"0(\.[0-9]{0,3})?|1(\.0{0,3})?")
FOLDER: Final = Path(__file__).parent / "languages"


def later(text: str) -> str:
    """Mark a text for the catalogue; it is translated where it is displayed."""
    return text


@cache
def catalogue(language: str) -> NullTranslations:
    """Return the translations of a language; a missing translation stays English."""
    if language == ENGLISH or language not in LANGUAGES:
        return NullTranslations()
    with (FOLDER / f"{language}.po").open("rb") as file:
        texts = read_po(file, locale=language)
    compiled = BytesIO()
    write_mo(compiled, texts)
    compiled.seek(0)
    return Translations(compiled)


def install_texts(
    environment: Environment,
    gettext: Callable[[str], str],
    ngettext: Callable[[str, str, int], str],
) -> None:
    """Let templates translate with `_`, `trans` and `ngettext`.

    Jinja treats every translated text as markup. That is right for `trans` and `ngettext`, which
    contain their text, but `_` also receives variables, so it escapes them.
    """

    def escaped(text: str, /, **variables: Any) -> Markup:
        translated = escape(gettext(text))
        return translated % variables if variables else translated

    loose: Any = environment
    loose.install_gettext_callables(gettext, ngettext, newstyle=True)
    loose.globals["_"] = escaped


def best_language(accepted: str) -> str:
    """Return the supported language that a browser prefers."""
    weighed = [_weighed(each) for each in accepted.split(",")]
    # The sort is stable, so of equal weights the first wins.
    preferred = sorted(
        (each for each in weighed if each[0] and each[1] > 0), key=lambda each: -each[1]
    )
    found = negotiate_locale([name for name, _ in preferred], LANGUAGES, sep="-")
    return found or ENGLISH


def _weighed(range_text: str) -> tuple[str, float]:
    """Return a language and its weight (RFC 9110, 12.5.4); an invalid weight counts as zero."""
    name, _, parameters = range_text.partition(";")
    text = parameters.strip().lower().removeprefix("q=").strip()
    if not text:
        return name.strip(), 1
    return name.strip(), float(text) if _WEIGHT.fullmatch(text) else 0
