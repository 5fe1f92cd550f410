"""What becomes of a case when a provider fails, hesitates, lies, or we die in the middle."""

import asyncio
import json
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.core.clock import FrozenClock
from landbridge.core.errors import Rejected, Unavailable, Unclear, UserFrozen
from landbridge.db.pool import Tx
from landbridge.identity.port import (
    Answer,
    InformationAsked,
    ManualReviewAsked,
    NotSubmitted,
    RejectType,
    Result,
    Review,
    Standing,
    StillPending,
)
from landbridge.kyc.model import Rail
from landbridge.users import store as users_store
from landbridge.verification.model import KycStatus, case_id
from tests.identity.contract import approved, declined
from tests.identity.faulty import SECRET, ScriptedIdentity
from tests.people import make_person
from tests.tenants import Tenant
from tests.verification.play import case_of, desk, history_of, run, submitted
from tests.waiting import waits_for

SOON = timedelta(seconds=6)
PAUSE = timedelta(seconds=31)
CALLS = ("create", "attach", "submit")

S = KycStatus


class PowerCut(BaseException):
    """The process is gone: nothing after this runs."""


@pytest.fixture
def identity() -> ScriptedIdentity:
    return ScriptedIdentity()


class Fault:
    """Raises at one call, so many times."""

    def __init__(self, call: str, error: BaseException, *, times: int = 1) -> None:
        self.call, self.error, self.left = call, error, times

    def __call__(self, call: str) -> None:
        if call == self.call and self.left:
            self.left -= 1
            raise self.error


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (approved(), S.ACTIVE),
        (declined(RejectType.RETRY, "BLURRED"), S.INCOMPLETE),
        (declined(RejectType.FINAL, "FORGED"), S.REJECTED),
        (InformationAsked(comment="More."), S.RFI_PENDING),
        (ManualReviewAsked(note="Odd."), S.MANUAL_REVIEW),
        (StillPending(ask_after=None), S.PENDING),
        (StillPending(ask_after=SOON), S.PENDING),
    ],
)
async def test_each_answer_leads_where_it_should(
    still_org: Tenant, identity: ScriptedIdentity, answer: Standing, status: KycStatus
) -> None:
    org, at = still_org, desk(still_org.house, identity)
    user = await make_person(org)
    case = await submitted(at, org, user)
    assert case.status is S.CREATED
    identity.answers[case.key] = answer
    await run(at, org)
    assert (await case_of(at, org, user)).status is S.PENDING
    await run(at, org, ahead=SOON)
    found = await case_of(at, org, user)
    assert found.status is status
    assert await history_of(org, found) == (
        [S.CREATED, S.PENDING] if status is S.PENDING else [S.CREATED, S.PENDING, status]
    )


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    "error", [PowerCut(), Unavailable("down"), Unclear("no answer"), RuntimeError("a bug")]
)
async def test_a_fault_at_any_call_is_made_good_later_and_nothing_is_done_twice(
    still_org: Tenant, side: str, call: str, error: BaseException
) -> None:
    org, identity = still_org, ScriptedIdentity()
    at = desk(org.house, identity)
    user = await make_person(org)
    case = await submitted(at, org, user)
    identity.answers[case.key] = approved()
    setattr(identity, side, Fault(call, error))
    with suppress(PowerCut):
        await run(at, org)
    assert (await case_of(at, org, user)).status is S.CREATED
    # Left alone for a while, by this process and by the one that is started instead of it.
    again = desk(org.house, identity)
    await run(again, org, ahead=timedelta(seconds=20))
    assert (await case_of(at, org, user)).status is S.CREATED
    await run(again, org, ahead=PAUSE)
    await run(again, org, ahead=PAUSE + SOON)
    found = await case_of(at, org, user)
    assert found.status is S.ACTIVE
    assert found.failures == 0
    assert len(identity.made) == 1
    assert identity.calls["submit"] <= (1 if (call, side) == ("submit", "after") else 2)
    assert await history_of(org, found) == [S.CREATED, S.PENDING, S.ACTIVE]


@pytest.mark.parametrize("error", [PowerCut(), Unavailable("down"), Unclear("no answer")])
async def test_a_fault_while_asking_is_made_good_later(
    still_org: Tenant, identity: ScriptedIdentity, error: BaseException
) -> None:
    org, at = still_org, desk(still_org.house, identity)
    user = await make_person(org)
    case = await submitted(at, org, user)
    await run(at, org)
    identity.answers[case.key] = approved()
    identity.before = Fault("status", error)
    with suppress(PowerCut):
        await run(at, org, ahead=SOON)
    assert (await case_of(at, org, user)).status is S.PENDING
    await run(at, org, ahead=SOON + PAUSE)
    assert (await case_of(at, org, user)).status is S.ACTIVE
    assert identity.calls["submit"] == 1


