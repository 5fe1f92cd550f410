"""Deposits through a sidecar: each credit once, whatever it repeats, changes or makes up."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.providers.sidecar.credit_polls import PAGES_MAX
from landbridge.providers.sidecar.credits import CreditProblem
from landbridge.providers.sidecar.protocol import CREDITS_MAX
from tests.matrices import each_value_once
from tests.onramps import check_books, make_onramp, make_payer, onramp_of, retrieve
from tests.payments.virtual_accounts.virtual_account_setup import at, make_account, make_receiver
from tests.providers.sidecar.deposit_world import DepositScenario, account_of, deposit_scenario
from tests.tenants import held

EMPTY: dict[str, Any] = {}


@pytest.fixture
async def world(database: Database, tmp_path: Path) -> AsyncIterator[DepositScenario]:
    async with deposit_scenario(database, tmp_path) as scenario:
        yield scenario


async def test_a_virtual_account_is_the_providers_and_its_money_is_delivered(
    world: DepositScenario,
) -> None:
    user = await make_receiver(world.org)
    account = await make_account(world.org, user)
    # One account for deposits by reference, and one for this user.
    assert len(world.bank.accounts) == 2
    number = [*world.bank.accounts.values()][-1]
    shown = (await world.org.get(at(user, account["id"])))["depositInstructions"]
    assert shown["bankName"] == "Acme Bank"
    assert shown["ach"] == {"routingNumber": "123456780", "accountNumber": number}
    assert "wire" not in shown
    world.bank.add(number, "100.25")
    await world.poll()
    assert await held(world.org, user) == "100.25"
    (deposit,) = await world.deposits()
    assert deposit["bank_reference"] == f"{world.name}:C1"
    assert (deposit["account_number"], deposit["units"]) == (number, 10_025)
    assert (deposit["rail"], deposit["status"]) == ("ach", "MATCHED")
    await check_books(world.org)


async def test_an_onramp_is_paid_by_reference(world: DepositScenario) -> None:
    user = await make_payer(world.org)
    onramp = await make_onramp(world.org, user, 100)
    details = (await onramp_of(world.org, onramp["id"])).details
    assert details.account_number in world.bank.accounts.values()
    world.bank.add(details.account_number or "", reference=details.reference)
    await world.poll()
    assert (await retrieve(world.org, onramp))["status"] == "COMPLETED"
    # The second onramp has the same account: a key has one, for ever.
    other = await make_onramp(world.org, user, 50)
    again = (await onramp_of(world.org, other["id"])).details
    assert again.account_number == details.account_number
    assert len(world.bank.accounts) == 1
    await check_books(world.org)


async def test_repeated_pages_credit_nothing_again(world: DepositScenario) -> None:
    user, number = await account_of(world)
    for _ in range(2 * CREDITS_MAX + 10):
        world.bank.add(number, "1.01")
    await world.poll()
    assert len(await world.deposits()) == 110
    # The sidecar lost its place, and answers everything again in another order.
    world.bank.log.reverse()
    await world.org.container.database.rows(
        "update provider_cursors set cursor = null where provider = $1", world.name
    )
    await world.poll()
    await world.poll()
    assert len(await world.deposits()) == 110
    assert await world.problems() == []
    assert await held(world.org, user) == "111.1"
    await check_books(world.org)


async def test_two_workers_with_one_page_credit_once(world: DepositScenario) -> None:
    user, number = await account_of(world)
    for _ in range(10):
        world.bank.add(number, "2")
    container = world.org.container
    others = [container.with_clock(Clock(900 + each)) for each in range(4)]
    await asyncio.gather(*(world.container_poll(each) for each in (container, *others)))
    for each in others:
        assert each.providers is not None
        await each.providers.close()
    await world.poll()
    assert len(await world.deposits()) == 10
    assert await held(world.org, user) == "20"
    await check_books(world.org)


@pytest.mark.parametrize(
    ("changes", "problem"),
    each_value_once(
        [
            ({"accountNumber": "1"}, CreditProblem.UNKNOWN_ACCOUNT),
            ({"currency": "eur"}, CreditProblem.UNKNOWN_CURRENCY),
            ({"currency": "xau"}, CreditProblem.UNKNOWN_CURRENCY),
            ({"amount": "1.001"}, CreditProblem.MALFORMED),
            ({"amount": "0"}, CreditProblem.MALFORMED),
            ({"amount": "-1"}, CreditProblem.MALFORMED),
            ({"amount": 1}, CreditProblem.MALFORMED),
            ({"amount": "9" * 31}, CreditProblem.MALFORMED),
            ({"amount": None}, CreditProblem.MALFORMED),
            ({"id": "Ada Example"}, CreditProblem.MALFORMED),
            ({"id": "C1\n"}, CreditProblem.MALFORMED),
            ({"id": None}, CreditProblem.MALFORMED),
            ({"rail": "pigeon"}, CreditProblem.MALFORMED),
            ({"reference": "a\u0000b"}, CreditProblem.MALFORMED),
            ({"reference": "x" * 501}, CreditProblem.MALFORMED),
            ({"receivedAt": "2026-03-04T12:00:00"}, CreditProblem.MALFORMED),
            ({"sender": "Ada"}, CreditProblem.MALFORMED),
        ],
        values=lambda row: (row[1], *row[0]),
    ),
)
async def test_a_problem_holds_up_nothing_and_is_noted_once(
    world: DepositScenario, changes: dict[str, Any], problem: CreditProblem
) -> None:
    user, number = await account_of(world)
    world.bank.add(number, **changes)
    world.bank.add(number, "5")
    await world.poll()
    (found,) = await world.problems()
    assert (found.problem, found.incoming_payment_id) == (problem, None)
    assert await held(world.org, user) == "5"
    # Reported again, it is the same problem.
    world.bank.log.append(world.bank.log[0])
    await world.poll()
    assert [each.problem for each in await world.problems()] == [problem]
    assert len(await world.deposits()) == 1


@pytest.mark.parametrize(
    "received_at",
    ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00", "2026-03-04T12:00:00+14:00"],
)
async def test_any_time_of_arrival_is_survived(world: DepositScenario, received_at: str) -> None:
    user, number = await account_of(world)
    world.bank.add(number, receivedAt=received_at)
    await world.poll()
    assert await held(world.org, user) == "100"


async def test_what_was_credited_never_changes(world: DepositScenario) -> None:
    user, number = await account_of(world)
    credit = world.bank.add(number)
    await world.poll()
    for changed in ({"amount": "1000"}, {"currency": "eur"}, {"accountNumber": "1"}):
        world.bank.log.append(credit | changed)
    await world.poll()
    (problem,) = await world.problems()
    assert (problem.problem, str(problem.money)) == (CreditProblem.CHANGED, "100")
    assert len(await world.deposits()) == 1
    assert await held(world.org, user) == "100"
    await check_books(world.org)


async def test_a_credit_with_a_problem_is_judged_again(world: DepositScenario) -> None:
    user, number = await account_of(world)
    world.bank.add("1", id="C1")
    await world.poll()
    assert [each.problem for each in await world.problems()] == [CreditProblem.UNKNOWN_ACCOUNT]
    world.bank.add(number, id="C1")
    await world.poll()
    assert await world.problems() == []
    assert await held(world.org, user) == "100"


async def test_a_reversal_waits_for_a_person(world: DepositScenario) -> None:
    user, number = await account_of(world)
    world.bank.add(number)
    await world.poll()
    world.bank.log.append({"reversed": "C1"})
    await world.poll()
    (problem,) = await world.problems()
    assert problem.problem is CreditProblem.REVERSED
    assert problem.incoming_payment_id is not None
    assert await held(world.org, user) == "100"
    # It stays, whatever is reported afterwards.
    world.bank.add(number, "7", id="C1")
    await world.poll()
    assert [each.problem for each in await world.problems()] == [CreditProblem.REVERSED]


async def test_what_was_reversed_before_is_not_credited(world: DepositScenario) -> None:
    user, number = await account_of(world)
    world.bank.log.append({"reversed": "C2"})
    world.bank.add(number)
    world.bank.add(number, "3")
    await world.poll()
    assert [each.credit_id for each in await world.problems()] == ["C2"]
    assert await held(world.org, user) == "3"


async def test_unmatched_money_goes_back_to_the_provider_alone(world: DepositScenario) -> None:
    user = await make_payer(world.org)
    onramp = await make_onramp(world.org, user, 100)
    number = (await onramp_of(world.org, onramp["id"])).details.account_number or ""
    world.bank.add(number, "12.34", reference="nothing of ours")
    await world.poll()
    await world.poll()
    (order,) = world.bank.orders.values()
    assert (order["returns"], order["amount"], order["currency"]) == ("C1", "12.34", "usd")
    assert "payee" not in order
    assert order["texts"] == {}
    (deposit,) = await world.deposits()
    assert deposit["status"] == "RETURNED"
    await check_books(world.org)


async def test_a_refused_return_is_tried_again_and_can_be_settled(world: DepositScenario) -> None:
    user = await make_payer(world.org)
    onramp = await make_onramp(world.org, user, 100)
    number = (await onramp_of(world.org, onramp["id"])).details.account_number or ""
    world.bank.return_state = "refused"
    world.bank.add(number, "12.34")
    await world.poll()
    (deposit,) = await world.deposits()
    assert deposit["status"] == "RETURNING"
    assert len(world.bank.orders) == 1


@pytest.mark.parametrize(
    "page",
    [
        pytest.param({"credits": [EMPTY] * (CREDITS_MAX + 1), "next": "1"}, id="too many"),
        pytest.param({"credits": [EMPTY] * 10_000, "next": "1"}, id="ten thousand"),
        pytest.param({"credits": [EMPTY]}, id="no cursor"),
        pytest.param({"reversed": ["C1"], "credits": []}, id="reversed without a cursor"),
        pytest.param({"credits": [EMPTY], "next": "0" * 201}, id="long cursor"),
        pytest.param({"credits": [EMPTY], "next": 1}, id="number as a cursor"),
        pytest.param({"credits": {}, "next": "1"}, id="no list"),
        pytest.param(b"[" * 100_000, id="deep"),
        pytest.param(b"\xff", id="no text"),
    ],
)
async def test_an_answer_that_is_not_valid_moves_nothing(world: DepositScenario, page: Any) -> None:
    user, number = await account_of(world)
    world.bank.page = page
    await world.poll()
    assert (await world.deposits(), await world.problems()) == ([], [])
    assert await is_unusable(world)
    world.bank.page = None
    world.bank.add(number)
    await world.poll()
    assert not await is_unusable(world)
    assert await held(world.org, user) == "100"


async def test_a_huge_page_is_not_read(world: DepositScenario) -> None:
    user, number = await account_of(world)
    world.bank.page = b" " * 2_000_000
    await world.poll()
    world.bank.page = None
    world.bank.add(number)
    await world.poll()
    assert await held(world.org, user) == "100"


async def test_a_cursor_that_does_not_move_is_refused(world: DepositScenario) -> None:
    _, number = await account_of(world)
    world.bank.add(number)
    await world.poll()
    world.bank.page = {"credits": [world.bank.log[0] | {"id": "C9"}], "next": "1"}
    await world.poll()
    assert await is_unusable(world)
    assert len(await world.deposits()) == 1


async def test_pages_without_an_end_end(world: DepositScenario) -> None:
    _, number = await account_of(world)
    world.bank.endless = True
    world.bank.add(number)
    await world.poll()
    assert len(world.bank.queries) == PAGES_MAX
    assert len(await world.deposits()) == 1


async def is_unusable(world: DepositScenario) -> bool:
    (row,) = await world.org.container.database.rows(
        "select is_unusable from provider_cursors where provider = $1", world.name
    )
    return bool(row["is_unusable"])


async def test_a_webhook_is_a_hint(world: DepositScenario) -> None:
    assert await world.announce({"credits": True}) == 404
    user, number = await account_of(world)
    await world.poll()
    world.bank.add(number)
    container = world.org.container
    assert container.provider_credits is not None
    offsets = await container.orgs.clock_offsets()
    await container.provider_credits.run_once(world.name, offsets)
    assert await world.deposits() == []  # not due yet
    assert await world.announce({"credits": True}) == 204
    assert await world.announce({"credits": True}) == 204
    await container.provider_credits.run_once(world.name, offsets)
    assert len(await world.deposits()) == 1
    assert await world.announce({}) == 404
    assert await world.announce({"credits": "yes"}) == 401
    nested = msgspec.Raw(b"[" * 1500 + b"]" * 1500)
    assert await world.announce({"more": nested}) == 401
    assert await held(world.org, user) == "0"


@pytest.mark.parametrize(
    "changes",
    [
        {"accountNumber": "1 2"},
        {"currency": "eur"},
        {"key": "00000000-0000-0000-0000-000000000001"},
        {"bankName": "a\u0000b"},
        {"rails": {"ach": {"routingNumber": "1"}}},
    ],
)
async def test_an_account_that_is_not_valid_is_not_given(
    world: DepositScenario, changes: dict[str, Any]
) -> None:
    world.bank.account = changes
    user = await make_payer(world.org)
    created = await make_onramp(world.org, user, 100, is_accepted=False)
    answer = await world.org.send("POST", f"/v2/onramps/{created['id']}/quote/accept")
    assert answer.status_code == 503
    world.bank.account = {}
    assert not (await world.org.send("POST", f"/v2/onramps/{created['id']}/quote/accept")).is_error


async def test_a_number_is_given_once(world: DepositScenario) -> None:
    user = await make_receiver(world.org)
    await make_account(world.org, user)
    world.bank.account = {"accountNumber": [*world.bank.accounts.values()][-1]}
    refused = await world.org.send(
        "POST",
        at(user),
        {"sourceCurrency": "usd", "destinationCurrency": "usdc", "destinationChain": "POLYGON"},
    )
    assert refused.status_code == 503


async def test_another_providers_account_is_unknown(world: DepositScenario) -> None:
    user, number = await account_of(world)
    other = f"{world.name[:38]}-b"
    await world.org.container.database.rows(
        "update provider_accounts set provider = $2 where org_id = $1", world.org.org_id, other
    )
    world.bank.add(number)
    await world.poll()
    assert [each.problem for each in await world.problems()] == [CreditProblem.UNKNOWN_ACCOUNT]
    assert await held(world.org, user) == "0"


async def test_a_return_waits_for_a_provider_that_is_gone(world: DepositScenario) -> None:
    user = await make_payer(world.org)
    onramp = await make_onramp(world.org, user, 100)
    number = (await onramp_of(world.org, onramp["id"])).details.account_number or ""
    gone = f"{world.name[:38]}-g"
    world.bank.add(number, "12.34")
    await world.container_poll(world.org.container)
    await world.org.container.database.rows(
        "update provider_credits set provider = $2 where provider = $1", world.name, gone
    )
    await world.poll()
    (deposit,) = await world.deposits()
    assert deposit["status"] == "RETURNING"
    assert world.bank.orders == {}
    await check_books(world.org)
