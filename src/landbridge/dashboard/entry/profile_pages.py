"""One's own profile: name, language, theme, mails; and the password."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency

from landbridge.core.errors import FieldInvalid, Refused
from landbridge.dashboard.door import NotSignedIn
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import LANGUAGES
from landbridge.dashboard.words import later as _
from landbridge.members.model import SignedIn, Theme
from landbridge.members.service import Members
from landbridge.members.sign_in import SignIn
from landbridge.web.caller import Role

PROFILE: Final = "/dashboard/profile"
PASSWORD: Final = f"{PROFILE}/password"
_PAGE, _PASSWORD_PAGE = "entry/profile.html", "entry/password.html"


class ProfilePages(Controller):
    """`/dashboard/profile`, everybody's own."""

    path = "/profile"

    @get("/")
    async def page(
        self, request: PageRequest, renderer: NamedDependency[Renderer]
    ) -> Response[str]:
        """Who one is, and how one likes it."""
        person = own(request).person
        return renderer.page(
            request,
            _PAGE,
            name=person.name,
            language=person.language,
            theme=person.theme.value,
            wants_mails=person.wants_approval_mails,
        )

    @post("/")
    async def save(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        members: NamedDependency[Members],
    ) -> Page:
        """Save what changed."""
        person, form = own(request).person, Form()
        try:
            form = await read_form(request)
            language, theme = _language(form), _theme(form)
            # Analysts are asked for no approval, and ask for none: they are not offered the box.
            mails = person.wants_approval_mails
            if person.role is not Role.ANALYST:
                mails = form.is_ticked("wantsApprovalMails")
            if form.text("name") != person.name:
                await members.rename(request.user.caller, form.text("name"))
            before = (person.language, person.theme, person.wants_approval_mails)
            if (language, theme, mails) != before:
                await members.prefer(
                    request.user.caller,
                    language=language,
                    theme=theme,
                    wants_approval_mails=mails,
                )
        except Refused as problem:
            return renderer.again(request, _PAGE, problem, **_typed(form))
        return go(PROFILE, said=_("Your profile was saved."))

    @get("/password")
    async def password_page(
        self, request: PageRequest, renderer: NamedDependency[Renderer]
    ) -> Response[str]:
        """The form, which asks for the password that one has."""
        return renderer.page(request, _PASSWORD_PAGE)

    @post("/password")
    async def change_password(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        sign_in: NamedDependency[SignIn],
    ) -> Page:
        """Choose another; other sessions end."""
        signed = own(request)
        try:
            form = await read_form(request)
            if form.raw("new") != form.raw("again"):
                raise FieldInvalid("type the same password twice", field="again")
            await sign_in.change_password(
                signed.caller, signed.session_id, form.raw("old"), form.raw("new")
            )
        except Refused as problem:
            return renderer.again(request, _PASSWORD_PAGE, problem)
        return go(PASSWORD, said=_("The password was changed. Other browsers were signed out."))


def own(request: PageRequest) -> SignedIn:
    """The session of who looks; only behind the door."""
    if request.user.signed is None:
        raise NotSignedIn
    return request.user.signed


def _typed(form: Form) -> Mapping[str, Any]:
    return {
        "name": form.text("name"),
        "language": form.text("language"),
        "theme": form.text("theme"),
        "wants_mails": form.is_ticked("wantsApprovalMails"),
    }


def _language(form: Form) -> str:
    """One of ours; empty for the browser's."""
    told = form.text("language")
    if told and told not in LANGUAGES:
        raise FieldInvalid("language must be one of those offered", field="language")
    return told


def _theme(form: Form) -> Theme:
    try:
        return Theme(form.text("theme"))
    except ValueError:
        raise FieldInvalid("theme must be one of those offered", field="theme") from None
