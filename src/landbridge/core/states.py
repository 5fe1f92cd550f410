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

    `reopens` lists moves that lead out of a terminal status. A person's decision alone takes one,
    for example when a bank returns a payment that was settled. The status stays terminal: a record
    there has no due time, waits for nobody and blocks nothing.
    """

    def __init__(
        self,
        *,
        start: frozenset[S],
        table: Mapping[S, frozenset[S]],
        reopens: Mapping[S, frozenset[S]] | None = None,
    ) -> None:
        self.start = start
        self.table = dict(table)
        self.reopens = dict(reopens or {})
        statuses = set(type(next(iter(start))))
        if missing := statuses - set(self.table):
            raise Broken(f"no row of moves for {sorted(missing)}")
        if unreachable := statuses - self._from(start):
            raise Broken(f"no way to {sorted(unreachable)}")
        for status in statuses:
            if not any(self.is_terminal(end) for end in self._from(frozenset({status}))):
                raise Broken(f"no way out of {status}")
        for status, following in self.reopens.items():
            if not self.is_terminal(status) or not following or status in following:
                raise Broken(f"a terminal status is reopened to other statuses: {status}")

    def is_terminal(self, status: S) -> bool:
        """Whether nothing follows `status` unless a person reopens it."""
        return not self.table[status]

    def is_path(self, before: S | None, path: tuple[S, ...]) -> bool:
        """Whether `path` is a run of allowed moves, from `before` or (None) from the start.

        Only the first move of a path may reopen.
        """
        here = before
        for place, status in enumerate(path):
            allowed = self.start if here is None else self.table[here]
            if place == 0 and here is not None:
                allowed |= self.reopens.get(here, frozenset())
            if status not in allowed:
                return False
            here = status
        return bool(path)

    def edges(self) -> Iterator[tuple[S, S]]:
        """Every allowed move, in the order of the table; those that reopen among them."""
        for status, following in self.table.items():
            for after in sorted(following | self.reopens.get(status, frozenset())):
                yield status, after

    def _from(self, reached: frozenset[S]) -> set[S]:
        seen = set(reached)
        while True:
            more = {after for status in seen for after in self.table[status]} - seen
            if not more:
                return seen
            seen |= more
