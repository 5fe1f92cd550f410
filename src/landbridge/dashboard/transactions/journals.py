"""Journals in bookkeeping form: debits on the left, credits on the right."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any


def journals(summary: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Each change that moved money: its status, when that was, its lines, and their sums."""
    changes = {each["seq"]: each for each in summary["history"]}
    return [
        {
            "status": changes[each["seq"]]["statusAfter"],
            "at": changes[each["seq"]]["at"],
            "lines": (lines := _lines(each["entries"])),
            "sums": _sums(lines),
        }
        for each in summary["journals"]
    ]


def _lines(entries: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return one line for the available and one for the held change; `is_held` marks the latter."""
    lines: list[Mapping[str, Any]] = []
    for entry in entries:
        for part in ("available", "held"):
            moved = Decimal(entry[part])
            if moved:
                lines.append(
                    {
                        **entry,
                        "is_held": part == "held",
                        "debit": -moved if moved < 0 else None,
                        "credit": moved if moved > 0 else None,
                    }
                )
    return lines


def _sums(lines: Sequence[Mapping[str, Any]]) -> Sequence[tuple[str, str | None, Decimal, Decimal]]:
    """Currency, chain, and both sides, which are the same."""
    sums: defaultdict[tuple[str, str | None], list[Decimal]] = defaultdict(
        lambda: [Decimal(0), Decimal(0)]
    )
    for each in lines:
        totals = sums[each["currency"], each["chain"]]
        totals[0] += each["debit"] or 0
        totals[1] += each["credit"] or 0
    return [(currency, chain, totals[0], totals[1]) for (currency, chain), totals in sums.items()]
