"""Sanctions lists, who is asked about, and what is answered."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Literal
from uuid import UUID

from landbridge.core.errors import LandbridgeError

# The only list that can be loaded today; others would be further names.
OFAC_SDN = "OFAC SDN"


class EntryType(StrEnum):
    """What is listed. Vessels and aircraft are kept, but nobody is screened against them."""

    INDIVIDUAL = "individual"
    ENTITY = "entity"
    VESSEL = "vessel"
    AIRCRAFT = "aircraft"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a list; `names` begins with its main one."""

    id: str
    type: EntryType
    names: tuple[str, ...]
    programs: tuple[str, ...]
    birth_dates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SanctionsList:
    """A list as it was read from files."""

    name: str
    digest: str
    published_on: date | None
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Version:
    """One load of a list."""

    id: UUID
    list: str
    digest: str
    published_on: date | None
    entry_count: int
    loaded_at: datetime
    is_active: bool

    @property
    def label(self) -> str:
        """As it is kept with a decision: the list, its day and the beginning of its digest."""
        day = self.published_on or self.loaded_at.date()
        return f"{self.list} {day.isoformat()} {self.digest[:12]}"


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a load did; the counts are entries. Nothing was written if `was_there`."""

    version: Version
    added: int
    removed: int
    changed: int
    was_there: bool


@dataclass(frozen=True, slots=True)
class Subject:
    """Who is asked about."""

    name: str
    type: Literal["individual", "business"]
    born: date | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A name that is like a listed one: how much, from 0 to 100."""

    asked: str
    listed_name: str
    entry_id: str
    program: str
    score: int


@dataclass(frozen=True, slots=True)
class Screened:
    """An answer. `list_version` is None if no list is loaded, and then nothing was compared.

    `unread` are the names that can't be compared with a list that is written in Latin, such as
    those in another script, so a person has to look at them. `lacks_list` says that no list is
    loaded where there has to be one: then a person has to look at everybody.
    """

    list_version: str | None
    hits: tuple[Hit, ...]
    unread: tuple[str, ...] = ()
    lacks_list: bool = False


class ListReplaced(LandbridgeError):
    """The list that names were compared with is not the active one any more."""


class ListRefused(LandbridgeError):
    """A file is not a sanctions list, or not one that should replace the present one."""
