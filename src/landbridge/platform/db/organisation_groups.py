"""Groups of calls by organisation, on a distributed database.

On one server a batch holds calls of many organisations: fuller batches cost less. If the rows of
organisations are on several nodes, each organisation has a group and batches of its own. So a node
that does not answer delays only the calls of its own organisations.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, Generic, Protocol, TypeVar
from uuid import UUID

from landbridge.platform.db.pool import Database

In = TypeVar("In")
Out = TypeVar("Out")
In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)


class CallGroup(Protocol[In_contra, Out_co]):
    """Group of calls that share a statement, as in group_commit.py."""

    async def call(self, request: In_contra, /) -> Out_co:
        """Return the result of one call."""
        ...


class OrganisationGroups(Generic[In, Out]):
    """Groups of calls, one for each organisation that has made a call."""

    def __init__(
        self, make: Callable[[], CallGroup[In, Out]], org_of: Callable[[In], UUID]
    ) -> None:
        self._make = make
        self._org_of = org_of
        self._groups: dict[UUID, CallGroup[In, Out]] = {}

    async def call(self, request: In, /) -> Out:
        """Make the call in the group of its organisation, and return its result."""
        org_id = self._org_of(request)
        group = self._groups.get(org_id)
        if group is None:
            group = self._groups[org_id] = self._make()
        return await group.call(request)


def grouped(
    database: Database,
    make: Callable[[], CallGroup[In, Out]],
    org_of: Callable[[Any], UUID] = itemgetter(0),
) -> CallGroup[In, Out]:
    """Return one group for all organisations, or one for each if the database is distributed."""
    return OrganisationGroups(make, org_of) if database.is_distributed else make()


def batches(
    database: Database, items: Sequence[In], org_of: Callable[[In], UUID]
) -> list[Sequence[In]]:
    """Return all items as one batch; one for each organisation on a distributed database."""
    if not database.is_distributed:
        return [items]
    found: defaultdict[UUID, list[In]] = defaultdict(list)
    for each in items:
        found[org_of(each)].append(each)
    return list(found.values())
