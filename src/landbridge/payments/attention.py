"""Payments that need a person: marked by the worker, cleared by the next change of the payment.

The mark is a fact that only a delay writes, so it is in no change. It names the version for which
it was made: whatever moves the payment on makes it void.
"""

from typing import Any

from landbridge.formats.texts import in_short
from landbridge.ledger.model import Transfer

# The member of `facts`; the statement that lists stuck records reads it too.
FACT = "attention"


def attention(record: Transfer, reason: str) -> dict[str, Any]:
    """Return the fact that a person has to look at this record, and why."""
    return {FACT: {"version": record.version, "reason": in_short(reason)}}


def needs_attention(record: Transfer) -> str | None:
    """Return why this record needs a person; None if it does not."""
    mark = record.facts.get(FACT)
    return mark["reason"] if mark is not None and mark["version"] == record.version else None
