"""Table of the menu: each shortcut leads to one page."""

from landbridge.dashboard.navigation import CREATE_ITEMS, PROFILE_ITEMS, SECTIONS


def test_no_two_pages_have_one_shortcut() -> None:
    menu = [each for section in SECTIONS for each in section.items]
    keys = [each.keys for each in (*menu, *CREATE_ITEMS, *PROFILE_ITEMS) if each.keys]
    assert sorted(keys) == sorted(set(keys))