async def test_who_is_down_for_long_is_asked_ever_less(
    still_org: Tenant, identity: ScriptedIdentity
) -> None:
    org, at = still_org, desk(still_org.house, identity)
    user = await make_person(org)
    await submitted(at, org, user)
    identity.before = Fault("create", Unavailable("down"), times=10_000)
    for minute in range(24 * 60):
        await run(at, org, ahead=timedelta(minutes=minute))
    assert 24 <= identity.calls["create"] <= 40
    identity.before = Fault("", Unavailable(""))
    await run(at, org, ahead=timedelta(days=1, hours=1))
    assert (await case_of(at, org, user)).status is S.PENDING


@pytest.mark.parametrize("call", [*CALLS, "status"])
async def test_a_provider_that_refuses_leads_to_support_and_a_new_submission_from_there(
    still_org: Tenant, call: str
) -> None:
    org, identity = still_org, ScriptedIdentity()
    at = desk(org.house, identity)
    user = await make_person(org)
    identity.before = Fault(call, Rejected("no"))
    case = await submitted(at, org, user)
    await run(at, org)
    await run(at, org, ahead=SOON)
    found = await case_of(at, org, user)
    assert found.status is S.CONTACT_SUPPORT
    assert found.due_at is None
    again = await submitted(at, org, user)
    assert again.status is S.PENDING
    assert again.key != case.key
    identity.answers[again.key] = approved()
    await run(at, org)
    await run(at, org, ahead=SOON)
    found = await case_of(at, org, user)
    assert await history_of(org, found) == [
        S.CREATED,
        S.PENDING,
        S.CONTACT_SUPPORT,
        S.PENDING,
        S.ACTIVE,
    ]


async def test_an_answer_that_contradicts_itself_decides_nothing(
    still_org: Tenant, identity: ScriptedIdentity
) -> None:
    org, at = still_org, desk(still_org.house, identity)
    user = await make_person(org)
    case = await submitted(at, org, user)
    await run(at, org)
    identity.answers[case.key] = Review(result=Result(answer=Answer.DECLINED))
    await run(at, org, ahead=SOON)
    assert (await case_of(at, org, user)).status is S.PENDING
    identity.answers[case.key] = approved()
    await run(at, org, ahead=SOON + PAUSE)
    assert (await case_of(at, org, user)).status is S.ACTIVE


async def test_what_a_provider_has_lost_is_handed_over_again(
    still_org: Tenant, identity: ScriptedIdentity
) -> None:
    org, at = still_org, desk(still_org.house, identity)
    user = await make_person(org)
    case = await submitted(at, org, user)
    await run(at, org)
    identity.submitted.clear()
    await run(at, org, ahead=SOON)
    assert (await case_of(at, org, user)).reference is None
    identity.answers[case.key] = approved()
    await run(at, org, ahead=SOON + PAUSE)
    await run(at, org, ahead=SOON + PAUSE + SOON)
    assert (await case_of(at, org, user)).status is S.ACTIVE
    assert identity.calls["submit"] == 2


async def test_a_provider_that_says_unsubmitted_for_ever_is_not_asked_without_end(
    still_org: Tenant, identity: ScriptedIdentity
) -> None:
    org, at = still_org, desk(still_org.house, identity)
    user = await make_person(org)
    case = await submitted(at, org, user)
    identity.answers[case.key] = NotSubmitted()
    for minute in range(240):
        await run(at, org, ahead=timedelta(minutes=minute))
    assert identity.calls["submit"] < 20


async def test_parts_of_an_answer_that_were_never_submitted_are_left_out(
    still_org: Tenant, identity: ScriptedIdentity
) -> None:
    org, at = still_org, desk(still_org.house, identity)
    user = await make_person(org)
    case = await submitted(at, org, user)
    bad = declined(RejectType.RETRY, "BLURRED")
    identity.answers[case.key] = Review(
        result=bad.result,
        note="secret",
        fields=("lastName", "ultimateBeneficialOwners", "lastName; drop table"),
        documents={UUID(int=1): bad.result},
        owners={UUID(int=2): bad.result},
    )
    await run(at, org)
    await run(at, org, ahead=SOON)
    found = await case_of(at, org, user)
    assert found.findings.review is not None
    assert found.findings.review.fields == ("lastName",)
    assert not found.findings.review.documents
    assert not found.findings.review.owners
    assert found.findings.review.note is None
    assert found.findings.history[-1].note == "secret"


