"""Code faults: the audit reports the entries of every faulty posting function."""

from collections.abc import Callable
from contextlib import suppress
from itertools import product
from typing import Any, NamedTuple

import pytest

from landbridge.customers.wallets.model import deposit_postings
from landbridge.ledger import corrections
from landbridge.ledger.audit import table
from landbridge.ledger.record_audit import EFFECT, JOURNALS
from landbridge.payments.bridges import transitions as bridge_moves
from landbridge.payments.engine import outgoing_transfers, postings
from landbridge.payments.offramps import transitions as offramp_moves
from landbridge.payments.onramps import transitions as onramp_moves
from landbridge.payments.swaps import transitions as swap_moves
from landbridge.payments.virtual_accounts.model import micro_deposit_postings
from tests.faults import fault_injection, scenarios
from tests.faults.scenarios import Scenario
from tests.faults.world import World
from tests.ledger.corruptions import CORRECTED, ENDED
from tests.matrices import each_value_once, part_of


class PostingFunction(NamedTuple):
    """Posting function, and a payment that uses it."""

    scenario: Scenario
    status: str  # status of the payment without a fault
    function: Callable[..., Any]


PLACES = {
    "deposit": PostingFunction(scenarios.wallet_deposit, "COMPLETED", deposit_postings),
    "micro-deposit": PostingFunction(scenarios.micro_deposit, "COMPLETED", micro_deposit_postings),
    "swap": PostingFunction(scenarios.swap, "COMPLETED", swap_moves.accepted),
    "swap to another": PostingFunction(scenarios.swap_to_another, "COMPLETED", swap_moves.accepted),
    "transfer, held": PostingFunction(scenarios.transfer, "COMPLETED", postings.hold),
    "transfer, opened": PostingFunction(
        scenarios.transfer, "COMPLETED", outgoing_transfers.hold_journals
    ),
    "transfer, spent": PostingFunction(scenarios.transfer, "COMPLETED", postings.spend_held),
    "transfer, refused": PostingFunction(
        scenarios.transfer_refused, "FAILED", postings.release_held
    ),
    "transfer, rejected": PostingFunction(
        scenarios.transfer_rejected, "REJECTED", outgoing_transfers.OutgoingTransfer.release_journal
    ),
    "batch, opened": PostingFunction(
        scenarios.batch, "COMPLETED", outgoing_transfers.hold_journals
    ),
    "batch, spent": PostingFunction(scenarios.batch, "COMPLETED", postings.spend_held),
    "batch, refused": PostingFunction(
        scenarios.batch_refused, "FAILED", outgoing_transfers.OutgoingTransfer.release_journal
    ),
    "bridge, accepted": PostingFunction(scenarios.bridge, "COMPLETED", bridge_moves.accepted),
    "bridge, burned": PostingFunction(scenarios.bridge, "COMPLETED", bridge_moves.burned),
    "bridge, minted": PostingFunction(scenarios.bridge, "COMPLETED", bridge_moves.minted),
    "bridge, not burned": PostingFunction(
        scenarios.bridge_not_burned, "SOURCE_FAILED", bridge_moves.released
    ),
    "bridge, not minted": PostingFunction(
        scenarios.bridge_not_minted, "DESTINATION_FAILED", bridge_moves.returned
    ),
    "bridge, asked for": PostingFunction(scenarios.bridge_rejected, "REJECTED", postings.hold),
    "bridge, rejected": PostingFunction(
        scenarios.bridge_rejected, "REJECTED", bridge_moves.released
    ),
    "onramp, seen": PostingFunction(scenarios.onramp, "COMPLETED", onramp_moves.deposit_postings),
    "onramp, claimed": PostingFunction(scenarios.onramp, "COMPLETED", onramp_moves.claimed),
    "onramp, delivered": PostingFunction(scenarios.onramp, "COMPLETED", onramp_moves.delivered),
    "onramp, not sent": PostingFunction(
        scenarios.onramp_not_sent, "FIAT_RETURNED", onramp_moves.back_in_transit
    ),
    "onramp, sent back": PostingFunction(
        scenarios.onramp_not_sent, "FIAT_RETURNED", onramp_moves.returned
    ),
    "onramp, another amount": PostingFunction(
        scenarios.onramp_of_another_amount, "FIAT_RETURNED", onramp_moves.returned
    ),
    "virtual account, seen": PostingFunction(
        scenarios.virtual_deposit, "COMPLETED", onramp_moves.deposit_postings
    ),
    "virtual account, split": PostingFunction(
        scenarios.virtual_deposit, "COMPLETED", onramp_moves.delivered
    ),
    "offramp, accepted": PostingFunction(scenarios.offramp, "COMPLETED", offramp_moves.adjust_hold),
    "offramp, taken": PostingFunction(scenarios.offramp, "COMPLETED", offramp_moves.processed),
    "offramp, claimed": PostingFunction(
        scenarios.offramp, "COMPLETED", offramp_moves.payout_claimed
    ),
    "offramp, paid": PostingFunction(scenarios.offramp, "COMPLETED", offramp_moves.payout_done),
    "offramp, not taken": PostingFunction(
        scenarios.offramp_not_taken, "CRYPTO_FAILED", offramp_moves.release_hold
    ),
    "offramp, not paid": PostingFunction(
        scenarios.offramp_not_paid, "CRYPTO_RETURNED", offramp_moves.payout_failed
    ),
    "offramp, given back": PostingFunction(
        scenarios.offramp_not_paid, "CRYPTO_RETURNED", offramp_moves.returned
    ),
    "offramp, asked for": PostingFunction(scenarios.offramp_approved, "COMPLETED", postings.hold),
    "offramp, approved": PostingFunction(
        scenarios.offramp_approved, "COMPLETED", offramp_moves.adjust_hold
    ),
    "offramp, rejected": PostingFunction(
        scenarios.offramp_rejected, "REJECTED", offramp_moves.release_hold
    ),
    "offramp from outside, arrived": PostingFunction(
        scenarios.offramp_from_outside, "COMPLETED", offramp_moves.arrival
    ),
    "offramp from outside, taken": PostingFunction(
        scenarios.offramp_from_outside, "COMPLETED", offramp_moves.processed
    ),
    "offramp from outside, given back": PostingFunction(
        scenarios.offramp_from_outside_not_paid, "CRYPTO_RETURNED", offramp_moves.returned
    ),
    "offramp from outside, sent back": PostingFunction(
        scenarios.offramp_from_outside_of_another_amount, "CRYPTO_RETURNED", offramp_moves.returned
    ),
}
FAULTS = ("nothing", "half", "double", "other_side", "other_account")
# The ledger refuses a named journal without postings: nothing is written at all.
REFUSED = {
    (where, "nothing")
    for where in (
        *("deposit", "micro-deposit", "transfer, held", "bridge, asked for", "bridge, rejected"),
        *("onramp, seen", "virtual account, seen", "offramp, asked for"),
        *("offramp from outside, arrived", "offramp from outside, taken"),
    )
}
NAMED = [pair for pair in product(PLACES, FAULTS) if pair not in REFUSED]


