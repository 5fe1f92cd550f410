"""Refunds that a provider refuses for ever, resolved by two people."""

from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.core.errors import Rejected, RoleNotAllowed
from landbridge.core.ids import new_id
from landbridge.db.pool import Database
from landbridge.ledger.model import Role
from landbridge.payments.resolving import Action, Instruction
from tests.flows.offramps.playing import Play, playing, refused_refund
from tests.payouts import OFFRAMPS, OUTSIDE, check_books, shown
from tests.resolving import RESOLUTIONS, Desk, body, make_desk
from tests.tenants import held, make_user, refusal, register, sentence

# A good address of nobody.
ANOTHER = "0x000000000000000000000000000000000000dead"


@pytest.fixture
async def play(database: Database) -> AsyncIterator[Play]:
    async with playing(database) as play:
        yield play


@pytest.fixture
async def desk(play: Play) -> Desk:
    return await make_desk(play.org, play.clock, play.run)


async def test_a_refund_that_is_refused_again_and_again_asks_for_a_person(
    play: Play, desk: Desk
) -> None:
    made = await refused_refund(play)
    told = await play.org.get(f"{OFFRAMPS}/{made['id']}", expand="timeline")
    assert told["timeline"]["waitsFor"] == "REVIEWER"
    assert told["timeline"]["isStuck"]
    (stuck,) = (await play.org.get("/v2/stuck"))["stuck"]
    assert (stuck["id"], stuck["waitsFor"]) == (made["id"], "REVIEWER")
    assert stuck["attention"] == "refused 6 times: refund: the address is blocked"
    assert await desk.actions(made["id"]) == ["CONFIRM", "REDIRECT", "SETTLE_OUTSIDE"]


async def test_a_refund_goes_to_another_address_of_the_same_user(play: Play, desk: Desk) -> None:
    made = await refused_refund(play)
    await register(play.org, play.ada, OUTSIDE)
    done = await desk.resolve(made["id"], "REDIRECT", address=OUTSIDE)
    assert done["status"] == "COMPLETED"
    await play.pass_time(seconds=1)
    ended = await shown(play.org, made)
    assert ended["status"] == "CRYPTO_RETURNED"
    *_, order = play.chains.asked
    assert order.legs[0].address == OUTSIDE
    assert len({each.key for each in play.chains.asked}) == len(play.chains.asked)
    assert await held(play.org, play.ada) == "900"
    # The coins have left the platform, and nothing is left in between.
    assert await play.house(Role.IN_TRANSIT) == {}
    assert (await play.house(Role.LIQUIDITY)).get("usdc:POLYGON", 0) == 0
    await check_books(play.org)


async def test_a_refund_is_given_again_to_the_same_address(play: Play, desk: Desk) -> None:
    made = await refused_refund(play)
    assert (await desk.resolve(made["id"], "REDIRECT"))["status"] == "COMPLETED"
    await play.pass_time(seconds=1)
    assert await play.status(made) == "CRYPTO_RETURNED"
    assert await held(play.org, play.ada) == "1000"
    await check_books(play.org)


async def test_a_redirected_refund_that_is_refused_is_tried_again_after_a_minute(
    play: Play, desk: Desk
) -> None:
    made = await refused_refund(play)
    await register(play.org, play.ada, OUTSIDE)
    play.chains.raise_before_next = Rejected("still blocked")
    await desk.resolve(made["id"], "REDIRECT", address=OUTSIDE)
    await play.pass_time(seconds=1)
    assert await play.status(made) == "FIAT_FAILED"
    play.chains.raise_before_next = None
    await play.pass_time(seconds=61)
    assert await play.status(made) == "CRYPTO_RETURNED"
    await check_books(play.org)


async def test_a_refund_is_settled_outside(play: Play, desk: Desk) -> None:
    made = await refused_refund(play)
    before = len(play.chains.asked)
    assert (await desk.resolve(made["id"], "SETTLE_OUTSIDE"))["status"] == "COMPLETED"
    assert await play.status(made) == "CRYPTO_RETURNED"
    await play.pass_time(days=2)
    assert len(play.chains.asked) == before
    assert await held(play.org, play.ada) == "900"
    assert await play.house(Role.IN_TRANSIT) == {}
    assert (await play.house(Role.LIQUIDITY)).get("usdc:POLYGON", 0) == 0
    await check_books(play.org)


async def test_an_address_of_another_user_is_refused(play: Play, desk: Desk) -> None:
    made = await refused_refund(play)
    other = await make_user(play.org)
    wallets = (await play.org.get(f"/v2/users/{other}"))["wallets"]
    theirs = wallets["INDIVIDUAL"]["POLYGON"]["address"]
    for address in (ANOTHER, theirs):
        answer = await desk.send(made["id"], "REDIRECT", address=address)
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
        assert "address is neither a wallet of user" in sentence(answer)
    ours = await play.treasury()
    answer = await desk.send(made["id"], "REDIRECT", address=ours)
    assert refusal(answer) == "400 INVALID_WALLET_CONFIG"
    answer = await desk.send(made["id"], "REDIRECT", accountId=play.account)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    answer = await desk.send(made["id"], "CONFIRM", address=OUTSIDE)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert await play.status(made) == "FIAT_FAILED"


