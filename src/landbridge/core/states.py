"""Moves: the one table of allowed status changes of a flow, checked when it is made."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Generic, TypeVar

from landbridge.core.errors import Broken

S = TypeVar("S", bound=StrEnum)


class Moves(Generic[S]):
    """Which status may follow which.

    Checked at import: every status has a row, every status is reachable from `start`, and every
    status leads to a terminal one (a status without a next one).
    """

    def __init__(self, *, start: frozenset[S], table: Mapping[S, frozenset[S]]) -> None:
        self.start = start
        self.table = dict(table)
        statuses = set(type(next(iter(start))))
        if missing := statuses - set(self.table):
            raise Broken(f"no row of moves for {sorted(missing)}")
        if unreachable := statuses - self._from(start):
            raise Broken(f"no way to {sorted(unreachable)}")
        for status in statuses:
            if not any(self.is_terminal(end) for end in self._from(frozenset({status}))):
                raise Broken(f"no way out of {status}")

    def is_terminal(self, status: S) -> bool:
        """Whether nothing follows `status`."""
        return not self.table[status]

    def is_path(self, before: S | None, path: tuple[S, ...]) -> bool:
        """Whether `path` is a run of allowed moves, from `before` or (None) from the start."""
        here = before
        for status in path:
            if status not in (self.start if here is None else self.table[here]):
                return False
            here = status
        return bool(path)

    def edges(self) -> Iterator[tuple[S, S]]:
        """Every allowed move, in the order of the table."""
        for status, following in self.table.items():
            for after in sorted(following):
                yield status, after

    def _from(self, reached: frozenset[S]) -> set[S]:
        seen = set(reached)
        while True:
            more = {after for status in seen for after in self.table[status]} - seen
            if not more:
                return seen
            seen |= more
