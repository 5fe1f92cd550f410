"""Names of actors in lists of decisions and changes: members and API keys."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

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


async def actor_names(team: Team, orgs: Orgs, org_id: UUID) -> ActorNames:
    """Return all names of an organisation, including removed members and revoked keys."""
    people, keys = await asyncio.gather(team.list_members(org_id), orgs.keys(org_id))
    return ActorNames(
        members={str(each.id): each.name for each in people},
        keys={str(each.id): each.name for each in keys},
    )
