"""Stencils: the rows of one record, as its flow writes them, with gaps for what differs.

A record is played once with marks in it (plays.py) by the flows' own rules: what they make of it
is the ledger's to write, so the rows are made as `ledger/store.py` makes them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any
from uuid import UUID

import msgspec

from landbridge.core.errors import Broken
from landbridge.core.states import Moves
from landbridge.ledger.model import Move, Opening, Posting, Role, Transfer, as_moved, as_opened
from landbridge.seeding.marks import Field, Marks, Moment, Text, parts_of

_encode = msgspec.json.Encoder(order="deterministic").encode
_NULL = "\\N"
_TAB = "\t"
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  moments are printed without their zone, which is UTC

# The tables that a record has rows in, with their columns in the order of a row.
COLUMNS = {
    "transfers": (
        *("org_id", "id", "kind", "user_id", "request_id", "request", "status", "version"),
        *("source_asset", "source_units", "destination_asset", "destination_units"),
        *("details", "facts", "due_at", "created_at", "updated_at"),
    ),
    "changes": (
        *("org_id", "object_id", "seq", "kind", "what", "status_before", "status_after"),
        *("actor", "facts", "at", "rests", "tx", "opened_digest"),
    ),
    "entries": (
        *("org_id", "transfer_id", "seq", "line", "account_id", "role", "asset"),
        *("available", "held", "at"),
    ),
    "onramp_references": ("org_id", "reference", "transfer_id"),
    "receipts": (
        *("org_id", "id", "bank_reference", "account_number", "asset", "units", "rail", "status"),
        *("transfer_id", "user_id", "sealed_words", "version", "received_at", "clears_at"),
        *("updated_at", "due_at", "return_tries", "decided_by", "arrived_at"),
    ),
    "approvals": (
        *("org_id", "id", "transfer_id", "transfer_kind", "user_id", "status", "digest"),
        *("threshold", "needs_second", "initiator_id", "is_from_dashboard", "expires_at"),
        *("version", "created_at", "updated_at"),
    ),
    "votes": ("org_id", "approval_id", "approver_id", "choice", "sealed_comment", "at"),
}


# Stands for the transaction that writes the row.
TX = "@@tx@@"
# Stands for the digest of the record as it was opened.
OPENED = Text("opened_digest")


class Play:
    """A record on its way, by the rules of its flow; `beside` are rows of other tables."""

    def __init__(self, marks: Marks, opening: Opening, moves: Moves[Any]) -> None:
        opening.check(moves)
        self.marks = marks
        self.opening = opening
        self.moves = moves
        self.made: list[Move] = []
        self.beside: list[tuple[str, tuple[Any, ...]]] = []
        self.record = as_opened(opening)

    def go(self, move: Move) -> None:
        """Move it on; raises `Broken` where its flow does not allow that.

        It is this record that is moved: a flow may have been shown one that has a number where
        ours has a mark.
        """
        move = replace(move, transfer=self.record)
        move.check(self.moves)
        self.made.append(move)
        self.record = as_moved(move)

    def put(self, table: str, *row: Any) -> None:
        """Put a row beside it; the organisation's id, which comes first, is left out."""
        self.beside.append((table, (self.opening.org_id, *row)))

    def tell(
        self,
        kind: str,
        object_id: UUID,
        seq: int,
        *,
        what: str,
        actor: str,
        at: datetime,
        **facts: Any,
    ) -> None:
        """Put a change of something else beside it."""
        about = (object_id, seq, kind, what, None, None, actor, facts, at, True, TX, None)
        self.put("changes", *about)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a record adds to what an account can spend, and at which of its moments."""

    account: str
    moment: int
    parts: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows of one table, as COPY reads them: a template, and which values go into it."""

    table: str
    template: str
    pick: Callable[[Sequence[str]], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Stencil:
    """Rows with gaps; `rows` begins with the record's own."""

    rows: tuple[Rows, ...]
    fields: tuple[Field, ...]
    effects: tuple[Effect, ...]
    # How many moments it has.
    moments: int
    # The names of the hashes in it.
    hashes: tuple[str, ...]
    # Whether a decision is bound to the record as it was asked for.
    has_digest: bool
    # The place among `fields` of the digest of the record as it was opened.
    opened_place: int

    def values(
        self, texts: Mapping[str, str], moments: Sequence[int], units: Sequence[int]
    ) -> list[str]:
        """What goes into the gaps: texts by name, moments as microseconds, smallest units."""
        made: list[str] = []
        for each in self.fields:
            if isinstance(each, Text):
                made.append(texts[each.name])
            elif isinstance(each, Moment):
                made.append(moment_text(moments[each.number] + each.later_us))
            else:
                made.append(str(summed(each.parts, units)))
        return made


def summed(parts: Iterable[tuple[int, int]], units: Sequence[int]) -> int:
    """A sum of amounts, each as often as it is in it."""
    return sum(units[number] * times for number, times in parts)


def moment_text(us: int) -> str:
    """A moment, in microseconds of the epoch, without its zone."""
    return (_EPOCH + timedelta(microseconds=us)).isoformat()


def stencil(play: Play) -> Stencil:
    """The rows of what was played to its end.

    Raises `Broken` if it is not at its end, or its facts are not what its changes tell.
    """
    if not play.moves.is_terminal(play.record.status):
        raise Broken(f"a {play.record.kind} that is {play.record.status} is not at its end")
    told: dict[str, Any] = {}
    for each in play.made:
        told.update(each.facts)
    if dict(play.record.facts) != told:
        raise Broken(f"a {play.record.kind} has facts that no change of it tells")
    lines: dict[str, list[tuple[Any, ...]]] = {"transfers": [_transfer(play.record)]}
    lines["changes"], lines["entries"] = _history(play)
    for table, row in play.beside:
        lines.setdefault(table, []).append(row)
    fields: dict[Field, int] = {}
    rows: list[Rows] = []
    for table, made in lines.items():
        text = "".join(f"{_TAB.join(map(_cell, row))}\n" for row in made)
        template, gaps = play.marks.cut(text)
        if gaps:
            places = [fields.setdefault(each, len(fields)) for each in gaps]
            rows.append(Rows(table, template, itemgetter(*places)))
    moments = {each.number for each in fields if isinstance(each, Moment)}
    return Stencil(
        rows=tuple(rows),
        fields=tuple(fields),
        effects=tuple(_effects(play)),
        moments=max(moments) + 1,
        hashes=tuple(
            each.name for each in fields if isinstance(each, Text) and each.name.endswith("hash")
        ),
        has_digest="approvals" in lines,
        opened_place=fields[OPENED],
    )


def _transfer(record: Transfer) -> tuple[Any, ...]:
    told = (record.org_id, record.id, record.kind, record.user_id, record.request_id)
    source = (record.source_asset, record.source_units)
    destination = (record.destination_asset, record.destination_units)
    state = (dict(record.request), record.status, record.version)
    facts = (dict(record.details), dict(record.facts), record.due_at)
    return (*told, *state, *source, *destination, *facts, record.created_at, record.updated_at)


def _history(play: Play) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """The changes and the entries, as `OPEN` and `ADVANCE` of the ledger write them."""
    opening = play.opening
    changes: list[tuple[Any, ...]] = []
    entries: list[tuple[Any, ...]] = []
    before: str | None = None
    nothing: Mapping[str, Any] = {}
    steps = [
        (opening.path, "open", opening.actor, opening.at, nothing, opening.journals),
        *((e.path, e.what, e.actor, e.at, e.facts, e.journals) for e in play.made),
    ]
    for path, what, actor, at, facts, journals in steps:
        version = len(changes)
        for place, status in enumerate(path, start=1):
            rests = place == len(path)
            told = dict(facts) if rests and facts else None
            about = (opening.org_id, opening.id, version + place, opening.kind, what)
            digest = None if changes else play.marks.text(OPENED.name)
            changes.append((*about, before, status, actor, told, at, rests, TX, digest))
            before = status
        for place, postings in journals.items():
            for line, each in enumerate(postings, start=1):
                row = (opening.org_id, opening.id, version + place + 1, line, *_posted(each), at)
                entries.append(row)
    return changes, entries


def _posted(posting: Posting) -> tuple[Any, ...]:
    account, money = posting.account, posting.available
    ends = (None, account) if isinstance(account, Role) else (account, None)
    return (*ends, money.asset.code, money.units, posting.held_units)


def _effects(play: Play) -> Iterator[Effect]:
    opening = play.opening
    steps = [(opening.at, opening.journals), *((each.at, each.journals) for each in play.made)]
    for at, journals in steps:
        for posting in (each for postings in journals.values() for each in postings):
            if not isinstance(posting.account, Role) and posting.available.units:
                yield Effect(
                    play.marks.name_of(posting.account),
                    play.marks.number_of(at),
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
    # Nothing that is played has any: what COPY would have to be told apart by.
    if any(each in text for each in "\\\t\n\0"):
        raise Broken(f"a row can't hold {text!r}")
    return text
