"""Screenings at a connected provider: stored state, and decisions on answers."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from landbridge.platform.core.fields import copy_fields
from landbridge.providers.kyt.port import RiskCategory
from landbridge.providers.sidecar.protocol import ScreeningAnswer, ScreeningState


class ScreeningProgress(StrEnum):
    """State of a screening as far as we know; the comments say who has to act next."""

    ASKED = "ASKED"  # the provider: it may have the deposit
    PENDING = "PENDING"  # the provider, which has it
    CLEAR = "CLEAR"  # nothing: final
    HIT = "HIT"  # nothing: final; people decide


class ScreeningProblem(StrEnum):
    """Why a screening needs a person: the provider's answer can't be acted on."""

    ANSWER_INVALID = "ANSWER_INVALID"  # malformed, too long, wrongly signed, or an error
    KEY_CONFLICT = "KEY_CONFLICT"  # the provider has another deposit under our key
    CONTRADICTION = "CONTRADICTION"  # the answer contradicts an earlier final one


FINAL_SCREENINGS = frozenset({ScreeningProgress.CLEAR, ScreeningProgress.HIT})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderScreening:
    """Screening of a deposit or payment at one provider. Contains nothing about the sender."""

    org_id: UUID
    key: UUID
    provider: str
    state: ScreeningProgress
    categories: tuple[RiskCategory, ...]
    reference: str | None
    problem: ScreeningProblem | None
    created_at: datetime
    expected_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreeningDecision:
    """Effect of an answer on a screening."""

    state: ScreeningProgress
    categories: tuple[RiskCategory, ...]
    reference: str | None
    problem: ScreeningProblem | None


def decide_screening(screening: ProviderScreening, answer: ScreeningAnswer) -> ScreeningDecision:
    """Return the effect of an answer on a screening. A final state never changes.

    A late `pending` does not contradict a final state: that answer may be older.
    """
    if screening.state in FINAL_SCREENINGS:
        kept = copy_fields(screening, ScreeningDecision)
        if answer.state is ScreeningState.PENDING or _STATES[answer.state] is screening.state:
            return kept
        return replace(kept, problem=ScreeningProblem.CONTRADICTION)
    return ScreeningDecision(
        state=_STATES[answer.state],
        categories=answer.categories,
        reference=answer.provider_reference,
        problem=None,
    )


_STATES = {
    ScreeningState.PENDING: ScreeningProgress.PENDING,
    ScreeningState.CLEAR: ScreeningProgress.CLEAR,
    ScreeningState.HIT: ScreeningProgress.HIT,
}
