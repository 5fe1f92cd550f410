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

from landbridge.app.container import wire
from landbridge.payments.limits.model import LimitScope, LimitUsage, LimitWindow
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.payments.limits.limit_setup import (
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
from tests.tenants import SETTINGS, Tenant, good, make_tenant, make_user, sentence, served
from tests.threads import threads_of

SIMULATE = f"{LIMITS}/simulate"


async def test_simulation_shows_the_effect_of_rules(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    payments = [good(await pay(org, ada, bob, amount)) for amount in (60, 50, 40)]
    ids = [each["transferDetails"]["id"] for each in payments]
    await set_rules(org, rule("today", maxUsd="149"))
    limits = {"rules": [rule(), rule("large", window="PAYMENT", maxUsd=55, over="APPROVE")]}
    reply = await org.post(SIMULATE, {"limits": limits, "days": 7})
    assert (reply["count"], reply["usd"], reply["isComplete"]) == (3, 150, True)
    assert reply["limits"] == {
        "refused": 1,
        "sentToApproval": 1,
        "rules": [
            {"rule": "a-day", "over": "REFUSE", "count": 1, "usd": 50, "ids": [ids[1]]},
            {"rule": "large", "over": "APPROVE", "count": 1, "usd": 60, "ids": [ids[0]]},
        ],
    }
    assert reply["today"]["refused"] == 1
    assert reply["today"]["rules"][0]["ids"] == [ids[2]]
    assert (await org.get(LIMITS))["version"] == 1


async def test_simulation_starts_its_month_on_the_first(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    good(await pay(org, ada, bob, 90))
    await advance(org, timedelta(days=3))
    good(await pay(org, ada, bob, 20))
    limits = {"rules": [rule(window="MONTH")]}
    reply = await org.post(SIMULATE, {"limits": limits, "days": 1})
    assert (reply["count"], reply["limits"]["refused"]) == (1, 1)


async def test_failed_payment_is_not_in_a_simulation(still_org: Tenant) -> None:
    org = still_org
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    good(await pay(org, ada, bob, 90, requireApproval=True))
    await decide(org, "reject")
    good(await pay(org, ada, bob, 20))
    reply = await org.post(SIMULATE, {"limits": {"rules": [rule()]}})
    assert (reply["count"], reply["limits"]["refused"]) == (1, 0)


async def test_simulation_excludes_other_organisations(org: Tenant, other_org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    good(await pay(org, ada, bob, 90))
    reply = await other_org.post(SIMULATE, {"limits": {"rules": [rule(maxUsd=1)]}})
    assert (reply["count"], reply["limits"]["refused"]) == (0, 0)


async def test_one_simulation_per_organisation_at_a_time(org: Tenant, other_org: Tenant) -> None:
    requests = [org.send("POST", SIMULATE, {"limits": {"rules": [rule()]}}) for _ in range(6)]
    answers = await asyncio.gather(
        other_org.send("POST", SIMULATE, {"limits": {"rules": [rule()]}}), *requests
    )
    assert answers[0].status_code == 200
    assert {each.status_code for each in answers[1:]} == {200, 409}
    refused = next(each for each in answers if each.status_code == 409)
    assert sentence(refused).startswith("a simulation of this organisation is running")
    await org.post(SIMULATE, {"limits": {"rules": [rule()]}})


async def test_simulation_reads_are_bounded_by_its_rules(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    for amount in (10, 20, 30):
        good(await pay(org, ada, bob, amount))
    container, rules = org.container, rules_of(org, rule(), rule("other", maxUsd=5))
    # Two examples per rule of each kind: the newest two.
    report = await container.limit_simulation.simulate(
        *(org.org_id, rules),
        days=1,
        now=await container.orgs.now(org.org_id),
        steps_max=4 * len(container.limits.kinds),
    )
    assert (report.payment_count, report.usd, report.is_complete) == (2, 50, False)


async def test_simulation_runs_outside_the_event_loop(
    org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, user_id = org.container.clock.now(), new_id()
    usages = [
        LimitUsage(
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
    rules = rules_of(org, *(rule(f"r{index}", maxUsd=index) for index in range(100)))
    limit_simulation = org.container.limit_simulation
    playing = threads_of(monkeypatch, "landbridge.payments.limits.simulation", "simulate_rules")
    simulated = await limit_simulation._simulated(org.org_id, rules, usages, now)  # pyright: ignore[reportPrivateUsage]  as many payments as would take minutes to make
    assert simulated.refused == 1_000
    assert len(playing) == 1
    assert threading.get_ident() not in playing


@dataclass(frozen=True)
class Step:
    """Payment of a sequence, and the hours since the previous one."""

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
            "window": st.sampled_from([str(each) for each in LimitWindow]),
            "per": st.sampled_from([str(each) for each in LimitScope]),
            "maxUsd": st.sampled_from(["20", "55.55", "100"]),
        }
    ),
    min_size=1,
    max_size=3,
)


@pytest.mark.long
@pytest.mark.long
@given(steps=STEPS, rules=RULES)
@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    # A sequence takes a second: a failure is reported as found, without shrinking.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
def test_simulation_agrees_with_real_evaluation(
    own_dsn: str, steps: Sequence[Step], rules: Sequence[dict[str, Any]]
) -> None:
    named = [rule(f"r{index}", **each) for index, each in enumerate(rules)]
    asyncio.run(_live_both(own_dsn, steps, named))


async def _live_both(dsn: str, steps: Sequence[Step], rules: Sequence[dict[str, Any]]) -> None:
    """Run one organisation with the rules and its twin without them; then simulate the rules."""
    async with AsyncExitStack() as stack:
        database = await Database.connect(dsn, name="rehearsal", size_max=4)
        stack.push_async_callback(database.close)
        begin = datetime(2026, 3, 10, 12, tzinfo=UTC)
        clock = FrozenClock(begin, node=await take_node(database))
        container = wire(SETTINGS, database, clock)
        client = await stack.enter_async_context(served(container))
        ruled, free = await make_tenant(container, client), await make_tenant(container, client)
        await set_rules(ruled, *rules)
        refused = [index for index, code in enumerate(await _live(ruled, steps)) if code == 403]
        assert set(await _live(free, steps)) == {200}
        reply = await free.post(SIMULATE, {"limits": {"rules": rules}, "days": 60})
        lasting = [index for index in refused if not steps[index].fails]
        assert reply["limits"]["refused"] == len(lasting)
        assert reply["count"] == sum(not each.fails for each in steps)
        # The simulation over payments without rules equals the counters of payments under the
        # rules.
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


async def test_remaining_limit_is_never_negative(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="500"), await make_user(org)
    good(await pay(org, ada, bob, 90))
    await set_rules(org, rule(maxUsd=50))
    assert await left(org) == 0
