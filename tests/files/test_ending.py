"""How files end: erased, deleted, never used, or never kept."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from landbridge.core.errors import Busy, Unavailable
from landbridge.files.service import Files
from landbridge.files.storage import Place, Storage
from landbridge.wiring import FILES_FOLDER, House, storage
from tests.kyc.samples import document
from tests.tenants import Tenant, good, make_user, refusal

from .pictures import PDF
from .sending import FILES, place_of, rows_of, send


async def test_an_erased_file_is_unreadable_at_once_and_gone_after_the_sweep(org: Tenant) -> None:
    made, kept = good(await send(org, PDF)), good(await send(org, PDF))
    house, place = org.house, place_of(org, made["id"])
    sealed = await storage(house.settings).get(place)
    assert sealed
    await house.database.transact(
        lambda tx: house.files.erase(tx, org.org_id, [made["id"], "nonsense"])
    )
    for path in (f"{FILES}/{made['id']}", f"{FILES}/{made['id']}/content"):
        assert await org.refused("GET", path) == "404 RESOURCE_NOT_FOUND"
    assert (
        await house.database.single(lambda tx: house.vault.find(tx, org.org_id, place.file_id))
        is None
    )
    await house.files.sweep({org.org_id: timedelta()})
    assert await storage(house.settings).get(place) is None
    assert await rows_of(org) == [kept["id"]]
    assert (await org.send("GET", f"{FILES}/{kept['id']}/content")).content == PDF


async def test_erasing_for_another_organisation_does_nothing(
    org: Tenant, other_org: Tenant
) -> None:
    made = good(await send(org, PDF))
    await org.house.database.transact(
        lambda tx: org.house.files.erase(tx, other_org.org_id, [made["id"]])
    )
    assert (await org.send("GET", f"{FILES}/{made['id']}/content")).content == PDF


class Failing:
    """A storage that does nothing and says so."""

    async def put(self, place: Place, content: bytes) -> None:
        del place, content
        raise Unavailable("down")

    async def get(self, place: Place) -> bytes | None:
        del place
        raise Unavailable("down")

    async def delete(self, place: Place) -> None:
        del place
        raise Unavailable("down")


class Stuck:
    """A storage that can't delete some contents."""

    def __init__(self, kept: Storage, stuck: set[Place]) -> None:
        self.kept, self.stuck = kept, stuck
        self.put, self.get = kept.put, kept.get

    async def delete(self, place: Place) -> None:
        if place in self.stuck:
            raise Unavailable("stuck")
        await self.kept.delete(place)


class Slow:
    """A storage that takes a day and a half to put a content."""

    def __init__(self, org: Tenant, kept: Storage) -> None:
        self.org, self.kept = org, kept
        self.get, self.delete = kept.get, kept.delete

    async def put(self, place: Place, content: bytes) -> None:
        await self.org.house.files.sweep({self.org.org_id: timedelta(hours=36)})
        await self.kept.put(place, content)


def files_over(house: House, port: Any) -> Files:
    return Files(house.database, house.vault, port, house.clock)


async def test_a_file_whose_content_could_not_be_kept_is_not_there_and_goes_after_a_day(
    org: Tenant,
) -> None:
    failing = files_over(org.house, Failing())
    with pytest.raises(Busy):
        await failing.add(org.caller, name="a.pdf", content=PDF)
    (hidden,) = await rows_of(org)
    assert await org.refused("GET", f"{FILES}/{hidden}") == "404 RESOURCE_NOT_FOUND"
    await org.house.files.sweep({org.org_id: timedelta(hours=23)})
    assert await rows_of(org) == [hidden]
    await failing.sweep({org.org_id: timedelta(hours=25)})
    assert await rows_of(org) == [hidden], "a row leads to its content until that is gone"
    await org.house.files.sweep({org.org_id: timedelta(hours=26)})
    assert await rows_of(org) == []


async def test_a_storage_that_is_down_is_a_503_to_come_back_after(org: Tenant) -> None:
    made = good(await send(org, PDF))
    with pytest.raises(Busy, match="could not be read"):
        await files_over(org.house, Failing()).content(org.org_id, made["id"])


async def test_the_sweep_takes_what_no_document_has_named_for_a_month(org: Tenant) -> None:
    made, named = good(await send(org, PDF)), good(await send(org, PDF))
    await name_in_document(org, named["id"])
    await org.house.files.sweep({org.org_id: timedelta(days=29)})
    assert (await org.send("GET", f"{FILES}/{made['id']}/content")).content == PDF
    await org.house.files.sweep({org.org_id: timedelta(days=31)})
    assert await org.refused("GET", f"{FILES}/{made['id']}") == "404 RESOURCE_NOT_FOUND"
    assert await storage(org.house.settings).get(place_of(org, made["id"])) is None
    assert await told_of(org, made["id"]) == [("create", 1), ("delete", 2)]
    await org.house.files.sweep({org.org_id: timedelta(days=10_000)})
    assert await rows_of(org) == [named["id"]]
    assert (await org.send("GET", f"{FILES}/{named['id']}/content")).content == PDF


