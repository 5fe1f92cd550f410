"""Outgoing transfers: worker, chain, freezing and approvals."""

from datetime import timedelta
from itertools import product
from typing import Any
from uuid import UUID

import pytest

from landbridge.app.container.coin_flows import coin_deciders, coin_steps
from landbridge.payments.engine.outgoing_transfers import TRANSITIONS, OutgoingTransferStatus
from landbridge.platform.core.errors import InvariantBroken, Unavailable, Unclear
from tests.matrices import each_value_once, in_one_test
from tests.order_keys import key_of
from tests.payments.engine.outgoing_transfer_scenario import OutgoingTransferScenario

WEEK = timedelta(weeks=1)
DAY = timedelta(days=1)

EDGES = {
    (OutgoingTransferStatus.PENDING_APPROVAL, OutgoingTransferStatus.CREATED),
    (OutgoingTransferStatus.PENDING_APPROVAL, OutgoingTransferStatus.REJECTED),
    (OutgoingTransferStatus.PENDING_APPROVAL, OutgoingTransferStatus.EXPIRED),
    (OutgoingTransferStatus.CREATED, OutgoingTransferStatus.INITIATED),
    (OutgoingTransferStatus.CREATED, OutgoingTransferStatus.NOT_INITIATED),
    (OutgoingTransferStatus.INITIATED, OutgoingTransferStatus.PENDING),
    (OutgoingTransferStatus.INITIATED, OutgoingTransferStatus.FAILED),
    (OutgoingTransferStatus.INITIATED, OutgoingTransferStatus.UNKNOWN),
    (OutgoingTransferStatus.PENDING, OutgoingTransferStatus.COMPLETED),
    (OutgoingTransferStatus.PENDING, OutgoingTransferStatus.FAILED),
    (OutgoingTransferStatus.PENDING, OutgoingTransferStatus.UNKNOWN),
    (OutgoingTransferStatus.UNKNOWN, OutgoingTransferStatus.COMPLETED),
    (OutgoingTransferStatus.UNKNOWN, OutgoingTransferStatus.FAILED),
}


@in_one_test(product(OutgoingTransferStatus, OutgoingTransferStatus))
def test_only_these_transitions_are_allowed(
    before: OutgoingTransferStatus, after: OutgoingTransferStatus
) -> None:
    assert TRANSITIONS.is_path(before, (after,)) == ((before, after) in EDGES)


async def test_coins_are_held_and_then_sent(scenario: OutgoingTransferScenario) -> None:
    created = await scenario.make()
    assert await scenario.status(created) == "CREATED"
    assert await scenario.holds() == (7, 3, 0)
    await scenario.work()
    sent = await scenario.get(created)
    assert sent["status"] == "COMPLETED"
    assert sent["receipt"]["transactionHash"].startswith("0x")
    assert sent["receipt"]["userOpHash"].startswith("0x")
    assert sent["failedReason"] is None
    assert await scenario.holds() == (7, 0, 3)
    assert await scenario.changes(created) == [
        ("open", "CREATED"),
        ("initiated", "INITIATED"),
        ("completed", "PENDING"),
        ("completed", "COMPLETED"),
    ]
    await scenario.work()
    assert scenario.chains.count("send") == 1
    await scenario.check_books()


async def test_slow_chain_is_polled_when_its_result_is_expected(
    scenario: OutgoingTransferScenario,
) -> None:
    scenario.chains.late_by = timedelta(minutes=5)
    created = await scenario.make()
    await scenario.work()
    pending = await scenario.get(created)
    assert pending["status"] == "PENDING"
    assert pending["receipt"]["transactionHash"].startswith("0x")
    assert await scenario.holds() == (7, 3, 0)
    await scenario.work(after=timedelta(minutes=4))
    assert scenario.chains.count("find_status") == 0
    await scenario.work(after=timedelta(minutes=2))
    assert await scenario.status(created) == "COMPLETED"
    assert await scenario.holds() == (7, 0, 3)
    assert scenario.chains.count("send") == 1
    await scenario.check_books()


