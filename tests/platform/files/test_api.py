import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from litestar import Request

from landbridge.app.container import storage
from landbridge.platform.core.ids import new_id
from landbridge.platform.files.api import FileDownload
from landbridge.platform.files.model import FILE_BYTES_MAX, file_uuid
from tests.platform.files.sample_files import GOOD, HTML, PDF, encoded, png
from tests.platform.files.uploads import FILES, head, place_of, rooms_left, send, send_raw
from tests.tenants import Tenant, good, refusal, sentence


@pytest.mark.parametrize("name", GOOD)
async def test_file_is_returned_unchanged(org: Tenant, name: str) -> None:
    created = good(await send(org, GOOD[name], name))
    assert created.keys() == {"id", "createdAt", "fileName", "size", "mimeType"}
    assert file_uuid(created["id"])
    assert created["fileName"] == name
    assert created["size"] == len(GOOD[name])
    assert await org.get(f"{FILES}/{created['id']}") == created
    answer = await org.send("GET", f"{FILES}/{created['id']}/content")
    assert answer.content == GOOD[name]
    assert answer.headers["content-type"] == created["mimeType"]


async def test_browser_saves_content_and_runs_nothing(org: Tenant) -> None:
    created = good(await send(org, PDF, 'Ä "scan".pdf'))
    answer = await org.send("GET", f"{FILES}/{created['id']}/content")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-disposition"] == (
        "attachment; filename=\"_ _scan_.pdf\"; filename*=UTF-8''%C3%84%20%22scan%22.pdf"
    )


async def test_each_upload_is_a_new_file(org: Tenant) -> None:
    one, other = good(await send(org, PDF)), good(await send(org, PDF))
    assert one["id"] != other["id"]


@pytest.mark.parametrize(
    ("content", "name", "declared"),
    [
        (HTML, "photo.png", "image/png"),
        (b"<svg/>", "photo.png", "image/png"),
        (PDF, "photo.png", None),
        (PDF, "scan.pdf", "image/png"),
        (encoded("PNG"), "photo.jpg", "image/jpeg"),
        (b"", "scan.pdf", None),
        (png(width=100_000, height=100_000, rows=1), "photo.png", None),
        (png(width=20_000, height=20_000), "photo.png", None),
        (encoded("JPEG")[:500], "photo.jpg", None),
        (PDF, "..", None),
    ],
)
async def test_malformed_document_is_refused(
    org: Tenant, content: bytes, name: str, declared: str | None
) -> None:
    answer = await send(org, content, name, declared)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert sentence(answer).startswith("file ")


async def test_ten_megabytes_are_accepted(org: Tenant) -> None:
    filled = PDF[:9] + b"%" * (FILE_BYTES_MAX - len(PDF)) + PDF[9:]
    created = good(await send(org, filled))
    assert created["size"] == FILE_BYTES_MAX
    assert (await org.send("GET", f"{FILES}/{created['id']}/content")).content == filled


async def test_eleven_megabytes_are_refused_before_they_are_read(org: Tenant) -> None:
    read = 0

    async def body() -> AsyncIterator[bytes]:
        nonlocal read
        for _ in range(110):
            read += 1
            yield b"%" * 100_000

    headers = {
        **org.headers,
        "Content-Type": "multipart/form-data; boundary=x",
        "Content-Length": "11000000",
    }
    answer = await org.client.post(FILES, content=body(), headers=headers)
    assert refusal(answer) == "413 FIELD_VALIDATION_ERROR"
    assert sentence(answer) == "file may have at most 10 MB"
    answer = await send(org, PDF + b"%" * 11_000_000)
    assert refusal(answer) == "413 FIELD_VALIDATION_ERROR"


async def test_eleven_megabytes_of_unknown_length_are_refused_at_ten(org: Tenant) -> None:
    read = 0

    async def body() -> AsyncIterator[bytes]:
        nonlocal read
        yield head("scan.pdf") + PDF
        for _ in range(110):
            read += 1
            yield b"%" * 100_000

    answer = await send_raw(org, body(), "multipart/form-data; boundary=x")
    assert refusal(answer) == "413 FIELD_VALIDATION_ERROR"
    assert sentence(answer) == "file may have at most 10 MB"


