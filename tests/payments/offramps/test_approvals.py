"""Payouts that wait for an admin. Source: spec.md; contract, lifecycles 2."""

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from landbridge.customers.kyc.model import Rail
from landbridge.customers.verification.model import case_id
from landbridge.payments.offramps.api import NewOfframp, parse_request
from landbridge.platform.core.errors import RoleNotAllowed
from landbridge.platform.http.caller import Caller, MemberRole, SignedInMember
from landbridge.platform.http.request_decoding import request_values
from tests.payments.offramps.offramp_scenario import OfframpScenario
from tests.payouts import OFFRAMPS, accept, check_books, make_offramp, offramp_body, shown
from tests.tenants import fund, held, make_user

APPROVALS = "/v2/transfer-approvals"
ALL = 1_000_000_000


async def _pending_offramp(
    scenario: OfframpScenario, amount: Any = 100, **changes: Any
) -> dict[str, Any]:
    return await scenario.quoted(amount, requireApproval=True, **changes)


async def _decide(scenario: OfframpScenario, created: dict[str, Any], change_type: str) -> str:
    path = f"{APPROVALS}/{created['approval']['id']}/{change_type}"
    answer = await scenario.org.send("POST", path, {})
    return "200" if answer.status_code == 200 else str(answer.json()["error"])


async def _spendable(scenario: OfframpScenario) -> int:
    found = await scenario.org.get(
        f"/v2/users/{scenario.ada}/wallets/balance", chain="POLYGON", currency="usdc"
    )
    return int(found["availableBalance"])


async def test_pending_offramp_holds_its_funds_without_a_quote(scenario: OfframpScenario) -> None:
    created = await _pending_offramp(scenario)
    assert created["status"] == "PENDING_APPROVAL"
    assert created["quoteInformation"] is None
    assert (created["source"]["amount"], created["destination"]["amount"]) == (100, 0)
    assert created["amount_in_usd"] == 100
    approval = created["approval"]
    assert (approval["status"], approval["transferType"]) == ("PENDING", "OFFRAMP")
    assert approval["transferId"] == created["id"]
    assert await _spendable(scenario) == ALL - 100_000_000
    assert await scenario.changes(created) == [("open", "CREATED"), ("open", "PENDING_APPROVAL")]
    path = f"{OFFRAMPS}/{created['id']}/quote/accept"
    assert await scenario.org.refused("POST", path) == "404 QUOTE_NOT_FOUND"
    listed = (await scenario.org.get(APPROVALS))["approvals"]
    assert [each["transferId"] for each in listed] == [created["id"]]


async def test_quote_is_created_on_approval(scenario: OfframpScenario) -> None:
    created = await _pending_offramp(scenario)
    await scenario.pass_time(hours=20)
    await scenario.set_price("0.95")
    assert await _decide(scenario, created, "approve") == "200"
    quoted = await shown(scenario.org, created)
    assert quoted["status"] == "OPEN_QUOTE"
    quote = quoted["quoteInformation"]
    assert (quote["rate"], quote["receiveNet"]["amount"]) == ("0.95", "95")
    assert quote["expiresAt"].startswith("2026-03-03T08:10:0")
    assert quoted["approval"]["status"] == "APPROVED"
    assert await _spendable(scenario) == ALL - 100_000_000
    await accept(scenario.org, created)
    await scenario.run()
    done = await shown(scenario.org, created)
    assert (done["status"], done["destination"]["amount"]) == ("COMPLETED", 95)
    assert await held(scenario.org, scenario.ada) == "900"
    await check_books(scenario.org)


@pytest.mark.parametrize(("rate", "takes"), [("0.8", 125), ("1.25", 80), ("1", 100)])
async def test_hold_follows_the_price(scenario: OfframpScenario, rate: str, takes: int) -> None:
    created = await _pending_offramp(scenario, None, destination={"amount": 100})
    assert (created["source"]["amount"], created["destination"]["amount"]) == (0, 100)
    await scenario.set_price(rate)
    assert await _decide(scenario, created, "approve") == "200"
    assert await _spendable(scenario) == ALL - takes * 1_000_000
    quoted = await shown(scenario.org, created)
    assert quoted["source"]["amount"] == takes
    assert quoted["amount_in_usd"] == takes
    await accept(scenario.org, created)
    assert await _spendable(scenario) == ALL - takes * 1_000_000
    await scenario.run()
    assert await held(scenario.org, scenario.ada) == str(1000 - takes)
    await check_books(scenario.org)


