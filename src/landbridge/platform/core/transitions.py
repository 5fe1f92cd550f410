"""Transitions: the table of allowed status changes of a flow, validated at import."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Generic, TypeVar

from landbridge.platform.core.errors import InvariantBroken

S = TypeVar("S", bound=StrEnum)


class Transitions(Generic[S]):
    """Allowed next statuses of each status.

    Validated at import: every status has a row, every status is reachable from `start`, and every
    status leads to a terminal one (a status without a next one).

    `reopens` lists transitions out of a terminal status. Only a decision from outside causes one,
    for example when a bank returns a settled payment. The status stays terminal: a record there has
    no due time, and nothing waits for it.
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
            raise InvariantBroken(f"no row of moves for {sorted(missing)}")
        if unreachable := statuses - self._from(start):
            raise InvariantBroken(f"no way to {sorted(unreachable)}")
        for status in statuses:
            if not any(self.is_terminal(end) for end in self._from(frozenset({status}))):
                raise InvariantBroken(f"no way out of {status}")
        for status, following in self.reopens.items():
            if not self.is_terminal(status) or not following or status in following:
                raise InvariantBroken(f"a terminal status is reopened to other statuses: {status}")

    def is_terminal(self, status: S) -> bool:
        """Return whether `status` has no next status, apart from reopening."""
        return not self.table[status]

    def is_path(self, before: S | None, path: tuple[S, ...]) -> bool:
        """Return whether `path` is a chain of allowed transitions from `before`.

        If `before` is None, the path begins at the start. Only the first transition of a path may
        reopen a terminal status.
        """
        current = before
        for index, status in enumerate(path):
            allowed = self.start if current is None else self.table[current]
            if index == 0 and current is not None:
                allowed |= self.reopens.get(current, frozenset())
            if status not in allowed:
                return False
            current = status
        return bool(path)

    def edges(self) -> Iterator[tuple[S, S]]:
        """Return every allowed transition, including the reopening ones, in table order."""
        for status, following in self.table.items():
            for after in sorted(following | self.reopens.get(status, frozenset())):
                yield status, after

    def _from(self, reached: frozenset[S]) -> set[S]:
        reachable = set(reached)
        while True:
            added = {after for status in reachable for after in self.table[status]} - reachable
            if not added:
                return reachable
            reachable |= added
