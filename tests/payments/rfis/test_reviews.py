"""Reviews of payments over HTTP: open, answer, close, cancel; the queue; erasure of the user."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from typing_extensions import override

from landbridge.app.container import TRANSITIONS as ALL_TRANSITIONS
from landbridge.ledger.audit import audit, table
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.platform.core.errors import ResourceConflict, RoleNotAllowed
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.model import Mode
from tests import make
from tests.payments.rfis.scenario import KIND, TRANSITIONS, ReviewScenario, Status, review_scenario
from tests.tenants import Tenant, refusal

REVIEWS = "/v2/reviews/transfers"


@pytest.fixture
async def scenario(org: Tenant) -> AsyncIterator[ReviewScenario]:
    async with review_scenario(org) as created:
        yield created


async def open_request(
    scenario: ReviewScenario, record: Transfer, question: str = "What for?"
) -> Any:
    return await scenario.org.post(f"{REVIEWS}/{record.id}/rfi", {"question": question})


async def test_payment_waits_for_the_answer_and_continues(scenario: ReviewScenario) -> None:
    record = make.moved(await scenario.step(await scenario.open(), Status.PENDING))
    query = await open_request(scenario, record, "  What is it for?\r\nAnd who is Bob? ")
    assert (query["status"], query["transferType"]) == ("IN_REVIEW", KIND)
    assert set(query) == {
        *("transferId", "transferType", "status", "userId", "createdAt", "updatedAt"),
        *("rfi", "rfis"),
    }
    rfi = query["rfi"]
    assert rfi["question"] == "What is it for?\nAnd who is Bob?"
    assert (rfi["status"], rfi["answer"], rfi["fileIds"]) == ("OPEN", None, [])
    assert rfi["openedBy"] == scenario.org.caller.actor
    answered = await scenario.org.post(f"{REVIEWS}/{record.id}/rfi/answer", {"answer": "Rent."})
    assert answered["status"] == "IN_REVIEW"
    assert (answered["rfi"]["status"], answered["rfi"]["answer"]) == ("ANSWERED", "Rent.")
    assert answered["rfi"]["answeredAt"] == answered["rfi"]["updatedAt"]
    closed = await scenario.org.post(f"{REVIEWS}/{record.id}/rfi/close", {"comment": "Fine."})
    rfi = closed["rfi"]
    assert (closed["status"], rfi["status"], rfi["comment"]) == ("PENDING", "CLOSED", "Fine.")
    assert rfi["closedAt"] is not None
    assert closed == await scenario.org.get(f"{REVIEWS}/{record.id}")
    key = scenario.org.caller.actor
    assert await scenario.changes(record) == [
        (f"{KIND}.RFI", "open", key),
        (f"{KIND}.RFI", "answered", key),
        (f"{KIND}.RFI", "closed", key),
    ]
    make.moved(await scenario.step(await scenario.read(record), Status.COMPLETED))
    transitions = {**ALL_TRANSITIONS, KIND: TRANSITIONS}
    audited = await audit(scenario.container.database, transitions, {}, org_id=scenario.org.org_id)
    assert audited.is_clean, table(audited)


async def test_payment_may_be_queried_again(scenario: ReviewScenario) -> None:
    record = await scenario.open()
    for question in ("One?", "Two?"):
        await open_request(scenario, record, question)
        await scenario.org.post(f"{REVIEWS}/{record.id}/rfi/close")
    review = await scenario.org.get(f"{REVIEWS}/{record.id}")
    assert [each["question"] for each in review["rfis"]] == ["One?", "Two?"]
    assert review["rfi"] == review["rfis"][-1]


# Result of each verb at each status: the status afterwards, or a refusal.
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
    ("expired", "open"): CONFLICT,
    ("expired", "answer"): "EXPIRED",
    ("expired", "close"): "EXPIRED",
}


async def stand(scenario: ReviewScenario, where: str) -> Transfer:
    record = await scenario.open()
    if where != "fresh":
        await open_request(scenario, record)
    match where:
        case "answered":
            await scenario.org.post(f"{REVIEWS}/{record.id}/rfi/answer", {"answer": "First."})
        case "closed":
            await scenario.org.post(f"{REVIEWS}/{record.id}/rfi/close")
        case "cancelled":
            make.moved(await scenario.cancel(await scenario.read(record)))
        case "expired":
            make.moved(await scenario.step(await scenario.read(record), Status.EXPIRED))
        case _:
            pass
    return record


@pytest.mark.parametrize(("where", "verb"), BY_STATUS)
async def test_each_verb_at_each_status(scenario: ReviewScenario, where: str, verb: str) -> None:
    record = await stand(scenario, where)
    path, body = {
        "open": ("rfi", {"question": "Why?"}),
        "answer": ("rfi/answer", {"answer": "So."}),
        "close": ("rfi/close", None),
    }[verb]
    answer = await scenario.org.send("POST", f"{REVIEWS}/{record.id}/{path}", body)
    is_good = answer.status_code == 200
    assert (answer.json()["status"] if is_good else refusal(answer)) == BY_STATUS[where, verb]
    if where != "fresh" and is_good and verb == "close":
        assert answer.json()["rfi"]["status"] == "CLOSED"


async def test_repeated_answer_returns_the_first_result(scenario: ReviewScenario) -> None:
    record = await scenario.open()
    await open_request(scenario, record)
    path = f"{REVIEWS}/{record.id}/rfi/answer"
    first = await scenario.org.post(path, {"answer": "Rent."})
    assert await scenario.org.post(path, {"answer": "Rent."}) == first
    assert await scenario.org.refused("POST", path, {"answer": "Else."}) == CONFLICT


async def test_texts_are_encrypted_and_not_logged(scenario: ReviewScenario) -> None:
    record = await scenario.open()
    await open_request(scenario, record, "SECRET-QUESTION")
    await scenario.org.post(f"{REVIEWS}/{record.id}/rfi/answer", {"answer": "SECRET-ANSWER"})
    await scenario.org.post(f"{REVIEWS}/{record.id}/rfi/close", {"comment": "SECRET-COMMENT"})
    for statement in (
        "select rfis::text as row from rfis where org_id = $1",
        "select changes::text as row from changes where org_id = $1",
    ):
        rows = await scenario.container.database.rows(statement, scenario.org.org_id)
        assert rows
        assert not any("SECRET" in row["row"] for row in rows)


async def test_queue_pages_start_with_the_longest_waiting(scenario: ReviewScenario) -> None:
    records = [await scenario.open() for _ in range(4)]
    for record in records:
        await open_request(scenario, record)
    await scenario.org.post(f"{REVIEWS}/{records[0].id}/rfi/answer", {"answer": "So."})
    await scenario.org.post(f"{REVIEWS}/{records[1].id}/rfi/close")

    async def ids(**query: str | int) -> list[UUID]:
        page = await scenario.org.get(REVIEWS, **query)
        assert page["count"] == len(page["reviews"])
        return [UUID(each["transferId"]) for each in page["reviews"]]

    assert await ids() == [records[0].id, records[2].id, records[3].id]
    assert await ids(status="ANSWERED") == [records[0].id]
    assert await ids(status="CLOSED,OPEN") == [records[1].id, records[2].id, records[3].id]
    first = await scenario.org.get(REVIEWS, limit=2)
    assert await ids(cursor=first["nextCursor"]) == [records[3].id]
    assert (await scenario.org.get(REVIEWS, createdAfter="2100-01-01")).get("nextCursor") is None
    assert await scenario.org.refused("GET", REVIEWS, status="LOST") == "400 FIELD_VALIDATION_ERROR"


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
async def test_invalid_text_is_refused_by_name(
    scenario: ReviewScenario, path: str, body: dict[str, Any], field: str
) -> None:
    record = await scenario.open()
    if path != "rfi":
        await open_request(scenario, record)
    answer = await scenario.org.send("POST", f"{REVIEWS}/{record.id}/{path}", body)
    assert answer.status_code == 400
    assert field in answer.json()["errorDetails"]


async def test_only_reviewers_read_and_request(scenario: ReviewScenario) -> None:
    record = await scenario.open()
    plain = replace(scenario.org.caller, can_review=False)
    transfer_reviews = scenario.container.transfer_reviews
    for verb in (
        transfer_reviews.get(plain, record.id),
        transfer_reviews.open(plain, record.id, question="Why?"),
        transfer_reviews.answer(plain, record.id, answer="So.", file_ids=()),
        transfer_reviews.close(plain, record.id),
    ):
        with pytest.raises(RoleNotAllowed):
            await verb


async def test_unknown_or_unreviewed_is_not_found(
    scenario: ReviewScenario, other_org: Tenant
) -> None:
    record = await scenario.open()
    other = make.opened(
        await scenario.container.ledger.create(make.opening(scenario.org.org_id), make.TRANSITIONS)
    )
    outsider = replace(other_org, container=scenario.container, client=scenario.org.client)
    for org, target in ((scenario.org, uuid4()), (scenario.org, other.id), (outsider, record.id)):
        for method, path, body in (
            ("GET", "", None),
            ("POST", "/rfi", {"question": "Why?"}),
            ("POST", "/rfi/answer", {"answer": "So."}),
            ("POST", "/rfi/close", None),
        ):
            refused = await org.refused(method, f"{REVIEWS}/{target}{path}", body)
            assert refused == "404 TRANSACTION_NOT_FOUND"
    assert await scenario.org.refused("GET", f"{REVIEWS}/x") == "404 TRANSACTION_NOT_FOUND"


async def test_a_sandbox_opens_and_closes_by_one_word(scenario: ReviewScenario) -> None:
    record = await scenario.open()
    path = f"/v2/sandbox/transfers/{record.id}/rfi"
    created = await scenario.org.post(path, {"action": "open"})
    assert (created["status"], created["rfi"]["status"]) == ("IN_REVIEW", "OPEN")
    assert await scenario.org.refused("POST", path, {"action": "open"}) == CONFLICT
    closed = await scenario.org.post(path, {"action": "close"})
    assert (closed["status"], closed["rfi"]["status"]) == ("CREATED", "CLOSED")
    for body in ({}, {"action": "reopen"}, {"action": None}):
        assert await scenario.org.refused("POST", path, body) == "400 FIELD_VALIDATION_ERROR"
    unknown = f"/v2/sandbox/transfers/{uuid4()}/rfi"
    assert await scenario.org.refused("POST", unknown, {"action": "open"}) == (
        "404 TRANSACTION_NOT_FOUND"
    )


async def test_production_has_no_such_route(org: Tenant) -> None:
    container = replace(org.container, sandbox=replace(org.container.sandbox, mode=Mode.PRODUCTION))
    async with review_scenario(org, container) as scenario:
        record = await scenario.open()
        path = f"/v2/sandbox/transfers/{record.id}/rfi"
        refused = await scenario.org.refused("POST", path, {"action": "open"})
        assert refused == "403 USER_ACTION_NOT_ALLOWED"


class Forgetful(Database):
    """Loses the connection at each commit, after it: everything is done twice."""

    @override
    async def transact(self, work: Any) -> Any:
        await super().transact(work)
        return await super().transact(work)


async def test_lost_commit_answer_creates_one_request(scenario: ReviewScenario, dsn: str) -> None:
    database = await Forgetful.connect(dsn, name="tests", size_max=4)
    try:
        rfis = scenario.container.rfis
        forgetful = replace(
            scenario.container.transfer_reviews,
            database=database,
            ledger=Ledger(scenario.container.database),
        )
        record = await scenario.open()
        caller = scenario.org.caller
        created = await forgetful.open(caller, record.id, question="Once?")
        assert created.record.status == Status.IN_REVIEW
        answered = await forgetful.answer(caller, record.id, answer="Yes.", file_ids=())
        assert answered.latest is not None
        assert answered.latest.answer == "Yes."
        closed = await forgetful.close(caller, record.id, comment="Good.")
        assert closed.record.status == Status.CREATED
        assert [change_type for _, change_type, _ in await scenario.changes(record)] == [
            *("open", "answered", "closed")
        ]
        assert len((await rfis.of(record.org_id, [record.id]))[record.id]) == 1
    finally:
        await database.close()


async def test_repeated_rule_creates_one_request(scenario: ReviewScenario) -> None:
    record = await scenario.open()
    at = scenario.container.clock.stamp(timedelta())

    async def rule() -> UUID:
        created = await scenario.container.database.transact(
            lambda tx: scenario.container.rfis.create_in(
                tx, record, question="Why?", actor="rule", at=at
            )
        )
        return created.id

    assert await rule() == await rule()
    assert [change_type for _, change_type, _ in await scenario.changes(record)] == ["open"]
    with pytest.raises(ResourceConflict):
        await scenario.container.database.transact(
            lambda tx: scenario.container.rfis.create_in(
                tx, record, question="Why?", actor="rule", at=at, rfi_id=uuid4()
            )
        )


class Late(Ledger):
    """Reads a payment as it was before, nineteen times: a worker in a hurry was faster."""

    reads = 0

    @override
    async def find(self, org_id: UUID, transfer_id: UUID) -> Transfer | None:
        self.reads, found = self.reads + 1, await super().find(org_id, transfer_id)
        return found and replace(found, version=found.version - (self.reads < 20))


async def test_constantly_advancing_payment_can_be_queried(scenario: ReviewScenario) -> None:
    record = make.moved(await scenario.step(await scenario.open(), Status.PENDING))
    late = replace(scenario.container.transfer_reviews, ledger=Late(scenario.container.database))
    rfi = await late.open(scenario.org.caller, record.id, question="Why?")
    assert rfi.record.status == Status.IN_REVIEW
