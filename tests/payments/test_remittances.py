"""What becomes of transfers and batches: worker, chain, freezing and admins."""

from datetime import timedelta
from itertools import product
from typing import Any
from uuid import UUID

import pytest

from landbridge.core.errors import Broken, Unavailable, Unclear
from landbridge.core.ids import derived_id
from landbridge.payments.remittances import MOVES, Status
from landbridge.wiring.coins import coin_deciders, coin_steps
from tests.payments.remitting import Play

WEEK = timedelta(weeks=1)
DAY = timedelta(days=1)

EDGES = {
    (Status.PENDING_APPROVAL, Status.CREATED),
    (Status.PENDING_APPROVAL, Status.REJECTED),
    (Status.PENDING_APPROVAL, Status.EXPIRED),
    (Status.CREATED, Status.INITIATED),
    (Status.CREATED, Status.NOT_INITIATED),
    (Status.INITIATED, Status.PENDING),
    (Status.INITIATED, Status.FAILED),
    (Status.INITIATED, Status.UNKNOWN),
    (Status.PENDING, Status.COMPLETED),
    (Status.PENDING, Status.FAILED),
    (Status.PENDING, Status.UNKNOWN),
    (Status.UNKNOWN, Status.COMPLETED),
    (Status.UNKNOWN, Status.FAILED),
}


@pytest.mark.parametrize(("before", "after"), list(product(Status, Status)))
def test_only_these_moves_are_allowed(before: Status, after: Status) -> None:
    assert MOVES.is_path(before, (after,)) == ((before, after) in EDGES)


async def test_coins_are_held_and_then_sent(play: Play) -> None:
    made = await play.make()
    assert await play.status(made) == "CREATED"
    assert await play.holds() == (7, 3, 0)
    await play.work()
    sent = await play.get(made)
    assert sent["status"] == "COMPLETED"
    assert sent["receipt"]["transactionHash"].startswith("0x")
    assert sent["receipt"]["userOpHash"].startswith("0x")
    assert sent["failedReason"] is None
    assert await play.holds() == (7, 0, 3)
    assert await play.told(made) == [
        ("open", "CREATED"),
        ("initiated", "INITIATED"),
        ("completed", "PENDING"),
        ("completed", "COMPLETED"),
    ]
    await play.work()
    assert play.chains.count("send") == 1
    await play.check_books()


async def test_a_slow_chain_is_asked_when_it_is_expected(play: Play) -> None:
    play.chains.late_by = timedelta(minutes=5)
    made = await play.make()
    await play.work()
    pending = await play.get(made)
    assert pending["status"] == "PENDING"
    assert pending["receipt"]["transactionHash"].startswith("0x")
    assert await play.holds() == (7, 3, 0)
    await play.work(after=timedelta(minutes=4))
    assert play.chains.count("look") == 0
    await play.work(after=timedelta(minutes=2))
    assert await play.status(made) == "COMPLETED"
    assert await play.holds() == (7, 0, 3)
    assert play.chains.count("send") == 1
    await play.check_books()


@pytest.mark.parametrize(
    "how", ["no answer before", "no answer after", "dies before", "dies after"]
)
async def test_between_claim_call_and_record_nothing_is_lost_or_done_twice(
    play: Play, how: str
) -> None:
    match how:
        case "no answer before":
            play.chains.raise_before_next = Unavailable("not now")
        case "no answer after":
            play.chains.raise_after_next = Unclear("who knows")
        case "dies before":
            play.chains.raise_before_next = RuntimeError("killed")
        case _:
            play.chains.raise_after_next = RuntimeError("killed")
    made = await play.make()
    await play.work()
    assert await play.status(made) == "INITIATED"
    assert await play.holds() == (7, 3, 0)
    await play.work()
    assert await play.status(made) == "COMPLETED"
    assert await play.holds() == (7, 0, 3)
    assert await play.carried() == 1
    assert {key for _, key in play.chains.calls} == {derived_id(UUID(made), "send")}
    await play.check_books()


@pytest.mark.parametrize("who", ["payer", "payee"])
async def test_what_was_claimed_but_not_sent_waits_for_the_unfreezing(play: Play, who: str) -> None:
    user = play.ada if who == "payer" else play.bob
    play.chains.raise_before_next = RuntimeError("killed")
    made = await play.make()
    await play.work()
    await play.org.post(f"/v2/users/{user}/freeze", {"reason": "a"})
    await play.work(after=timedelta(hours=2))
    assert (await play.status(made), await play.holds()) == ("INITIATED", (7, 3, 0))
    assert await play.carried() == 0
    await play.org.post(f"/v2/users/{user}/unfreeze", {})
    await play.work()
    assert (await play.status(made), await play.holds()) == ("COMPLETED", (7, 0, 3))
    await play.check_books()


