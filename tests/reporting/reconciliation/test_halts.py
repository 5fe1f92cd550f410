"""Halts of payments: what imposes them, what waits, and how two people lift them."""

import asyncio

import pytest

from tests.reporting.reconciliation.compared import (
    HALTS,
    OUTSIDE,
    address_of,
    compared,
    halting,
    make_halt,
    make_reviewers,
    opened_user,
    plant,
    shift_balance,
)
from tests.reporting.reconciliation.halted_payments import (
    accepted_bridge,
    bridge_status,
    create_transfer,
    debits_due,
    go_on,
    halt_events,
    halted_runs,
    in_force,
    lift,
    pass_time,
    silent_chain,
    transfer_status,
)
from tests.resolution_team import make_person
from tests.tenants import METRICS_TOKEN, Tenant, fund, held, run_due

_MILLION = 10**6


async def test_a_shortfall_in_two_runs_halts_and_one_run_does_not(org: Tenant) -> None:
    user = await opened_user(org)
    await shift_balance(org, user, -2 * _MILLION)
    await compared(org, halting(org))
    assert await in_force(org) == []
    await compared(org, halting(org))
    assert await in_force(org) == [("usdc", "SHORTFALL", "2")]
    # It stays one halt.
    await compared(org, halting(org))
    assert len((await org.get(HALTS))["halts"]) == 1


async def test_two_short_runs_with_a_good_one_between_them_halt_nothing(org: Tenant) -> None:
    user = await opened_user(org)
    for units in (-2 * _MILLION, 2 * _MILLION, -2 * _MILLION):
        await shift_balance(org, user, units)
        await compared(org, halting(org))
    assert await in_force(org) == []


@pytest.mark.parametrize(("units", "above"), [(-_MILLION, "1"), (5 * _MILLION, "0"), (-1, "0.5")])
async def test_surplus_and_dust_only_alarm(org: Tenant, units: int, above: str) -> None:
    user = await opened_user(org)
    await shift_balance(org, user, units)
    for _ in range(3):
        assert (await compared(org, halting(org, above))).open_count == 1
    assert await in_force(org) == []


async def test_coins_that_left_unknown_halt_at_once_whatever_the_threshold(org: Tenant) -> None:
    user = await opened_user(org)
    await plant(org, 3, source=await address_of(org, user), destination=OUTSIDE)
    await compared(org, halting(org))
    # An entry may follow for a minute.
    assert await in_force(org) == []
    await pass_time(org, 61)
    found = (await compared(org, halting(org))).differences
    assert await in_force(org) == [("usdc", "UNKNOWN_DEBIT", "0.000003")]
    (halt,) = (await org.get(HALTS))["halts"]
    assert halt["differenceId"] == str(found[0].id)


async def test_coins_that_arrived_unknown_halt_nothing(org: Tenant) -> None:
    user = await opened_user(org)
    await plant(org, 3 * _MILLION, source=OUTSIDE, destination=await address_of(org, user))
    await compared(org, halting(org))
    await pass_time(org, 61)
    for _ in range(2):
        assert (await compared(org, halting(org))).open_count == 1
    assert await in_force(org) == []


async def test_a_silent_chain_halts_all_its_assets_until_it_answers(org: Tenant) -> None:
    user = await opened_user(org)
    await fund(org, user, "5", currency="usdt")
    await compared(org)
    silent = silent_chain(org)
    await compared(org, silent)
    assert await in_force(org) == []
    await pass_time(org, 16 * 60)
    await compared(org, silent)
    assert await in_force(org) == [(None, "SOURCE_SILENT", None)]
    waiting = [await create_transfer(org, user, currency) for currency in ("usdc", "usdt")]
    await run_due(org)
    assert [await transfer_status(org, each) for each in waiting] == ["INITIATED", "INITIATED"]
    await compared(org, halting(org))
    assert await in_force(org) == []
    (halt,) = (await org.get(HALTS))["halts"]
    assert (halt["status"], halt["liftedBy"]) == ("CLEARED", None)
    await go_on(org)
    assert [await transfer_status(org, each) for each in waiting] == ["COMPLETED", "COMPLETED"]


async def test_a_lifted_silence_is_not_halted_again_before_the_chain_answers(org: Tenant) -> None:
    await opened_user(org)
    await compared(org)
    silent = silent_chain(org)
    await pass_time(org, 16 * 60)
    await compared(org, silent)
    (halt,) = (await org.get(HALTS))["halts"]
    await lift(org, halt["id"])
    await compared(org, silent)
    assert await in_force(org) == []
    # After an answer, the next silence halts again.
    await compared(org, halting(org))
    await pass_time(org, 16 * 60)
    await compared(org, silent)
    assert await in_force(org) == [(None, "SOURCE_SILENT", None)]


