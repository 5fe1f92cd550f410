"""What an auditor sees of a change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID


class ActorType(StrEnum):
    """Who changes things."""

    KEY = "key"
    MEMBER = "member"
    CLI = "cli"
    PERSON = "person"  # of a form that is sent to users, such as `person:terms`
    WORKER = "worker"
    BANK = "bank"
    RULE = "rule"


# What somebody decided: an organisation's programs, its people, its operator, its users.
DECIDING = frozenset({ActorType.KEY, ActorType.MEMBER, ActorType.CLI, ActorType.PERSON})
# Few among many: these have an index of their own.
PEOPLE = frozenset({ActorType.MEMBER, ActorType.CLI, ActorType.PERSON})


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What is wanted; None is not narrowed."""

    actor_types: frozenset[ActorType] = DECIDING
    actor_id: str | None = None
    kind: str | None = None
    object_id: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One change, and who made it."""

    object_id: UUID
    seq: int
    at: datetime
    actor: str
    kind: str
    what: str
    status_before: str | None
    status_after: str | None
    facts: Mapping[str, Any]

    @property
    def id(self) -> str:
        """Which change of which object."""
        return f"{self.object_id}.{self.seq}"

    @property
    def actor_type(self) -> str:
        """The first part of the actor."""
        return self.actor.partition(":")[0]

    @property
    def actor_id(self) -> str | None:
        """The second part of the actor, if it has one."""
        return self.actor.partition(":")[2] or None


@dataclass(frozen=True, slots=True)
class Page:
    """Entries, newest first; `next` is where to go on, None at the end."""

    entries: Sequence[Entry]
    next: datetime | None
