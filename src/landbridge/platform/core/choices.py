"""Hints for values with the wrong upper or lower case: `usdc` for USDC."""

from collections.abc import Iterable


def case_hint(value: object, choices: Iterable[str]) -> str:
    """Return ` (write usdc, not USDC)` if the value is a choice in another case; otherwise ""."""
    if not isinstance(value, str):
        return ""
    written = value.strip()
    near = sorted(each for each in choices if each.lower() == written.lower())
    return f" (write {near[0]}, not {written})" if near and written not in near else ""
