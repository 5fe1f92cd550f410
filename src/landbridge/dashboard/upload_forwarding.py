"""Forwarding of a browser's upload to the API."""

import msgspec

from landbridge.customers.onboarding.multipart_form import SubmittedForm
from landbridge.platform.core.ids import new_id
from landbridge.platform.http.internal_client import InternalClient


async def send_file(interface: InternalClient, upload: SubmittedForm) -> str | None:
    """Upload the file and return its id; None if none was chosen. Raises refusals."""
    if upload.problem is not None:
        raise upload.problem
    if upload.content is None and not upload.name:
        return None
    boundary = new_id().hex
    printable = "".join(each for each in upload.name if each.isprintable() and each not in '"\\')
    name = printable or "file"
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        f"Content-Type: {_content_type(upload)}\r\n\r\n"
    ).encode()
    response = await interface.send(
        "POST",
        "/v2/files",
        body=b"".join([head, upload.content or b"", f"\r\n--{boundary}--\r\n".encode()]),
        headers={"content-type": f"multipart/form-data; boundary={boundary}"},
    )
    return str(msgspec.json.decode(response.body)["id"])


def _content_type(upload: SubmittedForm) -> str:
    """Return the content type declared by the browser if it is a valid header value."""
    declared = upload.declared or ""
    is_plain = declared.isascii() and declared.isprintable() and "/" in declared
    return declared if is_plain else "application/octet-stream"
