"""Daily closes: two people, what they sign, and that it never changes."""

import asyncio
import hashlib
import json
import re
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest

from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.http.caller import KeyScope
from landbridge.reporting.reconciliation.model import ReconPerson
from tests.reporting.proofs import proof_books as books
from tests.reporting.reconciliation.closed_days import (
    CLOSES,
    DAY_S,
    DECIDED,
    advance,
    amounts,
    close_day,
    confirm,
    correct_swap,
    end_day,
    org_today,
)
from tests.reporting.reconciliation.compared import (
    DIFFERENCES,
    compared,
    make_difference,
    make_reviewers,
    opened_user,
    shift_balance,
)
from tests.resolution_team import make_person
from tests.sources import sources
from tests.tenants import Tenant, make_swap, make_user, refusal, sentence


async def test_a_day_is_closed_by_two_people(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    await opened_user(org)
    day = await end_day(org)
    signed = await ada.post(CLOSES, {"day": day})
    close = signed["close"]
    assert (close["status"], close["day"]) == ("PREPARED", day)
    assert close["signedBy"] == str(ada.caller.id)
    (position,) = [each for each in signed["positions"] if each["ledgerAmount"] != "0"]
    assert (position["source"], position["currency"]) == ("POLYGON", "usdc")
    assert (position["ledgerAmount"], position["outsideAmount"]) == ("100", "100")
    assert (signed["carried"], signed["resolved"], signed["corrections"]) == ([], [], [])
    path, body = f"{CLOSES}/{close['id']}", {"digest": close["digest"]}
    assert await ada.refused("POST", f"{path}/confirm", body) == "403 USER_ROLE_NOT_ALLOWED"
    wrong = {"digest": "0" * 64}
    assert await bob.refused("POST", f"{path}/confirm", wrong) == "409 RESOURCE_CONFLICT"
    confirmed = await bob.post(f"{path}/confirm", body)
    assert (confirmed["status"], confirmed["decidedBy"]) == ("COMPLETED", str(bob.caller.id))
    for verb, again in (("confirm", body), ("reject", {"reason": "a"})):
        assert await bob.refused("POST", f"{path}/{verb}", again) == "409 RESOURCE_CONFLICT"
    assert await ada.refused("POST", CLOSES, {"day": day}) == "409 RESOURCE_CONFLICT"
    assert [each["id"] for each in (await org.get(CLOSES))["closes"]] == [close["id"]]


async def test_what_was_signed_has_the_digest_and_names_the_close_before(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    first = await close_day(org, ada, bob)
    second = await close_day(org, ada, bob)
    assert second["previousDigest"] == first["close"]["digest"]
    for each in (first, second):
        text = each["content"]
        assert hashlib.sha256(text.encode()).hexdigest() == each["close"]["digest"]
        assert json.dumps(json.loads(text), sort_keys=True, separators=(",", ":")) == text
        assert json.loads(text)["day"] == each["close"]["day"]
        assert each["isIntact"] is True


async def test_a_day_that_has_not_ended_or_was_not_compared_is_not_closed(org: Tenant) -> None:
    ada, _ = await make_reviewers(org)
    await opened_user(org)
    today = await org_today(org)
    for day in (today, today + timedelta(days=1), date(9999, 12, 31)):
        answer = await ada.send("POST", CLOSES, {"day": str(day)})
        assert answer.status_code in {400, 409}
    # Opened today: it says nothing about yesterday.
    await compared(org)
    yesterday = {"day": str(today - timedelta(days=1))}
    answer = await ada.send("POST", CLOSES, yesterday)
    assert (refusal(answer), "has no comparison" in sentence(answer)) == (
        *("409 RESOURCE_CONFLICT",),
        True,
    )
    await advance(org, DAY_S)
    answer = await ada.send("POST", CLOSES, {"day": str(today)})
    assert "after its end there is no comparison yet of BASE" in sentence(answer)
    await compared(org)
    assert (await ada.post(CLOSES, {"day": str(today)}))["close"]["status"] == "PREPARED"
    answer = await ada.send("POST", CLOSES, {"day": str(today)})
    assert refusal(answer) == "409 RESOURCE_CONFLICT"


@pytest.mark.parametrize(
    "day", ["", "2026-1-1", "20260101", "2026-02-30", "2026-W05-6", "2026-01-01T00:00:00Z"]
)
async def test_a_day_is_a_date(org: Tenant, day: str) -> None:
    ada, _ = await make_reviewers(org)
    assert await ada.refused("POST", CLOSES, {"day": day}) == "400 FIELD_VALIDATION_ERROR"


async def test_the_cut_is_the_first_comparison_after_the_end_of_the_day(org: Tenant) -> None:
    ada, _ = await make_reviewers(org)
    user = await opened_user(org)
    day = await end_day(org)
    await org.post(
        f"/v2/sandbox/users/{user}/wallets/fund",
        {"chain": "POLYGON", "currency": "usdc", "amount": "7"},
    )
    await compared(org)
    signed = await ada.post(CLOSES, {"day": day})
    assert amounts(signed, "ledgerAmount") == {"POLYGON usdc": "100"}
    assert amounts(signed, "outsideAmount") == {"POLYGON usdc": "100"}


async def test_differences_are_carried_only_on_purpose(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    difference = await make_difference(org)
    day = await end_day(org)
    answer = await ada.send("POST", CLOSES, {"day": day})
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    assert f"1 unexplained differences are above the tolerance ({difference})" in sentence(answer)
    body = {"day": day, "reason": "The node operator investigates until Friday"}
    signed = await ada.post(CLOSES, body)
    assert signed["close"]["reason"] == body["reason"]
    (carried,) = signed["carried"]
    assert (carried["id"], carried["amount"], carried["kind"]) == (difference, "-5", "POSITION")
    assert (carried["ageDays"], carried["isEarlier"]) == (1, False)
    await confirm(bob, signed)
    second = await ada.post(CLOSES, {"day": await end_day(org), "reason": "Still"})
    assert [(each["ageDays"], each["isEarlier"]) for each in second["carried"]] == [(2, True)]
    await confirm(bob, second)
    await ada.post(f"{DIFFERENCES}/{difference}/resolve", {"reason": "opening inventory"})
    # Explained by one person alone, it is still open.
    third = await end_day(org)
    assert await ada.refused("POST", CLOSES, {"day": third}) == "409 RESOURCE_CONFLICT"
    await bob.post(f"{DIFFERENCES}/{difference}/accept", {})
    signed = await ada.post(CLOSES, {"day": third})
    assert signed["carried"] == []
    (resolved,) = signed["resolved"]
    assert (resolved["id"], resolved["resolution"]) == (difference, "ACCEPTED")


async def test_a_difference_within_the_tolerance_needs_no_reason(org: Tenant) -> None:
    await make_difference(org)
    day = date.fromisoformat(await end_day(org))
    closes = org.container.reconciliation.closes
    offset = await org.container.orgs.clock_offset(org.org_id)
    person = ReconPerson(org_id=org.org_id, id=org.caller.id, actor="test", offset=offset)
    with pytest.raises(ResourceConflict, match="above the tolerance"):
        await replace(closes, tolerance=Decimal("4.999999")).sign(person, day, None)
    signed = await replace(closes, tolerance=Decimal(5)).sign(person, day, None)
    assert (len(signed.content.carried), signed.content.tolerance) == (1, "5")


async def test_a_difference_found_after_the_cut_belongs_to_the_next_day(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    user = await opened_user(org)
    day = await end_day(org)
    await advance(org, 1)
    await shift_balance(org, user, 3)
    await compared(org)
    signed = await ada.post(CLOSES, {"day": day})
    assert signed["carried"] == []
    await confirm(bob, signed)
    later = {"day": await end_day(org)}
    assert await ada.refused("POST", CLOSES, later) == "409 RESOURCE_CONFLICT"


async def test_a_correction_is_posted_on_the_next_day_and_named_there(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    user = await opened_user(org)
    swap = await make_swap(org, user, "2", status=SwapStatus.COMPLETED)
    first = await ada.post(CLOSES, {"day": await end_day(org)})
    await confirm(bob, first)
    assert first["corrections"] == []
    before = await org.get(f"{CLOSES}/{first['close']['id']}")
    correction = await correct_swap(org, swap["id"])
    second = await ada.post(CLOSES, {"day": await end_day(org)})
    assert [(each["id"], each["recordId"]) for each in second["corrections"]] == [
        (correction, swap["id"])
    ]
    assert await org.get(f"{CLOSES}/{first['close']['id']}") == before


async def test_a_rejected_close_may_be_signed_again(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    await opened_user(org)
    day = await end_day(org)
    first = (await ada.post(CLOSES, {"day": day}))["close"]
    later = {"day": await end_day(org)}
    answer = await ada.send("POST", CLOSES, later)
    assert f"the close of {day} waits for a second person first" in sentence(answer)
    rejected = await bob.post(f"{CLOSES}/{first['id']}/reject", {"reason": "Wrong day"})
    assert (rejected["status"], rejected["rejectionReason"]) == ("REJECTED", "Wrong day")
    second = await ada.post(CLOSES, {"day": day})
    assert second["close"]["id"] != first["id"]
    await confirm(bob, second)
    assert (await ada.post(CLOSES, later))["close"]["status"] == "PREPARED"


async def test_of_simultaneous_signatures_and_confirmations_one_counts(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    cleo = await make_person(org, "Cleo", [KeyScope.REVIEW])
    await opened_user(org)
    day = await end_day(org)
    answers, _ = await asyncio.gather(
        asyncio.gather(*(each.send("POST", CLOSES, {"day": day}) for each in (ada, bob, cleo))),
        compared(org),
    )
    (signed,) = [each for each in answers if each.status_code == 200]
    assert sorted(each.status_code for each in answers) == [200, 409, 409]
    close: dict[str, Any] = signed.json()["close"]
    body = {"digest": close["digest"]}
    confirmed = await asyncio.gather(
        *(each.send("POST", f"{CLOSES}/{close['id']}/confirm", body) for each in (ada, bob, cleo)),
        cleo.send("POST", f"{CLOSES}/{close['id']}/reject", {"reason": "a"}),
    )
    assert sum(each.status_code == 200 for each in confirmed) == 1
    found = (await org.get(f"{CLOSES}/{close['id']}"))["close"]
    assert found["status"] in {"COMPLETED", "REJECTED"}
    entries = (await org.get("/v2/audit-log", objectId=close["id"]))["entries"]
    assert [each["what"] for each in entries] == [
        "confirm" if found["status"] == "COMPLETED" else "reject",
        "sign",
    ]
    assert found["status"] == "REJECTED" or found["decidedBy"] != found["signedBy"]


async def test_content_that_was_changed_in_the_database_is_shown_as_such(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    path = f"{CLOSES}/{(await close_day(org, ada, bob))['close']['id']}"
    before = await org.get(path)
    assert before["isIntact"] is True
    await org.container.database.rows(
        "update recon_closes set content = replace(content, '100000000', '100000001')"
        " where org_id = $1",
        org.org_id,
    )
    after = await org.get(path)
    assert (after["isIntact"], after["close"]["digest"]) == (False, before["close"]["digest"])


async def test_damaged_content_is_not_confirmed(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    await opened_user(org)
    close = (await ada.post(CLOSES, {"day": await end_day(org)}))["close"]
    await org.container.database.rows(
        "update recon_closes set content = replace(content, '100000000', '100000001')"
        " where org_id = $1",
        org.org_id,
    )
    body = {"digest": close["digest"]}
    path = f"{CLOSES}/{close['id']}/confirm"
    assert await bob.refused("POST", path, body) == "409 RESOURCE_CONFLICT"


async def test_both_signatures_are_leaves_of_the_provable_books(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    close = (await close_day(org, ada, bob))["close"]
    _, *leaves = [json.loads(line) for line in await books.exported(org)]
    parts = [json.loads(part["text"]) for leaf in leaves for part in leaf]
    signatures = [each for each in parts if each.get("object") == close["id"]]
    assert [each["type"] for each in signatures] == ["sign", "confirm"]
    assert {each["facts"]["digest"] for each in signatures} == {close["digest"]}


async def test_a_checkpoint_covers_a_close_at_once(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    await opened_user(org)
    signed = await ada.post(CLOSES, {"day": await end_day(org)})
    container = org.container
    offsets = {org.org_id: await container.orgs.clock_offset(org.org_id)}
    signing, closes = container.proofs.signing, container.reconciliation.closes
    await books.sequenced(org)
    await signing.sign_due(offsets, await closes.last_completed(offsets))
    before = await org.client.get("/v2/proofs/checkpoint", headers=org.headers)
    await make_user(org)
    await books.sequenced(org)
    await signing.sign_due(offsets, await closes.last_completed(offsets))
    assert before.text == (await org.client.get("/v2/proofs/checkpoint", headers=org.headers)).text
    await confirm(bob, signed)
    await books.sequenced(org)
    await signing.sign_due(offsets, await closes.last_completed(offsets))
    after = await org.client.get("/v2/proofs/checkpoint", headers=org.headers)
    assert (before.status_code, before.text != after.text) == (200, True)


def test_one_statement_changes_closes_and_none_their_content() -> None:
    written = [
        line
        for source in sources("src/landbridge")
        for line in re.findall(
            r"(?:update|delete from)\s+recon_(?:closes|cutoffs)\b[^;\"]*", source.text
        )
    ]
    assert written == [written[0]]
    assert "status = 'PREPARED'" in written[0]
    for column in ("content", "digest", "signed", "day"):
        assert column not in written[0]


async def test_the_day_ends_in_the_organisations_time_zone(org: Tenant) -> None:
    ada, _ = await make_reviewers(org)
    zone, zones = "Pacific/Kiritimati", org.container.time_zones
    await zones.set(org.org_id, zone, offset=timedelta(), actor="cli")
    while (await zones.get(org.org_id)).current != zone:
        await org.container.rollup_updater.run_once({org.org_id: timedelta()})
    await opened_user(org)
    day = await org_today(org, ZoneInfo(zone))
    end = datetime.combine(day + timedelta(days=1), time.min, tzinfo=ZoneInfo(zone))
    offset = await org.container.orgs.clock_offset(org.org_id)
    await advance(org, int((end - org.container.clock.now(offset)).total_seconds()) + 1)
    await compared(org)
    answer = await ada.send("POST", CLOSES, {"day": str(day)})
    assert f"{day} can be closed from" in sentence(answer)
    await advance(org, 60)
    signed = await ada.post(CLOSES, {"day": str(day)})
    assert (signed["zone"], amounts(signed, "ledgerAmount")) == (zone, {"POLYGON usdc": "100"})


async def test_only_reviewers_sign_and_everybody_reads(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    close = (await close_day(org, ada, bob))["close"]
    reader = await make_person(org, "reader", [KeyScope.READ])
    assert (await reader.get(f"{CLOSES}/{close['id']}"))["close"] == {
        **close,
        "status": "COMPLETED",
        **{name: (await org.get(f"{CLOSES}/{close['id']}"))["close"][name] for name in DECIDED},
    }
    for path, body in (
        (CLOSES, {"day": "2026-01-01"}),
        (f"{CLOSES}/{close['id']}/confirm", {"digest": close["digest"]}),
        (f"{CLOSES}/{close['id']}/reject", {"reason": "a"}),
    ):
        assert await reader.refused("POST", path, body) == "403 USER_ROLE_NOT_ALLOWED"
    unknown = f"{CLOSES}/{uuid4()}"
    assert await org.refused("GET", unknown) == "404 RESOURCE_NOT_FOUND"
    body = {"digest": close["digest"]}
    assert await ada.refused("POST", f"{unknown}/confirm", body) == "404 RESOURCE_NOT_FOUND"
