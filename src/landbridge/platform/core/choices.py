"""Hints for values that are right but for their case: `usdc` for USDC."""

from collections.abc import Iterable


def case_hint(value: object, choices: Iterable[str]) -> str:
    """Return ` (write usdc, not USDC)` if this is a choice in another case; else an empty text."""
    if not isinstance(value, str):
        return ""
    folded = value.strip().lower()
    near = sorted(each for each in choices if each.lower() == folded)
    return f" (write {near[0]}, not {value.strip()})" if near else ""
