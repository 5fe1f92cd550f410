"""Statements on saved_views. Writers lock the organisation's row, so that the total is bounded."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import read_row

_LOCK_ORG = "select id from orgs where id = $1 for no key update"

# Nobody sees views of a removed member that were not shared.
_DELETE_UNSEEN = """
delete from saved_views v
using team_members m
where v.org_id = $1 and m.org_id = v.org_id and m.id = v.owner_id and m.removed_at is not null
    and not v.is_shared
"""

_ADD = """
insert into saved_views (org_id, id, owner_id, name, query, is_shared)
values ($1, $2, $3, $4, $5, $6)
"""

# An organisation has at most `VIEWS_MAX`.
_ALL = """
select org_id, id, owner_id, name, query, is_shared
from saved_views
where org_id = $1
order by lower(name), id
"""

_RENAME = "update saved_views set name = $3 where org_id = $1 and id = $2"

_DELETE = "delete from saved_views where org_id = $1 and id = $2"


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedView:
    """A named query string of the list. `owner_id` is the member; others see it if it is shared."""

    org_id: UUID
    id: UUID
    owner_id: UUID
    name: str
    query: str
    is_shared: bool


async def lock_org(tx: Tx, org_id: UUID) -> None:
    """Lock the organisation against concurrent changes, and delete views that nobody sees."""
    await tx.execute(_LOCK_ORG, org_id)
    await tx.execute(_DELETE_UNSEEN, org_id)


async def add(tx: Tx, view: SavedView) -> None:
    """Store a view."""
    await tx.execute(
        _ADD, view.org_id, view.id, view.owner_id, view.name, view.query, view.is_shared
    )


async def all_of(tx: Tx, org_id: UUID) -> Sequence[SavedView]:
    """Return all views of an organisation, by name."""
    return [read_row(row, SavedView) for row in await tx.fetch(_ALL, org_id)]


async def rename(tx: Tx, org_id: UUID, view_id: UUID, name: str) -> None:
    """Rename a view."""
    await tx.execute(_RENAME, org_id, view_id, name)


async def delete(tx: Tx, org_id: UUID, view_id: UUID) -> None:
    """Delete a view."""
    await tx.execute(_DELETE, org_id, view_id)