async def test_a_chain_that_was_never_compared_halts_nothing(org: Tenant) -> None:
    await compared(org, silent_chain(org))
    await pass_time(org, 3600)
    await compared(org, silent_chain(org))
    assert await in_force(org) == []


async def test_new_payments_wait_and_go_on_after_the_lift(org: Tenant) -> None:
    user = await opened_user(org)
    before = await create_transfer(org, user)
    await run_due(org)
    assert await transfer_status(org, before) == "COMPLETED"
    halt = await make_halt(org)
    waiting = await create_transfer(org, user)
    for _ in range(3):
        await go_on(org)
    assert await transfer_status(org, waiting) == "INITIATED"
    assert await held(org, user) == "98"
    await lift(org, halt)
    await go_on(org)
    assert await transfer_status(org, waiting) == "COMPLETED"


async def test_what_was_sent_before_the_halt_is_followed(org: Tenant) -> None:
    await org.post("/v2/sandbox/latency", {"chains": "real"})
    user = await opened_user(org)
    sent = await create_transfer(org, user)
    await run_due(org)
    assert await transfer_status(org, sent) == "PENDING"
    await make_halt(org)
    for _ in range(5):
        await go_on(org)
    assert await transfer_status(org, sent) == "COMPLETED"


async def test_other_assets_chains_and_organisations_go_on(org: Tenant, other_org: Tenant) -> None:
    user, stranger = await opened_user(org), await opened_user(other_org)
    await fund(org, user, "5", currency="usdt")
    await fund(org, user, "5", chain="ETHEREUM")
    await make_halt(org)
    others = [
        await create_transfer(org, user, "usdt"),
        await create_transfer(org, user, chain="ETHEREUM"),
    ]
    theirs = await create_transfer(other_org, stranger)
    halted = await create_transfer(org, user)
    await run_due(org)
    await run_due(other_org)
    assert [await transfer_status(org, each) for each in others] == ["COMPLETED", "COMPLETED"]
    assert await transfer_status(other_org, theirs) == "COMPLETED"
    assert await transfer_status(org, halted) == "INITIATED"


async def test_coins_that_arrive_and_payments_in_the_books_go_on(org: Tenant) -> None:
    user = await opened_user(org)
    await make_halt(org)
    await fund(org, user, "7")
    assert await held(org, user) == "107"


async def test_a_bridge_waits_before_its_burn(org: Tenant) -> None:
    user = await opened_user(org)
    halt = await make_halt(org)
    bridge = await accepted_bridge(org, user)
    await go_on(org)
    assert await bridge_status(org, bridge) == "SOURCE_INITIATED"
    await lift(org, halt)
    await go_on(org)
    assert await bridge_status(org, bridge) == "COMPLETED"


async def test_what_was_burned_is_minted_on_a_halted_chain(org: Tenant) -> None:
    user = await opened_user(org)
    await make_halt(org, asset="usdc:BASE")
    bridge = await accepted_bridge(org, user)
    await run_due(org)
    assert await bridge_status(org, bridge) == "COMPLETED"


async def test_what_was_missing_when_it_was_lifted_halts_nothing_again(org: Tenant) -> None:
    user = await opened_user(org)
    await shift_balance(org, user, -2 * _MILLION)
    await halted_runs(org)
    (halt,) = (await org.get(HALTS))["halts"]
    await lift(org, halt["id"])
    for _ in range(3):
        await compared(org, halting(org))
    assert await in_force(org) == []
    # More coins missing than were accepted do, above the threshold.
    await shift_balance(org, user, -_MILLION)
    await halted_runs(org)
    assert await in_force(org) == []
    await shift_balance(org, user, -1)
    await halted_runs(org)
    assert await in_force(org) == [("usdc", "SHORTFALL", "1.000001")]


async def test_coins_that_were_found_and_are_lost_again_halt_again(org: Tenant) -> None:
    user = await opened_user(org)
    await shift_balance(org, user, -5 * _MILLION)
    await halted_runs(org)
    (halt,) = (await org.get(HALTS))["halts"]
    await lift(org, halt["id"])
    await shift_balance(org, user, 4 * _MILLION)
    await halted_runs(org)
    assert await in_force(org) == []
    await shift_balance(org, user, -4 * _MILLION)
    await halted_runs(org)
    assert await in_force(org) == [("usdc", "SHORTFALL", "4")]


