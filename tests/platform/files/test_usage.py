"""Limit on the bytes of an organisation's files."""

import asyncio
from datetime import timedelta

import pytest

from landbridge.app.container import storage
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.files.service import Files
from tests.platform.files.sample_files import PDF
from tests.platform.files.uploads import FILES, rows_of, send
from tests.tenants import Tenant, good

# The least that a file counts as.
BLOCK = 4096


def limited(org: Tenant, bytes_per_org: int) -> Files:
    container = org.container
    return Files(
        container.database,
        container.vault,
        storage(container.settings),
        container.clock,
        bytes_per_org=bytes_per_org,
    )


async def usage(org: Tenant) -> int:
    rows = await org.container.database.rows(
        "select bytes from file_usage where org_id = $1", org.org_id
    )
    return sum(row["bytes"] for row in rows)


async def test_uploads_at_once_stay_within_the_limit(org: Tenant, other_org: Tenant) -> None:
    files = limited(org, 3 * BLOCK)
    added = (files.add(org.caller, name="a.pdf", content=PDF) for _ in range(5))
    results = await asyncio.gather(*added, return_exceptions=True)
    refused = [each for each in results if isinstance(each, BaseException)]
    assert [type(each) for each in refused] == [ResourceConflict] * 2
    assert "limit in bytes" in str(refused[0])
    assert (len(await rows_of(org)), await usage(org)) == (3, 3 * BLOCK)
    await files.add(other_org.caller, name="a.pdf", content=PDF)


async def test_a_deleted_file_makes_room_once_its_content_is_gone(org: Tenant) -> None:
    files = limited(org, BLOCK)
    first = good(await send(org, PDF))
    good(await org.send("DELETE", f"{FILES}/{first['id']}"))
    with pytest.raises(ResourceConflict):
        await files.add(org.caller, name="a.pdf", content=PDF)
    await files.sweep({org.org_id: timedelta()})
    assert await usage(org) == 0
    await files.add(org.caller, name="a.pdf", content=PDF)
    assert await usage(org) == BLOCK


async def test_a_large_file_counts_by_its_bytes(org: Tenant) -> None:
    content = PDF.replace(b"%%EOF", b" " * 2 * BLOCK + b"%%EOF")
    await limited(org, 0).add(org.caller, name="a.pdf", content=content)
    assert await usage(org) == len(content)
