"""Names of actors in lists of decisions and changes: members and API keys."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from litestar.di import NamedDependency

from landbridge.customers.team.service import Team
from landbridge.platform.orgs.service import Orgs


@dataclass(frozen=True, slots=True)
class ActorNames:
    """Names of members and API keys, by id."""

    members: Mapping[str, str]
    keys: Mapping[str, str]

    @property
    def all(self) -> Mapping[str, str]:
        """Both: an id is a member's or a key's, never both."""
        return {**self.members, **self.keys}


@dataclass(frozen=True, slots=True)
class ActorDirectory:
    """Names of members and keys of all organisations."""

    members: Team
    orgs: Orgs

    async def names(self, org_id: UUID) -> ActorNames:
        """Return all names, including those of removed members and revoked keys."""
        people, keys = await asyncio.gather(
            self.members.list_members(org_id), self.orgs.keys(org_id)
        )
        return ActorNames(
            members={str(each.id): each.name for each in people},
            keys={str(each.id): each.name for each in keys},
        )


def provide_actors(team: NamedDependency[Team], orgs: NamedDependency[Orgs]) -> ActorDirectory:
    """Provide the actor directory to page handlers."""
    return ActorDirectory(team, orgs)
