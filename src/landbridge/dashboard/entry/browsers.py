"""What a browser calls itself, as people call it."""

from typing import Final

# The first that fits: each pretends to be those behind it.
_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrom", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS: Final = (
    ("Windows", "Windows"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def name_of(browser: str | None) -> tuple[str, str]:
    """Browser and system; empty where nobody can tell."""
    told = browser or ""
    return (
        next((name for sign, name in _BROWSERS if sign in told), ""),
        next((name for sign, name in _SYSTEMS if sign in told), ""),
    )
