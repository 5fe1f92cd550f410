"""Texts and URLs. Every check answers the canonical text, or raises `FieldInvalid`.

Guarantees, for all of this package: whatever text comes in, nothing but `FieldInvalid` is raised;
its sentence names the field and says what is expected, and never repeats the value, which may be
somebody's personal data.
"""

import re
import unicodedata
from urllib.parse import urlsplit

from landbridge.core.errors import FieldInvalid

TEXT_LENGTH_MAX = 200
URL_LENGTH_MAX = 2000

# Names and addresses of hosts, an IPv6 one without its brackets. Nothing that could end a rule of a
# page's Content-Security-Policy, in which a host may stand.
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9.])?|[0-9a-f:.]+")

# Control characters, halves of surrogate pairs, line and paragraph ends, and what is invisible.
_REFUSED = {"Cc", "Cs", "Zl", "Zp", "Cf"}
# Invisible, but some scripts are not written rightly without them.
_JOINERS = {"\u200c", "\u200d"}


def check_text(field: str, text: str, *, length_max: int = TEXT_LENGTH_MAX) -> str:
    """One line of at least one visible character, without the blanks around it."""
    stripped = unicodedata.normalize("NFC", text[: 4 * length_max].strip())
    fits = 1 <= len(stripped) <= length_max and len(text) <= 4 * length_max
    if not fits or not any(_is_visible(each) for each in stripped):
        raise FieldInvalid(f"{field} must have 1 to {length_max} characters", field=field)
    if not all(_is_allowed(each) for each in stripped):
        raise FieldInvalid(
            f"{field} must be one line without control characters or invisible ones", field=field
        )
    return stripped


def check_prose(field: str, text: str, *, length_max: int) -> str:
    """One line or several of at least one visible character, without the blanks around it.

    Lines end with a line feed; at most `length_max` characters in all.
    """
    kept = text[: 4 * length_max].replace("\r\n", "\n")
    stripped = unicodedata.normalize("NFC", kept.strip())
    fits = 1 <= len(stripped) <= length_max and len(text) <= 4 * length_max
    if not fits or not any(_is_visible(each) for each in stripped):
        raise FieldInvalid(f"{field} must have 1 to {length_max} characters", field=field)
    if not all(each == "\n" or _is_allowed(each) for each in stripped):
        raise FieldInvalid(
            f"{field} must have no control characters and no invisible ones", field=field
        )
    return stripped


def in_short(said: str, *, length_max: int = TEXT_LENGTH_MAX) -> str:
    """One line of what somebody else said, in printable characters; for what is kept and logged."""
    kept = "".join(each if _is_allowed(each) else " " for each in said[: 4 * length_max])
    return " ".join(kept.split())[:length_max].rstrip()


def check_url(field: str, url: str) -> str:
    """An http or https address with a host, without a user name in it."""
    expected = f"{field} must be an http or https URL with a host and without user name or blanks"
    if not 1 <= len(url) <= URL_LENGTH_MAX:
        raise FieldInvalid(f"{expected}, of at most {URL_LENGTH_MAX} characters", field=field)
    if not _is_url(url):
        raise FieldInvalid(expected, field=field)
    return url


def _is_url(url: str) -> bool:
    if not (url.isascii() and url.isprintable()) or set(url) & set(' "<>\\^`{|}'):
        return False
    try:
        parts = urlsplit(url)
        # Reading the port is what refuses one that is no number.
        has_host = bool(parts.hostname and _HOST.fullmatch(parts.hostname)) and parts.port != 0
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and has_host and "@" not in parts.netloc


def _is_allowed(character: str) -> bool:
    return unicodedata.category(character) not in _REFUSED or character in _JOINERS


def _is_visible(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNPS"
