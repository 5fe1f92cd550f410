"""Reversed deposits, and bounced returns of deposits, at every status."""

from collections.abc import Callable
from datetime import timedelta
from itertools import product
from uuid import UUID

import pytest

from landbridge.app.container import ASSETS
from landbridge.app.container import TRANSITIONS as ALL_TRANSITIONS
from landbridge.ledger import corrections
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.model import AdvanceTransfer, HouseRole, Transfer
from landbridge.payments.onramps.model import OnrampStatus
from landbridge.payments.receivables.model import TRANSITIONS, as_receivable
from landbridge.payments.receivables.transitions import receivable_id, recovered, written_off
from landbridge.platform.core.errors import ResourceConflict
from tests.matrices import each_value_once
from tests.onramps import check_books, house_units, onramp_of, statuses
from tests.payments.onramps.onramp_scenario import OnrampScenario
from tests.payments.onramps.test_verbs import RESTS
from tests.payouts import make_account, make_offramp, make_payee
from tests.providers.simulation.external_state import paid_out
from tests.returned_payments import return_deposit, reverse_deposit

USD = "usd:BANK"
UNDELIVERED = {OnrampStatus.FIAT_PENDING}
# The deposit is returned, and no bank here supports stopping that.
GOES_BACK = {OnrampStatus.FIAT_FAILED, OnrampStatus.CRYPTO_FAILED}
OWED = {OnrampStatus.COMPLETED, OnrampStatus.FIAT_RETURNED}


@pytest.mark.parametrize(("status", "is_reviewed"), each_value_once(product(RESTS, [False, True])))
async def test_reversed_deposit(
    scenario: OnrampScenario, status: OnrampStatus, *, is_reviewed: bool
) -> None:
    onramp = await scenario.resting_at(status)
    if is_reviewed:
        if status in OWED | {OnrampStatus.NOT_INITIATED, OnrampStatus.QUOTE_FAILED}:
            return  # a terminal status is not reviewed
        await scenario.review(onramp)
    amount = "1" if status in {OnrampStatus.FIAT_FAILED, OnrampStatus.FIAT_RETURNED} else "100"
    units = int(amount) * 100
    if status in UNDELIVERED:
        reversed_ = await reverse_deposit(scenario.org, onramp, amount)
        assert reversed_.status is OnrampStatus.FIAT_RETURNED
        assert reversed_.details.is_reversed
        assert (await statuses(scenario.org, onramp))[-2:] == ["FIAT_FAILED", "FIAT_RETURNED"]
        assert await house_units(scenario.org, HouseRole.OUTSIDE, USD) == 0
        assert not await paid_out(scenario.org.container.database, scenario.org.org_id)
    elif status in OWED:
        await reverse_deposit(scenario.org, onramp, amount)
        assert (await onramp_of(scenario.org, onramp["id"])).status is status
        assert await house_units(scenario.org, HouseRole.RECEIVABLE, USD) == -units
    else:
        with pytest.raises(ResourceConflict) as refused:
            await reverse_deposit(scenario.org, onramp, amount)
        assert ("being returned" in str(refused.value)) == (status in GOES_BACK)
        return
    with pytest.raises(ResourceConflict, match="reversed before"):
        await reverse_deposit(scenario.org, onramp, amount)
    await scenario.settle(timedelta(days=10))
    await check_books(scenario.org)


@pytest.mark.parametrize("status", RESTS)
async def test_failed_return(scenario: OnrampScenario, status: OnrampStatus) -> None:
    onramp = await scenario.resting_at(status)
    if status is not OnrampStatus.FIAT_RETURNED:
        with pytest.raises(ResourceConflict):
            await return_deposit(scenario.org, onramp, "1")
        return
    for amount in ("0", "1.01"):
        with pytest.raises(ResourceConflict, match="has returned 1 usd"):
            await return_deposit(scenario.org, onramp, amount)
    paid = await paid_out(scenario.org.container.database, scenario.org.org_id)
    reopened = await return_deposit(scenario.org, onramp, "1")
    assert reopened.status is OnrampStatus.FIAT_FAILED
    assert await house_units(scenario.org, HouseRole.IN_TRANSIT, USD) == 100
    await scenario.settle(timedelta(hours=23))
    assert (await onramp_of(scenario.org, onramp["id"])).status is OnrampStatus.FIAT_FAILED
    for _ in range(2):
        await scenario.settle(timedelta(days=5))
    assert (await onramp_of(scenario.org, onramp["id"])).status is OnrampStatus.FIAT_RETURNED
    # The deposit was given back a second time, by another payment.
    again = await paid_out(scenario.org.container.database, scenario.org.org_id)
    assert again[USD] == paid[USD] + 100
    await check_books(scenario.org)


async def test_a_return_that_comes_back_is_not_paid_again_while_its_deposit_is_owed(
    scenario: OnrampScenario,
) -> None:
    onramp = await scenario.resting_at(OnrampStatus.FIAT_RETURNED)
    paid = await paid_out(scenario.org.container.database, scenario.org.org_id)
    await reverse_deposit(scenario.org, onramp, "1")
    with pytest.raises(ResourceConflict, match="owes its deposit"):
        await return_deposit(scenario.org, onramp, "1")
    await scenario.settle(timedelta(days=5))
    again = await paid_out(scenario.org.container.database, scenario.org.org_id)
    assert again == paid
    await check_books(scenario.org)


