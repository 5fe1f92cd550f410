"""Provable books beside the payments they prove: what they cost, and how fast they can follow.

Each round loads the server twice: once while the tree of the organisation stands still, once while
the worker appends to it. In between, the worker appends what the first load has left behind.
"""

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench import databases, load, machine, server, speed

_SIZE = "select coalesce(sum(size), 0)::bigint from proof_trees"
_CHANGES = "select count(*) from changes"
# As if everything up to the end of all places were in the tree.
_STAND_STILL = """
update proof_trees t
set read_place = 9000000000000000000
from (select org_id, read_place from proof_trees order by size desc limit 1 for update) o
where t.org_id = o.org_id
returning t.org_id, o.read_place
"""
_GO_ON = "update proof_trees set read_place = $2 where org_id = $1"
_PATIENCE_S = 300.0


@dataclass(frozen=True, slots=True)
class ProofEffort:
    """Number of rounds, and seconds of each of their two loads."""

    rounds: int
    seconds: float


@dataclass(frozen=True, slots=True)
class ProofRound:
    """Swaps per second without and with the sequencer, and what it appends per second.

    `leaves_per_swap` is the number of changes that a swap records.
    """

    alone_per_s: float
    together_per_s: float
    leaves_per_s: float
    leaves_per_swap: float

    def __str__(self) -> str:
        return (
            f"{self.alone_per_s:.0f} swaps/s while the tree stands still, "
            f"{self.together_per_s:.0f} while it grows ({self.ratio:.2f}); "
            f"{self.leaves_per_s:.0f} leaves/s, {self.lead:.1f} times those of the swaps"
        )

    @property
    def ratio(self) -> float:
        """Swaps with the sequencer for each one without it."""
        return self.together_per_s / self.alone_per_s

    @property
    def lead(self) -> float:
        """Leaves that can be appended for each one that the fastest swaps cause."""
        return self.leaves_per_s / (self.alone_per_s * self.leaves_per_swap)


DEFAULT = ProofEffort(rounds=5, seconds=10)
QUICK = ProofEffort(rounds=2, seconds=4)


def measure(effort: ProofEffort, print_line: Callable[[str], None]) -> None:
    """Print each round, and the medians."""
    with (
        tempfile.TemporaryDirectory(prefix="landbridge-bench-") as folder,
        server.serving(Path(folder) / "data") as ours,
    ):
        print_line("Creating users ...")
        accounts = server.open_accounts(ours, orgs=1, users=speed.USERS)
        _swaps_per_s(ours, accounts, effort.seconds)  # warm
        rounds: list[ProofRound] = []
        for number in range(effort.rounds):
            rounds.append(_round(ours, accounts, effort.seconds))
            print_line(f"round {number + 1}: {rounds[-1]}")
    print_line(
        f"medians: {median(each.ratio for each in rounds):.2f} of the swaps, "
        f"{median(each.lead for each in rounds):.1f} times their leaves"
    )


def _round(ours: server.Server, accounts: list[load.Account], seconds: float) -> ProofRound:
    _await_all(ours)
    ((org_id, read_place),) = databases.read(ours.dsn, _STAND_STILL)
    before = databases.count(ours.dsn, _CHANGES)
    alone_per_s, swaps = _swaps_per_s(ours, accounts, seconds)
    added = databases.count(ours.dsn, _CHANGES) - before
    time.sleep(2)  # what else follows a payment is done by then

    size, began_s = databases.count(ours.dsn, _SIZE), time.monotonic()
    databases.read(ours.dsn, _GO_ON, org_id, read_place)
    _await_all(ours)
    leaves_per_s = (databases.count(ours.dsn, _SIZE) - size) / (time.monotonic() - began_s)
    together_per_s, _ = _swaps_per_s(ours, accounts, seconds)
    return ProofRound(alone_per_s, together_per_s, leaves_per_s, added / swaps)


def _swaps_per_s(
    ours: server.Server, accounts: list[load.Account], seconds: float
) -> tuple[float, int]:
    """Return the swaps per second that are created and accepted, and their number in all."""
    tally = load.closed(
        accounts,
        port=ours.port,
        connections=speed.CONNECTIONS,
        seconds=seconds,
        meter=machine.Meter(dict),
    )
    assert not tally.refusals, tally.refusals[0]
    return tally.per_s / 2, tally.swaps


def _await_all(ours: server.Server) -> None:
    """Wait until every change is in a tree."""
    deadline_s = time.monotonic() + _PATIENCE_S
    while databases.count(ours.dsn, _SIZE) < databases.count(ours.dsn, _CHANGES):
        assert time.monotonic() < deadline_s, "the sequencer does not follow"
        time.sleep(0.1)
