"""The interface as people ask it who signed in: from within, in a role."""

from dataclasses import replace
from typing import Any, cast

from landbridge.app import build_app
from landbridge.core.ids import new_id
from landbridge.web.caller import Caller, Member, Role
from landbridge.web.inside import Interface
from tests.tenants import Tenant


def person(org: Tenant, role: Role) -> Caller:
    """A member of an organisation, with the rights that a session gives them."""
    is_admin = role is Role.ADMIN
    return replace(
        org.caller,
        key_id=None,
        member=Member(new_id(), role),
        can_review=is_admin,
        can_approve=is_admin,
    )


def asked_by(org: Tenant, role: Role) -> Interface:
    """All routes under /v2, for somebody in this role."""
    return Interface(cast("Any", build_app(org.house)), person(org, role))
