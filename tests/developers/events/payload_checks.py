"""Comparison of an object's events with its retrieve at each moment."""

import json
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from landbridge.developers.events.model import Event
from landbridge.developers.events.names import events_of
from landbridge.platform.changes.model import Change
from landbridge.platform.changes.service import history
from tests.tenants import Tenant


@dataclass
class ObjectHistory:
    """Object with the retrieve after each of its changes in `seen`.

    `also` has members that its events show in addition to its retrieve.
    """

    org: Tenant
    object_id: UUID
    path: str
    also: dict[str, Any] = field(default_factory=dict)
    seen: list[Any] = field(default_factory=list)

    async def record(self) -> Any:
        """Retrieve it after a change; the last event must show that."""
        self.seen.append(await self.retrieved())
        types, shown = await self.shown()
        assert shown[-1] == self.seen[-1], types[-1]
        return shown[-1]

    async def retrieved(self) -> Any:
        """Return the current retrieve in the form of its events."""
        return {**self.also, **await self.org.get(self.path)}

    async def shown(self) -> tuple[list[str], list[Any]]:
        """Return the types of its events, and the data of each."""
        found = await events(self.org, self.object_id)
        return [each.type for each in found], await data(self.org, found)


async def changes(org: Tenant, object_id: UUID) -> list[Change]:
    """Return the changes of an object, oldest first."""
    found = await org.container.database.single(lambda tx: history(tx, org.org_id, [object_id]))
    return list(found.get(object_id, []))


async def events(org: Tenant, object_id: UUID) -> list[Event]:
    """Return the events of an object, oldest first."""
    return [event for change in await changes(org, object_id) for event in events_of(change)]


async def data(org: Tenant, found: list[Event]) -> list[Any]:
    """Return the data of these events."""
    return [json.loads(each) for each in await org.container.events.payloads(org.org_id, found)]


async def erase(org: Tenant, user: str) -> None:
    """Erase a user without balances, of any organisation."""
    await org.post(f"/v2/users/{user}/freeze", {})
    answer = await org.send("DELETE", f"/v2/users/{user}/personal-data")
    assert answer.status_code == 200, answer.text
