"""Reviews of payments over HTTP: ask, answer, close, cancel; the queue; what goes with a user."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from typing_extensions import override

from landbridge.core.errors import ResourceConflict, RoleNotAllowed
from landbridge.db.pool import Database, Tx
from landbridge.ledger.audit import audit, table
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.orgs.model import Mode
from landbridge.wiring import MOVES as HOUSE_MOVES
from tests import make
from tests.files.pictures import PDF
from tests.rfis.play import KIND, MOVES, Play, Status, playing
from tests.tenants import Tenant, make_user, refusal

REVIEWS = "/v2/reviews/transfers"


@pytest.fixture
async def play(org: Tenant) -> AsyncIterator[Play]:
    async with playing(org) as made:
        yield made


async def ask(play: Play, record: Transfer, question: str = "What for?") -> Any:
    return await play.org.post(f"{REVIEWS}/{record.id}/rfi", {"question": question})


async def test_a_payment_waits_while_it_is_asked_about_and_goes_on_after(play: Play) -> None:
    record = await play.open()
    record = make.moved(await play.step(record, Status.PENDING))
    asked = await ask(play, record, "  What is it for?\r\nAnd who is Bob? ")
    assert (asked["status"], asked["transferType"]) == ("IN_REVIEW", KIND)
    assert set(asked) == {
        *("transferId", "transferType", "status", "userId", "createdAt", "updatedAt"),
        *("rfi", "rfis"),
    }
    rfi = asked["rfi"]
    assert rfi["question"] == "What is it for?\nAnd who is Bob?"
    assert (rfi["status"], rfi["answer"], rfi["fileIds"]) == ("OPEN", None, [])
    assert rfi["openedBy"] == play.org.caller.actor
    answered = await play.org.post(f"{REVIEWS}/{record.id}/rfi/answer", {"answer": "Rent."})
    assert answered["status"] == "IN_REVIEW"
    assert (answered["rfi"]["status"], answered["rfi"]["answer"]) == ("ANSWERED", "Rent.")
    assert answered["rfi"]["answeredAt"] == answered["rfi"]["updatedAt"]
    closed = await play.org.post(f"{REVIEWS}/{record.id}/rfi/close", {"comment": "Fine."})
    assert closed["status"] == "PENDING"
    assert (closed["rfi"]["status"], closed["rfi"]["comment"]) == ("CLOSED", "Fine.")
    assert closed["rfi"]["closedAt"] is not None
    assert closed == await play.org.get(f"{REVIEWS}/{record.id}")
    key = play.org.caller.actor
    assert await play.changes(record) == [
        (f"{KIND}.RFI", "open", key),
        (f"{KIND}.RFI", "answered", key),
        (f"{KIND}.RFI", "closed", key),
    ]
    make.moved(await play.step(await play.read(record), Status.COMPLETED))
    moves = {**HOUSE_MOVES, KIND: MOVES}
    audited = await audit(play.house.database, moves, {}, org_id=play.org.org_id)
    assert audited.is_clean, table(audited)


async def test_a_payment_may_be_asked_about_again(play: Play) -> None:
    record = await play.open()
    for question in ("One?", "Two?"):
        await ask(play, record, question)
        await play.org.post(f"{REVIEWS}/{record.id}/rfi/close")
    seen = await play.org.get(f"{REVIEWS}/{record.id}")
    assert [each["question"] for each in seen["rfis"]] == ["One?", "Two?"]
    assert seen["rfi"] == seen["rfis"][-1]


# What each verb answers where the payment stands: the status afterwards, or a refusal.
CONFLICT = "409 RESOURCE_CONFLICT"
BY_STATUS = {
    ("fresh", "open"): "IN_REVIEW",
    ("fresh", "answer"): CONFLICT,
    ("fresh", "close"): CONFLICT,
    ("asked", "open"): CONFLICT,
    ("asked", "answer"): "IN_REVIEW",
    ("asked", "close"): "CREATED",
    ("answered", "open"): CONFLICT,
    ("answered", "answer"): CONFLICT,
    ("answered", "close"): "CREATED",
    ("closed", "open"): "IN_REVIEW",
    ("closed", "answer"): CONFLICT,
    ("closed", "close"): "CREATED",
    ("cancelled", "open"): CONFLICT,
    ("cancelled", "answer"): CONFLICT,
    ("cancelled", "close"): "CANCELLED",
    # Its time ran out while it was in review, and its flow left the request to the reviewers.
    ("expired", "open"): CONFLICT,
    ("expired", "answer"): "EXPIRED",
    ("expired", "close"): "EXPIRED",
}


async def stand(play: Play, where: str) -> Transfer:
    record = await play.open()
    if where != "fresh":
        await ask(play, record)
    match where:
        case "answered":
            await play.org.post(f"{REVIEWS}/{record.id}/rfi/answer", {"answer": "First."})
        case "closed":
            await play.org.post(f"{REVIEWS}/{record.id}/rfi/close")
        case "cancelled":
            make.moved(await play.cancel(await play.read(record)))
        case "expired":
            make.moved(await play.step(await play.read(record), Status.EXPIRED))
        case _:
            pass
    return record


@pytest.mark.parametrize(("where", "verb"), BY_STATUS)
async def test_each_verb_wherever_the_payment_stands(play: Play, where: str, verb: str) -> None:
    record = await stand(play, where)
    path, body = {
        "open": ("rfi", {"question": "Why?"}),
        "answer": ("rfi/answer", {"answer": "So."}),
        "close": ("rfi/close", None),
    }[verb]
    answer = await play.org.send("POST", f"{REVIEWS}/{record.id}/{path}", body)
    is_good = answer.status_code == 200
    assert (answer.json()["status"] if is_good else refusal(answer)) == BY_STATUS[where, verb]
    if where != "fresh" and is_good and verb == "close":
        assert answer.json()["rfi"]["status"] == "CLOSED"


async def test_the_same_answer_again_answers_as_the_first_time(play: Play) -> None:
    record = await play.open()
    await ask(play, record)
    path = f"{REVIEWS}/{record.id}/rfi/answer"
    first = await play.org.post(path, {"answer": "Rent."})
    assert await play.org.post(path, {"answer": "Rent."}) == first
    assert await play.org.refused("POST", path, {"answer": "Else."}) == CONFLICT


async def test_an_answer_brings_files_which_stay_until_the_user_goes(play: Play) -> None:
    user = await make_user(play.org)
    record = await play.open(user)
    await ask(play, record)
    files = play.house.files
    paper = await files.add(play.org.caller, name="invoice.pdf", content=PDF)
    path = f"{REVIEWS}/{record.id}/rfi/answer"
    for wrong in ("file_" + "0" * 32, "invoice.pdf"):
        body = {"answer": "See.", "fileIds": [paper.id, wrong]}
        answer = await play.org.send("POST", path, body)
        assert answer.status_code == 400
        assert "fileIds" in answer.json()["errorDetails"]
    too_many = {"answer": "See.", "fileIds": [paper.id] * 21}
    assert (await play.org.send("POST", path, too_many)).status_code == 400
    answered = await play.org.post(path, {"answer": "See.", "fileIds": [paper.id, paper.id]})
    assert answered["rfi"]["fileIds"] == [paper.id]
    with pytest.raises(ResourceConflict):
        await files.delete(play.org.caller, paper.id)
    # The house doesn't know this flow's ends, and would wait for the payment.
    await play.house.database.rows("delete from transfers where id = $1", record.id)
    await play.org.post(f"/v2/users/{user}/freeze", {})
    erased = await play.org.send("DELETE", f"/v2/users/{user}/personal-data")
    assert erased.status_code == 200, erased.text
    (gone,) = (await play.house.rfis.of(record.org_id, [record.id]))[record.id]
    assert (gone.question, gone.answer, gone.comment) == (None, None, None)
    assert (gone.is_open, gone.file_ids) == (False, ())
    assert await play.org.refused("GET", f"/v2/files/{paper.id}") == "404 RESOURCE_NOT_FOUND"
    assert (await play.changes(record))[-1] == (f"{KIND}.RFI", "erase", "erasure")


async def test_an_answer_and_an_erasure_take_their_locks_in_one_order(play: Play) -> None:
    user = await make_user(play.org)
    record = await play.open(user)
    await ask(play, record)
    paper = await play.house.files.add(play.org.caller, name="invoice.pdf", content=PDF)
    body = {"answer": "See.", "fileIds": [paper.id]}
    await play.org.post(f"{REVIEWS}/{record.id}/rfi/answer", body)
    database, org_id = play.house.database, record.org_id
    is_held, may_go_on, runs = asyncio.Event(), asyncio.Event(), Counter[str]()

    async def answer(tx: Tx) -> None:
        runs["answer"] += 1
        await tx.execute("select 1 from rfis where org_id = $1 for update", org_id)
        is_held.set()
        await may_go_on.wait()
        await tx.execute("select 1 from files where org_id = $1 for update", org_id)

    async def forget(tx: Tx) -> None:
        runs["forget"] += 1
        await play.house.rfis.forget(tx, org_id, UUID(user), make.CLOCK.stamp())

    answering = asyncio.create_task(database.transact(answer))
    await is_held.wait()
    forgetting = asyncio.create_task(database.transact(forget))
    await asyncio.wait([forgetting], timeout=0.3)
    assert not forgetting.done()
    may_go_on.set()
    await asyncio.gather(answering, forgetting)
    # A deadlock would have ended one of them, to be tried again.
    assert runs == {"answer": 1, "forget": 1}


async def test_what_was_written_is_neither_in_clear_nor_in_the_log(play: Play) -> None:
    record = await play.open()
    await ask(play, record, "SECRET-QUESTION")
    await play.org.post(f"{REVIEWS}/{record.id}/rfi/answer", {"answer": "SECRET-ANSWER"})
    await play.org.post(f"{REVIEWS}/{record.id}/rfi/close", {"comment": "SECRET-COMMENT"})
    for statement in (
        "select rfis::text as row from rfis where org_id = $1",
        "select changes::text as row from changes where org_id = $1",
    ):
        rows = await play.house.database.rows(statement, play.org.org_id)
        assert rows
        assert not any("SECRET" in row["row"] for row in rows)


async def test_the_queue_has_the_longest_waiting_first_and_goes_on(play: Play) -> None:
    records = [await play.open() for _ in range(4)]
    for record in records:
        await ask(play, record)
    await play.org.post(f"{REVIEWS}/{records[0].id}/rfi/answer", {"answer": "So."})
    await play.org.post(f"{REVIEWS}/{records[1].id}/rfi/close")

    async def ids(**query: str | int) -> list[UUID]:
        page = await play.org.get(REVIEWS, **query)
        assert page["count"] == len(page["reviews"])
        return [UUID(each["transferId"]) for each in page["reviews"]]

    assert await ids() == [records[0].id, records[2].id, records[3].id]
    assert await ids(status="ANSWERED") == [records[0].id]
    assert await ids(status="CLOSED,OPEN") == [records[1].id, records[2].id, records[3].id]
    first = await play.org.get(REVIEWS, limit=2)
    assert await ids(createdAfter=first["nextCursor"]) == [records[3].id]
    assert (await play.org.get(REVIEWS, createdAfter="2100-01-01"))["nextCursor"] is None
    assert await play.org.refused("GET", REVIEWS, status="LOST") == "400 FIELD_VALIDATION_ERROR"


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("rfi", {}, "question"),
        ("rfi", {"question": " "}, "question"),
        ("rfi", {"question": "a\u0007"}, "question"),
        ("rfi", {"question": "x" * 2001}, "question"),
        ("rfi/answer", {"answer": "\u200d"}, "answer"),
        ("rfi/answer", {"answer": "ok", "fileIds": "x"}, "fileIds"),
        ("rfi/close", {"comment": "x" * 2001}, "comment"),
        ("rfi/close", {"comment": 1}, "comment"),
    ],
)
async def test_a_bad_text_is_refused_by_its_name(
    play: Play, path: str, body: dict[str, Any], field: str
) -> None:
    record = await play.open()
    if path != "rfi":
        await ask(play, record)
    answer = await play.org.send("POST", f"{REVIEWS}/{record.id}/{path}", body)
    assert answer.status_code == 400
    assert field in answer.json()["errorDetails"]


async def test_only_reviewers_see_and_ask(play: Play) -> None:
    record = await play.open()
    plain = replace(play.org.caller, can_review=False)
    reviewing = play.house.reviewing
    for verb in (
        reviewing.get(plain, record.id),
        reviewing.open(plain, record.id, question="Why?"),
        reviewing.answer(plain, record.id, answer="So.", file_ids=()),
        reviewing.close(plain, record.id),
    ):
        with pytest.raises(RoleNotAllowed):
            await verb


async def test_a_payment_that_is_not_there_or_not_reviewed_is_not_found(
    play: Play, other_org: Tenant
) -> None:
    record = await play.open()
    other = make.opened(await play.house.ledger.open(make.opening(play.org.org_id), make.MOVES))
    stranger = replace(other_org, house=play.house, client=play.org.client)
    for org, wanted in ((play.org, uuid4()), (play.org, other.id), (stranger, record.id)):
        for method, path, body in (
            ("GET", "", None),
            ("POST", "/rfi", {"question": "Why?"}),
            ("POST", "/rfi/answer", {"answer": "So."}),
            ("POST", "/rfi/close", None),
        ):
            refused = await org.refused(method, f"{REVIEWS}/{wanted}{path}", body)
            assert refused == "404 TRANSACTION_NOT_FOUND"
    assert await play.org.refused("GET", f"{REVIEWS}/x") == "404 TRANSACTION_NOT_FOUND"


async def test_a_sandbox_opens_and_closes_by_one_word(play: Play) -> None:
    record = await play.open()
    path = f"/v2/sandbox/transfers/{record.id}/rfi"
    opened = await play.org.post(path, {"action": "open"})
    assert (opened["status"], opened["rfi"]["status"]) == ("IN_REVIEW", "OPEN")
    assert await play.org.refused("POST", path, {"action": "open"}) == CONFLICT
    closed = await play.org.post(path, {"action": "close"})
    assert (closed["status"], closed["rfi"]["status"]) == ("CREATED", "CLOSED")
    for body in ({}, {"action": "reopen"}, {"action": None}):
        assert await play.org.refused("POST", path, body) == "400 FIELD_VALIDATION_ERROR"
    unknown = f"/v2/sandbox/transfers/{uuid4()}/rfi"
    assert await play.org.refused("POST", unknown, {"action": "open"}) == (
        "404 TRANSACTION_NOT_FOUND"
    )


async def test_production_has_no_such_route(org: Tenant) -> None:
    house = replace(org.house, sandbox=replace(org.house.sandbox, mode=Mode.PRODUCTION))
    async with playing(org, house) as play:
        record = await play.open()
        path = f"/v2/sandbox/transfers/{record.id}/rfi"
        refused = await play.org.refused("POST", path, {"action": "open"})
        assert refused == "403 USER_ACTION_NOT_ALLOWED"


class Forgetful(Database):
    """Loses the connection at each commit, after it: everything is done twice."""

    @override
    async def transact(self, work: Any) -> Any:
        await super().transact(work)
        return await super().transact(work)


async def test_a_commit_that_nobody_heard_of_is_not_made_again(play: Play, dsn: str) -> None:
    database = await Forgetful.connect(dsn, name="tests", size_max=4)
    try:
        rfis = play.house.rfis
        forgetful = replace(
            play.house.reviewing, database=database, ledger=Ledger(play.house.database)
        )
        record = await play.open()
        caller = play.org.caller
        opened = await forgetful.open(caller, record.id, question="Once?")
        assert opened.record.status == Status.IN_REVIEW
        answered = await forgetful.answer(caller, record.id, answer="Yes.", file_ids=())
        assert answered.latest is not None
        assert answered.latest.answer == "Yes."
        closed = await forgetful.close(caller, record.id, comment="Good.")
        assert closed.record.status == Status.CREATED
        assert [what for _, what, _ in await play.changes(record)] == [
            *("open", "answered", "closed")
        ]
        assert len((await rfis.of(record.org_id, [record.id]))[record.id]) == 1
    finally:
        await database.close()


async def test_a_request_is_asked_once_by_a_rule_whose_body_runs_twice(play: Play) -> None:
    record = await play.open()
    at = play.house.clock.stamp(timedelta())

    async def rule() -> UUID:
        made = await play.house.database.transact(
            lambda tx: play.house.rfis.open_in(tx, record, question="Why?", actor="rule", at=at)
        )
        return made.id

    assert await rule() == await rule()
    assert [what for _, what, _ in await play.changes(record)] == ["open"]
    with pytest.raises(ResourceConflict):
        await play.house.database.transact(
            lambda tx: play.house.rfis.open_in(
                tx, record, question="Why?", actor="rule", at=at, rfi_id=uuid4()
            )
        )


class Late(Ledger):
    """Reads a payment as it was before, nineteen times: a worker in a hurry was faster."""

    reads = 0

    @override
    async def find(self, org_id: UUID, transfer_id: UUID) -> Transfer | None:
        self.reads += 1
        found = await super().find(org_id, transfer_id)
        return found and replace(found, version=found.version - (self.reads < 20))


async def test_a_payment_that_moves_on_and_on_is_asked_about_all_the_same(play: Play) -> None:
    record = make.moved(await play.step(await play.open(), Status.PENDING))
    late = replace(play.house.reviewing, ledger=Late(play.house.database))
    asked = await late.open(play.org.caller, record.id, question="Why?")
    assert asked.record.status == Status.IN_REVIEW
