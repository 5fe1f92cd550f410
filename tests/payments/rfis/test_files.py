"""Files of answers: of one user, and erased with that user."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Tx
from tests import make
from tests.payments.rfis.scenario import KIND, ReviewScenario, review_scenario
from tests.payments.rfis.test_reviews import REVIEWS, open_request
from tests.platform.files.sample_files import PDF
from tests.tenants import Tenant, good, make_user


@pytest.fixture
async def scenario(org: Tenant) -> AsyncIterator[ReviewScenario]:
    async with review_scenario(org) as created:
        yield created


async def test_files_of_answers_stay_until_the_user_is_erased(scenario: ReviewScenario) -> None:
    user = await make_user(scenario.org)
    record = await scenario.open(user)
    await open_request(scenario, record)
    files = scenario.container.files
    paper = await files.add(scenario.org.caller, name="invoice.pdf", content=PDF)
    path = f"{REVIEWS}/{record.id}/rfi/answer"
    for wrong in ("file_" + "0" * 32, "invoice.pdf"):
        body = {"answer": "See.", "fileIds": [paper.id, wrong]}
        answer = await scenario.org.send("POST", path, body)
        assert answer.status_code == 400
        assert "fileIds" in answer.json()["errorDetails"]
    too_many = {"answer": "See.", "fileIds": [paper.id] * 21}
    assert (await scenario.org.send("POST", path, too_many)).status_code == 400
    answered = await scenario.org.post(path, {"answer": "See.", "fileIds": [paper.id, paper.id]})
    assert answered["rfi"]["fileIds"] == [paper.id]
    with pytest.raises(ResourceConflict):
        await files.delete(scenario.org.caller, paper.id)
    await scenario.container.database.rows("delete from transfers where id = $1", record.id)
    await scenario.org.post(f"/v2/users/{user}/freeze", {})
    erased = await scenario.org.send("DELETE", f"/v2/users/{user}/personal-data")
    assert erased.status_code == 200, erased.text
    (rfi_,) = (await scenario.container.rfis.of(record.org_id, [record.id]))[record.id]
    assert (rfi_.question, rfi_.answer, rfi_.comment) == (None, None, None)
    assert (rfi_.is_open, rfi_.file_ids) == (False, ())
    assert await scenario.org.refused("GET", f"/v2/files/{paper.id}") == "404 RESOURCE_NOT_FOUND"
    assert (await scenario.changes(record))[-1] == (f"{KIND}.RFI", "erase", "erasure")


async def test_a_file_of_another_user_is_refused_and_outlives_the_erasure(
    scenario: ReviewScenario,
) -> None:
    user, other = await make_user(scenario.org), await make_user(scenario.org)
    record, others = await scenario.open(user), await scenario.open(other)
    await open_request(scenario, record)
    await open_request(scenario, others)
    files = scenario.container.files
    paper = await files.add(scenario.org.caller, name="passport.pdf", content=PDF)
    body = {"answer": "See.", "fileIds": [paper.id]}
    await scenario.org.post(f"{REVIEWS}/{others.id}/rfi/answer", body)
    answer = await scenario.org.send("POST", f"{REVIEWS}/{record.id}/rfi/answer", body)
    assert answer.status_code == 400
    assert (
        answer.json()["errorDetails"] == f"fileIds: {paper.id}: the file is used for another user"
    )
    # As an earlier version has stored it.
    await scenario.container.database.rows(
        "update rfis set file_ids = array[$2] where transfer_id = $1", record.id, paper.id
    )
    await scenario.container.database.rows("delete from transfers where id = $1", record.id)
    await scenario.org.post(f"/v2/users/{user}/freeze", {})
    good(await scenario.org.send("DELETE", f"/v2/users/{user}/personal-data"))
    assert (await files.get(record.org_id, paper.id)).id == paper.id


async def test_answer_and_erasure_take_their_locks_in_one_order(scenario: ReviewScenario) -> None:
    user = await make_user(scenario.org)
    record = await scenario.open(user)
    await open_request(scenario, record)
    paper = await scenario.container.files.add(scenario.org.caller, name="invoice.pdf", content=PDF)
    body = {"answer": "See.", "fileIds": [paper.id]}
    await scenario.org.post(f"{REVIEWS}/{record.id}/rfi/answer", body)
    database, org_id = scenario.container.database, record.org_id
    is_held, may_go_on, runs = asyncio.Event(), asyncio.Event(), Counter[str]()

    async def answer(tx: Tx) -> None:
        runs["answer"] += 1
        await tx.execute("select 1 from rfis where org_id = $1 for update", org_id)
        is_held.set()
        await may_go_on.wait()
        await tx.execute("select 1 from files where org_id = $1 for update", org_id)

    async def forget(tx: Tx) -> None:
        runs["forget"] += 1
        await scenario.container.rfis.forget(tx, org_id, UUID(user), make.CLOCK.stamp())

    answering = asyncio.create_task(database.transact(answer))
    await is_held.wait()
    forgetting = asyncio.create_task(database.transact(forget))
    await asyncio.wait([forgetting], timeout=0.3)
    assert not forgetting.done()
    may_go_on.set()
    await asyncio.gather(answering, forgetting)
    assert runs == {"answer": 1, "forget": 1}
