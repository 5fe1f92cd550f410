"""The texts of pages, from templates and code: `make words` brings the languages up to date.

What is new has an empty translation then; what nobody says any more is gone.
"""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from landbridge.dashboard.words import ENGLISH, FOLDER, LANGUAGES
from tests.sources import ROOT

_SOURCE = ROOT / "src" / "landbridge" / "dashboard"
_HEADER = """# What pages say, in this language. `make words` adds what is new.
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plurals}\\n"

"""
_KEYWORDS: dict[str, Any] = {
    "_": None,
    "later": None,
    "gettext": None,
    "ngettext": (1, 2),
}


def said() -> Iterator[tuple[str, Any]]:
    """Where a text stands, and the text; with its plural, if it has one."""
    found = extract_from_dir(
        str(_SOURCE),
        method_map=[("**.py", "python"), ("templates/**.html", "jinja2")],
        options_map={"templates/**.html": {"trimmed": "true", "newstyle_gettext": "true"}},
        keywords=_KEYWORDS,
    )
    for name, line, message, *_ in found:
        told: Any = message
        yield f"{name}:{line}", told


def translated(language: str) -> Catalog:
    """The file of a language."""
    with (FOLDER / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language)


def written(texts: Catalog) -> bytes:
    """The file: sorted, without places and dates, so that only what is said makes a difference."""
    file = BytesIO()
    write_po(file, texts, no_location=True, sort_output=True, omit_header=True, width=100)
    header = _HEADER.format(language=texts.locale_identifier, plurals=texts.plural_forms)
    return header.encode() + file.getvalue()


def renewed(language: str) -> Catalog:
    """The file of a language with what is said now, and nothing else."""
    before, after = translated(language), Catalog(locale=language, charset="utf-8")
    for _, message in said():
        known = before.get(_first(message))
        after.add(message, known.string if known is not None else "")
    return after


def _first(message: str | tuple[str, ...]) -> str:
    return message if isinstance(message, str) else message[0]


if __name__ == "__main__":
    for each in LANGUAGES:
        if each != ENGLISH:
            (FOLDER / f"{each}.po").write_bytes(written(renewed(each)))