async def test_a_message_lets_the_case_be_asked_about_at_once_however_often_it_comes(
    still_org: Tenant, identity: ScriptedIdentity
) -> None:
    org, at = still_org, desk(still_org.house, identity)
    user, offsets = await make_person(org), {still_org.org_id: timedelta()}
    case = await submitted(at, org, user)
    identity.answers[case.key] = StillPending(ask_after=None)
    raw, headers = json.dumps({"key": case.key}).encode(), {"x-secret": SECRET}
    # Before it was handed over there is nothing to ask about.
    assert not await at.verification.receive(raw, headers, offsets)
    await run(at, org)
    await run(at, org, ahead=SOON)
    assert (await case_of(at, org, user)).due_at is None
    identity.answers[case.key] = approved()
    for _ in range(3):
        assert await at.verification.receive(raw, headers, offsets)
    await run(at, org)
    assert (await case_of(at, org, user)).status is S.ACTIVE
    # Late, when it is over, and of another time.
    identity.answers[case.key] = declined(RejectType.FINAL, "FORGED")
    assert not await at.verification.receive(raw, headers, offsets)
    await run(at, org)
    assert (await case_of(at, org, user)).status is S.ACTIVE


async def test_a_message_about_an_earlier_submission_changes_nothing(
    still_org: Tenant, identity: ScriptedIdentity
) -> None:
    org, at = still_org, desk(still_org.house, identity)
    user, offsets = await make_person(org), {still_org.org_id: timedelta()}
    case = await submitted(at, org, user)
    identity.answers[case.key] = InformationAsked(comment="More.")
    await run(at, org)
    await run(at, org, ahead=SOON)
    await submitted(at, org, user)
    await run(at, org)
    raw, headers = json.dumps({"key": case.key}).encode(), {"x-secret": SECRET}
    assert not await at.verification.receive(raw, headers, offsets)


@pytest.mark.parametrize(
    "key", ["", "-", "a-b-1", "0" * 32 + "-" + "0" * 32 + "-1", "0-0-0", "é-1-1", "1-1-²"]
)
async def test_a_message_about_nothing_of_ours_changes_nothing(
    org: Tenant, identity: ScriptedIdentity, key: str
) -> None:
    at = desk(org.house, identity)
    raw, headers = json.dumps({"key": key}).encode(), {"x-secret": SECRET}
    assert not await at.verification.receive(raw, headers, {org.org_id: timedelta()})
    with pytest.raises(Rejected):
        await at.verification.receive(raw, {}, {org.org_id: timedelta()})


async def test_the_provider_is_told_what_was_submitted(
    still_org: Tenant, still_clock: FrozenClock, identity: ScriptedIdentity
) -> None:
    org, at = still_org, desk(still_org.house, identity)
    user = await make_person(org)
    await submitted(at, org, user, Rail.AFRICA_NIGERIA)
    await org.post(f"/v2/users/{user}/kyc", {"lastName": "Changed"})
    still_clock.at += timedelta(seconds=1)
    await run(at, org)
    found = await case_of(at, org, user, Rail.AFRICA_NIGERIA)
    assert found.snapshot is not None
    assert found.snapshot.data["lastName"] == "Example"
    assert set(identity.made) == {found.key}
    assert sum(identity.attached.values()) == len(found.snapshot.documents) == 1


async def test_a_case_is_not_opened_while_its_user_is_erased(
    org: Tenant, identity: ScriptedIdentity
) -> None:
    at = desk(org.house, identity)
    user = UUID(await make_person(org))
    case = (await at.verification.submit(org.caller, user, [Rail.USD]))[Rail.USD]
    other = replace(case, id=case_id(user, Rail.AFRICA_GENERAL), rail=Rail.AFRICA_GENERAL)

    async def erase(tx: Tx) -> "asyncio.Task[bool]":
        await users_store.lock(tx, org.org_id, user)
        opening = asyncio.create_task(
            org.house.database.transact(lambda inner: at.cases.open(inner, other, "test"))
        )
        await waits_for(org.house.database, await tx.fetchval("select pg_backend_pid()"))
        await org.house.vault.destroy(tx, org.org_id, [user])
        return opening

    with pytest.raises(UserFrozen):
        await (await org.house.database.transact(erase))
    assert await at.cases.get(org.org_id, other.id) is None


async def test_a_case_that_nobody_can_open_is_looked_at_once(
    still_org: Tenant, identity: ScriptedIdentity
) -> None:
    org, at = still_org, desk(still_org.house, identity)
    user = await make_person(org)
    await submitted(at, org, user)
    await org.house.database.transact(
        lambda tx: org.house.vault.destroy(tx, org.org_id, [UUID(user)])
    )
    await run(at, org)
    assert (await case_of(at, org, user)).due_at is None
    assert not identity.calls


async def test_what_was_erased_meanwhile_is_not_handed_over(
    still_org: Tenant, identity: ScriptedIdentity
) -> None:
    org, at = still_org, desk(still_org.house, identity)
    user = await make_person(org)
    await submitted(at, org, user)
    await org.post(f"/v2/users/{user}/freeze", {})
    await org.house.users.erase(org.caller, UUID(user))
    await run(at, org, ahead=timedelta(days=1))
    assert not identity.calls
    found = await case_of(at, org, user)
    assert found.snapshot is None
    assert found.findings.history == ()
