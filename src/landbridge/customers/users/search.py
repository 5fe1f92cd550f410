"""Search in encrypted names: the blind index, and its guarantees.

Guarantees:
- a text matches a pattern if the folded text contains the folded pattern. Folding removes
  differences of case, and between encodings of the same character;
- every text that matches a pattern of three characters or more has all its trigrams. Other texts
  may have them too, so each caller verifies the matches of a trigram search;
- without the search key, a trigram's hash reveals no text. With it, a hash reveals little, because
  many trigrams share its 16 bits (docs/decisions/0013-blind-search.md).
"""

import hmac
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from landbridge.customers.users.model import UserNames, UserType

_LENGTH = 3
_BYTES = 2
# Characters that are normalised, more than any stored text has: the time can grow quadratically.
_TEXT_MAX = 1_000
FIELDS = ("first_name", "last_name", "business_name", "email")


def fold(text: str) -> str:
    """Return the normalised form of the beginning of a text, used for comparison."""
    composed = unicodedata.normalize("NFKC", text[:_TEXT_MAX])
    return unicodedata.normalize("NFKC", composed.casefold())


@dataclass(frozen=True, slots=True)
class UserFilters:
    """Case-insensitive partial matches; `metadata` matches exactly."""

    type: UserType | None
    first_name: str | None
    last_name: str | None
    business_name: str | None
    email: str | None
    metadata: Mapping[str, str] | None = None

    def patterns(self) -> dict[str, str]:
        """Return the folded search patterns, by field."""
        texts = {
            "first_name": self.first_name,
            "last_name": self.last_name,
            "business_name": self.business_name,
            "email": self.email,
        }
        return {field: fold(text) for field, text in texts.items() if text is not None}


def matches(names: UserNames, patterns: Mapping[str, str]) -> bool:
    """Return whether every folded pattern occurs in its field."""
    return all(
        (text := getattr(names, field)) is not None and pattern in fold(text)
        for field, pattern in patterns.items()
    )


def name_trigrams(search_key: bytes, names: UserNames) -> list[int]:
    """Return the trigrams of all searchable fields, sorted."""
    texts = {field: text for field in FIELDS if (text := getattr(names, field)) is not None}
    return trigrams(search_key, {field: fold(text) for field, text in texts.items()})


def trigrams(search_key: bytes, folded: Mapping[str, str]) -> list[int]:
    """Return sorted trigram hashes of folded texts; texts under three letters have none."""
    # A hash is a signed 32-bit integer of PostgreSQL. Its upper half depends on the organisation,
    # so that in the shared index the trigrams of one organisation are adjacent.
    upper = hmac.digest(search_key, b"", "sha256")[:_BYTES]
    return sorted(
        {
            int.from_bytes(upper + hmac.digest(search_key, trigram, "sha256")[:_BYTES], signed=True)
            for field, text in folded.items()
            for trigram in _trigrams(field, text)
        }
    )


def _trigrams(field: str, text: str) -> set[bytes]:
    """Return all trigrams of a text, prefixed with the field."""
    return {f"{field}:{text[at : at + _LENGTH]}".encode() for at in range(len(text) - _LENGTH + 1)}