async def test_one_byte_too_many_is_refused_within_the_body_bound(
    org: Tenant,
) -> None:
    filled = PDF[:9] + b"%" * (FILE_BYTES_MAX + 1 - len(PDF)) + PDF[9:]
    assert refusal(await send(org, filled)) == "413 FIELD_VALIDATION_ERROR"


async def test_other_bodies_still_have_a_megabyte(org: Tenant) -> None:
    answer = await org.send("POST", "/v2/users", b'"' + b"x" * 1_000_001 + b'"')
    assert answer.status_code == 413


async def test_upload_requires_a_key_before_anything_is_read(client: httpx2.AsyncClient) -> None:
    answer = await client.post(FILES, files={"file": ("a.pdf", PDF)})
    assert refusal(answer) == "401 UNAUTHORIZED"


_WHOLE = head("a.pdf") + PDF + b"\r\n--x--\r\n"
_FIELD = b'--x\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nkyc\r\n'


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"--x--\r\n",
        _FIELD + b"--x--\r\n",
        head("a.pdf", "document") + PDF + b"\r\n--x--\r\n",
        head("a.pdf") + PDF + b"\r\n" + _WHOLE,
        b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nabc\r\n--x--\r\n',
        _WHOLE[:-6],
        _WHOLE[:-40],
        _WHOLE.replace(b"--x", b"--y"),
        b"--x\r\n\r\nabc\r\n--x--\r\n",
        b"--x\r\nContent-Disposition form-data\r\n\r\nabc\r\n--x--\r\n",
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="\xff.pdf"\r\n\r\n\r\n--x--',
        b"--x\r\n" + b"A: b\r\n" * 20 + b"\r\n--x--\r\n",
        b"--x\r\nA: " + b"b" * 10_000,
        _FIELD * 50 + _WHOLE,
        b'{"file": "abc"}',
        b"\0" * 100,
    ],
)
async def test_a_body_without_exactly_one_file_is_refused(org: Tenant, body: bytes) -> None:
    answer = await send_raw(org, body, "multipart/form-data; boundary=x")
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"


@pytest.mark.parametrize(
    "content_type",
    [
        *("application/json", "text/plain", "application/x-www-form-urlencoded", "nonsense"),
        *("multipart/form-data", "multipart/form-data; boundary=", "multipart/mixed; boundary=x"),
        "multipart/form-data; boundary=" + "x" * 71,
    ],
)
async def test_body_that_is_no_form_is_refused(org: Tenant, content_type: str) -> None:
    answer = await send_raw(org, _WHOLE, content_type)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"


async def test_a_long_content_type_is_not_parsed(org: Tenant) -> None:
    # Its parameters take a second of all requests.
    answer = await send_raw(org, _WHOLE, 'multipart/form-data; boundary=x; a="' + ";" * 30_000)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert sentence(answer) == "the content type is too long"


@pytest.mark.parametrize("size", [1, 2, 7, 64])
async def test_body_is_read_in_chunks_of_any_size(org: Tenant, size: int) -> None:
    async def body() -> AsyncIterator[bytes]:
        whole = _FIELD + _WHOLE
        for at in range(0, len(whole), size):
            yield whole[at : at + size]

    created = good(await send_raw(org, body(), 'multipart/form-data; boundary="x"'))
    assert created["size"] == len(PDF)


@pytest.mark.parametrize(
    "spelled", ["file_" + "0" * 32, "x", "01a1fdfb-6955-78c9-b60f-fb22b9b2dbd8", "file_", "%00"]
)
async def test_unknown_file_is_not_found(org: Tenant, spelled: str) -> None:
    for path in (f"{FILES}/{spelled}", f"{FILES}/{spelled}/content"):
        assert refusal(await org.send("GET", path)) == "404 RESOURCE_NOT_FOUND"


async def test_file_of_another_organisation_is_not_found(org: Tenant, other_org: Tenant) -> None:
    created = good(await send(org, PDF))
    for path in (f"{FILES}/{created['id']}", f"{FILES}/{created['id']}/content"):
        assert await other_org.refused("GET", path) == "404 RESOURCE_NOT_FOUND"


