"""The two people of each decision: who they are, and the check that they differ."""

from datetime import timedelta
from uuid import UUID

from landbridge.customers.team.service import Team
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import ResourceNotFound, RoleNotAllowed
from landbridge.platform.db.pool import Tx
from landbridge.platform.http.caller import Caller, MemberRole, check_reviewer
from landbridge.platform.orgs.key_creators import former_deciders, key_creators
from landbridge.reporting.reconciliation.model import ReconPerson


def deciding_person(caller: Caller) -> ReconPerson:
    """Return the caller as a deciding person; raises `RoleNotAllowed` unless a reviewer."""
    check_reviewer(caller)
    return ReconPerson(
        org_id=caller.org_id, id=caller.id, actor=caller.actor, offset=caller.clock_offset
    )


async def named_person(team: Team, org_id: UUID, email: str, offset: timedelta) -> ReconPerson:
    """Return the admin with this e-mail, for whom the operator runs a command.

    Raises `ResourceNotFound` for an unknown address, and `RoleNotAllowed` for another role.
    """
    for member in await team.list_members(org_id):
        if member.email == email.strip().lower() and member.removed_at is None:
            if member.is_invited or member.role is not MemberRole.ADMIN:
                raise RoleNotAllowed(f"{member.email} is no admin who has signed up")
            return ReconPerson(org_id=org_id, id=member.id, actor="cli", offset=offset)
    raise ResourceNotFound(f"no member has the e-mail address {email}")


async def check_second(
    tx: Tx, clock: Clock, person: ReconPerson, first_id: UUID, verb: str
) -> None:
    """Raise `RoleNotAllowed` unless a person may be the second one.

    `verb` is what the first person has done. A key and the member who created it are one person.
    The first person must not have been removed, demoted or revoked since, nor have expired: then
    the decision has to be rejected, and made again by another person.
    """
    former = await former_deciders(tx, person.org_id, [person.id, first_id], clock)
    if person.id in former:
        raise RoleNotAllowed("you may decide on this no longer")
    if first_id in former:
        raise RoleNotAllowed(f"the person who has {verb} may decide no longer: reject it first")
    creators = await key_creators(tx, person.org_id, [person.id, first_id])
    if creators.get(person.id, person.id) == creators.get(first_id, first_id):
        raise RoleNotAllowed(f"this takes a second person: you have {verb}")
