"""How a plan is written and read.

A plan is the header `Landbridge-Sandbox` of a create: `step=outcome`, with `:delay` where the
outcome takes one, joined by `;`, as in `screening=review;payout=return:3d`.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

from landbridge.core.errors import FieldInvalid
from landbridge.simulation.outcomes import CATALOGUE, Effect, Outcome, Step

HEADER = "Landbridge-Sandbox"

_LENGTH_MAX = 500
_DELAY = re.compile(r"([1-9][0-9]{0,6})([smhd])")
_SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
# Beyond what anybody waits for, and well within how far an organisation's clock goes.
DELAY_MAX = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Forced:
    """An outcome that was asked for; `delay` is zero where it knows none."""

    outcome: Outcome
    delay: timedelta = timedelta()

    @property
    def effect(self) -> Effect:
        """What is done about it."""
        return self.outcome.effect

    def __str__(self) -> str:
        """As a plan has it: the delay is told, also where it was not."""
        told = f"{self.outcome.step}={self.outcome.name}"
        return f"{told}:{spell(self.delay)}" if self.delay else told


@dataclass(frozen=True, slots=True)
class Plan:
    """What was asked for, in one spelling, by step."""

    text: str
    outcomes: Mapping[Step, Forced] = field(default_factory=dict[Step, Forced])


def read_plan(text: str, kind: str | None = None) -> Plan:
    """The plan that is written there, of a payment of this kind, if one is told.

    Raises `FieldInvalid`, naming what is wrong with it and what may stand there.
    """
    if len(text) > _LENGTH_MAX:
        raise _invalid(f"a plan has at most {_LENGTH_MAX} characters")
    found: dict[Step, Forced] = {}
    for part in text.split(";"):
        forced = _forced(part.strip(), kind)
        if forced.outcome.step in found:
            raise _invalid(f"{forced.outcome.step} is told twice")
        found[forced.outcome.step] = forced
    ordered = {step: found[step] for step in Step if step in found}
    return Plan(";".join(map(str, ordered.values())), ordered)


def kept_plan(text: str) -> Plan:
    """A plan as it was kept; what this version does not know any more is passed over."""
    found: dict[Step, Forced] = {}
    for part in text.split(";"):
        with suppress(FieldInvalid):
            forced = _forced(part, None)
            found[forced.outcome.step] = forced
    return Plan(text, found)


def spell(delay: timedelta) -> str:
    """A delay in the largest unit that it is whole in, as in `3d` or `90s`."""
    seconds = int(delay.total_seconds())
    unit = next(unit for unit, size in _SECONDS.items() if seconds % size == 0)
    return f"{seconds // _SECONDS[unit]}{unit}"


def _forced(part: str, kind: str | None) -> Forced:
    named, has_outcome, told = part.partition("=")
    name, has_delay, delay = told.partition(":")
    steps = [each for each in CATALOGUE if each.step == named.strip()]
    if not steps:
        raise _invalid(f"{_short(named)} is no step; the steps are {_listed(Step)}")
    step = steps[0].step
    if kind is not None and not any(kind in each.kinds for each in steps):
        own = [each for each in Step if _has(kind, each)]
        raise _invalid(f"{kind} has no step {step}; its steps are {_listed(own)}")
    known = [each for each in steps if kind is None or kind in each.kinds]
    outcome = next((each for each in known if each.name == name.strip()), None)
    if outcome is None or not has_outcome:
        raise _invalid(
            f"{step} can't be {_short(name)}; it can be {_listed(each.name for each in known)}"
        )
    if not has_delay:
        return Forced(outcome, outcome.delay or timedelta())
    if outcome.delay is None:
        raise _invalid(f"{step}={outcome.name} takes no delay")
    return Forced(outcome, _delay(step, delay.strip()))


def _delay(step: Step, told: str) -> timedelta:
    match = _DELAY.fullmatch(told)
    delay = timedelta(seconds=int(match[1]) * _SECONDS[match[2]]) if match else timedelta()
    if not timedelta() < delay <= DELAY_MAX:
        raise _invalid(
            f"the delay of {step} must be a whole number of s, m, h or d, as in 90s or 3d, "
            f"and at most {DELAY_MAX.days}d"
        )
    return delay


def _has(kind: str, step: Step) -> bool:
    return any(kind in each.kinds for each in CATALOGUE if each.step is step)


def _short(told: str) -> str:
    """What somebody wrote, fit for a sentence."""
    kept = "".join(each if each.isascii() and each.isprintable() else "?" for each in told[:50])
    return f'"{kept.strip()}"'


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _invalid(told: str) -> FieldInvalid:
    return FieldInvalid(f"{HEADER}: {told}", field=HEADER)