@pytest.mark.parametrize(
    "scenario", part_of(list(dict.fromkeys(each.scenario for each in PLACES.values())), 0, 2)
)
async def test_payment_without_a_fault_is_clean(world: World, scenario: Scenario) -> None:
    record_id = await scenario(world)
    expected = {each.status for each in PLACES.values() if each.scenario is scenario}
    assert expected == {await world.status(record_id)}
    audited = await world.audit()
    assert audited.is_clean, table(audited)
    await world.forget()


@pytest.mark.parametrize(("where", "name"), each_value_once(NAMED))
async def test_audit_reports_a_code_fault(world: World, where: str, name: str) -> None:
    fault_site = PLACES[where]
    try:
        with fault_injection.inject(fault_site.function, _fault(world, name)):
            record_id = await fault_site.scenario(world)
            # The audit runs with the faulty code, except for its checks of statuses.
            assert await world.names(record_id) & {EFFECT, ENDED}
        assert JOURNALS in await world.names(record_id)
    finally:
        await world.forget()


@pytest.mark.parametrize(("where", "name"), sorted(REFUSED))
async def test_fault_refused_by_the_ledger_writes_nothing(
    world: World, where: str, name: str
) -> None:
    fault_site = PLACES[where]
    try:
        # Refused at once, or in a step that is tried again for ever.
        refusal = suppress(AssertionError, IndexError)
        with fault_injection.inject(fault_site.function, _fault(world, name)), refusal:
            await fault_site.scenario(world)
        audited = await world.audit()
        assert audited.is_clean, table(audited)
    finally:
        await world.forget()


@pytest.mark.parametrize("name", [each for each in FAULTS if each != "nothing"])
async def test_audit_reports_a_fault_in_a_correction(
    world: World, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def not_checked(*_: object) -> None:
        """Let through what the check after the fault refuses."""

    monkeypatch.setattr(corrections, "_check_leads_back", not_checked)
    record_id = await scenarios.swap_to_another(world)
    try:
        with fault_injection.inject(corrections.reversal, _fault(world, name)):
            correction_id = await world.correct(record_id, 4)
        assert await world.names(correction_id) == {CORRECTED}
    finally:
        await world.forget()


def _fault(world: World, name: str) -> fault_injection.Fault:
    if name == "other_account":
        return fault_injection.other_account(world.accounts, world.others)
    return getattr(fault_injection, name)
