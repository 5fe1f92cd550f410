"""Record audit: verifies each record's creation digest, its journals and their total effect.

`AuditRules` (audit_rules.py) states the rules of each flow. Stored data never causes an error,
only findings: records that can't be decoded are findings too.
"""

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from landbridge.ledger.audit_rules import AuditRules, RecordChange, steps_of, totals
from landbridge.ledger.digests import stored_creation_digest
from landbridge.ledger.model import HouseRole, Posting, Transfer
from landbridge.ledger.record_store import as_transfer
from landbridge.platform.db.pool import Cursor, Row, Tx

RECORDS = """
select org_id, id, kind, user_id, request_id, request::text as request, status, version,
    source_asset, source_units, destination_asset, destination_units, details::text as details,
    facts::text as facts, due_at, created_at, updated_at, null as metadata
from transfers
where (org_id = $1 or $1::uuid is null) and kind = any ($2::text[])
order by org_id, id
"""

CHANGES = """
select org_id, object_id as id, seq, change_type, status_after, actor, facts::text as facts,
    occurred_at, is_settled,
    creation_digest
from changes
where (org_id = $1 or $1::uuid is null) and kind = any ($2::text[])
order by org_id, object_id, seq
"""

ENTRIES = """
select org_id, transfer_id as id, seq, account_id, role, asset, available, held
from entries
where org_id = $1 or $1::uuid is null
order by org_id, transfer_id, seq, line
"""

# Rows that a cursor fetches at a time, so that few round trips are needed.
FETCH_SIZE = 2_000

_decode = msgspec.json.Decoder(dict[str, Any]).decode

OPENED = "every record matches its creation digest"
JOURNALS = "every journal matches its flow"
EFFECT = "every record moved what its status implies"
CHECKS = (OPENED, JOURNALS, EFFECT)
# Lines of a journal, or accounts of a record, that a finding lists at most.
_LINES_MAX = 3


class AuditedEntry(NamedTuple):
    """Line of a journal as stored."""

    seq: int
    account: UUID | HouseRole | str | None
    asset: str
    available: int
    held: int


class AuditedRecord(NamedTuple):
    """Record with all its changes and entries, each in order."""

    record: Transfer
    changes: Sequence[RecordChange]
    entries: Sequence[AuditedEntry]


async def read_records(
    tx: Tx, org_id: UUID | None, kinds: Collection[str], *, fetch_size: int = FETCH_SIZE
) -> AsyncIterator[AuditedRecord]:
    """Yield the records of these kinds, of one organisation or (for None) of all.

    Three cursors read one snapshot in parallel, each ordered by record id, so memory use does not
    grow with the number of records.
    """
    names = list(kinds)
    records = await tx.cursor(RECORDS, org_id, names)
    changes = _Rows(await tx.cursor(CHANGES, org_id, names), fetch_size)
    entries = _Rows(await tx.cursor(ENTRIES, org_id), fetch_size)
    while rows := await records.fetch(fetch_size):
        for row in rows:
            key = (row["org_id"], row["id"])
            yield AuditedRecord(
                as_transfer(row),
                [_change(each) for each in await changes.take(key)],
                [_entry(each) for each in await entries.take(key)],
            )


class _Rows:
    """Buffered rows of a cursor, read record by record in ascending order."""

    def __init__(self, cursor: Cursor, fetch_size: int) -> None:
        self._cursor = cursor
        self._fetch_size = fetch_size
        self._rows: list[Row] = []
        self._position = 0

    async def take(self, key: tuple[UUID, UUID]) -> list[Row]:
        """Return the rows of a record, and skip the rows of earlier records."""
        found: list[Row] = []
        org_id, record_id = key
        while await self._fill():
            for position in range(self._position, len(self._rows)):
                row = self._rows[position]
                if row["id"] == record_id and row["org_id"] == org_id:
                    found.append(row)
                elif (row["org_id"], row["id"]) > key:
                    self._position = position
                    return found
            self._position = len(self._rows)
        return found

    async def _fill(self) -> bool:
        """Fetch more rows once the buffer is consumed; return whether there are any."""
        if self._position == len(self._rows):
            self._rows, self._position = await self._cursor.fetch(self._fetch_size), 0
        return bool(self._rows)


def _change(row: Row) -> RecordChange:
    facts: str | None = row["facts"]
    nothing: Mapping[str, Any] = {}
    return RecordChange(
        seq=row["seq"],
        change_type=row["change_type"],
        status_after=row["status_after"],
        actor=row["actor"],
        facts=nothing if facts is None else _decode(facts),
        occurred_at=row["occurred_at"],
        is_settled=row["is_settled"],
        creation_digest=row["creation_digest"],
    )


def _entry(row: Row) -> AuditedEntry:
    return AuditedEntry(
        seq=row["seq"],
        account=row["account_id"] or row["role"],
        asset=row["asset"],
        available=int(row["available"]),
        held=int(row["held"]),
    )


class RecordMismatch(NamedTuple):
    """Finding about a record."""

    check: str
    org_id: UUID
    key: str
    sentence: str


@dataclass(slots=True)
class AuditTally:
    """Number of wrong records per check, with some of the findings."""

    limit: int
    wrong: Counter[str] = field(default_factory=Counter[str])
    found: dict[str, list[RecordMismatch]] = field(default_factory=dict[str, list[RecordMismatch]])

    def add(self, mismatch: RecordMismatch) -> None:
        """Count a mismatch; keep the first ones of each check."""
        self.wrong[mismatch.check] += 1
        findings = self.found.setdefault(mismatch.check, [])
        if len(findings) < self.limit:
            findings.append(mismatch)


