"""Routes of files: /v2/files. Source: contract, users 3.5 and interface/file."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from litestar import Controller, Response, delete, get, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import OpenAPIMediaType, Operation, RequestBody, Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType
from litestar.params import FromPath
from litestar.types import Message, Receive, Scope, Send
from typing_extensions import override

from landbridge.platform.files.model import PART, StoredFileInfo, file_id
from landbridge.platform.files.service import Files
from landbridge.platform.files.upload import UPLOAD_BYTES_MAX, read_upload
from landbridge.platform.http.auth_guard import check_after_body
from landbridge.platform.http.caller import ApiRequest, check_sees_documents
from landbridge.platform.http.responses import Moment, WireStruct, reply_of
from landbridge.platform.idempotency.service import IdempotencyKeys

# Whatever a file contains, browsers save it without sniffing or running it.
_CONTENT_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
# Size in which a download is sent; the next slice waits until the client has read the previous one.
_SLICE_BYTES = 64 * 1024
# Seconds that ten megabytes take at 0.7 megabits per second.
_DOWNLOAD_TIMEOUT_S = 120


class FileReply(WireStruct, frozen=True):
    """A file: `size` in bytes, `mimeType` determined from the content."""

    id: str
    created_at: Moment
    file_name: str
    size: int
    mime_type: str


def _body() -> RequestBody:
    file = Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.BINARY)
    form = Schema(type=OpenAPIType.OBJECT, properties={PART: file}, required=[PART])
    return RequestBody(content={"multipart/form-data": OpenAPIMediaType(form)}, required=True)


@dataclass
class UploadOperation(Operation):
    """Describes the body in the OpenAPI document; the route parses it itself."""

    def __post_init__(self) -> None:
        self.request_body = _body()


class FileDownload(Response[bytes]):
    """A file sent to a browser: to be saved, never displayed or run.

    It is sent in slices, so that `on_sent` is called when the client has read nearly all of it, not
    when it is still in our memory. A download that takes longer than two minutes is cut off.
    """

    def __init__(
        self, file: StoredFileInfo, content: bytes, *, on_sent: Callable[[], None]
    ) -> None:
        super().__init__(
            content,
            media_type=str(file.mime_type),
            headers={"Content-Disposition": _disposition(file.name), **_CONTENT_HEADERS},
        )
        self._on_sent = on_sent

    @override
    def to_asgi_response(self, *args: Any, **options: Any) -> Any:
        """Return the response, sent in slices."""
        untyped: Any = super()
        response = untyped.to_asgi_response(*args, **options)

        async def respond(scope: Scope, receive: Receive, send: Send) -> None:
            try:
                async with asyncio.timeout(_DOWNLOAD_TIMEOUT_S):
                    await response(scope, receive, _in_slices(send))
            finally:
                self._on_sent()

        return respond


def _in_slices(send: Send) -> Send:
    async def sliced(message: Message) -> None:
        body = message["body"] if message["type"] == "http.response.body" else b""
        if len(body) <= _SLICE_BYTES:
            await send(message)
            return
        for at in range(0, len(body), _SLICE_BYTES):
            part = body[at : at + _SLICE_BYTES]
            is_last = at + _SLICE_BYTES >= len(body)
            await send({"type": "http.response.body", "body": part, "more_body": not is_last})

    return sliced


class FileRoutes(Controller):
    """Send and fetch files."""

    path = "/v2/files"
    tags = ("Files",)

    @post(
        status_code=200,
        summary="Upload a file",
        keyed=True,
        operation_class=UploadOperation,
        request_max_body_size=UPLOAD_BYTES_MAX,
        operation_id="files.create",
    )
    async def upload(
        self,
        request: ApiRequest,
        files: NamedDependency[Files],
        idempotency_keys: NamedDependency[IdempotencyKeys],
    ) -> FileReply:
        """Keeps a pdf, jpeg, png, heic or tif of up to 10 MB, sent as the part `file`."""
        async with files.reserve_upload(request.user.org_id):
            upload = await read_upload(request)
            await check_after_body(request)
            digest = sha256(upload.content).hexdigest()
            file = await idempotency_keys.run(
                request,
                [upload.name, upload.declared, digest],
                lambda claim: files.add(
                    request.user,
                    name=upload.name,
                    content=upload.content,
                    declared=upload.declared,
                    claim=claim,
                ),
                lambda key: files.get(key.org_id, file_id(key.object_id)),
            )
        return _shape(file)

    @get("/{fileId:str}", summary="Retrieve a file", operation_id="files.retrieve")
    async def retrieve(
        self, request: ApiRequest, fileId: FromPath[str], files: NamedDependency[Files]
    ) -> FileReply:
        """Metadata of a file, without its content."""
        return _shape(await files.get(request.user.org_id, fileId))

    @get(
        "/{fileId:str}/content",
        summary="Download a file",
        responses={
            200: ResponseSpec(bytes, media_type="application/octet-stream", generate_examples=False)
        },
        operation_id="files.download",
    )
    async def content(
        self, request: ApiRequest, fileId: FromPath[str], files: NamedDependency[Files]
    ) -> Response[bytes]:
        """The bytes as they were uploaded; not for analysts and keys that only read."""
        check_sees_documents(request.user)
        with ExitStack() as stack:
            stack.enter_context(files.reserve_download(request.user.org_id))
            file, content = await files.read(request.user.org_id, fileId)
            return FileDownload(file, content, on_sent=stack.pop_all().close)

    @delete("/{fileId:str}", status_code=200, summary="Delete a file", operation_id="files.delete")
    async def remove(
        self, request: ApiRequest, fileId: FromPath[str], files: NamedDependency[Files]
    ) -> FileReply:
        """Deletes a file that no document references, for good; returns its last state."""
        return _shape(await files.delete(request.user, fileId))


def _disposition(name: str) -> str:
    """Return a header with the file name in two forms: ASCII and complete. Source: RFC 6266."""
    plain = "".join(each if each.isalnum() or each in "-_. " else "_" for each in name)
    ascii_only = plain.encode("ascii", errors="replace").decode().replace("?", "_")
    return f"attachment; filename=\"{ascii_only}\"; filename*=UTF-8''{quote(name, safe='')}"


def _shape(file: StoredFileInfo) -> FileReply:
    return reply_of(file, FileReply, file_name=file.name, mime_type=str(file.mime_type))
