"""Payouts that wait for an admin. Source: spec.md; contract, lifecycles 2."""

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from landbridge.core.errors import RoleNotAllowed
from landbridge.flows.offramps.api import NewOfframp, wanted_of
from landbridge.kyc.model import Rail
from landbridge.verification.model import case_id
from landbridge.web.body import as_asked
from landbridge.web.caller import Caller, Member, Role
from tests.payouts import (
    OFFRAMPS,
    accept,
    check_books,
    make_offramp,
    offramp_body,
    shown,
)
from tests.tenants import fund, held, make_user

from .playing import Play

APPROVALS = "/v2/transfer-approvals"
ALL = 1_000_000_000


async def _asked(play: Play, amount: Any = 100, **changes: Any) -> dict[str, Any]:
    return await play.quoted(amount, requireApproval=True, **changes)


async def _decide(play: Play, made: dict[str, Any], what: str) -> str:
    path = f"{APPROVALS}/{made['approval']['id']}/{what}"
    answer = await play.org.send("POST", path, {})
    return "200" if answer.status_code == 200 else str(answer.json()["error"])


async def _spendable(play: Play) -> int:
    found = await play.org.get(
        f"/v2/users/{play.ada}/wallets/balance", chain="POLYGON", currency="usdc"
    )
    return int(found["availableBalance"])


async def test_what_waits_holds_its_funds_and_has_no_quote(play: Play) -> None:
    made = await _asked(play)
    assert made["status"] == "PENDING_APPROVAL"
    assert made["quoteInformation"] is None
    assert (made["source"]["amount"], made["destination"]["amount"]) == (100, 0)
    assert made["amount_in_usd"] == 100
    approval = made["approval"]
    assert (approval["status"], approval["transferType"]) == ("PENDING", "OFFRAMP")
    assert approval["transferId"] == made["id"]
    assert await _spendable(play) == ALL - 100_000_000
    assert await play.told(made) == [("open", "CREATED"), ("open", "PENDING_APPROVAL")]
    path = f"{OFFRAMPS}/{made['id']}/quote/accept"
    assert await play.org.refused("POST", path) == "404 QUOTE_NOT_FOUND"
    listed = (await play.org.get(APPROVALS))["approvals"]
    assert [each["transferId"] for each in listed] == [made["id"]]


async def test_the_quote_is_made_when_it_is_approved(play: Play) -> None:
    made = await _asked(play)
    await play.pass_time(hours=20)
    await play.set_price("0.95")
    assert await _decide(play, made, "approve") == "200"
    quoted = await shown(play.org, made)
    assert quoted["status"] == "OPEN_QUOTE"
    quote = quoted["quoteInformation"]
    assert (quote["rate"], quote["receiveNet"]["amount"]) == ("0.95", "95")
    assert quote["expiresAt"].startswith("2026-03-03T08:10:0")
    assert quoted["approval"]["status"] == "APPROVED"
    assert await _spendable(play) == ALL - 100_000_000
    await accept(play.org, made)
    await play.run()
    done = await shown(play.org, made)
    assert (done["status"], done["destination"]["amount"]) == ("COMPLETED", 95)
    assert await held(play.org, play.ada) == "900"
    await check_books(play.org)


@pytest.mark.parametrize(("rate", "takes"), [("0.8", 125), ("1.25", 80), ("1", 100)])
async def test_the_hold_follows_the_price(play: Play, rate: str, takes: int) -> None:
    made = await _asked(play, None, destination={"amount": 100})
    assert (made["source"]["amount"], made["destination"]["amount"]) == (0, 100)
    await play.set_price(rate)
    assert await _decide(play, made, "approve") == "200"
    assert await _spendable(play) == ALL - takes * 1_000_000
    quoted = await shown(play.org, made)
    assert quoted["source"]["amount"] == takes
    assert quoted["amount_in_usd"] == takes
    await accept(play.org, made)
    assert await _spendable(play) == ALL - takes * 1_000_000
    await play.run()
    assert await held(play.org, play.ada) == str(1000 - takes)
    await check_books(play.org)


