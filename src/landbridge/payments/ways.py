"""The channels by which an order goes out: a chain or a bank, in the words of a record.

A `Way` gives an order and asks about it; both answer with an `Answer`, whichever port is behind it.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any
from uuid import UUID

from landbridge.chains.port import Chains, Order, Sent, SentState
from landbridge.core.errors import Rejected
from landbridge.payments.carrying import carry, hashes
from landbridge.payments.insistence import StillRefused
from landbridge.rails.port import Paid, PaidState, Payment, Rails


class Standing(Enum):
    """How an order stands on the other side."""

    PENDING = auto()
    DONE = auto()
    FAILED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a chain or a bank says of an order; `facts` are what the record keeps of it."""

    standing: Standing
    expected_at: datetime | None
    reason: str | None
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Way:
    """How an order is given and asked about: see `by_chain` and `by_rail`.

    `remembers` is how long the provider carries an order out once per key; None is for ever. After
    that the order may not be given again under its key. `hash_fact` is the fact that keeps the hash
    of its transaction; None for a bank.
    """

    send: Callable[[], Awaitable[Answer]]
    look: Callable[[datetime], Awaitable[Answer | None]]
    remembers: timedelta | None = None
    hash_fact: str | None = None


def insisting(way: Way, what: str) -> Way:
    """A way that has no failure, for what must arrive (coins or fiat that are given back).

    Its order has the key `key_to_insist(record, what)`; see payments/insistence.py.
    """

    def arriving(answer: Answer) -> Answer:
        if answer.standing is Standing.FAILED:
            raise StillRefused(what, answer.reason)
        return answer

    async def send() -> Answer:
        return arriving(await way.send())

    async def look(at: datetime) -> Answer | None:
        answer = await way.look(at)
        return None if answer is None else arriving(answer)

    return replace(way, send=send, look=look)


def by_chain(chains: Chains, order: Order, *, prefix: str = "") -> Way:
    """An order to a chain. Facts: `transaction_hash` and `user_op_hash`, after `prefix`."""

    async def send() -> Answer:
        return _of_chain(await carry(chains, order), prefix)

    async def look(at: datetime) -> Answer | None:
        sent = await chains.look(order.org_id, order.key, at)
        return None if sent is None else _of_chain(sent, prefix)

    return Way(send, look, chains.remembers, f"{prefix}transaction_hash")


def by_rail(
    rails: Rails,
    org_id: UUID,
    key: UUID,
    payment: Callable[[], Awaitable[Payment]],
    *,
    facts: Callable[[Paid], Mapping[str, Any]],
) -> Way:
    """A payment of a bank. `payment` makes it, only when it goes out: it opens personal data."""

    def answer(paid: Paid) -> Answer:
        return Answer(
            standing=_PAID[paid.state],
            expected_at=paid.expected_at,
            reason=paid.reason,
            facts=facts(paid),
        )

    async def send() -> Answer:
        try:
            return answer(await rails.pay(await payment()))
        except Rejected as error:
            return Answer(standing=Standing.FAILED, expected_at=None, reason=str(error))

    async def look(at: datetime) -> Answer | None:
        paid = await rails.look(org_id, key, at)
        return None if paid is None else answer(paid)

    return Way(send, look, rails.remembers)


def _of_chain(sent: Sent, prefix: str) -> Answer:
    return Answer(
        standing=_SENT[sent.state],
        expected_at=sent.expected_at,
        reason=sent.reason,
        facts=hashes(sent, prefix=prefix),
    )


_SENT = {
    SentState.PENDING: Standing.PENDING,
    SentState.CONFIRMED: Standing.DONE,
    SentState.FAILED: Standing.FAILED,
}
_PAID = {
    PaidState.PENDING: Standing.PENDING,
    PaidState.SETTLED: Standing.DONE,
    PaidState.FAILED: Standing.FAILED,
}
