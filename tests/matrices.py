"""Combinations that are tested: the fewest that have every value, or all of them."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, cast

import pytest

_WIDE = (pytest.mark.long, pytest.mark.wide)


def each_value_once(
    cases: Iterable[Sequence[Any]],
    *,
    values: Callable[[Sequence[Any]], Iterable[Hashable]] = tuple,
) -> list[Any]:
    """Return parameters for all cases; those that add no value are for the long tests.

    `values` are those of a case, one for each dimension. First come cases whose values are all
    new, so that of a product of two dimensions the diagonal is chosen.
    """
    listed = [(case, set(enumerate(values(case)))) for case in cases]
    seen: set[tuple[int, Hashable]] = set()
    chosen: set[int] = set()
    for needed in (all, any):
        for place, (_, own) in enumerate(listed):
            if needed(each not in seen for each in own):
                chosen.add(place)
                seen |= own
    return [
        pytest.param(*case, marks=() if place in chosen else _WIDE)
        for place, (case, _) in enumerate(listed)
    ]


def in_one_test(
    cases: Iterable[Any],
) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Make one test of a function of cases; its failure names the case.

    A test of its own takes 3 ms, to collect it, to run it and to report it. A tuple
    has a value for each parameter.
    """
    listed = list(cases)

    def decorate(check: Callable[..., None]) -> Callable[[], None]:
        def check_each() -> None:
            assert listed, "there are no cases"
            for case in listed:
                try:
                    check(*(cast("tuple[Any, ...]", case) if isinstance(case, tuple) else (case,)))
                except BaseException as error:
                    error.add_note(f"The case is {case!r:.500}.")
                    raise

        check_each.__doc__ = check.__doc__
        return check_each

    return decorate


def part_of(cases: Iterable[Any], part: int, parts: int) -> list[Any]:
    """Return parameters for all cases; all but each of `parts`, from `part` on, are for long tests.

    Tests of the same cases take a part each, so that every case runs in one of them. A tuple has a
    value for each parameter.
    """
    return [
        each
        if index % parts == part
        else pytest.param(
            *(cast("tuple[Any, ...]", each) if isinstance(each, tuple) else (each,)), marks=_WIDE
        )
        for index, each in enumerate(cases)
    ]