async def test_a_file_that_no_document_names_is_deleted(org: Tenant) -> None:
    made = good(await send(org, PDF))
    place = place_of(org, made["id"])
    answer = await org.send("DELETE", f"{FILES}/{made['id']}")
    assert good(answer) == made
    assert await org.refused("DELETE", f"{FILES}/{made['id']}") == "404 RESOURCE_NOT_FOUND"
    assert await org.refused("GET", f"{FILES}/{made['id']}/content") == "404 RESOURCE_NOT_FOUND"
    refused = await org.send(
        "POST", await documents_path(org), [document(url=None, fileId=made["id"])]
    )
    assert refusal(refused) == "400 FIELD_VALIDATION_ERROR"
    house = org.house
    assert (
        await house.database.single(lambda tx: house.vault.find(tx, org.org_id, place.file_id))
        is None
    )
    await house.files.sweep({org.org_id: timedelta()})
    assert await storage(house.settings).get(place) is None
    assert await rows_of(org) == []
    assert await told_of(org, made["id"]) == [("create", 1), ("delete", 2)]


async def test_a_file_that_a_document_named_is_not_deleted(org: Tenant) -> None:
    made, other = good(await send(org, PDF)), good(await send(org, PDF))
    path, document_id = await name_in_document(org, made["id"])
    assert await org.refused("DELETE", f"{FILES}/{made['id']}") == "409 RESOURCE_CONFLICT"
    await org.post(f"{path}/{document_id}", {"fileId": other["id"]})
    assert await org.refused("DELETE", f"{FILES}/{made['id']}") == "409 RESOURCE_CONFLICT"
    assert (await org.send("GET", f"{FILES}/{made['id']}/content")).content == PDF


async def test_of_a_deletion_and_a_claim_at_once_one_wins(org: Tenant) -> None:
    path = await documents_path(org)
    for _ in range(5):
        made = good(await send(org, PDF))
        deleted, named = await asyncio.gather(
            org.send("DELETE", f"{FILES}/{made['id']}"),
            org.send("POST", path, [document(url=None, fileId=made["id"])]),
        )
        assert sorted([deleted.status_code, named.status_code]) in ([200, 400], [200, 409])
        answer = await org.send("GET", f"{FILES}/{made['id']}/content")
        assert (answer.status_code == 200) == (named.status_code == 200)


async def test_files_that_can_not_be_removed_hold_up_no_others(org: Tenant) -> None:
    stuck = [good(await send(org, PDF))["id"] for _ in range(2)]
    freed = good(await send(org, PDF))["id"]
    for each in (*stuck, freed):
        good(await org.send("DELETE", f"{FILES}/{each}"))
    places = {place_of(org, each) for each in stuck}
    files = files_over(org.house, Stuck(storage(org.house.settings), places))
    for _ in range(2):
        await files.sweep({org.org_id: timedelta()}, limit=2)
    assert await rows_of(org) == sorted(stuck)
    await org.house.files.sweep({org.org_id: timedelta(minutes=11)})
    assert await rows_of(org) == []


async def test_an_upload_whose_time_was_over_leaves_nothing(org: Tenant) -> None:
    kept = storage(org.house.settings)
    slow = files_over(org.house, Slow(org, kept))
    with pytest.raises(Busy, match="took longer"):
        await slow.add(org.caller, name="a.pdf", content=PDF)
    assert await rows_of(org) == []
    assert not [each for each in _contents(org) if each.is_file()]


async def documents_path(org: Tenant) -> str:
    """Where documents of a new user are added."""
    return f"/v2/users/{await make_user(org)}/kyc/documents"


async def name_in_document(org: Tenant, file_id: str) -> tuple[str, str]:
    """Name a file in a document of a new user: where its documents are, and its id."""
    path = await documents_path(org)
    (made,) = (await org.post(path, [document(url=None, fileId=file_id)]))["data"]
    return path, made["id"]


async def told_of(org: Tenant, file_id: str) -> list[tuple[str, int]]:
    rows = await org.house.database.rows(
        "select what, seq from changes where org_id = $1 and object_id = $2 order by seq",
        org.org_id,
        place_of(org, file_id).file_id,
    )
    return [(row["what"], row["seq"]) for row in rows]


def _contents(org: Tenant) -> list[Path]:
    return list((org.house.settings.folder / FILES_FOLDER / org.org_id.hex).rglob("*"))