async def test_price_above_the_balance_fails_it(scenario: OfframpScenario) -> None:
    created = await _pending_offramp(scenario, None, destination={"amount": 900})
    await scenario.set_price("0.5")
    assert await _decide(scenario, created, "approve") == "200"
    ended = await shown(scenario.org, created)
    assert ended["status"] == "QUOTE_FAILED"
    assert "no quote could be made" in ended["failedReason"]
    assert ended["quoteInformation"] is None
    assert ended["approval"]["status"] == "APPROVED"
    assert await _spendable(scenario) == ALL
    await check_books(scenario.org)


async def test_price_below_the_minimum_fails_it(scenario: OfframpScenario) -> None:
    created = await _pending_offramp(scenario, None, destination={"amount": 1})
    await scenario.set_price("2")
    assert await _decide(scenario, created, "approve") == "200"
    ended = await shown(scenario.org, created)
    assert ended["status"] == "QUOTE_FAILED"
    assert "too small" in ended["failedReason"]
    assert await _spendable(scenario) == ALL


async def test_stale_price_decides_nothing(scenario: OfframpScenario) -> None:
    created = await _pending_offramp(scenario)
    await scenario.set_price("0.9")
    await scenario.pass_time(hours=2)
    assert await _decide(scenario, created, "approve") == "QUOTE_NOT_READY"
    assert await scenario.status(created) == "PENDING_APPROVAL"
    await scenario.set_price("0.9")
    assert await _decide(scenario, created, "approve") == "200"


async def test_rejection_releases_the_funds(scenario: OfframpScenario) -> None:
    created = await _pending_offramp(scenario)
    assert await _decide(scenario, created, "reject") == "200"
    ended = await shown(scenario.org, created)
    assert (ended["status"], ended["failedReason"]) == ("REJECTED", "an approver rejected it")
    assert ended["approval"]["votes"][0]["vote"] == "REJECT"
    assert await _spendable(scenario) == ALL
    path = f"{OFFRAMPS}/{created['id']}/quote/accept"
    assert await scenario.org.refused("POST", path) == "400 INVALID_QUOTE"
    await check_books(scenario.org)


async def test_approval_expires_after_a_day(scenario: OfframpScenario) -> None:
    created = await _pending_offramp(scenario)
    await scenario.pass_time(hours=23, minutes=59)
    assert await scenario.status(created) == "PENDING_APPROVAL"
    await scenario.pass_time(minutes=2)
    ended = await shown(scenario.org, created)
    assert (ended["status"], ended["approval"]["status"]) == ("EXPIRED", "EXPIRED")
    assert ended["failedReason"] == "it was not approved in time"
    assert await _spendable(scenario) == ALL
    assert await _decide(scenario, created, "approve") == "RESOURCE_CONFLICT"
    assert (await scenario.changes(created))[-1] == ("expire", "EXPIRED")
    await check_books(scenario.org)


async def test_an_approved_quote_expires_like_any_other(scenario: OfframpScenario) -> None:
    created = await _pending_offramp(scenario)
    assert await _decide(scenario, created, "approve") == "200"
    await scenario.pass_time(minutes=10, seconds=1)
    assert await scenario.status(created) == "QUOTE_FAILED"
    assert await _spendable(scenario) == ALL


async def test_pending_offramp_with_insufficient_balance_is_refused(
    scenario: OfframpScenario,
) -> None:
    await _pending_offramp(scenario, 900)
    body = offramp_body(scenario.ada, scenario.account, 200, requireApproval=True)
    assert await scenario.org.refused("POST", OFFRAMPS, body) == "400 INSUFFICIENT_BALANCE"


async def test_frozen_fee_beneficiary_blocks_the_approval(scenario: OfframpScenario) -> None:
    bob = await make_user(scenario.org)
    wallets = (await scenario.org.get(f"/v2/users/{bob}"))["wallets"]["INDIVIDUAL"]
    line = {"type": "FLAT", "value": "2", "walletAddress": wallets["POLYGON"]["address"]}
    created = await _pending_offramp(scenario, developerFee={"fees": [line]})
    await scenario.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    assert await _decide(scenario, created, "approve") == "USER_FROZEN"
    assert await scenario.status(created) == "PENDING_APPROVAL"
    await scenario.org.post(f"/v2/users/{bob}/unfreeze")
    assert await _decide(scenario, created, "approve") == "200"


