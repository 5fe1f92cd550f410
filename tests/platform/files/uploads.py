"""Uploads of files, and their stored state."""

from contextlib import ExitStack
from typing import Any
from uuid import UUID

import httpx2

from landbridge.platform.core.errors import Busy
from landbridge.platform.files.model import file_uuid
from landbridge.platform.files.service import Files
from landbridge.platform.files.storage import StorageKey
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


def place_of(org: Tenant, file_id: str) -> StorageKey:
    known = file_uuid(file_id)
    assert known is not None
    return StorageKey(org.org_id, known)


async def rows_of(org: Tenant) -> list[str]:
    rows = await org.container.database.rows(
        "select id from files where org_id = $1 order by id", org.org_id
    )
    return [f"file_{row['id'].hex}" for row in rows]


def rooms_left(files: Files, org_id: UUID) -> int:
    """Return how many more downloads this organisation may start now."""
    with ExitStack() as stack:
        for count in range(100):
            try:
                stack.enter_context(files.reserve_download(org_id))
            except Busy:
                return count
    raise AssertionError
