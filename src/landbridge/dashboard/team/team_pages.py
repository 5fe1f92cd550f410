"""Pages of the team: members, roles, invitations, and the mailbox of the sandbox."""

import re
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from markupsafe import Markup

from landbridge.customers.team.model import NewInvitation
from landbridge.customers.team.service import Team
from landbridge.customers.team.sessions import Sessions
from landbridge.dashboard.auth.browsers import browser_and_system
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.caller import MemberRole, check_admin
from landbridge.platform.http.path_params import known_id
from landbridge.platform.mail.mailbox import MAILBOX_SIZE_MAX, Mailbox
from landbridge.platform.orgs.service import Orgs

HOME: Final = "/dashboard/team"
_INVITE, _MEMBER = f"{HOME}/invite", f"{HOME}/{{member_id}}"
_LIST, _NEW = "team/list.html", "team/invite.html"
_ONE, _INVITATION = "team/member.html", "team/invitation.html"


class TeamPages(Controller):
    """Handlers of `/dashboard/team`. All members see the team; admins change it."""

    path = "/team"

    @get("/")
    async def page(self, request: PageRequest, team: NamedDependency[Team]) -> Response[str]:
        """List the members; for admins also pending invitations."""
        org_id = request.user.caller.org_id
        found = await team.list_members(org_id)
        return request.page(
            _LIST,
            people=[each for each in found if each.removed_at is None],
            former=[each for each in found if each.removed_at is not None],
            sign_in_statuses=await team.sign_in_statuses(org_id) if request.user.is_admin else {},
        )

    @get("/invite", fresh=_INVITE)
    async def new(self, request: PageRequest) -> Response[str]:
        """Show the invitation form; admins only."""
        check_admin(request.user.caller)
        return request.page(_NEW, email="", name="", role=MemberRole.MEMBER.value)

    @post("/invite", status_code=200, fresh=_INVITE)
    async def invite(self, request: PageRequest, team: NamedDependency[Team]) -> Page:
        """Invite a member; the response shows the link once."""
        form = Form()
        try:
            form = await read_form(request)
            invitation = await team.invite(
                request.user.caller,
                email=form.text("email"),
                name=form.text("name"),
                role=_role(form),
            )
        except Refused as problem:
            typed = {name: form.text(name) for name in ("email", "name", "role")}
            return request.with_problem(_NEW, problem, **typed)
        return _link(request, invitation)

    @get("/{member_id:str}")
    async def one(
        self,
        request: PageRequest,
        member_id: FromPath[str],
        *,
        team: NamedDependency[Team],
        sessions: NamedDependency[Sessions],
        orgs: NamedDependency[Orgs],
    ) -> Response[str]:
        """Show one member with the possible actions; admins only."""
        return request.page(_ONE, **await _member(request, team, sessions, orgs, member_id))

    @post("/{member_id:str}/role", fresh=_MEMBER)
    async def change_role(
        self,
        request: PageRequest,
        member_id: FromPath[str],
        *,
        team: NamedDependency[Team],
        sessions: NamedDependency[Sessions],
        orgs: NamedDependency[Orgs],
    ) -> Page:
        """Change a member's role; the last admin cannot lose it."""
        known_member_id = known_id(member_id, "member")
        try:
            form = await read_form(request)
            await team.change_role(
                request.user.caller, known_member_id, _role(form), kept_keys=_kept_keys(form)
            )
        except Refused as problem:
            values = await _member(request, team, sessions, orgs, member_id)
            return request.with_problem(_ONE, problem, **values)
        return redirect(_return_path(request, member_id), notice=_("Role changed"))

    @post("/{member_id:str}/invite-again", status_code=200, fresh=_MEMBER)
    async def invite_again(
        self,
        request: PageRequest,
        member_id: FromPath[str],
        *,
        team: NamedDependency[Team],
        sessions: NamedDependency[Sessions],
        orgs: NamedDependency[Orgs],
    ) -> Page:
        """Another link; the one before is void."""
        try:
            invitation = await team.invite_again(request.user.caller, known_id(member_id, "member"))
        except Refused as problem:
            values = await _member(request, team, sessions, orgs, member_id)
            return request.with_problem(_ONE, problem, **values)
        return _link(request, invitation)

    @post("/{member_id:str}/remove", fresh=_MEMBER)
    async def remove(
        self,
        request: PageRequest,
        member_id: FromPath[str],
        *,
        team: NamedDependency[Team],
        sessions: NamedDependency[Sessions],
        orgs: NamedDependency[Orgs],
    ) -> Page:
        """Remove a member, whose sessions end at once; the last admin can't be removed."""
        try:
            kept_keys = _kept_keys(await read_form(request))
            await team.remove(
                request.user.caller, known_id(member_id, "member"), kept_keys=kept_keys
            )
        except Refused as problem:
            values = await _member(request, team, sessions, orgs, member_id)
            return request.with_problem(_ONE, problem, **values)
        return redirect(HOME, notice=_("Member removed"))

    @post("/{member_id:str}/sessions/end-all")
    async def end_sessions(
        self, request: PageRequest, member_id: FromPath[str], sessions: NamedDependency[Sessions]
    ) -> Page:
        """Sign them out everywhere; they may come back."""
        await sessions.end_all_of_member(request.user.caller, known_id(member_id, "member"))
        return redirect(f"{HOME}/{member_id}", notice=_("All sessions signed out"))

    @post("/{member_id:str}/sessions/{session_id:str}/end")
    async def end_session(
        self,
        request: PageRequest,
        member_id: FromPath[str],
        session_id: FromPath[str],
        sessions: NamedDependency[Sessions],
    ) -> Page:
        """Sign them out of one browser."""
        known_member_id, known_session_id = (
            known_id(member_id, "member"),
            known_id(session_id, "session"),
        )
        await sessions.end_of_member(request.user.caller, known_member_id, known_session_id)
        return redirect(f"{HOME}/{known_member_id}", notice=_("Session ended"))


