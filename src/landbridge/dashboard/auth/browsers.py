"""Browser and operating system names from user agent strings."""

from typing import Final

# The first match wins: each browser also claims to be those listed after it.
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


def browser_and_system(browser: str | None) -> tuple[str, str]:
    """Return the browser and operating system names; empty if unknown."""
    user_agent = browser or ""
    return (
        next((name for marker, name in _BROWSERS if marker in user_agent), ""),
        next((name for marker, name in _SYSTEMS if marker in user_agent), ""),
    )
