"""Every text of a page is in every language, with the same places for what is put in."""

import re
from typing import Any

import pytest

from landbridge.dashboard.words import ENGLISH, LANGUAGES, best_language, catalogue
from tests.dashboard.browsing import visit
from tests.dashboard.catalogue import renewed, said, translated
from tests.tenants import Tenant

OTHERS = [each for each in LANGUAGES if each != ENGLISH]
_PLACE = re.compile(r"%\((\w+)\)s")


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_is_translated(language: str) -> None:
    missing = [
        str(message.id)
        for message in renewed(language)
        if message.id and not all(_texts(message.string))
    ]
    assert not missing, f"`make words` and translate: {missing[:20]} ({len(missing)})"


@pytest.mark.parametrize("language", OTHERS)
def test_nothing_is_translated_that_nobody_says(language: str) -> None:
    known = {str(message.id) for message in renewed(language)}
    assert {str(message.id) for message in translated(language)} == known


@pytest.mark.parametrize("language", OTHERS)
def test_places_are_the_same(language: str) -> None:
    for message in translated(language):
        places = {place for each in _texts(message.id) for place in _PLACE.findall(each)}
        for each in _texts(message.string):
            assert set(_PLACE.findall(each)) <= places, message.id


def test_texts_are_found() -> None:
    assert "Overview" in {message for _, message in said()}


def test_a_browser_gets_the_language_that_it_likes() -> None:
    assert best_language("es-MX,es;q=0.9,en;q=0.8") == "es"
    assert best_language("de,en;q=0.5") == "en"
    assert best_language("en;q=0.2,es;q=0.9") == "es"
    assert best_language("es-ES;q=0") == "en"
    assert best_language("es;q=nan, es;q=2") == "en"
    assert best_language("") == "en"
    assert best_language(",;;q,") == "en"
    assert catalogue("es").gettext("Overview") == "Resumen"


def _texts(told: Any) -> list[str]:
    """One text, or one for each number."""
    return [told] if isinstance(told, str) else [str(each) for each in told]


async def test_pages_speak_spanish_to_who_likes_it(org: Tenant) -> None:
    somebody = await visit(org)
    await somebody.done(
        "/dashboard/profile",
        {"name": "Ada", "language": "es", "theme": "dark", "wantsApprovalMails": "yes"},
    )
    page = await somebody.see("/dashboard/users")
    assert page.tree.get("lang") == "es"
    assert page.tree.get("data-theme") == "dark"
    assert "Usuarios" in page.text
    assert "Plural-Forms" not in page.answer.text
