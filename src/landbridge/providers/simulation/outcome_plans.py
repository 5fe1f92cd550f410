"""Format and parser of outcome plans.

A plan is the header `Landbridge-Sandbox` of a create request: `step=outcome`, with `:delay` where
the outcome takes one, joined by `;`, for example `screening=review;payout=return:3d`.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

from landbridge.platform.core.errors import FieldInvalid
from landbridge.providers.simulation.outcome_catalog import (
    CATALOGUE,
    OutcomeEffect,
    ScriptedOutcome,
    ScriptedStep,
)

HEADER = "Landbridge-Sandbox"

_LENGTH_MAX = 500
_DELAY = re.compile(r"([1-9][0-9]{0,6})([smhd])")
_SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
# Maximum delay: longer than any test needs, and within the range of an organisation's clock.
DELAY_MAX = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class PlannedOutcome:
    """Scripted outcome of one step; `delay` is zero for an outcome without a delay."""

    outcome: ScriptedOutcome
    delay: timedelta = timedelta()

    @property
    def effect(self) -> OutcomeEffect:
        """Return the effect on the sandbox's adapters."""
        return self.outcome.effect

    def __str__(self) -> str:
        """Format the outcome as in a plan, with its delay even if that is the default."""
        text = f"{self.outcome.step}={self.outcome.name}"
        return f"{text}:{format_delay(self.delay)}" if self.delay else text


@dataclass(frozen=True, slots=True)
class OutcomePlan:
    """Outcomes by step; `text` is the plan in canonical form."""

    text: str
    outcomes: Mapping[ScriptedStep, PlannedOutcome] = field(
        default_factory=dict[ScriptedStep, PlannedOutcome]
    )


def read_plan(text: str, kind: str | None = None) -> OutcomePlan:
    """Parse the plan of a payment of this kind; None if there is none.

    Raises `FieldInvalid` with the fault and the allowed values.
    """
    if len(text) > _LENGTH_MAX:
        raise _invalid(f"a plan has at most {_LENGTH_MAX} characters")
    found: dict[ScriptedStep, PlannedOutcome] = {}
    for part in text.split(";"):
        planned = _planned(part.strip(), kind)
        if planned.outcome.step in found:
            raise _invalid(f"{planned.outcome.step} is given twice")
        found[planned.outcome.step] = planned
    ordered = {step: found[step] for step in ScriptedStep if step in found}
    return OutcomePlan(";".join(map(str, ordered.values())), ordered)


def parse_stored_plan(text: str) -> OutcomePlan:
    """Parse a stored plan; steps and outcomes unknown to this version are skipped."""
    found: dict[ScriptedStep, PlannedOutcome] = {}
    for part in text.split(";"):
        with suppress(FieldInvalid):
            forced = _planned(part, None)
            found[forced.outcome.step] = forced
    return OutcomePlan(text, found)


def format_delay(delay: timedelta) -> str:
    """Format a delay in the largest whole unit, for example `3d` or `90s`."""
    seconds = int(delay.total_seconds())
    unit = next(unit for unit, size in _SECONDS.items() if seconds % size == 0)
    return f"{seconds // _SECONDS[unit]}{unit}"


def _planned(part: str, kind: str | None) -> PlannedOutcome:
    named, has_outcome, outcome_text = part.partition("=")
    name, has_delay, delay = outcome_text.partition(":")
    steps = [each for each in CATALOGUE if each.step == named.strip()]
    if not steps:
        raise _invalid(f"{_shorten(named)} is no step; the steps are {_join(ScriptedStep)}")
    step = steps[0].step
    if kind is not None and not any(kind in each.kinds for each in steps):
        own = [each for each in ScriptedStep if _has(kind, each)]
        raise _invalid(f"{kind} has no step {step}; its steps are {_join(own)}")
    known = [each for each in steps if kind is None or kind in each.kinds]
    outcome = next((each for each in known if each.name == name.strip()), None)
    if outcome is None or not has_outcome:
        raise _invalid(
            f"{step} can't be {_shorten(name)}; it can be {_join(each.name for each in known)}"
        )
    if not has_delay:
        return PlannedOutcome(outcome, outcome.delay or timedelta())
    if outcome.delay is None:
        raise _invalid(f"{step}={outcome.name} takes no delay")
    return PlannedOutcome(outcome, _delay(step, delay.strip()))


def _delay(step: ScriptedStep, text: str) -> timedelta:
    match = _DELAY.fullmatch(text)
    delay = timedelta(seconds=int(match[1]) * _SECONDS[match[2]]) if match else timedelta()
    if not timedelta() < delay <= DELAY_MAX:
        raise _invalid(
            f"the delay of {step} must be a whole number of s, m, h or d, as in 90s or 3d, "
            f"and at most {DELAY_MAX.days}d"
        )
    return delay


def _has(kind: str, step: ScriptedStep) -> bool:
    return any(kind in each.kinds for each in CATALOGUE if each.step is step)


def _shorten(text: str) -> str:
    """Shorten a submitted text for an error message."""
    printable = "".join(
        each if each.isascii() and each.isprintable() else "?" for each in text[:50]
    )
    return f'"{printable.strip()}"'


def _join(names: Iterable[str]) -> str:
    return ", ".join(names)


def _invalid(fault: str) -> FieldInvalid:
    return FieldInvalid(f"{HEADER}: {fault}", field=HEADER)