async def test_frozen_user_is_not_approved(scenario: OfframpScenario) -> None:
    created = await _pending_offramp(scenario)
    await scenario.org.post(f"/v2/users/{scenario.ada}/freeze", {"reason": "a"})
    assert await _decide(scenario, created, "approve") == "USER_FROZEN"
    assert await scenario.status(created) == "PENDING_APPROVAL"
    await scenario.org.post(f"/v2/users/{scenario.ada}/unfreeze")
    case = case_id(UUID(scenario.ada), Rail.USD)
    await scenario.org.post(f"/v2/reviews/kyc/{case}", {"decision": "revoke"})
    assert await _decide(scenario, created, "approve") == "USER_COMPLIANCE_VERIFICATION_FAILED"
    assert await _decide(scenario, created, "reject") == "200"


async def test_approval_in_review_waits(scenario: OfframpScenario) -> None:
    created = await _pending_offramp(scenario)
    assert await scenario.review(created, "open") == "200"
    assert await _decide(scenario, created, "approve") == "RESOURCE_CONFLICT"
    assert await scenario.review(created, "close") == "200"
    assert await scenario.status(created) == "PENDING_APPROVAL"
    assert await _decide(scenario, created, "approve") == "200"


async def test_approval_expires_during_a_review(scenario: OfframpScenario) -> None:
    created = await _pending_offramp(scenario)
    assert await scenario.review(created, "open") == "200"
    await scenario.pass_time(hours=24, minutes=1)
    assert await scenario.status(created) == "EXPIRED"
    assert await _spendable(scenario) == ALL


async def test_approval_cancelled_in_review_is_withdrawn(scenario: OfframpScenario) -> None:
    created = await _pending_offramp(scenario)
    assert await scenario.review(created, "open") == "200"
    assert await scenario.cancel(created) == "NOT_INITIATED"
    assert await scenario.cancel(created) == "NOT_INITIATED"
    assert (await scenario.org.get(APPROVALS))["approvals"] == []
    assert await _decide(scenario, created, "approve") == "RESOURCE_CONFLICT"
    assert await _spendable(scenario) == ALL
    await check_books(scenario.org)


def _member(scenario: OfframpScenario, role: MemberRole) -> Caller:
    return replace(scenario.org.caller, key_id=None, member=SignedInMember(uuid4(), role))


async def test_member_always_needs_an_approval_and_admin_does_not(
    scenario: OfframpScenario,
) -> None:
    new = await make_offramp(scenario.org, scenario.ada, scenario.account, 10)
    known = await scenario.of(new)
    offramp_request, request = _offramp_request(scenario)
    offramps = scenario.org.container.offramps
    for role, status in ((MemberRole.MEMBER, "PENDING_APPROVAL"), (MemberRole.ADMIN, "OPEN_QUOTE")):
        created = await offramps.create(_member(scenario, role), uuid4(), offramp_request, request)
        assert created.status == status
        assert created.record.user_id == known.record.user_id
    with pytest.raises(RoleNotAllowed):
        await offramps.create(
            _member(scenario, MemberRole.ANALYST), uuid4(), offramp_request, request
        )


async def test_member_accepts_only_an_approved_offramp(scenario: OfframpScenario) -> None:
    free, pending = await scenario.quoted(10), await _pending_offramp(scenario, 10)
    assert await _decide(scenario, pending, "approve") == "200"
    member, offramps = _member(scenario, MemberRole.MEMBER), scenario.org.container.offramps
    with pytest.raises(RoleNotAllowed):
        await offramps.accept(member, UUID(free["id"]))
    accepted = await offramps.accept(member, UUID(pending["id"]))
    assert accepted.status == "CRYPTO_INITIATED"


def _offramp_request(scenario: OfframpScenario) -> tuple[Any, dict[str, Any]]:
    body = msgspec.convert(
        offramp_body(scenario.ada, scenario.account, 10), NewOfframp, strict=False
    )
    return parse_request(body), request_values(body)


async def test_replay_returns_the_pending_offramp(scenario: OfframpScenario) -> None:
    body = offramp_body(scenario.ada, scenario.account, 100, requireApproval=True)
    created = await scenario.org.post(OFFRAMPS, body)
    assert await scenario.org.post(OFFRAMPS, body) == created
    assert await _spendable(scenario) == ALL - 100_000_000
    await fund(scenario.org, scenario.ada, "1")
    assert await _decide(scenario, created["transferDetails"], "approve") == "200"
    again = (await scenario.org.post(OFFRAMPS, body))["transferDetails"]
    assert again["status"] == "OPEN_QUOTE"
