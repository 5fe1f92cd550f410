"""What a rehearsal finds out: filled while the record is made, and rolled back with it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.approvals.model import Approval
from landbridge.ledger.model import Move, Opening, Posting, Transfer
from landbridge.ledger.trial import Trial
from landbridge.limits.model import Verdict
from landbridge.wallets.model import Wallet


@dataclass(frozen=True, slots=True)
class Station:
    """A status on a record's way, and the journal that is posted with it."""

    status: str
    postings: Sequence[Posting]


# What is posted after a record was opened, from then to its end, if all goes well: each flow's own.
Course = Callable[[Transfer], Sequence[Station]]
# Who makes the moves of a course: they are only looked at.
NOBODY = ""


class Rehearsal:
    """Of one create; `stations` is None until the record was made, and for a replay."""

    # No dataclass: Litestar would look into it, and has no word for what is in there.
    __slots__ = ("approval", "stations", "trial", "verdict", "wallets")

    def __init__(self) -> None:
        self.stations: Sequence[Station] | None = None
        # By the ids of their accounts.
        self.wallets: Mapping[UUID, Wallet] = {}
        self.verdict = Verdict()
        self.approval: Approval | None = None
        self.trial = Trial()


def stations_of(step: Opening | Move) -> list[Station]:
    """What an opening or a move posts, in the order of its path."""
    return [Station(step.path[place], step.journals[place]) for place in sorted(step.journals)]
