"""Sending files, and what is known of them behind the interface."""

from typing import Any

import httpx2

from landbridge.files.model import file_uuid
from landbridge.files.storage import Place
from tests.tenants import Tenant

FILES = "/v2/files"


async def send(
    org: Tenant, content: bytes, name: str = "scan.pdf", declared: str | None = None
) -> httpx2.Response:
    file = (name, content) if declared is None else (name, content, declared)
    return await org.client.post(FILES, files={"file": file}, headers=org.headers)


async def send_raw(org: Tenant, body: Any, content_type: str) -> httpx2.Response:
    headers = {**org.headers, "Content-Type": content_type}
    return await org.client.post(FILES, content=body, headers=headers)


def head(name: str, part: str = "file") -> bytes:
    return (
        f'--x\r\nContent-Disposition: form-data; name="{part}"; filename="{name}"\r\n\r\n'
    ).encode()


def place_of(org: Tenant, file_id: str) -> Place:
    known = file_uuid(file_id)
    assert known is not None
    return Place(org.org_id, known)


async def rows_of(org: Tenant) -> list[str]:
    rows = await org.house.database.rows(
        "select id from files where org_id = $1 order by id", org.org_id
    )
    return [f"file_{row['id'].hex}" for row in rows]
