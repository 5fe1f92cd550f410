"""Signing in with a passkey: what `static/passkeys.js` asks, as JSON."""

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

import msgspec
from litestar import Controller, MediaType, Response, post
from litestar.di import NamedDependency

from landbridge.core.errors import Refused
from landbridge.dashboard.door import session_cookie
from landbridge.dashboard.entry.coming_in import browser, ip_address
from landbridge.dashboard.local_paths import local_path
from landbridge.dashboard.pages import Renderer, headers
from landbridge.dashboard.visitors import PageRequest
from landbridge.members.errors import PasskeyRefused
from landbridge.members.passkeys import Passkeys
from landbridge.members.sessions import Sessions
from landbridge.web.forms import SIGNED_OUT_BYTES_MAX

Json: TypeAlias = Response[bytes]


class PasskeyPages(Controller):
    """`/dashboard/sign-in/passkey`."""

    path = "/sign-in/passkey"

    @post("/options", signed_out=True, request_max_body_size=SIGNED_OUT_BYTES_MAX, status_code=200)
    async def options(self, request: PageRequest, passkeys: NamedDependency[Passkeys]) -> Json:
        """What the browser is to ask its devices."""
        try:
            told = await passkeys.authentication(
                browser=request.user.csrf, ip_address=ip_address(request)
            )
        except Refused as problem:
            return refused(problem)
        return answered(told)

    @post("/finish", signed_out=True, request_max_body_size=SIGNED_OUT_BYTES_MAX, status_code=200)
    async def finish(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        passkeys: NamedDependency[Passkeys],
        sessions: NamedDependency[Sessions],
    ) -> Json:
        """Begin a session, with both factors given."""
        try:
            told = await told_json(request)
            secret = await passkeys.sign_in(
                told,
                browser=request.user.csrf,
                ip_address=ip_address(request),
                browser_name=browser(request),
            )
        except Refused as problem:
            return refused(problem)
        if request.user.signed is not None:
            await sessions.sign_out(request.user.signed)
        answer = answered({"next": local_path(request.query_params.get("next"))})
        answer.cookies.append(session_cookie(secret, base_url=renderer.surroundings.base_url))
        return answer


async def told_json(request: PageRequest) -> Mapping[str, Any]:
    """What a script sent; raises `PasskeyRefused` for anything but an object."""
    try:
        told = msgspec.json.decode(await request.body())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PasskeyRefused from error
    if not isinstance(told, dict):
        raise PasskeyRefused
    return cast("dict[str, Any]", told)


def answered(value: Mapping[str, Any], *, status: int = 200) -> Json:
    """An answer to a script of ours."""
    return Response(
        msgspec.json.encode(value),
        status_code=status,
        media_type=MediaType.JSON,
        headers=headers(),
    )


def refused(problem: Refused) -> Json:
    """A refusal, for a script of ours to show."""
    answer = answered({"message": problem.message}, status=problem.status)
    if problem.retry_after_s is not None:
        answer.headers["Retry-After"] = str(problem.retry_after_s)
    return answer
