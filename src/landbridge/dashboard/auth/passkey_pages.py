"""Passkey sign-in: JSON endpoints for `static/passkeys.js`."""

from collections.abc import Mapping
from typing import TypeAlias, cast

import msgspec
from litestar import Controller, MediaType, Response, post
from litestar.di import NamedDependency

from landbridge.customers.team.errors import PasskeyRefused
from landbridge.customers.team.passkeys import Passkeys
from landbridge.customers.team.sessions import Sessions
from landbridge.dashboard.auth.login_redirect import browser, ip_address
from landbridge.dashboard.authentication import session_cookie
from landbridge.dashboard.json_text import JsonObject
from landbridge.dashboard.local_paths import local_path
from landbridge.dashboard.page_request import PageRequest
from landbridge.dashboard.rendering import headers
from landbridge.platform.core.errors import Refused
from landbridge.platform.http.forms import SIGNED_OUT_BYTES_MAX

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
