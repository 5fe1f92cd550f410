"""The member's own passkeys: add with `static/passkeys.js`, rename, remove."""

from typing import Final

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.customers.team.errors import PasskeyRefused
from landbridge.customers.team.passkeys import Passkeys
from landbridge.customers.team.sessions import Sessions
from landbridge.dashboard.auth.passkey_pages import (
    Json,
    json_refusal,
    json_response,
    read_json_object,
)
from landbridge.dashboard.auth.profile_pages import PROFILE, require_session
from landbridge.dashboard.auth.proof_pages import redirect_to_password_check
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.page_request import Page, PageRequest, redirect
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.path_params import known_id

HOME: Final = f"{PROFILE}/passkeys"
_PAGE, _ONE = "auth/passkeys.html", "auth/passkey.html"


class OwnPasskeyPages(Controller):
    """`/dashboard/profile/passkeys`."""

    path = "/profile/passkeys"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        passkeys: NamedDependency[Passkeys],
        sessions: NamedDependency[Sessions],
    ) -> Response[str]:
        """List the member's passkeys and show the form to add one."""
        found = await passkeys.of(request.user.caller)
        return request.page(
            _PAGE,
            passkeys=found,
            are_possible=passkeys.are_possible,
            is_fresh=sessions.is_fresh(require_session(request)),
        )

    @post("/options", status_code=200)
    async def options(
        self,
        request: PageRequest,
        passkeys: NamedDependency[Passkeys],
        sessions: NamedDependency[Sessions],
    ) -> Json:
        """Return the WebAuthn creation options; requires a recently confirmed identity."""
        try:
            sessions.check_fresh(require_session(request))
            options = await passkeys.registration(request.user.caller, browser=request.user.csrf)
        except Refused as problem:
            return json_refusal(problem)
        return json_response(options)

    @post("/finish", status_code=200)
    async def finish(
        self,
        request: PageRequest,
        passkeys: NamedDependency[Passkeys],
        sessions: NamedDependency[Sessions],
    ) -> Json:
        """Register the passkey that the device has created."""
        try:
            sessions.check_fresh(require_session(request))
            body = await read_json_object(request)
            credential, name = body.get("credential"), body.get("name")
            if not isinstance(credential, dict) or not isinstance(name, str) or "\x00" in name:
                raise PasskeyRefused
            await passkeys.register(
                request.user.caller,
                credential,
                name=name.strip(),
                browser=request.user.csrf,
            )
        except Refused as problem:
            return json_refusal(problem)
        return json_response({"next": HOME})

    @get("/{passkey_id:str}")
    async def rename_form(
        self, request: PageRequest, passkey_id: FromPath[str], passkeys: NamedDependency[Passkeys]
    ) -> Page:
        """Show the form to rename a passkey."""
        known = known_id(passkey_id, "passkey")
        for each in await passkeys.of(request.user.caller):
            if each.id == known:
                return request.page(_ONE, name=each.name, passkey_id=each.id)
        return redirect(HOME, notice=_("This passkey no longer exists."))

    @post("/{passkey_id:str}")
    async def rename(
        self, request: PageRequest, passkey_id: FromPath[str], passkeys: NamedDependency[Passkeys]
    ) -> Page:
        """Rename the passkey."""
        known, form = known_id(passkey_id, "passkey"), Form()
        try:
            form = await read_form(request)
            await passkeys.rename(request.user.caller, known, form.text("name"))
        except Refused as problem:
            return request.with_problem(_ONE, problem, name=form.text("name"), passkey_id=known)
        return redirect(HOME, notice=_("Passkey renamed"))

    @post("/{passkey_id:str}/remove")
    async def remove(
        self,
        request: PageRequest,
        passkey_id: FromPath[str],
        passkeys: NamedDependency[Passkeys],
        sessions: NamedDependency[Sessions],
    ) -> Page:
        """Remove the passkey; it can no longer be used to sign in."""
        if not sessions.is_fresh(require_session(request)):
            return redirect_to_password_check(HOME)
        await passkeys.remove(request.user.caller, known_id(passkey_id, "passkey"))
        return redirect(HOME, notice=_("Passkey removed"))
