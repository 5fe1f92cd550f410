"""Reads sums: exact at any moment, however much of the log is folded."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Database, Tx
from landbridge.reporting.rollups import active_user_store, build_store, duration_store, sum_store
from landbridge.reporting.rollups.model import (
    UTC_ZONE,
    Durations,
    RollupBuild,
    RollupMeasure,
    RollupQuery,
    RollupSum,
    Span,
    live,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Rollups:
    """Sums of all organisations."""

    database: Database

    async def builds(self, org_id: UUID) -> Sequence[RollupBuild]:
        """Return the current build, and the one being built, if any."""
        return live(await self.database.single(lambda tx: build_store.builds(tx, org_id)))

    async def sums(
        self,
        org_id: UUID,
        measure: RollupMeasure,
        kinds: Collection[str],
        span: Span,
        *,
        by: Collection[str] = ("a", "b", "c"),
        only: Mapping[str, Collection[str]] | None = None,
        names: Mapping[tuple[str, str], str] | None = None,
        has_amounts: bool = True,
    ) -> Sequence[RollupSum]:
        """Return sums by period and those of `a`, `b`, `c` in `by`, unordered, without zeros.

        A dimension that is not in `by` is summed up and shown as "". `only` restricts the values of
        `a` and `b`; `names` replaces values of `b`, by `a` and `b`, and sums of one name are
        merged. Without `has_amounts` all amounts are 0, which takes less time. `kinds` are those of
        `changes.kind`; for `RollupMeasure.STATE` only these are summed, other measures ignore them.
        A span of a measure outside `BY_HOUR` consists of whole days. The zone is UTC or the
        organisation's own (`builds`); any other raises `ResourceConflict`. For measures in `TIMED`
        use `durations`.
        """
        query = RollupQuery(
            measure,
            kinds,
            by=by,
            only=only or {},
            names=names or {},
            has_amounts=has_amounts,
        )

        return await self._read(
            org_id, span.zone, lambda tx: sum_store.sums(tx, org_id, query, span)
        )

    async def durations(
        self, org_id: UUID, measure: RollupMeasure, span: Span, kinds: Collection[str] | None
    ) -> Sequence[Durations]:
        """Return durations of a measure in `TIMED`, by period and `a`, unordered.

        `RollupMeasure.TIME` covers records of these kinds only, or of all kinds together (`a` is
        ""). Approvals ignore kinds, and pending ones have a duration of 0. A span consists of whole
        days; otherwise as `sums`.
        """
        return await self._read(
            org_id, span.zone, lambda tx: duration_store.durations(tx, org_id, measure, kinds, span)
        )

    async def sums_of_users(
        self,
        org_id: UUID,
        user_ids: Collection[UUID | str],
        kinds: Collection[str],
        span: Span,
        *,
        by: Collection[str] = ("user", "a", "b"),
        only: Mapping[str, Collection[str]] | None = None,
        has_amounts: bool = True,
    ) -> Sequence[RollupSum]:
        """Like `sums` of `RollupMeasure.STATE`, for these users only and without reasons (`c`).

        Users are broken down if "user" is in `by`.
        """
        query = RollupQuery(
            RollupMeasure.STATE, kinds, by=by, only=only or {}, names={}, has_amounts=has_amounts
        )

        return await self._read(
            org_id, span.zone, lambda tx: sum_store.sums_of_users(tx, org_id, user_ids, query, span)
        )

    async def active_users(
        self,
        org_id: UUID,
        user_ids: Collection[UUID],
        kinds: Collection[str],
        statuses: Collection[str] | None,
        span: Span,
        *,
        limit: int,
    ) -> Sequence[UUID]:
        """Return those of the users who have a sum of records of these kinds and statuses.

        They come by id, the last first, at most `limit`. `statuses` are all if None. Costs a few
        microseconds per user, however many records there are. Raises as `sums`.
        """
        return await self._read(
            org_id,
            span.zone,
            lambda tx: active_user_store.active_users(
                tx, org_id, user_ids, kinds=kinds, statuses=statuses, span=span, limit=limit
            ),
        )

    async def _read(
        self, org_id: UUID, zone: str, work: Callable[[Tx], Awaitable[Sequence[T]]]
    ) -> Sequence[T]:
        """Read in one build: with days of a zone, again if it was another one at the end."""
        if zone == UTC_ZONE:
            return await self.database.read_on_replica(work)
        before = await self._build_of(org_id, zone)
        while True:
            found = await self.database.read_on_replica(work)
            after = await self._build_of(org_id, zone)
            if after == before:
                return found
            before = after

    async def _build_of(self, org_id: UUID, zone: str) -> int:
        """Return the current build number; raises `ResourceConflict` if it lacks this zone."""
        build = await self.database.single(lambda tx: build_store.current(tx, org_id))
        if build is None or build.zone != zone:
            raise ResourceConflict(
                f"there are no days of {zone}: the time zone of reports was changed"
            )
        return build.build