async def test_a_written_off_deposit_that_comes_back_is_corrected(scenario: OnrampScenario) -> None:
    onramp = await scenario.resting_at(OnrampStatus.FIAT_RETURNED)
    outside = await house_units(scenario.org, HouseRole.OUTSIDE, USD)
    await reverse_deposit(scenario.org, onramp, "1")
    await _close(scenario, onramp["id"], written_off)
    with pytest.raises(ResourceConflict, match="correct it if it was written off"):
        await return_deposit(scenario.org, onramp, "1")
    await _correct(scenario, receivable_id(UUID(onramp["id"])))
    # The books have the money that came back, and no loss.
    assert await house_units(scenario.org, HouseRole.OUTSIDE, USD) == outside
    assert await house_units(scenario.org, HouseRole.WRITE_OFFS, USD) == 0
    await check_books(scenario.org)


async def test_a_deposit_that_was_paid_back_is_reversed_only_once(scenario: OnrampScenario) -> None:
    onramp = await scenario.resting_at(OnrampStatus.FIAT_RETURNED)
    await reverse_deposit(scenario.org, onramp, "1")
    await _pay_back(scenario, onramp["id"])
    # What came back belongs to the user, who has paid for the reversal.
    reopened = await return_deposit(scenario.org, onramp, "1")
    assert reopened.status is OnrampStatus.FIAT_FAILED
    with pytest.raises(ResourceConflict, match="reversed before"):
        await reverse_deposit(scenario.org, onramp, "1")
    for _ in range(2):
        await scenario.settle(timedelta(days=5))
    await check_books(scenario.org)


async def test_a_delivered_deposit_of_another_amount_is_refused(scenario: OnrampScenario) -> None:
    onramp = await scenario.resting_at(OnrampStatus.COMPLETED)
    for amount in ("99.99", "100.01"):
        with pytest.raises(ResourceConflict, match="paid by a deposit of 100 usd"):
            await reverse_deposit(scenario.org, onramp, amount)


async def test_unknown_onramp_is_not_found(scenario: OnrampScenario) -> None:
    org = scenario.org
    user = await make_payee(org)
    offramp = await make_offramp(org, user, await make_account(org, user))
    for verb in (reverse_deposit, return_deposit):
        with pytest.raises(TransactionNotFound):
            await verb(org, offramp, "100")


async def test_a_delivered_deposit_that_is_owed_is_not_corrected_as_well(
    scenario: OnrampScenario,
) -> None:
    onramp = await scenario.resting_at(OnrampStatus.COMPLETED)
    debt, payment = receivable_id(UUID(onramp["id"])), UUID(onramp["id"])
    await reverse_deposit(scenario.org, onramp, "100")
    with pytest.raises(ResourceConflict, match=f"the RECEIVABLE {debt} is OPEN"):
        await _correct(scenario, payment)
    await _pay_back(scenario, onramp["id"])
    with pytest.raises(ResourceConflict, match="correct its changes 1 and 2 first"):
        await _correct(scenario, payment)
    forgiven = await _correct(scenario, debt)
    correction = await _correct(scenario, payment)
    assert await house_units(scenario.org, HouseRole.OUTSIDE, USD) == 0
    await check_books(scenario.org)
    # The user would owe a deposit of which the coins are gone as well.
    with pytest.raises(ResourceConflict, match="reverse these corrections first"):
        await _correct(scenario, forgiven)
    await _correct(scenario, correction)
    await _correct(scenario, forgiven)
    await check_books(scenario.org)


async def _correct(scenario: OnrampScenario, record_id: UUID) -> UUID:
    """Correct all journals of a record; return the correction's id."""
    container, org_id = scenario.org.container, scenario.org.org_id
    rows = await container.database.rows(
        "select distinct seq from entries where org_id = $1 and transfer_id = $2", org_id, record_id
    )
    corrected = await corrections.correct(
        *(container.database, container.ledger, ASSETS, ALL_TRANSITIONS),
        org_id=org_id,
        transfer_id=record_id,
        seqs=[row["seq"] for row in rows],
        reason="by mistake",
        actor="test",
        at=scenario.clock.stamp(),
    )
    return corrected.transfer.id


async def _pay_back(scenario: OnrampScenario, onramp_id: str) -> None:
    """Close the receivable of an onramp: its user has paid."""
    await _close(scenario, onramp_id, recovered)


async def _close(
    scenario: OnrampScenario, onramp_id: str, close: Callable[..., AdvanceTransfer]
) -> None:
    """Close the receivable of an onramp."""
    ledger, org = scenario.org.container.ledger, scenario.org
    found = await ledger.find(org.org_id, receivable_id(UUID(onramp_id)))
    assert found is not None
    move = close(as_receivable(found), actor="test", at=scenario.clock.stamp())
    assert isinstance(await ledger.advance(move, TRANSITIONS), Transfer)
