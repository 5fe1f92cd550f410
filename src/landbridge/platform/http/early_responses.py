"""Responses to requests that are refused before they reach the application."""

from http import HTTPStatus

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import new_id
from landbridge.platform.http.error_responses import ServiceBusy, envelope
from landbridge.platform.http.responses import encode


def answer_bytes(url: bytes, status: HTTPStatus, sentence: str, *, public_url: str) -> bytes:
    """Return the bytes of an error response; `url` selects one of the two error envelopes."""
    is_busy = status is HTTPStatus.SERVICE_UNAVAILABLE
    error = ServiceBusy if is_busy else FieldInvalid
    path = url.decode("latin-1")
    body = encode(
        envelope(
            path,
            public_url=public_url,
            code=error.code,
            name=error.name,
            status=int(status),
            message=sentence,
            field=None,
        )
    )
    head = [
        f"HTTP/1.1 {int(status)} {status.phrase}",
        "content-type: application/json",
        f"content-length: {len(body)}",
        "connection: close",
        "x-content-type-options: nosniff",
        f"x-request-id: {new_id()}",
        *([f"retry-after: {ServiceBusy.retry_after_s}"] if is_busy else []),
    ]
    return "\r\n".join([*head, "", ""]).encode() + body
