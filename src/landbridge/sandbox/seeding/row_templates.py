"""Row templates: the rows of one record as its flow writes them, with placeholders.

A record is run once with placeholders (transfer_scenarios.py) by the flows' own rules. The ledger
writes its rows, so they are built as `ledger/store.py` builds them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any
from uuid import UUID

import msgspec

from landbridge.ledger.model import (
    AdvanceTransfer,
    CreateTransfer,
    HouseRole,
    Posting,
    Transfer,
    advanced_record,
    created_record,
)
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.transitions import Transitions
from landbridge.sandbox.seeding.placeholders import (
    Field,
    Placeholders,
    TextPlaceholder,
    TimePlaceholder,
    parts_of,
)

_encode = msgspec.json.Encoder(order="deterministic").encode
_NULL = "\\N"
_TAB = "\t"
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  moments are printed without their zone, which is UTC

# The tables of a record, with their columns in the order of a row.
COLUMNS = {
    "transfers": (
        *("org_id", "id", "kind", "user_id", "request_id", "request", "status", "version"),
        *("source_asset", "source_units", "destination_asset", "destination_units"),
        *("details", "facts", "due_at", "created_at", "updated_at"),
    ),
    "changes": (
        *("org_id", "object_id", "seq", "kind", "change_type", "status_before", "status_after"),
        *("actor", "facts", "occurred_at", "is_settled", "batch", "creation_digest"),
    ),
    "entries": (
        *("org_id", "transfer_id", "seq", "line", "account_id", "role", "asset"),
        *("available", "held", "occurred_at"),
    ),
    "onramp_references": ("org_id", "reference", "transfer_id"),
    "incoming_payments": (
        *("org_id", "id", "bank_reference", "account_number", "asset", "units", "rail", "status"),
        *("transfer_id", "user_id", "sealed_texts", "version", "received_at", "clears_at"),
        *("updated_at", "due_at", "return_attempts", "decided_by", "arrived_at"),
    ),
    "approvals": (
        *("org_id", "id", "transfer_id", "transfer_kind", "user_id", "status", "digest"),
        *("threshold", "needs_second", "initiator_id", "is_from_dashboard", "expires_at"),
        *("version", "created_at", "updated_at"),
    ),
    "approval_votes": (
        *("org_id", "approval_id", "approver_id", "choice", "sealed_comment", "occurred_at"),
    ),
}


# Placeholder of the number of the batch of changes that the row belongs to.
CHANGE_BATCH = "@@batch@@"
# Placeholder of the digest of the record as it was created.
OPENED = TextPlaceholder("creation_digest")


class ScenarioRun:
    """A record that is run by the rules of its flow; `beside` are rows of other tables."""

    def __init__(
        self, placeholders: Placeholders, opening: CreateTransfer, transitions: Transitions[Any]
    ) -> None:
        opening.check(transitions)
        self.placeholders = placeholders
        self.opening = opening
        self.transitions = transitions
        self.moves: list[AdvanceTransfer] = []
        self.beside: list[tuple[str, tuple[Any, ...]]] = []
        self.record = created_record(opening)

    def go(self, move: AdvanceTransfer) -> None:
        """Advance the record; raises `InvariantBroken` where its flow does not allow that.

        This record is advanced even if the flow decided on a copy that has a number where this one
        has a placeholder.
        """
        move = replace(move, transfer=self.record)
        move.check(self.transitions)
        self.moves.append(move)
        self.record = advanced_record(move)

    def put(self, table: str, *row: Any) -> None:
        """Add a row of another table; the leading organisation id is left out."""
        self.beside.append((table, (self.opening.org_id, *row)))

    def record_change(
        self,
        kind: str,
        object_id: UUID,
        seq: int,
        *,
        change_type: str,
        actor: str,
        at: datetime,
        **facts: Any,
    ) -> None:
        """Add a change of another object."""
        row = (
            object_id,
            seq,
            kind,
            change_type,
            None,
            None,
            actor,
            facts,
            at,
            True,
            CHANGE_BATCH,
            None,
        )
        self.put("changes", *row)


@dataclass(frozen=True, slots=True)
class AccountEffect:
    """Effect of a record on an available balance, and the number of its time."""

    account: str
    moment: int
    parts: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class TableRows:
    """All rows of one table in COPY format: a template and its values."""

    table: str
    template: str
    pick: Callable[[Sequence[str]], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class RowTemplate:
    """Rows with placeholders; `rows` begins with the record's own."""

    rows: tuple[TableRows, ...]
    fields: tuple[Field, ...]
    effects: tuple[AccountEffect, ...]
    # Number of times in the record.
    moments: int
    # Names of the hashes in the record.
    hashes: tuple[str, ...]
    # Whether an approval is bound to the record as it was requested.
    has_digest: bool
    # Index in `fields` of the digest of the created record.
    opened_index: int

    def values(
        self, texts: Mapping[str, str], moments: Sequence[int], units: Sequence[int]
    ) -> list[str]:
        """Return the values of the placeholders.

        Texts by name, times as microseconds, amounts in smallest units.
        """
        values: list[str] = []
        for each in self.fields:
            if isinstance(each, TextPlaceholder):
                values.append(texts[each.name])
            elif isinstance(each, TimePlaceholder):
                values.append(moment_text(moments[each.number] + each.later_us))
            else:
                values.append(str(summed(each.parts, units)))
        return values