async def test_what_the_chain_refuses_fails_and_is_let_go(play: Play) -> None:
    play.chains.fail_next = "nonce too low"
    made = await play.make()
    await play.work()
    failed = await play.get(made)
    assert (failed["status"], failed["failedReason"]) == ("FAILED", "nonce too low")
    assert await play.holds() == (10, 0, 0)
    await play.check_books()


async def test_what_fails_later_is_let_go_too(play: Play) -> None:
    play.chains.fail_next, play.chains.late_by = "reverted", timedelta(minutes=1)
    made = await play.make()
    await play.work()
    assert await play.status(made) == "PENDING"
    await play.work(after=timedelta(minutes=2))
    assert await play.status(made) == "FAILED"
    assert await play.holds() == (10, 0, 0)
    await play.check_books()


@pytest.mark.parametrize("since", ["INITIATED", "PENDING"])
@pytest.mark.parametrize("end", ["COMPLETED", "FAILED"])
async def test_after_a_day_of_silence_it_is_unknown_until_the_chain_speaks(
    play: Play, since: str, end: str
) -> None:
    if since == "PENDING":
        play.chains.late_by = timedelta(seconds=2)
    else:
        play.chains.is_silent = True
    made = await play.make()
    if end == "FAILED":
        play.chains.failing[derived_id(UUID(made), "send")] = "reverted"
    await play.work()
    assert await play.status(made) == since
    play.chains.is_silent = True
    await play.work(after=DAY - timedelta(minutes=1))
    assert await play.status(made) == since
    await play.work(after=timedelta(minutes=2))
    assert await play.status(made) == "UNKNOWN"
    assert await play.holds() == (7, 3, 0)
    await play.work(after=2 * DAY)
    assert await play.status(made) == "UNKNOWN"
    play.chains.is_silent = False
    await play.work()
    assert await play.status(made) == "UNKNOWN"
    await play.work(after=timedelta(hours=1))
    found = await play.get(made)
    assert found["status"] == end
    assert found["failedReason"] == (None if end == "COMPLETED" else "reverted")
    assert await play.holds() == ((7, 0, 3) if end == "COMPLETED" else (10, 0, 0))
    assert await play.carried() == (1 if end == "COMPLETED" else 0)
    await play.check_books()


@pytest.mark.parametrize("frozen", ["ada", "bob", "organisation"])
async def test_who_is_frozen_before_it_is_sent_neither_sends_nor_receives(
    play: Play, frozen: str
) -> None:
    made = await play.make()
    await _freeze(play, frozen)
    await play.work()
    found = await play.get(made)
    assert found["status"] == "NOT_INITIATED"
    assert "frozen" in found["failedReason"]
    assert await play.holds() == (10, 0, 0)
    assert await play.carried() == 0
    await play.check_books()


async def test_what_never_arrived_is_not_sent_while_somebody_is_frozen(play: Play) -> None:
    play.chains.is_silent = True
    made = await play.make()
    await play.work()
    await play.work(after=DAY + timedelta(minutes=1))
    assert await play.status(made) == "UNKNOWN"
    await _freeze(play, "ada")
    play.chains.is_silent = False
    await play.work(after=timedelta(hours=1))
    assert (await play.status(made), await play.carried()) == ("UNKNOWN", 0)
    assert await play.holds() == (7, 3, 0)
    await play.org.post(f"/v2/users/{play.ada}/unfreeze", {"reason": "a"})
    await play.work(after=timedelta(hours=1))
    assert (await play.status(made), await play.carried()) == ("COMPLETED", 1)


async def test_what_the_chain_has_goes_on_whoever_is_frozen(play: Play) -> None:
    play.chains.late_by = timedelta(minutes=1)
    made = await play.make()
    await play.work()
    await _freeze(play, "ada")
    await play.work(after=timedelta(minutes=2))
    assert await play.status(made) == "COMPLETED"
    assert await play.holds() == (7, 0, 3)


async def test_an_approved_one_is_sent(play: Play) -> None:
    made = await play.make(requireApproval=True)
    assert await play.status(made) == "PENDING_APPROVAL"
    assert await play.holds() == (7, 3, 0)
    await play.work()
    assert await play.status(made) == "PENDING_APPROVAL"
    assert (await _shown(play, made))["status"] == "PENDING"
    approval = await play.approval(made)
    await play.house.voting.approve(play.approver(), approval.id, "fine")
    assert await play.status(made) == "CREATED"
    shown = await _shown(play, made)
    assert (shown["status"], shown["votes"]) == ("APPROVED", None)
    await play.work()
    assert await play.status(made) == "COMPLETED"
    assert await play.holds() == (7, 0, 3)
    assert [what for what, _ in await play.told(made)][:2] == ["open", "approve"]
    await play.check_books()