@pytest.mark.parametrize(
    "how", ["no answer before", "no answer after", "dies before", "dies after"]
)
async def test_worker_death_between_claim_call_and_record_loses_and_repeats_nothing(
    scenario: OutgoingTransferScenario, how: str
) -> None:
    match how:
        case "no answer before":
            scenario.chains.raise_before_next = Unavailable("not now")
        case "no answer after":
            scenario.chains.raise_after_next = Unclear("who knows")
        case "dies before":
            scenario.chains.raise_before_next = RuntimeError("killed")
        case _:
            scenario.chains.raise_after_next = RuntimeError("killed")
    created = await scenario.make()
    await scenario.work()
    assert await scenario.status(created) == "INITIATED"
    assert await scenario.holds() == (7, 3, 0)
    await scenario.work()
    assert await scenario.status(created) == "COMPLETED"
    assert await scenario.holds() == (7, 0, 3)
    assert await scenario.carried() == 1
    assert {key for _, key in scenario.chains.calls} == {
        await key_of(scenario.org, created, "send")
    }
    await scenario.check_books()


@pytest.mark.parametrize("party", ["payer", "payee"])
async def test_claimed_but_unsent_order_waits_for_the_unfreezing(
    scenario: OutgoingTransferScenario, party: str
) -> None:
    user = scenario.ada if party == "payer" else scenario.bob
    scenario.chains.raise_before_next = RuntimeError("killed")
    created = await scenario.make()
    await scenario.work()
    await scenario.org.post(f"/v2/users/{user}/freeze", {"reason": "a"})
    await scenario.work(after=timedelta(hours=2))
    assert (await scenario.status(created), await scenario.holds()) == ("INITIATED", (7, 3, 0))
    assert await scenario.carried() == 0
    await scenario.org.post(f"/v2/users/{user}/unfreeze", {})
    await scenario.work()
    assert (await scenario.status(created), await scenario.holds()) == ("COMPLETED", (7, 0, 3))
    await scenario.check_books()


async def test_order_refused_by_the_chain_fails_and_releases_the_coins(
    scenario: OutgoingTransferScenario,
) -> None:
    scenario.chains.fail_next = "nonce too low"
    created = await scenario.make()
    await scenario.work()
    failed = await scenario.get(created)
    assert (failed["status"], failed["failedReason"]) == ("FAILED", "nonce too low")
    assert await scenario.holds() == (10, 0, 0)
    await scenario.check_books()


async def test_later_failure_releases_the_coins(scenario: OutgoingTransferScenario) -> None:
    scenario.chains.fail_next, scenario.chains.late_by = "reverted", timedelta(minutes=1)
    created = await scenario.make()
    await scenario.work()
    assert await scenario.status(created) == "PENDING"
    await scenario.work(after=timedelta(minutes=2))
    assert await scenario.status(created) == "FAILED"
    assert await scenario.holds() == (10, 0, 0)
    await scenario.check_books()


@pytest.mark.parametrize(
    ("since", "end"), each_value_once(product(["INITIATED", "PENDING"], ["COMPLETED", "FAILED"]))
)
async def test_transfer_without_an_answer_for_a_day_becomes_unknown(
    scenario: OutgoingTransferScenario, since: str, end: str
) -> None:
    if since == "PENDING":
        scenario.chains.late_by = timedelta(seconds=2)
    else:
        scenario.chains.is_silent = True
    created = await scenario.make()
    if end == "FAILED":
        scenario.chains.failing[await key_of(scenario.org, created, "send")] = "reverted"
    await scenario.work()
    assert await scenario.status(created) == since
    scenario.chains.is_silent = True
    await scenario.work(after=DAY - timedelta(minutes=1))
    assert await scenario.status(created) == since
    await scenario.work(after=timedelta(minutes=2))
    assert await scenario.status(created) == "UNKNOWN"
    assert await scenario.holds() == (7, 3, 0)
    await scenario.work(after=2 * DAY)
    assert await scenario.status(created) == "UNKNOWN"
    scenario.chains.is_silent = False
    await scenario.work()
    assert await scenario.status(created) == "UNKNOWN"
    await scenario.work(after=timedelta(hours=1))
    found = await scenario.get(created)
    assert found["status"] == end
    assert found["failedReason"] == (None if end == "COMPLETED" else "reverted")
    assert await scenario.holds() == ((7, 0, 3) if end == "COMPLETED" else (10, 0, 0))
    assert await scenario.carried() == (1 if end == "COMPLETED" else 0)
    await scenario.check_books()


