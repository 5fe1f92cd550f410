"""Unmatched deposits that are held: matched by a reviewer, or returned."""

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.payments.incoming_payments.model import IncomingPayment, IncomingPaymentStatus
from landbridge.payments.incoming_payments.service import IncomingPayments
from landbridge.payments.incoming_payments.steps import IncomingPaymentSteps
from landbridge.platform.core.errors import Busy, RoleNotAllowed, Unclear
from landbridge.platform.core.pagination import queue_window
from tests.onramps import (
    check_books,
    make_onramp,
    make_payer,
    onramp_of,
    receive,
    retrieve,
    settle,
    statuses,
)
from tests.payments.incoming_payments.incoming_payment_setup import (
    NoTaker,
    make_held,
    run,
    steps_of,
)
from tests.payments.virtual_accounts.virtual_account_setup import at, make_account, make_receiver
from tests.providers.simulation.external_state import paid_out
from tests.providers.simulation.faulty import FaultyRails
from tests.tenants import Tenant, held, sentence

DEPOSITS = "/v2/reviews/deposits"


async def match(org: Tenant, incoming_payment: IncomingPayment, **to: Any) -> dict[str, Any]:
    body = {"comment": "the payer called", **to}
    return await org.post(f"{DEPOSITS}/{incoming_payment.id}/match", body)


async def test_unmatched_deposit_waits_for_a_reviewer(org: Tenant, other_org: Tenant) -> None:
    first, second = await make_held(org), await make_held(org, "5")
    assert (first.status, first.due_at, first.transfer_id) == (
        IncomingPaymentStatus.UNMATCHED,
        None,
        None,
    )
    assert await run(org, steps_of(org, NoTaker())) == 0
    page = await org.get(DEPOSITS, limit=1)
    assert (page["count"], page["reviews"][0]["id"]) == (1, str(first.id))
    page = await org.get(DEPOSITS, cursor=page["nextCursor"])
    (shown,) = page["reviews"]
    assert shown == await org.get(f"{DEPOSITS}/{second.id}")
    assert (shown["amount"], shown["currency"], shown["reference"]) == ("5", "usd", "thanks")
    assert shown["sender"]["name"] == "Ada Approval"
    assert (shown["decidedBy"], shown["comment"]) == (None, None)
    assert (await other_org.get(DEPOSITS))["count"] == 0
    refused = await other_org.refused("GET", f"{DEPOSITS}/{first.id}")
    assert refused == "404 RESOURCE_NOT_FOUND"


async def test_reviewer_matches_the_onramp_it_pays(org: Tenant) -> None:
    user = await make_payer(org)
    onramp = await make_onramp(org, user)
    incoming_payment = await make_held(org)
    matched = await match(org, incoming_payment, transferId=onramp["id"])
    assert (matched["status"], matched["transferId"]) == ("MATCHED", onramp["id"])
    assert (matched["decidedBy"], matched["comment"]) == (org.caller.actor, "the payer called")
    # A repeated request gets the first result.
    again = await match(org, incoming_payment, transferId=onramp["id"], comment="once more")
    assert again == matched
    await settle(org)
    assert (await retrieve(org, onramp))["status"] == "COMPLETED"
    assert await held(org, user) == "100"
    assert (await org.get(DEPOSITS))["count"] == 0
    changes = await org.container.database.rows(
        "select actor, c::text as kept from changes c where org_id = $1 and object_id = $2"
        " order by seq",
        *(org.org_id, incoming_payment.id),
    )
    assert [each["actor"] for each in changes] == ["bank", "worker", org.caller.actor]
    assert "the payer called" not in "".join(each["kept"] for each in changes)
    await check_books(org)


async def test_reviewer_matches_the_intended_virtual_account(org: Tenant) -> None:
    user = await make_receiver(org)
    account = await make_account(org, user)
    incoming_payment, cents = await make_held(org, "40"), await make_held(org, "0.20")
    matched = await match(org, incoming_payment, virtualAccountId=account["id"])
    assert matched == await match(org, incoming_payment, virtualAccountId=account["id"])
    noted = await match(org, cents, virtualAccountId=account["id"])
    assert noted == await match(org, cents, virtualAccountId=account["id"])
    assert (noted["status"], noted["transferId"]) == ("MATCHED", account["id"])
    await settle(org)
    assert (await retrieve(org, {"id": matched["transferId"]}))["status"] == "COMPLETED"
    assert await held(org, user) == "40"
    await check_books(org)


