"""Internal clients of the API for signed-in members, by role."""

from dataclasses import replace
from typing import Any, cast

from typing_extensions import override

from landbridge.platform.core.ids import new_id
from landbridge.platform.http.caller import Caller, MemberRole, SignedInMember
from landbridge.platform.http.internal_client import InternalClient
from tests.applications import app_of
from tests.tenants import Tenant


def person(org: Tenant, role: MemberRole) -> Caller:
    """Return a caller for a member with the rights of a session."""
    is_admin = role is MemberRole.ADMIN
    return replace(
        org.caller,
        key_id=None,
        member=SignedInMember(new_id(), role),
        can_review=is_admin,
        can_approve=is_admin,
    )


class JsonClient(InternalClient):
    """Internal client that returns replies as JSON."""

    async def get(self, path: str, /, **query: str) -> Any:
        return await self.read(dict[str, Any], path, **query)

    @override
    async def post(self, path: str, body: object = None) -> Any:
        return await self.submit(dict[str, Any], path, body)


def member_client(org: Tenant, role: MemberRole) -> JsonClient:
    """Return a client of all /v2 routes for a member with this role."""
    return JsonClient(cast("Any", app_of(org.container)), person(org, role))
