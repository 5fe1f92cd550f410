"""What of a forced plan a payment itself sees to; the rest happens at the sandbox's chain and bank.

Outside of a sandbox no record has a plan, and all of this answers as it does without one.
"""

from dataclasses import replace
from datetime import timedelta

import msgspec

from landbridge.core.errors import FieldInvalid
from landbridge.ledger.model import Opening, Transfer
from landbridge.limits.errors import LimitExceeded
from landbridge.quotes.errors import QuoteNotReady
from landbridge.simulation.forcing import Plan, outcome_of
from landbridge.simulation.outcomes import REVIEWED, Effect, Step
from landbridge.simulation.plans import HEADER

_FAILS = frozenset({Effect.FAIL, Effect.FAIL_LATE})


def must_ask(plan: Plan, kind: str) -> bool:
    """Whether a record of this kind is opened as one that asks for an approval."""
    asked = plan.outcomes.get(Step.SCREENING)
    return kind not in REVIEWED and asked is not None and asked.effect is Effect.REVIEW


def as_forced(plan: Plan, opening: Opening, *, asks: bool, is_committed: bool) -> Opening:
    """The opening of a record with a plan.

    Raises `QuoteNotReady` and `LimitExceeded` as the plan says, and `FieldInvalid` for a quote that
    is to be over in a payment that is quoted only after its approval.
    """
    quote, screening = plan.outcomes.get(Step.QUOTE), plan.outcomes.get(Step.SCREENING)
    if quote is not None and quote.effect is Effect.REFUSE:
        raise QuoteNotReady(quote.outcome.reason)
    if is_committed and screening is not None and screening.effect is Effect.REFUSE:
        raise LimitExceeded(screening.outcome.reason)
    if quote is None:
        return opening
    if asks:
        raise FieldInvalid(
            f"{HEADER}: {quote} is for a payment that asks for no approval: this one is quoted "
            "after its approval",
            field=HEADER,
        )
    over = {"quote_expires_at": msgspec.to_builtins(opening.at)}
    return replace(opening, due_at=opening.at, details={**opening.details, **over})


def check_screened(record: Transfer) -> None:
    """Raise `LimitExceeded` for a quote that is to be refused when it is accepted."""
    asked = outcome_of(record.request, Step.SCREENING)
    if asked is not None and asked.effect is Effect.REFUSE:
        raise LimitExceeded(asked.outcome.reason)


def is_reviewed(record: Transfer) -> bool:
    """Whether compliance is to look at a payment, however small it is."""
    asked = outcome_of(record.request, Step.SCREENING)
    return asked is not None and asked.effect is Effect.REVIEW


def why_not_carried(record: Transfer) -> str | None:
    """Why a swap, for which no chain is asked yet, is to fail after its accept; None if it goes."""
    asked = outcome_of(record.request, Step.CHAIN_SEND)
    return asked.outcome.reason if asked is not None and asked.effect is Effect.REFUSE else None


def why_not_cleared(record: Transfer) -> str | None:
    """Why a deposit that was seen is not to clear; None for one that is."""
    asked = outcome_of(record.request, Step.DEPOSIT)
    return asked.outcome.reason if asked is not None and asked.effect in _FAILS else None


def deposit_delay(record: Transfer) -> timedelta:
    """How much later than others a deposit is to clear."""
    asked = outcome_of(record.request, Step.DEPOSIT)
    return timedelta() if asked is None else asked.delay


def is_told_twice(record: Transfer) -> bool:
    """Whether the bank is to tell of a deposit twice."""
    asked = outcome_of(record.request, Step.DEPOSIT)
    return asked is not None and asked.effect is Effect.TWICE
