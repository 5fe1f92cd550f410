"""Verifies one record after the other: what it was opened as, its journals, and their effect.

What each flow states of its records is in `AuditRules` (audit_rules.py). Whatever is stored must
become a finding and never an error, so records that can't be decoded are findings themselves.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from landbridge.db.pool import Tx
from landbridge.ledger.audit_rules import AuditRules, steps_of, totals
from landbridge.ledger.digests import digest_of_opened
from landbridge.ledger.model import Posting
from landbridge.ledger.record_audit_store import AuditedRecord, Entry, read_records

OPENED = "every record is as it was opened"
JOURNALS = "every journal is what its flow posts"
EFFECT = "every record moved what its status promises"
CHECKS = (OPENED, JOURNALS, EFFECT)

# A finding names so many lines of a journal or accounts of a record; there may be fifty.
_LINES_MAX = 3


class Mismatch(NamedTuple):
    """Something of a record that is not as it should be."""

    check: str
    org_id: UUID
    key: str
    sentence: str


@dataclass(slots=True)
class Tally:
    """How much of each check is wrong, and some of it."""

    limit: int
    wrong: Counter[str] = field(default_factory=Counter[str])
    found: dict[str, list[Mismatch]] = field(default_factory=dict[str, list[Mismatch]])

    def add(self, mismatch: Mismatch) -> None:
        """Count a mismatch; the first ones of each check are kept."""
        self.wrong[mismatch.check] += 1
        kept = self.found.setdefault(mismatch.check, [])
        if len(kept) < self.limit:
            kept.append(mismatch)


async def verify_records(
    tx: Tx,
    rules_by_kind: Mapping[str, AuditRules],
    kinds: Sequence[str],
    *,
    org_id: UUID | None,
    limit: int,
) -> Tally:
    """Verify all records of these kinds, of one organisation or all, in the caller's snapshot."""
    tally = Tally(limit)
    async for audited in read_records(tx, org_id, kinds):
        for mismatch in mismatches(audited, rules_by_kind.get(audited.record.kind)):
            tally.add(mismatch)
    return tally


def mismatches(audited: AuditedRecord, rules: AuditRules | None) -> Iterator[Mismatch]:
    """Yield what is wrong with a record; without rules only what it was opened as is verified."""
    record, changes, _ = audited
    key = str(record.id)
    if not changes:
        return  # the checks of records name it
    digest = changes[0].opened_digest
    if digest is not None and digest != digest_of_opened(record):
        sentence = (
            f"the {record.kind} is not what it was opened as: its kind, owner, request id, "
            "amounts or details were altered"
        )
        yield Mismatch(OPENED, record.org_id, key, sentence)
    if rules is None:
        return
    try:
        yield from _wrong_journals(audited, rules)
    except Exception as error:  # noqa: BLE001  whatever is stored becomes a finding
        sentence = f"its journals can't be recomputed: {_shortened(error)}"
        yield Mismatch(JOURNALS, record.org_id, key, sentence)
    try:
        sentence = _wrong_effect(audited, rules)
    except Exception as error:  # noqa: BLE001  as above
        sentence = f"what it should have moved can't be computed: {_shortened(error)}"
    if sentence is not None:
        yield Mismatch(EFFECT, record.org_id, key, sentence)


def _wrong_journals(audited: AuditedRecord, rules: AuditRules) -> Iterator[Mismatch]:
    """Compare the entries of each change with those that its flow posts."""
    record, changes, entries = audited
    stored: defaultdict[int, list[Entry]] = defaultdict(list)
    for entry in entries:
        stored[entry.seq].append(entry)
    whats = {change.seq: change.what for change in changes}
    for step in steps_of(record, changes):
        journals = rules.journals(step)
        if journals is None:
            return
        for place in range(len(step.path)):
            seq = step.first_seq + place
            posted = [_as_entry(seq, each) for each in journals.get(place, ())]
            found = stored.pop(seq, [])
            if found != posted and Counter(found) != Counter(posted):
                sentence = f"change {seq} ({whats[seq]}) {_difference(posted, found)}"
                yield Mismatch(JOURNALS, record.org_id, f"{record.id}/{seq}", sentence)
    for seq, found in stored.items():
        sentence = f"its entries of change {seq}, {_lines(found)}, belong to no step of the record"
        yield Mismatch(JOURNALS, record.org_id, f"{record.id}/{seq}", sentence)


def _wrong_effect(audited: AuditedRecord, rules: AuditRules) -> str | None:
    """Compare all that a record has moved with what its status promises."""
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


def _as_entry(seq: int, posting: Posting) -> Entry:
    money = posting.available
    return Entry(seq, posting.account, money.asset.code, money.units, posting.held_units)


def _difference(posted: Sequence[Entry], found: Sequence[Entry]) -> str:
    missing = list((Counter(posted) - Counter(found)).elements())
    extra = list((Counter(found) - Counter(posted)).elements())
    if not extra:
        return f"lacks {_lines(missing)}"
    if not missing:
        return f"should not post {_lines(extra)}"
    return f"posts {_lines(extra)} instead of {_lines(missing)}"


def _lines(entries: Sequence[Entry]) -> str:
    return _listed(
        [f"{_units(each.available, each.held)} of {each.account} {each.asset}" for each in entries]
    )


def _listed(texts: Sequence[str]) -> str:
    more = len(texts) - _LINES_MAX
    shown = ", ".join(texts[:_LINES_MAX])
    return f"{shown} and {more} more" if more > 0 else shown


def _units(available: int, held: int) -> str:
    if not held:
        return f"{available:+}"
    return f"{available:+} (held {held:+})"


def _shortened(error: Exception) -> str:
    text = f"{type(error).__name__}: {error}"
    return text if len(text) <= 200 else f"{text[:200]}..."  # noqa: PLR2004  a line of a terminal
