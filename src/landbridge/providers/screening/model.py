"""Sanctions lists, screening subjects and results."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Literal
from uuid import UUID

from landbridge.platform.core.errors import LandbridgeError

# The only supported list; others would be further names.
OFAC_SDN = "OFAC SDN"


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
    """List as decoded from files."""

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
    """Result of a load, counted in entries. Nothing was written if `was_loaded`."""

    version: SanctionsListVersion
    added: int
    removed: int
    changed: int
    was_loaded: bool


@dataclass(frozen=True, slots=True)
class ScreeningSubject:
    """Person or business to screen."""

    name: str
    type: Literal["individual", "business"]
    born: date | None = None


@dataclass(frozen=True, slots=True)
class ScreeningMatch:
    """Name similar to a listed one, with a score from 0 to 100."""

    asked: str
    listed_name: str
    entry_id: str
    program: str
    score: int


@dataclass(frozen=True, slots=True)
class ScreeningResult:
    """Result of a screening.

    `list_version` is None if no list is loaded; then nothing was compared.

    `unread` are names that can't be compared with a list in Latin letters, for example those in
    another script, and need a manual review. `lacks_list` means that a required list is not loaded:
    then everyone needs a manual review.
    """

    list_version: str | None
    hits: tuple[ScreeningMatch, ...]
    unread: tuple[str, ...] = ()
    lacks_list: bool = False


def comparable_address(address: str) -> str:
    """Return the form in which addresses are compared: the case of EVM addresses is ignored."""
    return address.lower() if address[:2].lower() == "0x" else address


class ListReplaced(LandbridgeError):
    """The list version that names were screened against was replaced."""


class ListRejected(LandbridgeError):
    """The file is not a sanctions list, or not a plausible successor of the current one."""
