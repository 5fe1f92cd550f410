"""Reads sums: exact at any moment, whatever of the log was folded by then."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from landbridge.core.errors import ResourceConflict
from landbridge.db.pool import Database, Tx
from landbridge.reporting.rollups import build_store, duration_store, sum_store
from landbridge.reporting.rollups.model import (
    UTC_ZONE,
    Asked,
    Build,
    Durations,
    Measure,
    Span,
    Sum,
    live,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Rollups:
    """The sums of all organisations."""

    database: Database

    async def builds(self, org_id: UUID) -> Sequence[Build]:
        """The current build, and behind it the one that is being made, if one is."""
        return live(await self.database.single(lambda tx: build_store.builds(tx, org_id)))

    async def sums(
        self,
        org_id: UUID,
        measure: Measure,
        kinds: Collection[str],
        span: Span,
        *,
        by: Collection[str] = ("a", "b", "c"),
        only: Mapping[str, Collection[str]] | None = None,
        names: Mapping[tuple[str, str], str] | None = None,
    ) -> Sequence[Sum]:
        """Sums by period and those of `a`, `b`, `c` in `by`, in no order; what is zero is left out.

        What is not in `by` is summed up and shown as "": much less is told;
        `only` names the values of `a` and of `b` that are summed, where not all are; `names` is
        what `b` is told as, by `a` and `b`, where it is not itself: sums of one name are one.
        `kinds` are those of `changes.kind`; for `Measure.STATE` no others are summed, for others
        it does not matter. A span of a measure that is not in `BY_HOUR` is of whole days. The zone
        is UTC or the organisation's own (`builds`); raises `ResourceConflict` for any other. For
        what is in `TIMED` there is `durations`.
        """
        asked = Asked(measure, kinds, by=by, only=only or {}, names=names or {})

        async def work(tx: Tx) -> Sequence[Sum]:
            return await sum_store.sums(tx, org_id, asked, span)

        return await self._read(org_id, span.zone, work)

    async def durations(
        self, org_id: UUID, measure: Measure, span: Span, kinds: Collection[str] | None
    ) -> Sequence[Durations]:
        """How long things took, of a measure in `TIMED`, by period and `a`, in no order.

        Of `Measure.TIME` records of these kinds alone, or of all kinds together (`a` is ""). For
        approvals kinds don't matter, and those that are pending took no time yet (0). A span is of
        whole days; for the rest as `sums`.
        """

        async def work(tx: Tx) -> Sequence[Durations]:
            return await duration_store.durations(tx, org_id, measure, kinds, span)

        return await self._read(org_id, span.zone, work)

    async def sums_of_users(
        self,
        org_id: UUID,
        user_ids: Collection[UUID],
        kinds: Collection[str],
        span: Span,
        *,
        by: Collection[str] = ("user", "a", "b"),
        only: Mapping[str, Collection[str]] | None = None,
    ) -> Sequence[Sum]:
        """As `sums` of `Measure.STATE`, for these users alone; there are no reasons (`c`).

        They are told apart if "user" is in `by`.
        """
        asked = Asked(Measure.STATE, kinds, by=by, only=only or {}, names={})

        async def work(tx: Tx) -> Sequence[Sum]:
            return await sum_store.sums_of_users(tx, org_id, user_ids, asked, span)

        return await self._read(org_id, span.zone, work)

    async def _read(
        self, org_id: UUID, zone: str, work: Callable[[Tx], Awaitable[Sequence[T]]]
    ) -> Sequence[T]:
        """Read in one build: with days of a zone, again if it was another one at the end."""
        if zone == UTC_ZONE:
            return await self.database.single(work)
        before = await self._build_of(org_id, zone)
        while True:
            found = await self.database.single(work)
            after = await self._build_of(org_id, zone)
            if after == before:
                return found
            before = after

    async def _build_of(self, org_id: UUID, zone: str) -> int:
        """The number of the current build; raises `ResourceConflict` if it has no such days."""
        build = await self.database.single(lambda tx: build_store.current(tx, org_id))
        if build is None or build.zone != zone:
            raise ResourceConflict(
                f"there are no days of {zone}: the time zone of reports was changed"
            )
        return build.build
