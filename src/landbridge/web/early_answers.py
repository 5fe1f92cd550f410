"""Answers that no application gives, to requests that are refused while they are read."""

from http import HTTPStatus

from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import new_id
from landbridge.web.errors import NotServed, envelope
from landbridge.web.reply import encode


def answer_bytes(url: bytes, status: HTTPStatus, sentence: str) -> bytes:
    """A whole answer on the wire; `url` says which of both envelopes is read there."""
    is_busy = status is HTTPStatus.SERVICE_UNAVAILABLE
    error = NotServed if is_busy else FieldInvalid
    path = url.decode("latin-1")
    body = encode(
        envelope(
            path, code=error.code, name=error.name, status=int(status), message=sentence, field=None
        )
    )
    head = [
        f"HTTP/1.1 {int(status)} {status.phrase}",
        "content-type: application/json",
        f"content-length: {len(body)}",
        "connection: close",
        "x-content-type-options: nosniff",
        f"x-request-id: {new_id()}",
        *([f"retry-after: {NotServed.retry_after_s}"] if is_busy else []),
    ]
    return "\r\n".join([*head, "", ""]).encode() + body
