"""State machines as data: every status, the statuses that follow, and the party that acts next.

They are built from the tables that the flows use: `Transitions` and `WaitStates`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from landbridge.payments.engine.wait_states import WaitParty, WaitStates
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.http.responses import WireStruct


class StatusReply(WireStruct, frozen=True):
    """Status of a state machine.

    `next` are the statuses that may follow. `reopensTo` are those that only a person's decision or
    a returned payment leads to from a terminal status. `waitsFor` is the party that acts next; null
    if nobody does. After `stuckAfterSeconds` in this status the record is listed as stuck; null if
    only its own deadline counts.
    """

    status: str
    is_start: bool
    is_terminal: bool
    next: list[str]
    reopens_to: list[str]
    waits_for: WaitParty | None
    stuck_after_seconds: int | None


class StateMachineReply(WireStruct, frozen=True):
    """State machine of one kind of record."""

    type: str
    statuses: list[StatusReply]


class StateMachineList(WireStruct, frozen=True):
    """State machines of all kinds of record."""

    state_machines: list[StateMachineReply]


@dataclass(frozen=True, slots=True)
class StateMachines:
    """Transitions of each kind of record, and what its statuses wait for.

    A record of a kind without wait states is terminal when it is created.
    """

    transitions: Mapping[str, Transitions[Any]]
    waits: Mapping[str, WaitStates]

    def list(self) -> StateMachineList:
        """Return all state machines, by kind."""
        return StateMachineList(
            state_machines=[
                StateMachineReply(type=kind, statuses=[*self._statuses(kind)])
                for kind in sorted(self.transitions)
            ]
        )

    def _statuses(self, kind: str) -> Iterator[StatusReply]:
        transitions, waits = self.transitions[kind], self.waits.get(kind)
        for status in transitions.table:
            wait = None if waits is None else waits.of(status)
            within = None if wait is None else wait.within
            yield StatusReply(
                status=status,
                is_start=status in transitions.start,
                is_terminal=transitions.is_terminal(status),
                next=sorted(transitions.table[status]),
                reopens_to=sorted(transitions.reopens.get(status, ())),
                waits_for=None if wait is None else wait.party,
                stuck_after_seconds=None if within is None else int(within.total_seconds()),
            )
