"""Pages of API keys: visible to all members, created and revoked by admins."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.customers.team.service import Team
from landbridge.dashboard.page_request import (
    Form,
    Page,
    PageRequest,
    new_request_id,
    read_form,
    redirect,
)
from landbridge.dashboard.page_visitor import check_is_admin
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.caller import KeyScope
from landbridge.platform.http.path_params import known_id
from landbridge.platform.orgs.model import KeyState
from landbridge.platform.orgs.service import Orgs
from landbridge.platform.rate_limits.service import RateLimits

_HOME = "/dashboard/keys"
_NEW = f"{_HOME}/new"
# Default lifetime: keys are rotated yearly.
_LIFETIME = timedelta(days=365)


# Scopes that the form offers: label and explanation.
_CHOICES = {
    KeyScope.PAY: (_("Payments"), _("Create payments, users, wallets and bank accounts.")),
    KeyScope.APPROVE: (_("Approvals"), _("Approve and reject payments.")),
    KeyScope.REVIEW: (
        _("Reviews"),
        _("Decide reviews of verifications, bank accounts, payments and deposits."),
    ),
    KeyScope.ADMIN: (
        _("Administration"),
        _("Change webhooks, rules, reports and settings, and erase personal data."),
    ),
}


class KeyPages(Controller):
    """`/dashboard/keys`. Keys live by real time, also where a sandbox's clock was moved."""

    path = "/keys"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        orgs: NamedDependency[Orgs],
        team: NamedDependency[Team],
        rate_limits: NamedDependency[RateLimits],
    ) -> Response[str]:
        """List keys, active ones first, then newest first."""
        return request.page(
            "developers/keys.html", **await _list_values(request, orgs, team), rates=rate_limits
        )

    @get("/new", fresh=_NEW)
    async def new(self, request: PageRequest, orgs: NamedDependency[Orgs]) -> Response[str]:
        """Show the form; `replaces` presets it with the values of another key."""
        check_is_admin(request.user)
        known = {str(each.id): each for each in await orgs.keys(request.user.caller.org_id)}
        old = known.get(request.query_params.get("replaces", ""))
        ends_on = (
            (request.installation.clock.now() + _LIFETIME).astimezone(request.user.zone).date()
        )
        return request.page(
            "developers/key_new.html",
            name="" if old is None else old.name,
            ends_on=ends_on.isoformat(),
            chosen={KeyScope.PAY} if old is None else old.scopes,
            choices=_CHOICES,
            request_id=new_request_id(),
            old=old,
        )

    @post("/new", fresh=_NEW)
    async def create(self, request: PageRequest, orgs: NamedDependency[Orgs]) -> Response[str]:
        """Create the key and show it once; sending the form again creates no second key."""
        form = await read_form(request)
        known = {str(each.id): each for each in await orgs.keys(request.user.caller.org_id)}
        old = known.get(form.text("replaces"))
        try:
            key, secret = await orgs.create_key_for(
                request.user.caller,
                name=form.text("name"),
                expires_at=_start_of_day(form.text("expiresAt"), request.user.zone),
                scopes=_scopes(form),
                request_id=form.uuid("requestId"),
            )
        except Refused as problem:
            return request.with_problem(
                "developers/key_new.html", problem, **_submitted_values(form), old=old
            )
        return request.page("developers/key_created.html", key=key, secret=secret, old=old)

    @post("/{key_id:str}/revoke")
    async def revoke(
        self,
        request: PageRequest,
        key_id: FromPath[str],
        *,
        orgs: NamedDependency[Orgs],
        team: NamedDependency[Team],
        rate_limits: NamedDependency[RateLimits],
    ) -> Page:
        """End it, from the next request on."""
        try:
            await orgs.revoke_key_for(request.user.caller, known_id(key_id, "key"))
        except Refused as problem:
            values = await _list_values(request, orgs, team)
            return request.with_problem(
                "developers/keys.html", problem, **values, rates=rate_limits
            )
        return redirect(_HOME, notice=_("Key revoked"))


async def _list_values(request: PageRequest, orgs: Orgs, members: Team) -> Mapping[str, object]:
    now = request.installation.clock.now()
    found = [(each, each.state(now)) for each in await orgs.keys(request.user.caller.org_id)]
    found.sort(key=lambda each: (each[1] is KeyState.ACTIVE, each[0].created_at), reverse=True)
    people = await members.list_members(request.user.caller.org_id)
    return {
        "keys": found,
        "makers": {each.id: each.name for each in people},
        "scope_names": {KeyScope.READ: _("Read"), **{each: _CHOICES[each][0] for each in _CHOICES}},
    }


def _scopes(form: Form) -> frozenset[KeyScope]:
    """Return the ticked scopes; every key may read."""
    return frozenset({KeyScope.READ, *(each for each in _CHOICES if form.is_ticked(each))})


def _submitted_values(form: Form) -> Mapping[str, object]:
    return {
        "name": form.text("name"),
        "ends_on": form.text("expiresAt"),
        "chosen": _scopes(form),
        "choices": _CHOICES,
        "request_id": form.text("requestId"),
    }


def _start_of_day(text: str, zone: ZoneInfo) -> datetime | None:
    """Return the start of a submitted day; None if the field is empty."""
    if not text:
        return None
    try:
        return datetime.combine(date.fromisoformat(text), time(), zone).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise FieldInvalid("Enter a date, for example 2030-12-31.", field="expiresAt") from error