@pytest.mark.parametrize("frozen", ["ada", "bob", "organisation"])
async def test_user_frozen_before_sending_neither_sends_nor_receives(
    scenario: OutgoingTransferScenario, frozen: str
) -> None:
    created = await scenario.make()
    await _freeze(scenario, frozen)
    await scenario.work()
    found = await scenario.get(created)
    assert found["status"] == "NOT_INITIATED"
    assert "frozen" in found["failedReason"]
    assert await scenario.holds() == (10, 0, 0)
    assert await scenario.carried() == 0
    await scenario.check_books()


async def test_order_that_never_arrived_is_not_sent_while_frozen(
    scenario: OutgoingTransferScenario,
) -> None:
    scenario.chains.is_silent = True
    created = await scenario.make()
    await scenario.work()
    await scenario.work(after=DAY + timedelta(minutes=1))
    assert await scenario.status(created) == "UNKNOWN"
    await _freeze(scenario, "ada")
    scenario.chains.is_silent = False
    await scenario.work(after=timedelta(hours=1))
    assert (await scenario.status(created), await scenario.carried()) == ("UNKNOWN", 0)
    assert await scenario.holds() == (7, 3, 0)
    await scenario.org.post(f"/v2/users/{scenario.ada}/unfreeze", {"reason": "a"})
    await scenario.work(after=timedelta(hours=1))
    assert (await scenario.status(created), await scenario.carried()) == ("COMPLETED", 1)


async def test_order_on_the_chain_continues_despite_a_freeze(
    scenario: OutgoingTransferScenario,
) -> None:
    scenario.chains.late_by = timedelta(minutes=1)
    created = await scenario.make()
    await scenario.work()
    await _freeze(scenario, "ada")
    await scenario.work(after=timedelta(minutes=2))
    assert await scenario.status(created) == "COMPLETED"
    assert await scenario.holds() == (7, 0, 3)


async def test_approved_transfer_is_sent(scenario: OutgoingTransferScenario) -> None:
    created = await scenario.make(requireApproval=True)
    assert await scenario.status(created) == "PENDING_APPROVAL"
    assert await scenario.holds() == (7, 3, 0)
    await scenario.work()
    assert await scenario.status(created) == "PENDING_APPROVAL"
    assert (await _shown(scenario, created))["status"] == "PENDING"
    approval = await scenario.approval(created)
    await scenario.container.voting.approve(scenario.approver(), approval.id, "fine")
    assert await scenario.status(created) == "CREATED"
    shown = await _shown(scenario, created)
    assert (shown["status"], shown["votes"]) == ("APPROVED", None)
    await scenario.work()
    assert await scenario.status(created) == "COMPLETED"
    assert await scenario.holds() == (7, 0, 3)
    assert [change_type for change_type, _ in await scenario.changes(created)][:2] == [
        "open",
        "approve",
    ]
    await scenario.check_books()


async def test_rejected_transfer_releases_the_coins(scenario: OutgoingTransferScenario) -> None:
    created = await scenario.make(requireApproval=True)
    approval = await scenario.approval(created)
    await scenario.container.voting.reject(scenario.approver(), approval.id, "Bob is a crook")
    found = await scenario.get(created)
    assert (found["status"], found["failedReason"]) == ("REJECTED", "an approver rejected it")
    (vote,) = (await _shown(scenario, created))["votes"]
    assert (vote["vote"], vote["comment"]) == ("REJECT", "Bob is a crook")
    assert await scenario.holds() == (10, 0, 0)
    await scenario.work(after=2 * WEEK)
    assert await scenario.status(created) == "REJECTED"
    await scenario.check_books()


async def test_undecided_transfer_expires_after_a_week(scenario: OutgoingTransferScenario) -> None:
    created = await scenario.make(requireApproval=True)
    await scenario.work(after=WEEK - timedelta(seconds=1))
    assert await scenario.status(created) == "PENDING_APPROVAL"
    await scenario.work(after=timedelta(seconds=2))
    found = await scenario.get(created)
    assert found["status"] == "EXPIRED"
    assert found["failedReason"] == "it was not approved in time"
    assert (await _shown(scenario, created))["status"] == "EXPIRED"
    assert await scenario.holds() == (10, 0, 0)
    await scenario.check_books()


