"""Statements on provider_calls."""

from collections.abc import Mapping
from datetime import datetime

from landbridge.platform.db.pool import Tx
from landbridge.providers.sidecar.calls import CallCounts, CallFailure

_COUNT = """
insert into provider_calls
    (provider, hour, calls, failures, answered_at, failed_at, failure)
values ($1, date_trunc('hour', $2::timestamptz), 1, case when $3::text is null then 0 else 1 end,
    case when $3 is null then $2 end, case when $3 is not null then $2 end, $3)
on conflict (provider, hour) do update
set calls = provider_calls.calls + 1, failures = provider_calls.failures + excluded.failures,
    answered_at = greatest(provider_calls.answered_at, excluded.answered_at),
    failed_at = coalesce(excluded.failed_at, provider_calls.failed_at),
    failure = coalesce(excluded.failure, provider_calls.failure)
"""

_COUNTS = """
select provider, coalesce(sum(calls) filter (where hour > $1), 0)::bigint as calls,
    coalesce(sum(failures) filter (where hour > $1), 0)::bigint as failures,
    max(answered_at) as answered_at, max(failed_at) as failed_at,
    (array_agg(failure order by failed_at desc nulls last))[1] as failure
from provider_calls group by provider
"""

_SWEEP = "delete from provider_calls where hour < $1"


async def count(tx: Tx, provider: str, failure: CallFailure | None, *, at: datetime) -> None:
    """Count a call in its hour; `failure` is None for a call with a valid answer."""
    await tx.execute(_COUNT, provider, at, failure)


async def counts(tx: Tx, since: datetime) -> Mapping[str, CallCounts]:
    """Return the calls of each provider in the hours that began after `since`."""
    return {
        row["provider"]: CallCounts(
            row["calls"],
            row["failures"],
            row["answered_at"],
            row["failed_at"],
            None if row["failure"] is None else CallFailure(row["failure"]),
        )
        for row in await tx.fetch(_COUNTS, since)
    }


async def sweep(tx: Tx, before: datetime) -> None:
    """Delete counts of hours before `before`."""
    await tx.execute(_SWEEP, before)
