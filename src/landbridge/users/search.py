"""Search in encrypted names: the blind index, and what it must answer.

Guarantees:
- a text matches a pattern if the pattern, folded, stands somewhere in the text, folded: without
  regard to case, and to ways of writing the same character;
- every text that matches a pattern of three characters or more has all the pattern's grams. Others
  may have them too, so whoever looks up by grams verifies what is found;
- a gram says nothing without the search key, and little about which text it came from: 16 bits are
  shared by many (docs/decisions/0013-blind-search.md).
"""

import hmac
import unicodedata
from collections.abc import Mapping

from landbridge.users.model import Names

_LENGTH = 3
_BYTES = 2
FIELDS = ("first_name", "last_name", "business_name", "email")


def fold(text: str) -> str:
    """A text as it is compared."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def matches(names: Names, patterns: Mapping[str, str]) -> bool:
    """Whether every pattern, folded, by its field, stands in that field."""
    return all(
        (text := getattr(names, field)) is not None and pattern in fold(text)
        for field, pattern in patterns.items()
    )


def grams_of(search_key: bytes, names: Names) -> list[int]:
    """The grams of everything that can be searched, sorted."""
    texts = {field: text for field in FIELDS if (text := getattr(names, field)) is not None}
    return grams(search_key, {field: fold(text) for field, text in texts.items()})


def grams(search_key: bytes, folded: Mapping[str, str]) -> list[int]:
    """The grams of folded texts by field, sorted; none of a text under three characters."""
    # PostgreSQL's integer has 32 bits with a sign. The upper half tells organisations apart, so
    # that one index of all of them is read where this one's grams are.
    upper = hmac.digest(search_key, b"", "sha256")[:_BYTES]
    return sorted(
        {
            int.from_bytes(upper + hmac.digest(search_key, gram, "sha256")[:_BYTES], signed=True)
            for field, text in folded.items()
            for gram in _trigrams(field, text)
        }
    )


def _trigrams(field: str, text: str) -> set[bytes]:
    """Every three characters in a row, said to be of this field."""
    return {f"{field}:{text[at : at + _LENGTH]}".encode() for at in range(len(text) - _LENGTH + 1)}
