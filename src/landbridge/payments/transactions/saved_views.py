"""Saved views: filters and order of the list of payments, under a name.

Guarantees:
- A member sees their own views, and the views that other members of the organisation share.
- A shared view is changed by its owner or an admin, any other view by its owner alone.
- An organisation has at most `VIEWS_MAX` views, and a member at most `OWN_VIEWS_MAX` of them, even
  with concurrent saves. So no member can use up the views of all others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from landbridge.platform.core.errors import (
    FieldInvalid,
    ResourceConflict,
    ResourceNotFound,
    RoleNotAllowed,
)
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.caller import Caller, MemberRole, check_editor

_LOCK_ORG = "select id from orgs where id = $1 for no key update"

# Views of removed members that were not shared: no member sees them any more.
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

# Not paged, because an organisation has at most `VIEWS_MAX` views.
_ALL = """
select org_id, id, owner_id, name, query, is_shared
from saved_views
where org_id = $1
order by lower(name), id
"""

_RENAME = "update saved_views set name = $3 where org_id = $1 and id = $2"

_DELETE = "delete from saved_views where org_id = $1 and id = $2"

VIEWS_MAX: Final = 50
OWN_VIEWS_MAX: Final = 20
VIEW_NAME_LENGTH_MAX: Final = 60
_QUERY_LENGTH_MAX: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedView:
    """Named query string of the list. Members other than `owner_id` see it if it is shared."""

    org_id: UUID
    id: UUID
    owner_id: UUID
    name: str
    query: str
    is_shared: bool


@dataclass(frozen=True, slots=True)
class SavedViews:
    """Saves, lists, renames and deletes views of the members of all organisations."""

    database: Database

    async def of(self, caller: Caller) -> Sequence[SavedView]:
        """List the views that this member sees, by name."""
        return await self.database.single(lambda tx: _visible(tx, caller))

    async def get(self, caller: Caller, view_id: UUID | None) -> SavedView:
        """Return a view; raise `ResourceNotFound` for one that this member does not see."""
        return _find(await self.of(caller), view_id)

    async def save(self, caller: Caller, name: str, query: str, *, is_shared: bool) -> SavedView:
        """Save a query string under a name.

        Raises `FieldInvalid`, `ResourceConflict` if there are too many views, and `RoleNotAllowed`
        for an analyst who shares a view.
        """
        if is_shared:
            check_editor(caller)
        if not query:
            raise FieldInvalid("Choose filters or an order first.")
        if len(query) > _QUERY_LENGTH_MAX:
            raise FieldInvalid("These filters are too long to be saved.")
        view = SavedView(
            org_id=caller.org_id,
            id=new_id(),
            owner_id=caller.id,
            name=check_text("name", name, length_max=VIEW_NAME_LENGTH_MAX),
            query=query,
            is_shared=is_shared,
        )

        async def work(tx: Tx) -> SavedView:
            await _lock_org(tx, caller.org_id)
            views = await _all_of(tx, caller.org_id)
            if any(each.id == view.id for each in views):
                return view  # saved by an earlier attempt with an unconfirmed commit
            _check_name(views, view, view.name)
            if sum(each.owner_id == view.owner_id for each in views) >= OWN_VIEWS_MAX:
                raise ResourceConflict(f"A member has at most {OWN_VIEWS_MAX} saved views.")
            if len(views) >= VIEWS_MAX:
                raise ResourceConflict(f"An organisation has at most {VIEWS_MAX} saved views.")
            await write_row(tx, _ADD, view)
            return view

        return await self.database.transact(work)

    async def rename(self, caller: Caller, view_id: UUID | None, name: str) -> SavedView:
        """Rename a view; raises `ResourceNotFound`, `FieldInvalid` and `RoleNotAllowed`."""
        checked = check_text("name", name, length_max=VIEW_NAME_LENGTH_MAX)

        async def work(tx: Tx) -> SavedView:
            await _lock_org(tx, caller.org_id)
            view = _find(await _visible(tx, caller), view_id)
            _check_may_change(caller, view)
            _check_name(await _all_of(tx, caller.org_id), view, checked)
            await tx.execute(_RENAME, caller.org_id, view.id, checked)
            return view

        return await self.database.transact(work)

    async def delete(self, caller: Caller, view_id: UUID | None) -> None:
        """Delete a view; do nothing if there is none. Raises `RoleNotAllowed`."""

        async def work(tx: Tx) -> None:
            for view in await _visible(tx, caller):
                if view.id == view_id:
                    _check_may_change(caller, view)
                    await tx.execute(_DELETE, caller.org_id, view.id)

        await self.database.transact(work)


def may_change(caller: Caller, view: SavedView) -> bool:
    """Return whether this member may rename and delete a view that they see."""
    is_admin = caller.member is not None and caller.member.role is MemberRole.ADMIN
    return view.owner_id == caller.id or is_admin


async def _visible(tx: Tx, caller: Caller) -> Sequence[SavedView]:
    found = await _all_of(tx, caller.org_id)
    return [each for each in found if each.is_shared or each.owner_id == caller.id]


def _find(views: Sequence[SavedView], view_id: UUID | None) -> SavedView:
    for each in views:
        if each.id == view_id:
            return each
    raise ResourceNotFound(f"there is no saved view {view_id}")


def _check_may_change(caller: Caller, view: SavedView) -> None:
    if not may_change(caller, view):
        raise RoleNotAllowed("Only its owner or an admin can change a shared view.")


def _check_name(views: Sequence[SavedView], view: SavedView, name: str) -> None:
    """Raise `FieldInvalid` for a name that another view of the same owner has."""
    if any(
        each.name == name and each.owner_id == view.owner_id and each.id != view.id
        for each in views
    ):
        raise FieldInvalid("You already have a view with this name.", field="name")


async def _lock_org(tx: Tx, org_id: UUID) -> None:
    """Lock the views of an organisation against changes, and delete those that nobody can see."""
    await tx.execute(_LOCK_ORG, org_id)
    await tx.execute(_DELETE_UNSEEN, org_id)


async def _all_of(tx: Tx, org_id: UUID) -> Sequence[SavedView]:
    """Return all views of an organisation, by name."""
    return [read_row(row, SavedView) for row in await tx.fetch(_ALL, org_id)]
