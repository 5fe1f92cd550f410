"""What must arrive: given again after each refusal, without end.

Coins and fiat that are given back have no other way to go. A chain or a bank that refuses such an
order has it refused under its key for ever, so the next try has the next key (core/tries.py):

    key = key_to_insist(record, "return")
    way = by_rail(rails, record.org_id, key, payment, facts=...)
    Errand(way=insisting(way, "return"), ..., done=Status.FIAT_RETURNED)

A refusal raises `StillRefused`. `Sending.run` keeps the count as the record's fact
`return_tries` and puts the record off, and the worker logs one warning (`due.refused`) and counts
the record as failing until the next try.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from landbridge.core.errors import Rejected
from landbridge.core.ids import derived_id
from landbridge.core.tries import key_of_try, pause_after
from landbridge.formats.texts import in_short
from landbridge.ledger.model import Transfer


class StillRefused(Rejected):
    """What must arrive was refused; it is given again under its next key after `pause`.

    `what` is the name that its first key is derived by; `facts` are what the record is to keep.
    """

    def __init__(
        self, what: str, reason: str | None, facts: Mapping[str, Any] | None = None
    ) -> None:
        self.what = what
        self.reason = reason
        self.facts = facts or {}
        self.pause = timedelta()
        super().__init__(f"{what}: {in_short(reason or 'the other side refused it')}")


def key_to_insist(record: Transfer, what: str) -> UUID:
    """The key under which `what` is given now: `derived_id(record.id, what)`, or a later try's."""
    return key_of_try(derived_id(record.id, what), _tries(record, what))


def refused_again(record: Transfer, refusal: StillRefused) -> dict[str, Any]:
    """The facts that a refusal leaves, `<what>_tries` among them; sets its pause."""
    count = _tries(record, refusal.what) + 1
    refusal.pause = pause_after(count)
    return {**refusal.facts, f"{refusal.what}_tries": count}


def _tries(record: Transfer, what: str) -> int:
    return int(record.facts.get(f"{what}_tries", 0))
