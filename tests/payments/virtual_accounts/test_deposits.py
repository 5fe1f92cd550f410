"""Micro-deposits, and simulated deposits of the sandbox."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.ledger.house_accounts import house_balances
from landbridge.ledger.model import HouseRole
from landbridge.payments.incoming_payments.model import (
    IncomingPayment,
    IncomingPaymentSender,
    ReportedCredit,
)
from landbridge.payments.virtual_accounts.model import (
    MICRO_DEPOSIT_KIND,
    MicroDeposit,
    VirtualAccount,
    is_micro,
)
from landbridge.platform.changes.service import SPREAD
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Tx
from landbridge.providers.rails.currencies import FIAT
from tests.onramps import receive, settle
from tests.payments.virtual_accounts.virtual_account_setup import (
    at,
    deposit_body,
    make_account,
    make_receiver,
)
from tests.tenants import Tenant, refusal, sentence

USD = FIAT["usd"]
SENDER = IncomingPaymentSender(
    name="Olive Payer", bank_name="Example Bank", routing_number="021000021", account_number="12345"
)


async def account_of(org: Tenant, user: str, account: str) -> VirtualAccount:
    return await org.container.virtual_accounts.get(org.org_id, UUID(user), UUID(account))


async def arrive(org: Tenant, account: VirtualAccount, amount: str) -> IncomingPayment:
    """Report a credit on an account by the bank, without processing it."""
    return await org.container.incoming_payments.receive(
        ReportedCredit(
            org_id=org.org_id,
            bank_reference=str(uuid4()),
            account_number=account.account_number,
            reference="ACCTVERIFY",
            money=Money.parse(amount, USD),
            rail="ach",
            sender=SENDER,
            description="ownership check",
            at=org.container.clock.stamp(),
        )
    )


async def note(
    org: Tenant, account: VirtualAccount, incoming_payment: IncomingPayment
) -> MicroDeposit:
    """Record a micro-deposit as the payment matcher does."""

    async def work(tx: Tx) -> MicroDeposit:
        return await org.container.virtual_accounts.record_micro_deposit(
            tx, account, incoming_payment, org.container.clock.stamp()
        )

    return await org.container.database.transact(work)


@pytest.mark.parametrize(("amount", "is_small"), [("0.01", True), ("0.99", True), ("1", False)])
def test_less_than_a_dollar_checks_an_account(amount: str, is_small: bool) -> None:  # noqa: FBT001
    assert is_micro(Money.parse(amount, USD)) is is_small


async def test_micro_deposit_is_shown_and_booked_once(org: Tenant) -> None:
    user = await make_receiver(org)
    account = await account_of(org, user, (await make_account(org, user))["id"])
    incoming_payment = await arrive(org, account, "0.32")
    noted = await note(org, account, incoming_payment)
    assert await note(org, account, incoming_payment) == noted
    found = (await org.get(at(user, str(account.id))))["microDeposits"]
    assert found["count"] == 1
    (one,) = found["data"]
    assert one["id"] == str(noted.id)
    assert (one["amount"], one["currency"]) == (32, "usd")
    info = one["sourceBankInfo"]
    assert info["senderName"] == "Olive Payer"
    assert info["bankName"] == "Example Bank"
    assert info["routingNumber"] == "021000021"
    assert info["accountNumber"] == "12345"
    assert info["description"] == "ownership check"
    assert info["paymentRail"] == "ach"
    balances = await house_balances(org.container.database, org.org_id)
    assert balances == {(HouseRole.OUTSIDE, USD.code): -32, (HouseRole.LIQUIDITY, USD.code): 32}


async def test_a_micro_deposit_is_booked_when_it_is_matched(org: Tenant) -> None:
    """Books of a past month do not change: a deposit may have waited for a person since."""
    user = await make_receiver(org)
    account = await account_of(org, user, (await make_account(org, user))["id"])
    received_at = org.container.clock.stamp() - timedelta(days=40)
    number = account.account_number
    waiting = await receive(org, account_number=number, amount="0.32", at=received_at)
    await settle(org)
    (matched,) = await org.container.database.rows(
        "select occurred_at from changes where org_id = $1 and object_id = $2"
        " and change_type = 'match'",
        *(org.org_id, waiting.id),
    )
    (booked,) = await org.container.database.rows(
        "select c.occurred_at from changes c join transfers t on t.org_id = c.org_id"
        " and t.id = c.object_id where c.org_id = $1 and t.kind = $2",
        *(org.org_id, MICRO_DEPOSIT_KIND),
    )
    assert abs(booked["occurred_at"] - matched["occurred_at"]) < SPREAD
    (shown,) = (await org.get(at(user, str(account.id))))["microDeposits"]["data"]
    assert shown["createdAt"].startswith(f"{received_at:%Y-%m-%d}")


async def test_sender_is_in_no_column_and_erased_with_the_user(org: Tenant) -> None:
    user = await make_receiver(org)
    account = await account_of(org, user, (await make_account(org, user))["id"])
    await note(org, account, await arrive(org, account, "0.05"))
    await org.post(at(user, str(account.id), "simulate-deposit"), deposit_body("0.07"))
    rows = await org.container.database.rows(
        "select d::text as whole from micro_deposits d where org_id = $1"
        " union all select s::text from simulated_deposits s where org_id = $1",
        org.org_id,
    )
    assert not any("Payer" in row["whole"] or "021000021" in row["whole"] for row in rows)
    changes = await org.container.database.rows(
        "select facts::text as facts from changes where org_id = $1", org.org_id
    )
    assert not any("Payer" in str(row["facts"]) for row in changes)
    await org.post(f"/v2/users/{user}/freeze", {})
    erased = await org.send("DELETE", f"/v2/users/{user}/personal-data")
    assert erased.status_code == 200, erased.text
    remainder = (await org.get(at(user, str(account.id))))["microDeposits"]
    assert remainder["data"][-1]["amount"] == 5
    assert {value for each in remainder["data"] for value in each["sourceBankInfo"].values()} == {
        None
    }
    sealed = await org.container.database.rows(
        "select sealed_source as sealed from micro_deposits where org_id = $1"
        " union all select sealed_request from simulated_deposits where org_id = $1",
        org.org_id,
    )
    assert all(row["sealed"] is None for row in sealed)


async def test_micro_deposits_are_paged_by_moment_and_by_id(org: Tenant) -> None:
    user = await make_receiver(org)
    account = await account_of(org, user, (await make_account(org, user))["id"])
    other = await account_of(org, user, (await make_account(org, user))["id"])
    for amount in ("0.01", "0.02", "0.03"):
        await note(org, account, await arrive(org, account, amount))
    foreign = await note(org, other, await arrive(org, other, "0.09"))
    path = at(user, str(account.id))

    async def cents(**query: str) -> list[int]:
        found = (await org.get(path, **query))["microDeposits"]
        assert found["count"] == len(found["data"])
        return [each["amount"] for each in found["data"]]

    newest, middle, oldest = (await org.get(path))["microDeposits"]["data"]
    assert await cents() == [3, 2, 1]
    assert await cents(limit="2") == [3, 2]
    assert await cents(limit="2", createdBefore=middle["id"]) == [1]
    assert await cents(createdAfter=middle["id"]) == [3]
    assert await cents(createdBefore=middle["createdAt"]) == [1]
    assert await cents(createdAfter=middle["createdAt"]) == [3, 2]
    assert await cents(createdAfter=oldest["id"], createdBefore=newest["id"]) == [2]
    assert await cents(createdBefore="2020-01-01") == []
    for name in ("createdBefore", "createdAfter"):
        for bound in (str(foreign.id), str(uuid4()), "nonsense"):
            answer = await org.send("GET", path, **{name: bound})
            assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
            assert name in sentence(answer)
    assert await org.refused("GET", path, limit="0") == "400 FIELD_VALIDATION_ERROR"


async def incoming_payments(org: Tenant) -> int:
    rows = await org.container.database.rows(
        "select count(*) as count from incoming_payments where org_id = $1", org.org_id
    )
    return int(rows[0]["count"])


async def test_simulated_deposit_returns_its_body_and_arrives_once(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    path = at(user, account, "simulate-deposit")
    body = deposit_body("100.50", userId=user, reference="Invoice 7", description="thanks")
    assert await org.post(path, body) == body
    assert await org.post(path, body) == body
    few = deposit_body("1", paymentRail="WIRE")
    assert await org.post(path, few) == few
    assert await incoming_payments(org) == 2
    for changes, field in (
        ({"amount": "100.51"}, "amount"),
        ({"paymentRail": "WIRE"}, "paymentRail"),
        ({"reference": None}, "reference"),
        ({"source": {**body["source"], "name": "Another"}}, "source.name"),
    ):
        answer = await org.send("POST", path, {**body, **changes})
        assert refusal(answer) == "409 RESOURCE_CONFLICT"
        assert field in sentence(answer)
    another = (await make_account(org, user))["id"]
    elsewhere = at(user, another, "simulate-deposit")
    assert await org.refused("POST", elsewhere, body) == "409 RESOURCE_CONFLICT"
    assert await incoming_payments(org) == 2


async def test_concurrent_equal_deposits_arrive_once(org: Tenant) -> None:
    user = await make_receiver(org)
    path = at(user, (await make_account(org, user))["id"], "simulate-deposit")
    body = deposit_body("10")
    answers = await asyncio.gather(*(org.send("POST", path, body) for _ in range(8)))
    assert {each.status_code for each in answers} == {200}
    assert await incoming_payments(org) == 1


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"amount": "0"}, "amount"),
    ({"amount": "-1"}, "amount"),
    ({"amount": "1.001"}, "amount"),
    ({"amount": "1e3"}, "amount"),
    ({"amount": 5}, "amount"),
    ({"amount": "9" * 20}, "amount"),
    ({"paymentRail": "RTP"}, "paymentRail"),
    ({"requestId": "x"}, "requestId"),
    ({"userId": "00000000-0000-0000-0000-000000000001"}, "userId"),
    ({"reference": ""}, "reference"),
    ({"description": "x" * 201}, "description"),
    ({"source": None}, "source"),
    ({"source.routingNumber": "021000022"}, "source.routingNumber"),
    ({"source.routingNumber": None}, "source.routingNumber"),
    ({"source.accountNumber": ""}, "source.accountNumber"),
    ({"source.name": "a\nb"}, "source.name"),
    ({"source.bankName": "x" * 201}, "source.bankName"),
]


@pytest.mark.parametrize(("changes", "field"), WRONG)
async def test_invalid_field_is_named(org: Tenant, changes: dict[str, Any], field: str) -> None:
    user = await make_receiver(org)
    path = at(user, (await make_account(org, user))["id"], "simulate-deposit")
    body = deposit_body("10")
    for name, value in changes.items():
        if name.startswith("source."):
            body["source"] = {**body["source"], name.removeprefix("source."): value}
        else:
            body[name] = value
    answer = await org.send("POST", path, body)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR", answer.text
    assert field in sentence(answer)
    assert await incoming_payments(org) == 0


async def test_deactivated_account_takes_no_deposit(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    path = at(user, account, "simulate-deposit")
    body = deposit_body("10")
    await org.post(path, body)
    await org.post(at(user, account, "deactivate"))
    assert await org.refused("POST", path, deposit_body("10")) == "409 INACTIVE_ACCOUNT"
    # The earlier request has been executed.
    assert await org.post(path, body) == body
    await org.post(at(user, account, "reactivate"))
    await org.post(path, deposit_body("10"))
    assert await incoming_payments(org) == 2


async def test_at_real_latency_a_deposit_clears_by_the_calendar(still_org: Tenant) -> None:
    org = still_org
    user = await make_receiver(org)
    path = at(user, (await make_account(org, user))["id"], "simulate-deposit")
    await org.post("/v2/sandbox/latency", {"rails": "real"})
    await org.post(path, deposit_body("10"))
    await org.post(path, deposit_body("10", paymentRail="WIRE"))
    rows = await org.container.database.rows(
        "select rail, clears_at - received_at as takes from incoming_payments where org_id = $1",
        org.org_id,
    )
    takes = {row["rail"]: row["takes"] for row in rows}
    assert timedelta() < takes["wire"] < takes["ach"]