async def test_a_rejected_one_is_let_go(play: Play) -> None:
    made = await play.make(requireApproval=True)
    approval = await play.approval(made)
    await play.house.voting.reject(play.approver(), approval.id, "Bob is a crook")
    found = await play.get(made)
    assert (found["status"], found["failedReason"]) == ("REJECTED", "an approver rejected it")
    (vote,) = (await _shown(play, made))["votes"]
    assert (vote["vote"], vote["comment"]) == ("REJECT", "Bob is a crook")
    assert await play.holds() == (10, 0, 0)
    await play.work(after=2 * WEEK)
    assert await play.status(made) == "REJECTED"
    await play.check_books()


async def test_one_that_nobody_decides_on_expires_after_a_week(play: Play) -> None:
    made = await play.make(requireApproval=True)
    await play.work(after=WEEK - timedelta(seconds=1))
    assert await play.status(made) == "PENDING_APPROVAL"
    await play.work(after=timedelta(seconds=2))
    found = await play.get(made)
    assert found["status"] == "EXPIRED"
    assert found["failedReason"] == "nobody approved it in time"
    assert (await _shown(play, made))["status"] == "EXPIRED"
    assert await play.holds() == (10, 0, 0)
    await play.check_books()


async def test_one_whose_user_was_frozen_meanwhile_is_approved_in_vain(play: Play) -> None:
    made = await play.make(requireApproval=True)
    await _freeze(play, "ada")
    await play.house.voting.approve(play.approver(), (await play.approval(made)).id, None)
    await play.work()
    assert await play.status(made) == "NOT_INITIATED"
    assert await play.holds() == (10, 0, 0)
    await play.check_books()


@pytest.mark.parametrize("status", list(Status))
async def test_a_step_at_every_status_is_a_move_or_a_bug(play: Play, status: Status) -> None:
    made = await _at(play, status)
    record = await play.house.ledger.find(play.org.org_id, UUID(made))
    assert record is not None
    assert record.status == status
    assert (record.due_at is None) == MOVES.is_terminal(status)
    steps = coin_steps(play.house).by_kind[record.kind]
    if MOVES.is_terminal(status):
        with pytest.raises(Broken):
            await steps.run(record, timedelta())
    elif status is not Status.PENDING_APPROVAL:
        play.chains.is_silent = False
        play.clock.at += timedelta(hours=2)
        await steps.run(record, timedelta())
        assert await play.status(made) == "COMPLETED"
        # Whoever read it before and comes late does nothing.
        await steps.run(record, timedelta())
        assert await play.holds() == (7, 0, 3)
    await play.check_books()


async def test_an_approval_takes_nothing(play: Play) -> None:
    record = await play.house.ledger.find(play.org.org_id, UUID(await play.make()))
    assert record is not None
    with pytest.raises(Broken):
        coin_deciders()[record.kind].short(record, actor="test", at=play.clock.at)


async def _shown(play: Play, made: str) -> dict[str, Any]:
    found = await play.get(made)
    return found["approval"] if play.kind == "transfer" else found["receipt"]["approval"]


async def _freeze(play: Play, who: str) -> None:
    org = play.org
    match who:
        case "ada":
            await play.house.users.freeze(org.caller, UUID(play.ada), reason=None)
        case "bob":
            await play.house.users.freeze(org.caller, UUID(play.bob), reason=None)
        case _:
            await play.house.orgs.freeze(org.org_id)


async def _at(play: Play, status: Status) -> str:
    """The id of one at this status."""
    asks = status in {Status.PENDING_APPROVAL, Status.REJECTED, Status.EXPIRED}
    made = await play.make(requireApproval=True) if asks else await play.make()
    match status:
        case Status.PENDING_APPROVAL | Status.CREATED:
            return made
        case Status.REJECTED:
            approval = await play.approval(made)
            await play.house.voting.reject(play.approver(), approval.id, None)
            return made
        case Status.INITIATED | Status.UNKNOWN:
            play.chains.is_silent = True
        case Status.PENDING:
            play.chains.late_by = timedelta(minutes=1)
        case Status.FAILED:
            play.chains.fail_next = "no"
        case Status.NOT_INITIATED:
            await _freeze(play, "bob")
        case Status.EXPIRED | Status.COMPLETED:
            pass
    await play.work(after=timedelta(days=7, seconds=1) if asks else timedelta(seconds=1))
    if status is Status.UNKNOWN:
        await play.work(after=DAY)
    return made
