"""Cases whose provider fails, delays or contradicts itself, and crashes in between."""

import asyncio
import json
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from itertools import product
from uuid import UUID

import pytest

from landbridge.customers.kyc.model import Rail
from landbridge.customers.users import store as users_store
from landbridge.customers.verification.model import KycStatus, VerificationCase, case_id
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.errors import Rejected, Unavailable, Unclear, UserFrozen
from landbridge.platform.db.pool import Tx
from landbridge.providers.identity.port import (
    ApplicationStatus,
    CheckResult,
    IdentityReview,
    InformationRequested,
    ManualReviewRequested,
    NotSubmitted,
    RejectType,
    ReviewOutcome,
    StillPending,
)
from tests.customers.verification.verification_setup import (
    case_of,
    history_of,
    run,
    services_with,
    submitted,
)
from tests.matrices import each_value_once
from tests.people import make_person
from tests.providers.identity.contract import approved, declined
from tests.providers.identity.faulty import SECRET, ScriptedIdentity
from tests.tenants import Tenant
from tests.waiting import waits_for

SOON = timedelta(seconds=6)
PAUSE = timedelta(seconds=31)
CALLS = ("create", "attach", "submit")

S = KycStatus


class PowerCut(BaseException):
    """Simulated crash: nothing after this runs."""


@pytest.fixture
def identity() -> ScriptedIdentity:
    return ScriptedIdentity()


class Fault:
    """Fault that raises at one call, this many times."""

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
        (InformationRequested(comment="More."), S.RFI_PENDING),
        (ManualReviewRequested(note="Odd."), S.MANUAL_REVIEW),
        (StillPending(retry_after=None), S.PENDING),
        (StillPending(retry_after=SOON), S.PENDING),
    ],
)
async def test_each_answer_leads_where_it_should(
    still_org: Tenant, identity: ScriptedIdentity, answer: ApplicationStatus, status: KycStatus
) -> None:
    org, services = still_org, services_with(still_org.container, identity)
    user = await make_person(org)
    case = await submitted(services, org, user)
    assert case.status is S.CREATED
    identity.answers[case.key] = answer
    await run(services, org)
    assert (await case_of(services, org, user)).status is S.PENDING
    await run(services, org, ahead=SOON)
    found = await case_of(services, org, user)
    assert found.status is status
    assert await history_of(org, found) == (
        [S.CREATED, S.PENDING] if status is S.PENDING else [S.CREATED, S.PENDING, status]
    )


@pytest.mark.parametrize(
    ("side", "call", "error"),
    each_value_once(
        product(
            ["before", "after"],
            CALLS,
            [PowerCut(), Unavailable("down"), Unclear("no answer"), RuntimeError("a bug")],
        )
    ),
)
async def test_a_fault_at_any_call_is_made_good_later_and_nothing_is_done_twice(
    still_org: Tenant, side: str, call: str, error: BaseException
) -> None:
    org, identity = still_org, ScriptedIdentity()
    services = services_with(org.container, identity)
    user = await make_person(org)
    case = await submitted(services, org, user)
    identity.answers[case.key] = approved()
    setattr(identity, side, Fault(call, error))
    with suppress(PowerCut):
        await run(services, org)
    assert (await case_of(services, org, user)).status is S.CREATED
    # Left alone for a while, by this process and by its replacement.
    again = services_with(org.container, identity)
    await run(again, org, ahead=timedelta(seconds=20))
    assert (await case_of(services, org, user)).status is S.CREATED
    await run(again, org, ahead=PAUSE)
    await run(again, org, ahead=PAUSE + SOON)
    found = await case_of(services, org, user)
    assert found.status is S.ACTIVE
    assert found.failures == 0
    assert len(identity.created_checks) == 1
    assert identity.calls["submit"] <= (1 if (call, side) == ("submit", "after") else 2)
    assert await history_of(org, found) == [S.CREATED, S.PENDING, S.ACTIVE]


@pytest.mark.parametrize("error", [PowerCut(), Unavailable("down"), Unclear("no answer")])
async def test_a_fault_while_asking_is_made_good_later(
    still_org: Tenant, identity: ScriptedIdentity, error: BaseException
) -> None:
    org, services = still_org, services_with(still_org.container, identity)
    user = await make_person(org)
    case = await submitted(services, org, user)
    await run(services, org)
    identity.answers[case.key] = approved()
    identity.before = Fault("status", error)
    with suppress(PowerCut):
        await run(services, org, ahead=SOON)
    assert (await case_of(services, org, user)).status is S.PENDING
    await run(services, org, ahead=SOON + PAUSE)
    assert (await case_of(services, org, user)).status is S.ACTIVE
    assert identity.calls["submit"] == 1


