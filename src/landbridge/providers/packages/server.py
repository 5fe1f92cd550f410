"""HTTP server of a package: the provider protocol on loopback, for the parent process.

Guarantees:
- a request that is not signed with the parent process's key calls nothing;
- an exception, a value of another type and a call that takes too long get no signed answer;
- no answer and no log has the message of a package's exception.
"""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from http import HTTPStatus

import msgspec
import structlog
from aiohttp import web

from landbridge.platform.core.clock import ReadingClock
from landbridge.providers.packages.interface import (
    ApplicationDocumentRequest,
    ApplicationKey,
    ApplicationRefused,
    ApplicationRequest,
    KeyConflict,
    NotDone,
    PayoutRefused,
    PayoutRequest,
    ProviderPackage,
    WebhookInvalid,
)
from landbridge.providers.packages.loading import place_of
from landbridge.providers.packages.verbs import VERBS, PackageVerb
from landbridge.providers.sidecar.identity_protocol import (
    DOCUMENT_REQUEST_BYTES_MAX,
    ApplicationRefusal,
)
from landbridge.providers.sidecar.protocol import (
    DescribeRequest,
    ErrorCode,
    PayoutRefusal,
    SidecarError,
)
from landbridge.providers.sidecar.signing import (
    SIGNATURE_HEADER,
    SignatureInvalid,
    SignedPurpose,
    SigningSecret,
    sign,
    verify,
)

_log = structlog.stdlib.get_logger()

_EMPTY = b"{}"


@dataclass(frozen=True, slots=True)
class PackageServer:
    """Serves one package; a call is cancelled after `timeout_s`."""

    name: str
    package: ProviderPackage
    serves: Collection[str]
    key: SigningSecret
    timeout_s: int
    clock: ReadingClock

    async def listen(self) -> int:
        """Serve on a free port of loopback; return the port."""
        app = web.Application(client_max_size=DOCUMENT_REQUEST_BYTES_MAX)
        app.router.add_post("/{path:.*}", self._serve)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port: int = runner.addresses[0][1]
        return port

    async def _serve(self, request: web.Request) -> web.Response:
        """Answer a request; without an answer, its connection is closed."""
        answer = await self._answer(request, await request.read())
        if answer is None:
            if request.transport is not None:
                request.transport.close()
            # Any other exception would be answered with 500, which is not signed either.
            raise asyncio.CancelledError
        return self._signed(request, *answer)

    async def _answer(self, request: web.Request, body: bytes) -> tuple[HTTPStatus, bytes] | None:
        """Return status and body of the answer to a request; None if there is no answer."""
        try:
            verify(
                [self.key],
                request.headers,
                SignedPurpose.REQUEST,
                f"POST {request.path}",
                body,
                at_s=self._now_s(),
            )
        except SignatureInvalid:
            return HTTPStatus.UNAUTHORIZED, _EMPTY
        verb = VERBS.get(request.path)
        if verb is None or verb.name not in self.serves:
            return HTTPStatus.NOT_FOUND, _EMPTY
        try:
            message = msgspec.json.decode(body, type=verb.request)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return HTTPStatus.BAD_REQUEST, _EMPTY
        return await self._call(verb, message)

    async def _call(  # noqa: PLR0911  one for each exception of the interface
        self, verb: PackageVerb, message: msgspec.Struct
    ) -> tuple[HTTPStatus, bytes] | None:
        limit = asyncio.timeout(self.timeout_s)
        arguments = () if isinstance(message, DescribeRequest) else (message,)
        try:
            async with limit:
                answer: object = await getattr(self.package, verb.name)(*arguments)
        except (PayoutRefused, ApplicationRefused) as refused:
            return self._refused(verb, message, refused)
        except NotDone:
            return _NOT_DONE
        except KeyConflict:
            return _KEY_CONFLICT
        except WebhookInvalid:
            return _WEBHOOK_INVALID
        except Exception as error:  # noqa: BLE001  of code of others, whatever it is
            if limit.expired():
                _log.warning("provider.package_timeout", provider=self.name, method=verb.name)
                return None
            return self._failed(verb, place_of(error))
        return self._encoded(verb, answer)

    def _refused(
        self, verb: PackageVerb, message: msgspec.Struct, refused: Exception
    ) -> tuple[HTTPStatus, bytes]:
        match refused, message:
            case PayoutRefused(), PayoutRequest(key=key):
                refusal = PayoutRefusal(key=key, failure_code=refused.failure_code)
            case (
                ApplicationRefused(),
                ApplicationRequest(key=key)
                | ApplicationDocumentRequest(key=key)
                | ApplicationKey(key=key),
            ):
                refusal = ApplicationRefusal(key=key, code=refused.code)
            case _:
                return self._failed(verb, type(refused).__name__)
        return HTTPStatus.UNPROCESSABLE_ENTITY, msgspec.json.encode(refusal)

    def _encoded(self, verb: PackageVerb, answer: object) -> tuple[HTTPStatus, bytes]:
        if not isinstance(answer, verb.answers):
            return self._failed(verb, f"it returned {type(answer).__name__}")
        if answer is None:
            return _UNKNOWN_KEY if len(verb.answers) > 1 else (HTTPStatus.OK, _EMPTY)
        try:
            return HTTPStatus.OK, msgspec.json.encode(answer)
        except Exception as error:  # noqa: BLE001  members may be objects of the package
            return self._failed(verb, place_of(error))

    def _failed(self, verb: PackageVerb, reason: str) -> tuple[HTTPStatus, bytes]:
        _log.warning("provider.package_error", provider=self.name, method=verb.name, reason=reason)
        return HTTPStatus.INTERNAL_SERVER_ERROR, _EMPTY

    def _signed(self, request: web.Request, status: HTTPStatus, body: bytes) -> web.Response:
        subject = f"{status.value} {request.headers.get(SIGNATURE_HEADER, '')}"
        headers = sign(self.key, SignedPurpose.ANSWER, subject, body, at_s=self._now_s())
        return web.Response(status=status, headers=headers, body=body)

    def _now_s(self) -> int:
        return int(self.clock.now().timestamp())


def _error(code: ErrorCode) -> bytes:
    return msgspec.json.encode(SidecarError(code=code))


_NOT_DONE = (HTTPStatus.SERVICE_UNAVAILABLE, _error(ErrorCode.NOT_DONE))
_KEY_CONFLICT = (HTTPStatus.CONFLICT, _error(ErrorCode.KEY_CONFLICT))
_UNKNOWN_KEY = (HTTPStatus.NOT_FOUND, _error(ErrorCode.UNKNOWN_KEY))
_WEBHOOK_INVALID = (HTTPStatus.FORBIDDEN, _EMPTY)
