"""What holds for the whole installation and is set where it runs: shown, never changed here."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One setting: what it is about, the variable that sets it, and what it is."""

    about: str
    variable: str
    value: str


@dataclass(frozen=True, slots=True)
class Installation:
    """Settings without anything secret."""

    pricing: Sequence[Line]
    others: Sequence[Line]
