"""Retry until settled: sends an order that must arrive again after each refusal, without end.

Coins and fiat that are returned have no other destination. A chain or bank that refused an order
refuses it under its key forever, so each attempt has its own key (platform/core/retry_policy.py):

    key = retry_key(record, "return")
    channel = rail_channel(rails, record.org_id, key, payment, facts=...)
    OutgoingOrder(channel=until_settled(channel, "return"), ..., done=Status.FIAT_RETURNED)

A refusal raises `RetryExhausted`. `OrderSender.run` then stores the count as the record's fact
`return_attempts` and the reason as `return_refusal`, and postpones the record. The worker logs one
warning (`due.refused`) and counts the record as failing until the next attempt. After
`REFUSALS_MAX` refusals the record also needs a person (attention.py), who may redirect it: that
starts a new round of keys.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.ledger.model import Transfer
from landbridge.payments.engine.attention import attention
from landbridge.payments.engine.order_keys import order_key
from landbridge.platform.core.errors import Rejected
from landbridge.platform.core.retry_policy import key_of_attempt, pause_after
from landbridge.platform.formats.texts import shorten

# Refusals within about half an hour, after which a provider does not recover by itself.
REFUSALS_MAX = 5
# Fact with the time at which an order was first sent under its present key, which it identifies by
# the record's version and the refusals. Only postponements write it.
_GIVEN = "given"


class RetryExhausted(Rejected):
    """An order that must arrive was refused; it is sent again under its next key after `pause`.

    `order_name` is the base of its keys; `facts` are those that the record should keep.
    """

    def __init__(
        self, order_name: str, reason: str | None, facts: Mapping[str, Any] | None = None
    ) -> None:
        self.order_name = order_name
        self.reason = reason
        self.facts = facts or {}
        self.pause = timedelta()
        self.sentence = shorten(reason or "the provider refused it")
        super().__init__(f"{order_name}: {self.sentence}")


def retry_key(record: Transfer, order_name: str) -> UUID:
    """Return the key of the order's present attempt; the first is `order_key(record, name)`."""
    number = _round(record, order_name)
    first = order_key(record, f"{order_name}/round/{number}" if number else order_name)
    return key_of_attempt(first, _attempts(record, order_name))


def record_refusal(record: Transfer, refusal: RetryExhausted) -> dict[str, Any]:
    """Return the facts of a refusal, such as `<order_name>_attempts`; set the refusal's pause."""
    order_name = refusal.order_name
    count = _attempts(record, order_name) + 1
    refusal.pause = pause_after(count)
    facts = {
        **refusal.facts,
        f"{order_name}_attempts": int(record.facts.get(f"{order_name}_attempts", 0)) + 1,
        f"{order_name}_refusal": refusal.sentence,
    }
    if count >= REFUSALS_MAX:
        facts |= attention(record, f"refused {count} times: {refusal}")
    return facts


def start_round(record: Transfer, order_name: str) -> dict[str, Any]:
    """Return the facts that start a new round of keys, none of which was used before.

    These facts are in the change log, unlike the counts, which only postponements write.
    """
    return {
        f"{order_name}_round": _round(record, order_name) + 1,
        f"{order_name}_attempts_before": int(record.facts.get(f"{order_name}_attempts", 0)),
    }


def mark_sent(record: Transfer, order_name: str | None, at: datetime) -> dict[str, Any]:
    """Return the fact that an order is sent under its present key for the first time, at `at`.

    `order_name` names an order that must arrive; None is for an order with a single key.
    """
    mark = {"version": record.version, "attempts": _count(record, order_name), "at": at.isoformat()}
    return {_GIVEN: mark}


def mark_unsent() -> dict[str, Any]:
    """Return the fact that cancels the one of `mark_sent`, because the provider has no order."""
    return {_GIVEN: None}


def first_sent_at(record: Transfer, order_name: str | None) -> datetime | None:
    """Return when the order was first sent under its present key; None if it never was."""
    mark = record.facts.get(_GIVEN)
    if mark is None or (mark["version"], mark["attempts"]) != (
        record.version,
        _count(record, order_name),
    ):
        return None
    return datetime.fromisoformat(mark["at"])


def is_key_valid(key_lifetime: timedelta | None, sent_since: datetime | None, at: datetime) -> bool:
    """Return whether an order may be sent: never sent, or its key is still known at `at`."""
    return key_lifetime is None or sent_since is None or at - sent_since <= key_lifetime


def _count(record: Transfer, order_name: str | None) -> int:
    return 0 if order_name is None else _attempts(record, order_name)


def _round(record: Transfer, order_name: str) -> int:
    return int(record.facts.get(f"{order_name}_round", 0))


def _attempts(record: Transfer, order_name: str) -> int:
    """Return the number of refusals in this round."""
    facts = record.facts
    return int(facts.get(f"{order_name}_attempts", 0)) - int(
        facts.get(f"{order_name}_attempts_before", 0)
    )
