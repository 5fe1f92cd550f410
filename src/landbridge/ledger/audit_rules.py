"""Audit rules: what each flow provides so that `landbridge check` can verify its records.

A flow states its effect on money twice more, independently of its normal code, in its
`audit.py`:

- `journals` recomputes the journals of one step of a record with the flow's own pure posting
  functions. It finds entries that no version of this code would have written.
- `effect` computes the total that a record in its present status has moved, from the amounts it
  was created with. It calls no posting function, so it also finds mistakes in those functions.

Both are pure: they read nothing but the record and its changes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from landbridge.ledger.model import HouseRole, Posting, Transfer
from landbridge.ledger.snapshots import original_units, override_units
from landbridge.platform.core.money import Money

# Postings of a step by position in its path, as in `AdvanceTransfer.journals`.
Journals = Mapping[int, Sequence[Posting]]
# Net units (available, held), by account or house role, and by asset. Totals of zero are left out.
Totals = Mapping[tuple[UUID | str | None, str], tuple[int, int]]


class RecordChange(NamedTuple):
    """Change of a record: one row of `changes`."""

    seq: int
    change_type: str
    status_after: str | None
    actor: str
    facts: Mapping[str, Any]
    occurred_at: datetime
    is_settled: bool
    creation_digest: bytes | None


class RecordStep(NamedTuple):
    """Step of a record, reconstructed from its changes: its creation or one advance.

    `before` is the record as it was read, None for the creation; `after` is the record after the
    step. `path` holds the statuses of the step, the last of them being `after.status`.
    """

    before: Transfer | None
    after: Transfer
    path: tuple[str, ...]
    change_type: str
    actor: str
    at: datetime
    facts: Mapping[str, Any]

    @property
    def first_seq(self) -> int:
        """Return the number of the change of the first status in the path."""
        return self.after.version - len(self.path) + 1

    def final_journal(self, postings: Sequence[Posting]) -> Journals:
        """Return the postings as the journal of the last status; none if there are no postings."""
        return {len(self.path) - 1: postings} if postings else {}


@dataclass(frozen=True, slots=True)
class AuditRules:
    """Rules by which the records of one flow are verified.

    `journals` returns the postings of a step. `effect` returns postings that sum to the total the
    record has moved; `statuses` are those of its changes, in order. For a status without a fixed
    total, `effect` returns None; every terminal status must have postings. Either function returns
    None for a record if its changes hold too little to verify it.
    """

    journals: Callable[[RecordStep], Journals | None]
    effect: Callable[[Transfer, Sequence[str]], Sequence[Posting] | None]


def _no_journals(step: RecordStep) -> Journals:
    del step
    return {}


def _no_effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    del record, statuses
    return []


# Rules for records that move no money themselves.
POSTS_NOTHING = AuditRules(_no_journals, _no_effect)


def steps_of(record: Transfer, changes: Sequence[RecordChange]) -> Iterator[RecordStep]:
    """Yield the steps of a record in order, beginning with its creation.

    The record of each step has the status, version, facts and amounts of that time.
    """
    units = original_units(record)
    facts: Mapping[str, Any] = {}
    before: Transfer | None = None
    path: list[str] = []
    for change in changes:
        path.append(change.status_after or "")
        if not change.is_settled:
            continue
        if change.facts:
            facts = {**facts, **change.facts}
            units = override_units(units, change.facts)
        after = _as_of(record, change, facts, units)
        yield RecordStep(
            before=before,
            after=after,
            path=tuple(path),
            change_type=change.change_type,
            actor=change.actor,
            at=change.occurred_at,
            facts=change.facts,
        )
        before = after
        path = []


def _as_of(
    record: Transfer, change: RecordChange, facts: Mapping[str, Any], units: tuple[int, int]
) -> Transfer:
    # Written in full: `dataclasses.replace` would take a quarter of the audit's time.
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
        updated_at=change.occurred_at,
    )


def credit(account: UUID | HouseRole, money: Money) -> Posting:
    """Return a posting that credits an account's available balance."""
    return Posting(account, money)


def debit(account: UUID | HouseRole, money: Money) -> Posting:
    """Return a posting that debits an account's available balance."""
    return Posting(account, -money)


def reserve(account: UUID, money: Money) -> Posting:
    """Return a posting that moves money of a wallet account from available to held."""
    return Posting(account, -money, held_units=money.units)


def totals(postings: Iterable[Posting]) -> Totals:
    """Add up postings per account and asset."""
    sums: dict[tuple[UUID | str | None, str], tuple[int, int]] = {}
    for posting in postings:
        key = (posting.account, posting.available.asset.code)
        available, held = sums.get(key, (0, 0))
        sums[key] = (available + posting.available.units, held + posting.held_units)
    return {key: units for key, units in sums.items() if any(units)}