async def test_a_price_that_takes_more_than_there_is_ends_it(play: Play) -> None:
    made = await _asked(play, None, destination={"amount": 900})
    await play.set_price("0.5")
    assert await _decide(play, made, "approve") == "200"
    ended = await shown(play.org, made)
    assert ended["status"] == "QUOTE_FAILED"
    assert "no quote could be made" in ended["failedReason"]
    assert ended["quoteInformation"] is None
    assert ended["approval"]["status"] == "APPROVED"
    assert await _spendable(play) == ALL
    await check_books(play.org)


async def test_a_price_at_which_it_is_too_little_ends_it(play: Play) -> None:
    made = await _asked(play, None, destination={"amount": 1})
    await play.set_price("2")
    assert await _decide(play, made, "approve") == "200"
    ended = await shown(play.org, made)
    assert ended["status"] == "QUOTE_FAILED"
    assert "too small" in ended["failedReason"]
    assert await _spendable(play) == ALL


async def test_a_stale_price_decides_nothing(play: Play) -> None:
    made = await _asked(play)
    await play.set_price("0.9")
    await play.pass_time(hours=2)
    assert await _decide(play, made, "approve") == "QUOTE_NOT_READY"
    assert await play.status(made) == "PENDING_APPROVAL"
    await play.set_price("0.9")
    assert await _decide(play, made, "approve") == "200"


async def test_rejecting_lets_the_funds_go(play: Play) -> None:
    made = await _asked(play)
    assert await _decide(play, made, "reject") == "200"
    ended = await shown(play.org, made)
    assert (ended["status"], ended["failedReason"]) == ("REJECTED", "an approver rejected it")
    assert ended["approval"]["votes"][0]["vote"] == "REJECT"
    assert await _spendable(play) == ALL
    path = f"{OFFRAMPS}/{made['id']}/quote/accept"
    assert await play.org.refused("POST", path) == "400 INVALID_QUOTE"
    await check_books(play.org)


async def test_nobody_decides_within_a_day(play: Play) -> None:
    made = await _asked(play)
    await play.pass_time(hours=23, minutes=59)
    assert await play.status(made) == "PENDING_APPROVAL"
    await play.pass_time(minutes=2)
    ended = await shown(play.org, made)
    assert (ended["status"], ended["approval"]["status"]) == ("EXPIRED", "EXPIRED")
    assert ended["failedReason"] == "nobody approved it in time"
    assert await _spendable(play) == ALL
    assert await _decide(play, made, "approve") == "RESOURCE_CONFLICT"
    assert (await play.told(made))[-1] == ("expire", "EXPIRED")
    await check_books(play.org)


async def test_an_approved_quote_expires_like_any_other(play: Play) -> None:
    made = await _asked(play)
    assert await _decide(play, made, "approve") == "200"
    await play.pass_time(minutes=10, seconds=1)
    assert await play.status(made) == "QUOTE_FAILED"
    assert await _spendable(play) == ALL


async def test_what_waits_and_is_not_covered_is_refused(play: Play) -> None:
    await _asked(play, 900)
    body = offramp_body(play.ada, play.account, 200, requireApproval=True)
    assert await play.org.refused("POST", OFFRAMPS, body) == "400 INSUFFICIENT_BALANCE"


async def test_whose_fee_it_is_must_not_be_frozen_at_the_approval(play: Play) -> None:
    bob = await make_user(play.org)
    wallets = (await play.org.get(f"/v2/users/{bob}"))["wallets"]["INDIVIDUAL"]
    line = {"type": "FLAT", "value": "2", "walletAddress": wallets["POLYGON"]["address"]}
    made = await _asked(play, developerFee={"fees": [line]})
    await play.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    assert await _decide(play, made, "approve") == "USER_FROZEN"
    assert await play.status(made) == "PENDING_APPROVAL"
    await play.org.post(f"/v2/users/{bob}/unfreeze")
    assert await _decide(play, made, "approve") == "200"


