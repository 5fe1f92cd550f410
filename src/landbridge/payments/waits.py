"""Whom a record waits for at each status, and how long that takes at most when all goes well."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from landbridge.core.errors import Broken
from landbridge.core.states import Moves

# What is due is moved within a second; whoever waits for longer than this waits for a fault.
GRACE = timedelta(minutes=5)


class Party(StrEnum):
    """Who has to do something next."""

    CLIENT = "CLIENT"  # whoever made the quote accepts it
    ADMIN = "ADMIN"  # approves or refuses
    REVIEWER = "REVIEWER"  # closes the request for information
    SENDER = "SENDER"  # whoever sends the fiat or the coins
    CHAIN = "CHAIN"
    BANK = "BANK"
    WORKER = "WORKER"  # our own


@dataclass(frozen=True, slots=True)
class Wait:
    """For whom, and how long at most; None where the record's own deadline says it all."""

    party: Party
    within: timedelta | None = None


class Waits:
    """The waits of a flow: one for each status that is no end, checked at import."""

    def __init__(self, moves: Moves[Any], table: Mapping[Any, Wait]) -> None:
        ends = {status for status in moves.table if moves.is_terminal(status)}
        if wrong := set(moves.table) - ends ^ set(table):
            raise Broken(f"waits are told of each status that is no end, and of no other: {wrong}")
        self.table: Mapping[str, Wait] = {str(status): wait for status, wait in table.items()}

    def of(self, status: str) -> Wait | None:
        """The wait at this status; None at an end."""
        return self.table.get(status)


def until(wait: Wait, *, since: datetime, due_at: datetime | None) -> datetime | None:
    """When it is over if all goes well; None if nobody can say."""
    latest = None if wait.within is None else since + wait.within
    told = [each for each in (latest, due_at) if each is not None]
    return min(told) if told else None


def is_stuck(wait: Wait, *, since: datetime, due_at: datetime | None, now: datetime) -> bool:
    """Whether it takes longer than it should, so that somebody ought to look."""
    if due_at is not None and due_at < now - GRACE:
        return True
    return wait.within is not None and since < now - wait.within
