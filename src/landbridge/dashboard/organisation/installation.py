"""Settings of the whole installation, set by its environment and read-only here."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SettingLine:
    """A setting: its label, the environment variable that sets it, and its value."""

    label: str
    variable: str
    value: str


@dataclass(frozen=True, slots=True)
class Installation:
    """Settings of the installation, without secrets."""

    pricing: Sequence[SettingLine]
    others: Sequence[SettingLine]