async def test_nobody_approves_what_they_requested(play: Play) -> None:
    made = await refused_refund(play)
    _, secret = await play.org.house.orgs.create_key(
        play.org.org_id, "both", expires_at=None, can_review=True, can_approve=True
    )
    both = type(play.org)(play.org.house, play.org.client, play.org.caller, secret)
    requested = await both.post(RESOLUTIONS, body(made["id"], "SETTLE_OUTSIDE"))
    path = f"/v2/transfer-approvals/{requested['approvalId']}/approve"
    assert await both.refused("POST", path, {}) == "403 USER_ROLE_NOT_ALLOWED"
    # Nothing is done before somebody else agrees.
    await play.pass_time(hours=3)
    assert (await both.get(f"{RESOLUTIONS}/{requested['id']}"))["status"] == "PENDING_APPROVAL"


async def test_only_reviewers_request(play: Play) -> None:
    """Every key of a sandbox may review, so this asks the service."""
    made = await refused_refund(play)
    instruction = Instruction(action=Action.SETTLE_OUTSIDE)
    resolutions = play.org.house.resolutions
    with pytest.raises(RoleNotAllowed):
        await resolutions.request(
            *(play.org.caller, new_id(), UUID(made["id"]), instruction), evidence="none"
        )
    with pytest.raises(RoleNotAllowed):
        await resolutions.options(play.org.caller, UUID(made["id"]))


async def test_a_request_is_made_once(play: Play, desk: Desk) -> None:
    made = await refused_refund(play)
    wanted = body(made["id"], "SETTLE_OUTSIDE")
    first = await desk.reviewer.post(RESOLUTIONS, wanted)
    again = await desk.reviewer.post(RESOLUTIONS, wanted)
    assert again == first
    other = {**wanted, "evidence": "another text"}
    assert await desk.reviewer.refused("POST", RESOLUTIONS, other) == (
        "409 TRANSACTION_REQUEST_ALREADY_EXISTS"
    )
    assert refusal(await desk.send(made["id"], "REDIRECT")) == "409 RESOURCE_CONFLICT"


async def test_a_rejected_resolution_leaves_the_payment_as_it_is(play: Play, desk: Desk) -> None:
    made = await refused_refund(play)
    requested = await desk.request(made["id"], "SETTLE_OUTSIDE")
    path = f"/v2/transfer-approvals/{requested['approvalId']}/reject"
    await desk.approver.post(path, {"reason": "no proof"})
    assert (await desk.carry_out(requested))["status"] == "REJECTED"
    assert await play.status(made) == "FIAT_FAILED"
    # And another one can be requested.
    assert (await desk.resolve(made["id"], "REDIRECT"))["status"] == "COMPLETED"


async def test_a_resolution_lapses_after_a_week(play: Play, desk: Desk) -> None:
    made = await refused_refund(play)
    treasury = await play.treasury()
    play.chains.only = lambda order: order.source == treasury
    requested = await desk.request(made["id"], "SETTLE_OUTSIDE")
    play.chains.is_silent = True
    await play.pass_time(days=8)
    found = await desk.reviewer.get(f"{RESOLUTIONS}/{requested['id']}")
    assert (found["status"], found["approvalStatus"]) == ("EXPIRED", "EXPIRED")
    assert await play.status(made) == "FIAT_FAILED"


async def test_a_refund_that_arrives_first_makes_the_resolution_void(
    play: Play, desk: Desk
) -> None:
    made = await refused_refund(play)
    requested = await desk.request(made["id"], "SETTLE_OUTSIDE")
    await play.pass_time(hours=2)
    assert await play.status(made) == "CRYPTO_RETURNED"
    await desk.approve(requested)
    done = await desk.carry_out(requested)
    assert (done["status"], done["failedReason"]) == (
        "VOID",
        "the payment has moved on by itself and is CRYPTO_RETURNED",
    )
    assert await held(play.org, play.ada) == "1000"
    await check_books(play.org)


async def test_a_refund_that_is_under_way_is_not_replaced(play: Play, desk: Desk) -> None:
    made = await refused_refund(play)
    requested = await desk.request(made["id"], "REDIRECT")
    play.chains.late_by = timedelta(days=1)
    await play.pass_time(hours=2)
    await desk.approve(requested)
    done = await desk.carry_out(requested)
    assert (done["status"], done["failedReason"]) == (
        "VOID",
        "the provider has the order under way: wait for it",
    )
    await play.pass_time(days=2)
    assert await play.status(made) == "CRYPTO_RETURNED"
    assert await held(play.org, play.ada) == "1000"
    await check_books(play.org)


async def test_a_decision_waits_for_the_quiet_period(play: Play, desk: Desk) -> None:
    made = await refused_refund(play)
    requested = await desk.request(made["id"], "SETTLE_OUTSIDE")
    await desk.approve(requested)
    await play.run()
    assert await play.status(made) == "FIAT_FAILED"
    # Nobody gives the order while the decision waits.
    before = len(play.chains.asked)
    await play.pass_time(seconds=60)
    assert len(play.chains.asked) == before
    await play.pass_time(seconds=61)
    assert await play.status(made) == "CRYPTO_RETURNED"


async def test_what_moves_by_itself_can_not_be_resolved(play: Play, desk: Desk) -> None:
    made = await play.quoted()
    assert await desk.actions(made["id"]) == []
    answer = await desk.send(made["id"], "CONFIRM")
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    assert "allows nothing" in sentence(answer)
    unknown = "0198f9a2-0000-7000-8000-000000000000"
    assert refusal(await desk.send(unknown, "CONFIRM")) == "404 TRANSACTION_NOT_FOUND"
