"""Texts of pages, from templates and code; `make words` updates the language files.

New texts get an empty translation; unused texts are removed.
"""

from collections.abc import Iterator
from functools import cache
from io import BytesIO
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from landbridge.developers.events.names import CATALOGUE as EVENTS
from landbridge.platform.formats.translations import ENGLISH, FOLDER, LANGUAGES
from landbridge.providers.iso20022 import reasons
from landbridge.providers.nacha import returns
from landbridge.providers.simulation.outcome_catalog import CATALOGUE as OUTCOMES
from tests.sources import ROOT

_SOURCE = ROOT / "src" / "landbridge"
# Folders with texts of pages: the dashboard, the hosted pages, the sentences of refusals and the
# words of metrics.
_FOLDERS = (
    *("dashboard", "customers", "platform/formats", "app/container"),
    "reporting/metrics",
)
_TEMPLATES = ("templates/**.html", "**/pages/**.html")
_OPTIONS: dict[str, Any] = {"trimmed": "true", "newstyle_gettext": "true"}
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
    "translate": None,
    "gettext": None,
    "ngettext": (1, 2),
}


@cache
def page_texts() -> list[tuple[str, Any]]:
    """Return the location of each text, and the text with its plural, if any."""
    return list(_page_texts())


def _page_texts() -> Iterator[tuple[str, Any]]:
    methods = [("**.py", "python"), *((each, "jinja2") for each in _TEMPLATES)]
    for folder in _FOLDERS:
        found = extract_from_dir(
            str(_SOURCE / folder),
            method_map=methods,
            options_map=dict.fromkeys(_TEMPLATES, _OPTIONS),
            keywords=_KEYWORDS,
        )
        for name, line, message, *_ in found:
            text: Any = message
            yield f"{folder}/{name}:{line}", text
    yield from (("stored", text) for text in stored_texts())


def stored_texts() -> Iterator[str]:
    """Return sentences that pages show and their modules list with their codes."""
    yield from reasons.REASONS.values()
    yield from (*returns.RETURNS.values(), *returns.CHANGES.values())
    yield from (each.description for each in OUTCOMES)
    # Each status has an event; their sentences have one pattern.
    yield from (each.meaning for each in EVENTS if " changed to " not in each.meaning)


def load_catalog(language: str) -> Catalog:
    """Load the file of a language."""
    with (FOLDER / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language)


def serialize(texts: Catalog) -> bytes:
    """Serialize a language file: sorted, without locations and dates, to keep diffs small."""
    file = BytesIO()
    write_po(file, texts, no_location=True, sort_output=True, omit_header=True, width=100)
    header = _HEADER.format(language=texts.locale_identifier, plurals=texts.plural_forms)
    return header.encode() + file.getvalue()


def updated_catalog(language: str) -> Catalog:
    """Return the catalogue of a language with exactly the current texts."""
    before, after = load_catalog(language), Catalog(locale=language, charset="utf-8")
    for _, message in page_texts():
        known = before.get(_first(message))
        after.add(message, known.string if known is not None else "")
    return after


def _first(message: str | tuple[str, ...]) -> str:
    return message if isinstance(message, str) else message[0]


if __name__ == "__main__":
    for each in LANGUAGES:
        if each != ENGLISH:
            (FOLDER / f"{each}.po").write_bytes(serialize(updated_catalog(each)))
