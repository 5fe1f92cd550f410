"""Results of a JSON-RPC batch: for each call its value, or a `NodeError` in its place."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from landbridge.providers.evm.errors import NodeError, NodeFailure

T = TypeVar("T")


def chunks(values: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Yield values in parts of at most `size`."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def first_of(read: Callable[[object], T]) -> Callable[[list[Any]], T]:
    """Return what reads the result of the only call of an exchange."""
    return lambda answers: read(value_or_failure(answers[0]))


def value_or_failure(answer: Any) -> Any:
    """Return a value; raises `NodeFailure` for an error, which does not set the node aside."""
    if isinstance(answer, NodeError):
        raise NodeFailure(f"answered error {answer.code}", is_fault=False)
    return answer


def value_or_error(answer: Any) -> Any:
    """Return a value, or raise the error in its place."""
    if isinstance(answer, NodeError):
        raise answer
    return answer


def identity(value: T) -> T:
    """Return the argument unchanged."""
    return value
