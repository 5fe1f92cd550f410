"""Accepting, in time and too late; what a quote holds."""

from uuid import UUID

from landbridge.kyc.model import Rail
from landbridge.verification.model import case_id
from tests.payouts import OFFRAMPS, accept, check_books, make_account, shown
from tests.tenants import TRANSFERS, make_user, transfer_body

from .playing import Play


async def _refused(play: Play, offramp: dict[str, str]) -> str:
    return await play.org.refused("POST", f"{OFFRAMPS}/{offramp['id']}/quote/accept")


async def test_accepting_twice_answers_as_the_first_time(play: Play) -> None:
    made = await play.quoted()
    first = await accept(play.org, made)
    assert await accept(play.org, made) == first
    await play.run()
    assert (await accept(play.org, made))["status"] == "COMPLETED"
    assert len(play.rails.asked) == 1


async def test_a_late_accept_fails_the_quote(play: Play) -> None:
    made = await play.quoted()
    play.clock.at = (await play.of(made)).record.due_at or play.clock.at
    assert await _refused(play, made) == "400 INVALID_QUOTE"
    ended = await shown(play.org, made)
    assert ended["status"] == "QUOTE_FAILED"
    assert ended["failedReason"] == "the quote expired before it was accepted"
    assert await _refused(play, made) == "400 INVALID_QUOTE"
    await check_books(play.org)


async def test_the_worker_ends_a_quote(play: Play) -> None:
    made = await play.quoted()
    await play.pass_time(minutes=9, seconds=59)
    assert await play.status(made) == "OPEN_QUOTE"
    await play.pass_time(seconds=2)
    assert await play.status(made) == "QUOTE_FAILED"
    assert (await play.told(made))[-1] == ("expire", "QUOTE_FAILED")


async def test_a_quote_holds_nothing_and_accept_checks_again(play: Play) -> None:
    first, second = await play.quoted(600), await play.quoted(600)
    await accept(play.org, first)
    assert await _refused(play, second) == "400 INSUFFICIENT_BALANCE"
    assert await play.status(second) == "OPEN_QUOTE"


async def test_held_money_is_not_spent_otherwise(play: Play) -> None:
    await play.accepted(600)
    bob = await make_user(play.org)
    body = transfer_body(play.ada, bob, 500)
    assert await play.org.refused("POST", TRANSFERS, body) == "400 INSUFFICIENT_BALANCE"


async def test_what_became_unfit_is_not_accepted(play: Play) -> None:
    made = await play.quoted()
    await play.org.post(f"/v2/users/{play.ada}/freeze", {"reason": "a"})
    assert await _refused(play, made) == "403 USER_FROZEN"
    await play.org.post(f"/v2/users/{play.ada}/unfreeze")
    await play.org.send("DELETE", f"/v2/users/{play.ada}/accounts/{play.account}")
    assert await _refused(play, made) == "409 INACTIVE_ACCOUNT"
    account = await make_account(play.org, play.ada)
    made = await play.quoted(destination={"accountId": account})
    case = case_id(UUID(play.ada), Rail.USD)
    await play.org.post(f"/v2/reviews/kyc/{case}", {"decision": "revoke"})
    assert await _refused(play, made) == "403 USER_COMPLIANCE_VERIFICATION_FAILED"


async def test_a_quote_keeps_its_price(play: Play) -> None:
    await play.set_price("0.9")
    made = await play.quoted()
    await play.set_price("0.5")
    await accept(play.org, made)
    await play.run()
    assert str(play.rails.asked[0].money) == "90"