async def test_a_failing_provider_is_queried_less_and_less(
    still_org: Tenant, identity: ScriptedIdentity
) -> None:
    org, services = still_org, services_with(still_org.container, identity)
    user = await make_person(org)
    await submitted(services, org, user)
    identity.before = Fault("create", Unavailable("down"), times=10_000)
    for minute in range(0, 24 * 60, 5):
        await run(services, org, ahead=timedelta(minutes=minute))
    assert 24 <= identity.calls["create"] <= 40
    identity.before = Fault("", Unavailable(""))
    await run(services, org, ahead=timedelta(days=1, hours=1))
    assert (await case_of(services, org, user)).status is S.PENDING


@pytest.mark.parametrize("call", [*CALLS, "status"])
async def test_a_provider_that_refuses_leads_to_support_and_a_new_submission_from_there(
    still_org: Tenant, call: str
) -> None:
    org, identity = still_org, ScriptedIdentity()
    services = services_with(org.container, identity)
    user = await make_person(org)
    identity.before = Fault(call, Rejected("no"))
    case = await submitted(services, org, user)
    await run(services, org)
    await run(services, org, ahead=SOON)
    found = await case_of(services, org, user)
    assert found.status is S.CONTACT_SUPPORT
    assert found.due_at is None
    again = await submitted(services, org, user)
    assert again.status is S.PENDING
    assert again.key != case.key
    identity.answers[again.key] = approved()
    await run(services, org)
    await run(services, org, ahead=SOON)
    found = await case_of(services, org, user)
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
    org, services = still_org, services_with(still_org.container, identity)
    user = await make_person(org)
    case = await submitted(services, org, user)
    await run(services, org)
    identity.answers[case.key] = IdentityReview(result=CheckResult(answer=ReviewOutcome.DECLINED))
    await run(services, org, ahead=SOON)
    assert (await case_of(services, org, user)).status is S.PENDING
    identity.answers[case.key] = approved()
    await run(services, org, ahead=SOON + PAUSE)
    assert (await case_of(services, org, user)).status is S.ACTIVE


async def test_a_case_lost_by_its_provider_is_submitted_again(
    still_org: Tenant, identity: ScriptedIdentity
) -> None:
    org, services = still_org, services_with(still_org.container, identity)
    user = await make_person(org)
    case = await submitted(services, org, user)
    await run(services, org)
    identity.submitted.clear()
    await run(services, org, ahead=SOON)
    assert (await case_of(services, org, user)).reference is None
    identity.answers[case.key] = approved()
    await run(services, org, ahead=SOON + PAUSE)
    await run(services, org, ahead=SOON + PAUSE + SOON)
    assert (await case_of(services, org, user)).status is S.ACTIVE
    assert identity.calls["submit"] == 2


async def test_a_provider_that_stays_unsubmitted_is_not_queried_forever(
    still_org: Tenant, identity: ScriptedIdentity
) -> None:
    org, services = still_org, services_with(still_org.container, identity)
    user = await make_person(org)
    case = await submitted(services, org, user)
    identity.answers[case.key] = NotSubmitted()
    for minute in range(240):
        await run(services, org, ahead=timedelta(minutes=minute))
    assert identity.calls["submit"] < 20


async def test_parts_of_an_answer_that_were_never_submitted_are_left_out(
    still_org: Tenant, identity: ScriptedIdentity
) -> None:
    org, services = still_org, services_with(still_org.container, identity)
    user = await make_person(org)
    case = await submitted(services, org, user)
    bad = declined(RejectType.RETRY, "BLURRED")
    identity.answers[case.key] = IdentityReview(
        result=bad.result,
        note="secret",
        fields=("lastName", "ultimateBeneficialOwners", "lastName; drop table"),
        documents={UUID(int=1): bad.result},
        owners={UUID(int=2): bad.result},
    )
    await run(services, org)
    await run(services, org, ahead=SOON)
    found = await case_of(services, org, user)
    assert found.findings.review is not None
    assert found.findings.review.fields == ("lastName",)
    assert not found.findings.review.documents
    assert not found.findings.review.owners
    assert found.findings.review.note is None
    assert found.findings.history[-1].note == "secret"


async def test_a_repeated_message_causes_one_immediate_status_query(
    still_org: Tenant, identity: ScriptedIdentity
) -> None:
    org, services = still_org, services_with(still_org.container, identity)
    user, offsets = await make_person(org), {still_org.org_id: timedelta()}
    case = await submitted(services, org, user)
    identity.answers[case.key] = StillPending(retry_after=None)
    raw, headers = json.dumps({"key": case.key}).encode(), {"x-secret": SECRET}
    # Before the submission there is no status to query.
    assert not await services.verification.receive(raw, headers, offsets)
    await run(services, org)
    await run(services, org, ahead=SOON)
    assert (await case_of(services, org, user)).due_at is None
    identity.answers[case.key] = approved()
    for _ in range(3):
        assert await services.verification.receive(raw, headers, offsets)
    await run(services, org)
    assert (await case_of(services, org, user)).status is S.ACTIVE
    # Late, after its end, and of another submission.
    identity.answers[case.key] = declined(RejectType.FINAL, "FORGED")
    assert not await services.verification.receive(raw, headers, offsets)
    await run(services, org)
    assert (await case_of(services, org, user)).status is S.ACTIVE


