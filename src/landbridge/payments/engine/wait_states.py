"""Wait states: for each status, the party that has to act next and the time limit of the wait."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.transitions import Transitions

# Delay after which a due record counts as stuck. Normally it is advanced within a second.
GRACE = timedelta(minutes=5)


class WaitParty(StrEnum):
    """Party that has to act next."""

    CLIENT = "CLIENT"  # accepts the quote
    ADMIN = "ADMIN"  # approves or refuses
    REVIEWER = "REVIEWER"  # closes the request for information
    SENDER = "SENDER"  # sends the fiat or the coins
    CHAIN = "CHAIN"
    BANK = "BANK"
    IDENTITY_PROVIDER = "IDENTITY_PROVIDER"
    SCREENING_PROVIDER = "SCREENING_PROVIDER"  # screens a deposit
    WORKER = "WORKER"  # Landbridge itself


@dataclass(frozen=True, slots=True)
class WaitState:
    """Party and time limit of a wait; without a limit only the record's due time counts."""

    party: WaitParty
    within: timedelta | None = None


class WaitStates:
    """Wait states of a flow: one for each status that is not terminal, checked at import.

    `at_rest` are statuses that are not terminal but wait for no party, for example that of a usable
    account.
    """

    def __init__(
        self,
        transitions: Transitions[Any],
        table: Mapping[Any, WaitState],
        *,
        at_rest: Collection[Any] = (),
    ) -> None:
        ends = {status for status in transitions.table if transitions.is_terminal(status)}
        if wrong := set(transitions.table) - ends - set(at_rest) ^ set(table):
            raise InvariantBroken(
                f"every status that is not terminal needs a wait state, and no other: {wrong}"
            )
        self.table: Mapping[str, WaitState] = {str(status): wait for status, wait in table.items()}

    def of(self, status: str) -> WaitState | None:
        """Return the wait state of a status; None if it is terminal."""
        return self.table.get(status)


def wait_end(wait: WaitState, *, since: datetime, due_at: datetime | None) -> datetime | None:
    """Return when the wait ends if all goes well; None if unknown."""
    latest = None if wait.within is None else since + wait.within
    times = [each for each in (latest, due_at) if each is not None]
    return min(times) if times else None


def is_stuck(wait: WaitState, *, since: datetime, due_at: datetime | None, now: datetime) -> bool:
    """Return whether a wait takes longer than it should, so that a person should check."""
    if due_at is not None and due_at < now - GRACE:
        return True
    return wait.within is not None and since < now - wait.within
