"""Journals in bookkeeping form: debits on the left, credits on the right."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from landbridge.payments.transactions.detail_schemas import (
    JournalEntryReply,
    TransactionDetailsReply,
)


@dataclass(frozen=True, slots=True)
class JournalLine:
    """Available or held change of an account: a debit or a credit."""

    entry: JournalEntryReply
    is_held: bool
    debit: Decimal | None
    credit: Decimal | None


@dataclass(frozen=True, slots=True)
class ShownJournal:
    """A change that moved money: its status, when that was, its lines, and their sums."""

    status: str | None
    at: str
    lines: Sequence[JournalLine]
    sums: Sequence[tuple[str, str | None, Decimal, Decimal]]


def journals(summary: TransactionDetailsReply) -> Sequence[ShownJournal]:
    """Return the journals of a payment's changes."""
    changes = {each.seq: each for each in summary.history}
    return [
        ShownJournal(
            changes[each.seq].status_after,
            changes[each.seq].at,
            lines := _lines(each.entries),
            _sums(lines),
        )
        for each in summary.journals
    ]


def _lines(entries: Sequence[JournalEntryReply]) -> Sequence[JournalLine]:
    """Return one line for the available and one for the held change of each entry."""
    return [
        JournalLine(entry, is_held, -change if change < 0 else None, change if change > 0 else None)
        for entry in entries
        for is_held, text in ((False, entry.available), (True, entry.held))
        if (change := Decimal(text))
    ]


def _sums(lines: Sequence[JournalLine]) -> Sequence[tuple[str, str | None, Decimal, Decimal]]:
    """Currency, chain, and both sides, which are the same."""
    sums: defaultdict[tuple[str, str | None], list[Decimal]] = defaultdict(
        lambda: [Decimal(0), Decimal(0)]
    )
    for each in lines:
        totals = sums[each.entry.currency, each.entry.chain]
        totals[0] += each.debit or 0
        totals[1] += each.credit or 0
    return [(currency, chain, totals[0], totals[1]) for (currency, chain), totals in sums.items()]
