"""Rules that are tried on payments of the past."""

import asyncio
import threading
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from landbridge.core.clock import FrozenClock
from landbridge.core.ids import new_id
from landbridge.db.pool import Database
from landbridge.limits.model import Per, Spending, Window
from landbridge.orgs.service import take_lane
from landbridge.wiring import wire
from tests.tenants import SETTINGS, Tenant, good, make_tenant, make_user, sentence, served
from tests.threads import threads_of

from .play import (
    LIMITS,
    advance,
    decide,
    in_use,
    keep,
    left,
    pay,
    rule,
    rules_of,
    set_rules,
    used,
)

REHEARSE = f"{LIMITS}/rehearse"


async def test_a_rehearsal_says_what_rules_would_have_done(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    asked = [good(await pay(org, ada, bob, amount)) for amount in (60, 50, 40)]
    ids = [each["transferDetails"]["id"] for each in asked]
    await set_rules(org, rule("today", maxUsd="149"))
    wanted = {"rules": [rule(), rule("large", window="PAYMENT", maxUsd=55, over="APPROVE")]}
    told = await org.post(REHEARSE, {"limits": wanted, "days": 7})
    assert (told["count"], told["usd"], told["isComplete"]) == (3, 150, True)
    assert told["limits"] == {
        "refused": 1,
        "sentToApproval": 1,
        "rules": [
            {"rule": "a-day", "over": "REFUSE", "count": 1, "usd": 50, "ids": [ids[1]]},
            {"rule": "large", "over": "APPROVE", "count": 1, "usd": 60, "ids": [ids[0]]},
        ],
    }
    assert told["today"]["refused"] == 1
    assert told["today"]["rules"][0]["ids"] == [ids[2]]
    assert (await org.get(LIMITS))["version"] == 1


async def test_a_rehearsal_begins_its_month_at_the_first(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    good(await pay(org, ada, bob, 90))
    await advance(org, timedelta(days=3))
    good(await pay(org, ada, bob, 20))
    wanted = {"rules": [rule(window="MONTH")]}
    told = await org.post(REHEARSE, {"limits": wanted, "days": 1})
    assert (told["count"], told["limits"]["refused"]) == (1, 1)


async def test_what_failed_is_no_payment_of_a_rehearsal(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    good(await pay(org, ada, bob, 90, requireApproval=True))
    await decide(org, "reject")
    good(await pay(org, ada, bob, 20))
    told = await org.post(REHEARSE, {"limits": {"rules": [rule()]}})
    assert (told["count"], told["limits"]["refused"]) == (1, 0)


async def test_another_organisations_payments_are_not_seen(org: Tenant, other_org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    good(await pay(org, ada, bob, 90))
    told = await other_org.post(REHEARSE, {"limits": {"rules": [rule(maxUsd=1)]}})
    assert (told["count"], told["limits"]["refused"]) == (0, 0)


async def test_one_rehearsal_of_an_organisation_at_a_time(org: Tenant, other_org: Tenant) -> None:
    asked = [org.send("POST", REHEARSE, {"limits": {"rules": [rule()]}}) for _ in range(6)]
    answers = await asyncio.gather(
        other_org.send("POST", REHEARSE, {"limits": {"rules": [rule()]}}), *asked
    )
    assert answers[0].status_code == 200
    assert {each.status_code for each in answers[1:]} == {200, 409}
    refused = next(each for each in answers if each.status_code == 409)
    assert sentence(refused).startswith("a rehearsal of this organisation is under way")
    await org.post(REHEARSE, {"limits": {"rules": [rule()]}})


async def test_what_a_request_looks_at_is_bounded_by_its_rules(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    for amount in (10, 20, 30):
        good(await pay(org, ada, bob, amount))
    house, rules = org.house, rules_of(org, rule(), rule("other", maxUsd=5))
    # Twice as often as there are rules, for each of the kinds: the newest two.
    report = await house.rehearsing.rehearse(
        *(org.org_id, rules),
        days=1,
        now=await house.orgs.now(org.org_id),
        steps_max=4 * len(house.limits.kinds),
    )
    assert (report.payment_count, report.usd, report.is_complete) == (2, 50, False)


async def test_a_rehearsal_is_played_beside_the_event_loop(
    org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, user_id = org.house.clock.now(), new_id()
    spendings = [
        Spending(
            org_id=org.org_id,
            record_id=new_id(),
            kind="WALLET.TRANSFER",
            user_id=user_id,
            usd=Decimal(1),
            rail=None,
            corridor="POLYGON",
            targets=(),
            at=now,
            is_committed=True,
        )
        for _ in range(1_000)
    ]
    rules = rules_of(org, *(rule(f"r{place}", maxUsd=place) for place in range(100)))
    rehearsing = org.house.rehearsing
    playing = threads_of(monkeypatch, "landbridge.limits.rehearsing", "play")
    played = await rehearsing._played(org.org_id, rules, spendings, now)  # pyright: ignore[reportPrivateUsage]  as many payments as would take minutes to make
    assert played.refused == 1_000
    assert len(playing) == 1
    assert threading.get_ident() not in playing


@dataclass(frozen=True)
class Step:
    """A payment of a story, and how many hours later than the one before."""

    payer: int
    cents: int
    fails: bool
    hours: int


STEPS = st.lists(
    st.builds(
        Step,
        payer=st.integers(0, 1),
        cents=st.integers(1, 6_000),
        fails=st.booleans(),
        hours=st.sampled_from([0, 0, 0, 9, 30]),
    ),
    min_size=1,
    max_size=10,
)
RULES = st.lists(
    st.fixed_dictionaries(
        {
            "window": st.sampled_from([str(each) for each in Window]),
            "per": st.sampled_from([str(each) for each in Per]),
            "maxUsd": st.sampled_from(["20", "55.55", "100"]),
        }
    ),
    min_size=1,
    max_size=3,
)


@pytest.mark.slow
@given(steps=STEPS, rules=RULES)
@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    # A story takes a second: what fails is told as it was found.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
def test_a_rehearsal_says_what_living_by_the_rules_says(
    own_dsn: str, steps: Sequence[Step], rules: Sequence[dict[str, Any]]
) -> None:
    named = [rule(f"r{place}", **each) for place, each in enumerate(rules)]
    asyncio.run(_live_both(own_dsn, steps, named))


async def _live_both(dsn: str, steps: Sequence[Step], rules: Sequence[dict[str, Any]]) -> None:
    """One organisation lives by the rules, its twin without them; then those are rehearsed."""
    async with AsyncExitStack() as stack:
        database = await Database.connect(dsn, name="rehearsal", size_max=4)
        stack.push_async_callback(database.close)
        begin = datetime(2026, 3, 10, 12, tzinfo=UTC)
        clock = FrozenClock(begin, lane=await take_lane(database))
        house = wire(SETTINGS, database, clock)
        client = await stack.enter_async_context(served(house))
        ruled, free = await make_tenant(house, client), await make_tenant(house, client)
        await set_rules(ruled, *rules)
        refused = [place for place, code in enumerate(await _live(ruled, steps)) if code == 403]
        assert set(await _live(free, steps)) == {200}
        told = await free.post(REHEARSE, {"limits": {"rules": rules}, "days": 60})
        lasting = [place for place in refused if not steps[place].fails]
        assert told["limits"]["refused"] == len(lasting)
        assert told["count"] == sum(not each.fails for each in steps)
        # Counting what was paid without rules comes to what living by them would have counted.
        await set_rules(free, *rules)
        assert await used(free) == await in_use(free)
        assert await used(ruled) == await in_use(ruled)


async def _live(org: Tenant, steps: Sequence[Step]) -> list[int]:
    users = [await make_user(org, funds="1000") for _ in range(2)]
    payee = await make_user(org)
    answers: list[int] = []
    for each in steps:
        await advance(org, timedelta(hours=each.hours))
        amount = str(Decimal(each.cents) / 100)
        answer = await pay(org, users[each.payer], payee, amount, requireApproval=each.fails)
        answers.append(answer.status_code)
        if each.fails and answer.status_code == 200:
            await decide(org, "reject")
            await keep(org)
    return answers


async def test_nothing_left_is_never_less_than_nothing(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    good(await pay(org, ada, bob, 90))
    await set_rules(org, rule(maxUsd=50))
    assert await left(org) == 0
