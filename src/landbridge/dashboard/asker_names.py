"""What those are called who ask and decide: members by name, keys by what they were named."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from litestar.di import NamedDependency

from landbridge.members.service import Members
from landbridge.orgs.service import Orgs


@dataclass(frozen=True, slots=True)
class Names:
    """What members and keys are called, by id."""

    members: Mapping[str, str]
    keys: Mapping[str, str]

    @property
    def all(self) -> Mapping[str, str]:
        """Both: an id is a member's or a key's, never both."""
        return {**self.members, **self.keys}


@dataclass(frozen=True, slots=True)
class Askers:
    """Names of members and keys of all organisations."""

    members: Members
    orgs: Orgs

    async def names(self, org_id: UUID) -> Names:
        """All of them, also of members who were removed and keys that were revoked."""
        people, keys = await asyncio.gather(self.members.everybody(org_id), self.orgs.keys(org_id))
        return Names(
            members={str(each.id): each.name for each in people},
            keys={str(each.id): each.name for each in keys},
        )


def provide_askers(members: NamedDependency[Members], orgs: NamedDependency[Orgs]) -> Askers:
    """For pages."""
    return Askers(members, orgs)
