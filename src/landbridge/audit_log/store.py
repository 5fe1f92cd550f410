"""Every statement of the audit log: it reads `changes`, and nothing else."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from landbridge.audit_log.model import PEOPLE, Entry, Filters
from landbridge.core.pages import Window
from landbridge.db.pool import Row, Tx

# Each looks at no more than so many of the newest changes, so that a search for what is not there
# ends. A page never ends between changes of one moment: the cursor is that moment.
_EVERYBODY = """
select l.object_id, l.seq, l.at, l.actor, l.kind, l.what, l.status_before, l.status_after,
    l.facts::text
from (
    select object_id, seq, at, actor, kind, what, status_before, status_after, facts
    from changes
    where org_id = $1 and rests and at < $2 and at >= $3
    order by at desc
    fetch first ($4) rows with ties
) l
where split_part(l.actor, ':', 1) = any($5::text[])
    and ($6::text is null or split_part(l.actor, ':', 2) = $6)
    and ($7::text is null or l.kind = $7)
order by l.at desc
fetch first ($8) rows with ties
"""

# By the index of migration 0043, whose predicate this repeats.
_PEOPLE = """
select l.object_id, l.seq, l.at, l.actor, l.kind, l.what, l.status_before, l.status_after,
    l.facts::text
from (
    select object_id, seq, at, actor, kind, what, status_before, status_after, facts
    from changes
    where org_id = $1 and at < $2 and at >= $3
        and rests and (actor = 'cli' or actor like 'member:%' or actor like 'person:%')
    order by at desc
    fetch first ($4) rows with ties
) l
where split_part(l.actor, ':', 1) = any($5::text[])
    and ($6::text is null or split_part(l.actor, ':', 2) = $6)
    and ($7::text is null or l.kind = $7)
order by l.at desc
fetch first ($8) rows with ties
"""

# An object has few changes, and they are found by its id.
_OBJECT = """
select l.object_id, l.seq, l.at, l.actor, l.kind, l.what, l.status_before, l.status_after,
    l.facts::text
from (
    select object_id, seq, at, actor, kind, what, status_before, status_after, facts
    from changes
    where org_id = $1 and object_id = $9 and rests and at < $2 and at >= $3
    order by at desc
    fetch first ($4) rows with ties
) l
where split_part(l.actor, ':', 1) = any($5::text[])
    and ($6::text is null or split_part(l.actor, ':', 2) = $6)
    and ($7::text is null or l.kind = $7)
order by l.at desc
fetch first ($8) rows with ties
"""

# Where a search ended, if there may be more behind it.
_EVERYBODY_END = """
select min(l.at) as at, count(*) as count
from (
    select at
    from changes
    where org_id = $1 and rests and at < $2 and at >= $3
    order by at desc
    fetch first ($4) rows with ties
) l
"""

_PEOPLE_END = """
select min(l.at) as at, count(*) as count
from (
    select at
    from changes
    where org_id = $1 and at < $2 and at >= $3
        and rests and (actor = 'cli' or actor like 'member:%' or actor like 'person:%')
    order by at desc
    fetch first ($4) rows with ties
) l
"""

_OBJECT_END = """
select min(l.at) as at, count(*) as count
from (
    select at
    from changes
    where org_id = $1 and object_id = $5 and rests and at < $2 and at >= $3
    order by at desc
    fetch first ($4) rows with ties
) l
"""


async def page(
    tx: Tx, org_id: UUID, filters: Filters, window: Window, *, looked_at_max: int
) -> list[Entry]:
    """Entries within the window, newest first; all of the moment with which it ends."""
    about = () if filters.object_id is None else (filters.object_id,)
    rows = await tx.fetch(
        _OBJECT if about else _PEOPLE if filters.actor_types <= PEOPLE else _EVERYBODY,
        *(org_id, window.position.created_at, window.since, looked_at_max),
        *([str(each) for each in filters.actor_types], filters.actor_id, filters.kind),
        *(window.limit, *about),
    )
    return sorted(map(_entry, rows), key=lambda each: (each.at, each.object_id, each.seq))[::-1]


async def end(
    tx: Tx, org_id: UUID, filters: Filters, window: Window, *, looked_at_max: int
) -> datetime | None:
    """The last moment that a page looked at, if it looked at as many as it may."""
    about = () if filters.object_id is None else (filters.object_id,)
    row = await tx.fetchrow(
        _OBJECT_END if about else _PEOPLE_END if filters.actor_types <= PEOPLE else _EVERYBODY_END,
        *(org_id, window.position.created_at, window.since, looked_at_max, *about),
    )
    return row["at"] if row is not None and row["count"] >= looked_at_max else None


def _entry(row: Row) -> Entry:
    facts: Mapping[str, Any] = {} if row["facts"] is None else msgspec.json.decode(row["facts"])
    return Entry(
        object_id=row["object_id"],
        seq=row["seq"],
        at=row["at"],
        actor=row["actor"],
        kind=row["kind"],
        what=row["what"],
        status_before=row["status_before"],
        status_after=row["status_after"],
        facts=facts,
    )
