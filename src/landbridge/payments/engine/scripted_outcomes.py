"""Scripted outcomes that flows apply; the simulated chain and bank apply the others.

Outside of a sandbox no record has an outcome plan, and these functions return their defaults.
"""

from datetime import timedelta

from landbridge.ledger.model import Transfer
from landbridge.payments.limits.errors import LimitExceeded
from landbridge.platform.core.errors import FieldInvalid
from landbridge.providers.simulation.outcome_catalog import OutcomeEffect, ScriptedStep
from landbridge.providers.simulation.outcome_plans import HEADER, OutcomePlan
from landbridge.providers.simulation.scripted_outcomes import find_outcome

_FAILS = frozenset({OutcomeEffect.FAIL, OutcomeEffect.FAIL_LATE})


def check_scripted_screening(record: Transfer) -> None:
    """Raise `LimitExceeded` if the plan refuses the acceptance of the payment's quote."""
    planned = find_outcome(record.request, ScriptedStep.SCREENING)
    if planned is not None and planned.effect is OutcomeEffect.REFUSE:
        raise LimitExceeded(planned.outcome.reason)


def check_without_orders(plan: OutcomePlan) -> None:
    """Raise `FieldInvalid` for a plan about orders, for a payment that sends none."""
    for step in (ScriptedStep.CHAIN_SEND, ScriptedStep.CONFIRMATION):
        planned = plan.outcomes.get(step)
        if planned is not None and planned.effect is not OutcomeEffect.REFUSE:
            raise FieldInvalid(
                f"{HEADER}: {planned} is for coins that move on a chain: this swap stays in the "
                "ledger; send it to an address outside of the platform",
                field=HEADER,
            )


def is_reviewed(record: Transfer) -> bool:
    """Return whether the plan sends a payment to compliance review, whatever its amount."""
    planned = find_outcome(record.request, ScriptedStep.SCREENING)
    return planned is not None and planned.effect is OutcomeEffect.REVIEW


def scripted_send_failure(record: Transfer) -> str | None:
    """Return why a swap without a chain order should fail when accepted; None if it should not."""
    planned = find_outcome(record.request, ScriptedStep.CHAIN_SEND)
    return (
        planned.outcome.reason
        if planned is not None and planned.effect is OutcomeEffect.REFUSE
        else None
    )


def scripted_deposit_failure(record: Transfer) -> str | None:
    """Return why a detected deposit should not clear; None if it should."""
    planned = find_outcome(record.request, ScriptedStep.DEPOSIT)
    return planned.outcome.reason if planned is not None and planned.effect in _FAILS else None


def deposit_delay(record: Transfer) -> timedelta:
    """Return how much later than usual a deposit should clear."""
    planned = find_outcome(record.request, ScriptedStep.DEPOSIT)
    return timedelta() if planned is None else planned.delay


def is_reported_twice(record: Transfer) -> bool:
    """Return whether the bank should report a deposit twice."""
    planned = find_outcome(record.request, ScriptedStep.DEPOSIT)
    return planned is not None and planned.effect is OutcomeEffect.TWICE
