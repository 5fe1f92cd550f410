"""What a flow provides so that `landbridge check` can verify its records (audit.py).

A flow states what its records do to money a second and a third time, in `flows/<flow>/audit.py`:

- `journals` recomputes the journals of one step of a record with the flow's own pure posting
  functions. It finds entries that no version of this code would have written;
- `effect` says what a record in its present status has moved in all, from the amounts that it was
  opened with. It calls no posting function, so it finds mistakes in those functions too.

Both are pure: they read nothing but the record and its changes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from landbridge.core.money import Money
from landbridge.ledger.model import Posting, Role, Transfer
from landbridge.ledger.past import opened_units, replaced_units

# The postings of a step, by place in its path, as in `Move.journals`.
Journals = Mapping[int, Sequence[Posting]]
# Net units per account (or house role) and asset: (available, held). Those without are left out.
Totals = Mapping[tuple[UUID | str | None, str], tuple[int, int]]


class Change(NamedTuple):
    """One row of `changes`, of a record."""

    seq: int
    what: str
    status_after: str | None
    actor: str
    facts: Mapping[str, Any]
    at: datetime
    is_settled: bool
    opened_digest: bytes | None


class Step(NamedTuple):
    """One opening or move of a record, as its changes recorded it.

    `before` is the record as it was read, None for the opening; `after` is the record that the
    step left. `path` holds the statuses in between, `after.status` being the last of them.
    """

    before: Transfer | None
    after: Transfer
    path: tuple[str, ...]
    what: str
    actor: str
    at: datetime
    facts: Mapping[str, Any]

    @property
    def first_seq(self) -> int:
        """The number of the change that belongs to the first status of the path."""
        return self.after.version - len(self.path) + 1

    def at_end(self, postings: Sequence[Posting]) -> Journals:
        """Return a journal that is posted with the last status; none if it has no postings."""
        return {len(self.path) - 1: postings} if postings else {}


@dataclass(frozen=True, slots=True)
class AuditRules:
    """How the records of one flow are verified.

    `journals` returns the postings of a step. `effect` returns the postings that sum to what the
    record has moved in all; `statuses` are those of its changes, in order. It returns None for a
    status that promises nothing in particular; each status at an end must have its postings.
    Either returns None for a record of which the log does not say enough: it is not verified.
    """

    journals: Callable[[Step], Journals | None]
    effect: Callable[[Transfer, Sequence[str]], Sequence[Posting] | None]


def steps_of(record: Transfer, changes: Sequence[Change]) -> Iterator[Step]:
    """Yield the steps of a record, from its opening on.

    The record of each step has the status, version, facts and amounts that it had then.
    """
    units = opened_units(record)
    facts: Mapping[str, Any] = {}
    before: Transfer | None = None
    path: list[str] = []
    for change in changes:
        path.append(change.status_after or "")
        if not change.is_settled:
            continue
        if change.facts:
            facts = {**facts, **change.facts}
            units = replaced_units(units, change.facts)
        after = _as_of(record, change, facts, units)
        yield Step(
            before=before,
            after=after,
            path=tuple(path),
            what=change.what,
            actor=change.actor,
            at=change.at,
            facts=change.facts,
        )
        before = after
        path = []


def _as_of(
    record: Transfer, change: Change, facts: Mapping[str, Any], units: tuple[int, int]
) -> Transfer:
    # Written out: `dataclasses.replace` takes a quarter of the time of the whole audit.
    return Transfer(
        org_id=record.org_id,
        id=record.id,
        kind=record.kind,
        user_id=record.user_id,
        request_id=record.request_id,
        request=record.request,
        status=change.status_after or "",
        version=change.seq,
        source_asset=record.source_asset,
        source_units=units[0],
        destination_asset=record.destination_asset,
        destination_units=units[1],
        details=record.details,
        facts=facts,
        due_at=None,
        created_at=record.created_at,
        updated_at=change.at,
    )


def credit(account: UUID | Role, money: Money) -> Posting:
    """Return a posting that adds to what an account has available."""
    return Posting(account, money)


def debit(account: UUID | Role, money: Money) -> Posting:
    """Return a posting that takes from what an account has available."""
    return Posting(account, -money)


def reserve(account: UUID, money: Money) -> Posting:
    """Return a posting that moves money of a wallet's account from available to held."""
    return Posting(account, -money, held_units=money.units)


def totals(postings: Iterable[Posting]) -> Totals:
    """Add up postings per account and asset."""
    sums: dict[tuple[UUID | str | None, str], tuple[int, int]] = {}
    for posting in postings:
        key = (posting.account, posting.available.asset.code)
        available, held = sums.get(key, (0, 0))
        sums[key] = (available + posting.available.units, held + posting.held_units)
    return {key: units for key, units in sums.items() if any(units)}
