"""A fault in any posting function of any flow: what it has written is named."""

from collections.abc import Callable
from contextlib import suppress
from itertools import product
from typing import Any, NamedTuple

import pytest

from landbridge.flows.bridges import moves as bridge_moves
from landbridge.flows.offramps import moves as offramp_moves
from landbridge.flows.onramps import moves as onramp_moves
from landbridge.flows.swaps import moves as swap_moves
from landbridge.ledger import corrections
from landbridge.ledger.audit import table
from landbridge.ledger.record_audit import EFFECT, JOURNALS
from landbridge.payments import postings, remittances
from landbridge.virtual_accounts.model import micro_deposit_postings
from landbridge.wallets.model import deposit_postings
from tests.faults import planting, scenarios
from tests.faults.scenarios import Scenario
from tests.faults.world import World
from tests.ledger.corruptions import CORRECTED, ENDED


class Place(NamedTuple):
    """A posting function, and a payment on whose way it posts."""

    scenario: Scenario
    status: str  # where the payment ends without a fault
    function: Callable[..., Any]


PLACES = {
    "deposit": Place(scenarios.wallet_deposit, "COMPLETED", deposit_postings),
    "micro-deposit": Place(scenarios.micro_deposit, "COMPLETED", micro_deposit_postings),
    "swap": Place(scenarios.swap, "COMPLETED", swap_moves.accepted),
    "swap to another": Place(scenarios.swap_to_another, "COMPLETED", swap_moves.accepted),
    "transfer, held": Place(scenarios.transfer, "COMPLETED", postings.hold),
    "transfer, opened": Place(scenarios.transfer, "COMPLETED", remittances.holding),
    "transfer, spent": Place(scenarios.transfer, "COMPLETED", postings.spend_held),
    "transfer, refused": Place(scenarios.transfer_refused, "FAILED", postings.let_go),
    "transfer, rejected": Place(
        scenarios.transfer_rejected, "REJECTED", remittances.Remittance.let_go
    ),
    "batch, opened": Place(scenarios.batch, "COMPLETED", remittances.holding),
    "batch, spent": Place(scenarios.batch, "COMPLETED", postings.spend_held),
    "batch, refused": Place(scenarios.batch_refused, "FAILED", remittances.Remittance.let_go),
    "bridge, accepted": Place(scenarios.bridge, "COMPLETED", bridge_moves.accepted),
    "bridge, burned": Place(scenarios.bridge, "COMPLETED", bridge_moves.burned),
    "bridge, minted": Place(scenarios.bridge, "COMPLETED", bridge_moves.minted),
    "bridge, not burned": Place(scenarios.bridge_not_burned, "SOURCE_FAILED", bridge_moves.freed),
    "bridge, not minted": Place(
        scenarios.bridge_not_minted, "DESTINATION_FAILED", bridge_moves.returned
    ),
    "bridge, asked for": Place(scenarios.bridge_rejected, "REJECTED", postings.hold),
    "bridge, rejected": Place(scenarios.bridge_rejected, "REJECTED", bridge_moves.freed),
    "onramp, seen": Place(scenarios.onramp, "COMPLETED", onramp_moves.seen_journal),
    "onramp, claimed": Place(scenarios.onramp, "COMPLETED", onramp_moves.claimed),
    "onramp, delivered": Place(scenarios.onramp, "COMPLETED", onramp_moves.delivered),
    "onramp, not sent": Place(
        scenarios.onramp_not_sent, "FIAT_RETURNED", onramp_moves.back_in_transit
    ),
    "onramp, sent back": Place(scenarios.onramp_not_sent, "FIAT_RETURNED", onramp_moves.returned),
    "onramp, another amount": Place(
        scenarios.onramp_of_another_amount, "FIAT_RETURNED", onramp_moves.returned
    ),
    "virtual account, seen": Place(
        scenarios.virtual_deposit, "COMPLETED", onramp_moves.seen_journal
    ),
    "virtual account, split": Place(scenarios.virtual_deposit, "COMPLETED", onramp_moves.delivered),
    "offramp, accepted": Place(scenarios.offramp, "COMPLETED", offramp_moves.held_instead),
    "offramp, taken": Place(scenarios.offramp, "COMPLETED", offramp_moves.processed),
    "offramp, claimed": Place(scenarios.offramp, "COMPLETED", offramp_moves.payout_claimed),
    "offramp, paid": Place(scenarios.offramp, "COMPLETED", offramp_moves.payout_done),
    "offramp, not taken": Place(
        scenarios.offramp_not_taken, "CRYPTO_FAILED", offramp_moves.held_let_go
    ),
    "offramp, not paid": Place(
        scenarios.offramp_not_paid, "CRYPTO_RETURNED", offramp_moves.payout_failed
    ),
    "offramp, given back": Place(
        scenarios.offramp_not_paid, "CRYPTO_RETURNED", offramp_moves.returned
    ),
    "offramp, asked for": Place(scenarios.offramp_approved, "COMPLETED", postings.hold),
    "offramp, approved": Place(scenarios.offramp_approved, "COMPLETED", offramp_moves.held_instead),
    "offramp, rejected": Place(scenarios.offramp_rejected, "REJECTED", offramp_moves.held_let_go),
    "offramp from outside, arrived": Place(
        scenarios.offramp_from_outside, "COMPLETED", offramp_moves.arrival
    ),
    "offramp from outside, taken": Place(
        scenarios.offramp_from_outside, "COMPLETED", offramp_moves.processed
    ),
    "offramp from outside, given back": Place(
        scenarios.offramp_from_outside_not_paid, "CRYPTO_RETURNED", offramp_moves.returned
    ),
    "offramp from outside, sent back": Place(
        scenarios.offramp_from_outside_of_another_amount, "CRYPTO_RETURNED", offramp_moves.returned
    ),
}
FAULTS = ("nothing", "half", "double", "other_side", "other_account")
# Where a journal is named, the ledger refuses one without postings: nothing is written at all.
REFUSED = {
    (where, "nothing")
    for where in (
        *("deposit", "micro-deposit", "transfer, held", "bridge, asked for", "bridge, rejected"),
        *("onramp, seen", "virtual account, seen", "offramp, asked for"),
        *("offramp from outside, arrived", "offramp from outside, taken"),
    )
}
NAMED = [pair for pair in product(PLACES, FAULTS) if pair not in REFUSED]


