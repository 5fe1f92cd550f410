"""Attention marks: payments that need a person.

The worker sets a mark; the next change of the payment clears it. The mark is a fact that only a
postponement writes, so the change log does not contain it. It holds the version of the record for
which it was set, so any advance of the payment invalidates it.
"""

from typing import Any

from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.platform.formats.texts import shorten

# Name of the fact; the SQL that lists overdue records reads it too.
FACT = "attention"


def attention(record: Transfer, reason: str) -> dict[str, Any]:
    """Return the fact that marks this record as needing a person, with the reason."""
    return {FACT: {"version": record.version, "reason": shorten(reason)}}


def needs_attention(record: Transfer) -> str | None:
    """Return why this record needs a person; None if it does not."""
    mark = record.facts.get(FACT)
    return mark["reason"] if mark is not None and mark["version"] == record.version else None


async def mark_attention(ledger: Ledger, record: Transfer, reason: str) -> None:
    """Mark a record that waits, unless it is marked; it stays due."""
    if record.due_at is not None and needs_attention(record) is None:
        await ledger.postpone(record, record.due_at, attention(record, reason))
