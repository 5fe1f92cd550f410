"""Table of the menu: each shortcut leads to one page."""

import re
from zoneinfo import ZoneInfo

from landbridge.dashboard.navigation import (
    CREATE_ITEMS,
    PROFILE_ITEMS,
    SECTIONS,
    MenuOptions,
    sections,
)
from landbridge.dashboard.page_visitor import PageVisitor
from tests.sources import ROOT


def test_no_two_pages_have_one_shortcut() -> None:
    menu = [each for section in SECTIONS for each in section.items]
    keys = [each.keys for each in (*menu, *CREATE_ITEMS, *PROFILE_ITEMS) if each.keys]
    assert sorted(keys) == sorted(set(keys))


def test_the_reference_lists_every_shortcut_of_a_page() -> None:
    page = (ROOT / "docs" / "reference" / "dashboard.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w)` and ((?:`\w` ?)+)\|", page, re.MULTILINE)
    listed = {f"{first} {each}" for first, letters in rows for each in re.findall(r"\w", letters)}
    menu = [each for section in SECTIONS for each in section.items]
    assert listed == {each.keys for each in (*menu, *CREATE_ITEMS, *PROFILE_ITEMS)} - {"", "?"}


def test_guides_are_in_the_menu_where_they_are_served() -> None:
    visitor = PageVisitor(signed=None, csrf="", language="en", zone=ZoneInfo("UTC"))
    for has_guides in (True, False):
        options = MenuOptions(is_sandbox=False, has_chains=False, has_guides=has_guides)
        menu = [one.path for each in sections(visitor, options) for one in each.items]
        assert ("/docs/site/" in menu) is has_guides
