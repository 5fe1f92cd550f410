"""What the ledger speaks of: postings, records, and what may come of moving them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum, StrEnum
from typing import Any
from uuid import UUID

from landbridge.core.errors import Broken
from landbridge.core.money import Money
from landbridge.core.states import Moves


class Role(StrEnum):
    """House accounts of an organisation, one per role and asset; may be below zero."""

    LIQUIDITY = "liquidity"  # what the organisation swaps from and into
    FEES = "fees"  # what its customers paid for its services
    OUTSIDE = "outside"  # the other side of what came from and went to chains and banks
    IN_TRANSIT = "in_transit"  # between two legs of a record; empty once all records are at an end
    RECEIVABLE = "receivable"  # what is owed to the organisation, below zero
    WRITE_OFFS = "write_offs"  # what the organisation has lost for good, below zero
    PAYABLE = "payable"  # owed to fee beneficiaries, not yet paid; empty likewise


@dataclass(frozen=True, slots=True)
class Posting:
    """One line of a journal: what is added to (or, below zero, taken from) an account.

    `account` is a wallet's account, or a house role. Held money stays the wallet's own but can't
    be spent; house accounts hold nothing.
    """

    account: UUID | Role
    available: Money
    held_units: int = 0


def check_journal(postings: Sequence[Posting]) -> None:
    """Raise `Broken` unless each posting moves something and they sum to zero per asset."""
    sums: defaultdict[str, int] = defaultdict(int)
    for posting in postings:
        if not posting.available.units and not posting.held_units:
            raise Broken(f"a posting moves nothing: {posting}")
        if posting.held_units and isinstance(posting.account, Role):
            raise Broken(f"a house account holds nothing: {posting}")
        sums[posting.available.asset.code] += posting.available.units + posting.held_units
    if any(sums.values()):
        raise Broken(f"a journal does not sum to zero: {dict(sums)}")


@dataclass(frozen=True, slots=True)
class Transfer:
    """A transfer record as it was read or has just been written.

    `details` and `facts` are the flow's own, as JSON-like values; together they are what the flow
    decodes into its frozen struct. Units are smallest units of the asset beside them.
    """

    org_id: UUID
    id: UUID
    kind: str
    user_id: UUID
    request_id: UUID
    request: Mapping[str, Any]
    status: str
    version: int
    source_asset: str
    source_units: int
    destination_asset: str
    destination_units: int
    details: Mapping[str, Any]
    facts: Mapping[str, Any]
    due_at: datetime | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Opening:
    """A record to be opened, along `path` (normally one status), with what it does to money.

    `journals` maps a place in the path to its postings: `{0: [...]}` posts with the first change.
    """

    org_id: UUID
    id: UUID
    kind: str
    user_id: UUID
    request_id: UUID
    request: Mapping[str, Any]
    path: tuple[str, ...]
    source: Money
    destination: Money
    details: Mapping[str, Any]
    due_at: datetime | None
    at: datetime
    actor: str
    journals: Mapping[int, Sequence[Posting]] = field(default_factory=dict[int, Sequence[Posting]])

    def check(self, moves: "Moves[Any]") -> None:
        """Raise `Broken` if the flow does not allow this or a journal is not balanced."""
        _check(moves, None, self.path, self.journals)


class Timing(Enum):
    """How a move stands to the record's due time, checked in the statement."""

    ANY = "any"
    IN_TIME = "in time"  # only before the record is due
    OVERDUE = "overdue"  # only once it is


@dataclass(frozen=True, slots=True)
class Move:
    """A record to be moved on, along `path`, from the version at which it was read.

    `source` and `destination` replace what the record was opened with, for a quote that is made
    later; the flow tells them in `facts` too, so that the log has them.
    """

    transfer: Transfer
    path: tuple[str, ...]
    what: str
    actor: str
    at: datetime
    timing: Timing = Timing.ANY
    due_at: datetime | None = None
    source: Money | None = None
    destination: Money | None = None
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    journals: Mapping[int, Sequence[Posting]] = field(default_factory=dict[int, Sequence[Posting]])

    def check(self, moves: "Moves[Any]") -> None:
        """Raise `Broken` if the flow does not allow this or a journal is not balanced."""
        if self.transfer.status not in moves.table:
            raise Broken(f"{self.transfer.status} is no status of a {self.transfer.kind}")
        _check(moves, self.transfer.status, self.path, self.journals)


class Outcome(StrEnum):
    """What came of one item of a batch."""

    DONE = "done"
    KNOWN = "known"  # open: the request id has a record already
    LOST = "lost"  # advance: somebody else has moved the record since it was read
    LATE = "late"  # advance: the record was due before this
    EARLY = "early"  # advance: the record is not due yet
    SHORT = "short"  # a wallet has too little
    STRAY = "stray"  # a posting names an account that does not exist: a bug


def as_opened(opening: Opening) -> Transfer:
    """The record that an opening makes."""
    return Transfer(
        org_id=opening.org_id,
        id=opening.id,
        kind=opening.kind,
        user_id=opening.user_id,
        request_id=opening.request_id,
        request=opening.request,
        status=opening.path[-1],
        version=len(opening.path),
        source_asset=opening.source.asset.code,
        source_units=opening.source.units,
        destination_asset=opening.destination.asset.code,
        destination_units=opening.destination.units,
        details=opening.details,
        facts={},
        due_at=opening.due_at,
        created_at=opening.at,
        updated_at=opening.at,
    )


def as_moved(move: Move) -> Transfer:
    """The record that a move makes of the one that was read."""
    before = move.transfer
    source, destination = move.source, move.destination
    return replace(
        before,
        status=move.path[-1],
        version=before.version + len(move.path),
        source_asset=source.asset.code if source else before.source_asset,
        source_units=source.units if source else before.source_units,
        destination_asset=destination.asset.code if destination else before.destination_asset,
        destination_units=destination.units if destination else before.destination_units,
        facts={**before.facts, **move.facts},
        due_at=move.due_at,
        updated_at=move.at,
    )


def _check(
    moves: "Moves[Any]",
    before: Any,
    path: tuple[str, ...],
    journals: Mapping[int, Sequence[Posting]],
) -> None:
    if not moves.is_path(before, path):
        raise Broken(f"{before} may not become {' > '.join(path)}")
    for place, postings in journals.items():
        if not 0 <= place < len(path) or not postings:
            raise Broken("a journal belongs to a station of the path and has postings")
        check_journal(postings)