async def test_mismatch_is_refused_and_the_deposit_keeps_waiting(org: Tenant) -> None:
    user = await make_payer(org)
    onramp = await make_onramp(org, user)
    quote = await make_onramp(org, user, is_accepted=False)
    account = await make_account(org, user)
    stopped = await make_account(org, user)
    await org.post(at(user, stopped["id"], "deactivate"))
    less, euros = await make_held(org, "99.99"), await make_held(org, currency="eur", rail="sepa")
    refusals: list[tuple[IncomingPayment, dict[str, Any], str]] = [
        (less, {"transferId": onramp["id"]}, "99.99 usd arrived, but this onramp awaits 100"),
        (euros, {"transferId": onramp["id"]}, "100 eur arrived"),
        (less, {"transferId": quote["id"]}, "this onramp is OPEN_QUOTE"),
        (euros, {"virtualAccountId": account["id"]}, "this virtual account accepts usd"),
        (less, {"virtualAccountId": stopped["id"]}, "is deactivated"),
        (less, {"transferId": str(uuid4())}, "there is no"),
        (less, {"virtualAccountId": str(uuid4())}, "there is no"),
        (less, {}, "give exactly one of transferId and virtualAccountId"),
        (
            less,
            {"transferId": onramp["id"], "virtualAccountId": account["id"]},
            "give exactly one of",
        ),
        (less, {"transferId": onramp["id"], "comment": " "}, "comment must have"),
    ]
    for incoming_payment, to, why in refusals:
        body = {"comment": "surely", **to}
        answer = await org.send("POST", f"{DEPOSITS}/{incoming_payment.id}/match", body)
        assert answer.status_code in {400, 404, 409}, answer.text
        assert why in sentence(answer), (to, answer.text)
    assert {each["id"] for each in (await org.get(DEPOSITS))["reviews"]} == {
        str(less.id),
        str(euros.id),
    }
    assert (await retrieve(org, onramp))["status"] == "AWAITING_FUNDS"


async def test_deposit_that_would_be_returned_again_is_not_matched(org: Tenant) -> None:
    user = await make_receiver(org)
    onramp, account = await make_onramp(org, user), await make_account(org, user)
    incoming_payment = await make_held(org)
    await org.container.users.freeze(org.caller, UUID(user), reason=None)
    for to in ({"transferId": onramp["id"]}, {"virtualAccountId": account["id"]}):
        body = {"comment": "surely", **to}
        answer = await org.send("POST", f"{DEPOSITS}/{incoming_payment.id}/match", body)
        assert (answer.status_code, "frozen" in sentence(answer)) == (403, True), answer.text
    assert (await retrieve(org, onramp))["status"] == "AWAITING_FUNDS"
    assert [each["id"] for each in (await org.get(DEPOSITS))["reviews"]] == [
        str(incoming_payment.id)
    ]


async def test_deposit_is_in_time_by_its_booking_at_the_bank(org: Tenant) -> None:
    user = await make_payer(org)
    onramps = [await make_onramp(org, user) for _ in range(2)]
    due_at = (await onramp_of(org, onramps[0]["id"])).record.due_at
    assert due_at is not None
    # Both are reported after the onramps have expired.
    reported_at, hour, later = due_at + timedelta(hours=8), timedelta(hours=1), timedelta(days=3)
    early = await make_held(org, at=reported_at, offset=later, arrived_at=due_at - hour)
    late = await make_held(org, at=reported_at, offset=later, arrived_at=due_at + hour)
    body = {"comment": "x", "transferId": onramps[0]["id"]}
    assert await org.refused("POST", f"{DEPOSITS}/{late.id}/match", body) == (
        "409 RESOURCE_CONFLICT"
    )
    assert (await match(org, early, transferId=onramps[1]["id"]))["status"] == "MATCHED"


async def test_reviewer_returns_a_deposit(org: Tenant) -> None:
    incoming_payment = await make_held(org)
    body = {"comment": "nobody knows them"}
    sent = await org.post(f"{DEPOSITS}/{incoming_payment.id}/return", body)
    assert (sent["status"], sent["decidedBy"]) == ("RETURNING", org.caller.actor)
    assert sent == await org.post(f"{DEPOSITS}/{incoming_payment.id}/return", {"comment": "again"})
    await settle(org)
    back = await org.get(f"{DEPOSITS}/{incoming_payment.id}")
    assert (back["status"], back["comment"]) == ("RETURNED", "nobody knows them")
    assert back["sender"]["name"] == "Ada Approval"
    assert await paid_out(org.container.database, org.org_id) == {"usd:BANK": 10_000}
    onramp = await make_onramp(org, await make_payer(org))
    refused = await org.refused(
        "POST", f"{DEPOSITS}/{incoming_payment.id}/match", {**body, "transferId": onramp["id"]}
    )
    assert refused == "409 RESOURCE_CONFLICT"