async def test_a_second_unknown_debit_after_a_lift_halts_again(org: Tenant) -> None:
    user = await opened_user(org)
    source = await address_of(org, user)
    await plant(org, 3, source=source, destination=OUTSIDE)
    await debits_due(org)
    (halt,) = (await org.get(HALTS))["halts"]
    await lift(org, halt["id"])
    await debits_due(org)
    assert await in_force(org) == []
    await plant(org, 3, source=source, destination=OUTSIDE)
    await debits_due(org)
    assert await in_force(org) == [("usdc", "UNKNOWN_DEBIT", "0.000003")]


async def test_more_missing_coins_make_a_proposal_void_and_fewer_do_not(org: Tenant) -> None:
    user = await opened_user(org)
    await shift_balance(org, user, -3 * _MILLION)
    await halted_runs(org)
    (halt,) = (await org.get(HALTS))["halts"]
    ada, bob = await make_reviewers(org)
    path = f"{HALTS}/{halt['id']}"
    await ada.post(f"{path}/lift", {"reason": "found in cold storage", "amount": "3"})
    await shift_balance(org, user, _MILLION)
    await compared(org, halting(org))
    (fewer,) = (await org.get(HALTS))["halts"]
    assert (fewer["status"], fewer["amount"]) == ("PROPOSED", "2")
    assert await bob.refused("POST", f"{path}/accept", {"amount": "3"}) == "409 RESOURCE_CONFLICT"
    await shift_balance(org, user, -_MILLION)
    await compared(org, halting(org))
    (more,) = (await org.get(HALTS))["halts"]
    assert (more["status"], more["amount"], more["reason"]) == ("HALTED", "3", None)
    assert await bob.refused("POST", f"{path}/accept", {}) == "409 RESOURCE_CONFLICT"


async def test_a_halt_takes_two_people(org: Tenant) -> None:
    path = f"{HALTS}/{await make_halt(org)}"
    ada, bob = await make_reviewers(org)
    assert await ada.refused("POST", f"{path}/accept", {}) == "409 RESOURCE_CONFLICT"
    proposed = await ada.post(f"{path}/lift", {"reason": "at a new address", "amount": "5"})
    assert (proposed["status"], proposed["reason"]) == ("PROPOSED", "at a new address")
    assert await ada.refused("POST", f"{path}/accept", {}) == "403 USER_ROLE_NOT_ALLOWED"
    again = {"reason": "b"}
    assert await bob.refused("POST", f"{path}/lift", again) == "409 RESOURCE_CONFLICT"
    rejected = await bob.post(f"{path}/reject", {"reason": "the address has 4"})
    assert (rejected["status"], rejected["proposedBy"]) == ("HALTED", None)
    await ada.post(f"{path}/lift", {"reason": "it has 5 now"})
    lifted = await bob.post(f"{path}/accept", {"amount": "5"})
    assert (lifted["status"], lifted["liftedBy"]) == ("LIFTED", str(bob.caller.id))
    for verb, body in (("lift", again), ("accept", {}), ("reject", again)):
        assert await bob.refused("POST", f"{path}/{verb}", body) == "409 RESOURCE_CONFLICT"
    reader = await make_person(org, "reader", [])
    assert await reader.refused("POST", f"{path}/lift", again) == "403 USER_ROLE_NOT_ALLOWED"


async def test_two_people_who_lift_at_once_lift_it_once(org: Tenant) -> None:
    path = f"{HALTS}/{await make_halt(org)}"
    ada, bob = await make_reviewers(org)
    await ada.post(f"{path}/lift", {"reason": "at a new address"})
    answers, _ = await asyncio.gather(
        asyncio.gather(*(bob.send("POST", f"{path}/accept", {}) for _ in range(4))),
        asyncio.gather(*(compared(org, halting(org)) for _ in range(2))),
    )
    assert sorted(each.status_code for each in answers) == [200, 409, 409, 409]
    events = await halt_events(org)
    assert events == ["halt", "propose", "lift"]


async def test_halts_hold_when_the_setting_is_switched_off(org: Tenant) -> None:
    user = await opened_user(org)
    halt = await make_halt(org)
    for _ in range(2):
        await compared(org)
    waiting = await create_transfer(org, user)
    await run_due(org)
    assert await transfer_status(org, waiting) == "INITIATED"
    await lift(org, halt)
    for _ in range(2):
        await compared(org)
    assert await in_force(org) == []


async def test_metrics_count_halts_in_force(org: Tenant) -> None:
    await make_halt(org)
    offset = await org.container.orgs.clock_offset(org.org_id)
    await halting(org).run_due({org.org_id: offset})
    answer = await org.client.get("/metrics", headers={"Authorization": f"Bearer {METRICS_TOKEN}"})
    lines = answer.text.splitlines()
    assert 'landbridge_reconciliation_halted{source="POLYGON"} 1.0' in lines
    assert 'landbridge_reconciliation_halted{source="BASE"} 0.0' in lines
