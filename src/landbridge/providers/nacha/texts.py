"""ACH texts: upper case and printable ASCII only.

Other letters are transliterated as in ISO 20022 messages (`iso20022.texts`): accents are removed,
Greek and Cyrillic are transcribed, and letters without a Latin form become a question mark.
"""

import re
import unicodedata

from landbridge.providers.iso20022.texts import is_writable, written

_BLANKS = re.compile(r"[\s\x00-\x1f\x7f]+")
_FOREIGN = re.compile(r"[^\x20-\x7e]+")


def plain(text: str) -> str:
    """Return the text in capitals that every bank accepts, on one line; see `has_lost_letters`."""
    line = _BLANKS.sub(" ", unicodedata.normalize("NFC", text)).strip()
    return _BLANKS.sub(" ", _FOREIGN.sub(lambda found: written(found[0]), line)).upper().strip()


def has_lost_letters(text: str) -> bool:
    """Whether a letter or a digit of this text would become a question mark."""
    return not is_writable(text)
