"""Texts and URLs. Every check returns the canonical text, or raises `FieldInvalid`.

Guarantees of every check in this package: for any text, only `FieldInvalid` is raised. Its message
names the field and states what is expected. It never repeats the value, which may be personal data.
"""

import re
import unicodedata
from urllib.parse import urlsplit

from landbridge.platform.core.errors import FieldInvalid

TEXT_LENGTH_MAX = 200
URL_LENGTH_MAX = 2000

# Matches host names and addresses; an IPv6 address has no brackets. A host can be written into a
# page's Content-Security-Policy, so no allowed character may end a rule there.
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9.])?|[0-9a-f:.]+")

# Refused categories: control characters, surrogates, line and paragraph separators, and invisible
# ones.
_REFUSED = {"Cc", "Cs", "Zl", "Zp", "Cf"}
# Invisible characters without which some scripts can't be written correctly.
_JOINERS = {"\u200c", "\u200d"}
# Maximum marks behind one letter, as in Unicode's stream-safe format (UAX 15); no script needs
# more. The time to sort marks grows with the square of their number: 0.1 seconds for 8,000.
_MARKS_MAX = 30
# Letters and a symbol that look blank: fillers of Hangul, and the braille pattern without dots.
BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")


def check_text(field: str, text: str, *, length_max: int = TEXT_LENGTH_MAX) -> str:
    """Return the stripped text: one line with at least one visible character."""
    stripped = _composed(field, text[: 4 * length_max].strip())
    has_valid_length = 1 <= len(stripped) <= length_max and len(text) <= 4 * length_max
    if not has_valid_length or not any(_is_visible(each) for each in stripped):
        raise FieldInvalid(f"{field} must have 1 to {length_max} characters", field=field)
    if not all(is_allowed(each) for each in stripped):
        raise FieldInvalid(
            f"{field} must be one line without control characters or invisible ones", field=field
        )
    return stripped


def check_prose(field: str, text: str, *, length_max: int) -> str:
    """Return the stripped text: one or more lines with at least one visible character.

    Lines end with a line feed; all lines together have at most `length_max` characters.
    """
    lines = text[: 4 * length_max].replace("\r\n", "\n")
    stripped = _composed(field, lines.strip())
    has_valid_length = 1 <= len(stripped) <= length_max and len(text) <= 4 * length_max
    if not has_valid_length or not any(_is_visible(each) for each in stripped):
        raise FieldInvalid(f"{field} must have 1 to {length_max} characters", field=field)
    if not all(each == "\n" or is_allowed(each) for each in stripped):
        raise FieldInvalid(
            f"{field} must have no control characters and no invisible ones", field=field
        )
    return stripped


def shorten(text: str, *, length_max: int = TEXT_LENGTH_MAX) -> str:
    """Shorten an external text to one line of printable characters, for storage and logs."""
    printable = "".join(each if is_allowed(each) else " " for each in text[: 4 * length_max])
    return " ".join(printable.split())[:length_max].rstrip()


def check_url(field: str, url: str) -> str:
    """Check an http or https URL with a host and without a user name."""
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
        # Reading the port raises ValueError if it is not a number.
        has_host = bool(parts.hostname and _HOST.fullmatch(parts.hostname)) and parts.port != 0
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and has_host and "@" not in parts.netloc


def is_allowed(character: str) -> bool:
    """Return whether a character is printable, visible and does not change the text direction."""
    is_kind = unicodedata.category(character) not in _REFUSED or character in _JOINERS
    return is_kind and character not in BLANK_LETTERS


def _composed(field: str, text: str) -> str:
    """Return a text with letters and marks composed as far as Unicode allows."""
    if text.isascii():
        return text
    marks = 0
    for each in text:
        marks = marks + 1 if unicodedata.combining(each) else 0
        if marks > _MARKS_MAX:
            raise FieldInvalid(
                f"{field} must have at most {_MARKS_MAX} marks on a letter", field=field
            )
    return unicodedata.normalize("NFC", text)


def _is_visible(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNPS"
