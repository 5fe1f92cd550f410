"""Masking of numbers and other values that only some readers may see. Pure."""

import re
from typing import Final

_SHOWN_LENGTH: Final = 4
_HIDDEN: Final = "****"
_MASKED: Final = re.compile(rf"{re.escape(_HIDDEN)}.{{0,{_SHOWN_LENGTH}}}")


def mask(number: str) -> str:
    """Mask a number: show its last four characters, and never more than half: `****6789`.

    A masked number is returned unchanged.
    """
    if is_masked(number):
        return number
    shown_length = min(_SHOWN_LENGTH, len(number) // 2)
    return _HIDDEN + number[len(number) - shown_length :]


def is_masked(number: str) -> bool:
    """Return whether `number` is masked already."""
    return _MASKED.fullmatch(number) is not None
