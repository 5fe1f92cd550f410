"""A file that a browser sent, on to the interface."""

import msgspec

from landbridge.core.ids import new_id
from landbridge.onboarding.uploads import Sent
from landbridge.web.inside import Interface


async def send_file(interface: Interface, sent: Sent) -> str | None:
    """The id of the file that was sent; None if none was chosen. Raises what was refused."""
    if sent.problem is not None:
        raise sent.problem
    if sent.content is None and not sent.name:
        return None
    boundary = new_id().hex
    printable = "".join(each for each in sent.name if each.isprintable() and each not in '"\\')
    name = printable or "file"
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        f"Content-Type: {_content_type(sent)}\r\n\r\n"
    ).encode()
    answer = await interface.send(
        "POST",
        "/v2/files",
        body=b"".join([head, sent.content or b"", f"\r\n--{boundary}--\r\n".encode()]),
        headers={"content-type": f"multipart/form-data; boundary={boundary}"},
    )
    return str(msgspec.json.decode(answer.body)["id"])


def _content_type(sent: Sent) -> str:
    """As the browser said, if that can stand in a header."""
    told = sent.declared or ""
    is_plain = told.isascii() and told.isprintable() and "/" in told
    return told if is_plain else "application/octet-stream"
