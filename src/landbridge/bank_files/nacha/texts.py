"""Texts as ACH carries them: upper case, and nothing but printable ASCII.

Other letters are written as in ISO 20022 messages (`iso20022.texts`): accents go, Greek and
Cyrillic are transcribed, and what can't be told in Latin letters becomes a question mark.
"""

import re
import unicodedata

from landbridge.bank_files.iso20022.texts import is_writable, written

_BLANKS = re.compile(r"[\s\x00-\x1f\x7f]+")
_FOREIGN = re.compile(r"[^\x20-\x7e]+")


def plain(text: str) -> str:
    """The text in capitals that every bank takes, on one line; `has_lost_letters` says before."""
    line = _BLANKS.sub(" ", unicodedata.normalize("NFC", text)).strip()
    return _BLANKS.sub(" ", _FOREIGN.sub(lambda found: written(found[0]), line)).upper().strip()


def has_lost_letters(text: str) -> bool:
    """Whether a letter or a digit of this text would become a question mark."""
    return not is_writable(text)
