"""One's own passkeys: added by `static/passkeys.js`, named, removed."""

from typing import Any, Final, cast

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.core.errors import Refused
from landbridge.dashboard.entry.passkey_pages import Json, answered, refused, told_json
from landbridge.dashboard.entry.profile_pages import PROFILE, own
from landbridge.dashboard.entry.proof_pages import to_proof
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.members.errors import PasskeyRefused
from landbridge.members.passkeys import Passkeys
from landbridge.members.sessions import Sessions
from landbridge.web.paths import known_id

HOME: Final = f"{PROFILE}/passkeys"
_PAGE, _ONE = "entry/passkeys.html", "entry/passkey.html"


class OwnPasskeyPages(Controller):
    """`/dashboard/profile/passkeys`."""

    path = "/profile/passkeys"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        passkeys: NamedDependency[Passkeys],
        sessions: NamedDependency[Sessions],
    ) -> Response[str]:
        """All of them, and how to add one."""
        found = await passkeys.of(request.user.caller)
        return renderer.page(
            request,
            _PAGE,
            passkeys=found,
            are_possible=passkeys.are_possible,
            is_fresh=sessions.is_fresh(own(request)),
        )

    @post("/options", status_code=200)
    async def options(
        self,
        request: PageRequest,
        passkeys: NamedDependency[Passkeys],
        sessions: NamedDependency[Sessions],
    ) -> Json:
        """What the browser is to ask its devices; for who has proven lately who they are."""
        try:
            sessions.check_fresh(own(request))
            told = await passkeys.registration(request.user.caller, browser=request.user.csrf)
        except Refused as problem:
            return refused(problem)
        return answered(told)

    @post("/finish", status_code=200)
    async def finish(
        self,
        request: PageRequest,
        passkeys: NamedDependency[Passkeys],
        sessions: NamedDependency[Sessions],
    ) -> Json:
        """Take what a device has made."""
        try:
            sessions.check_fresh(own(request))
            told = await told_json(request)
            credential, name = told.get("credential"), told.get("name")
            if not isinstance(credential, dict) or not isinstance(name, str) or "\x00" in name:
                raise PasskeyRefused
            await passkeys.register(
                request.user.caller,
                cast("dict[str, Any]", credential),
                name=name.strip(),
                browser=request.user.csrf,
            )
        except Refused as problem:
            return refused(problem)
        return answered({"next": HOME})

    @get("/{passkey_id:str}")
    async def one(
        self,
        request: PageRequest,
        passkey_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        passkeys: NamedDependency[Passkeys],
    ) -> Page:
        """One of them: its name."""
        wanted = known_id(passkey_id, "passkey")
        for each in await passkeys.of(request.user.caller):
            if each.id == wanted:
                return renderer.page(request, _ONE, name=each.name, passkey_id=each.id)
        return go(HOME, said=_("This passkey is gone already."))

    @post("/{passkey_id:str}")
    async def rename(
        self,
        request: PageRequest,
        passkey_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        passkeys: NamedDependency[Passkeys],
    ) -> Page:
        """Call it otherwise."""
        wanted, form = known_id(passkey_id, "passkey"), Form()
        try:
            form = await read_form(request)
            await passkeys.rename(request.user.caller, wanted, form.text("name"))
        except Refused as problem:
            return renderer.again(request, _ONE, problem, name=form.text("name"), passkey_id=wanted)
        return go(HOME, said=_("The passkey was renamed."))

    @post("/{passkey_id:str}/remove")
    async def remove(
        self,
        request: PageRequest,
        passkey_id: FromPath[str],
        passkeys: NamedDependency[Passkeys],
        sessions: NamedDependency[Sessions],
    ) -> Page:
        """Let nobody sign in with it any more."""
        if not sessions.is_fresh(own(request)):
            return to_proof(HOME)
        await passkeys.remove(request.user.caller, known_id(passkey_id, "passkey"))
        return go(HOME, said=_("The passkey was removed."))
