"""Every text is translated into every language, with the same placeholders."""

import re
from typing import Any

import pytest
from jinja2 import Environment
from markupsafe import escape

from landbridge.customers.users.hosted_pages import PAGES
from landbridge.dashboard.rendering import templates
from landbridge.platform.formats.refusal_texts import known_text
from landbridge.platform.formats.translations import ENGLISH, LANGUAGES, best_language, catalogue
from tests.dashboard.browsing import visit
from tests.dashboard.catalogue import load_catalog, page_texts, updated_catalog
from tests.tenants import Tenant

OTHERS = [each for each in LANGUAGES if each != ENGLISH]
HOSTILE = "<script>100% %(x)s</script>"
_PLACE = re.compile(r"%\((\w+)\)s")


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_is_translated(language: str) -> None:
    missing = [
        str(message.id)
        for message in updated_catalog(language)
        if message.id and not all(_texts(message.string))
    ]
    assert not missing, f"`make words` and translate: {missing[:20]} ({len(missing)})"


@pytest.mark.parametrize("language", OTHERS)
def test_no_unused_text_is_translated(language: str) -> None:
    known = {str(message.id) for message in updated_catalog(language)}
    assert {str(message.id) for message in load_catalog(language)} == known


@pytest.mark.parametrize("language", OTHERS)
def test_translations_have_the_same_placeholders(language: str) -> None:
    for message in load_catalog(language):
        places = {path for each in _texts(message.id) for path in _PLACE.findall(each)}
        for each in _texts(message.string):
            assert set(_PLACE.findall(each)) <= places, message.id


@pytest.mark.parametrize("pages", [templates(ENGLISH), PAGES])
def test_a_translated_variable_is_text_and_no_markup(pages: Environment) -> None:
    template = pages.from_string("{{ _(name) }} {{ _('to %(name)s', name=name) }}")
    shown = template.render(name=HOSTILE)
    assert shown == f"{escape(HOSTILE)} to {escape(HOSTILE)}"


def test_texts_are_found() -> None:
    assert "Overview" in {message for _, message in page_texts()}


def test_browser_language_is_chosen() -> None:
    assert best_language("es-MX,es;q=0.9,en;q=0.8") == "es"
    assert best_language("de,en;q=0.5") == "en"
    assert best_language("en;q=0.2,es;q=0.9") == "es"
    assert best_language("es-ES;q=0") == "en"
    assert best_language("es;q=nan, es;q=2") == "en"
    assert best_language("") == "en"
    assert best_language(",;;q,") == "en"
    assert catalogue("es").gettext("Overview") == "Resumen"


def _texts(message: Any) -> list[str]:
    """Return the texts of a message: one, or one per plural form."""
    return [message] if isinstance(message, str) else [str(each) for each in message]


async def test_pages_are_in_spanish_if_preferred(org: Tenant) -> None:
    visitor = await visit(org)
    await visitor.submit(
        "/dashboard/profile",
        {"name": "Ada", "language": "es", "theme": "dark", "wantsApprovalMails": "yes"},
    )
    page = await visitor.load("/dashboard/users")
    assert page.tree.get("lang") == "es"
    assert page.tree.get("data-theme") == "dark"
    assert "Usuarios" in page.text
    assert "Plural-Forms" not in page.response.text


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ("the bank returned it: R02, the account is closed", "R02, la cuenta está cerrada"),
        ("refused 5 times: the provider refused it", "5 veces: el proveedor lo rechazó"),
        ("limit a allows one user 10.5 usd a day; this payment would make it 20 usd", "10.5 usd"),
        ("The status of an onramp changed to COMPLETED.", "cambió a COMPLETED"),
    ],
)
def test_stored_reasons_are_translated_with_their_parts(stored: str, expected: str) -> None:
    assert expected in (known_text(stored, "es") or "")


def test_unknown_reasons_stay_english() -> None:
    assert known_text("the bank returned it for reasons of its own", "es") is None
