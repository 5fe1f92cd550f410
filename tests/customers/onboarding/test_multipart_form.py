"""File uploads by persons: who may use storage, and that no scan is left behind."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, ExitStack, suppress

import pytest

from landbridge.customers.onboarding.document_uploads import find_need
from landbridge.customers.onboarding.form_service import FormVisit
from landbridge.customers.onboarding.multipart_form import SubmittedForm, UploadMemory
from landbridge.platform.core.errors import Busy, UserFrozen
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from tests.customers.onboarding.person import IMAGE, PASSPORT, Person, at_documents, only_user
from tests.tenants import Tenant
from tests.waiting import waits_for

SENT = {name: [str(each)] for name, each in PASSPORT.items()}


async def test_without_a_link_nothing_is_read(org: Tenant) -> None:
    person = await at_documents(org)
    was_read = False

    async def body() -> AsyncGenerator[bytes]:
        nonlocal was_read
        was_read = True
        yield b"x"

    path = person.url.partition("?")[0]
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = await org.client.post(f"{path}/documents?session=x", content=body(), headers=kind)
    assert answer.status_code == 404
    assert not was_read


async def test_slow_uploads_use_only_their_links_capacity(org: Tenant) -> None:
    slow = await at_documents(org)
    link = (await _visit(org, slow)).link.id
    with ExitStack() as held:
        for _ in range(2):
            held.enter_context(org.container.document_uploads.memory.place(org.org_id, link))
        await slow.follow("item=identity")
        assert await slow.press("/documents", PASSPORT, file=IMAGE) == "Try again"
        assert slow.last.status_code == 503
    await slow.open()
    await slow.follow("item=identity")
    assert await slow.press("/documents", PASSPORT, file=IMAGE) == "Documents"


async def test_slow_uploads_of_many_links_leave_room_to_other_organisations(
    org: Tenant, other_org: Tenant
) -> None:
    person = await at_documents(other_org)
    await person.follow("item=identity")
    with ExitStack() as held:
        with suppress(Busy):
            for _ in range(100):
                place = org.container.document_uploads.memory.place(org.org_id, new_id())
                held.enter_context(place)
        assert await person.press("/documents", PASSPORT, file=IMAGE) == "Documents"


def test_few_organisations_together_leave_room_to_another_one() -> None:
    memory = UploadMemory()
    with ExitStack() as held:
        for org_id in (new_id(), new_id(), new_id()):
            with suppress(Busy):
                for _ in range(100):
                    held.enter_context(memory.place(org_id, new_id()))
        held.enter_context(memory.place(new_id(), new_id()))


async def test_persons_and_organisations_have_rooms_of_their_own(org: Tenant) -> None:
    person = await at_documents(org)
    await person.follow("item=identity")
    async with AsyncExitStack() as held:
        with suppress(Busy):
            while True:
                await held.enter_async_context(org.container.files.reserve_upload(org.org_id))
        assert await person.press("/documents", PASSPORT, file=IMAGE) == "Documents"


def test_the_room_has_an_end_and_gives_back_what_was_taken() -> None:
    room, size = UploadMemory(), 0
    with ExitStack() as held, suppress(Busy):
        for _ in range(100):
            held.enter_context(room.place(new_id(), new_id()))
            size += 1
    assert 2 < size < 100
    with room.place(new_id(), new_id()):
        pass


async def test_an_erasure_meanwhile_leaves_no_file(org: Tenant) -> None:
    visit = await _visit(org, await at_documents(org))
    user = (await only_user(org))["id"]
    await org.post(f"/v2/users/{user}/freeze", {})
    await org.send("DELETE", f"/v2/users/{user}/personal-data")
    with pytest.raises(UserFrozen):
        await _add(org, visit)
    assert await _files(org) == 0


async def test_an_aborted_upload_leaves_no_file(org: Tenant, dsn: str) -> None:
    visit = await _visit(org, await at_documents(org))

    async def break_off(tx: Tx) -> None:
        await tx.fetch(
            "select 1 from kyc_profiles where org_id = $1 and user_id = $2 for update",
            org.org_id,
            visit.user.id,
        )
        mine = await tx.fetchval("select pg_backend_pid()")
        adding = asyncio.create_task(_add(org, visit))
        await waits_for(org.container.database, mine)
        # The file is stored; its document is still uncommitted.
        assert await _files(org) == 1
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding

    # Our own connection: the container has few.
    database = await Database.connect(dsn, name="tests", size_max=1)
    await database.transact(break_off)
    await database.close()
    assert await _files(org) == 0


async def _visit(org: Tenant, person: Person) -> FormVisit:
    path, _, token = person.url.partition("?session=")
    return await org.container.form_visits.open(path.rpartition("/")[2], token)


async def _add(org: Tenant, visit: FormVisit) -> None:
    sent = SubmittedForm(fields=SENT, name=IMAGE[0], declared=IMAGE[2], content=IMAGE[1])
    await org.container.document_uploads.add(visit, find_need(visit.state, "identity"), sent)


async def _files(org: Tenant) -> int:
    rows = await org.container.database.rows(
        "select count(*) as n from files where org_id = $1 and state = 'STORED'", org.org_id
    )
    return rows[0]["n"]