def summed(parts: Iterable[tuple[int, int]], units: Sequence[int]) -> int:
    """Sum amounts, each with its multiplicity."""
    return sum(units[number] * times for number, times in parts)


def moment_text(us: int) -> str:
    """Format a time, in microseconds of the epoch, without its zone."""
    return (_EPOCH + timedelta(microseconds=us)).isoformat()


def row_template(run: ScenarioRun) -> RowTemplate:
    """Build the row template of a completed run.

    Raises `InvariantBroken` if the record is not terminal, or its facts differ from its changes.
    """
    if not run.transitions.is_terminal(run.record.status):
        raise InvariantBroken(f"a {run.record.kind} that is {run.record.status} is not at its end")
    facts: dict[str, Any] = {}
    for each in run.moves:
        facts.update(each.facts)
    if dict(run.record.facts) != facts:
        raise InvariantBroken(f"a {run.record.kind} has facts that none of its changes records")
    lines: dict[str, list[tuple[Any, ...]]] = {"transfers": [_transfer(run.record)]}
    lines["changes"], lines["entries"] = _history(run)
    for table, row in run.beside:
        lines.setdefault(table, []).append(row)
    fields: dict[Field, int] = {}
    rows: list[TableRows] = []
    for table, table_rows in lines.items():
        text = "".join(f"{_TAB.join(map(_cell, row))}\n" for row in table_rows)
        template, gaps = run.placeholders.cut(text)
        if gaps:
            indexes = [fields.setdefault(each, len(fields)) for each in gaps]
            rows.append(TableRows(table, template, itemgetter(*indexes)))
    moments = {each.number for each in fields if isinstance(each, TimePlaceholder)}
    return RowTemplate(
        rows=tuple(rows),
        fields=tuple(fields),
        effects=tuple(_effects(run)),
        moments=max(moments) + 1,
        hashes=tuple(
            each.name
            for each in fields
            if isinstance(each, TextPlaceholder) and each.name.endswith("hash")
        ),
        has_digest="approvals" in lines,
        opened_index=fields[OPENED],
    )


def _transfer(record: Transfer) -> tuple[Any, ...]:
    identity = (record.org_id, record.id, record.kind, record.user_id, record.request_id)
    source = (record.source_asset, record.source_units)
    destination = (record.destination_asset, record.destination_units)
    state = (dict(record.request), record.status, record.version)
    facts = (dict(record.details), dict(record.facts), record.due_at)
    return (*identity, *state, *source, *destination, *facts, record.created_at, record.updated_at)


def _history(run: ScenarioRun) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Return changes and entries as the functions of the ledger write them."""
    opening = run.opening
    changes: list[tuple[Any, ...]] = []
    entries: list[tuple[Any, ...]] = []
    before: str | None = None
    nothing: Mapping[str, Any] = {}
    steps = [
        (opening.path, "open", opening.actor, opening.at, nothing, opening.journals),
        *((e.path, e.change_type, e.actor, e.at, e.facts, e.journals) for e in run.moves),
    ]
    for path, change_type, actor, at, facts, journals in steps:
        version = len(changes)
        for number, status in enumerate(path, start=1):
            is_settled = number == len(path)
            result = dict(facts) if is_settled and facts else None
            change = (opening.org_id, opening.id, version + number, opening.kind, change_type)
            digest = None if changes else run.placeholders.text(OPENED.name)
            changes.append(
                (*change, before, status, actor, result, at, is_settled, CHANGE_BATCH, digest)
            )
            before = status
        for number, postings in journals.items():
            for line, each in enumerate(postings, start=1):
                row = (opening.org_id, opening.id, version + number + 1, line, *_posted(each), at)
                entries.append(row)
    return changes, entries


def _posted(posting: Posting) -> tuple[Any, ...]:
    account, money = posting.account, posting.available
    ends = (None, account) if isinstance(account, HouseRole) else (account, None)
    return (*ends, money.asset.code, money.units, posting.held_units)


def _effects(run: ScenarioRun) -> Iterator[AccountEffect]:
    opening = run.opening
    steps = [(opening.at, opening.journals), *((each.at, each.journals) for each in run.moves)]
    for at, journals in steps:
        for posting in (each for postings in journals.values() for each in postings):
            if not isinstance(posting.account, HouseRole) and posting.available.units:
                yield AccountEffect(
                    run.placeholders.name_of(posting.account),
                    run.placeholders.number_of(at),
                    parts_of(posting.available.units),
                )


def _cell(value: Any) -> str:
    match value:
        case None:
            return _NULL
        case bool():
            return "t" if value else "f"
        case datetime():
            return value.isoformat()
        case dict():
            text = _encode(value).decode()
        case _:
            text = str(value)
    # Generated texts contain no characters that COPY requires to be escaped.
    if any(each in text for each in "\\\t\n\0"):
        raise InvariantBroken(f"a row can't hold {text!r}")
    return text
