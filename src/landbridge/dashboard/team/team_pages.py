"""The team: who is in it, what each may do, invitations."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.core.errors import FieldInvalid, Refused
from landbridge.dashboard.entry.browsers import name_of
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.members.model import Invited
from landbridge.members.service import Members
from landbridge.members.sessions import Sessions
from landbridge.orgs.service import Orgs
from landbridge.web.caller import Role, check_admin
from landbridge.web.paths import known_id

HOME: Final = "/dashboard/team"
_INVITE, _MEMBER = f"{HOME}/invite", f"{HOME}/{{member_id}}"
_LIST, _NEW = "team/list.html", "team/invite.html"
_ONE, _INVITED = "team/member.html", "team/invited.html"


class TeamPages(Controller):
    """`/dashboard/team`. Everybody sees who is there; admins act."""

    path = "/team"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        members: NamedDependency[Members],
    ) -> Response[str]:
        """Everybody; how they get in, for admins."""
        org_id = request.user.caller.org_id
        found = await members.everybody(org_id)
        return renderer.page(
            request,
            _LIST,
            people=[each for each in found if each.removed_at is None],
            former=[each for each in found if each.removed_at is not None],
            standings=await members.standings(org_id) if request.user.is_admin else {},
        )

    @get("/invite", fresh=_INVITE)
    async def new(self, request: PageRequest, renderer: NamedDependency[Renderer]) -> Response[str]:
        """The form; admins only."""
        check_admin(request.user.caller)
        return renderer.page(request, _NEW, email="", name="", role=Role.MEMBER.value)

    @post("/invite", status_code=200, fresh=_INVITE)
    async def invite(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        members: NamedDependency[Members],
    ) -> Page:
        """Invite somebody; the answer shows the link, this once."""
        form = Form()
        try:
            form = await read_form(request)
            invited = await members.invite(
                request.user.caller,
                email=form.text("email"),
                name=form.text("name"),
                role=_role(form),
            )
        except Refused as problem:
            typed = {name: form.text(name) for name in ("email", "name", "role")}
            return renderer.again(request, _NEW, problem, **typed)
        return _link(request, renderer, invited)

    @get("/{member_id:str}")
    async def one(
        self,
        request: PageRequest,
        member_id: FromPath[str],
        *,
        renderer: NamedDependency[Renderer],
        members: NamedDependency[Members],
        sessions: NamedDependency[Sessions],
        orgs: NamedDependency[Orgs],
    ) -> Response[str]:
        """One of them, and what can be done; admins only."""
        values = await _member(request, members, sessions, orgs, member_id)
        return renderer.page(request, _ONE, **values)

    @post("/{member_id:str}/role", fresh=_MEMBER)
    async def change_role(
        self,
        request: PageRequest,
        member_id: FromPath[str],
        *,
        renderer: NamedDependency[Renderer],
        members: NamedDependency[Members],
        sessions: NamedDependency[Sessions],
        orgs: NamedDependency[Orgs],
    ) -> Page:
        """What they may do from now on; the last admin stays one."""
        wanted = known_id(member_id, "member")
        try:
            form = await read_form(request)
            await members.change_role(
                request.user.caller, wanted, _role(form), kept_keys=_kept_keys(form)
            )
        except Refused as problem:
            values = await _member(request, members, sessions, orgs, member_id)
            return renderer.again(request, _ONE, problem, **values)
        return go(_after(request, member_id), said=_("The role was changed."))

    @post("/{member_id:str}/invite-again", status_code=200, fresh=_MEMBER)
    async def invite_again(
        self,
        request: PageRequest,
        member_id: FromPath[str],
        *,
        renderer: NamedDependency[Renderer],
        members: NamedDependency[Members],
        sessions: NamedDependency[Sessions],
        orgs: NamedDependency[Orgs],
    ) -> Page:
        """Another link; the one before is void."""
        try:
            invited = await members.invite_again(request.user.caller, known_id(member_id, "member"))
        except Refused as problem:
            values = await _member(request, members, sessions, orgs, member_id)
            return renderer.again(request, _ONE, problem, **values)
        return _link(request, renderer, invited)

    @post("/{member_id:str}/remove")
    async def remove(
        self,
        request: PageRequest,
        member_id: FromPath[str],
        *,
        renderer: NamedDependency[Renderer],
        members: NamedDependency[Members],
        sessions: NamedDependency[Sessions],
        orgs: NamedDependency[Orgs],
    ) -> Page:
        """They are out at once; the last admin stays."""
        try:
            kept_keys = _kept_keys(await read_form(request))
            await members.remove(
                request.user.caller, known_id(member_id, "member"), kept_keys=kept_keys
            )
        except Refused as problem:
            values = await _member(request, members, sessions, orgs, member_id)
            return renderer.again(request, _ONE, problem, **values)
        return go(HOME, said=_("The member was removed."))

    @post("/{member_id:str}/sessions/end-all")
    async def end_sessions(
        self, request: PageRequest, member_id: FromPath[str], sessions: NamedDependency[Sessions]
    ) -> Page:
        """Sign them out everywhere; they may come back."""
        await sessions.end_all_of_member(request.user.caller, known_id(member_id, "member"))
        return go(f"{HOME}/{member_id}", said=_("They are signed out everywhere."))

    @post("/{member_id:str}/sessions/{session_id:str}/end")
    async def end_session(
        self,
        request: PageRequest,
        member_id: FromPath[str],
        session_id: FromPath[str],
        sessions: NamedDependency[Sessions],
    ) -> Page:
        """Sign them out of one browser."""
        wanted, which = known_id(member_id, "member"), known_id(session_id, "session")
        await sessions.end_of_member(request.user.caller, wanted, which)
        return go(f"{HOME}/{wanted}", said=_("This session has ended."))


async def _member(
    request: PageRequest, members: Members, sessions: Sessions, orgs: Orgs, member_id: str
) -> Mapping[str, Any]:
    caller = request.user.caller
    check_admin(caller)
    person = await members.get(caller.org_id, known_id(member_id, "member"))
    standings = await members.standings(caller.org_id)
    keys = [
        each
        for each in await orgs.keys(caller.org_id)
        if each.made_by == person.id and each.revoked_at is None
    ]
    return {
        "path": f"{HOME}/{person.id}",
        "person": person,
        "sessions": [
            (each, *name_of(each.browser)) for each in await sessions.of_member(caller, person.id)
        ],
        "standing": standings.get(person.id),
        "keys": keys,
        "deciding_keys": [each for each in keys if each.can_review or each.can_approve],
        "is_oneself": person.id == caller.id,
    }


def _link(request: PageRequest, renderer: Renderer, invited: Invited) -> Response[str]:
    return renderer.page(request, _INVITED, invited=invited, path=HOME)


def _after(request: PageRequest, member_id: str) -> str:
    """Back to the member; who is no admin any more sees the list only."""
    return HOME if member_id == str(request.user.caller.id) else f"{HOME}/{member_id}"


def _kept_keys(form: Form) -> Sequence[UUID]:
    """The keys of the member that go on, though their maker is an admin no longer."""
    return [known_id(each, "key") for each in form.texts("keptKeys")]


def _role(form: Form) -> Role:
    try:
        return Role(form.text("role"))
    except ValueError:
        raise FieldInvalid("role must be admin, member or analyst", field="role") from None