async def test_deposit_not_yet_examined_by_the_worker_cannot_be_decided(org: Tenant) -> None:
    incoming_payment = await receive(org, account_number="900", amount="1")
    for verb in ("match", "return"):
        body = {"comment": "quick", **({"transferId": str(uuid4())} if verb == "match" else {})}
        refused = await org.refused("POST", f"{DEPOSITS}/{incoming_payment.id}/{verb}", body)
        assert refused in {"409 RESOURCE_CONFLICT", "404 TRANSACTION_NOT_FOUND"}
    assert (
        await org.container.incoming_payments.get(org.org_id, incoming_payment.id)
    ).status is IncomingPaymentStatus.NEW


async def test_one_of_concurrent_decisions_wins(org: Tenant) -> None:
    user = await make_payer(org)
    for _ in range(4):
        onramps = [await make_onramp(org, user) for _ in range(2)]
        incoming_payment = await make_held(org)
        path = f"{DEPOSITS}/{incoming_payment.id}"
        answers = await asyncio.gather(
            *(
                org.send("POST", f"{path}/match", {"comment": "x", "transferId": each["id"]})
                for each in onramps
            ),
            org.send("POST", f"{path}/return", {"comment": "x"}),
        )
        assert {each.status_code for each in answers} <= {200, 409, 503}
        await settle(org)
        ended = await org.container.incoming_payments.get(org.org_id, incoming_payment.id)
        paid = [each for each in onramps if (await retrieve(org, each))["status"] == "COMPLETED"]
        assert (ended.status is IncomingPaymentStatus.MATCHED) == (len(paid) == 1)
        if not paid:
            assert ended.status is IncomingPaymentStatus.RETURNED
        assert sum(each.status_code == 200 for each in answers) == 1
    await check_books(org)


async def test_comment_is_encrypted_and_erased_with_the_user(org: Tenant) -> None:
    user = await make_receiver(org)
    account = await make_account(org, user)
    incoming_payment = await make_held(org, "0.30")
    await match(org, incoming_payment, virtualAccountId=account["id"], comment="Grace told us")
    (row,) = await org.container.database.rows(
        "select r::text as kept from incoming_payments r where org_id = $1", org.org_id
    )
    assert "Grace" not in row["kept"]
    await org.container.users.freeze(org.caller, UUID(user), reason=None)
    await org.container.users.erase(org.caller, UUID(user))
    shown = await org.get(f"{DEPOSITS}/{incoming_payment.id}")
    assert (shown["comment"], shown["sender"], shown["decidedBy"]) == (
        *(None, None),
        org.caller.actor,
    )


async def test_matched_deposit_is_processed_like_any_other(org: Tenant) -> None:
    onramp = await make_onramp(org, await make_payer(org))
    incoming_payment = await make_held(org)
    await match(org, incoming_payment, transferId=onramp["id"])
    assert (await onramp_of(org, onramp["id"])).details.incoming_payment_id == incoming_payment.id
    assert (await statuses(org, onramp))[3:5] == ["FIAT_INITIATED", "FIAT_PENDING"]


async def test_review_requires_a_reviewer_key(org: Tenant) -> None:
    reviews, incoming_payment = org.container.incoming_payment_reviews, await make_held(org)
    caller = replace(org.caller, can_review=False)
    calls: list[Awaitable[Any]] = [
        reviews.queue(caller, queue_window(1)),
        reviews.get(caller, incoming_payment.id),
        reviews.match_transfer(caller, incoming_payment.id, incoming_payment.id, comment="x"),
        reviews.match_account(caller, incoming_payment.id, incoming_payment.id, comment="x"),
        reviews.send_back(caller, incoming_payment.id, comment="x"),
    ]
    for each in calls:
        with pytest.raises(RoleNotAllowed):
            await each


@pytest.mark.parametrize("verb", ["match", "return"])
async def test_frozen_organisation_decides_nothing(org: Tenant, verb: str) -> None:
    incoming_payment = await make_held(org)
    await org.container.orgs.freeze(org.org_id, reason="why")
    body = {"comment": "x", **({"transferId": str(uuid4())} if verb == "match" else {})}
    refused = await org.refused("POST", f"{DEPOSITS}/{incoming_payment.id}/{verb}", body)
    assert refused == "403 PROFILE_FROZEN"


