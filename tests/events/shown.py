"""What events of an object show, beside what its retrieve answered at each moment."""

import json
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from landbridge.changes.model import Change
from landbridge.changes.service import history
from landbridge.events.model import Event
from landbridge.events.names import events_of
from tests.tenants import Tenant


@dataclass
class Walk:
    """An object through its changes; `seen` is what was retrieved after each.

    `also` is what its events show beside what its retrieve answers.
    """

    org: Tenant
    object_id: UUID
    path: str
    also: dict[str, Any] = field(default_factory=dict)
    seen: list[Any] = field(default_factory=list)

    async def look(self) -> Any:
        """Retrieve it after a change; the last event must show that."""
        self.seen.append(await self.retrieved())
        types, shown = await self.shown()
        assert shown[-1] == self.seen[-1], types[-1]
        return shown[-1]

    async def retrieved(self) -> Any:
        """What its retrieve answers now, as its events show it."""
        return {**self.also, **await self.org.get(self.path)}

    async def shown(self) -> tuple[list[str], list[Any]]:
        """The types of its events, and what each shows."""
        found = await events(self.org, self.object_id)
        return [each.type for each in found], await data(self.org, found)


async def changes(org: Tenant, object_id: UUID) -> list[Change]:
    """The changes of an object, oldest first."""
    found = await org.house.database.single(lambda tx: history(tx, org.org_id, [object_id]))
    return list(found.get(object_id, []))


async def events(org: Tenant, object_id: UUID) -> list[Event]:
    """The events of an object, oldest first."""
    return [event for change in await changes(org, object_id) for event in events_of(change)]


async def data(org: Tenant, found: list[Event]) -> list[Any]:
    """What these events show."""
    return [json.loads(each) for each in await org.house.events.shown(org.org_id, found)]


async def erase(org: Tenant, user: str) -> None:
    """Erase a user who holds nothing, wherever they are."""
    await org.post(f"/v2/users/{user}/freeze", {})
    answer = await org.send("DELETE", f"/v2/users/{user}/personal-data")
    assert answer.status_code == 200, answer.text