@pytest.mark.parametrize("scenario", {each.scenario for each in PLACES.values()})
async def test_a_payment_without_a_fault_is_clean(played: World, scenario: Scenario) -> None:
    record_id = await scenario(played)
    expected = {each.status for each in PLACES.values() if each.scenario is scenario}
    assert expected == {await played.status(record_id)}
    audited = await played.audit()
    assert audited.is_clean, table(audited)
    await played.forget()


@pytest.mark.parametrize(("where", "name"), NAMED)
async def test_a_fault_in_code_is_named(played: World, where: str, name: str) -> None:
    place = PLACES[where]
    try:
        with planting.planted(place.function, _fault(played, name)):
            record_id = await place.scenario(played)
            # The audit is as faulty as the code it runs with, but for what statuses promise.
            assert await played.names(record_id) & {EFFECT, ENDED}
        assert JOURNALS in await played.names(record_id)
    finally:
        await played.forget()


@pytest.mark.parametrize(("where", "name"), REFUSED)
async def test_a_fault_that_the_ledger_refuses_writes_nothing(
    played: World, where: str, name: str
) -> None:
    place = PLACES[where]
    try:
        # Refused at once, or in a step that is tried again for ever.
        refusal = suppress(AssertionError, IndexError)
        with planting.planted(place.function, _fault(played, name)), refusal:
            await place.scenario(played)
        audited = await played.audit()
        assert audited.is_clean, table(audited)
    finally:
        await played.forget()


@pytest.mark.parametrize("name", [each for each in FAULTS if each != "nothing"])
async def test_a_fault_in_the_reversal_of_a_correction_is_named(played: World, name: str) -> None:
    record_id = await scenarios.swap_to_another(played)
    try:
        with planting.planted(corrections.reversal, _fault(played, name)):
            correction_id = await played.correct(record_id, 4)
        assert await played.names(correction_id) == {CORRECTED}
    finally:
        await played.forget()


def _fault(played: World, name: str) -> planting.Fault:
    if name == "other_account":
        return planting.other_account(played.accounts, played.others)
    return getattr(planting, name)
