"""Decisions on differences: two people for each, void once its units change."""

import asyncio
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import pytest

from landbridge.platform.http.caller import KeyScope
from landbridge.reporting.reconciliation.model import Difference, DifferenceKind, DifferenceStatus
from tests.reporting.reconciliation.compared import (
    DIFFERENCES,
    OUTSIDE,
    address_of,
    compared,
    make_difference,
    make_member,
    make_reviewers,
    opened_user,
    plant,
    shift_balance,
)
from tests.resolution_team import make_person
from tests.tenants import Tenant, refusal


async def test_a_difference_ends_by_two_people(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    difference = f"{DIFFERENCES}/{await make_difference(org)}"
    explained = await ada.post(f"{difference}/resolve", {"reason": "opening inventory"})
    assert (explained["status"], explained["amount"]) == ("PROPOSED", "-5")
    assert (explained["reason"], explained["proposedBy"]) == (
        "opening inventory",
        str(ada.caller.id),
    )
    assert (await compared(org)).open_count == 1
    assert await ada.refused("POST", f"{difference}/accept", {}) == "403 USER_ROLE_NOT_ALLOWED"
    accepted = await bob.post(f"{difference}/accept", {})
    assert (accepted["status"], accepted["resolution"]) == ("RESOLVED", "ACCEPTED")
    assert accepted["acceptedBy"] == str(bob.caller.id)
    assert (await compared(org)).differences == []
    for verb, body in (("accept", {}), ("resolve", {"reason": "a"}), ("reject", {"reason": "a"})):
        assert await bob.refused("POST", f"{difference}/{verb}", body) == "409 RESOURCE_CONFLICT"


async def test_a_key_and_its_creator_are_one_person(org: Tenant) -> None:
    ada, _ = await make_reviewers(org)
    twin = await make_person(org, "twin", [KeyScope.REVIEW])
    member = uuid4()
    await org.container.database.rows(
        "update api_keys set created_by = $2 where org_id = $1 and id = any($3::uuid[])",
        *(org.org_id, member, [ada.caller.id, twin.caller.id]),
    )
    difference = f"{DIFFERENCES}/{await make_difference(org)}"
    await ada.post(f"{difference}/resolve", {"reason": "a"})
    answer = await twin.send("POST", f"{difference}/accept", {})
    assert refusal(answer) == "403 USER_ROLE_NOT_ALLOWED"
    assert "this takes a second person: you have explained it" in answer.text


async def test_a_rejected_explanation_leaves_the_difference_open(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    difference = f"{DIFFERENCES}/{await make_difference(org)}"
    for path, body in (("accept", {}), ("reject", {"reason": "a"})):
        assert await bob.refused("POST", f"{difference}/{path}", body) == "409 RESOURCE_CONFLICT"
    await ada.post(f"{difference}/resolve", {"reason": "dust"})
    assert await bob.refused("POST", f"{difference}/resolve", {"reason": "a"}) == (
        "409 RESOURCE_CONFLICT"
    )
    found = await bob.post(f"{difference}/reject", {"reason": "5 usdc is no dust"})
    assert (found["status"], found["reason"], found["proposedBy"]) == ("OPEN", None, None)
    history = (await org.get(difference))["history"]
    assert [(each["what"], each["reason"], each["personId"]) for each in history] == [
        ("resolve", "dust", str(ada.caller.id)),
        ("reject", "5 usdc is no dust", str(bob.caller.id)),
    ]


async def test_an_explanation_is_void_once_a_run_finds_other_units(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    user = await opened_user(org)
    await shift_balance(org, user, 5)
    found = await _only(org)
    difference = f"{DIFFERENCES}/{found.id}"
    await ada.post(f"{difference}/resolve", {"reason": "dust", "amount": "0.000005"})
    await compared(org)
    assert (await _only(org)).status is DifferenceStatus.PROPOSED
    await shift_balance(org, user, 2)
    again = await _only(org)
    assert (again.id, again.status, again.units) == (found.id, DifferenceStatus.OPEN, 7)
    assert await bob.refused("POST", f"{difference}/accept", {}) == "409 RESOURCE_CONFLICT"
    assert (await org.get(difference))["history"][-1]["what"] == "reopen"


async def test_a_decision_on_another_amount_than_was_seen_is_refused(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    difference = f"{DIFFERENCES}/{await make_difference(org)}"
    for amount, code in (("5", "409 RESOURCE_CONFLICT"), ("a", "400 FIELD_VALIDATION_ERROR")):
        body = {"reason": "a", "amount": amount}
        assert await ada.refused("POST", f"{difference}/resolve", body) == code
    await ada.post(f"{difference}/resolve", {"reason": "a", "amount": "-5"})
    body = {"amount": "-5.0000001"}
    assert await bob.refused("POST", f"{difference}/accept", body) == "400 FIELD_VALIDATION_ERROR"
    await bob.post(f"{difference}/accept", {"amount": "-5.000000"})


async def test_of_two_acceptances_at_once_one_counts(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    third = await make_person(org, "Cleo", [KeyScope.REVIEW])
    difference = f"{DIFFERENCES}/{await make_difference(org)}"
    await ada.post(f"{difference}/resolve", {"reason": "a"})
    answers = await asyncio.gather(
        *(each.send("POST", f"{difference}/accept", {}) for each in (bob, third, ada))
    )
    codes = sorted(each.status_code for each in answers)
    assert codes in ([200, 403, 409], [200, 409, 409])
    history = (await org.get(difference))["history"]
    assert [each["what"] for each in history] == ["resolve", "accept"]
    assert history[1]["personId"] in {str(bob.caller.id), str(third.caller.id)}


async def test_decisions_during_runs_never_accept_units_that_nobody_has_seen(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    user = await opened_user(org)
    await shift_balance(org, user, 5)
    difference = f"{DIFFERENCES}/{(await _only(org)).id}"
    for units in (1, 1, 1):
        await shift_balance(org, user, units)
        seen = (await org.get(difference))["difference"]["amount"]
        body = {"reason": "a", "amount": seen}
        await asyncio.gather(
            compared(org),
            ada.send("POST", f"{difference}/resolve", body),
            bob.send("POST", f"{difference}/accept", {"amount": seen}),
        )
        found = (await org.get(difference))["difference"]
        accepted = await _accepted_units(org)
        assert accepted in {0, *_units([seen])}
        assert (found["status"] == "RESOLVED") is bool(accepted)
        if accepted:
            break


async def test_accepted_position_opens_again_when_it_changes(org: Tenant) -> None:
    user = await opened_user(org)
    await shift_balance(org, user, 5)
    found = await _only(org)
    assert (found.kind, found.status, found.units) == (
        *(DifferenceKind.POSITION, DifferenceStatus.OPEN),
        5,
    )
    await _accept(org, found)
    status = await compared(org)
    assert (status.differences, status.open_count) == ([], 0)
    await shift_balance(org, user, 2)
    again = await _only(org)
    assert (again.kind, again.units) == (DifferenceKind.POSITION, 2)
    await _accept(org, again)
    assert (await compared(org)).open_count == 0


async def test_accepted_movement_is_no_difference_any_more(org: Tenant) -> None:
    user = await opened_user(org)
    ada, _ = await make_reviewers(org)
    chain_hash = await plant(org, 7, source=OUTSIDE, destination=await address_of(org, user))
    early = await _only(org)
    answer = await ada.send("POST", f"{DIFFERENCES}/{early.id}/resolve", {"reason": "a"})
    assert (refusal(answer), "may follow until" in answer.text) == ("409 RESOURCE_CONFLICT", True)
    await org.send("POST", "/v2/sandbox/clock/advance", {"seconds": 61})
    found = await _only(org)
    assert (found.status, found.reference) == (DifferenceStatus.OPEN, chain_hash)
    await _accept(org, found)
    assert (await compared(org)).differences == []
    await plant(
        *(org, 1),
        source=OUTSIDE,
        destination=await address_of(org, user),
        transaction_hash=chain_hash,
        log_index=1,
    )
    again = await _only(org)
    assert (again.reference, again.units) == (chain_hash, 8)


async def test_the_audit_log_keeps_reason_and_amount(org: Tenant) -> None:
    user = await opened_user(org)
    await shift_balance(org, user, -3)
    found = await _only(org)
    await _accept(org, found, "lost before the first run")
    entries = (await org.get("/v2/audit-log", objectId=str(found.id)))["entries"]
    assert [each["what"] for each in entries] == ["accept", "resolve"]
    facts: Sequence[dict[str, Any]] = [each["facts"] for each in entries]
    assert [each["units"] for each in facts] == ["-3", "-3"]
    assert facts[1]["reason"] == "lost before the first run"


async def test_a_difference_is_assigned_to_a_member(org: Tenant, other_org: Tenant) -> None:
    ada, _ = await make_reviewers(org)
    found = await make_difference(org)
    difference = f"{DIFFERENCES}/{found}"
    member = await make_member(org)
    assigned = await ada.post(f"{difference}/assign", {"memberId": str(member)})
    assert assigned["assigneeId"] == str(member)
    listed = await org.get(DIFFERENCES, assigneeId=str(member), status="OPEN")
    assert [each["id"] for each in listed["differences"]] == [found]
    foreign = await make_member(other_org)
    for unknown in (foreign, uuid4()):
        body = {"memberId": str(unknown)}
        assert await ada.refused("POST", f"{difference}/assign", body) == "404 RESOURCE_NOT_FOUND"
    await org.container.database.rows(
        "update team_members set removed_at = now() where org_id = $1 and id = $2",
        *(org.org_id, member),
    )
    body = {"memberId": str(member)}
    assert await ada.refused("POST", f"{difference}/assign", body) == "400 FIELD_VALIDATION_ERROR"
    assert (await ada.post(f"{difference}/assign", {}))["assigneeId"] is None


@pytest.mark.parametrize("reason", ["", " ", "two\nlines", "x" * 501])
async def test_a_reason_is_one_line(org: Tenant, reason: str) -> None:
    ada, _ = await make_reviewers(org)
    difference = f"{DIFFERENCES}/{await make_difference(org)}"
    body = {"reason": reason}
    assert await ada.refused("POST", f"{difference}/resolve", body) == "400 FIELD_VALIDATION_ERROR"


async def test_only_reviewers_decide_and_everybody_reads(org: Tenant) -> None:
    difference = f"{DIFFERENCES}/{await make_difference(org)}"
    reader = await make_person(org, "reader", [KeyScope.READ])
    assert (await reader.get(difference))["difference"]["status"] == "OPEN"
    payer = await make_person(org, "payer", [KeyScope.PAY])
    for key in (reader, payer):
        for verb, body in (
            *(("assign", {}), ("resolve", {"reason": "a"})),
            *(("accept", {}), ("reject", {"reason": "a"})),
        ):
            assert await key.refused("POST", f"{difference}/{verb}", body) == (
                "403 USER_ROLE_NOT_ALLOWED"
            )


async def _accept(org: Tenant, difference: Difference, reason: str = "opening inventory") -> None:
    ada, bob = await make_reviewers(org)
    await ada.post(f"{DIFFERENCES}/{difference.id}/resolve", {"reason": reason})
    await bob.post(f"{DIFFERENCES}/{difference.id}/accept", {})


async def _only(org: Tenant) -> Difference:
    (found,) = (await compared(org)).differences
    return found


async def _accepted_units(org: Tenant) -> int:
    rows = await org.container.database.rows(
        "select accepted_units from recon_positions"
        " where org_id = $1 and source = 'POLYGON' and asset = 'usdc:POLYGON'",
        org.org_id,
    )
    return int(rows[0]["accepted_units"])


def _units(amounts: Sequence[str]) -> list[int]:
    return [int(each.replace("0.", "")) for each in amounts]


async def test_what_a_revoked_key_has_explained_is_not_accepted(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    path = f"{DIFFERENCES}/{await make_difference(org)}"
    await ada.post(f"{path}/resolve", {"reason": "an inventory", "adjustLedger": True})
    await org.container.orgs.revoke_key(org.org_id, ada.caller.id)
    assert await bob.refused("POST", f"{path}/accept", {}) == "403 USER_ROLE_NOT_ALLOWED"
    await bob.post(f"{path}/reject", {"reason": "by a key that is no more"})
    await org.post(f"{path}/resolve", {"reason": "an inventory"})
    assert (await bob.post(f"{path}/accept", {}))["status"] == "RESOLVED"


async def test_a_frozen_organisation_adjusts_no_ledger(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    path = f"{DIFFERENCES}/{await make_difference(org)}"
    await ada.post(f"{path}/resolve", {"reason": "an inventory", "adjustLedger": True})
    await org.container.orgs.freeze(org.org_id, reason="why")
    assert await bob.refused("POST", f"{path}/accept", {}) == "403 PROFILE_FROZEN"
    await org.container.orgs.unfreeze(org.org_id)
    assert (await bob.post(f"{path}/accept", {}))["status"] == "RESOLVED"
