"""Cases of extensive tests: a few in `make test`, all of them in `make test-long`."""

from collections.abc import Iterable
from typing import Any, cast

import pytest

_Case: Any = type(pytest.param())


def few_of(cases: Iterable[Any], few: int = 1) -> list[Any]:
    """Mark all but the first `few` cases as long."""
    return [each if index < few else _long(each) for index, each in enumerate(cases)]


def share_of(cases: Iterable[Any], part: int, parts: int) -> list[Any]:
    """Mark as long all cases but one of `parts`, from index `part` on.

    Tests of the same cases take a part each, so that every case runs in one of them.
    """
    return [each if index % parts == part else _long(each) for index, each in enumerate(cases)]


def _long(case: Any) -> Any:
    """Return the case with the mark; a tuple has a value for each parameter."""
    if isinstance(case, _Case):
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.long], id=case.id)
    if isinstance(case, tuple):
        return pytest.param(*cast("tuple[Any, ...]", case), marks=pytest.mark.long)
    return pytest.param(case, marks=pytest.mark.long)
