"""The member's own profile: name, language, theme, e-mail settings and password."""

from collections.abc import Mapping
from typing import Final

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency

from landbridge.customers.team.model import SignedInSession, Theme
from landbridge.customers.team.service import Team
from landbridge.customers.team.sign_in import SignIn
from landbridge.dashboard.authentication import NotSignedIn, session_cookie
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.formats.translations import LANGUAGES
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.caller import MemberRole

PROFILE: Final = "/dashboard/profile"
PASSWORD: Final = f"{PROFILE}/password"
_PAGE, _PASSWORD_PAGE = "auth/profile.html", "auth/password.html"


class ProfilePages(Controller):
    """`/dashboard/profile` of the signed-in member."""

    path = "/profile"

    @get("/")
    async def page(self, request: PageRequest) -> Response[str]:
        """Show name and preferences."""
        person = require_session(request).person
        return request.page(
            _PAGE,
            name=person.name,
            language=person.language,
            theme=person.theme.value,
            wants_mails=person.receives_approval_emails,
        )

    @post("/")
    async def save(self, request: PageRequest, team: NamedDependency[Team]) -> Page:
        """Save changed fields."""
        person, form = require_session(request).person, Form()
        try:
            form = await read_form(request)
            language, theme = _language(form), _theme(form)
            # Analysts take no part in approvals, so the form does not offer them this setting.
            mails = person.receives_approval_emails
            if person.role is not MemberRole.ANALYST:
                mails = form.is_ticked("wantsApprovalMails")
            if form.text("name") != person.name:
                await team.rename(request.user.caller, form.text("name"))
            before = (person.language, person.theme, person.receives_approval_emails)
            if (language, theme, mails) != before:
                await team.prefer(
                    request.user.caller,
                    language=language,
                    theme=theme,
                    receives_approval_emails=mails,
                )
        except Refused as problem:
            return request.with_problem(_PAGE, problem, **_form_values(form))
        return redirect(PROFILE, notice=_("Profile saved"))

    @get("/password")
    async def password_page(self, request: PageRequest) -> Response[str]:
        """Show the form, which requires the current password."""
        return request.page(_PASSWORD_PAGE)

    @post("/password")
    async def change_password(self, request: PageRequest, sign_in: NamedDependency[SignIn]) -> Page:
        """Change the password and end all other sessions; this one gets another cookie."""
        session = require_session(request)
        try:
            form = await read_form(request)
            if form.raw("new") != form.raw("again"):
                raise FieldInvalid("The passwords do not match.", field="again")
            secret = await sign_in.change_password(session, form.raw("old"), form.raw("new"))
        except Refused as problem:
            return request.with_problem(_PASSWORD_PAGE, problem)
        notice = _("Password changed. All other sessions were signed out.")
        response = redirect(PASSWORD, notice=notice)
        base_url = request.installation.base_url
        response.cookies.append(session_cookie(secret, base_url=base_url))
        return response


def require_session(request: PageRequest) -> SignedInSession:
    """Return the signed-in session of the request; raises `NotSignedIn` without one."""
    if request.user.signed is None:
        raise NotSignedIn
    return request.user.signed


def _form_values(form: Form) -> Mapping[str, object]:
    return {
        "name": form.text("name"),
        "language": form.text("language"),
        "theme": form.text("theme"),
        "wants_mails": form.is_ticked("wantsApprovalMails"),
    }


def _language(form: Form) -> str:
    """Return the chosen language; empty means the browser's."""
    language = form.text("language")
    if language and language not in LANGUAGES:
        raise FieldInvalid("Choose one of the listed languages.", field="language")
    return language


def _theme(form: Form) -> Theme:
    try:
        return Theme(form.text("theme"))
    except ValueError:
        raise FieldInvalid("Choose one of the listed themes.", field="theme") from None