async def test_name_and_content_are_encrypted_and_not_logged(
    org: Tenant, logged: Callable[[], str]
) -> None:
    marker = f"canary{uuid4().hex}"
    content = PDF[:9] + f"% {marker}\n".encode() + PDF[9:]
    created = good(await send(org, content, f"{marker}.pdf"))
    for bad in (HTML, content + HTML * 100):
        assert refusal(await send(org, bad, f"{marker}.pdf")).startswith("400")
    await send_raw(org, head(marker) + b"x", "multipart/form-data; boundary=x")
    await org.get(f"{FILES}/{created['id']}")
    assert marker in (await org.send("GET", f"{FILES}/{created['id']}/content")).text
    assert marker not in logged()
    rows = await org.container.database.rows(
        "select f::text || c::text as whole from files f join changes c on c.object_id = f.id"
        " and c.org_id = f.org_id where f.org_id = $1",
        org.org_id,
    )
    assert len(rows) == 1
    assert marker not in rows[0]["whole"]
    assert marker.encode().hex() not in rows[0]["whole"]
    stored = await storage(org.container.settings).get(place_of(org, created["id"]))
    assert stored is not None
    assert marker.encode() not in stored
    assert len(stored) > len(content)


async def test_upload_is_recorded_once_without_personal_data(org: Tenant) -> None:
    created = good(await send(org, PDF))
    (row,) = await org.container.database.rows(
        "select kind, change_type, seq, actor, facts from changes where org_id = $1"
        " and kind = 'FILE'",
        org.org_id,
    )
    assert (row["kind"], row["change_type"], row["seq"]) == ("FILE", "create", 1)
    assert row["actor"] == org.caller.actor
    assert json.loads(row["facts"]) == {"mimeType": "application/pdf", "size": created["size"]}


async def test_downloads_beyond_the_bound_get_retry_after(org: Tenant) -> None:
    created = good(await send(org, PDF))
    with ExitStack() as others:
        for _ in range(16):
            others.enter_context(org.container.files.reserve_download(new_id()))
        answer = await org.send("GET", f"{FILES}/{created['id']}/content")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    for _ in range(20):
        assert (await org.send("GET", f"{FILES}/{created['id']}/content")).content == PDF


async def test_downloads_of_one_organisation_leave_room_for_others(
    org: Tenant, other_org: Tenant
) -> None:
    files = org.container.files
    with ExitStack() as many:
        for _ in range(rooms_left(files, org.org_id)):
            many.enter_context(files.reserve_download(org.org_id))
        assert rooms_left(files, other_org.org_id) > 0


async def test_download_holds_its_memory_until_the_client_has_it(org: Tenant) -> None:
    filled = PDF[:9] + b"%" * 200_000 + PDF[9:]
    file = await org.container.files.add(org.caller, name="a.pdf", content=filled)
    ended: list[str] = []
    answer = FileDownload(file, filled, on_sent=lambda: ended.append("done"))
    scope: Any = {"type": "http", "headers": []}
    sent: list[bytes] = []

    async def take(message: Any) -> None:
        assert not ended
        sent.append(message.get("body", b""))

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    await answer.to_asgi_response(None, Request[Any, Any, Any](scope))(scope, receive, take)
    assert b"".join(sent) == filled
    assert max(len(each) for each in sent) == 64 * 1024
    assert ended == ["done"]


async def test_uploads_beyond_the_bound_get_retry_after(org: Tenant, other_org: Tenant) -> None:
    gone_on = asyncio.Event()

    async def body() -> AsyncIterator[bytes]:
        yield head("a.pdf")
        await gone_on.wait()
        yield PDF + b"\r\n--x--\r\n"

    waiting = [
        asyncio.create_task(send_raw(org, body(), "multipart/form-data; boundary=x"))
        for _ in range(8)
    ]
    answers: list[httpx2.Response] = []
    for _ in range(100):
        await asyncio.sleep(0.05)
        if (answer := await send(org, PDF)).status_code == 503:
            answers.append(answer)
            break
    assert (await send(other_org, PDF)).status_code == 200
    gone_on.set()
    assert [answer.headers["retry-after"] for answer in answers] == ["1"]
    assert {(await each).status_code for each in waiting} == {200}
    assert (await send(org, PDF)).status_code == 200


async def test_the_body_is_described_in_openapi(client: httpx2.AsyncClient) -> None:
    document = (await client.get("/openapi.json")).json()
    body = document["paths"][FILES]["post"]["requestBody"]["content"]["multipart/form-data"]
    assert body["schema"]["properties"] == {"file": {"type": "string", "format": "binary"}}
    assert body["schema"]["required"] == ["file"]
