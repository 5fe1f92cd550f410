"""Onramps moved by many at once, through two processes' worth of pools on one database."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.core.clock import Clock, FrozenClock
from landbridge.core.errors import LandbridgeError, Refused
from landbridge.core.ids import derived_id
from landbridge.db.pool import Database
from landbridge.flows.onramps.model import Status
from landbridge.orgs.service import take_lane
from landbridge.receipts.model import Status as ReceiptStatus
from landbridge.wiring import House, wire
from tests.onramps import (
    check_books,
    deposit,
    make_onramp,
    make_payer,
    now,
    onramp_of,
    receive,
    retrieve,
    settle,
    statuses,
)
from tests.simulation.faulty import FaultyChains, FaultyRails
from tests.tenants import SETTINGS, Tenant, held
from tests.virtual_accounts.made import make_account

MANY = 12


@pytest.fixture
async def database_b(dsn: str) -> AsyncIterator[Database]:
    """The pool of another process."""
    database = await Database.connect(dsn, name="tests b", size_max=8)
    yield database
    await database.close()


@pytest.fixture
async def pair(org: Tenant, database: Database, database_b: Database) -> tuple[Tenant, Tenant]:
    """One organisation in two houses with chains and a bank in common, which count."""
    chains, rails = FaultyChains(org.house.chains), FaultyRails(org.house.rails)

    async def house(of: Database) -> House:
        clock = Clock(await take_lane(database))
        return wire(SETTINGS, of, clock, chains=chains, rails=rails)

    return replace(org, house=await house(database)), replace(org, house=await house(database_b))


async def _outcomes(*calls: Awaitable[Any]) -> Counter[str]:
    """How each call ended: the name of its refusal, or of its status."""
    answers = await asyncio.gather(*calls, return_exceptions=True)
    names: list[str] = []
    for answer in answers:
        match answer:
            case Refused():
                names.append(answer.name)
            case LandbridgeError():
                names.append(type(answer).__name__)
            case BaseException():
                raise answer
            case _:
                names.append(str(getattr(answer, "status", answer)))
    return Counter(names)


async def test_two_workers_take_a_deposit_once(pair: tuple[Tenant, Tenant]) -> None:
    org = pair[0]
    user = await make_payer(org)
    made = [await make_onramp(org, user, 1) for _ in range(MANY)]
    receipts = [await deposit(org, each) for each in made]
    takers = [each.house.onramp_deposits for each in pair]
    found = await _outcomes(*(taker.take(each) for each in receipts for taker in takers))
    assert found == {"True": 2 * MANY}
    await asyncio.gather(*(settle(each) for each in pair), *(settle(each) for each in pair))
    await settle(org)
    for each in made:
        assert (await statuses(org, each))[-6:] == [
            *("FIAT_INITIATED", "FIAT_PENDING", "FIAT_PROCESSED", "CRYPTO_INITIATED"),
            *("CRYPTO_PENDING", "COMPLETED"),
        ]
    assert await held(org, user) == str(MANY)
    await check_books(org)


async def test_two_workers_open_one_onramp_for_a_deposit_on_a_virtual_account(
    pair: tuple[Tenant, Tenant],
) -> None:
    org = pair[0]
    user = await make_payer(org)
    account = await make_account(org, user)
    number = account["depositInstructions"]["wire"]["accountNumber"]
    receipts = [await receive(org, account_number=number, amount="1") for _ in range(MANY)]
    receipts += [await receive(org, account_number=number, amount="0.5") for _ in range(3)]
    takers = [each.house.onramp_deposits for each in pair]
    found = await _outcomes(*(taker.take(each) for each in receipts for taker in takers))
    assert found == {"True": 2 * (MANY + 3)}
    await asyncio.gather(*(settle(each) for each in pair))
    await settle(org)
    assert await held(org, user) == str(MANY)
    await check_books(org)


async def test_of_two_deposits_one_pays_and_one_goes_back(pair: tuple[Tenant, Tenant]) -> None:
    org = pair[0]
    user = await make_payer(org)
    made = [await make_onramp(org, user, 1) for _ in range(MANY)]
    receipts = [(await deposit(org, each), await deposit(org, each)) for each in made]
    await asyncio.gather(*(settle(each) for each in pair))
    await settle(org)
    for first, second in receipts:
        fates = {
            (await org.house.receipts.get(org.org_id, each.id)).status for each in (first, second)
        }
        assert fates == {ReceiptStatus.MATCHED, ReceiptStatus.RETURNED}
    rails = org.house.rails
    assert isinstance(rails, FaultyRails)
    assert len({each.key for each in rails.asked}) == MANY
    assert await held(org, user) == str(MANY)
    await check_books(org)


async def test_an_open_quote_is_accepted_once_refreshed_or_not(
    pair: tuple[Tenant, Tenant],
) -> None:
    org = pair[0]
    user = await make_payer(org)
    for _ in range(4):
        onramp = await make_onramp(org, user, is_accepted=False)
        onramp_id = UUID(onramp["id"])
        found = await _outcomes(
            *(each.house.onramps.accept(each.caller, onramp_id) for each in pair * 2),
            *(each.house.onramps.refresh(each.caller, onramp_id) for each in pair * 2),
        )
        assert found["AWAITING_FUNDS"] + found["Busy"] >= 4
        assert set(found) <= {"AWAITING_FUNDS", "OPEN_QUOTE", "RESOURCE_CONFLICT", "Busy"}
        told = await statuses(org, onramp)
        assert told.count("AWAITING_FUNDS") == 1
        assert told[-1] == "AWAITING_FUNDS"
        record = (await onramp_of(org, onramp["id"])).record
        assert record.due_at == (await onramp_of(org, onramp["id"])).details.quote_expires_at


async def test_at_the_deadline_a_quote_is_accepted_refreshed_or_ended(
    still_org: Tenant, still_clock: FrozenClock, database_b: Database
) -> None:
    org = still_org
    # Another lane than the first one's: those that are taken come round after a hundred.
    clock_b = FrozenClock(still_clock.at, lane=still_clock.stamp().microsecond + 1)
    other = wire(SETTINGS, database_b, clock_b)
    user = await make_payer(org)
    for place in range(6):
        made = await make_onramp(org, user, is_accepted=False)
        onramp = await onramp_of(org, made["id"])
        due = onramp.details.quote_expires_at
        # Some are just in time, some just late, some one of each.
        still_clock.at = due + timedelta(milliseconds=[-50, 50, -50][place % 3])
        clock_b.at = due + timedelta(milliseconds=[-50, 50, 50][place % 3])
        found = await _outcomes(
            org.house.onramps.accept(org.caller, onramp.record.id),
            other.onramps.refresh(org.caller, onramp.record.id),
            other.onramps.lapse(onramp, "worker", due + timedelta(seconds=1)),
        )
        assert set(found) <= {
            *("AWAITING_FUNDS", "OPEN_QUOTE", "QUOTE_FAILED", "INVALID_QUOTE"),
            *("RESOURCE_CONFLICT", "True", "False"),
        }
        ended = (await onramp_of(org, made["id"])).status
        assert (found["AWAITING_FUNDS"] == 1) == (ended is Status.AWAITING_FUNDS)
        assert (await statuses(org, made)).count(ended) >= 1


async def test_at_the_deadline_a_deposit_pays_or_goes_back(
    org: Tenant, pair: tuple[Tenant, Tenant]
) -> None:
    user = await make_payer(org)
    made = [await make_onramp(org, user, 1) for _ in range(MANY)]
    receipts = [await deposit(org, each) for each in made]
    # The deposits are in time; whether a worker looks at them before time is over is a race.
    late = timedelta(hours=25)

    async def lapse(each: dict[str, Any]) -> object:
        onramp = await onramp_of(org, each["id"])
        if onramp.status is not Status.AWAITING_FUNDS:
            return "paid"
        return await pair[1].house.onramps.lapse(onramp, "worker", await now(org) + late)

    taker = pair[0].house.onramp_deposits
    await asyncio.gather(*(taker.take(each) for each in receipts), *(lapse(each) for each in made))
    await settle(pair[0])
    ends: Counter[str] = Counter()
    for each, receipt in zip(made, receipts, strict=True):
        status = (await retrieve(org, each))["status"]
        fate = (await org.house.receipts.get(org.org_id, receipt.id)).status
        ends[f"{status} {fate}"] += 1
    assert set(ends) <= {"COMPLETED MATCHED", "QUOTE_FAILED RETURNED"}
    assert await held(org, user) == str(ends["COMPLETED MATCHED"])
    await check_books(org)


async def test_a_worker_that_ends_what_is_late_leaves_what_was_paid_in_time(
    org: Tenant, pair: tuple[Tenant, Tenant]
) -> None:
    user = await make_payer(org)
    made = [await make_onramp(org, user, 1) for _ in range(MANY)]
    for each in made:
        await deposit(org, each)
    # One worker takes the deposits while others end what has waited for a day.
    late = {org.org_id: timedelta(hours=25)}
    await asyncio.gather(
        *(each.house.due.run_all(late) for each in pair * 2),
        pair[0].house.receipt_steps.run_all({org.org_id: timedelta()}),
    )
    await settle(pair[0])
    await pair[0].house.due.run_all(late)
    assert {(await retrieve(org, each))["status"] for each in made} == {"COMPLETED"}
    assert await held(org, user) == str(MANY)
    await check_books(org)


async def test_a_review_is_cancelled_or_closed(pair: tuple[Tenant, Tenant]) -> None:
    org = pair[0]
    user = await make_payer(org)
    for _ in range(6):
        onramp = await make_onramp(org, user, 1)
        await deposit(org, onramp, clears_at=await now(org) + timedelta(hours=1))
        await settle(org)
        onramp_id = UUID(onramp["id"])
        await org.house.reviewing.open(_reviewer(org), onramp_id, question="why?")
        found = await _outcomes(
            pair[0].house.onramps.cancel(org.caller, onramp_id),
            pair[1].house.reviewing.close(_reviewer(org), onramp_id),
        )
        ended = (await onramp_of(org, onramp["id"])).status
        assert (ended is Status.FIAT_FAILED) == (found["FIAT_FAILED"] == 1)
        assert ended in {Status.FIAT_FAILED, Status.FIAT_PENDING}
        (rfi,) = (await org.house.rfis.of(org.org_id, [onramp_id]))[onramp_id]
        assert rfi.status == "CLOSED"
    await org.post("/v2/sandbox/clock/advance", {"seconds": 3600})
    await settle(org)
    await check_books(org)


async def test_two_workers_send_coins_once_and_give_back_once(
    pair: tuple[Tenant, Tenant],
) -> None:
    org = pair[0]
    user = await make_payer(org)
    sent = [await make_onramp(org, user, 1) for _ in range(MANY)]
    wrong = [await make_onramp(org, user, 1) for _ in range(3)]
    for each in sent:
        await deposit(org, each)
    for each in wrong:
        await deposit(org, each, amount="2")
    for _ in range(3):
        await asyncio.gather(*(settle(each) for each in pair * 2))
    chains, rails = org.house.chains, org.house.rails
    assert isinstance(chains, FaultyChains)
    assert isinstance(rails, FaultyRails)
    assert {each.key for each in chains.asked} == {
        derived_id(UUID(each["id"]), "send") for each in sent
    }
    assert {each.key for each in rails.asked} == {
        derived_id(UUID(each["id"]), "return") for each in wrong
    }
    assert await held(org, user) == str(MANY)
    await check_books(org)


def _reviewer(org: Tenant) -> Any:
    return replace(org.caller, can_review=True)
