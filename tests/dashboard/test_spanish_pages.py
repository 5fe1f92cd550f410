"""Every page in Spanish shows no text of the catalogue in English."""

import re
from collections.abc import Iterator

import pytest

from landbridge.dashboard.rendering import templates
from landbridge.platform.formats.translations import catalogue
from tests.dashboard.browsing import DashboardPage, Visitor, visit
from tests.dashboard.catalogue import page_texts
from tests.dashboard.world import World, build_with_linked_pages
from tests.tenants import Tenant

pytestmark = pytest.mark.usefixtures("unlimited_pages")

# A tooltip shows the original, such as the sentence of the API, on purpose.
_ATTRIBUTES = ("aria-label", "placeholder", "alt", "data-confirm", "data-label")


@pytest.fixture(scope="module")
def english_texts() -> frozenset[str]:
    """Texts that Spanish has another word for."""
    spanish = catalogue("es")
    texts = (each for _place, found in page_texts() for each in _forms(found))
    return frozenset(
        text.strip()
        for text in texts
        if text.strip() and "%(" not in text and spanish.gettext(text) != text
    )


def _forms(found: str | tuple[str, ...]) -> tuple[str, ...]:
    return (found,) if isinstance(found, str) else found


@pytest.mark.long
async def test_no_page_has_an_english_text(org: Tenant, english_texts: frozenset[str]) -> None:
    assert templates("es")
    world: World = await build_with_linked_pages(org)
    admin = await visit(org, language="es")
    wrong = {
        name: found
        for name, path in world.pages().items()
        if (found := sorted(await _english(admin, path, english_texts)))
    }
    assert not wrong, "\n".join(f"{name}: {texts}" for name, texts in wrong.items())


async def _english(visitor: Visitor, path: str, texts: frozenset[str]) -> set[str]:
    page = await visitor.open(path)
    assert page.status == 200, path
    assert page.tree.get("lang") == "es", path
    return {each for each in _shown(page) if each in texts}


def _shown(page: DashboardPage) -> Iterator[str]:
    """Yield every text and every readable attribute of a page."""
    for node in page.tree.xpath("//body//text()"):
        parent = node.getparent()
        if parent.tag in {"script", "style", "code", "pre", "textarea", "data"}:
            continue
        if parent.xpath("ancestor-or-self::*[@lang='en']"):
            continue
        yield re.sub(r"\s+", " ", str(node)).strip()
    for name in _ATTRIBUTES:
        for value in page.tree.xpath(f"//body//@{name}"):
            yield re.sub(r"\s+", " ", str(value)).strip()
