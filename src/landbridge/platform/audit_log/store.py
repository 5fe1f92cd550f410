"""Every statement of the audit log: it reads only `changes`."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from landbridge.platform.audit_log.model import PEOPLE, AuditLogEntry, AuditLogFilters
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row

# Each statement scans a bounded number of the newest changes, so that a search without matches
# ends. A page never ends between changes of the same time, because the cursor is a time.
_ALL_ACTORS = """
select l.object_id, l.seq, l.occurred_at, l.actor, l.kind, l.change_type, l.status_before,
    l.status_after,
    l.facts::text
from (
    select object_id, seq, occurred_at, actor, kind, change_type, status_before, status_after, facts
    from changes
    where org_id = $1 and is_settled and occurred_at < $2 and occurred_at >= $3
    order by occurred_at desc
    fetch first ($4) rows with ties
) l
where split_part(l.actor, ':', 1) = any($5::text[])
    and ($6::text is null or split_part(l.actor, ':', 2) = $6)
    and ($7::text is null or l.kind = $7)
order by l.occurred_at desc
fetch first ($8) rows with ties
"""

# Repeats the predicate of the index changes_people_idx, so that PostgreSQL uses that index.
_PEOPLE = """
select l.object_id, l.seq, l.occurred_at, l.actor, l.kind, l.change_type, l.status_before,
    l.status_after,
    l.facts::text
from (
    select object_id, seq, occurred_at, actor, kind, change_type, status_before, status_after, facts
    from changes
    where org_id = $1 and occurred_at < $2 and occurred_at >= $3
        and is_settled and (actor = 'cli' or actor like 'member:%' or actor like 'person:%')
    order by occurred_at desc
    fetch first ($4) rows with ties
) l
where split_part(l.actor, ':', 1) = any($5::text[])
    and ($6::text is null or split_part(l.actor, ':', 2) = $6)
    and ($7::text is null or l.kind = $7)
order by l.occurred_at desc
fetch first ($8) rows with ties
"""

# Changes of one object: they are few, and the object's id finds them.
_OBJECT = """
select l.object_id, l.seq, l.occurred_at, l.actor, l.kind, l.change_type, l.status_before,
    l.status_after,
    l.facts::text
from (
    select object_id, seq, occurred_at, actor, kind, change_type, status_before, status_after, facts
    from changes
    where org_id = $1 and object_id = $9 and is_settled and occurred_at < $2 and occurred_at >= $3
    order by occurred_at desc
    fetch first ($4) rows with ties
) l
where split_part(l.actor, ':', 1) = any($5::text[])
    and ($6::text is null or split_part(l.actor, ':', 2) = $6)
    and ($7::text is null or l.kind = $7)
order by l.occurred_at desc
fetch first ($8) rows with ties
"""

# Time at which a search stopped scanning, and number of changes scanned.
_ALL_ACTORS_END = """
select min(l.occurred_at) as occurred_at, count(*) as count
from (
    select occurred_at
    from changes
    where org_id = $1 and is_settled and occurred_at < $2 and occurred_at >= $3
    order by occurred_at desc
    fetch first ($4) rows with ties
) l
"""

_PEOPLE_END = """
select min(l.occurred_at) as occurred_at, count(*) as count
from (
    select occurred_at
    from changes
    where org_id = $1 and occurred_at < $2 and occurred_at >= $3
        and is_settled and (actor = 'cli' or actor like 'member:%' or actor like 'person:%')
    order by occurred_at desc
    fetch first ($4) rows with ties
) l
"""

_OBJECT_END = """
select min(l.occurred_at) as occurred_at, count(*) as count
from (
    select occurred_at
    from changes
    where org_id = $1 and object_id = $5 and is_settled and occurred_at < $2 and occurred_at >= $3
    order by occurred_at desc
    fetch first ($4) rows with ties
) l
"""


async def page(
    tx: Tx, org_id: UUID, filters: AuditLogFilters, window: PageWindow, *, scan_max: int
) -> list[AuditLogEntry]:
    """Return entries within the window, newest first, with all entries of its last moment."""
    object_ids = () if filters.object_id is None else (filters.object_id,)
    rows = await tx.fetch(
        _OBJECT if object_ids else _PEOPLE if filters.actor_types <= PEOPLE else _ALL_ACTORS,
        *(org_id, window.position.created_at, window.since, scan_max),
        *([str(each) for each in filters.actor_types], filters.actor_id, filters.kind),
        *(window.limit, *object_ids),
    )
    return sorted(map(_entry, rows), key=lambda each: (each.occurred_at, each.object_id, each.seq))[
        ::-1
    ]


async def end(
    tx: Tx, org_id: UUID, filters: AuditLogFilters, window: PageWindow, *, scan_max: int
) -> datetime | None:
    """Return the time at which a search stopped; None if it scanned every change of the window."""
    object_ids = () if filters.object_id is None else (filters.object_id,)
    row = await tx.fetchrow(
        _OBJECT_END
        if object_ids
        else _PEOPLE_END
        if filters.actor_types <= PEOPLE
        else _ALL_ACTORS_END,
        *(org_id, window.position.created_at, window.since, scan_max, *object_ids),
    )
    return row["occurred_at"] if row is not None and row["count"] >= scan_max else None


def _entry(row: Row) -> AuditLogEntry:
    facts: Mapping[str, Any] = {} if row["facts"] is None else msgspec.json.decode(row["facts"])
    return read_row(row, AuditLogEntry, facts=facts)
