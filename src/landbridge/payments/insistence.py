"""What must arrive: given again after each refusal, without end.

Coins and fiat that are given back have no other way to go. A chain or a bank that refuses such an
order has it refused under its key for ever, so the next try has the next key (core/tries.py):

    key = key_to_insist(record, "return")
    way = by_rail(rails, record.org_id, key, payment, facts=...)
    Errand(way=insisting(way, "return"), ..., done=Status.FIAT_RETURNED)

A refusal raises `StillRefused`. `Sending.run` keeps the count as the record's fact
`return_tries`, the reason as `return_refusal`, and puts the record off; the worker logs one warning
(`due.refused`) and counts the record as failing until the next try. After `REFUSALS_MAX` refusals
the record asks for a person as well (payments/attention.py), who may redirect it: that begins a
new round of keys.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.core.errors import Rejected
from landbridge.core.ids import derived_id
from landbridge.core.tries import key_of_try, pause_after
from landbridge.formats.texts import in_short
from landbridge.ledger.model import Transfer
from landbridge.payments.attention import attention

# Half an hour of tries: what a provider refuses for longer does not pass by itself.
REFUSALS_MAX = 5
# The fact that keeps since when a provider may know the present key; only delays write it.
_GIVEN = "given"


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
        self.sentence = in_short(reason or "the other side refused it")
        super().__init__(f"{what}: {self.sentence}")


def key_to_insist(record: Transfer, what: str) -> UUID:
    """The key under which `what` is given now: `derived_id(record.id, what)`, or a later try's."""
    number = _round(record, what)
    first = derived_id(record.id, f"{what}/round/{number}" if number else what)
    return key_of_try(first, _tries(record, what))


def refused_again(record: Transfer, refusal: StillRefused) -> dict[str, Any]:
    """Return the facts that a refusal leaves, `<what>_tries` among them; set its pause."""
    what = refusal.what
    count = _tries(record, what) + 1
    refusal.pause = pause_after(count)
    facts = {
        **refusal.facts,
        f"{what}_tries": int(record.facts.get(f"{what}_tries", 0)) + 1,
        f"{what}_refusal": refusal.sentence,
    }
    if count >= REFUSALS_MAX:
        facts |= attention(record, f"refused {count} times: {refusal}")
    return facts


def new_round(record: Transfer, what: str) -> dict[str, Any]:
    """Return the facts that begin a new round: its keys are none of those used before.

    They are part of a change, unlike the counts, which only delays write.
    """
    return {
        f"{what}_round": _round(record, what) + 1,
        f"{what}_tries_before": int(record.facts.get(f"{what}_tries", 0)),
    }


def given(record: Transfer, what: str | None, at: datetime) -> dict[str, Any]:
    """Return the fact that an order is given for the first time under its present key.

    `what` names an order that is given until it arrives; None stands for one with a single key.
    """
    mark = {"version": record.version, "tries": _count(record, what), "at": at.isoformat()}
    return {_GIVEN: mark}


def given_at(record: Transfer, what: str | None) -> datetime | None:
    """Return when the order was first given under its present key; None if it never was."""
    mark = record.facts.get(_GIVEN)
    if mark is None or (mark["version"], mark["tries"]) != (record.version, _count(record, what)):
        return None
    return datetime.fromisoformat(mark["at"])


def _count(record: Transfer, what: str | None) -> int:
    return 0 if what is None else _tries(record, what)


def _round(record: Transfer, what: str) -> int:
    return int(record.facts.get(f"{what}_round", 0))


def _tries(record: Transfer, what: str) -> int:
    """The refusals of this round."""
    facts = record.facts
    return int(facts.get(f"{what}_tries", 0)) - int(facts.get(f"{what}_tries_before", 0))
