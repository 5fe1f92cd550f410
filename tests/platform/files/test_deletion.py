"""End of files: erased, deleted, never used, or never stored."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from landbridge.app.container import FILES_FOLDER, Container, storage
from landbridge.platform.core.errors import Busy, Unavailable
from landbridge.platform.files.service import Files
from landbridge.platform.files.storage import Storage, StorageKey
from tests.customers.kyc.samples import document
from tests.platform.files.sample_files import PDF
from tests.platform.files.uploads import FILES, place_of, rows_of, send
from tests.tenants import Tenant, good, make_user, refusal


async def test_erased_file_is_unreadable_at_once_and_deleted_by_the_cleanup(org: Tenant) -> None:
    created, inner = good(await send(org, PDF)), good(await send(org, PDF))
    container, key = org.container, place_of(org, created["id"])
    sealed = await storage(container.settings).get(key)
    assert sealed
    await container.database.transact(
        lambda tx: container.files.erase(tx, org.org_id, [created["id"], "nonsense"])
    )
    for path in (f"{FILES}/{created['id']}", f"{FILES}/{created['id']}/content"):
        assert await org.refused("GET", path) == "404 RESOURCE_NOT_FOUND"
    assert (
        await container.database.single(
            lambda tx: container.vault.find(tx, org.org_id, key.file_id)
        )
        is None
    )
    await container.files.sweep({org.org_id: timedelta()})
    assert await storage(container.settings).get(key) is None
    assert await rows_of(org) == [inner["id"]]
    assert (await org.send("GET", f"{FILES}/{inner['id']}/content")).content == PDF


async def test_erasing_for_another_organisation_does_nothing(
    org: Tenant, other_org: Tenant
) -> None:
    created = good(await send(org, PDF))
    await org.container.database.transact(
        lambda tx: org.container.files.erase(tx, other_org.org_id, [created["id"]])
    )
    assert (await org.send("GET", f"{FILES}/{created['id']}/content")).content == PDF


class Failing:
    """Storage that fails every call."""

    async def put(self, place: StorageKey, content: bytes) -> None:
        del place, content
        raise Unavailable("down")

    async def get(self, place: StorageKey) -> bytes | None:
        del place
        raise Unavailable("down")

    async def delete(self, place: StorageKey) -> None:
        del place
        raise Unavailable("down")


class Stuck:
    """Storage that can't delete some contents."""

    def __init__(self, kept: Storage, stuck: set[StorageKey]) -> None:
        self.kept, self.stuck = kept, stuck
        self.put, self.get = kept.put, kept.get

    async def delete(self, place: StorageKey) -> None:
        if place in self.stuck:
            raise Unavailable("stuck")
        await self.kept.delete(place)


class Slow:
    """Storage that takes a day and a half to store a content."""

    def __init__(self, org: Tenant, kept: Storage) -> None:
        self.org, self.kept = org, kept
        self.get, self.delete = kept.get, kept.delete

    async def put(self, place: StorageKey, content: bytes) -> None:
        await self.org.container.files.sweep({self.org.org_id: timedelta(hours=36)})
        await self.kept.put(place, content)


def files_over(container: Container, port: Any) -> Files:
    return Files(container.database, container.vault, port, container.clock, bytes_per_org=0)


async def test_file_without_stored_content_is_not_found_and_deleted_after_a_day(
    org: Tenant,
) -> None:
    failing = files_over(org.container, Failing())
    with pytest.raises(Busy):
        await failing.add(org.caller, name="a.pdf", content=PDF)
    (hidden,) = await rows_of(org)
    assert await org.refused("GET", f"{FILES}/{hidden}") == "404 RESOURCE_NOT_FOUND"
    await org.container.files.sweep({org.org_id: timedelta(hours=23)})
    assert await rows_of(org) == [hidden]
    await failing.sweep({org.org_id: timedelta(hours=25)})
    assert await rows_of(org) == [hidden], "a row leads to its content until that is gone"
    await org.container.files.sweep({org.org_id: timedelta(hours=26)})
    assert await rows_of(org) == []


async def test_unavailable_storage_is_a_503_with_retry_after(org: Tenant) -> None:
    created = good(await send(org, PDF))
    with pytest.raises(Busy, match="could not be read"):
        await files_over(org.container, Failing()).content(org.org_id, created["id"])


async def test_cleanup_deletes_files_unreferenced_for_a_month(org: Tenant) -> None:
    created, named = good(await send(org, PDF)), good(await send(org, PDF))
    await name_in_document(org, named["id"])
    await org.container.files.sweep({org.org_id: timedelta(days=29)})
    assert (await org.send("GET", f"{FILES}/{created['id']}/content")).content == PDF
    await org.container.files.sweep({org.org_id: timedelta(days=31)})
    assert await org.refused("GET", f"{FILES}/{created['id']}") == "404 RESOURCE_NOT_FOUND"
    assert await storage(org.container.settings).get(place_of(org, created["id"])) is None
    assert await list_changes(org, created["id"]) == [("create", 1), ("delete", 2)]
    await org.container.files.sweep({org.org_id: timedelta(days=10_000)})
    assert await rows_of(org) == [named["id"]]
    assert (await org.send("GET", f"{FILES}/{named['id']}/content")).content == PDF