async def _member(
    request: PageRequest, members: Team, sessions: Sessions, orgs: Orgs, member_id: str
) -> Mapping[str, object]:
    caller = request.user.caller
    check_admin(caller)
    person = await members.get(caller.org_id, known_id(member_id, "member"))
    sign_in_statuses = await members.sign_in_statuses(caller.org_id)
    keys = [
        each
        for each in await orgs.keys(caller.org_id)
        if each.created_by == person.id and each.revoked_at is None
    ]
    return {
        "path": f"{HOME}/{person.id}",
        "person": person,
        "sessions": [
            (each, *browser_and_system(each.browser))
            for each in await sessions.of_member(caller, person.id)
        ],
        "sign_in_status": sign_in_statuses.get(person.id),
        "keys": keys,
        "deciding_keys": [each for each in keys if each.can_review or each.can_approve],
        "is_oneself": person.id == caller.id,
    }


def _link(request: PageRequest, invitation: NewInvitation) -> Response[str]:
    return request.page(_INVITATION, invitation=invitation, path=HOME)


def _return_path(request: PageRequest, member_id: str) -> str:
    """Redirect to the member's page; to the list if the visitor is no longer an admin."""
    return HOME if member_id == str(request.user.caller.id) else f"{HOME}/{member_id}"


def _kept_keys(form: Form) -> Sequence[UUID]:
    """Return the member's active API keys, which stay valid after losing the admin role."""
    return [known_id(each, "key") for each in form.texts("keptKeys")]


def _role(form: Form) -> MemberRole:
    try:
        return MemberRole(form.text("role"))
    except ValueError:
        raise FieldInvalid("Choose the role admin, member or analyst.", field="role") from None


_STOPS: Final = ".,;:!?)>\"'"


class MailboxPages(Controller):
    """`/dashboard/mailbox`, in a sandbox only, for admins: links in mails open doors."""

    path = "/mailbox"

    @get("/")
    async def page(self, request: PageRequest, mailbox: NamedDependency[Mailbox]) -> Response[str]:
        """List emails, newest first."""
        mails = await mailbox.newest(request.user.caller)
        return request.page("team/mailbox.html", mails=mails, kept=MAILBOX_SIZE_MAX)

    @get("/{mail_id:str}")
    async def one(
        self, request: PageRequest, mail_id: FromPath[str], mailbox: NamedDependency[Mailbox]
    ) -> Response[str]:
        """Show one e-mail as its recipient sees it."""
        mail = await mailbox.get(request.user.caller, known_id(mail_id, "mail"))
        text = linked(mail.email.text, request.installation.base_url)
        return request.page("team/mail.html", mail=mail, text=text)


def linked(text: str, base_url: str) -> Markup:
    """Return the text with links to dashboard pages; other URLs stay text."""
    parts = re.split(rf"(?<!\S)({re.escape(base_url)}/\S*)", text)
    # Odd positions hold the matched URLs.
    return Markup("").join(
        _mail_link(part) if at % 2 else Markup("{}").format(part) for at, part in enumerate(parts)
    )


def _mail_link(url: str) -> Markup:
    target = url.rstrip(_STOPS)
    return Markup('<a href="{0}">{0}</a>{1}').format(target, url[len(target) :])
