"""Deposits at Increase: one account number per key, and credits in an order that never changes."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from itertools import product
from typing import Any

import pytest

from landbridge.platform.core.ids import new_id
from landbridge.providers.packages.http_client import NoAnswer
from landbridge.providers.packages.interface import (
    CreditRail,
    CreditsAnswer,
    CreditsQuery,
    DepositAccountRequest,
    FailureCode,
    KeyConflict,
    NotDone,
    PayoutAnswer,
    PayoutRefused,
    PayoutRequest,
    PayoutState,
    ProviderCredit,
)
from landbridge_increase import IncreaseBank
from tests.adapters.increase.kit import DEPOSITS, IncreaseWorld, increase_world, order
from tests.matrices import each_value_once

RAILS = {
    "ach": CreditRail.ACH,
    "wire": CreditRail.WIRE,
    "rtp": CreditRail.RTP,
    "fednow": CreditRail.BANK,
}


@pytest.fixture
async def world() -> AsyncGenerator[IncreaseWorld]:
    async with increase_world() as found:
        yield found


def bank(world: IncreaseWorld, **options: Any) -> IncreaseBank:
    return world.adapter(**{"deposits": DEPOSITS, **options})


async def number(world: IncreaseWorld) -> dict[str, Any]:
    """Return an account number that the adapter has opened."""
    key = new_id()
    await bank(world).open_account(account_request(key=key))
    return world.increase.inbound.numbers[str(key)]


def account_request(**changes: Any) -> DepositAccountRequest:
    values: dict[str, Any] = {"key": new_id(), "currency": "usd", **changes}
    return DepositAccountRequest(org_id=new_id(), **values)


async def read_all(
    adapter: IncreaseBank, after: str | None = None, *, limit: int = 50
) -> tuple[list[ProviderCredit], list[str], str | None]:
    """Return credits, reversals and the last cursor."""
    credits_, reversed_ = list[ProviderCredit](), list[str]()
    for _ in range(2_000):
        page: CreditsAnswer = await adapter.read_credits(CreditsQuery(limit=limit, after=after))
        assert max(len(page.credits), len(page.reversed)) <= limit
        credits_ += page.credits
        reversed_ += page.reversed
        if page.next is None:
            return credits_, reversed_, after
        assert page.next != after
        after = page.next
    raise AssertionError("the credits have no end")


def returned(identifier: str, **changes: Any) -> PayoutRequest:
    values: dict[str, Any] = {"amount": "12.34", "payee": None, "returns": identifier, **changes}
    return order(**values)


async def test_a_key_has_one_account(world: IncreaseWorld) -> None:
    request = account_request()
    answers = await asyncio.gather(*(bank(world).open_account(request) for _ in range(4)))
    assert len({each.account_number for each in answers}) == 1
    answer = answers[0]
    opened = world.increase.inbound.numbers[str(request.key)]
    assert opened["inbound_ach"] == {"debit_status": "blocked"}
    assert opened["inbound_checks"] == {"status": "check_transfers_only"}
    assert answer.rails.ach is not None
    assert answer.rails.ach.account_number == answer.account_number == opened["account_number"]
    other = await bank(world).open_account(account_request())
    assert other.account_number != answer.account_number


async def test_networks_of_the_settings_are_shown(world: IncreaseWorld) -> None:
    only = {**DEPOSITS, "networks": ["wire"]}
    rails = (await bank(world, deposits=only).open_account(account_request())).rails
    assert (rails.ach, rails.rtp) == (None, None)
    assert rails.wire is not None


async def test_a_key_of_another_account_conflicts(world: IncreaseWorld) -> None:
    request = account_request()
    await bank(world, account_id="account_another").open_account(request)
    with pytest.raises(KeyConflict):
        await bank(world).open_account(request)


@pytest.mark.parametrize("fault", ["silent", "broken"])
async def test_an_account_that_was_not_answered_is_opened_once(
    world: IncreaseWorld, fault: str
) -> None:
    request = account_request()
    getattr(world.increase, fault).add("number")
    with pytest.raises(NoAnswer):
        await bank(world, timeout_s=1).open_account(request)
    getattr(world.increase, fault).clear()
    await bank(world).open_account(request)
    assert len(world.increase.inbound.numbers) == 1


async def test_an_account_number_of_another_key_is_no_answer(world: IncreaseWorld) -> None:
    request = account_request()
    world.increase.inbound.numbers[str(request.key)] = {
        **(await number(world)),
        "idempotency_key": str(new_id()),
    }
    with pytest.raises(NoAnswer):
        await bank(world).open_account(request)


async def test_other_currencies_and_settings_have_no_accounts(world: IncreaseWorld) -> None:
    with pytest.raises(NotDone):
        await bank(world).open_account(account_request(currency="eur"))
    without = world.adapter()
    with pytest.raises(NotDone):
        await without.open_account(account_request())
    with pytest.raises(NotDone):
        await without.read_credits(CreditsQuery(limit=10))
    assert (await without.describe()).deposits == ()
    assert (await bank(world).describe()).deposits == ("usd",)


@pytest.mark.parametrize("network", RAILS)
async def test_money_that_arrived_is_a_credit(world: IncreaseWorld, network: str) -> None:
    account = await number(world)
    identifier = world.increase.inbound.pay_in(network, 1234, account)
    (credit,), reversals, _ = await read_all(bank(world))
    assert (credit.id, credit.amount, credit.currency) == (identifier, "12.34", "usd")
    assert (credit.account_number, credit.rail) == (account["account_number"], RAILS[network])
    assert credit.reference == "LB2345"
    assert credit.sender is not None
    assert (credit.sender.name, credit.sender.routing_number) == ("Payer Incorporated", "101050001")
    assert credit.received_at < datetime.now(UTC)
    assert reversals == []


async def test_the_description_of_ach_is_the_message_without_addenda(world: IncreaseWorld) -> None:
    account = await number(world)
    world.increase.inbound.pay_in("ach", 1, account, addenda=None)
    (credit,), _, _ = await read_all(bank(world))
    assert credit.reference == "PAYMENT"


async def test_texts_of_banks_are_cleaned(world: IncreaseWorld) -> None:
    account, text = await number(world), "a\x00b\n" + "c" * 600
    world.increase.inbound.pay_in("wire", 1, account, unstructured_remittance_information=text)
    (credit,), _, _ = await read_all(bank(world))
    assert credit.reference == ("a b " + "c" * 600)[:500]


async def test_an_account_number_of_a_sender_is_cleaned(world: IncreaseWorld) -> None:
    account, inbound = await number(world), world.increase.inbound
    inbound.pay_in("rtp", 1, account, ago_s=3_700, debtor_account_number="9\n87")
    inbound.pay_in("rtp", 1, account, debtor_account_number="")
    found, _, _ = await read_all(bank(world))
    assert [each.sender and each.sender.account_number for each in found] == ["9 87", None]


async def test_what_is_not_ours_is_no_credit(world: IncreaseWorld) -> None:
    account, inbound = await number(world), world.increase.inbound
    inbound.pay_in("ach", -500, account)
    inbound.numbers["other"] = {**account, "id": "account_number_other", "idempotency_key": None}
    inbound.pay_in("wire", 700, inbound.numbers["other"])
    inbound.book("interest_payment", 5, {}, 3_600)
    assert (await read_all(bank(world)))[0] == []


async def test_nothing_is_read_before_it_can_be_complete(world: IncreaseWorld) -> None:
    account = await number(world)
    world.increase.inbound.pay_in("wire", 700, account, ago_s=30)
    late = bank(world, deposits={**DEPOSITS, "delay_s": 60})
    credits_, _, after = await read_all(late)
    assert credits_ == []
    assert len((await read_all(bank(world), after))[0]) == 1


@pytest.mark.parametrize(
    ("limit", "page_size"), each_value_once(product([1, 2, 3, 50], [1, 2, 100]))
)
async def test_every_page_has_the_same_order(
    world: IncreaseWorld, limit: int, page_size: int
) -> None:
    account, inbound = await number(world), world.increase.inbound
    inbound.page_size = page_size
    # Several in one second, and some days between others.
    made = [
        inbound.pay_in("wire", 100, account, ago_s=ago_s)
        for ago_s in (400_000, 400_000, 400_000, 90_000, 90_000, 3_600)
    ]
    found, _, after = await read_all(bank(world), limit=limit)
    assert [each.id for each in found] == made
    again, _, _ = await read_all(bank(world), limit=limit)
    assert again == found
    # What comes later is behind the cursor.
    later = inbound.pay_in("ach", 100, account, ago_s=60)
    assert [each.id for each in (await read_all(bank(world), after, limit=limit))[0]] == [later]


async def test_a_busy_day_is_read_by_smaller_windows(world: IncreaseWorld) -> None:
    account, inbound = await number(world), world.increase.inbound
    inbound.page_size = 2
    made = [
        inbound.pay_in("wire", 100, account, ago_s=80_000 - place * 1_500) for place in range(50)
    ]
    assert [each.id for each in (await read_all(bank(world)))[0]] == made


async def test_a_cursor_that_lost_its_entries_reads_nothing(world: IncreaseWorld) -> None:
    account, inbound = await number(world), world.increase.inbound
    for _ in range(3):
        inbound.pay_in("wire", 100, account)
    first = f"{inbound.transactions[0]['created_at']}/0"
    page = await bank(world).read_credits(CreditsQuery(limit=2, after=first))
    inbound.transactions.clear()
    with pytest.raises(NoAnswer):
        await bank(world).read_credits(CreditsQuery(limit=2, after=page.next))


@pytest.mark.parametrize(
    "after", ["x", "2026-01-01/0", "2026-01-01T00:00:00/0", "2026-01-01T00:00:00Z/-1", "/"]
)
async def test_a_cursor_of_another_form_is_refused(world: IncreaseWorld, after: str) -> None:
    with pytest.raises(NoAnswer):
        await bank(world).read_credits(CreditsQuery(limit=2, after=after))


@pytest.mark.parametrize(
    ("network", "verb", "reason"),
    [
        ("ach", "transfer_return", "returned_per_odfi_request"),
        ("wire", "reverse", "duplicate"),
    ],
)
async def test_money_that_was_taken_back_is_reversed(
    world: IncreaseWorld, network: str, verb: str, reason: str
) -> None:
    inbound = world.increase.inbound
    identifier = inbound.pay_in(network, 1234, await number(world))
    _, _, after = await read_all(bank(world))
    inbound.send_back(identifier, verb, reason, ago_s=60)
    assert (await read_all(bank(world), after))[:2] == ([], [identifier])
    credits_, reversals, _ = await read_all(bank(world))
    assert ([each.id for each in credits_], reversals) == ([identifier], [identifier])
    with pytest.raises(PayoutRefused) as refused:
        await bank(world).pay(returned(identifier))
    assert refused.value.failure_code is FailureCode.CREDIT_GONE


@pytest.mark.parametrize("network", ["ach", "wire"])
async def test_a_credit_is_returned_once(world: IncreaseWorld, network: str) -> None:
    inbound = world.increase.inbound
    identifier = inbound.pay_in(network, 1234, await number(world))
    request = returned(identifier)
    answers: list[PayoutAnswer] = [await bank(world).pay(request) for _ in range(3)]
    assert {each.state for each in answers} == {PayoutState.SETTLED}
    assert {each.provider_reference for each in answers} == {identifier}
    assert world.increase.calls["act"] == 1
    # It is ours, so it is no reversal.
    inbound.transactions[-1]["created_at"] = inbound.transactions[0]["created_at"]
    assert (await read_all(bank(world)))[1] == []


@pytest.mark.parametrize("fault", ["silent", "broken"])
async def test_a_return_without_an_answer_is_found_again(world: IncreaseWorld, fault: str) -> None:
    identifier = world.increase.inbound.pay_in("wire", 1234, await number(world))
    request = returned(identifier)
    getattr(world.increase, fault).add("act")
    with pytest.raises(NoAnswer):
        await bank(world, timeout_s=1).pay(request)
    getattr(world.increase, fault).clear()
    assert (await bank(world).pay(request)).state is PayoutState.SETTLED
    assert world.increase.calls["act"] == 1


@pytest.mark.parametrize(
    ("network", "changes"),
    [
        ("rtp", {}),
        ("fednow", {}),
        ("ach", {"amount": "12.33"}),
        ("ach", {"currency": "eur"}),
        ("ach", {"returns": "something_else_1"}),
    ],
)
async def test_returns_that_are_not_described_are_refused(
    world: IncreaseWorld, network: str, changes: dict[str, Any]
) -> None:
    identifier = world.increase.inbound.pay_in(network, 1234, await number(world))
    with pytest.raises(PayoutRefused) as refused:
        await bank(world).pay(returned(identifier, **changes))
    assert refused.value.failure_code is FailureCode.UNSUPPORTED
    assert world.increase.calls["act"] == 0


@pytest.mark.parametrize("way", ["wait", "refuse"])
@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("invalid_operation_error", NoAnswer),
        ("invalid_parameters_error", NoAnswer),
        ("an_error_of_tomorrow", NoAnswer),
        ("rate_limited_error", NotDone),
    ],
)
async def test_no_error_ends_a_return(
    world: IncreaseWorld, kind: str, way: str, error: type[Exception]
) -> None:
    inbound = world.increase.inbound
    identifier = inbound.pay_in("ach", 1234, await number(world))
    inbound.error = kind
    with pytest.raises(error):
        await bank(world, invalid_operation=way).pay(returned(identifier))
    inbound.error = None
    assert (await bank(world).pay(returned(identifier))).state is PayoutState.SETTLED


async def test_a_wire_that_is_reversed_late_waits_until_it_is(world: IncreaseWorld) -> None:
    inbound = world.increase.inbound
    identifier = inbound.pay_in("wire", 1234, await number(world))
    request, shown = returned(identifier), dict(inbound.transfers[identifier])
    inbound.reverses_late = True
    for _ in range(3):
        with pytest.raises(NoAnswer):
            await bank(world).pay(request)
    assert inbound.transfers[identifier]["status"] == shown["status"] == "accepted"
    inbound.send_back(identifier, "reverse", "creditor_request")
    assert (await bank(world).pay(request)).state is PayoutState.SETTLED


async def test_a_credit_that_increase_does_not_have_is_gone(world: IncreaseWorld) -> None:
    with pytest.raises(PayoutRefused) as refused:
        await bank(world).pay(returned("inbound_ach_transfer_unknown"))
    assert refused.value.failure_code is FailureCode.CREDIT_GONE


async def test_a_pending_transfer_is_not_returned(world: IncreaseWorld) -> None:
    inbound = world.increase.inbound
    identifier = inbound.pay_in("ach", 1234, await number(world), status="pending")
    with pytest.raises(NoAnswer):
        await bank(world).pay(returned(identifier))
    assert world.increase.calls["act"] == 0