async def test_unreferenced_file_is_deleted(org: Tenant) -> None:
    created = good(await send(org, PDF))
    key = place_of(org, created["id"])
    answer = await org.send("DELETE", f"{FILES}/{created['id']}")
    assert good(answer) == created
    assert await org.refused("DELETE", f"{FILES}/{created['id']}") == "404 RESOURCE_NOT_FOUND"
    assert await org.refused("GET", f"{FILES}/{created['id']}/content") == "404 RESOURCE_NOT_FOUND"
    refused = await org.send(
        "POST", await documents_path(org), [document(url=None, fileId=created["id"])]
    )
    assert refusal(refused) == "400 FIELD_VALIDATION_ERROR"
    container = org.container
    assert (
        await container.database.single(
            lambda tx: container.vault.find(tx, org.org_id, key.file_id)
        )
        is None
    )
    await container.files.sweep({org.org_id: timedelta()})
    assert await storage(container.settings).get(key) is None
    assert await rows_of(org) == []
    assert await list_changes(org, created["id"]) == [("create", 1), ("delete", 2)]


async def test_referenced_file_is_not_deleted(org: Tenant) -> None:
    created, other = good(await send(org, PDF)), good(await send(org, PDF))
    path, document_id = await name_in_document(org, created["id"])
    assert await org.refused("DELETE", f"{FILES}/{created['id']}") == "409 RESOURCE_CONFLICT"
    await org.post(f"{path}/{document_id}", {"fileId": other["id"]})
    assert await org.refused("DELETE", f"{FILES}/{created['id']}") == "409 RESOURCE_CONFLICT"
    assert (await org.send("GET", f"{FILES}/{created['id']}/content")).content == PDF


async def test_one_of_concurrent_deletion_and_claim_wins(org: Tenant) -> None:
    path = await documents_path(org)
    for _ in range(5):
        created = good(await send(org, PDF))
        deleted, named = await asyncio.gather(
            org.send("DELETE", f"{FILES}/{created['id']}"),
            org.send("POST", path, [document(url=None, fileId=created["id"])]),
        )
        assert sorted([deleted.status_code, named.status_code]) in ([200, 400], [200, 409])
        answer = await org.send("GET", f"{FILES}/{created['id']}/content")
        assert (answer.status_code == 200) == (named.status_code == 200)


async def test_undeletable_files_do_not_delay_others(org: Tenant) -> None:
    stuck = [good(await send(org, PDF))["id"] for _ in range(2)]
    released = good(await send(org, PDF))["id"]
    for each in (*stuck, released):
        good(await org.send("DELETE", f"{FILES}/{each}"))
    keys = {place_of(org, each) for each in stuck}
    files = files_over(org.container, Stuck(storage(org.container.settings), keys))
    for _ in range(2):
        await files.sweep({org.org_id: timedelta()}, limit=2)
    assert await rows_of(org) == sorted(stuck)
    await org.container.files.sweep({org.org_id: timedelta(minutes=11)})
    assert await rows_of(org) == []


async def test_timed_out_upload_leaves_nothing(org: Tenant) -> None:
    inner = storage(org.container.settings)
    slow = files_over(org.container, Slow(org, inner))
    with pytest.raises(Busy, match="took longer"):
        await slow.add(org.caller, name="a.pdf", content=PDF)
    assert await rows_of(org) == []
    assert not [each for each in _contents(org) if each.is_file()]


async def documents_path(org: Tenant) -> str:
    """Return the path that adds documents of a new user."""
    return f"/v2/users/{await make_user(org)}/kyc/documents"


async def name_in_document(org: Tenant, file_id: str) -> tuple[str, str]:
    """Name a file in a document of a new user: where its documents are, and its id."""
    path = await documents_path(org)
    (created,) = (await org.post(path, [document(url=None, fileId=file_id)]))["data"]
    return path, created["id"]


async def list_changes(org: Tenant, file_id: str) -> list[tuple[str, int]]:
    rows = await org.container.database.rows(
        "select change_type, seq from changes where org_id = $1 and object_id = $2 order by seq",
        org.org_id,
        place_of(org, file_id).file_id,
    )
    return [(row["change_type"], row["seq"]) for row in rows]


def _contents(org: Tenant) -> list[Path]:
    return list((org.container.settings.folder / FILES_FOLDER / org.org_id.hex).rglob("*"))
