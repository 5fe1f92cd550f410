"""Sanctions lists, screening subjects and results."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Literal
from uuid import UUID

from landbridge.platform.core.errors import LandbridgeError

# Names of lists. A list of politically exposed persons has its own name after the prefix.
OFAC_SDN, UN_LIST, EU_LIST, UK_LIST = "OFAC SDN", "UN", "EU", "UK"
SANCTIONS_LISTS = (OFAC_SDN, UN_LIST, EU_LIST, UK_LIST)
_PEP_PREFIX = "PEP "
_PEP_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,38}[A-Za-z0-9])?")


class ListCategory(StrEnum):
    """Category of a list. A politically exposed person is reviewed, but not sanctioned."""

    SANCTIONS = "SANCTIONS"
    POLITICALLY_EXPOSED_PERSON = "POLITICALLY_EXPOSED_PERSON"


class SanctionsEntryType(StrEnum):
    """Type of an entry. Vessels and aircraft are stored, but not screened against."""

    INDIVIDUAL = "individual"
    ENTITY = "entity"
    VESSEL = "vessel"
    AIRCRAFT = "aircraft"


@dataclass(frozen=True, slots=True)
class SanctionsEntry:
    """Entry of a list; `names` begins with the primary one.

    `addresses` are on any chain, as `comparable_address` returns them.
    """

    id: str
    type: SanctionsEntryType
    names: tuple[str, ...]
    programs: tuple[str, ...]
    birth_dates: tuple[str, ...]
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SanctionsList:
    """List decoded from files; its name says who publishes it."""

    name: str
    digest: str
    published_on: date | None
    entries: tuple[SanctionsEntry, ...]


@dataclass(frozen=True, slots=True)
class SanctionsListVersion:
    """One loaded version of a list."""

    id: UUID
    list: str
    digest: str
    published_on: date | None
    entry_count: int
    loaded_at: datetime
    is_active: bool

    @property
    def label(self) -> str:
        """Label that is stored with a decision: list, date and start of the digest."""
        day = self.published_on or self.loaded_at.date()
        return f"{self.list} {day.isoformat()} {self.digest[:12]}"


@dataclass(frozen=True, slots=True)
class ListLoadResult:
    """Result of a load, in numbers of entries; none was written if it `was_already_loaded`."""

    version: SanctionsListVersion
    added: int
    removed: int
    changed: int
    was_already_loaded: bool


@dataclass(frozen=True, slots=True)
class ScreeningSubject:
    """Person or business to screen.

    With `is_type_unverified` nobody has verified the type: a stated individual may be a business.
    """

    name: str
    type: Literal["individual", "business"]
    born: date | None = None
    is_type_unverified: bool = False


@dataclass(frozen=True, slots=True)
class ScreeningMatch:
    """Name that is similar to a listed one, with a score from 0 to 100."""

    asked: str
    listed_name: str
    entry_id: str
    program: str
    score: int
    # Matches stored before other lists existed lack this member: they are from this list.
    list: str = OFAC_SDN


@dataclass(frozen=True, slots=True)
class ScreeningResult:
    """Result of a screening.

    `list_version` is None if no list is loaded; then nothing was compared.

    `unread` are names that can't be compared with a list in Latin letters, for example those in
    another script, and need a manual review. `lacks_list` means that one of the required lists is
    not loaded: then everyone needs a manual review.
    """

    list_version: str | None
    hits: tuple[ScreeningMatch, ...]
    unread: tuple[str, ...] = ()
    lacks_list: bool = False


def pep_list(name: str) -> str:
    """Return the full name of a list of politically exposed persons; raises `ListRejected`."""
    if _PEP_NAME.fullmatch(name) is None:
        raise ListRejected(
            "The name of a PEP list has up to 40 letters, digits, blanks and any of . _ -"
        )
    return _PEP_PREFIX + name


def is_list_name(name: str) -> bool:
    """Return whether a list can have this name."""
    pep_name = name.removeprefix(_PEP_PREFIX)
    return name in SANCTIONS_LISTS or (
        pep_name != name and _PEP_NAME.fullmatch(pep_name) is not None
    )


def required_lists(text: str) -> tuple[str, ...]:
    """Return the list names in a setting, separated by commas; raises `ValueError`."""
    names = tuple(dict.fromkeys(each.strip() for each in text.split(",")))
    for name in names:
        if not is_list_name(name):
            known = ", ".join(SANCTIONS_LISTS)
            raise ValueError(f"names no list by {name[:50]!r}; lists are {known} and PEP NAME")
    return names


def category_of(list_name: str) -> ListCategory:
    """Return the category of a list."""
    if list_name.startswith(_PEP_PREFIX):
        return ListCategory.POLITICALLY_EXPOSED_PERSON
    return ListCategory.SANCTIONS


def comparable_address(address: str) -> str:
    """Return an address in the form for comparisons: EVM addresses in lower case."""
    return address.lower() if address[:2].lower() == "0x" else address


class ListReplaced(LandbridgeError):
    """A list version used for a comparison was replaced, or a list was added."""


class ListRejected(LandbridgeError):
    """The file is no list or no plausible successor of the active one, or its name is unknown."""
