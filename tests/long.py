"""Cases of extensive tests: a few in `make test`, all of them in `make test-long`."""

import os
from collections.abc import Iterable
from typing import Any

import pytest


def few_of(cases: Iterable[Any], few: int = 1) -> list[Any]:
    """Mark all but the first `few` cases as long."""
    return [
        each if index < few else pytest.param(each, marks=pytest.mark.long)
        for index, each in enumerate(cases)
    ]


def examples(whole: int, few: int) -> int:
    """Return how many examples of a property to draw: `few` in `make test`."""
    return whole if "HYPOTHESIS_PROFILE" in os.environ else few
