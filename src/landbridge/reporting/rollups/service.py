"""Reads sums, which are exact at any time, even if a part of the log is not folded yet."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar
from uuid import UUID

from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Database, Tx
from landbridge.reporting.rollups import build_store, duration_store, sum_store
from landbridge.reporting.rollups.model import (
    UTC_ZONE,
    Durations,
    Interval,
    RollupBuild,
    RollupMeasure,
    RollupQuery,
    RollupSum,
    Span,
    live,
    parts,
)
from landbridge.reporting.rollups.sum_store import cell_columns, columns, days

# Parameters as in `sum_store`. Neither cells nor a user's sum are negative. So a user without
# changes after the watermark has records if any cell is above zero; a user with such changes, if
# the sum of all cells and these changes is. The conditions are a `case`, so that they are checked
# user by user. Users are sorted before (`offset 0`), so that the checks end at the limit ($12).
_ACTIVE = """
with build as (
    select r.build, r.rolled_up_to
    from report_builds r
    where r.org_id = $1 and r.is_current
), fresh as (
    select t.user_id, sum(t.count) as count
    from report_deltas t
    where t.org_id = $1 and t.family = 'record' and t.measure = 'state'
        and t.user_id = any((select string_to_array($2, ',')::uuid[])::uuid[])
        and t.a = any($3::text[])
        and ($4::text[] is null or t.b = any($4))
        and (
            t.place >= coalesce((select rolled_up_to from build), 0)
                and t.place <= 9223372036854775807
            or t.place is null
        )
        and exists (
            select from unnest($8::timestamptz[], $9::timestamptz[]) as r (since, until)
            where t.occurred_at >= r.since and t.occurred_at < r.until
        )
    group by t.user_id
)
select w.user_id
from (
    select u.user_id, f.count
    from unnest(string_to_array($2, ',')::uuid[]) as u (user_id)
    left join fresh f on f.user_id = u.user_id
    order by u.user_id desc
    offset 0
) w
where case
    when w.count > 0 then true
    when w.count < 0 then w.count + (
        select coalesce(sum(x.count), 0)
        from build
        cross join unnest($5::text[], $6::timestamptz[], $7::timestamptz[])
            as r (granularity, since, until)
        join report_user_rollups x on x.org_id = $1 and x.build = build.build
            and x.user_id = w.user_id and x.granularity = r.granularity
            and x.start >= r.since and x.start < r.until
        where x.kind = any($3) and ($4::text[] is null or x.status = any($4))
    ) > 0
    else exists (
        select
        from unnest($5::text[], $6::timestamptz[], $7::timestamptz[])
            as r (granularity, since, until)
        cross join lateral (
            select
            from report_user_rollups x
            where x.org_id = $1 and x.build = (select build from build) and x.user_id = w.user_id
                and x.granularity = r.granularity and x.start >= r.since and x.start < r.until
                and x.kind collate "default" = any($3)
                and ($4::text[] is null or x.status = any($4)) and x.count > 0
            limit 1
        ) c
    )
end or case when cardinality($10::timestamptz[]) > 0 then exists (
    select
    from unnest($10::timestamptz[], $11::timestamptz[]) as r (since, until)
    cross join unnest($3::text[]) as k (kind)
    cross join lateral (
        select
        from transfers t
        where t.org_id = $1 and t.user_id = w.user_id and t.kind = k.kind
            and t.created_at >= r.since and t.created_at < r.until
            and ($4::text[] is null or t.status = any($4))
        limit 1
    ) s
) end
order by w.user_id desc
limit $12
"""

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

        The users are sorted by id, the last first, at most `limit`. `statuses` None means all.
        Costs a few microseconds per user for any number of records. Raises as `sums`.
        """
        only = {} if statuses is None else {"b": statuses}
        query = RollupQuery(RollupMeasure.STATE, kinds, by=(), only=only, names={})
        # The interval of a year makes use of monthly cells; periods do not matter here.
        span = replace(span, interval=Interval.YEAR)

        async def read(tx: Tx) -> list[UUID]:
            found = parts(span, await days(tx, span), has_hours=False)
            rows = await tx.fetch(
                _ACTIVE,
                *(org_id, ",".join(map(str, user_ids)), query.values_of("a"), query.values_of("b")),
                *cell_columns(found),
                *columns(found.folded),
                *columns(found.rest),
                limit,
            )
            return [row["user_id"] for row in rows]

        return await self._read(org_id, span.zone, read)

    async def _read(
        self, org_id: UUID, zone: str, work: Callable[[Tx], Awaitable[Sequence[T]]]
    ) -> Sequence[T]:
        """Read from one build with days of a zone; read again if it was replaced meanwhile."""
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
