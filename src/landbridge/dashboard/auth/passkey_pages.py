"""Passkeys, with `static/passkeys.js`: sign-in, and the member's own to add, rename, remove."""

from collections.abc import Mapping
from typing import Final, TypeAlias, cast

import msgspec
from litestar import Controller, MediaType, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.customers.team.errors import PasskeyRefused
from landbridge.customers.team.passkeys import Passkeys
from landbridge.customers.team.sessions import Sessions
from landbridge.dashboard.auth.login_redirect import browser, ip_address
from landbridge.dashboard.auth.mfa_pages import redirect_to_password_check
from landbridge.dashboard.auth.profile_pages import PROFILE, require_session
from landbridge.dashboard.authentication import session_cookie
from landbridge.dashboard.json_text import JsonObject
from landbridge.dashboard.local_paths import local_path
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.dashboard.rendering import headers
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.forms import SIGNED_OUT_BYTES_MAX
from landbridge.platform.http.path_params import known_id

Json: TypeAlias = Response[bytes]


class PasskeyPages(Controller):
    """`/dashboard/sign-in/passkey`."""

    path = "/sign-in/passkey"

    @post("/options", signed_out=True, request_max_body_size=SIGNED_OUT_BYTES_MAX, status_code=200)
    async def options(self, request: PageRequest, passkeys: NamedDependency[Passkeys]) -> Json:
        """Return the WebAuthn request options."""
        try:
            options = await passkeys.authentication(
                browser=request.user.csrf, ip_address=ip_address(request)
            )
        except Refused as problem:
            return json_refusal(problem)
        return json_response(options)

    @post("/finish", signed_out=True, request_max_body_size=SIGNED_OUT_BYTES_MAX, status_code=200)
    async def finish(
        self,
        request: PageRequest,
        passkeys: NamedDependency[Passkeys],
        sessions: NamedDependency[Sessions],
    ) -> Json:
        """Verify the passkey and start a session; a passkey counts as both factors."""
        try:
            credential = await read_json_object(request)
            secret = await passkeys.sign_in(
                credential,
                browser=request.user.csrf,
                ip_address=ip_address(request),
                browser_name=browser(request),
            )
        except Refused as problem:
            return json_refusal(problem)
        if request.user.signed is not None:
            await sessions.sign_out(request.user.signed)
        response = json_response({"next": local_path(request.query_params.get("next"))})
        response.cookies.append(session_cookie(secret, base_url=request.installation.base_url))
        return response


async def read_json_object(request: PageRequest) -> JsonObject:
    """Return the JSON object of the request body; raises `PasskeyRefused` for anything else."""
    try:
        body = msgspec.json.decode(await request.body())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PasskeyRefused from error
    if not isinstance(body, dict):
        raise PasskeyRefused
    return cast("JsonObject", body)


def json_response(value: Mapping[str, object], *, status: int = 200) -> Json:
    """Return a JSON response for the dashboard's scripts."""
    return Response(
        msgspec.json.encode(value),
        status_code=status,
        media_type=MediaType.JSON,
        headers=headers(),
    )


def json_refusal(problem: Refused) -> Json:
    """Return a refusal as JSON, for the dashboard's scripts to show."""
    response = json_response({"message": problem.message}, status=problem.status)
    if problem.retry_after_s is not None:
        response.headers["Retry-After"] = str(problem.retry_after_s)
    return response


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