async def test_return_refused_by_the_bank_is_settled_outside(org: Tenant) -> None:
    incoming_payment = await make_held(org)
    rails = FaultyRails(org.container.rails)
    await org.post(f"{DEPOSITS}/{incoming_payment.id}/return", {"comment": "unknown sender"})
    rails.fail_next = "account closed"
    await run(org, steps_of(org, NoTaker(), rails))
    body = {"comment": "paid in cash at the counter, receipt 4711"}
    settled = await org.post(f"{DEPOSITS}/{incoming_payment.id}/settle", body)
    assert (settled["status"], settled["comment"]) == ("RETURNED", body["comment"])
    assert settled == await org.post(
        f"{DEPOSITS}/{incoming_payment.id}/settle", {"comment": "again"}
    )
    await run(org, steps_of(org, NoTaker(), rails), timedelta(days=2))
    assert rails.count("pay") == 1


async def test_a_return_without_a_clear_answer_is_settled_outside(org: Tenant) -> None:
    incoming_payment = await make_held(org)
    await org.post(f"{DEPOSITS}/{incoming_payment.id}/return", {"comment": "unknown sender"})

    class Contradicting(FaultyRails):
        async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> None:
            raise Unclear(f"the provider contradicts itself about {key} of {org_id} at {at}")

    rails = Contradicting(org.container.rails)
    reviews = replace(org.container.incoming_payment_reviews, rails=rails)
    caller = replace(org.caller, can_review=True)
    settled = await reviews.settle_outside(caller, incoming_payment.id, comment="cash")
    assert settled.status is IncomingPaymentStatus.RETURNED


async def test_a_worker_pays_nothing_back_that_was_settled_since_it_looked(org: Tenant) -> None:
    incoming_payment = await make_held(org)
    await org.post(f"{DEPOSITS}/{incoming_payment.id}/return", {"comment": "unknown sender"})
    found = org.container.incoming_payments

    class SettledMeanwhile(IncomingPayments):
        async def due(self, *args: Any, **options: Any) -> list[IncomingPayment]:
            due = await found.due(*args, **options)
            if due:
                await org.post(f"{DEPOSITS}/{incoming_payment.id}/settle", {"comment": "cash"})
            return due

    rails = FaultyRails(org.container.rails)
    late = SettledMeanwhile(org.container.database, org.container.vault)
    clock = org.container.clock
    assert await run(org, IncomingPaymentSteps(late, NoTaker(), rails, clock)) == 1
    assert rails.count("pay") == 0


async def test_a_return_that_begins_anew_meanwhile_is_not_settled_outside(org: Tenant) -> None:
    deposit = await make_held(org)
    await org.post(f"{DEPOSITS}/{deposit.id}/return", {"comment": "unknown sender"})

    class RefusedMeanwhile(FaultyRails):
        async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> Any:
            # While the bank is asked about the first return, it is refused and the next one begins.
            self.fail_next = "account closed"
            await run(org, steps_of(org, NoTaker(), self))
            self.late_by = timedelta(days=1)
            await run(org, steps_of(org, NoTaker(), self), timedelta(minutes=2))
            return await super().find_status(org_id, key, at)

    rails = RefusedMeanwhile(org.container.rails)
    reviews = replace(org.container.incoming_payment_reviews, rails=rails)
    caller = replace(org.caller, can_review=True)
    with pytest.raises(Busy):
        await reviews.settle_outside(caller, deposit.id, comment="cash")
    assert len({each.key for each in rails.orders}) == 2
    found = await org.container.incoming_payments.get(org.org_id, deposit.id)
    assert found.status is IncomingPaymentStatus.RETURNING


async def test_only_a_return_is_settled_outside(org: Tenant) -> None:
    incoming_payment = await make_held(org)
    path = f"{DEPOSITS}/{incoming_payment.id}/settle"
    assert await org.refused("POST", path, {"comment": "a"}) == "409 RESOURCE_CONFLICT"
    await org.post(f"{DEPOSITS}/{incoming_payment.id}/return", {"comment": "a"})
    await run(org, steps_of(org, NoTaker()))
    # The bank is processing it, or has settled it.
    found = await org.container.incoming_payments.get(org.org_id, incoming_payment.id)
    if found.status is IncomingPaymentStatus.RETURNING:
        assert await org.refused("POST", path, {"comment": "a"}) == "409 RESOURCE_CONFLICT"


async def test_a_deposit_without_a_price_is_sent_back_after_an_hour(org: Tenant) -> None:
    hour = timedelta(hours=1)
    now = org.container.clock.stamp()
    young = await receive(org, account_number="9", amount="5", at=now)
    old = await receive(org, account_number="9", amount="6", at=now - hour - timedelta(seconds=1))
    body = {"comment": "no price for this currency"}
    path = f"{DEPOSITS}/{young.id}/return"
    assert await org.refused("POST", path, body) == "409 RESOURCE_CONFLICT"
    sent = await org.post(f"{DEPOSITS}/{old.id}/return", body)
    assert (sent["status"], sent["comment"]) == ("RETURNING", body["comment"])