async def test_approved_transfer_of_a_frozen_user_is_not_sent(
    scenario: OutgoingTransferScenario,
) -> None:
    created = await scenario.make(requireApproval=True)
    await _freeze(scenario, "ada")
    await scenario.container.voting.approve(
        scenario.approver(), (await scenario.approval(created)).id, None
    )
    await scenario.work()
    assert await scenario.status(created) == "NOT_INITIATED"
    assert await scenario.holds() == (10, 0, 0)
    await scenario.check_books()


@pytest.mark.parametrize("status", list(OutgoingTransferStatus))
async def test_step_at_every_status_advances_or_raises(
    scenario: OutgoingTransferScenario, status: OutgoingTransferStatus
) -> None:
    created = await _at(scenario, status)
    record = await scenario.container.ledger.find(scenario.org.org_id, UUID(created))
    assert record is not None
    assert record.status == status
    assert (record.due_at is None) == TRANSITIONS.is_terminal(status)
    steps = coin_steps(scenario.container, scenario.container.swaps).by_kind[record.kind]
    if TRANSITIONS.is_terminal(status):
        with pytest.raises(InvariantBroken):
            await steps.run(record, timedelta())
    elif status is not OutgoingTransferStatus.PENDING_APPROVAL:
        scenario.chains.is_silent = False
        scenario.clock.at += timedelta(hours=2)
        await steps.run(record, timedelta())
        assert await scenario.status(created) == "COMPLETED"
        # A worker with a stale read does nothing.
        await steps.run(record, timedelta())
        assert await scenario.holds() == (7, 0, 3)
    await scenario.check_books()


async def test_approval_posts_nothing(scenario: OutgoingTransferScenario) -> None:
    record = await scenario.container.ledger.find(scenario.org.org_id, UUID(await scenario.make()))
    assert record is not None
    with pytest.raises(InvariantBroken):
        coin_deciders()[record.kind].insufficient(record, actor="test", at=scenario.clock.at)


async def _shown(scenario: OutgoingTransferScenario, created: str) -> dict[str, Any]:
    found = await scenario.get(created)
    return found["approval"] if scenario.kind == "transfer" else found["receipt"]["approval"]


async def _freeze(scenario: OutgoingTransferScenario, party: str) -> None:
    org = scenario.org
    match party:
        case "ada":
            await scenario.container.users.freeze(org.caller, UUID(scenario.ada), reason=None)
        case "bob":
            await scenario.container.users.freeze(org.caller, UUID(scenario.bob), reason=None)
        case _:
            await scenario.container.orgs.freeze(org.org_id)


async def _at(scenario: OutgoingTransferScenario, status: OutgoingTransferStatus) -> str:
    """Create one at this status and return its id."""
    needs_approval = status in {
        OutgoingTransferStatus.PENDING_APPROVAL,
        OutgoingTransferStatus.REJECTED,
        OutgoingTransferStatus.EXPIRED,
    }
    created = await scenario.make(requireApproval=True) if needs_approval else await scenario.make()
    match status:
        case OutgoingTransferStatus.PENDING_APPROVAL | OutgoingTransferStatus.CREATED:
            return created
        case OutgoingTransferStatus.REJECTED:
            approval = await scenario.approval(created)
            await scenario.container.voting.reject(scenario.approver(), approval.id, None)
            return created
        case OutgoingTransferStatus.INITIATED | OutgoingTransferStatus.UNKNOWN:
            scenario.chains.is_silent = True
        case OutgoingTransferStatus.PENDING:
            scenario.chains.late_by = timedelta(minutes=1)
        case OutgoingTransferStatus.FAILED:
            scenario.chains.fail_next = "no"
        case OutgoingTransferStatus.NOT_INITIATED:
            await _freeze(scenario, "bob")
        case OutgoingTransferStatus.EXPIRED | OutgoingTransferStatus.COMPLETED:
            pass
    await scenario.work(
        after=timedelta(days=7, seconds=1) if needs_approval else timedelta(seconds=1)
    )
    if status is OutgoingTransferStatus.UNKNOWN:
        await scenario.work(after=DAY)
    return created
