"""Screenings at a connected provider: what is stored, and what an answer makes of it."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from landbridge.platform.core.fields import copy_fields
from landbridge.providers.kyt.port import RiskCategory
from landbridge.providers.sidecar.protocol import ScreeningAnswer, ScreeningState


class ScreeningProgress(StrEnum):
    """State of a screening, as far as we know."""

    ASKED = "ASKED"  # the provider: it may have the deposit
    PENDING = "PENDING"  # the provider, which has it
    CLEAR = "CLEAR"  # nothing: final
    HIT = "HIT"  # nothing: final; people decide


class ScreeningProblem(StrEnum):
    """Why a screening needs a person: its provider said something that can't be acted on."""

    ANSWER_INVALID = "ANSWER_INVALID"  # malformed, too long, wrongly signed, or an error
    KEY_CONFLICT = "KEY_CONFLICT"  # the provider knows our key with another deposit
    CONTRADICTION = "CONTRADICTION"  # the answer contradicts an earlier final one


FINAL_SCREENINGS = frozenset({ScreeningProgress.CLEAR, ScreeningProgress.HIT})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderScreening:
    """Screening of a deposit at one provider. Holds nothing about the sender."""

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
    """What an answer makes of a screening."""

    state: ScreeningProgress
    categories: tuple[RiskCategory, ...]
    reference: str | None
    problem: ScreeningProblem | None


def decide_screening(screening: ProviderScreening, answer: ScreeningAnswer) -> ScreeningDecision:
    """Return what an answer makes of a screening. A final state never changes.

    A late `pending` says nothing about a final one: the answer may have been on its way before.
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
