"""API keys: looked at by everybody, made and revoked by admins."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.core.errors import FieldInvalid, Refused
from landbridge.dashboard.forms import Form, new_request_id, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.visitors import PageRequest, check_is_admin
from landbridge.dashboard.words import later as _
from landbridge.members.service import Members
from landbridge.orgs.model import KeyState
from landbridge.orgs.service import Orgs
from landbridge.request_rates.service import RequestRates
from landbridge.web.paths import known_id

_HOME = "/dashboard/keys"
_NEW = f"{_HOME}/new"
# What the form begins with: keys are changed once a year.
_LIFE = timedelta(days=365)


class KeyPages(Controller):
    """`/dashboard/keys`. Keys live by real time, also where a sandbox's clock was moved."""

    path = "/keys"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        orgs: NamedDependency[Orgs],
        members: NamedDependency[Members],
        request_rates: NamedDependency[RequestRates],
    ) -> Response[str]:
        """All of them: those that are good first, then the newest first."""
        return renderer.page(
            request,
            "developers/keys.html",
            **await _listed(request, renderer, orgs, members),
            rates=request_rates,
        )

    @get("/new", fresh=_NEW)
    async def new(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        orgs: NamedDependency[Orgs],
    ) -> Response[str]:
        """The form; with `replaces` it begins with what another key is."""
        check_is_admin(request.user)
        known = {str(each.id): each for each in await orgs.keys(request.user.caller.org_id)}
        old = known.get(request.query_params.get("replaces", ""))
        ends_on = (renderer.surroundings.clock.now() + _LIFE).astimezone(request.user.zone).date()
        return renderer.page(
            request,
            "developers/key_new.html",
            name="" if old is None else old.name,
            ends_on=ends_on.isoformat(),
            can_review=old is not None and old.can_review,
            can_approve=old is not None and old.can_approve,
            request_id=new_request_id(),
            old=old,
        )

    @post("/new", fresh=_NEW)
    async def create(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        orgs: NamedDependency[Orgs],
    ) -> Response[str]:
        """Make it; the answer shows it, this once. Sent again, the form makes no other."""
        form = await read_form(request)
        known = {str(each.id): each for each in await orgs.keys(request.user.caller.org_id)}
        old = known.get(form.text("replaces"))
        try:
            key, secret = await orgs.create_key_for(
                request.user.caller,
                name=form.text("name"),
                expires_at=_begin_of(form.text("expiresAt"), request.user.zone),
                can_review=form.is_ticked("canReview"),
                can_approve=form.is_ticked("canApprove"),
                request_id=form.uuid("requestId"),
            )
        except Refused as problem:
            return renderer.again(
                request, "developers/key_new.html", problem, **_typed(form), old=old
            )
        return renderer.page(request, "developers/key_made.html", key=key, secret=secret, old=old)

    @post("/{key_id:str}/revoke")
    async def revoke(
        self,
        request: PageRequest,
        key_id: FromPath[str],
        *,
        renderer: NamedDependency[Renderer],
        orgs: NamedDependency[Orgs],
        members: NamedDependency[Members],
        request_rates: NamedDependency[RequestRates],
    ) -> Page:
        """End it, from the next request on."""
        try:
            await orgs.revoke_key_for(request.user.caller, known_id(key_id, "key"))
        except Refused as problem:
            values = await _listed(request, renderer, orgs, members)
            return renderer.again(
                request, "developers/keys.html", problem, **values, rates=request_rates
            )
        return go(_HOME, said=_("The key was revoked."))


async def _listed(
    request: PageRequest, renderer: Renderer, orgs: Orgs, members: Members
) -> Mapping[str, Any]:
    now = renderer.surroundings.clock.now()
    found = [(each, each.state(now)) for each in await orgs.keys(request.user.caller.org_id)]
    found.sort(key=lambda each: (each[1] is KeyState.ACTIVE, each[0].created_at), reverse=True)
    people = await members.everybody(request.user.caller.org_id)
    return {"keys": found, "makers": {each.id: each.name for each in people}}


def _typed(form: Form) -> Mapping[str, Any]:
    return {
        "name": form.text("name"),
        "ends_on": form.text("expiresAt"),
        "can_review": form.is_ticked("canReview"),
        "can_approve": form.is_ticked("canApprove"),
        "request_id": form.text("requestId"),
    }


def _begin_of(text: str, zone: ZoneInfo) -> datetime | None:
    """When a day begins that was typed; None if nothing was."""
    if not text:
        return None
    try:
        return datetime.combine(date.fromisoformat(text), time(), zone).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise FieldInvalid(
            "expiresAt must be a date, as in 2030-12-31", field="expiresAt"
        ) from error