async def test_a_message_about_an_earlier_submission_changes_nothing(
    still_org: Tenant, identity: ScriptedIdentity
) -> None:
    org, services = still_org, services_with(still_org.container, identity)
    user, offsets = await make_person(org), {still_org.org_id: timedelta()}
    case = await submitted(services, org, user)
    identity.answers[case.key] = InformationRequested(comment="More.")
    await run(services, org)
    await run(services, org, ahead=SOON)
    await submitted(services, org, user)
    await run(services, org)
    raw, headers = json.dumps({"key": case.key}).encode(), {"x-secret": SECRET}
    assert not await services.verification.receive(raw, headers, offsets)


@pytest.mark.parametrize(
    "key", ["", "-", "a-b-1", "0" * 32 + "-" + "0" * 32 + "-1", "0-0-0", "é-1-1", "1-1-²"]
)
async def test_a_message_about_nothing_of_ours_changes_nothing(
    org: Tenant, identity: ScriptedIdentity, key: str
) -> None:
    services = services_with(org.container, identity)
    raw, headers = json.dumps({"key": key}).encode(), {"x-secret": SECRET}
    assert not await services.verification.receive(raw, headers, {org.org_id: timedelta()})
    with pytest.raises(Rejected):
        await services.verification.receive(raw, {}, {org.org_id: timedelta()})


async def test_the_provider_receives_the_submitted_data(
    still_org: Tenant, still_clock: FrozenClock, identity: ScriptedIdentity
) -> None:
    org, services = still_org, services_with(still_org.container, identity)
    user = await make_person(org)
    await submitted(services, org, user, Rail.AFRICA_NIGERIA)
    await org.post(f"/v2/users/{user}/kyc", {"lastName": "Changed"})
    still_clock.at += timedelta(seconds=1)
    await run(services, org)
    found = await case_of(services, org, user, Rail.AFRICA_NIGERIA)
    assert found.snapshot is not None
    assert found.snapshot.data["lastName"] == "Example"
    assert set(identity.created_checks) == {found.key}
    assert sum(identity.attached.values()) == len(found.snapshot.documents) == 1


async def test_a_case_is_not_opened_while_its_user_is_erased(
    org: Tenant, identity: ScriptedIdentity
) -> None:
    services = services_with(org.container, identity)
    user = UUID(await make_person(org))
    case = (await services.verification.submit(org.caller, user, [Rail.USD]))[Rail.USD]
    other = replace(case, id=case_id(user, Rail.AFRICA_GENERAL), rail=Rail.AFRICA_GENERAL)

    async def erase(tx: Tx) -> "asyncio.Task[VerificationCase | None]":
        await users_store.lock(tx, org.org_id, user)
        opening = asyncio.create_task(
            org.container.database.transact(lambda inner: services.cases.open(inner, other, "test"))
        )
        await waits_for(org.container.database, await tx.fetchval("select pg_backend_pid()"))
        await org.container.vault.destroy(tx, org.org_id, [user])
        return opening

    with pytest.raises(UserFrozen):
        await (await org.container.database.transact(erase))
    assert await services.cases.get(org.org_id, other.id) is None


async def test_an_undecryptable_case_is_processed_once(
    still_org: Tenant, identity: ScriptedIdentity
) -> None:
    org, services = still_org, services_with(still_org.container, identity)
    user = await make_person(org)
    await submitted(services, org, user)
    await org.container.database.transact(
        lambda tx: org.container.vault.destroy(tx, org.org_id, [UUID(user)])
    )
    await run(services, org)
    assert (await case_of(services, org, user)).due_at is None
    assert not identity.calls


async def test_a_user_erased_meanwhile_is_not_submitted_to_the_provider(
    still_org: Tenant, identity: ScriptedIdentity
) -> None:
    org, services = still_org, services_with(still_org.container, identity)
    user = await make_person(org)
    await submitted(services, org, user)
    await org.post(f"/v2/users/{user}/freeze", {})
    await org.container.users.erase(org.caller, UUID(user))
    await run(services, org, ahead=timedelta(days=1))
    assert not identity.calls
    found = await case_of(services, org, user)
    assert found.snapshot is None
    assert found.findings.history == ()