async def verify_records(
    tx: Tx,
    rules_by_kind: Mapping[str, AuditRules],
    kinds: Sequence[str],
    *,
    org_id: UUID | None,
    limit: int,
) -> AuditTally:
    """Verify records of these kinds, of one or (for None) all organisations, in one snapshot."""
    tally = AuditTally(limit)
    async for audited in read_records(tx, org_id, kinds):
        for mismatch in mismatches(audited, rules_by_kind.get(audited.record.kind)):
            tally.add(mismatch)
    return tally


def mismatches(audited: AuditedRecord, rules: AuditRules | None) -> Iterator[RecordMismatch]:
    """Yield the mismatches of a record; without rules only its creation digest is verified."""
    record, changes, _ = audited
    key = str(record.id)
    if not changes:
        return  # reported by the check that compares records with changes
    digest = changes[0].creation_digest
    if digest is not None and digest != stored_creation_digest(record):
        sentence = (
            f"the {record.kind} does not match its creation digest: its kind, owner, request id, "
            "amounts or details were altered"
        )
        yield RecordMismatch(OPENED, record.org_id, key, sentence)
    if rules is None:
        return
    try:
        yield from _wrong_journals(audited, rules)
    except Exception as error:  # noqa: BLE001  whatever is stored becomes a finding
        sentence = f"its journals can't be recomputed: {_shortened(error)}"
        yield RecordMismatch(JOURNALS, record.org_id, key, sentence)
    try:
        sentence = _wrong_effect(audited, rules)
    except Exception as error:  # noqa: BLE001  as above
        sentence = f"its expected total can't be computed: {_shortened(error)}"
    if sentence is not None:
        yield RecordMismatch(EFFECT, record.org_id, key, sentence)


def _wrong_journals(audited: AuditedRecord, rules: AuditRules) -> Iterator[RecordMismatch]:
    """Yield mismatches between the entries of each change and those that its flow posts."""
    record, changes, entries = audited
    stored: defaultdict[int, list[AuditedEntry]] = defaultdict(list)
    for entry in entries:
        stored[entry.seq].append(entry)
    change_types = {change.seq: change.change_type for change in changes}
    for step in steps_of(record, changes):
        journals = rules.journals(step)
        if journals is None:
            return
        for position in range(len(step.path)):
            seq = step.first_seq + position
            posted = [_as_entry(seq, each) for each in journals.get(position, ())]
            found = stored.pop(seq, [])
            if found != posted and Counter(found) != Counter(posted):
                sentence = f"change {seq} ({change_types[seq]}) {_difference(posted, found)}"
                yield RecordMismatch(JOURNALS, record.org_id, f"{record.id}/{seq}", sentence)
    for seq, found in stored.items():
        sentence = f"its entries of change {seq}, {_lines(found)}, belong to no step of the record"
        yield RecordMismatch(JOURNALS, record.org_id, f"{record.id}/{seq}", sentence)


def _wrong_effect(audited: AuditedRecord, rules: AuditRules) -> str | None:
    """Return how the moved total differs from the one its status implies; None if it does not."""
    record, changes, entries = audited
    promised = rules.effect(record, [change.status_after or "" for change in changes])
    if promised is None:
        return None
    expected = totals(promised)
    moved: dict[tuple[UUID | str | None, str], tuple[int, int]] = {}
    for entry in entries:
        available, held = moved.get((entry.account, entry.asset), (0, 0))
        moved[entry.account, entry.asset] = (available + entry.available, held + entry.held)
    wrong = [
        f"{_units(*moved.get(key, (0, 0)))} of {key[0]} {key[1]} instead of "
        f"{_units(*expected.get(key, (0, 0)))}"
        for key in dict.fromkeys([*expected, *moved])
        if moved.get(key, (0, 0)) != expected.get(key, (0, 0))
    ]
    if not wrong:
        return None
    return f"a {record.kind} that is {record.status} moved {_listed(wrong)}"


def _as_entry(seq: int, posting: Posting) -> AuditedEntry:
    money = posting.available
    return AuditedEntry(seq, posting.account, money.asset.code, money.units, posting.held_units)


def _difference(posted: Sequence[AuditedEntry], found: Sequence[AuditedEntry]) -> str:
    missing = list((Counter(posted) - Counter(found)).elements())
    extra = list((Counter(found) - Counter(posted)).elements())
    if not extra:
        return f"lacks {_lines(missing)}"
    if not missing:
        return f"should not post {_lines(extra)}"
    return f"posts {_lines(extra)} instead of {_lines(missing)}"


def _lines(entries: Sequence[AuditedEntry]) -> str:
    return _listed(
        [f"{_units(each.available, each.held)} of {each.account} {each.asset}" for each in entries]
    )


def _listed(texts: Sequence[str]) -> str:
    more = len(texts) - _LINES_MAX
    listed = ", ".join(texts[:_LINES_MAX])
    return f"{listed} and {more} more" if more > 0 else listed


def _units(available: int, held: int) -> str:
    if not held:
        return f"{available:+}"
    return f"{available:+} (held {held:+})"


def _shortened(error: Exception) -> str:
    text = f"{type(error).__name__}: {error}"
    return text if len(text) <= 200 else f"{text[:200]}..."  # noqa: PLR2004  a line of a terminal
