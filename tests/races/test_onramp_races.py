"""Onramps moved by many at once, through two processes' worth of pools on one database."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.app.container import Container, wire
from landbridge.payments.incoming_payments.model import IncomingPaymentStatus
from landbridge.payments.onramps.model import OnrampStatus
from landbridge.platform.core.clock import Clock, FrozenClock
from landbridge.platform.core.errors import LandbridgeError, Refused
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.halts import HaltedChains
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
from tests.order_keys import key_of
from tests.payments.virtual_accounts.virtual_account_setup import make_account
from tests.providers.simulation.faulty import FaultyChains, FaultyRails
from tests.tenants import SETTINGS, Tenant, held

MANY = 12


@pytest.fixture
async def database_b(dsn: str) -> AsyncIterator[Database]:
    """Connection pool of a second process."""
    database = await Database.connect(dsn, name="tests b", size_max=8)
    yield database
    await database.close()


@pytest.fixture
async def pair(org: Tenant, database: Database, database_b: Database) -> tuple[Tenant, Tenant]:
    """One organisation in two houses with chains and a bank in common, which count."""
    chains, rails = FaultyChains(org.container.chains), FaultyRails(org.container.rails)

    async def container(of: Database) -> Container:
        clock = Clock(await take_node(database))
        return wire(SETTINGS, of, clock, chains=chains, rails=rails)

    return replace(org, container=await container(database)), replace(
        org, container=await container(database_b)
    )


async def _outcomes(*calls: Awaitable[Any]) -> Counter[str]:
    """Return the outcome of each call: its refusal or its status."""
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


async def test_two_workers_match_a_deposit_once(pair: tuple[Tenant, Tenant]) -> None:
    org = pair[0]
    user = await make_payer(org)
    created = [await make_onramp(org, user, 1) for _ in range(MANY)]
    incoming_payments = [await deposit(org, each) for each in created]
    takers = [each.container.onramp_deposits for each in pair]
    found = await _outcomes(
        *(matcher.match(each) for each in incoming_payments for matcher in takers)
    )
    assert found == {"True": 2 * MANY}
    await asyncio.gather(*(settle(each) for each in pair), *(settle(each) for each in pair))
    await settle(org)
    for each in created:
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
    incoming_payments = [await receive(org, account_number=number, amount="1") for _ in range(MANY)]
    incoming_payments += [await receive(org, account_number=number, amount="0.5") for _ in range(3)]
    takers = [each.container.onramp_deposits for each in pair]
    found = await _outcomes(
        *(matcher.match(each) for each in incoming_payments for matcher in takers)
    )
    assert found == {"True": 2 * (MANY + 3)}
    await asyncio.gather(*(settle(each) for each in pair))
    await settle(org)
    assert await held(org, user) == str(MANY)
    await check_books(org)


async def test_one_of_two_deposits_pays_and_the_other_is_returned(
    pair: tuple[Tenant, Tenant],
) -> None:
    org = pair[0]
    user = await make_payer(org)
    created = [await make_onramp(org, user, 1) for _ in range(MANY)]
    incoming_payments = [(await deposit(org, each), await deposit(org, each)) for each in created]
    await asyncio.gather(*(settle(each) for each in pair))
    await settle(org)
    for first, second in incoming_payments:
        fates = {
            (await org.container.incoming_payments.get(org.org_id, each.id)).status
            for each in (first, second)
        }
        assert fates == {IncomingPaymentStatus.MATCHED, IncomingPaymentStatus.RETURNED}
    rails = org.container.rails
    assert isinstance(rails, FaultyRails)
    assert len({each.key for each in rails.orders}) == MANY
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
            *(each.container.onramps.accept(each.caller, onramp_id) for each in pair * 2),
            *(each.container.onramps.refresh(each.caller, onramp_id) for each in pair * 2),
        )
        assert found["AWAITING_FUNDS"] + found["Busy"] >= 4
        assert set(found) <= {"AWAITING_FUNDS", "OPEN_QUOTE", "RESOURCE_CONFLICT", "Busy"}
        statuses_ = await statuses(org, onramp)
        assert statuses_.count("AWAITING_FUNDS") == 1
        assert statuses_[-1] == "AWAITING_FUNDS"
        record = (await onramp_of(org, onramp["id"])).record
        assert record.due_at == (await onramp_of(org, onramp["id"])).details.quote_expires_at


async def test_at_the_deadline_a_quote_is_accepted_refreshed_or_ended(
    still_org: Tenant, still_clock: FrozenClock, database_b: Database
) -> None:
    org = still_org
    # Another clock node than the first one's: nodes are reused after a hundred.
    clock_b = FrozenClock(still_clock.at, node=still_clock.stamp().microsecond + 1)
    other = wire(SETTINGS, database_b, clock_b)
    user = await make_payer(org)
    for index in range(6):
        created = await make_onramp(org, user, is_accepted=False)
        onramp = await onramp_of(org, created["id"])
        due = onramp.details.quote_expires_at
        # Some are just in time, some just late, some one of each.
        still_clock.at = due + timedelta(milliseconds=[-50, 50, -50][index % 3])
        clock_b.at = due + timedelta(milliseconds=[-50, 50, 50][index % 3])
        found = await _outcomes(
            org.container.onramps.accept(org.caller, onramp.record.id),
            other.onramps.refresh(org.caller, onramp.record.id),
            other.onramps.expire(onramp, "worker", due + timedelta(seconds=1)),
        )
        assert set(found) <= {
            *("AWAITING_FUNDS", "OPEN_QUOTE", "QUOTE_FAILED", "INVALID_QUOTE"),
            *("RESOURCE_CONFLICT", "True", "False"),
        }
        ended = (await onramp_of(org, created["id"])).status
        assert (found["AWAITING_FUNDS"] == 1) == (ended is OnrampStatus.AWAITING_FUNDS)
        assert (await statuses(org, created)).count(ended) >= 1


async def test_deposit_at_the_deadline_pays_or_is_returned(
    org: Tenant, pair: tuple[Tenant, Tenant]
) -> None:
    user = await make_payer(org)
    created = [await make_onramp(org, user, 1) for _ in range(MANY)]
    incoming_payments = [await deposit(org, each) for each in created]
    # The deposits are in time; whether a worker processes them before the expiry is a race.
    late = timedelta(hours=25)

    async def expire(each: dict[str, Any]) -> object:
        onramp = await onramp_of(org, each["id"])
        if onramp.status is not OnrampStatus.AWAITING_FUNDS:
            return "paid"
        return await pair[1].container.onramps.expire(onramp, "worker", await now(org) + late)

    matcher = pair[0].container.onramp_deposits
    await asyncio.gather(
        *(matcher.match(each) for each in incoming_payments), *(expire(each) for each in created)
    )
    await settle(pair[0])
    ends: Counter[str] = Counter()
    for each, incoming_payment in zip(created, incoming_payments, strict=True):
        status = (await retrieve(org, each))["status"]
        fate = (await org.container.incoming_payments.get(org.org_id, incoming_payment.id)).status
        ends[f"{status} {fate}"] += 1
    assert set(ends) <= {"COMPLETED MATCHED", "QUOTE_FAILED RETURNED"}
    assert await held(org, user) == str(ends["COMPLETED MATCHED"])
    await check_books(org)


async def test_expiring_worker_keeps_onramps_paid_in_time(
    org: Tenant, pair: tuple[Tenant, Tenant]
) -> None:
    user = await make_payer(org)
    created = [await make_onramp(org, user, 1) for _ in range(MANY)]
    for each in created:
        await deposit(org, each)
    # One worker matches the deposits while others expire what has waited for a day.
    late = {org.org_id: timedelta(hours=25)}
    await asyncio.gather(
        *(each.container.scheduler.run_all(late) for each in pair * 2),
        pair[0].container.incoming_payment_steps.run_all({org.org_id: timedelta()}),
    )
    await settle(pair[0])
    await pair[0].container.scheduler.run_all(late)
    assert {(await retrieve(org, each))["status"] for each in created} == {"COMPLETED"}
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
        await org.container.transfer_reviews.open(_reviewer(org), onramp_id, question="why?")
        found = await _outcomes(
            pair[0].container.onramps.cancel(org.caller, onramp_id),
            pair[1].container.transfer_reviews.close(_reviewer(org), onramp_id),
        )
        ended = (await onramp_of(org, onramp["id"])).status
        assert (ended is OnrampStatus.FIAT_FAILED) == (found["FIAT_FAILED"] == 1)
        assert ended in {OnrampStatus.FIAT_FAILED, OnrampStatus.FIAT_PENDING}
        (rfi,) = (await org.container.rfis.of(org.org_id, [onramp_id]))[onramp_id]
        assert rfi.status == "CLOSED"
    await org.post("/v2/sandbox/clock/advance", {"seconds": 3600})
    await settle(org)
    await check_books(org)


async def test_two_workers_send_and_return_coins_once(
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
    halted, rails = org.container.chains, org.container.rails
    assert isinstance(halted, HaltedChains)
    chains = halted.chains
    assert isinstance(chains, FaultyChains)
    assert isinstance(rails, FaultyRails)
    assert {each.key for each in chains.orders} == {
        await key_of(org, each["id"], "send") for each in sent
    }
    assert {each.key for each in rails.orders} == {
        await key_of(org, each["id"], "return") for each in wrong
    }
    assert await held(org, user) == str(MANY)
    await check_books(org)


def _reviewer(org: Tenant) -> Any:
    return replace(org.caller, can_review=True)