async def test_who_is_frozen_is_not_approved(play: Play) -> None:
    made = await _asked(play)
    await play.org.post(f"/v2/users/{play.ada}/freeze", {"reason": "a"})
    assert await _decide(play, made, "approve") == "USER_FROZEN"
    assert await play.status(made) == "PENDING_APPROVAL"
    await play.org.post(f"/v2/users/{play.ada}/unfreeze")
    case = case_id(UUID(play.ada), Rail.USD)
    await play.org.post(f"/v2/reviews/kyc/{case}", {"decision": "revoke"})
    assert await _decide(play, made, "approve") == "USER_COMPLIANCE_VERIFICATION_FAILED"
    assert await _decide(play, made, "reject") == "200"


async def test_an_approval_in_review_waits(play: Play) -> None:
    made = await _asked(play)
    assert await play.review(made, "open") == "200"
    assert await _decide(play, made, "approve") == "RESOURCE_CONFLICT"
    assert await play.review(made, "close") == "200"
    assert await play.status(made) == "PENDING_APPROVAL"
    assert await _decide(play, made, "approve") == "200"


async def test_an_approval_lapses_in_review(play: Play) -> None:
    made = await _asked(play)
    assert await play.review(made, "open") == "200"
    await play.pass_time(hours=24, minutes=1)
    assert await play.status(made) == "EXPIRED"
    assert await _spendable(play) == ALL


async def test_an_approval_that_is_cancelled_in_review_is_withdrawn(play: Play) -> None:
    made = await _asked(play)
    assert await play.review(made, "open") == "200"
    assert await play.cancel(made) == "NOT_INITIATED"
    assert await play.cancel(made) == "NOT_INITIATED"
    assert (await play.org.get(APPROVALS))["approvals"] == []
    assert await _decide(play, made, "approve") == "RESOURCE_CONFLICT"
    assert await _spendable(play) == ALL
    await check_books(play.org)


def _member(play: Play, role: Role) -> Caller:
    return replace(play.org.caller, key_id=None, member=Member(uuid4(), role))


async def test_a_member_always_asks_and_an_admin_does_not(play: Play) -> None:
    made = await make_offramp(play.org, play.ada, play.account, 10)
    known = await play.of(made)
    wanted, request = _wanted(play)
    offramps = play.org.house.offramps
    for role, status in ((Role.MEMBER, "PENDING_APPROVAL"), (Role.ADMIN, "OPEN_QUOTE")):
        opened = await offramps.create(_member(play, role), uuid4(), wanted, request)
        assert opened.status == status
        assert opened.record.user_id == known.record.user_id
    with pytest.raises(RoleNotAllowed):
        await offramps.create(_member(play, Role.ANALYST), uuid4(), wanted, request)


async def test_a_member_accepts_only_what_was_approved(play: Play) -> None:
    free, asked = await play.quoted(10), await _asked(play, 10)
    assert await _decide(play, asked, "approve") == "200"
    member, offramps = _member(play, Role.MEMBER), play.org.house.offramps
    with pytest.raises(RoleNotAllowed):
        await offramps.accept(member, UUID(free["id"]))
    accepted = await offramps.accept(member, UUID(asked["id"]))
    assert accepted.status == "CRYPTO_INITIATED"


def _wanted(play: Play) -> tuple[Any, dict[str, Any]]:
    body = msgspec.convert(offramp_body(play.ada, play.account, 10), NewOfframp, strict=False)
    return wanted_of(body), as_asked(body)


async def test_a_replay_of_what_waits(play: Play) -> None:
    body = offramp_body(play.ada, play.account, 100, requireApproval=True)
    made = await play.org.post(OFFRAMPS, body)
    assert await play.org.post(OFFRAMPS, body) == made
    assert await _spendable(play) == ALL - 100_000_000
    await fund(play.org, play.ada, "1")
    assert await _decide(play, made["transferDetails"], "approve") == "200"
    again = (await play.org.post(OFFRAMPS, body))["transferDetails"]
    assert again["status"] == "OPEN_QUOTE"
